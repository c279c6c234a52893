//! What every implementation of the seam must hold.

use tusab_chunk::ChunkId;
use tusab_index::{
    Dimension, SpaceMismatch, Vector, VectorFiles, VectorHit, VectorOutcome, VectorQuery, VectorScan,
    VectorSearch, VectorSpace, VectorWriter, VectorsOff,
};

use crate::material::{Random, generation, id, naive, space};

type Fill<'f> = dyn Fn(&VectorSpace, &[(u64, ChunkId, Vector)]) -> Box<dyn VectorSearch> + 'f;

/// What every implementation must hold; `fill` makes one that has just those vectors.
fn conformance(fill: &Fill<'_>) {
    the_nearest_come_first_and_ties_by_id(fill);
    a_limit_and_a_filter_hold(fill);
    other_spaces_are_an_outcome(fill);
}

fn found(search: &dyn VectorSearch, query: &VectorQuery<'_>) -> Vec<VectorHit> {
    match search.nearest(query).unwrap() {
        VectorOutcome::Found(hits) => hits,
        outcome => panic!("{outcome:?}"),
    }
}

fn the_nearest_come_first_and_ties_by_id(fill: &Fill<'_>) {
    let mut random = Random(21);
    let (space, repeated) = (space(32), random.vector(32));
    let mut vectors: Vec<(u64, ChunkId, Vector)> =
        (0..200).map(|key| (key, id(key), random.vector(32))).collect();
    vectors.extend((200..220).map(|key| (key, id(key), repeated.clone())));
    let search = fill(&space, &vectors);
    let hits = found(&*search, &VectorQuery::new(&space, &repeated).unwrap().with_limit(25));
    assert_eq!(hits.len(), 25);
    assert!(hits.iter().all(|hit| hit.score.is_finite() && hit.chunk == id(hit.key)));
    let mut equal: Vec<ChunkId> = (200..220).map(id).collect();
    equal.sort();
    assert_eq!(hits[..20].iter().map(|hit| hit.chunk).collect::<Vec<_>>(), equal);
    assert!(hits[..20].iter().all(|hit| (hit.score - 1.0).abs() < 1e-5));
    assert!(hits.is_sorted_by(|a, b| a.score > b.score || (a.score == b.score && a.chunk < b.chunk)));
    let model: Vec<Vector> = vectors.iter().map(|(_, _, vector)| vector.clone()).collect();
    let rest: Vec<u64> =
        naive(&model, &repeated).into_iter().skip(20).take(5).map(|(n, _)| vectors[n].0).collect();
    assert_eq!(hits[20..].iter().map(|hit| hit.key).collect::<Vec<_>>(), rest);
    let query = VectorQuery::new(&space, &model[3]).unwrap();
    assert_eq!(found(&*search, &query), found(&*search, &query));
    assert_eq!(found(&*search, &query).len(), VectorQuery::LIMIT);
}

fn a_limit_and_a_filter_hold(fill: &Fill<'_>) {
    let mut random = Random(22);
    let space = space(8);
    let vectors: Vec<(u64, ChunkId, Vector)> = (0..50).map(|key| (key, id(key), random.vector(8))).collect();
    let search = fill(&space, &vectors);
    let vector = random.vector(8);
    let query = VectorQuery::new(&space, &vector).unwrap();
    assert!(found(&*search, &query.with_limit(0)).is_empty());
    assert_eq!(found(&*search, &query.with_limit(usize::MAX)).len(), 50);
    let whole = found(&*search, &query.with_limit(50));
    let keep = |key: u64, chunk: &ChunkId| key.is_multiple_of(4) && *chunk == id(key);
    let some: Vec<VectorHit> = whole.iter().copied().filter(|hit| hit.key % 4 == 0).take(6).collect();
    assert_eq!(found(&*search, &query.with_limit(6).with_keep(&keep)), some);
    assert!(found(&*search, &query.with_keep(&|_, _| false)).is_empty());
}

fn other_spaces_are_an_outcome(fill: &Fill<'_>) {
    let mut random = Random(23);
    let (stored, vector) = (space(8), random.vector(8));
    let search = fill(&stored, &[(1, id(1), vector.clone())]);
    let off = |asked: &VectorSpace, vector: &Vector| match search
        .nearest(&VectorQuery::new(asked, vector).unwrap())
        .unwrap()
    {
        VectorOutcome::Off(reason) => reason,
        outcome => panic!("{outcome:?}"),
    };
    let other = |model: &str, dimension: usize| VectorSpace::new(model, Dimension::new(dimension).unwrap());
    let model = SpaceMismatch::Model { stored: "test-model".to_owned(), asked: "another".to_owned() };
    assert_eq!(off(&other("another", 8), &vector), model.into());
    let dimension = SpaceMismatch::Dimension { stored: 8, asked: 9 };
    assert_eq!(off(&other("test-model", 9), &random.vector(9)), dimension.into());
    assert_eq!(off(&other("test-model", 8), &vector), SpaceMismatch::Prefixes.into());
    assert!(VectorQuery::new(&stored, &random.vector(9)).is_err());
    let query = VectorQuery::new(&stored, &vector).unwrap();
    assert_eq!(fill(&stored, &[]).nearest(&query).unwrap(), VectorOutcome::Off(VectorsOff::Missing));
}

#[test]
fn files_conform() {
    for (coded, scan) in [(true, VectorScan::Codes), (true, VectorScan::Full), (false, VectorScan::Codes)] {
        let folder = tempfile::tempdir().unwrap();
        conformance(&|space, vectors| {
            let mut writer = VectorWriter::create(folder.path(), space.clone(), coded).unwrap();
            for (key, chunk, vector) in vectors {
                writer.add(*key, chunk, vector).unwrap();
            }
            writer.commit(generation(1)).unwrap();
            Box::new(VectorFiles::open(folder.path()).unwrap().with_scan(scan))
        });
    }
}
