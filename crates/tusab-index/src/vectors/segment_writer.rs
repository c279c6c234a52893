//! Writing a file of vectors, one block in memory at a time.

use std::fs::{self, File};
use std::io::{BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use tusab_chunk::ChunkId;

use super::codes::encode;
use super::durable::{place, unfinished};
use super::error::VectorFileError;
use super::format::{Header, block_rows, pad};
use super::segment;
use super::space::VectorSpace;

/// A segment that is being written, under its unfinished name.
#[derive(Debug)]
pub(super) struct SegmentWriter {
    folder: PathBuf,
    number: u64,
    header: Header,
    /// `None` once it is finished.
    file: Option<BufWriter<File>>,
    block: Block,
    table: Vec<u8>,
}

#[derive(Debug, Default)]
struct Block {
    keys: Vec<u64>,
    ids: Vec<[u8; 16]>,
    floats: Vec<f32>,
}

impl SegmentWriter {
    pub(super) fn create(
        folder: &Path,
        number: u64,
        space: &VectorSpace,
        coded: bool,
    ) -> Result<Self, VectorFileError> {
        let path = unfinished(&segment::path(folder, number));
        let create = || {
            let mut file = BufWriter::new(File::create(&path)?);
            // Its place; what it says is known at the end.
            file.write_all(&[0; Header::BYTES])?;
            Ok(file)
        };
        let file = create().map_err(VectorFileError::io("create", &path))?;
        let (dimension, fingerprint) = (space.dimension(), space.fingerprint());
        let header = Header { dimension, coded, rows: 0, fingerprint, table: 0 };
        let file = Some(file);
        Ok(Self {
            folder: folder.to_owned(),
            number,
            header,
            file,
            block: Block::default(),
            table: Vec::new(),
        })
    }

    /// Number of rows added.
    pub(super) fn rows(&self) -> u64 {
        self.header.rows
    }

    /// Adds a row, of the dimension of the space.
    pub(super) fn add(&mut self, key: u64, id: &ChunkId, row: &[f32]) -> Result<(), VectorFileError> {
        self.block.keys.push(key);
        self.block.ids.push(*id.as_bytes());
        self.block.floats.extend_from_slice(row);
        self.header.rows += 1;
        if self.block.keys.len() == block_rows(self.header.dimension) {
            self.write_block()?;
        }
        Ok(())
    }

    fn write_block(&mut self) -> Result<(), VectorFileError> {
        let block = &mut self.block;
        let (mut codes, mut scales, mut losses) = (Vec::new(), Vec::new(), Vec::new());
        if self.header.coded {
            for row in block.floats.chunks_exact(self.header.dimension.get()) {
                let coding = encode(row, &mut codes);
                scales.push(coding.scale);
                losses.push(coding.loss);
            }
        }
        let mut head = bytemuck::cast_slice(&block.keys).to_vec();
        head.extend_from_slice(block.ids.as_flattened());
        head.extend_from_slice(bytemuck::cast_slice(&scales));
        head.extend_from_slice(bytemuck::cast_slice(&losses));
        let floats = bytemuck::cast_slice(&block.floats).to_vec();
        for mut part in [head, codes, floats] {
            pad(&mut part);
            self.table.extend(crc32fast::hash(&part).to_ne_bytes());
            self.file.as_mut().map_or(Ok(()), |file| file.write_all(&part)).map_err(|e| self.failed()(e))?;
        }
        self.block = Block::default();
        Ok(())
    }

    /// Writes what is left and puts the file in its place; durable once the folder is synced.
    pub(super) fn finish(mut self) -> Result<u64, VectorFileError> {
        if !self.block.keys.is_empty() {
            self.write_block()?;
        }
        self.header.table = crc32fast::hash(&self.table);
        if let Some(mut file) = self.file.take() {
            let mut write = || {
                file.write_all(&self.table)?;
                file.rewind()?;
                file.write_all(&self.header.to_bytes())?;
                file.flush()?;
                file.get_ref().sync_all()
            };
            let written = write();
            drop(file);
            written.map_err(self.failed())?;
        }
        place(&segment::path(&self.folder, self.number))?;
        Ok(self.number)
    }

    fn failed(&self) -> impl FnOnce(std::io::Error) -> VectorFileError + use<> {
        let path = unfinished(&segment::path(&self.folder, self.number));
        move |source| VectorFileError::Io { action: "write", path, source }
    }
}

impl Drop for SegmentWriter {
    fn drop(&mut self) {
        // Given up. A leftover that stays does no harm; the next writer tries again.
        if self.file.take().is_some() {
            let _ = fs::remove_file(unfinished(&segment::path(&self.folder, self.number)));
        }
    }
}
