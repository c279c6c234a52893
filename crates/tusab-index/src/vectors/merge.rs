//! Which segments to write together as one.

/// The rows of a segment, and how many of them are still here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) rows: usize,
    pub(super) live: usize,
}

/// The numbers of the segments to merge into one; none or more than one, or one that is mostly dead.
///
/// Afterwards each segment has more live rows than all smaller ones together and at most half of its rows dead. So
/// `n` rows are in at most `log2(n) + 1` segments, and a row is written again only when its segment doubles or the
/// half of it has died: each row about `log2(n)` times in all.
pub(super) fn plan(sizes: &[Size]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    let live = |segment: &usize| sizes.get(*segment).map_or(0, |size| size.live);
    let wasteful =
        |segment: &usize| sizes.get(*segment).is_some_and(|size| size.rows - size.live > size.live);
    order.sort_by_key(|segment| (live(segment), *segment));
    // How many of the smallest to merge, and what they come to: growing while the next is no larger than that.
    let (mut merged, mut smaller) = (0, 0);
    for (place, segment) in order.iter().enumerate() {
        if place > 0 && live(segment) <= smaller {
            merged = place + 1;
        }
        smaller += live(segment);
    }
    let (small, large) = order.split_at_checked(merged).unwrap_or((&order, &[]));
    let mut chosen: Vec<usize> = small.to_vec();
    chosen.extend(large.iter().filter(|segment| wasteful(segment)));
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn live(live: usize) -> Size {
        Size { rows: live, live }
    }

    #[test]
    fn small_ones_are_gathered_and_large_ones_left() {
        assert_eq!(plan(&[]), [0; 0]);
        assert_eq!(plan(&[live(5)]), [0; 0]);
        assert_eq!(plan(&[live(1_000), live(10)]), [0; 0]);
        assert_eq!(plan(&[live(1_000), live(10), live(10)]), [1, 2]);
        assert_eq!(plan(&[live(10), live(1_000), live(10), live(15)]), [0, 2, 3]);
        assert_eq!(plan(&[Size { rows: 1_000, live: 400 }, live(10)]), [0]);
    }

    /// Merges as the writer does.
    fn apply(sizes: &mut Vec<Size>) -> usize {
        let chosen = plan(sizes);
        let total: usize = chosen.iter().map(|segment| sizes[*segment].live).sum();
        let mut number = 0;
        sizes.retain(|size| {
            number += 1;
            !chosen.contains(&(number - 1)) && size.live > 0
        });
        if total > 0 {
            sizes.push(live(total));
        }
        total
    }

    #[test]
    fn many_small_commits_stay_few_segments_and_cost_little() {
        let (mut sizes, mut written) = (Vec::new(), 0);
        for _ in 0..10_000 {
            sizes.push(live(1));
            written += 1 + apply(&mut sizes);
            assert!(sizes.len() <= 15, "{sizes:?}");
        }
        assert!(written < 10_000 * 15, "{written}");
    }

    proptest! {
        #[test]
        fn the_promise_holds_after_any_history(steps in prop::collection::vec((1_usize..5_000, 0_usize..100), 1..60)) {
            let mut sizes: Vec<Size> = Vec::new();
            for (added, dying) in steps {
                for size in &mut sizes {
                    size.live -= size.live * dying / 100;
                }
                sizes.push(live(added));
                apply(&mut sizes);
                let mut order: Vec<usize> = sizes.iter().map(|size| size.live).collect();
                order.sort_unstable();
                let mut smaller = 0;
                for size in order {
                    prop_assert!(size > smaller, "{sizes:?}");
                    smaller += size;
                }
                prop_assert!(sizes.iter().all(|size| size.rows - size.live <= size.live));
            }
        }
    }
}
