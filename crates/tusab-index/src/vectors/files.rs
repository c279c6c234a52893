use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tusab_chunk::ChunkId;

use super::codes::CodedQuery;
use super::dead::Dead;
use super::error::VectorFileError;
use super::kernel::dot;
use super::manifest::{Entry, Manifest, VectorGeneration};
use super::scan::{Shortlist, fold, scan, scan_codes};
use super::seam::{KeepVector, VectorHit, VectorOutcome, VectorQuery, VectorSearch, VectorsOff};
use super::segment::{Head, Segment};
use super::space::VectorSpace;
use super::top::Top;
use super::vector::Vector;
use crate::Error;

/// Looks at a folder whose writer commits at the same time.
const LOOKS: usize = 100;

/// Which rows a search reads first. The result is the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum VectorScan {
    /// One byte a number where the files have them, then the exact rows of what may be among the best.
    #[default]
    Codes,
    /// The exact rows, all of them.
    Full,
}

/// The vectors of a folder, as they were committed last when it was opened. They never change: a later commit is seen
/// by [`reopen`](Self::reopen).
///
/// Opening reads a few kilobytes for each 100,000 rows; a part of a file is checked when a search first uses it, and
/// no row counts that was not.
#[derive(Debug, Clone)]
pub struct VectorFiles {
    folder: PathBuf,
    manifest: Arc<Manifest>,
    segments: Vec<LiveSegment>,
    scan: VectorScan,
}

/// A segment and which of its rows no longer count.
#[derive(Debug, Clone)]
pub(super) struct LiveSegment {
    pub(super) segment: Arc<Segment>,
    pub(super) dead: Arc<Dead>,
}

impl LiveSegment {
    /// Whether rows of a block count, by their place in it.
    fn keeper<'k>(
        &'k self,
        block: usize,
        head: &'k Head<'k>,
        keep: Option<&'k KeepVector<'k>>,
    ) -> impl Fn(usize) -> bool + 'k {
        let first = self.segment.layout().first_row(block);
        move |row| {
            // Names are read only for a filter: they would add to what a scan goes through.
            let kept = |keep: &KeepVector<'_>| head.name(row).is_some_and(|(id, key)| keep(key, &id));
            !self.dead.contains(first + row) && keep.is_none_or(kept)
        }
    }
}

impl VectorFiles {
    /// Opens what was committed last in a folder.
    ///
    /// # Errors
    /// [`VectorFileError::Missing`] when nothing was, other errors when a file cannot be used; see
    /// [`needs_rebuild`](VectorFileError::needs_rebuild).
    pub fn open(folder: &Path) -> Result<Self, VectorFileError> {
        Self::open_with(folder, &[], VectorScan::default())
    }

