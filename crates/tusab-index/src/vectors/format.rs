//! The bytes of a file of vectors (a segment):
//!
//! ```text
//! header   64 bytes, see `Header`
//! block    head:   keys (u64), chunk ids (16 bytes), and with codes: scales (f32), losses (f32)
//!          codes:  one byte a number, where the set has codes
//!          floats: f32
//!          ... the last block may have fewer rows
//! table    a checksum (CRC-32) for each part of each block
//! ```
//!
//! Parts begin at multiples of 64 bytes and are checked with their padding. Numbers are in the order of bytes of the
//! machine, so that rows are used where they lie; the header says which, and the files of another kind of machine are
//! made again.

use std::ops::Range;

use super::vector::Dimension;

const MAGIC: [u8; 8] = *b"tusabvec";
/// Version of these bytes.
const FORMAT: u32 = 1;
const BYTE_ORDER: u32 = 0x0102_0304;

/// Where parts begin: the length of a cache line.
const ALIGN: usize = 64;

/// About this many bytes of floats make a block: the unit of checking and of sharing out work.
const BLOCK_BYTES: usize = 1 << 20;

/// What a segment's first bytes say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) dimension: Dimension,
    pub(super) coded: bool,
    pub(super) rows: u64,
    /// Of the space.
    pub(super) fingerprint: [u8; 16],
    /// Checksum of the table.
    pub(super) table: u32,
}

/// Why bytes are not a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BadHeader {
    Damaged,
    OtherVersion,
}

impl Header {
    pub(super) const BYTES: usize = 64;

    pub(super) fn to_bytes(self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(BYTE_ORDER.to_ne_bytes());
        bytes.extend(FORMAT.to_ne_bytes());
        bytes.extend(u32::try_from(self.dimension.get()).unwrap_or(0).to_ne_bytes());
        bytes.extend(u32::from(self.coded).to_ne_bytes());
        bytes.extend(self.rows.to_ne_bytes());
        bytes.extend(self.fingerprint);
        bytes.extend(self.table.to_ne_bytes());
        bytes.resize(Self::BYTES - 4, 0);
        bytes.extend(crc32fast::hash(&bytes).to_ne_bytes());
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, BadHeader> {
        let mut fields = Fields { bytes };
        if fields.take().ok_or(BadHeader::Damaged)? != MAGIC {
            return Err(BadHeader::Damaged);
        }
        if fields.u32() != Some(BYTE_ORDER) || fields.u32() != Some(FORMAT) {
            return Err(BadHeader::OtherVersion);
        }
        let header = Self::from_fields(&mut fields).ok_or(BadHeader::Damaged)?;
        // The checksum, and that what has no meaning is zero.
        let whole = bytes.get(..Self::BYTES).is_some_and(|bytes| bytes == header.to_bytes());
        if whole { Ok(header) } else { Err(BadHeader::Damaged) }
    }

    fn from_fields(fields: &mut Fields<'_>) -> Option<Self> {
        Some(Self {
            dimension: Dimension::new(usize::try_from(fields.u32()?).ok()?).ok()?,
            coded: fields.u32()? == 1,
            rows: fields.u64()?,
            fingerprint: fields.take()?,
            table: fields.u32()?,
        })
    }
}

struct Fields<'b> {
    bytes: &'b [u8],
}

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(*field)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_ne_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_ne_bytes)
    }
}

/// A part of a block that is read, and checked, by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Head,
    Codes,
    Floats,
}

impl Part {
    pub(super) const ALL: [Self; 3] = [Self::Head, Self::Codes, Self::Floats];

    pub(super) fn number(self) -> usize {
        match self {
            Self::Head => 0,
            Self::Codes => 1,
            Self::Floats => 2,
        }
    }
}

/// Where the blocks and their parts are. All of it follows from the header.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    dimension: usize,
    coded: bool,
    rows: usize,
    /// Rows of each block but the last.
    block_rows: usize,
}

impl Layout {
    /// `None` when a file of that many rows could not be addressed.
    pub(super) fn of(header: &Header) -> Option<Self> {
        let dimension = header.dimension.get();
        let rows = usize::try_from(header.rows).ok()?;
        let layout = Self { dimension, coded: header.coded, rows, block_rows: block_rows(header.dimension) };
        // Every offset is under the length, so this covers all of them.
        let most = rows.checked_mul(dimension.checked_mul(5)?.checked_add(32 + 4 * ALIGN)?)?;
        most.checked_add(layout.block_bytes().checked_mul(2)?)?;
        Some(layout)
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn blocks(&self) -> usize {
        self.rows.div_ceil(self.block_rows)
    }

    /// Number of the first row of a block.
    pub(super) fn first_row(&self, block: usize) -> usize {
        block * self.block_rows
    }

    pub(super) fn rows_of(&self, block: usize) -> usize {
        self.block_rows.min(self.rows.saturating_sub(self.first_row(block)))
    }

    /// Bytes of a part of a block of that many rows, with padding.
    fn part_bytes(&self, part: Part, rows: usize) -> usize {
        let row = match part {
            Part::Head if self.coded => 32,
            Part::Head => 24,
            Part::Codes if self.coded => self.dimension,
            Part::Codes => 0,
            Part::Floats => 4 * self.dimension,
        };
        (rows * row).next_multiple_of(ALIGN)
    }

    fn block_bytes(&self) -> usize {
        Part::ALL.into_iter().map(|part| self.part_bytes(part, self.block_rows)).sum()
    }

    pub(super) fn part(&self, block: usize, part: Part) -> Range<usize> {
        let rows = self.rows_of(block);
        let before = Part::ALL.into_iter().take(part.number()).map(|part| self.part_bytes(part, rows));
        let start = Header::BYTES + block * self.block_bytes() + before.sum::<usize>();
        start..start + self.part_bytes(part, rows)
    }

    pub(super) fn table(&self) -> Range<usize> {
        let last = self.blocks().checked_sub(1);
        let start = last.map_or(Header::BYTES, |last| self.part(last, Part::Floats).end);
        start..start + 4 * Part::ALL.len() * self.blocks()
    }
}

/// Rows of each block but the last.
pub(super) fn block_rows(dimension: Dimension) -> usize {
    (BLOCK_BYTES / (4 * dimension.get())).max(1)
}

/// Pads a part.
pub(super) fn pad(part: &mut Vec<u8>) {
    part.resize(part.len().next_multiple_of(ALIGN), 0);
}
