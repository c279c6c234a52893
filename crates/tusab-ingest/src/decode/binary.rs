use std::fmt;

/// What bytes that are not text look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BinaryKind {
    /// A PDF document.
    Pdf,
    /// A zip archive: also DOCX, XLSX, PPTX, ODT and EPUB are zip archives.
    Zip,
    /// An Office document of before 2007: DOC, XLS, PPT, RTF.
    OldOffice,
    /// An archive or compressed file: gzip, zstd, xz, bzip2, 7z, RAR.
    Compressed,
    /// A picture.
    Image,
    /// A recording: audio or video.
    Media,
    /// A program or library.
    Program,
    /// A database.
    Database,
    /// Text in UTF-16 or UTF-32 that does not say so in a way that can be relied on.
    UnmarkedWideText,
    /// None of these.
    Unknown,
}

/// First bytes, and what they say. One line a format.
#[rustfmt::skip]
const MAGIC: &[(&[u8], BinaryKind)] = &[
    (b"%PDF-", BinaryKind::Pdf),
    (b"PK\x03\x04", BinaryKind::Zip),
    (b"PK\x05\x06", BinaryKind::Zip),
    (b"{\\rtf", BinaryKind::OldOffice),
    (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", BinaryKind::OldOffice),
    (b"\x1F\x8B", BinaryKind::Compressed),
    (b"\x28\xB5\x2F\xFD", BinaryKind::Compressed),
    (b"\xFD7zXZ\0", BinaryKind::Compressed),
    (b"BZh91AY&SY", BinaryKind::Compressed),
    (b"7z\xBC\xAF\x27\x1C", BinaryKind::Compressed),
    (b"Rar!\x1A\x07", BinaryKind::Compressed),
    (b"\x89PNG\r\n\x1A\n", BinaryKind::Image),
    (b"\xFF\xD8\xFF", BinaryKind::Image),
    (b"GIF87a", BinaryKind::Image),
    (b"GIF89a", BinaryKind::Image),
    (b"II*\0", BinaryKind::Image),
    (b"MM\0*", BinaryKind::Image),
    (b"\x1A\x45\xDF\xA3", BinaryKind::Media),
    (b"OggS\0", BinaryKind::Media),
    (b"fLaC\0", BinaryKind::Media),
    (b"ID3\x02", BinaryKind::Media),
    (b"ID3\x03", BinaryKind::Media),
    (b"ID3\x04", BinaryKind::Media),
    (b"\x7FELF", BinaryKind::Program),
    (b"\xCF\xFA\xED\xFE", BinaryKind::Program),
    (b"\xCA\xFE\xBA\xBE", BinaryKind::Program),
    (b"SQLite format 3\0", BinaryKind::Database),
    (b"\xFF\xFE\0\0", BinaryKind::UnmarkedWideText),
    (b"\0\0\xFE\xFF", BinaryKind::UnmarkedWideText),
];

impl BinaryKind {
    /// How much of a file is looked at, in bytes.
    const HEAD: usize = 8192;

    /// What kind of binary the bytes are; none when they may be text.
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        let head = bytes.get(..Self::HEAD).unwrap_or(bytes);
        if let Some((_, kind)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
            return Some(*kind);
        }
        let at = |from: usize, what: &[u8]| head.get(from..).is_some_and(|rest| rest.starts_with(what));
        if at(4, b"ftyp") || (at(0, b"RIFF") && (at(8, b"WAVE") || at(8, b"AVI "))) {
            return Some(Self::Media);
        }
        if at(0, b"RIFF") && at(8, b"WEBP") {
            return Some(Self::Image);
        }
        if at(0, b"\xFF\xFE") || at(0, b"\xFE\xFF") {
            return None;
        }
        Self::of_zeros(head)
    }

    /// Text holds no zero bytes but by accident; one in ten is no accident.
    fn of_zeros(head: &[u8]) -> Option<Self> {
        let (mut even, mut odd) = (0, 0);
        for pair in head.chunks(2) {
            even += usize::from(pair.first() == Some(&0));
            odd += usize::from(pair.get(1) == Some(&0));
        }
        if head.starts_with(b"MZ") && even + odd > 0 {
            return Some(Self::Program);
        }
        if (even + odd) * 10 <= head.len() {
            return None;
        }
        // Of Latin text in UTF-16 every second byte is zero, and hardly any other.
        let (less, more) = (even.min(odd), even.max(odd));
        Some(if more * 3 > head.len() && less * 20 < more { Self::UnmarkedWideText } else { Self::Unknown })
    }

    pub(crate) fn remedy(self) -> &'static str {
        match self {
            Self::Pdf | Self::Zip | Self::OldOffice => "save the document as text or Markdown and give that",
            Self::Compressed => "unpack it and give what is inside",
            Self::Image | Self::Media => "give a text, or captions of what is said",
            Self::UnmarkedWideText => "save it as UTF-8 and try again",
            Self::Program | Self::Database | Self::Unknown => "give a text, captions or Markdown",
        }
    }
}

impl fmt::Display for BinaryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pdf => "a PDF document",
            Self::Zip => "a zip archive or an Office document",
            Self::OldOffice => "an old Office document",
            Self::Compressed => "a compressed file",
            Self::Image => "a picture",
            Self::Media => "a recording",
            Self::Program => "a program",
            Self::Database => "a database",
            Self::UnmarkedWideText => "text in UTF-16 or UTF-32 without a mark that says so",
            Self::Unknown => "binary data",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, decode};

    #[test]
    fn binaries_are_named_and_told_what_to_do() {
        for (bytes, kind) in [
            (b"%PDF-1.7\n%\xE2\xE3".as_slice(), BinaryKind::Pdf),
            (b"PK\x03\x04\x14\0", BinaryKind::Zip),
            (b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR", BinaryKind::Image),
            (b"\x7FELF\x02\x01\x01\0", BinaryKind::Program),
            (b"MZ\x90\0\x03\0\0\0", BinaryKind::Program),
            (b"\0\0\0\x20ftypisom", BinaryKind::Media),
            (b"ab\0\0\0\0\0c", BinaryKind::Unknown),
            (b"a\xFFb\0cdefghijklmnopqrstuvwxyz", BinaryKind::Unknown),
            (b"\xFF\xFE\0\0o\0\0\0", BinaryKind::UnmarkedWideText),
            (b"{\\rtf1\\ansi o}", BinaryKind::OldOffice),
        ] {
            let error = decode(bytes).unwrap_err();
            assert!(matches!(error, Error::Binary { kind: found } if found == kind), "{bytes:?}: {error:?}");
            assert!(error.to_string().contains(kind.remedy()), "{error}");
        }
    }

    #[test]
    fn text_that_begins_like_a_binary_is_text() {
        for text in [
            "MZ é uma sigla",
            "GIF é um formato",
            "BZh",
            "ID3 é uma etiqueta",
            "Rar! gritou",
            "um\0 acaso só",
        ] {
            assert!(decode(text.as_bytes()).is_ok(), "{text:?}");
        }
    }
}
