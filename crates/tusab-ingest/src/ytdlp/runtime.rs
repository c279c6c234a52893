use std::fmt;

/// The JavaScript runtimes that yt-dlp can use for YouTube, in its own order of preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[expect(missing_docs, reason = "names of products")]
pub enum RuntimeKind {
    Deno,
    Node,
    Bun,
}

impl RuntimeKind {
    /// Every one, the preferred first.
    pub const ALL: [Self; 3] = [Self::Deno, Self::Node, Self::Bun];

    /// The name of the program, and of the runtime in yt-dlp's options.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Deno => "deno",
            Self::Node => "node",
            Self::Bun => "bun",
        }
    }

    /// The oldest version that yt-dlp 2026.10.26 accepts (`yt_dlp/utils/_jsruntime.py`).
    #[must_use]
    pub fn oldest(self) -> [u32; 3] {
        match self {
            Self::Deno => [2, 3, 0],
            Self::Node => [22, 0, 0],
            Self::Bun => [1, 2, 11],
        }
    }
}

impl fmt::Display for RuntimeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
