//! The zip archive that an Office document is, read under limits.

use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::documents::{ByteCount, DocumentLimits, Limit};
use crate::{Error, Format};

/// A part larger than this, unpacked, is held to the limit of the ratio.
const RATIO_FROM: u64 = 1 << 20;

/// An archive, and how much may still be unpacked from it.
pub(super) struct Archive<'b> {
    zip: ZipArchive<Cursor<&'b [u8]>>,
    limits: &'b DocumentLimits,
    left: u64,
    format: Format,
}

impl<'b> Archive<'b> {
    pub(super) fn open(bytes: &'b [u8], limits: &'b DocumentLimits) -> Result<Self, Error> {
        let format = Format::Docx;
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(format, "", error))?;
        if zip.len() > usize::try_from(limits.entries).unwrap_or(usize::MAX) {
            return Err(Error::TooLarge { limit: Limit::Entries(limits.entries) });
        }
        Ok(Self { zip, limits, left: limits.unpacked.0, format })
    }

    /// Says what the archive is, for the errors to come.
    pub(super) fn known_as(&mut self, format: Format) {
        self.format = format;
    }

    pub(super) fn limits(&self) -> &'b DocumentLimits {
        self.limits
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.zip.index_for_name(name).is_some()
    }

    /// The bytes of a part; none where there is no such part.
    fn bytes(&mut self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        let format = self.format;
        let file = match self.zip.by_name(name) {
            Ok(file) => file,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(damaged(format, name, error)),
        };
        // What the archive says of its sizes is not trusted: the bytes are counted as they come.
        let ratio = u64::from(self.limits.ratio);
        let by_ratio = file.compressed_size().saturating_mul(ratio).max(RATIO_FROM);
        let most = self.left.min(by_ratio);
        let mut bytes = Vec::new();
        file.take(most.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|error| damaged(format, name, error))?;
        let read = ByteCount::of(bytes.len()).0;
        if read > self.left {
            return Err(Error::TooLarge { limit: Limit::Unpacked(self.limits.unpacked) });
        }
        if read > by_ratio {
            return Err(Error::TooLarge { limit: Limit::Ratio(self.limits.ratio) });
        }
        self.left -= read;
        Ok(Some(bytes))
    }

    /// The text of a part in XML; none where there is no such part.
    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, Error> {
        let Some(bytes) = self.bytes(name)? else { return Ok(None) };
        let text = match crate::decode(&bytes) {
            Ok(decoded) => decoded.value.text.into_owned(),
            Err(Error::Empty) => String::new(),
            Err(error) => return Err(damaged(self.format, name, error)),
        };
        Ok(Some(text))
    }

    /// As [`Archive::text`], for a part that the document cannot do without.
    pub(super) fn required(&mut self, name: &str) -> Result<String, Error> {
        let format = self.format;
        self.text(name)?.ok_or_else(|| damaged(format, name, ZipError::FileNotFound))
    }
}

pub(super) fn damaged(
    format: Format,
    part: &str,
    source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> Error {
    let part = (!part.is_empty()).then(|| part.to_owned());
    Error::Damaged { format, part, source: source.into() }
}
