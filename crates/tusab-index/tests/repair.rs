//! What opening mends, and who may write.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod common;

use std::fs;
use std::path::Path;
use std::sync::mpsc;

use common::{SAMPLE, batch, ids};
use tusab_index::{Batch, ChunkStore, Control, Error, Index, Opened, Query, Repair, Retriever};

fn open(dir: &Path) -> (Index, Vec<Repair>) {
    let Opened { index, repairs, .. } = Index::open(dir).unwrap();
    (index, repairs)
}

fn found(index: &Index, text: &str) -> Vec<String> {
    ids(&index.retrieve(&Query::new(text).with_duplicates()).unwrap().hits)
        .into_iter()
        .map(str::to_owned)
        .collect()
}

fn copy_dir(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[test]
fn a_clean_end_needs_no_repair() {
    let dir = tempfile::tempdir().unwrap();
    let (index, repairs) = open(dir.path());
    assert_eq!(repairs, []);
    index.apply(&batch(&SAMPLE), Control::default()).unwrap();
    drop(index);
    assert_eq!(open(dir.path()).1, []);
}

/// As after a crash between the commit of the store and that of the BM25 index.
#[test]
fn a_bm25_index_that_is_behind_is_caught_up() {
    let dir = tempfile::tempdir().unwrap();
    let saved = tempfile::tempdir().unwrap();
    let bm25 = dir.path().join("bm25");
    let (index, _) = open(dir.path());
    index.apply(&batch(&SAMPLE), Control::default()).unwrap();
    index.release_writer();
    copy_dir(&bm25, saved.path());
    let mut second =
        batch(&[("text:n", "Nova", "pitanga madura"), ("file:lei", "Lei nova", "outro assunto: licitação")]);
    second.delete("file:bolo".parse().unwrap());
    index.apply(&second, Control::default()).unwrap();
    drop(index);
    fs::remove_dir_all(&bm25).unwrap();
    copy_dir(saved.path(), &bm25);

    let (index, repairs) = open(dir.path());
    assert_eq!(repairs, [Repair::CaughtUp { documents: 3 }]);
    assert_eq!(found(&index, "pitanga"), ["text:n"]);
    assert_eq!(found(&index, "licitação"), ["file:lei"]);
    assert!(found(&index, "informação").is_empty());
    assert!(found(&index, "fubá").is_empty());
    assert_eq!(found(&index, "juros"), ["file:juros"]);
    drop(index);
    assert_eq!(open(dir.path()).1, []);
}

#[test]
fn a_missing_or_broken_bm25_index_is_made_again() {
    let damages: [fn(&Path); 4] = [
        |bm25| fs::remove_dir_all(bm25).unwrap(),
        |bm25| fs::write(bm25.join("meta.json"), "{").unwrap(),
        |bm25| fs::remove_file(bm25.join("meta.json")).unwrap(),
        |bm25| {
            for entry in fs::read_dir(bm25).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_some_and(|extension| extension == "term") {
                    fs::remove_file(path).unwrap();
                }
            }
        },
    ];
    for (number, damage) in damages.iter().enumerate() {
        let dir = tempfile::tempdir().unwrap();
        let (index, _) = open(dir.path());
        index.apply(&batch(&SAMPLE), Control::default()).unwrap();
        drop(index);
        damage(&dir.path().join("bm25"));
        let (index, repairs) = open(dir.path());
        assert!(matches!(repairs[..], [Repair::Rebuilt { documents: 5, .. }]), "{number}: {repairs:?}");
        assert_eq!(found(&index, "informacao"), ["file:lei"], "{number}");
        drop(index);
        assert_eq!(open(dir.path()).1, [], "{number}");
    }
}

/// A chunk that BM25 does not know is still found by its literal words.
#[test]
fn the_literal_search_does_not_lean_on_bm25() {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = open(dir.path());
    index.apply(&batch(&SAMPLE), Control::default()).unwrap();
    drop(index);
    // An empty BM25 index that claims to be up to date with this store.
    let bm25 = dir.path().join("bm25");
    let meta: serde_json::Value = serde_json::from_slice(&fs::read(bm25.join("meta.json")).unwrap()).unwrap();
    let mut empty = meta.clone();
    empty["segments"] = serde_json::json!([]);
    fs::write(bm25.join("meta.json"), empty.to_string()).unwrap();
    let (index, repairs) = open(dir.path());
    assert_eq!(repairs, []);
    assert_eq!(found(&index, "fubá"), ["file:bolo"]);
    assert_eq!(found(&index, "juros rendem"), ["file:juros"]);
}

