//! Filters, recency, near-duplicates, several indexes, the advanced syntax, snippets.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod common;

use common::{batch, document, ids};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use tusab_chunk::{Chars, Date, SourceKind};
use tusab_index::{
    AdvancedQuery, Batch, ChunkStore, Control, DocumentRecord, Filter, Index, Query, Recency, Retriever,
    detect_language,
};

fn open(documents: &Batch) -> (tempfile::TempDir, Index) {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    index.apply(documents, Control::default()).unwrap();
    (dir, index)
}

fn day(month: u8, day: u8) -> Date {
    Date::new(2026, month, day).unwrap()
}

/// Documents that differ in everything that filters look at.
fn varied() -> (Batch, Vec<DocumentRecord>) {
    let (mut batch, mut records) = (Batch::new(), Vec::new());
    for n in 0_u8..24 {
        let kind = ["youtube", "file", "text"][usize::from(n % 3)];
        let text = [
            format!("a colheita do milho número {n} foi boa e o preço subiu na feira"),
            format!("the milho harvest number {n} was good and the price went up at the fair"),
        ];
        let (mut record, chunks) =
            document(&format!("{kind}:aaaaaaaaa{n:02}"), "Safra", &text[usize::from(n % 2)]);
        record.date = (n % 4 != 0).then(|| day(1 + n % 12, 1 + n));
        record.tags = [["Agro Negócio", "feira"], ["clima", "agro"]][usize::from(n % 5 / 3)]
            .map(str::to_owned)
            .to_vec();
        record.language = (n % 6 == 5).then(|| "pt-BR".parse().unwrap());
        batch.upsert(record.clone(), chunks);
        records.push(record);
    }
    (batch, records)
}

