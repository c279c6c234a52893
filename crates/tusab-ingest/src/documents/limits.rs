use std::fmt;

/// A number of bytes. Shown in the largest unit that divides it: `20 MiB`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteCount(pub u64);

impl ByteCount {
    /// That many times 1,048,576 bytes.
    #[must_use]
    pub const fn mib(count: u64) -> Self {
        Self(count.saturating_mul(1 << 20))
    }

    pub(crate) fn of(bytes: usize) -> Self {
        Self(u64::try_from(bytes).unwrap_or(u64::MAX))
    }
}

impl fmt::Display for ByteCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes if bytes > 0 && bytes % (1 << 20) == 0 => write!(f, "{} MiB", bytes >> 20),
            bytes if bytes > 0 && bytes % (1 << 10) == 0 => write!(f, "{} KiB", bytes >> 10),
            bytes => write!(f, "{bytes} bytes"),
        }
    }
}

/// How much work a document may make. A document over a limit is refused with [`Error::TooLarge`](crate::Error), which
/// names the limit; it is never read in part.
///
/// No limit is in seconds: what a document costs is counted in bytes and steps, so that the same file gives the same
/// answer on every machine.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DocumentLimits {
    /// The file itself; 100 MiB.
    pub file: ByteCount,
    /// All that is unpacked from it, added up; 256 MiB.
    pub unpacked: ByteCount,
    /// How many times larger a part over 1 MiB may be once unpacked; 300. Deflate can reach 1,032, on zeros.
    pub ratio: u32,
    /// The text that comes out; 64 MiB.
    pub text: ByteCount,
    /// Files inside an archive; 10,000.
    pub entries: u32,
    /// Elements inside each other; 256.
    pub nesting: u32,
    /// Pages or slides; 10,000.
    pub pages: u32,
    /// Drawing operations of a PDF, and letters that it shows, of which no page may have over 1,000,000; 50,000,000.
    pub steps: u32,
}

impl Default for DocumentLimits {
    fn default() -> Self {
        Self {
            file: ByteCount::mib(100),
            unpacked: ByteCount::mib(256),
            ratio: 300,
            text: ByteCount::mib(64),
            entries: 10_000,
            nesting: 256,
            pages: 10_000,
            steps: 50_000_000,
        }
    }
}

impl DocumentLimits {
    /// Sets the largest file.
    #[must_use]
    pub fn with_file(mut self, file: ByteCount) -> Self {
        self.file = file;
        self
    }

    /// Sets the most that may be unpacked.
    #[must_use]
    pub fn with_unpacked(mut self, unpacked: ByteCount) -> Self {
        self.unpacked = unpacked;
        self
    }

    /// Sets how many times larger a part may be once unpacked.
    #[must_use]
    pub fn with_ratio(mut self, ratio: u32) -> Self {
        self.ratio = ratio;
        self
    }

    /// Sets the longest text.
    #[must_use]
    pub fn with_text(mut self, text: ByteCount) -> Self {
        self.text = text;
        self
    }

    /// Sets the most files in an archive.
    #[must_use]
    pub fn with_entries(mut self, entries: u32) -> Self {
        self.entries = entries;
        self
    }

    /// Sets how deep elements may stand inside each other.
    #[must_use]
    pub fn with_nesting(mut self, nesting: u32) -> Self {
        self.nesting = nesting;
        self
    }

    /// Sets the most pages.
    #[must_use]
    pub fn with_pages(mut self, pages: u32) -> Self {
        self.pages = pages;
        self
    }

    /// Sets the most operations of a PDF.
    #[must_use]
    pub fn with_steps(mut self, steps: u32) -> Self {
        self.steps = steps;
        self
    }
}

/// The limit that a document is over, with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// [`DocumentLimits::file`].
    File(ByteCount),
    /// [`DocumentLimits::unpacked`].
    Unpacked(ByteCount),
    /// [`DocumentLimits::ratio`].
    Ratio(u32),
    /// [`DocumentLimits::text`].
    Text(ByteCount),
    /// [`DocumentLimits::entries`].
    Entries(u32),
    /// [`DocumentLimits::nesting`].
    Nesting(u32),
    /// [`DocumentLimits::pages`].
    Pages(u32),
    /// [`DocumentLimits::steps`].
    Steps(u32),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(most) => write!(f, "{most} for the file"),
            Self::Unpacked(most) => write!(f, "{most} once unpacked"),
            Self::Ratio(most) => write!(f, "{most} times its packed size for a part of it"),
            Self::Text(most) => write!(f, "{most} of text"),
            Self::Entries(most) => write!(f, "{most} files inside it"),
            Self::Nesting(most) => write!(f, "{most} elements inside each other"),
            Self::Pages(most) => write!(f, "{most} pages"),
            Self::Steps(most) => write!(f, "{most} drawing operations"),
        }
    }
}
