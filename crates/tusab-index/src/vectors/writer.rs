use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tusab_chunk::ChunkId;

use super::dead::Dead;
use super::durable::{is_unfinished, make_folder, sync_folder};
use super::error::VectorFileError;
use super::files::{LiveSegment, VectorFiles};
use super::manifest::{Entry, Manifest, VectorGeneration};
use super::merge::{Size, plan};
use super::segment::{self, Segment};
use super::segment_writer::SegmentWriter;
use super::space::VectorSpace;
use super::vector::Vector;

/// Writes the vectors of a folder. What was committed last stays as it is, and readers go on reading it, until
/// [`commit`](Self::commit) puts the next state in its place.
///
/// The caller holds the index's writer lock: two writers of one folder would disturb each other. After an error a writer is dropped, and another one opened.
#[derive(Debug)]
pub struct VectorWriter {
    folder: PathBuf,
    space: VectorSpace,
    coded: bool,
    /// Number of the next segment.
    next: u64,
    segments: Vec<LiveSegment>,
    fresh: Option<SegmentWriter>,
    /// Where each key of the fresh segment is.
    added: HashMap<u64, usize>,
    /// Rows of the fresh segment that were given again or removed.
    replaced: Vec<usize>,
    /// Keys that earlier segments may have and that no longer count there.
    removed: HashSet<u64>,
}

impl VectorWriter {
    /// Begins a new set of vectors of a space, which replaces whatever the folder has when it is committed: for the
    /// first vectors, for another model, and to mend what is damaged. `coded` adds a byte a number to the files, for
    /// searches that read a quarter as much.
    ///
    /// # Errors
    /// When the folder cannot be made or read.
    pub fn create(folder: &Path, space: VectorSpace, coded: bool) -> Result<Self, VectorFileError> {
        make_folder(folder)?;
        // Also where the manifest is lost: a number that a reader knows is never used again.
        let highest = names(folder)?.iter().filter_map(|name| segment::number(name)).max();
        let planned = Manifest::read(folder).map_or(0, |manifest| manifest.next);
        let next = planned.max(highest.map_or(0, |number| number.saturating_add(1)));
        let writer = Self::new(folder, space, coded, next, Vec::new());
        writer.remove_files(is_unfinished);
        Ok(writer)
    }

    /// Goes on from what was committed last, and takes away what a writer that died left behind.
    ///
    /// # Errors
    /// As [`VectorFiles::open`].
    pub fn open(folder: &Path) -> Result<Self, VectorFileError> {
        let files = VectorFiles::open(folder)?;
        let manifest = files.manifest();
        let (space, segments) = (manifest.space.clone(), files.segments().to_vec());
        let writer = Self::new(folder, space, manifest.coded, manifest.next, segments);
        writer.sweep();
        Ok(writer)
    }