#[test]
fn a_store_of_a_later_version_is_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()));
    let path = dir.path().join("store.sqlite");
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let error = Index::open(dir.path()).unwrap_err();
    assert!(matches!(error, Error::NewerFormat { found: 99, .. }), "{error}");
    assert!(path.exists());
}

#[test]
fn a_damaged_store_is_an_error_that_names_it_and_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.sqlite");
    fs::write(&path, "this is not a database, but it was somebody's").unwrap();
    let error = Index::open(dir.path()).unwrap_err();
    assert!(error.to_string().contains("store.sqlite"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "this is not a database, but it was somebody's");
}

#[test]
fn one_writer_and_any_number_of_readers() {
    let dir = tempfile::tempdir().unwrap();
    let (writer, _) = open(dir.path());
    writer.apply(&batch(&SAMPLE), Control::default()).unwrap();
    let (reader, repairs) = open(dir.path());
    assert_eq!(repairs, []);
    assert_eq!(found(&reader, "fubá"), ["file:bolo"]);
    let more = batch(&[("text:m", "Mais", "graviola")]);
    let error = reader.apply(&more, Control::default()).unwrap_err();
    assert!(error.is_locked());
    assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
    // What the writer adds, the reader finds; and when the writer lets go, the other may write.
    writer.apply(&more, Control::default()).unwrap();
    assert_eq!(found(&reader, "graviola"), ["text:m"]);
    writer.release_writer();
    reader.apply(&batch(&[("text:p", "Própria", "umbu")]), Control::default()).unwrap();
    assert_eq!(found(&writer, "umbu"), ["text:p"]);
}

#[test]
fn a_search_goes_on_while_a_batch_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = open(dir.path());
    index.apply(&batch(&SAMPLE), Control::default()).unwrap();
    let seen = std::cell::RefCell::new(Vec::new());
    // The handler searches, and even begins a batch: the search answers, the batch is refused, nothing hangs.
    let progress = |_, _| {
        seen.borrow_mut().push(found(&index, "fubá"));
        let nested = index.apply(&batch(&[("text:x", "x", "x")]), Control::default());
        assert!(matches!(nested, Err(Error::Reentrant)));
    };
    let mut change = Batch::new();
    change.delete("file:bolo".parse().unwrap());
    index.apply(&change, Control { progress: &progress, ..Control::default() }).unwrap();
    assert_eq!(*seen.borrow(), [["file:bolo"]]);
    assert!(found(&index, "fubá").is_empty());
}

/// A document that is being written again is found all the while, in its old form or its new one.
#[test]
fn an_update_never_hides_a_document() {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = open(dir.path());
    let (other, _) = open(dir.path());
    let filling = "umbu ".repeat(30);
    let version = |n: usize| format!("{filling} cambuci versão {n}");
    index
        .apply(&batch(&[("text:d", "D", &version(0)), ("text:e", "E", &filling)]), Control::default())
        .unwrap();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for reader in [&index, &other] {
            let done = &done;
            scope.spawn(move || {
                let mut searches = 0;
                while !done.load(std::sync::atomic::Ordering::Acquire) || searches < 20 {
                    assert_eq!(found(reader, "cambuci"), ["text:d"], "search {searches}");
                    // A frequent word: only the ranking can find it, not the literal search.
                    assert_eq!(found(reader, "umbu").len(), 2, "search {searches}");
                    searches += 1;
                }
            });
        }
        for n in 1..40 {
            index.apply(&batch(&[("text:d", "D", &version(n))]), Control::default()).unwrap();
        }
        done.store(true, std::sync::atomic::Ordering::Release);
    });
    assert_eq!(index.statistics().unwrap().chunks, 2);
    index.release_writer();
    // What was replaced has been swept away.
    let rows: i64 = rusqlite::Connection::open(dir.path().join("store.sqlite"))
        .unwrap()
        .query_row("SELECT (SELECT count(*) FROM chunks) + (SELECT count(*) FROM literal)", (), |row| {
            row.get(0)
        })
        .unwrap();
    assert_eq!(rows, 4);
}

