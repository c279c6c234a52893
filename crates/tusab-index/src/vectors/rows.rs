use std::convert::Infallible;

use super::codes::{CodedQuery, encode};
use super::kernel::dot;
use super::scan::{CodedBlock, Shortlist, fold, scan, scan_codes};
use super::top::Top;
use super::vector::{Dimension, InvalidVector, Vector};

/// Bytes of rows that one thread scans at a time.
const BLOCK: usize = 1 << 20;

/// Says of a row, by its number, whether it may be found. Called from several threads, at most once for each row.
pub type KeepRow<'k> = dyn Fn(usize) -> bool + Sync + 'k;

/// A row that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RowHit {
    /// Number of the row, from 0.
    pub row: usize,
    /// Cosine with the query.
    pub score: f32,
}

/// Vectors in memory, one after another.
///
/// Each is to be of unit length, as [`Vector`] makes them; then scores are cosines. A row that holds NaN or infinity
/// is never found.
///
/// ```
/// use tusab_index::{Vector, VectorRows};
/// let rows = VectorRows::new(&[1.0, 0.0, 0.0, 1.0, 0.6, 0.8], 2)?;
/// let query = Vector::new(vec![1.0, 1.0])?;
/// let hits = rows.nearest(&query, 2, None)?;
/// assert_eq!(hits.iter().map(|hit| hit.row).collect::<Vec<_>>(), [2, 0]); // 0 and 1 are equal: the first one
/// # Ok::<(), tusab_index::InvalidVector>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct VectorRows<'r> {
    values: &'r [f32],
    dimension: Dimension,
}

impl<'r> VectorRows<'r> {
    /// Rows of `dimension` numbers each.
    ///
    /// # Errors
    /// When there is no such dimension, or the numbers do not make whole rows.
    pub fn new(values: &'r [f32], dimension: usize) -> Result<Self, InvalidVector> {
        let dimension = Dimension::new(dimension)?;
        match values.len() % dimension.get() {
            0 => Ok(Self { values, dimension }),
            found => Err(InvalidVector::Dimension { expected: dimension.get(), found }),
        }
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len() / self.dimension.get()
    }

    /// True when there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The `k` rows nearest to the query among those that `keep` accepts, best first, equal ones by number. Exact,
    /// and the same on every machine and number of threads.
    ///
    /// # Errors
    /// When the query is of another dimension.
    pub fn nearest(
        &self,
        query: &Vector,
        k: usize,
        keep: Option<&KeepRow<'_>>,
    ) -> Result<Vec<RowHit>, InvalidVector> {
        query.check(self.dimension)?;
        let rows = self.rows_per_block();
        let blocks: Vec<(usize, &[f32])> =
            (0..).step_by(rows).zip(self.values.chunks(rows * self.dimension.get())).collect();
        let best = fold(
            &blocks,
            size_of_val(self.values),
            || Top::new(k),
            |top, (first, values)| {
                scan(
                    values,
                    query.as_slice(),
                    top,
                    |row| keep.is_none_or(|keep| keep(first + row)),
                    |row| Some(first + row),
                );
                Ok::<_, Infallible>(())
            },
            Top::merge,
        );
        let Ok(best) = best;
        Ok(hits(best))
    }

    fn rows_per_block(&self) -> usize {
        (BLOCK / (size_of::<f32>() * self.dimension.get())).max(1)
    }

    fn row(&self, row: usize) -> Option<&'r [f32]> {
        let start = row.checked_mul(self.dimension.get())?;
        self.values.get(start..start.checked_add(self.dimension.get())?)
    }
}

fn hits(top: Top<usize>) -> Vec<RowHit> {
    top.into_sorted().map(|best| RowHit { row: best.tie, score: best.score }).collect()
}

/// Rows with one byte a number beside them, which are read instead: a quarter of the memory to go through, for the
/// same result, since every row that may be among the best is scored again exactly.
#[derive(Debug)]
pub struct CodedRows<'r> {
    rows: VectorRows<'r>,
    codes: Vec<u8>,
    scales: Vec<f32>,
    losses: Vec<f32>,
}

impl<'r> CodedRows<'r> {
    /// Codes rows.
    #[must_use]
    pub fn new(rows: VectorRows<'r>) -> Self {
        let (mut codes, mut scales, mut losses) = (Vec::new(), Vec::new(), Vec::new());
        for row in rows.values.chunks_exact(rows.dimension.get()) {
            let coding = encode(row, &mut codes);
            scales.push(coding.scale);
            losses.push(coding.loss);
        }
        Self { rows, codes, scales, losses }
    }

    /// As [`VectorRows::nearest`], with the same result.
    ///
    /// # Errors
    /// When the query is of another dimension.
    pub fn nearest(
        &self,
        query: &Vector,
        k: usize,
        keep: Option<&KeepRow<'_>>,
    ) -> Result<Vec<RowHit>, InvalidVector> {
        query.check(self.rows.dimension)?;
        let (dimension, rows) = (self.rows.dimension.get(), self.rows.rows_per_block());
        let codings = self.scales.chunks(rows).zip(self.losses.chunks(rows));
        let blocks: Vec<(usize, CodedBlock<'_>)> = (0..)
            .step_by(rows)
            .zip(self.codes.chunks(rows * dimension).zip(codings))
            .map(|(first, (codes, (scales, losses)))| (first, CodedBlock { codes, scales, losses }))
            .collect();
        let coded = CodedQuery::new(query);
        let list = fold(
            &blocks,
            self.codes.len(),
            || Shortlist::new(k),
            |list, (first, block)| {
                scan_codes(
                    *block,
                    &coded,
                    dimension,
                    list,
                    |row| keep.is_none_or(|keep| keep(first + row)),
                    |row| first + row,
                );
                Ok::<_, Infallible>(())
            },
            Shortlist::merge,
        );
        let Ok(list) = list;
        let places = list.into_places();
        let best = fold(
            &places,
            places.len() * dimension * size_of::<f32>(),
            || Top::new(k),
            |top, row| {
                if let Some(values) = self.rows.row(*row) {
                    top.push(dot(values, query.as_slice()), *row);
                }
                Ok::<_, Infallible>(())
            },
            Top::merge,
        );
        let Ok(best) = best;
        Ok(hits(best))
    }
}