fn filters() -> impl Strategy<Value = Filter> {
    let kinds = subsequence(vec![SourceKind::Youtube, SourceKind::File, SourceKind::Text], 0..3);
    let tags = subsequence(vec!["agro negocio", "CLIMA", "agro", "nada"], 0..2);
    let languages = subsequence(vec!["pt", "en", "pt-PT", "fr"], 0..2);
    let dates = (proptest::option::of(1_u8..13), proptest::option::of(1_u8..13));
    let documents =
        subsequence(vec!["youtube:aaaaaaaaa00", "file:aaaaaaaaa04", "text:aaaaaaaaa05", "text:zz"], 0..3);
    (kinds, tags, languages, dates, documents).prop_map(
        |(kinds, tags, languages, (since, until), documents)| {
            let mut filter = Filter::default();
            filter.kinds = kinds;
            filter.tags = tags.into_iter().map(str::to_owned).collect();
            filter.languages = languages.into_iter().map(|language| language.parse().unwrap()).collect();
            filter.documents = documents.into_iter().map(|id| id.parse().unwrap()).collect();
            (filter.since, filter.until) =
                (since.map(|month| day(month, 1)), until.map(|month| day(month, 28)));
            filter
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// Both halves of the index filter as the filter itself says.
    #[test]
    fn filters_let_through_what_they_say(
        filters in prop::collection::vec(filters(), 8),
        text in select(vec!["milho", "\"foi boa\"", "milho harvest", "preço subiu"]),
    ) {
        let (batch, records) = varied();
        let (_dir, index) = open(&batch);
        let all = index.retrieve(&Query::new(text).with_limit(100).with_duplicates()).unwrap().hits;
        for filter in filters {
            let query = Query::new(text).with_limit(100).with_duplicates().with_filter(filter.clone());
            let mut found = ids(&index.retrieve(&query).unwrap().hits).into_iter().map(str::to_owned).collect::<Vec<_>>();
            let passes = |hit: &&tusab_index::Hit| {
                let record = records.iter().find(|record| record.id == hit.document.id).unwrap();
                let language = record.language.clone().or_else(|| detect_language(hit.chunk.original_text()));
                filter.accepts(record, language.as_ref())
            };
            let mut expected: Vec<String> = all.iter().filter(passes).map(|hit| hit.document.id.to_string()).collect();
            found.sort();
            expected.sort();
            prop_assert_eq!(found, expected, "{:?}", filter);
        }
    }
}

#[test]
fn newer_documents_can_rank_higher() {
    let mut batch = Batch::new();
    for (id, month) in [("text:old", 1), ("text:new", 9), ("text:mid", 5)] {
        let (mut record, chunks) = document(id, "Nota", &format!("previsão do tempo para o mês {month}"));
        record.date = Some(day(month, 1));
        batch.upsert(record, chunks);
    }
    let (record, chunks) = document("text:none", "Nota", "previsão do tempo para o mês 0");
    batch.upsert(record, chunks);
    let (_dir, index) = open(&batch);
    let recency = Recency { today: day(10, 1), half_life_days: 60.0, weight: 1.0 };
    let hits =
        index.retrieve(&Query::new("previsão tempo").with_recency(recency).with_duplicates()).unwrap().hits;
    assert_eq!(ids(&hits), ["text:new", "text:mid", "text:old", "text:none"]);
}

#[test]
fn near_duplicates_do_not_fill_the_result() {
    let text = "O prazo de entrega do imposto de renda vai até o fim de maio, e quem perde o prazo paga multa de no mínimo \
                cento e sessenta e cinco reais, além de juros por mês de atraso sobre o imposto devido.";
    let mut batch = Batch::new();
    for n in 0..10 {
        let (record, chunks) = document(&format!("text:{n}"), "Cópia", &format!("{text} {n}"));
        batch.upsert(record, chunks);
    }
    let (record, chunks) =
        document("text:other", "Outro", "Quem perde o prazo pode pedir a isenção da multa na Receita.");
    batch.upsert(record, chunks);
    let (_dir, index) = open(&batch);
    let found = index.retrieve(&Query::new("prazo multa")).unwrap();
    assert_eq!((found.hits.len(), found.near_duplicates), (Query::LIMIT, 9));
    assert!(ids(&found.hits[..2]).contains(&"text:other"), "{:?}", ids(&found.hits));
    // Where they keep their places, they take them all.
    let all = index.retrieve(&Query::new("quem perde o prazo paga multa").with_duplicates()).unwrap();
    assert_eq!(all.near_duplicates, 0);
    assert!(!ids(&all.hits).contains(&"text:other"));
}

#[test]
fn several_indexes_are_searched_as_one() {
    // `milho` is rare in the first and common in the second: apart, its only passage in the first would seem precious.
    let mut one = batch(&[(
        "text:a",
        "Nota",
        "uma linha sobre milho e outra coisa qualquer, comprida e sem mais nada",
    )]);
    for n in 0..20 {
        let (record, chunks) =
            document(&format!("text:x{n}"), "Nota", &format!("texto {n} de assunto bem diverso"));
        one.upsert(record, chunks);
    }
    let mut two = Batch::new();
    for n in 0..20 {
        let (record, chunks) = document(&format!("text:m{n}"), "Nota", &format!("milho {n}"));
        two.upsert(record, chunks);
    }
    let ((_one, one), (_two, two)) = (open(&one), open(&two));
    let found =
        Index::retrieve_all(&[&one, &two], &Query::new("milho").with_limit(30).with_duplicates()).unwrap();
    assert_eq!(found.hits.len(), 21);
    let last = found.hits.last().unwrap();
    assert_eq!((last.index, last.document.id.as_str()), (0, "text:a"));
    assert!(found.hits.is_sorted_by(|a, b| a.score >= b.score));
    assert!(Index::retrieve_all(&[], &Query::new("milho")).unwrap().hits.is_empty());
}

#[test]
fn the_advanced_syntax_requires_and_excludes() {
    let mut batch = Batch::new();
    for (id, title, text, tag) in [
        ("text:a", "Ata de março", "o banco central subiu a taxa de juros", "economia"),
        ("text:b", "Ata de abril", "o banco central manteve os juros, com o câmbio em alta", "economia"),
        ("text:c", "Receita", "juros de mora e banco de praça", "cozinha"),
        ("text:d", "C", "em C++ o banco de dados é rápido", "código"),
    ] {
        let (mut record, chunks) = document(id, title, text);
        record.tags = vec![tag.to_owned()];
        batch.upsert(record, chunks);
    }
    let (_dir, index) = open(&batch);
    for (text, expected) in [
        ("juros", vec!["text:a", "text:b", "text:c"]),
        ("juros -câmbio", vec!["text:a", "text:c"]),
        ("\"banco central\"", vec!["text:a", "text:b"]),
        ("juros \"banco central\" -title:abril", vec!["text:a"]),
        ("title:ata", vec!["text:a", "text:b"]),
        ("tag:cozinha", vec!["text:c"]),
        ("banco -tag:economia", vec!["text:c", "text:d"]),
        ("\"C++\"", vec!["text:d"]),
        ("\"nada disso\"", vec![]),
        ("", vec![]),
    ] {
        let advanced: AdvancedQuery = text.parse().unwrap();
        let hits = index.retrieve_advanced(&advanced, &Query::new("")).unwrap().hits;
        let mut found = ids(&hits);
        found.sort_unstable();
        assert_eq!(found, expected, "{text:?}");
    }
    // What is wished for decides the order.
    let advanced: AdvancedQuery = "câmbio \"banco central\"".parse().unwrap();
    assert_eq!(ids(&index.retrieve_advanced(&advanced, &Query::new("")).unwrap().hits), ["text:b", "text:a"]);
}

#[test]
fn a_snippet_shows_the_words_in_their_forms() {
    let text = format!(
        "{} As instalações foram caras, mas a conta caiu. {}",
        "Nada aqui. ".repeat(40),
        "Fim. ".repeat(40)
    );
    let (_dir, index) = open(&batch(&[("text:a", "Solar", &text)]));
    let hits = index.retrieve(&Query::new("instalacao da conta")).unwrap().hits;
    let snippet = hits[0].snippet("instalacao da conta", Chars(80));
    assert!(snippet.text().chars().count() <= 80);
    let shown: Vec<&str> =
        snippet.highlights().iter().map(|at| &snippet.text()[at.start.0..at.end.0]).collect();
    assert_eq!(shown, ["instalações", "conta"]);
    assert!(snippet.is_cut_at_start() && snippet.is_cut_at_end());
}
