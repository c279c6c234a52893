//! A store that the first format's own writer made is opened by this version.
//!
//! `fixtures/store_1.sqlite` was made before format 2 was, by the first format's own writer, which took three sources in:
//! a WhatsApp chat, a video with captions and a Markdown file, all of them written for this project. Never write it again.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{batch, ids};
use rusqlite::Connection;
use tusab_chunk::{ChunkId, DocId};
use tusab_index::{
    ChunkStore, Control, Enrichment, Error, Index, MatchedBy, PageMark, Query, Repair, Retriever, WriterLock,
};

const CHAT: &str = "file:6c65b644885f3568";
const VIDEO: &str = "youtube:hv7Qk2LrT0c";
const NOTES: &str = "file:6d370840a61a13d4";

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/store_1.sqlite")
}

fn old_index() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::copy(fixture(), dir.path().join("store.sqlite")).unwrap();
    dir
}

/// A chunk as its row says it: document, ordinal, text, position, page.
type Row = (String, u32, String, String, Option<u32>);

/// What the old file says, read past all of this crate.
fn rows() -> Vec<Row> {
    let copy = old_index();
    let store = Connection::open(copy.path().join("store.sqlite")).unwrap();
    let version: u32 = store.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, 1, "the fixture is of the first format, and stays so");
    let select = "SELECT d.id, ordinal, original_text, position, page FROM chunks c JOIN documents d ON d.key = document";
    let mut statement = store.prepare(select).unwrap();
    let rows =
        statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)));
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

fn found(index: &Index, text: &str) -> Vec<String> {
    ids(&index.retrieve(&Query::new(text)).unwrap().hits).into_iter().map(str::to_owned).collect()
}

fn assert_reads_as_before(index: &Index) {
    let rows = rows();
    assert_eq!(rows.len(), 8);
    for (doc, ordinal, text, position, page) in &rows {
        let doc: DocId = doc.parse().unwrap();
        let chunk = &index.chunks(&doc).unwrap()[*ordinal as usize];
        assert_eq!((chunk.original_text(), chunk.ordinal()), (text.as_str(), *ordinal));
        assert_eq!(chunk.id(), ChunkId::of(&doc, *ordinal, text));
        assert_eq!(&serde_json::to_string(&chunk.position()).unwrap(), position);
        assert_eq!(chunk.page().map(std::num::NonZero::get), *page);
    }
    let documents = index.documents().unwrap();
    let summary: Vec<(&str, &str, Vec<&str>)> = documents
        .iter()
        .map(|d| (d.id.as_str(), d.title.as_str(), d.tags.iter().map(String::as_str).collect()))
        .collect();
    assert_eq!(
        summary,
        [
            (CHAT, "Conversa do WhatsApp com Horta do prédio", vec![]),
            (NOTES, "Composting in a small flat", vec!["compost", "balcony"]),
            (VIDEO, "Horta na varanda, por onde começar", vec!["horta", "apartamento", "temperos"]),
        ]
    );
    assert_eq!(index.statistics().unwrap().chunks, 8);
}

fn assert_finds(index: &Index) {
    for (query, first) in [
        ("síndico", CHAT),
        ("sindico", CHAT),
        ("mosquito da dengue", VIDEO),
        ("\"areia grossa\" caixa do grupo", CHAT),
        ("bokashi", NOTES),
        ("eggshells", NOTES), // by its stem: the text says eggshell
        ("Composting in a small flat", NOTES),
    ] {
        assert_eq!(found(index, query).first().map(String::as_str), Some(first), "{query:?}");
    }
    // Literally too, not by the ranking alone.
    let hits = index.retrieve(&Query::new("\"vaso sem furo\"")).unwrap().hits;
    assert!(hits[0].document.id.as_str() == VIDEO && hits[0].matched_by().contains(&MatchedBy::Exact));
    assert!(found(index, "C++").is_empty());
}

#[test]
fn a_store_of_the_first_format_reads_and_is_found_as_before() {
    let dir = old_index();
    for time in ["first", "second"] {
        let opened = Index::open(dir.path()).unwrap();
        match time {
            "first" => assert!(matches!(opened.repairs[..], [Repair::Rebuilt { documents: 3, .. }])),
            _ => assert_eq!(opened.repairs, []),
        }
        assert_reads_as_before(&opened.index);
        assert_finds(&opened.index);
        assert_eq!(opened.index.check().unwrap(), []);
        let lacking = opened.index.lacking(Enrichment::KeyPhrases, PageMark::default(), 100).unwrap();
        assert_eq!((lacking.chunks.len(), lacking.next), (8, None));
    }
    // And it goes on from there, compounds included.
    let index = Index::open(dir.path()).unwrap().index;
    index.apply(&batch(&[("text:nova", "Nova", "Em C++ não há húmus.")]), Control::default()).unwrap();
    assert_eq!(found(&index, "C++"), ["text:nova"]);
    assert!(found(&index, "húmus").contains(&CHAT.to_owned()));
    assert_reads_as_before_but_one(&index);
}

fn assert_reads_as_before_but_one(index: &Index) {
    assert_eq!(index.statistics().unwrap().chunks, 9);
    assert_eq!(index.chunks(&VIDEO.parse().unwrap()).unwrap().len(), 6);
}

/// The lock is a process's in that it is a file handle's: this test's own stands for another process.
#[test]
fn an_old_store_that_another_process_writes_is_a_typed_error_and_left_alone() {
    let dir = old_index();
    let lock = WriterLock::acquire(&dir.path().join("writer.lock")).unwrap();
    let error = Index::open(dir.path()).unwrap_err();
    assert!(matches!(error, Error::OlderFormat { .. }), "{error}");
    assert_eq!(fs::read(dir.path().join("store.sqlite")).unwrap(), fs::read(fixture()).unwrap());
    drop(lock);
    assert_reads_as_before(&Index::open(dir.path()).unwrap().index);
}