#[test]
fn a_flipped_byte_in_the_bm25_index_is_noticed_at_open() {
    let files = |bm25: &Path| {
        let all = fs::read_dir(bm25).unwrap().map(|entry| entry.unwrap().path());
        let mut segments: Vec<_> =
            all.filter(|path| path.file_stem().is_some_and(|stem| stem.len() == 32)).collect();
        segments.sort();
        segments
    };
    let kinds = {
        let dir = tempfile::tempdir().unwrap();
        let (index, _) = open(dir.path());
        index.apply(&batch(&SAMPLE), Control::default()).unwrap();
        files(&dir.path().join("bm25")).len()
    };
    assert!(kinds >= 5);
    for kind in 0..kinds {
        let dir = tempfile::tempdir().unwrap();
        let (index, _) = open(dir.path());
        index.apply(&batch(&SAMPLE), Control::default()).unwrap();
        drop(index);
        let path = files(&dir.path().join("bm25")).remove(kind);
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 4;
        bytes[middle] ^= 0x55;
        fs::write(&path, bytes).unwrap();
        let (index, repairs) = open(dir.path());
        assert!(matches!(repairs[..], [Repair::Rebuilt { documents: 5, .. }]), "{path:?}: {repairs:?}");
        assert_eq!(found(&index, "informacao"), ["file:lei"], "{path:?}");
    }
}

#[test]
fn a_bm25_index_of_another_store_is_made_again() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for (dir, word) in [(&one, "umbu"), (&two, "cajá")] {
        let (index, _) = open(dir.path());
        index.apply(&batch(&[("text:a", "A", word), ("text:b", "B", word)]), Control::default()).unwrap();
    }
    let bm25 = |dir: &tempfile::TempDir| dir.path().join("bm25");
    fs::remove_dir_all(bm25(&one)).unwrap();
    copy_dir(&bm25(&two), &bm25(&one));
    let (index, repairs) = open(one.path());
    assert!(matches!(repairs[..], [Repair::Rebuilt { documents: 2, .. }]), "{repairs:?}");
    let hits = index.retrieve(&Query::new("umbu").with_duplicates()).unwrap().hits;
    assert!(hits.len() == 2 && hits.iter().all(|hit| hit.explain.bm25_rank.is_some()));
}

#[test]
fn many_open_at_once_and_all_find() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    std::thread::scope(|scope| {
        for n in 0..6 {
            scope.spawn(move || {
                let (index, _) = open(path);
                let id = format!("text:{n}");
                let batch = batch(&[(&id, "T", "pitomba")]);
                // A busy machine may need longer for the five before than a writer has patience.
                let mut applied = index.apply(&batch, Control::default());
                while matches!(applied, Err(Error::Locked { .. })) {
                    applied = index.apply(&batch, Control::default());
                }
                applied.unwrap();
                index.release_writer();
                assert!(found(&index, "pitomba").contains(&id));
            });
        }
    });
    assert_eq!(found(&open(path).0, "pitomba").len(), 6);
}

/// A thread that waits behind a batch which is stopped goes on with its own.
#[test]
fn a_stopped_batch_lets_the_next_one_write() {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = open(dir.path());
    for round in 0..10 {
        std::thread::scope(|scope| {
            let (started, start) = mpsc::channel();
            let (first, started) = (&index, started);
            scope.spawn(move || {
                let stop = || started.send(()).is_ok();
                let two = batch(&[("text:s", "S", "x")]);
                assert!(
                    first
                        .apply(&two, Control { stop: &stop, ..Control::default() })
                        .unwrap_err()
                        .is_stopped()
                );
            });
            start.recv().unwrap();
            let id = format!("text:{round}");
            index.apply(&batch(&[(&id, "T", "araticum")]), Control::default()).unwrap();
        });
    }
    assert_eq!(index.statistics().unwrap().documents, 10);
}

#[test]
fn a_writer_that_is_released_during_a_batch_goes_when_it_ends() {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = open(dir.path());
    let progress = |_, _| index.release_writer();
    index.apply(&batch(&SAMPLE), Control { progress: &progress, ..Control::default() }).unwrap();
    let (other, _) = open(dir.path());
    other.apply(&batch(&[("text:o", "O", "umbu")]), Control::default()).unwrap();
    assert_eq!(found(&index, "umbu"), ["text:o"]);
}

#[test]
fn batches_of_two_threads_take_turns() {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = open(dir.path());
    std::thread::scope(|scope| {
        let (started, start) = mpsc::channel();
        let first = &index;
        scope.spawn(move || {
            let progress = |_, _| started.send(()).unwrap_or_default();
            let control = Control { progress: &progress, ..Control::default() };
            first.apply(&batch(&[("text:a", "A", "acerola"), ("text:b", "B", "acerola")]), control).unwrap();
        });
        start.recv().unwrap();
        index.apply(&batch(&[("text:c", "C", "acerola")]), Control::default()).unwrap();
    });
    assert_eq!(found(&index, "acerola").len(), 3);
}
