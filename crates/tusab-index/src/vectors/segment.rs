//! Reading a file of vectors that never changes.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};

use tantivy::Directory;
use tantivy::directory::error::OpenReadError;
use tantivy::directory::{MmapDirectory, OwnedBytes};
use tusab_chunk::ChunkId;

use super::error::VectorFileError;
use super::format::{BadHeader, Header, Layout, Part};
use super::scan::CodedBlock;

/// Ends the names of segments.
const EXTENSION: &str = ".vectors";

/// The file of segment `number`.
pub(super) fn path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number:016x}{EXTENSION}"))
}

/// The number of the segment that a file name, finished or not, stands for.
pub(super) fn number(name: &str) -> Option<u64> {
    let (number, rest) = name.split_at_checked(16)?;
    if !rest.starts_with(EXTENSION) {
        return None;
    }
    u64::from_str_radix(number, 16).ok()
}

/// A mapped file of vectors. Parts are checked when they are first used: opening reads the header and the table only,
/// and no byte counts before it was checked.
pub(super) struct Segment {
    path: PathBuf,
    number: u64,
    header: Header,
    layout: Layout,
    /// Mapped by tantivy, as the files of BM25 are, so that this crate needs no unsafe code. What is sound there is
    /// here: segments are written once, and removed but never cut short.
    bytes: OwnedBytes,
    /// A checksum for each part of each block.
    table: Vec<[u32; Part::ALL.len()]>,
    /// A bit for each part of each block that was found whole.
    checked: Vec<AtomicU8>,
}

impl std::fmt::Debug for Segment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Segment")
            .field("path", &self.path)
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

impl Segment {
    /// Maps the file of segment `number`.
    pub(super) fn open(folder: &Path, number: u64) -> Result<Self, VectorFileError> {
        let path = path(folder, number);
        let bytes = map(folder, &path)?;
        let header = match bytes.get(..Header::BYTES).ok_or(BadHeader::Damaged).and_then(Header::from_bytes) {
            Ok(header) => header,
            Err(BadHeader::Damaged) => return Err(VectorFileError::damaged(&path, "its header")),
            Err(BadHeader::OtherVersion) => return Err(VectorFileError::OtherVersion { path }),
        };
        let damaged = |what| VectorFileError::damaged(&path, what);
        let layout = Layout::of(&header).ok_or_else(|| damaged("its length"))?;
        if bytes.len() != layout.table().end {
            return Err(damaged("its length"));
        }
        let table = bytes.get(layout.table()).ok_or_else(|| damaged("its length"))?;
        if crc32fast::hash(table) != header.table {
            return Err(damaged("its table"));
        }
        let (sums, _) = table.as_chunks::<4>();
        let (table, _) = sums.as_chunks::<{ Part::ALL.len() }>();
        let table: Vec<_> = table.iter().map(|sums| sums.map(u32::from_ne_bytes)).collect();
        let checked = table.iter().map(|_| AtomicU8::new(0)).collect();
        Ok(Self { path, number, header, layout, bytes, table, checked })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn header(&self) -> &Header {
        &self.header
    }

    pub(super) fn rows(&self) -> usize {
        self.layout.rows()
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Who the rows of a block are.
    pub(super) fn head(&self, block: usize) -> Result<Head<'_>, VectorFileError> {
        let rows = self.layout.rows_of(block);
        let part = self.part(block, Part::Head)?;
        let head = || {
            let (keys, rest) = part.split_at_checked(8 * rows)?;
            let (ids, rest) = rest.split_at_checked(16 * rows)?;
            let codings = if self.header.coded { rest.get(..8 * rows)? } else { &[] };
            let (scales, losses) = cast(codings)?.split_at_checked(codings.len() / 8)?;
            Some(Head { keys: cast(keys)?, ids: ids.as_chunks().0, scales, losses })
        };
        head().ok_or_else(|| self.damaged())
    }

    /// The rows of a block.
    pub(super) fn floats(&self, block: usize) -> Result<&[f32], VectorFileError> {
        let length = self.layout.rows_of(block) * self.header.dimension.get();
        let floats = cast(self.part(block, Part::Floats)?);
        floats.and_then(|floats| floats.get(..length)).ok_or_else(|| self.damaged())
    }

    /// The codes of a block's rows.
    pub(super) fn codes<'s>(
        &'s self,
        block: usize,
        head: &Head<'s>,
    ) -> Result<CodedBlock<'s>, VectorFileError> {
        let length = self.layout.rows_of(block) * self.header.dimension.get();
        let codes = self.part(block, Part::Codes)?.get(..length).ok_or_else(|| self.damaged())?;
        Ok(CodedBlock { codes, scales: head.scales, losses: head.losses })
    }

    /// Checks everything.
    pub(super) fn check(&self) -> Result<(), VectorFileError> {
        for checked in &self.checked {
            checked.store(0, Ordering::Relaxed);
        }
        (0..self.layout.blocks())
            .try_for_each(|block| Part::ALL.into_iter().try_for_each(|part| self.part(block, part).map(drop)))
    }

    /// The bytes of a part, checked when they are used for the first time.
    fn part(&self, block: usize, part: Part) -> Result<&[u8], VectorFileError> {
        let found = self.bytes.get(self.layout.part(block, part));
        let (Some(bytes), Some(checked), Some(sums)) =
            (found, self.checked.get(block), self.table.get(block))
        else {
            return Err(self.damaged());
        };
        let bit = 1 << part.number();
        // Threads that check the same part at the same time only waste time.
        if checked.load(Ordering::Relaxed) & bit == 0 {
            if sums.get(part.number()) != Some(&crc32fast::hash(bytes)) {
                return Err(self.damaged());
            }
            checked.fetch_or(bit, Ordering::Relaxed);
        }
        Ok(bytes)
    }

    fn damaged(&self) -> VectorFileError {
        VectorFileError::damaged(&self.path, "its rows")
    }
}

/// Who the rows of a block are, and how they were coded.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head<'s> {
    pub(super) keys: &'s [u64],
    pub(super) ids: &'s [[u8; 16]],
    scales: &'s [f32],
    losses: &'s [f32],
}

impl Head<'_> {
    /// The chunk of a row and the store's number of it.
    pub(super) fn name(&self, row: usize) -> Option<(ChunkId, u64)> {
        Some((ChunkId::from_bytes(*self.ids.get(row)?), *self.keys.get(row)?))
    }
}

/// Bytes as the numbers that they are. No bytes are no numbers, wherever they are.
fn cast<N: bytemuck::AnyBitPattern>(bytes: &[u8]) -> Option<&[N]> {
    if bytes.is_empty() { Some(&[]) } else { bytemuck::try_cast_slice(bytes).ok() }
}

fn map(folder: &Path, path: &Path) -> Result<OwnedBytes, VectorFileError> {
    let failed = VectorFileError::io("open", path);
    let open = || {
        let folder = MmapDirectory::open(folder).map_err(std::io::Error::other)?;
        let name = path.file_name().unwrap_or_default();
        let file = folder.open_read(Path::new(name)).map_err(|error| match error {
            OpenReadError::FileDoesNotExist(_) => std::io::ErrorKind::NotFound.into(),
            error => std::io::Error::other(error),
        })?;
        file.read_bytes()
    };
    open().map_err(failed)
}