    fn new(folder: &Path, space: VectorSpace, coded: bool, next: u64, segments: Vec<LiveSegment>) -> Self {
        let (added, replaced, removed) = Default::default();
        Self {
            folder: folder.to_owned(),
            space,
            coded,
            next,
            segments,
            fresh: None,
            added,
            replaced,
            removed,
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The space that vectors have to be of.
    #[must_use]
    pub fn space(&self) -> &VectorSpace {
        &self.space
    }

    /// Adds the vector of a chunk, by the store's number of it; the same number again replaces the earlier one. One
    /// block is in memory at a time, about a megabyte, and some 50 bytes for each vector until the commit.
    ///
    /// # Errors
    /// [`VectorFileError::Vector`] when it is of another dimension, after which the writer may go on; or when the
    /// disk refuses.
    pub fn add(&mut self, key: u64, chunk: &ChunkId, vector: &Vector) -> Result<(), VectorFileError> {
        vector.check(self.space.dimension())?;
        if self.fresh.is_none() {
            self.fresh = Some(self.begin_segment()?);
        }
        if let Some(fresh) = self.fresh.as_mut() {
            let row = usize::try_from(fresh.rows()).unwrap_or(usize::MAX);
            fresh.add(key, chunk, vector.as_slice())?;
            self.replaced.extend(self.added.insert(key, row));
            self.removed.insert(key);
        }
        Ok(())
    }

    /// Removes the vector of a chunk, if it has one.
    pub fn remove(&mut self, key: u64) {
        self.replaced.extend(self.added.remove(&key));
        self.removed.insert(key);
    }

    /// Makes what was added and removed the state of the folder, durably, as written from that state of the store.
    ///
    /// # Errors
    /// When the disk refuses, or what is there turns out to be damaged. The last state stays then.
    pub fn commit(&mut self, generation: VectorGeneration) -> Result<(), VectorFileError> {
        let mut segments = self.after_removal()?;
        if let Some(fresh) = self.fresh.take() {
            let mut live = self.open_written(fresh.finish()?)?;
            let dead = Arc::make_mut(&mut live.dead);
            self.replaced.drain(..).for_each(|row| dead.insert(row));
            segments.push(live);
        }
        let sizes: Vec<Size> = segments.iter().map(size).collect();
        let chosen = plan(&sizes);
        let (mut merging, mut kept) = (Vec::new(), Vec::new());
        for (place, live) in segments.into_iter().enumerate() {
            if chosen.contains(&place) { merging.push(live) } else { kept.push(live) }
        }
        kept.extend(self.merge(&merging)?);
        // The segments' names are durable before anything refers to them.
        sync_folder(&self.folder)?;
        let mut manifest = Manifest::new(self.space.clone(), self.coded, generation);
        manifest.next = self.next;
        manifest.segments = kept.iter().map(entry).collect();
        manifest.write(&self.folder)?;
        self.segments = kept;
        self.added.clear();
        self.removed.clear();
        self.sweep();
        Ok(())
    }

    /// The segments committed last, without what was removed or given again.
    fn after_removal(&self) -> Result<Vec<LiveSegment>, VectorFileError> {
        let mut segments = self.segments.clone();
        if self.removed.is_empty() {
            return Ok(segments);
        }
        for live in &mut segments {
            let segment = &live.segment;
            for block in 0..segment.layout().blocks() {
                let first = segment.layout().first_row(block);
                for (row, key) in segment.head(block)?.keys.iter().enumerate() {
                    if self.removed.contains(key) {
                        Arc::make_mut(&mut live.dead).insert(first + row);
                    }
                }
            }
        }
        Ok(segments)
    }

    /// Writes the rows of segments that still count into one.
    fn merge(&mut self, segments: &[LiveSegment]) -> Result<Option<LiveSegment>, VectorFileError> {
        if segments.iter().all(|live| size(live).live == 0) {
            return Ok(None);
        }
        let mut merged = self.begin_segment()?;
        for LiveSegment { segment, dead } in segments {
            for block in 0..segment.layout().blocks() {
                let (head, floats) = (segment.head(block)?, segment.floats(block)?);
                let first = segment.layout().first_row(block);
                for (row, values) in floats.chunks_exact(self.space.dimension().get()).enumerate() {
                    if let Some((chunk, key)) = head.name(row)
                        && !dead.contains(first + row)
                    {
                        merged.add(key, &chunk, values)?;
                    }
                }
            }
        }
        self.open_written(merged.finish()?).map(Some)
    }

    fn begin_segment(&mut self) -> Result<SegmentWriter, VectorFileError> {
        let number = self.next;
        self.next = number.saturating_add(1);
        SegmentWriter::create(&self.folder, number, &self.space, self.coded)
    }

    fn open_written(&self, number: u64) -> Result<LiveSegment, VectorFileError> {
        let segment = Segment::open(&self.folder, number)?;
        let dead = Dead::none(segment.rows()).into();
        Ok(LiveSegment { segment: segment.into(), dead })
    }

    /// Removes the files that no commit refers to. Readers that have them open keep them until they are done.
    fn sweep(&self) {
        let current: HashSet<u64> = self.segments.iter().map(|live| live.segment.number()).collect();
        self.remove_files(|name| {
            is_unfinished(name) || segment::number(name).is_some_and(|number| !current.contains(&number))
        });
    }

    fn remove_files(&self, unwanted: impl Fn(&str) -> bool) {
        for name in names(&self.folder).unwrap_or_default() {
            if unwanted(&name) {
                // One that stays does no harm, and the next writer tries again: on Windows a reader may still have it open.
                let _ = fs::remove_file(self.folder.join(&name));
            }
        }
    }
}

fn size(live: &LiveSegment) -> Size {
    let rows = live.segment.rows();
    Size { rows, live: rows - live.dead.len() }
}

fn entry(live: &LiveSegment) -> Entry {
    let header = live.segment.header();
    let (number, dead) = (live.segment.number(), live.dead.ranges());
    Entry { number, rows: header.rows, table: header.table, dead }
}

fn names(folder: &Path) -> Result<Vec<String>, VectorFileError> {
    let entries = fs::read_dir(folder).map_err(VectorFileError::io("read", folder))?;
    Ok(entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect())
}
