//! Files: any history of commits against a map in memory.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tusab_chunk::ChunkId;
use tusab_index::{Vector, VectorFiles, VectorHit, VectorWriter};

use crate::material::{Random, assert_finds, expected, generation, id, names, segments, space, write};

#[derive(Debug, Clone)]
enum Step {
    Add(Vec<u64>),
    Remove(Vec<u64>),
    Commit,
    /// The writer dies and another one goes on.
    Die,
}

fn step() -> impl Strategy<Value = Step> {
    let keys = prop::collection::vec(0_u64..120, 1..40);
    prop_oneof![
        3 => keys.clone().prop_map(Step::Add),
        2 => keys.prop_map(Step::Remove),
        4 => Just(Step::Commit),
        1 => Just(Step::Die),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn files_say_what_was_committed_last(seed: u64, coded: bool, dimension in 1_usize..40, steps in prop::collection::vec(step(), 1..40)) {
        let mut random = Random(seed);
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("vectors");
        let (mut now, mut committed, mut number) = (BTreeMap::new(), BTreeMap::new(), 1);
        let mut writer = VectorWriter::create(&folder, space(dimension), coded).unwrap();
        writer.commit(generation(number)).unwrap();
        let mut files = VectorFiles::open(&folder).unwrap();
        for step in steps {
            let query = random.vector(dimension);
            let before = files.find(&query, 5, None).unwrap();
            match step {
                Step::Add(keys) => for key in keys {
                    let vector = random.vector(dimension);
                    writer.add(key, &id(key), &vector).unwrap();
                    now.insert(key, vector);
                },
                Step::Remove(keys) => for key in keys {
                    writer.remove(key);
                    now.remove(&key);
                },
                Step::Commit => {
                    number += 1;
                    writer.commit(generation(number)).unwrap();
                    committed = now.clone();
                }
                Step::Die => {
                    drop(writer);
                    writer = VectorWriter::open(&folder).unwrap();
                    now = committed.clone();
                }
            }
            // An older state goes on being read while the files under it are merged away.
            prop_assert_eq!(before, files.find(&query, 5, None).unwrap());
            files = files.reopen().unwrap();
            prop_assert_eq!(files.generation(), &generation(number));
            for k in [0, 1, 12, 1_000] {
                assert_finds(&files, &committed, &query, k);
            }
            prop_assert!(segments(&folder) <= 8, "{:?}", names(&folder));
        }
        VectorFiles::open(&folder).unwrap().check().unwrap();
    }
}

#[test]
fn files_of_many_blocks_are_found_in_whole() {
    let mut random = Random(3);
    let folder = tempfile::tempdir().unwrap();
    let centres: Vec<Vector> = (0..5).map(|_| random.vector(768)).collect();
    let model: BTreeMap<u64, Vector> = (0..2_500_u64)
        .map(|key| {
            let centre = random.below(5);
            (key * 3 + 1, random.near(&centres[centre], 0.3))
        })
        .collect();
    for coded in [true, false] {
        write(folder.path(), coded, &model, 1);
        let files = VectorFiles::open(folder.path()).unwrap();
        for _ in 0..5 {
            assert_finds(&files, &model, &random.near(&centres[0], 0.3), 12);
        }
        // A filter is part of the search, by key and by id alike.
        let query = random.near(&centres[1], 0.3);
        let some: BTreeMap<u64, Vector> =
            model.iter().filter(|(key, _)| **key % 7 == 0).map(|(k, v)| (*k, v.clone())).collect();
        let expected: Vec<u64> = expected(&some, &query, 12).into_iter().map(|(key, _)| key).collect();
        let keys = |hits: Vec<VectorHit>| hits.iter().map(|hit| hit.key).collect::<Vec<_>>();
        assert_eq!(keys(files.find(&query, 12, Some(&|key, _| key % 7 == 0)).unwrap()), expected);
        let by_id = |_: u64, chunk: &ChunkId| some.keys().any(|key| id(*key) == *chunk);
        assert_eq!(keys(files.find(&query, 12, Some(&by_id)).unwrap()), expected);
    }
}
