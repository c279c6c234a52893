//! Fusion of rankings: by hand, and what holds for any lists.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]
#![allow(clippy::float_cmp, reason = "equal scores are equal to the last bit")]

use std::collections::BTreeSet;

use proptest::prelude::*;
use tusab_index::{Fusion, Ranking};

fn fuse(fusion: Fusion, lists: &[(&[(char, f32)], f32)]) -> Vec<(char, f64)> {
    let rankings: Vec<_> =
        lists.iter().map(|(entries, weight)| Ranking::new(entries).with_weight(*weight)).collect();
    fusion.fuse(&rankings)
}

fn assert_fused(fused: &[(char, f64)], expected: &[(char, f64)]) {
    let near = |(a, b): (&(char, f64), &(char, f64))| a.0 == b.0 && (a.1 - b.1).abs() < 1e-12;
    assert!(fused.len() == expected.len() && fused.iter().zip(expected).all(near), "{fused:?} {expected:?}");
}

#[test]
fn reciprocal_rank_is_that_of_the_paper() {
    let (words, meaning) = ([('a', 9.0), ('b', 2.0), ('c', 1.0)], [('c', 0.9), ('d', 0.8)]);
    let fused = fuse(Fusion::default(), &[(&words, 1.0), (&meaning, 1.0)]);
    let expected = [('c', 1.0 / 63.0 + 1.0 / 61.0), ('a', 1.0 / 61.0), ('b', 1.0 / 62.0), ('d', 1.0 / 62.0)];
    assert_fused(&fused, &expected);
    let fused = fuse(Fusion::ReciprocalRank { k: 0 }, &[(&words, 2.0), (&meaning, 0.5)]);
    assert_fused(&fused, &[('a', 2.0), ('c', 2.0 / 3.0 + 0.5), ('b', 1.0), ('d', 0.25)]);
}

#[test]
fn normalized_sums_use_the_whole_range_of_each_list() {
    let (words, meaning) = ([('a', 10.0), ('b', 4.0), ('c', 0.0)], [('c', 0.5), ('a', 0.25)]);
    let fused = fuse(Fusion::NormalizedSum, &[(&words, 1.0), (&meaning, 2.0)]);
    assert_fused(&fused, &[('c', 2.0), ('a', 1.0), ('b', 0.4)]);
    // One entry, or equal ones, are all the best of their list.
    assert_fused(&fuse(Fusion::NormalizedSum, &[(&[('x', 3.0)], 0.5)]), &[('x', 0.5)]);
    assert_fused(
        &fuse(Fusion::NormalizedSum, &[(&[('y', -3.0), ('x', -3.0)], 1.0)]),
        &[('x', 1.0), ('y', 1.0)],
    );
}

#[test]
fn odd_lists_do_no_harm() {
    for fusion in [Fusion::default(), Fusion::NormalizedSum] {
        assert_eq!(fuse(fusion, &[]), []);
        assert_eq!(fuse(fusion, &[(&[], 1.0), (&[], 1.0)]), []);
        // Twice in a list: the first place counts.
        let once = fuse(fusion, &[(&[('a', 2.0), ('b', 1.0), ('c', 0.0)], 1.0)]);
        let twice = fuse(fusion, &[(&[('a', 2.0), ('b', 1.0), ('c', 0.0), ('a', 0.0)], 1.0)]);
        assert_eq!(once, twice);
        // Weights that make no sense count as none.
        for weight in [f32::NAN, f32::INFINITY, -1.0, 0.0] {
            let fused = fuse(fusion, &[(&[('b', 1.0)], 1.0), (&[('a', 1.0), ('b', 0.5)], weight)]);
            assert_eq!(fused.iter().map(|(entry, _)| *entry).collect::<Vec<_>>(), ['b', 'a']);
            assert!(fused[1].1.abs() < f64::EPSILON);
        }
    }
    let fused = fuse(
        Fusion::NormalizedSum,
        &[(&[('a', f32::NAN), ('b', 1.0), ('c', f32::INFINITY), ('d', 0.5)], 1.0)],
    );
    assert_fused(&fused, &[('b', 1.0), ('a', 0.0), ('c', 0.0), ('d', 0.0)]);
    let huge = fuse(Fusion::NormalizedSum, &[(&[('a', f32::MAX), ('b', 0.0), ('c', f32::MIN)], f32::MAX)]);
    assert!(huge.iter().all(|(_, score)| score.is_finite()));
}

fn lists() -> impl Strategy<Value = Vec<(Vec<(u8, f32)>, f32)>> {
    let score = prop_oneof![5 => -10.0_f32..10.0, 1 => any::<f32>()];
    prop::collection::vec((prop::collection::vec((0_u8..30, score), 0..25), 0.0_f32..4.0), 0..5)
}

fn rankings(lists: &[(Vec<(u8, f32)>, f32)]) -> Vec<Ranking<'_, u8>> {
    lists.iter().map(|(entries, weight)| Ranking::new(entries).with_weight(*weight)).collect()
}

proptest! {
    #[test]
    fn every_entry_once_ordered_and_finite(lists in lists()) {
        for fusion in [Fusion::default(), Fusion::ReciprocalRank { k: 0 }, Fusion::NormalizedSum] {
            let fused = fusion.fuse(&rankings(&lists));
            prop_assert!(fused.is_sorted_by(|a, b| a.1 > b.1 || (a.1 == b.1 && a.0 < b.0)), "{:?}", fused);
            prop_assert!(fused.iter().all(|(_, score)| score.is_finite() && *score >= 0.0));
            let given: BTreeSet<u8> = lists.iter().flat_map(|(list, _)| list).map(|(entry, _)| *entry).collect();
            prop_assert_eq!(fused.iter().map(|(entry, _)| *entry).collect::<BTreeSet<_>>(), given);
        }
    }

    #[test]
    fn the_order_of_the_lists_makes_no_difference(lists in lists(), turn in 0_usize..5) {
        let mut turned = lists.clone();
        if !turned.is_empty() {
            let by = turn % turned.len();
            turned.rotate_left(by);
        }
        for fusion in [Fusion::default(), Fusion::NormalizedSum] {
            prop_assert_eq!(fusion.fuse(&rankings(&lists)), fusion.fuse(&rankings(&turned)));
        }
    }

    #[test]
    fn moving_up_in_a_list_never_hurts(list in prop::collection::btree_set(0_u8..30, 2..20), other in prop::collection::vec(0_u8..30, 0..20), at in 1_usize..20) {
        let entries: Vec<(u8, f32)> = list.into_iter().map(|entry| (entry, 0.0)).collect();
        let other: Vec<(u8, f32)> = other.into_iter().map(|entry| (entry, 0.0)).collect();
        let at = at % (entries.len() - 1) + 1;
        let place = |list: &[(u8, f32)]| {
            let fused = Fusion::default().fuse(&[Ranking::new(list), Ranking::new(&other)]);
            fused.iter().position(|(entry, _)| *entry == entries[at].0).unwrap()
        };
        let mut moved = entries.clone();
        moved.swap(at - 1, at);
        let (before, after) = (place(&entries), place(&moved));
        prop_assert!(after <= before, "{} {}", before, after);
    }
}
