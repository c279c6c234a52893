//! Rows in memory, in full and by codes.

use proptest::prelude::*;
use tusab_index::{CodedRows, RowHit, Vector, VectorRows};

use crate::material::{Random, assert_best, matrix, naive};

proptest! {
    #[test]
    fn rows_are_found_as_by_the_definition(seed: u64, dimension in 1_usize..80, rows in 0_usize..200, k in 0_usize..250) {
        let mut random = Random(seed);
        let vectors: Vec<Vector> = (0..rows).map(|_| random.vector(dimension)).collect();
        let query = random.vector(dimension);
        let kept = |row: usize| row % 3 != 1;
        let values = matrix(&vectors);
        let rows = VectorRows::new(&values, dimension).unwrap();
        let expected = naive(&vectors, &query);
        assert_best(&rows.nearest(&query, k, None).unwrap(), &expected, k);
        let expected: Vec<_> = expected.into_iter().filter(|(row, _)| kept(*row)).collect();
        assert_best(&rows.nearest(&query, k, Some(&kept)).unwrap(), &expected, k);
    }

    /// Few directions, so that most scores are equal.
    #[test]
    fn equal_scores_are_in_the_order_of_rows(picks in prop::collection::vec(0_usize..4, 0..120), k in 0_usize..130) {
        let directions = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.6, 0.8]];
        let scores = [0.6_f32, 0.8, -0.6, 0.6 * 0.6 + 0.8 * 0.8];
        let values: Vec<f32> = picks.iter().flat_map(|pick| directions[*pick]).collect();
        let query = Vector::new(vec![0.6, 0.8]).unwrap();
        let mut expected: Vec<(usize, f32)> = picks.iter().map(|pick| scores[*pick]).enumerate().collect();
        expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let expected: Vec<usize> = expected.into_iter().take(k).map(|(row, _)| row).collect();
        let rows = VectorRows::new(&values, 2).unwrap();
        let found = |hits: Vec<RowHit>| hits.iter().map(|hit| hit.row).collect::<Vec<_>>();
        prop_assert_eq!(found(rows.nearest(&query, k, None).unwrap()), expected.clone());
        prop_assert_eq!(found(CodedRows::new(rows).nearest(&query, k, None).unwrap()), expected);
    }

    /// The promise of the codes: not nearly the same result, the same one to the last bit.
    #[test]
    fn codes_give_the_exact_result(
        seed: u64,
        dimension in 1_usize..300,
        rows in 0_usize..400,
        clusters in 1_usize..6,
        away in prop::sample::select(vec![0.0, 1e-6, 1e-3, 0.05, 0.3, 3.0]),
        k in 0_usize..40,
    ) {
        let mut random = Random(seed);
        let centres: Vec<Vector> = (0..clusters).map(|_| random.vector(dimension)).collect();
        let near = |random: &mut Random| { let centre = random.below(clusters); random.near(&centres[centre], away) };
        let vectors: Vec<Vector> = (0..rows).map(|_| near(&mut random)).collect();
        let query = near(&mut random);
        let kept = |row: usize| row % 5 != 2;
        let values = matrix(&vectors);
        let rows = VectorRows::new(&values, dimension).unwrap();
        prop_assert_eq!(
            CodedRows::new(rows).nearest(&query, k, Some(&kept)).unwrap(),
            rows.nearest(&query, k, Some(&kept)).unwrap()
        );
    }

    /// Rows that no `Vector` is made of: whatever is in memory, both scans agree and nothing else is found.
    #[test]
    fn rows_of_any_numbers_do_no_harm(values in prop::collection::vec(any::<f32>(), 0..160), query in prop::collection::vec(-1.0_f32..1.0, 4)) {
        let Ok(query) = Vector::new(query) else { return Ok(()) };
        let rows = VectorRows::new(&values[..values.len() / 4 * 4], 4).unwrap();
        let hits = rows.nearest(&query, 9, None).unwrap();
        prop_assert!(hits.iter().all(|hit| hit.score.is_finite()));
        prop_assert_eq!(CodedRows::new(rows).nearest(&query, 9, None).unwrap(), hits);
    }
}

/// 768 numbers, many rows, both shapes of data: what a pool of 12 recalls.
#[test]
fn codes_recall_everything_on_random_and_clustered_data() {
    let mut random = Random(7);
    for clustered in [false, true] {
        let centres: Vec<Vector> = (0..20).map(|_| random.vector(768)).collect();
        let one = |random: &mut Random| {
            let centre = random.below(20);
            if clustered { random.near(&centres[centre], 0.4) } else { random.vector(768) }
        };
        let vectors: Vec<Vector> = (0..1_500).map(|_| one(&mut random)).collect();
        let values = matrix(&vectors);
        let rows = VectorRows::new(&values, 768).unwrap();
        let coded = CodedRows::new(rows);
        for _ in 0..6 {
            let query = one(&mut random);
            let exact = rows.nearest(&query, 12, None).unwrap();
            assert_best(&exact, &naive(&vectors, &query), 12);
            assert_eq!(coded.nearest(&query, 12, None).unwrap(), exact);
        }
    }
}

#[test]
fn the_number_of_threads_makes_no_difference() {
    // Enough bytes for several threads, and only eight directions, so that ties are everywhere.
    let mut random = Random(11);
    let directions: Vec<Vector> = (0..8).map(|_| random.vector(64)).collect();
    let vectors: Vec<Vector> = (0..80_000).map(|_| directions[random.below(8)].clone()).collect();
    let values = matrix(&vectors);
    let rows = VectorRows::new(&values, 64).unwrap();
    let coded = CodedRows::new(rows);
    let query = random.vector(64);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| (rows.nearest(&query, 500, None).unwrap(), coded.nearest(&query, 500, None).unwrap()))
    };
    let (exact, by_codes) = with(1);
    assert!(exact.is_sorted_by(|a, b| a.score > b.score || a.row < b.row));
    assert_eq!(by_codes, exact);
    for threads in [2, 3, 8] {
        assert_eq!(with(threads), (exact.clone(), exact.clone()), "{threads} threads");
    }
}
