//! Words in other forms, other languages, and with the symbols that belong to them.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod common;

use common::{batch, document, ids};
use tusab_index::{Batch, ChunkStore, Control, Index, Literal, Query, Retriever};

fn index(documents: &[(&str, &str, &str)]) -> (tempfile::TempDir, Index) {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    index.apply(&batch(documents), Control::default()).unwrap();
    (dir, index)
}

fn found(index: &Index, text: &str) -> Vec<String> {
    ids(&index.retrieve(&Query::new(text).with_duplicates()).unwrap().hits)
        .into_iter()
        .map(str::to_owned)
        .collect()
}

const THREE: [(&str, &str, &str); 4] = [
    (
        "text:pt",
        "Solar",
        "As instalações de painéis nas casas da vila baixaram a conta de luz de todos os moradores.",
    ),
    (
        "text:en",
        "Solar",
        "The installations of panels on the houses of the village have lowered everyone's bills.",
    ),
    (
        "text:es",
        "Solar",
        "Las instalaciones de paneles en las casas del pueblo bajaron la cuenta de luz de los vecinos.",
    ),
    ("text:de", "Solar", "Die Anlagen auf den Dächern des Dorfes haben die Rechnungen der Bewohner gesenkt."),
];

#[test]
fn other_forms_of_a_word_are_found_in_its_language() {
    let (_dir, index) = index(&THREE);
    for (query, expected) in [
        ("instalação", "text:pt"),
        ("instalacao", "text:pt"),
        ("morador", "text:pt"),
        ("installation", "text:en"),
        ("lowering", "text:en"),
        ("instalación", "text:es"),
        ("vecino", "text:es"),
        ("Rechnungen", "text:de"),
        ("rechnungen", "text:de"),
    ] {
        assert_eq!(found(&index, query).first().map(String::as_str), Some(expected), "{query:?}");
    }
}

#[test]
fn the_form_and_the_accents_that_were_typed_rank_higher() {
    let forms = [
        ("text:plural", "A", "os aviões chegaram tarde ontem por causa da chuva"),
        ("text:single", "B", "o avião chegou tarde ontem por causa da chuva"),
        ("text:plain", "C", "o aviao chegou tarde ontem por causa da chuva"),
    ];
    let (_dir, index) = index(&forms);
    for (query, expected) in [("avião", "text:single"), ("aviões", "text:plural")] {
        let found = found(&index, query);
        assert_eq!((found[0].as_str(), found.len()), (expected, 3), "{query:?}");
    }
    // Typed without accents, those with and without are as good.
    let hits = index.retrieve(&Query::new("aviao").with_duplicates()).unwrap().hits;
    let score = |id: &str| hits.iter().find(|hit| hit.document.id.as_str() == id).unwrap().explain.text_score;
    assert!((score("text:single") - score("text:plain")).abs() < 0.05 * score("text:plain"));
    assert!(score("text:plural") < score("text:single"));
}

/// A word must not weigh more in a document only because its language is rare in the collection.
#[test]
fn a_rare_language_does_not_outrank() {
    let mut batch = Batch::new();
    for n in 0..40 {
        let text = format!("o projeto número {n} da escola fala de energia e de água na cidade");
        let (record, chunks) = document(&format!("text:{n}"), "Projeto", &text);
        batch.upsert(record, chunks);
    }
    let long = "the weather was fine and everyone went to the beach in the morning ".repeat(12);
    let (record, chunks) = document("text:en", "Diary", &format!("{long} energia {long}"));
    batch.upsert(record, chunks);
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    index.apply(&batch, Control::default()).unwrap();
    let hits = index.retrieve(&Query::new("energia na escola").with_duplicates()).unwrap().hits;
    assert_eq!(hits.len(), Query::LIMIT);
    assert!(hits.iter().all(|hit| hit.document.id.as_str() != "text:en"));
}

#[test]
fn what_symbols_tie_together_is_found_whole_and_by_its_parts() {
    let noise = "c a de 2023 14 500 net handle rag self example com path preço valor 688 1";
    let texts = [
        ("text:cpp", "x", "programar em C++ exige cuidado com a memória"),
        ("text:net", "x", "o serviço roda em .NET desde o ano passado"),
        ("text:law", "x", "a Lei 14.688/2023 mudou o código penal militar"),
        ("text:rag", "x", "um modelo de self-rag decide quando buscar"),
        ("text:brl", "x", "custa R$ 1.500,00 por mês com tudo incluído"),
        ("text:user", "x", "siga @fulana_de_tal para saber dos ensaios"),
        ("text:url", "x", "veja https://exemplo.org/guia/2023 antes de vir"),
    ];
    let mut all = batch(&texts);
    for n in 0..30 {
        let (record, chunks) = document(&format!("text:n{n}"), "x", &format!("{noise} {n}"));
        all.upsert(record, chunks);
    }
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    index.apply(&all, Control::default()).unwrap();
    for (query, expected) in [
        ("C++", "text:cpp"),
        ("c++", "text:cpp"),
        ("como usar C++ e memória", "text:cpp"),
        (".NET", "text:net"),
        ("14.688/2023", "text:law"),
        ("o que diz a 14.688/2023?", "text:law"),
        ("self-rag", "text:rag"),
        ("self rag", "text:rag"),
        ("R$ 1.500,00", "text:brl"),
        ("@fulana_de_tal", "text:user"),
        ("fulana", "text:user"),
        ("https://exemplo.org/guia/2023", "text:url"),
        ("exemplo.org", "text:url"),
        ("guia", "text:url"),
    ] {
        assert_eq!(found(&index, query)[0], expected, "{query:?}");
    }
    let hits = index.retrieve(&Query::new("usar C++")).unwrap().hits;
    assert_eq!(hits[0].explain.literal, Some(Literal::Compound));
}

#[test]
fn scripts_without_spaces_are_found_inside_a_run() {
    let texts = [
        ("text:ja", "x", "私は東京都に住んでいます。"),
        ("text:zh", "x", "京东商城的东西很多。"),
        ("text:th", "x", "ฉันอยู่ที่กรุงเทพมหานคร"),
    ];
    let (_dir, index) = index(&texts);
    assert_eq!(found(&index, "東京")[0], "text:ja");
    assert_eq!(found(&index, "京东")[0], "text:zh");
    assert_eq!(found(&index, "กรุงเทพ")[0], "text:th");
}
