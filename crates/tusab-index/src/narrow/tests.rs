//! What needs a look inside: the two halves of the index at odds.

use tusab_chunk::{Body, Chunker, Document, Windows};

use super::{Part, search};
use crate::bm25::{Bm25, Bm25Writer};
use crate::store::Store;
use crate::{Batch, ChunkStore, ContentHash, Control, DocumentRecord, Index, Literal, Query};

fn batch(texts: &[(&str, &str)]) -> Batch {
    let mut batch = Batch::new();
    for (id, text) in texts {
        let document = Document::new(id.parse().unwrap(), "Nota", Body::Text((*text).to_owned()));
        let chunks = Windows::default().chunks(&document);
        batch.upsert(DocumentRecord::new(&document, ContentHash::of(1, text.as_bytes())), chunks);
    }
    batch
}

#[test]
fn what_bm25_has_lost_is_still_found_by_its_literal_words() {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    let texts = [("text:a", "o preço da jabuticaba subiu de novo"), ("text:b", "o preço do milho caiu")];
    index.apply(&batch(&texts), Control::default()).unwrap();
    drop(index);

    let store = Store::open(&dir.path().join("store.sqlite")).unwrap();
    let reader = store.reader().unwrap();
    let bm25 = Bm25::open(&dir.path().join("bm25")).unwrap();
    let lost = reader.document_keys(&["text:a".parse().unwrap()]).unwrap();
    let mut writer = Bm25Writer::new(&bm25).unwrap();
    writer.remove(lost[0]);
    writer.commit(reader.generation()).unwrap();
    writer.finish().unwrap();
    bm25.reload().unwrap();

    let part = Part { bm25: &bm25.snapshot(), reader: &reader };
    for (query, literal) in [
        ("jabuticaba", Literal::RareWord),
        ("PREÇO DA JABUTICABA", Literal::WholeQuery),
        ("milho ou \"jabuticaba subiu\"", Literal::QuotedPhrase),
    ] {
        let found = search(&Query::new(query), std::slice::from_ref(&part)).unwrap();
        let hit = found.hits.iter().find(|hit| hit.document.id.as_str() == "text:a");
        let explain = hit.unwrap_or_else(|| panic!("{query:?} finds {:?}", found.hits)).explain;
        assert_eq!((explain.literal, explain.bm25_rank), (Some(literal), None), "{query:?}");
    }
}
