//! Small documents, written for these tests.
#![allow(dead_code, reason = "each test program uses some of it")]

use tusab_chunk::{Body, Chunk, Chunker, Document, TextWindows, Windows};
use tusab_index::{Batch, ContentHash, DocumentRecord, Hit};

/// A document of running text and its chunks.
pub(crate) fn document(id: &str, title: &str, text: &str) -> (DocumentRecord, Vec<Chunk>) {
    let document = Document::new(id.parse().unwrap(), title, Body::Text(text.to_owned()));
    let chunks = Windows::default().chunks(&document);
    let content = format!("{title}\0{text}");
    (DocumentRecord::new(&document, ContentHash::of(1, content.as_bytes())), chunks)
}

/// A batch that writes those documents, given as id, title and text.
pub(crate) fn batch(documents: &[(&str, &str, &str)]) -> Batch {
    let mut batch = Batch::new();
    for (id, title, text) in documents {
        let (record, chunks) = document(id, title, text);
        batch.upsert(record, chunks);
    }
    batch
}

/// The ids of the documents of those hits, in order.
pub(crate) fn ids(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.document.id.as_str()).collect()
}

/// The chunk of a text that fits in one window.
pub(crate) fn chunk(id: &str, text: &str) -> Chunk {
    TextWindows::default().chunks(&id.parse().unwrap(), text).remove(0)
}

pub(crate) const SAMPLE: [(&str, &str, &str); 5] = [
    (
        "file:juros",
        "Juros compostos",
        "O tempo faz o trabalho pesado: os juros rendem sobre os juros já ganhos.",
    ),
    (
        "file:lei",
        "Lei 14.688",
        "A informação pública é um direito; a lei diz como pedir e em que prazo responder.",
    ),
    (
        "file:rag",
        "Notes on self-rag",
        "A model that asks itself whether it needs to retrieve before it answers.",
    ),
    (
        "file:bolo",
        "Bolo de fubá",
        "Duas xícaras de fubá, três ovos e um pouco de erva-doce. Assar por quarenta minutos.",
    ),
    (
        "file:cpp",
        "C++ e Rust",
        "Em C++ a memória é de quem programa; em Rust o compilador confere os empréstimos.",
    ),
];
