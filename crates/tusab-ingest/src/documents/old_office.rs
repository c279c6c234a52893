//! Files of Office that are compound files (OLE, [MS-CFB]): those of before 2007, and newer ones under a password.

use std::fmt;

use crate::{BinaryKind, Error};

/// The program whose old format a file is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OldOffice {
    /// DOC.
    Word,
    /// XLS and XLSB.
    Excel,
    /// PPT.
    PowerPoint,
}

impl OldOffice {
    pub(crate) fn remedy(self) -> &'static str {
        match self {
            Self::Word => "save it as DOCX",
            Self::Excel => "save it as XLSX",
            Self::PowerPoint => "save it as PPTX",
        }
    }
}

impl fmt::Display for OldOffice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Word => "an old Word document (DOC)",
            Self::Excel => "an old Excel workbook (XLS or XLSB)",
            Self::PowerPoint => "an old PowerPoint presentation (PPT)",
        })
    }
}

/// Size of an entry of the directory, and where in it stand the length of its name and its type.
const ENTRY: usize = 128;
const NAME_LENGTH: usize = 64;
const TYPE: usize = 66;
/// Where the first sector starts.
const HEADER: usize = 512;

type Reason = fn() -> Error;

/// Streams by which a file is told, and what they tell; the first in this list that is there counts.
const STREAMS: [(&str, Reason); 5] = [
    ("EncryptedPackage", || Error::EncryptedOffice),
    ("WordDocument", || Error::OldOffice { program: OldOffice::Word }),
    ("Workbook", || Error::OldOffice { program: OldOffice::Excel }),
    ("Book", || Error::OldOffice { program: OldOffice::Excel }),
    ("PowerPoint Document", || Error::OldOffice { program: OldOffice::PowerPoint }),
];

/// Why a compound file cannot be read. Its directory is looked for entry by entry rather than by its chain of sectors,
/// so that a cut file is named too.
pub(super) fn error(bytes: &[u8]) -> Error {
    let entries = bytes.get(HEADER..).unwrap_or_default().chunks_exact(ENTRY);
    let found = entries.filter_map(|entry| STREAMS.iter().position(|(name, _)| is_stream(entry, name))).min();
    match found.and_then(|index| STREAMS.get(index)) {
        Some((_, error)) => error(),
        None => Error::Binary { kind: BinaryKind::OldOffice },
    }
}

fn is_stream(entry: &[u8], name: &str) -> bool {
    let units: Vec<u8> = name.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
    let length =
        entry.get(NAME_LENGTH..TYPE).and_then(|two| <[u8; 2]>::try_from(two).ok()).map(u16::from_le_bytes);
    entry.starts_with(&units) && length.map(usize::from) == Some(units.len()) && entry.get(TYPE) == Some(&2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(streams: &[&str]) -> Vec<u8> {
        let mut bytes = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".to_vec();
        bytes.resize(HEADER, 0);
        for name in streams {
            let mut entry: Vec<u8> = name.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
            let length = u16::try_from(entry.len()).unwrap();
            entry.resize(ENTRY, 0);
            entry[NAME_LENGTH..TYPE].copy_from_slice(&length.to_le_bytes());
            entry[TYPE] = 2;
            bytes.extend(entry);
        }
        bytes
    }

    #[test]
    fn each_is_named_with_its_remedy() {
        for (streams, words) in [
            (["WordDocument", "x"], "save it as DOCX"),
            (["x", "Workbook"], "save it as XLSX"),
            (["Book", "x"], "save it as XLSX"),
            (["PowerPoint Document", "x"], "save it as PPTX"),
            (["EncryptionInfo", "EncryptedPackage"], "password"),
            (["WordDocumentX", "x"], "an old Office document"),
        ] {
            let message = error(&file(&streams)).to_string();
            assert!(message.contains(words), "{streams:?}: {message}");
        }
    }
}
