//! Readers beside a writer.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use tusab_index::{VectorFiles, VectorWriter};

use crate::material::{Random, assert_finds, generation, id, space, write};

/// At state `g` each of the 40 keys has the vector that state wrote: a reader that mixed two states would show it.
#[test]
fn readers_see_whole_states_while_a_writer_commits() {
    let folder = tempfile::tempdir().unwrap();
    let vector = |state: u64, key: u64| Random(state * 1_000 + key).vector(16);
    let model = |state: u64| (0..40).map(|key| (key, vector(state, key))).collect::<BTreeMap<_, _>>();
    write(folder.path(), true, &model(0), 0);
    let done = AtomicBool::new(false);
    let query = Random(1).vector(16);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..4)
            .map(|reader| {
                let (folder, done, query) = (folder.path(), &done, &query);
                scope.spawn(move || {
                    let mut files = VectorFiles::open(folder).unwrap();
                    let (mut last, mut states) = (0, 0);
                    while !done.load(Ordering::Relaxed) {
                        // Half of them share what they know, half begin anew.
                        files =
                            if reader % 2 == 0 { files.reopen() } else { VectorFiles::open(folder) }.unwrap();
                        let state = files.generation().number;
                        assert!(state >= last, "{state} after {last}");
                        states += u64::from(state > last);
                        last = state;
                        assert_finds(&files, &model(state), query, 40);
                    }
                    states
                })
            })
            .collect();
        let mut writer = VectorWriter::open(folder.path()).unwrap();
        for state in 1..=150 {
            // Some by a new set, as after a change of model.
            if state % 25 == 0 {
                writer = VectorWriter::create(folder.path(), space(16), true).unwrap();
            }
            for (key, vector) in model(state) {
                writer.add(key, &id(key), &vector).unwrap();
            }
            writer.commit(generation(state)).unwrap();
        }
        done.store(true, Ordering::Relaxed);
        let states: u64 = readers.into_iter().map(|reader| reader.join().unwrap()).sum();
        assert!(states > 4, "the readers saw {states} new states");
    });
}