    /// Opens what is committed now, sharing what has not changed since, with what is known to be whole of it.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn reopen(&self) -> Result<Self, VectorFileError> {
        Self::open_with(&self.folder, &self.segments, self.scan)
    }

    fn open_with(folder: &Path, known: &[LiveSegment], scan: VectorScan) -> Result<Self, VectorFileError> {
        let known: HashMap<u64, &Arc<Segment>> =
            known.iter().map(|known| (known.segment.number(), &known.segment)).collect();
        let mut manifest = Manifest::read(folder)?;
        for _ in 0..LOOKS {
            let open = |entry: &Entry| {
                let known = known.get(&entry.number).copied().filter(|known| says(known, entry, &manifest));
                open_segment(folder, entry, &manifest, known)
            };
            match manifest.segments.iter().map(open).collect() {
                Ok(segments) => {
                    return Ok(Self { folder: folder.to_owned(), manifest: manifest.into(), segments, scan });
                }
                Err(error) => {
                    // A writer may have committed since and removed what it merged.
                    let now = Manifest::read(folder)?;
                    if now == manifest {
                        return Err(error);
                    }
                    manifest = now;
                }
            }
        }
        Err(VectorFileError::damaged(&Manifest::path(folder), "it names files that are not there"))
    }

    /// Sets which rows a search reads first.
    #[must_use]
    pub fn with_scan(mut self, scan: VectorScan) -> Self {
        self.scan = scan;
        self
    }

    /// The space of the vectors.
    #[must_use]
    pub fn space(&self) -> &VectorSpace {
        &self.manifest.space
    }

    /// The state of the store that they were written from.
    #[must_use]
    pub fn generation(&self) -> &VectorGeneration {
        &self.manifest.generation
    }

    /// Number of vectors.
    #[must_use]
    pub fn len(&self) -> usize {
        self.segments.iter().map(|live| live.segment.rows() - live.dead.len()).sum()
    }

    /// True when there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True when the files hold nothing but what counts, all in one.
    pub(crate) fn is_compact(&self) -> bool {
        self.segments.len() <= 1 && self.segments.iter().all(|live| live.dead.len() == 0)
    }

    pub(super) fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    pub(super) fn segments(&self) -> &[LiveSegment] {
        &self.segments
    }

    /// Reads and checks every byte.
    ///
    /// # Errors
    /// [`VectorFileError::Damaged`] for the first part that is not as it was written.
    pub fn check(&self) -> Result<(), VectorFileError> {
        self.segments.iter().try_for_each(|live| live.segment.check())
    }

    /// The `k` vectors nearest to the query among those that `keep` accepts, best first, equal ones by chunk id.
    /// Exact, and the same on every machine and number of threads.
    ///
    /// # Errors
    /// [`VectorFileError::Damaged`] when a part of a file that is needed is not as it was written, and
    /// [`VectorFileError::Vector`] when the query is of another dimension.
    pub fn find(
        &self,
        query: &Vector,
        k: usize,
        keep: Option<&KeepVector<'_>>,
    ) -> Result<Vec<VectorHit>, VectorFileError> {
        query.check(self.space().dimension())?;
        if k == 0 {
            return Ok(Vec::new());
        }
        let best = match self.scan {
            VectorScan::Codes if self.manifest.coded => self.by_codes(query, k, keep)?,
            _ => self.in_full(query, k, keep)?,
        };
        let hit = |(chunk, key), score| VectorHit { chunk, key, score };
        Ok(best.into_sorted().map(|best| hit(best.tie, best.score)).collect())
    }

    fn in_full(
        &self,
        query: &Vector,
        k: usize,
        keep: Option<&KeepVector<'_>>,
    ) -> Result<Best, VectorFileError> {
        let work = |top: &mut Best, &(live, block): &(&LiveSegment, usize)| {
            let head = live.segment.head(block)?;
            let floats = live.segment.floats(block)?;
            scan(floats, query.as_slice(), top, live.keeper(block, &head, keep), |row| head.name(row));
            Ok(())
        };
        fold(&self.blocks(), self.bytes(size_of::<f32>()), || Top::new(k), work, Top::merge)
    }

    fn by_codes<'s>(
        &'s self,
        query: &Vector,
        k: usize,
        keep: Option<&KeepVector<'_>>,
    ) -> Result<Best, VectorFileError> {
        let dimension = self.space().dimension().get();
        let in_codes = CodedQuery::new(query);
        let work = |list: &mut Shortlist<Place<'s>>, &(live, block): &(&'s LiveSegment, usize)| {
            let head = live.segment.head(block)?;
            let codes = live.segment.codes(block, &head)?;
            let place = |row| Place { segment: &live.segment, block, row };
            scan_codes(codes, &in_codes, dimension, list, live.keeper(block, &head, keep), place);
            Ok::<_, VectorFileError>(())
        };
        let list = fold(&self.blocks(), self.bytes(1), || Shortlist::new(k), work, Shortlist::merge)?;
        let places = list.into_places();
        let work = |top: &mut Best, place: &Place<'_>| {
            let (head, floats) = (place.segment.head(place.block)?, place.segment.floats(place.block)?);
            if let Some(name) = head.name(place.row)
                && let Some(values) = floats.chunks_exact(dimension).nth(place.row)
            {
                top.push(dot(values, query.as_slice()), name);
            }
            Ok(())
        };
        let bytes = places.len() * dimension * size_of::<f32>();
        fold(&places, bytes, || Top::new(k), work, Top::merge)
    }

    fn blocks(&self) -> Vec<(&LiveSegment, usize)> {
        let blocks = |live: &LiveSegment| 0..live.segment.layout().blocks();
        self.segments.iter().flat_map(|live| blocks(live).map(move |block| (live, block))).collect()
    }

    /// What a scan of that many bytes a number reads.
    fn bytes(&self, number: usize) -> usize {
        let rows: usize = self.segments.iter().map(|live| live.segment.rows()).sum();
        rows.saturating_mul(number * self.space().dimension().get())
    }
}

type Best = Top<(ChunkId, u64)>;

/// Where a row is.
#[derive(Debug, Clone, Copy)]
struct Place<'s> {
    segment: &'s Segment,
    block: usize,
    row: usize,
}

/// True when a segment is the one that a manifest means.
fn says(segment: &Segment, entry: &Entry, manifest: &Manifest) -> bool {
    let header = segment.header();
    header.rows == entry.rows
        && header.table == entry.table
        && header.dimension == manifest.space.dimension()
        && header.coded == manifest.coded
        && header.fingerprint == manifest.space.fingerprint()
}

fn open_segment(
    folder: &Path,
    entry: &Entry,
    manifest: &Manifest,
    known: Option<&Arc<Segment>>,
) -> Result<LiveSegment, VectorFileError> {
    let segment = match known {
        Some(segment) => Arc::clone(segment),
        None => Arc::new(Segment::open(folder, entry.number).map_err(|error| match error {
            VectorFileError::Io { source, path, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                VectorFileError::Damaged { path, what: "it is not there" }
            }
            error => error,
        })?),
    };
    if !says(&segment, entry, manifest) {
        return Err(VectorFileError::damaged(segment.path(), "it is not the file that was written"));
    }
    let dead = Dead::from_ranges(segment.rows(), &entry.dead);
    let dead = dead.ok_or_else(|| VectorFileError::damaged(&Manifest::path(folder), "its removed rows"))?;
    Ok(LiveSegment { segment, dead: dead.into() })
}

impl VectorSearch for VectorFiles {
    fn nearest(&self, query: &VectorQuery<'_>) -> Result<VectorOutcome, Error> {
        if let Some(mismatch) = self.space().mismatch(query.space) {
            return Ok(VectorOutcome::Off(mismatch.into()));
        }
        Ok(match self.find(query.vector, query.limit, query.keep) {
            Ok(_) if self.is_empty() => VectorOutcome::Off(VectorsOff::Missing),
            Ok(hits) => VectorOutcome::Found(hits),
            Err(error) => VectorOutcome::Off(VectorsOff::Unreadable { reason: error.to_string() }),
        })
    }
}
