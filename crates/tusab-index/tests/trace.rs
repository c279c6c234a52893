//! What is left of a document after it was deleted and the index compacted: nothing, in any file.

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

use common::{batch, document};
use rusqlite::{Connection, OpenFlags};
use tusab_index::{Batch, ChunkStore, Control, Dimension, Index, Vector, VectorSpace};

const WORD: &str = "quarkxyzsegredo";
const TITLE: &str = "titulosegredo";
const TAG: &str = "etiquetasegreda";
const PHRASE: &str = "frasesegreda";
const FIRST: &str = "rascunhosegredo";
const SECRETS: [&str; 5] = [WORD, TITLE, TAG, PHRASE, FIRST];

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { all.extend(files(&path)) } else { all.push(path) }
    }
    all
}

fn holding(folder: &Path, bytes: &[u8]) -> Vec<PathBuf> {
    // What a merge in the background has just removed is not there any more.
    let holds = |path: &PathBuf| {
        fs::read(path).unwrap_or_default().windows(bytes.len()).any(|window| window == bytes)
    };
    files(folder).into_iter().filter(holds).collect()
}

/// Terms of the BM25 index that hold a secret: its dictionary does not write words letter by letter.
fn terms(folder: &Path) -> Vec<String> {
    let index = tantivy::Index::open_in_dir(folder.join("bm25")).unwrap();
    let searcher = index.reader().unwrap().searcher();
    let mut terms = Vec::new();
    for segment in searcher.segment_readers() {
        for (field, entry) in index.schema().fields() {
            if !entry.field_type().is_indexed() {
                continue;
            }
            let inverted = segment.inverted_index(field).unwrap();
            let mut stream = inverted.terms().stream().unwrap();
            while stream.advance() {
                let term = String::from_utf8_lossy(stream.key()).into_owned();
                if SECRETS.iter().any(|secret| term.contains(&secret[..8])) {
                    terms.push(term);
                }
            }
        }
    }
    terms
}

/// Words of the literal index that hold a secret.
fn literal_words(folder: &Path) -> Vec<String> {
    let store =
        Connection::open_with_flags(folder.join("store.sqlite"), OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    store.execute_batch("CREATE VIRTUAL TABLE temp.words USING fts5vocab (main, literal, row)").unwrap();
    let mut statement = store.prepare("SELECT term FROM words").unwrap();
    let words = statement.query_map((), |row| row.get::<_, String>(0)).unwrap().map(Result::unwrap);
    words.filter(|word| SECRETS.iter().any(|secret| word.contains(secret))).collect()
}

#[test]
fn a_deleted_document_leaves_no_trace() {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    let space = VectorSpace::new("m", Dimension::new(24).unwrap());
    let vector =
        |seed: u8| Vector::new((1..=24_u8).map(|n| f32::from(seed) / f32::from(n) - 0.3).collect()).unwrap();
    // Enough beside it that pages, segments and blocks are shared.
    let filling: Vec<(String, String)> = (0..60)
        .map(|n| {
            (format!("text:{n}"), format!("Texto comum número {n}. {}", "Palavras de todos. ".repeat(40)))
        })
        .collect();
    let filling: Vec<(&str, &str, &str)> =
        filling.iter().map(|(id, text)| (id.as_str(), "Comum", text.as_str())).collect();
    let secret = |text: &str| {
        let (mut record, chunks) = document("text:segredo", TITLE, text);
        record.tags = vec![TAG.to_owned()];
        let mut batch = Batch::new();
        batch.upsert(record, chunks);
        batch
    };
    index.apply(&batch(&filling[..30]), Control::default()).unwrap();
    index.apply(&secret(&format!("{FIRST} que será escrito de novo")), Control::default()).unwrap();
    index
        .apply(&secret(&format!("O que diz {WORD}? {}", "Mais texto. ".repeat(400))), Control::default())
        .unwrap();
    index.apply(&batch(&filling[30..]), Control::default()).unwrap();
    let doc = "text:segredo".parse().unwrap();
    let chunk = index.chunks(&doc).unwrap()[0].id();
    // First, so that it is merged among the others.
    index.set_vectors(&space, &[(doc.clone(), vec![(chunk, vector(200))])]).unwrap();
    for (n, (id, ..)) in (1..).zip(&filling) {
        let doc = id.parse().unwrap();
        let chunk = index.chunks(&doc).unwrap()[0].id();
        index.set_vectors(&space, &[(doc, vec![(chunk, vector(n))])]).unwrap();
    }
    index.set_key_phrases(&[(doc.clone(), vec![(chunk, vec![PHRASE.to_owned()])])]).unwrap();
    // Part of a vector: a whole one may be cut by the pages of a file.
    let numbers = &vector(200).to_bytes()[..40];

    // It is there before: what follows would notice.
    assert!(SECRETS[..4].iter().all(|secret| !holding(dir.path(), secret.as_bytes()).is_empty()));
    assert!(holding(dir.path(), numbers).iter().any(|path| path.starts_with(dir.path().join("vectors"))));
    assert!(terms(dir.path()).len() >= 4, "{:?}", terms(dir.path()));
    assert!(literal_words(dir.path()).len() >= 3);

    let mut deletion = Batch::new();
    deletion.delete(doc);
    index.apply(&deletion, Control::default()).unwrap();
    index.compact().unwrap();
    for secret in SECRETS {
        assert_eq!(holding(dir.path(), secret.as_bytes()), Vec::<PathBuf>::new(), "{secret}");
    }
    assert_eq!(holding(dir.path(), b"text:segredo"), Vec::<PathBuf>::new());
    assert_eq!(holding(dir.path(), chunk.as_bytes()), Vec::<PathBuf>::new());
    assert_eq!(holding(dir.path(), numbers), Vec::<PathBuf>::new());
    assert_eq!(terms(dir.path()), Vec::<String>::new());
    assert_eq!(literal_words(dir.path()), Vec::<String>::new());
    // And all the rest is.
    assert_eq!(index.check().unwrap(), []);
    assert_eq!(index.statistics().unwrap().documents, 60);
    drop(index);
    assert_eq!(Index::open(dir.path()).unwrap().repairs, []);
}
