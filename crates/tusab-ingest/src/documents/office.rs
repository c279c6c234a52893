//! DOCX, PPTX and XLSX: zip archives of XML (ECMA-376, Office Open XML).

mod archive;
mod docx;
mod package;
mod pptx;
mod properties;
mod xlsx;
mod xml;

use archive::Archive;
use package::Package;
use properties::Properties;

use super::DocumentLimits;
use crate::{BinaryKind, Content, Error, Format, Meeting, Pages, Parsed, Source};

/// What the reader of a format gives.
struct Read {
    markdown: String,
    /// The meeting that the text is the transcript of, if it is one.
    meeting: Option<Meeting>,
    pages: Pages,
    /// What the text itself says, where the properties of the file are silent.
    title: Option<String>,
    language: Option<tusab_chunk::Language>,
}

/// Reads an Office document from the bytes of its archive.
pub(super) fn read(bytes: &[u8], limits: &DocumentLimits) -> Result<Parsed<Source>, Error> {
    let archive = Archive::open(bytes, limits)?;
    let Some(mut package) = Package::open(archive)? else {
        return Err(Error::Binary { kind: BinaryKind::Zip });
    };
    let properties = Properties::read(&mut package)?;
    let format = package.format();
    let read = match format {
        Format::Pptx => pptx::read(&mut package)?,
        Format::Xlsx => xlsx::read(&mut package)?,
        _ => docx::read(&mut package)?,
    };
    if read.markdown.trim().is_empty() {
        return Err(Error::NoText { format });
    }
    let (format, content) = match read.meeting {
        Some(meeting) => (Format::Meeting, Content::Meeting(meeting)),
        None => (format, Content::Markdown(read.markdown)),
    };
    Ok(Parsed::sound(Source {
        title: properties.title.or(read.title),
        language: properties.language.or(read.language),
        date: properties.date,
        tags: properties.tags,
        pages: read.pages,
        ..Source::new(format, content)
    }))
}
