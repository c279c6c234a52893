//! `check` mends what is derived and says what is not to be mended.

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

use common::{SAMPLE, batch, ids};
use rusqlite::Connection;
use tusab_index::{ChunkStore, Control, Error, Index, MatchedBy, Query, Repair, Retriever};

fn filled(dir: &Path) -> Index {
    let index = Index::open(dir).unwrap().index;
    index.apply(&batch(&SAMPLE), Control::default()).unwrap();
    index
}

fn change(dir: &Path, sql: &str) {
    Connection::open(dir.join("store.sqlite")).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn a_whole_index_needs_nothing_and_can_be_written_afterwards() {
    let dir = tempfile::tempdir().unwrap();
    let index = filled(dir.path());
    for _ in 0..2 {
        assert_eq!(index.check().unwrap(), []);
        assert_eq!(ids(&index.retrieve(&Query::new("fubá")).unwrap().hits), ["file:bolo"]);
    }
    index.apply(&batch(&[("text:n", "Nova", "pitanga")]), Control::default()).unwrap();
    assert_eq!(ids(&index.retrieve(&Query::new("pitanga")).unwrap().hits), ["text:n"]);
}

#[test]
fn a_literal_index_that_lost_rows_or_is_broken_is_made_again() {
    for damage in [
        "DELETE FROM literal WHERE rowid = (SELECT max(key) FROM chunks)",
        "INSERT INTO literal (rowid, words) VALUES (999, 'fantasma')",
        "UPDATE literal_data SET block = zeroblob(length(block)) WHERE id > 100",
    ] {
        let dir = tempfile::tempdir().unwrap();
        let index = filled(dir.path());
        change(dir.path(), damage);
        let repairs = index.check().unwrap();
        assert!(matches!(repairs[..], [Repair::LiteralRebuilt { chunks: 5, .. }]), "{damage}: {repairs:?}");
        let hits = index.retrieve(&Query::new("\"compilador confere\"")).unwrap().hits;
        assert_eq!(ids(&hits), ["file:cpp"], "{damage}");
        assert!(hits[0].matched_by().contains(&MatchedBy::Exact), "{damage}");
        assert!(index.retrieve(&Query::new("fantasma")).unwrap().hits.is_empty());
        assert_eq!(index.check().unwrap(), [], "{damage}");
    }
}

#[test]
fn a_bm25_index_that_claims_to_be_whole_and_is_not_is_made_again() {
    let dir = tempfile::tempdir().unwrap();
    drop(filled(dir.path()));
    let meta = dir.path().join("bm25/meta.json");
    let mut empty: serde_json::Value = serde_json::from_slice(&fs::read(&meta).unwrap()).unwrap();
    empty["segments"] = serde_json::json!([]);
    fs::write(&meta, empty.to_string()).unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    let repairs = index.check().unwrap();
    assert!(matches!(repairs[..], [Repair::Rebuilt { documents: 5, .. }]), "{repairs:?}");
    let hits = index.retrieve(&Query::new("juros")).unwrap().hits;
    assert!(hits[0].matched_by().contains(&MatchedBy::Bm25));
}

#[test]
fn a_passage_that_was_changed_is_never_shown_and_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let index = filled(dir.path());
    change(
        dir.path(),
        "UPDATE chunks SET original_text = replace(original_text, 'fubá', 'fumo') WHERE original_text LIKE '%fubá%'",
    );
    let is_named = |error: Error| {
        assert!(
            matches!(&error, Error::Damaged { doc, ordinal: 0, .. } if doc.as_str() == "file:bolo"),
            "{error}"
        );
        assert!(error.is_damaged() && error.to_string().contains("neural/"), "{error}");
    };
    is_named(index.retrieve(&Query::new("fubá")).unwrap_err());
    is_named(index.chunks(&"file:bolo".parse().unwrap()).unwrap_err());
    is_named(index.check().unwrap_err());
    // The others are not hidden by it.
    assert_eq!(ids(&index.retrieve(&Query::new("juros")).unwrap().hits), ["file:juros"]);
}

#[test]
fn a_broken_page_is_a_typed_error_that_says_how_to_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let index = filled(dir.path());
    index.compact().unwrap();
    drop(index);
    let path = dir.path().join("store.sqlite");
    let mut bytes = fs::read(&path).unwrap();
    let text = "Duas xícaras de fubá".as_bytes();
    let at = bytes.windows(text.len()).position(|window| window == text).unwrap();
    let page = at / 4096 * 4096;
    bytes[page..page + 16].fill(0xA5);
    fs::write(&path, &bytes).unwrap();
    let error = match Index::open(dir.path()) {
        Ok(opened) => opened.index.check().unwrap_err(),
        Err(error) => error,
    };
    assert!(error.is_damaged() && error.to_string().contains("neural/"), "{error} {error:?}");
    assert!(fs::read(&path).unwrap() == bytes, "a broken store is left alone");
}

#[test]
fn a_check_while_another_process_writes_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let writer = filled(dir.path());
    let other = Index::open(dir.path()).unwrap().index;
    assert!(other.check().unwrap_err().is_locked());
    writer.release_writer();
    assert_eq!(other.check().unwrap(), []);
}
