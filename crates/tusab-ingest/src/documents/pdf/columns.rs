//! The order in which the rows of a page are read: columns one after another, everything else from top to bottom.

use super::words::{Row, Word};

/// The narrowest gap between columns, in parts of the letters' height.
const GUTTER: f32 = 0.9;
/// The fewest rows that a column has on either side of the gap.
const FEWEST_ROWS: usize = 4;
/// How much of its width a column of text fills, and how many words a row of it has, at least; the cells of a table have
/// less. Columns inside a column leave much of it empty.
const FILLED: f32 = 0.35;
const FEWEST_WORDS: f32 = 3.0;
/// The most rows that are looked at as one block of columns: keeps the work linear.
const MOST_ROWS: usize = 400;
/// The most gaps between two rows that are tried, the widest ones.
const MOST_GAPS: usize = 4;
/// How many columns stand side by side, at most: as a power of two.
const DEEPEST: usize = 3;

/// The rows in reading order.
pub(super) fn in_order(rows: &[Row]) -> Vec<Row> {
    let mut ordered = Vec::with_capacity(rows.len());
    order(rows, DEEPEST, &mut ordered);
    ordered
}

fn order(rows: &[Row], depth: usize, ordered: &mut Vec<Row>) {
    let mut rest = rows;
    // Rows that are not tried: where a gap runs through many rows that are no columns, the next rows are none either.
    // Half of them are left out, so that the work stays linear.
    let mut untried = 0;
    while let Some((first, after)) = rest.split_first() {
        let block = if depth > 0 && untried == 0 { block(rest) } else { Block::None { rows: 2 * untried } };
        let (count, gutter) = match block {
            Block::Columns { rows, gutter } => (rows, gutter),
            Block::None { rows } => {
                untried = (rows / 2).saturating_sub(1);
                ordered.push(first.clone());
                rest = after;
                continue;
            }
        };
        let (block, after) = rest.split_at_checked(count).unwrap_or((rest, &[]));
        let (left, right): (Vec<Row>, Vec<Row>) = block
            .iter()
            .map(|row| row.iter().cloned().partition::<Row, _>(|word| word.left < gutter))
            .unzip();
        for mut side in [left, right] {
            side.retain(|row| !row.is_empty());
            order(&side, depth - 1, ordered);
        }
        rest = after;
    }
}

/// What starts at the first of some rows.
#[derive(Debug, Clone, Copy)]
enum Block {
    /// Columns, on either side of a place.
    Columns { rows: usize, gutter: f32 },
    /// A gap through some rows that parts no columns.
    None { rows: usize },
}

fn block(rows: &[Row]) -> Block {
    let head: Vec<&Word> = rows.iter().take(2).flatten().collect();
    let mut longest = Block::None { rows: 0 };
    for gap in gaps(&head) {
        longest = match (longest, extend(rows, gap)) {
            (Block::Columns { rows, .. }, Block::Columns { rows: other, .. }) if rows >= other => longest,
            (Block::None { rows }, Block::None { rows: other }) => Block::None { rows: rows.max(other) },
            (Block::Columns { .. }, Block::None { .. }) => longest,
            (_, columns) => columns,
        };
    }
    longest
}

/// The gaps between words side by side that are wide enough to part columns.
fn gaps(words: &[&Word]) -> Vec<(f32, f32)> {
    let mut words = words.to_vec();
    words.sort_by(|a, b| a.left.total_cmp(&b.left));
    let mut gaps = Vec::new();
    let mut right = f32::INFINITY;
    for word in words {
        if word.left - right >= GUTTER * word.size {
            gaps.push((right, word.left));
        }
        right = if right.is_finite() { right.max(word.right) } else { word.right };
    }
    gaps.sort_by(|a: &(f32, f32), b| (b.1 - b.0).total_cmp(&(a.1 - a.0)));
    gaps.truncate(MOST_GAPS);
    gaps
}

/// The rows that leave a gap open, and whether what it parts are columns.
fn extend(rows: &[Row], mut gap: (f32, f32)) -> Block {
    let mut count = 0;
    let mut sides = (Side::default(), Side::default());
    for row in rows.iter().take(MOST_ROWS) {
        let mut narrowed = gap;
        let mut widest = 0.0_f32;
        for word in row {
            if word.right > narrowed.0 && word.left < narrowed.1 {
                // It reaches into the gap from one side, or lies across it.
                let center = f32::midpoint(narrowed.0, narrowed.1);
                if word.right <= center {
                    narrowed.0 = word.right;
                } else if word.left >= center {
                    narrowed.1 = word.left;
                } else {
                    narrowed = (0.0, 0.0);
                }
            }
            widest = widest.max(word.size);
        }
        if narrowed.1 - narrowed.0 < GUTTER * widest {
            break;
        }
        gap = narrowed;
        count += 1;
        let center = f32::midpoint(gap.0, gap.1);
        sides.0.add(row.iter().filter(|word| word.left < center));
        sides.1.add(row.iter().filter(|word| word.left >= center));
    }
    if sides.0.is_column() && sides.1.is_column() {
        Block::Columns { rows: count, gutter: f32::midpoint(gap.0, gap.1) }
    } else {
        Block::None { rows: count }
    }
}

/// What stands on one side of a gap.
#[derive(Debug)]
struct Side {
    rows: usize,
    words: usize,
    /// The widths of all words, added up.
    filled: f32,
    left: f32,
    right: f32,
}

impl Default for Side {
    fn default() -> Self {
        Self { rows: 0, words: 0, filled: 0.0, left: f32::INFINITY, right: f32::NEG_INFINITY }
    }
}

impl Side {
    fn add<'w>(&mut self, words: impl Iterator<Item = &'w Word>) {
        let (mut left, mut right) = (f32::INFINITY, f32::NEG_INFINITY);
        for word in words {
            left = left.min(word.left);
            right = right.max(word.right);
            self.filled += (word.right - word.left).max(0.0);
            self.words += 1;
        }
        if left <= right {
            self.rows += 1;
            self.left = self.left.min(left);
            self.right = self.right.max(right);
        }
    }

    fn is_column(&self) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "a few hundred rows")]
        let (rows, words) = (self.rows as f32, self.words as f32);
        let whole = (self.right - self.left) * rows;
        self.rows >= FEWEST_ROWS && words >= FEWEST_WORDS * rows && self.filled >= FILLED * whole
    }
}
