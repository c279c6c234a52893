/// Rows of a segment that no longer count: a bit for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dead {
    bits: Vec<u64>,
    rows: usize,
    count: usize,
}

impl Dead {
    pub(super) fn none(rows: usize) -> Self {
        // Made when it is needed: most segments have none.
        Self { bits: Vec::new(), rows, count: 0 }
    }

    /// The number of rows that no longer count.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn contains(&self, row: usize) -> bool {
        self.bits.get(row / 64).is_some_and(|bits| bits & (1 << (row % 64)) != 0)
    }

    /// Marks a row of the segment.
    pub(super) fn insert(&mut self, row: usize) {
        if row >= self.rows || self.contains(row) {
            return;
        }
        self.bits.resize(self.rows.div_ceil(64), 0);
        if let Some(bits) = self.bits.get_mut(row / 64) {
            *bits |= 1 << (row % 64);
            self.count += 1;
        }
    }

    /// First and after-last rows of each run, in order.
    pub(super) fn ranges(&self) -> Vec<(usize, usize)> {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for row in (0..self.rows).filter(|row| self.contains(*row)) {
            match ranges.last_mut() {
                Some((_, end)) if *end == row => *end += 1,
                _ => ranges.push((row, row + 1)),
            }
        }
        ranges
    }

    /// What [`ranges`](Self::ranges) gave; `None` for anything else.
    pub(super) fn from_ranges(rows: usize, ranges: &[(usize, usize)]) -> Option<Self> {
        let mut dead = Self::none(rows);
        let mut last = 0;
        for (start, end) in ranges {
            if *start < last || end <= start || *end > rows {
                return None;
            }
            (*start..*end).for_each(|row| dead.insert(row));
            last = *end;
        }
        Some(dead)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_marked_comes_back_from_its_ranges(rows in 1_usize..300, marked in prop::collection::btree_set(0_usize..320, 0..80)) {
            let mut dead = Dead::none(rows);
            for row in &marked {
                dead.insert(*row);
                dead.insert(*row);
            }
            let marked: Vec<usize> = marked.into_iter().filter(|row| *row < rows).collect();
            prop_assert_eq!((0..400).filter(|row| dead.contains(*row)).collect::<Vec<_>>(), marked.clone());
            prop_assert_eq!(dead.len(), marked.len());
            let back = Dead::from_ranges(rows, &dead.ranges());
            prop_assert_eq!(back, Some(dead));
        }
    }

    #[test]
    fn ranges_that_nobody_wrote_are_refused() {
        for ranges in [&[(2, 2)][..], &[(3, 2)], &[(0, 11)], &[(0, 3), (2, 4)], &[(5, 6), (1, 2)]] {
            assert_eq!(Dead::from_ranges(10, ranges), None, "{ranges:?}");
        }
    }
}
