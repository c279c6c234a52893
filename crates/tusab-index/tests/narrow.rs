//! What Narrow Search promises of any query.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod common;

use common::{SAMPLE, batch, chunk, document, ids};
use proptest::prelude::*;
use tusab_chunk::{Body, Document};
use tusab_index::{
    Batch, ChunkStore, ContentHash, Control, DocumentRecord, Index, Literal, MatchedBy, Query, Retriever,
};

fn sample() -> (tempfile::TempDir, Index) {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    index.apply(&batch(&SAMPLE), Control::default()).unwrap();
    (dir, index)
}

fn found(index: &Index, text: &str) -> Vec<String> {
    let hits = index.retrieve(&Query::new(text)).unwrap().hits;
    ids(&hits).into_iter().map(str::to_owned).collect()
}

#[test]
fn accents_and_case_never_matter() {
    let (_dir, index) = sample();
    for text in ["informacao", "informação", "INFORMAÇÃO", "Informac\u{327}a\u{303}o"] {
        assert_eq!(found(&index, text), ["file:lei"], "{text:?}");
    }
    // And the reverse: the text without, the query with.
    let plain = [("text:sem", "Nota", "a comunicacao sem acento nenhum")];
    index.apply(&batch(&plain), Control::default()).unwrap();
    assert_eq!(found(&index, "comunicação"), ["text:sem"]);
}

#[test]
fn queries_of_any_characters_are_just_text() {
    let (_dir, index) = sample();
    let long = "informação ".repeat(9_000);
    for text in [
        "\"",
        "\"\"",
        "*",
        "(",
        ")",
        "NEAR",
        "NEAR(a b)",
        "a AND OR NOT",
        "C++",
        "lei 14.688",
        "o que é self-rag",
        "🎉🇧🇷",
        "\0",
        "lei\0informação",
        "title:x",
        "-lei",
        "^lei",
        "{lei}",
        "lei:",
        "col:\"a",
        "'; DROP TABLE chunks; --",
        "\u{301}\u{301}",
        "\u{202e}lei",
        "…",
        &long,
    ] {
        let hits = index.retrieve(&Query::new(text)).unwrap_or_else(|error| panic!("{text:?}: {error}")).hits;
        assert!(hits.len() <= Query::LIMIT);
    }
    assert_eq!(found(&index, "lei 14.688")[0], "file:lei");
    assert_eq!(found(&index, "o que é self-rag")[0], "file:rag");
    assert_eq!(found(&index, "NEAR C++")[0], "file:cpp");
    assert_eq!(found(&index, "lei\0informação")[0], "file:lei");
    assert_eq!(found(&index, &long), ["file:lei"]);
}

#[test]
fn function_words_never_empty_a_query() {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    let hamlet = [
        ("text:h", "Hamlet", "To be, or not to be, that is the question."),
        ("text:o", "Outro", "isso é o que é"),
    ];
    index.apply(&batch(&hamlet), Control::default()).unwrap();
    assert_eq!(found(&index, "to be or not to be")[0], "text:h");
    assert_eq!(found(&index, "o que é isso")[0], "text:o");
}

#[test]
fn one_to_three_documents_are_enough() {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    for n in 1..=3 {
        let id = format!("text:{n}");
        index.apply(&batch(&[(&id, "Nota", "goiabada cascão")]), Control::default()).unwrap();
        let hits = index.retrieve(&Query::new("goiabada").with_duplicates()).unwrap().hits;
        assert_eq!(hits.len(), n);
        assert!(hits.iter().all(|hit| hit.score > 0.0));
    }
}

#[test]
fn key_phrases_are_searched_and_never_shown() {
    let (_dir, index) = sample();
    let (record, _) = document("text:k", "Nota", "texto limpo");
    let enriched = chunk("text:k", "texto limpo").with_key_phrases(vec!["educação financeira".into()]);
    let mut batch = Batch::new();
    batch.upsert(record, vec![enriched]);
    index.apply(&batch, Control::default()).unwrap();
    let hits = index.retrieve(&Query::new("educação financeira")).unwrap().hits;
    assert_eq!(ids(&hits), ["text:k"]);
    assert_eq!(hits[0].chunk.original_text(), "texto limpo");
    // The literal search reads what the source says, so only BM25 can have found it.
    assert_eq!(hits[0].matched_by(), [MatchedBy::Bm25]);
}

#[test]
fn a_rare_word_is_found_though_frequent_ones_fill_the_ranking() {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    let mut many = Batch::new();
    for n in 0..40 {
        let (id, text) = (format!("text:{n}"), "mercado mercado bolsa bolsa ações ações");
        many.upsert(document(&id, "Mercado", text).0, vec![chunk(&id, text)]);
    }
    let long = format!("{} zorzal {}", "assunto outro ".repeat(60), "ainda outro ".repeat(60));
    many.upsert(document("text:z", "Aves", &long).0, vec![chunk("text:z", &long)]);
    index.apply(&many, Control::default()).unwrap();
    let query = Query::new("mercado bolsa ações zorzal").with_limit(30).with_pool(30);
    let hits = index.retrieve(&query).unwrap().hits;
    let rare = hits.iter().find(|hit| hit.document.id.as_str() == "text:z").expect("the rare word's chunk");
    assert_eq!(rare.explain.literal, Some(Literal::RareWord));
}

#[test]
fn what_stands_in_quotes_comes_first() {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    let mut many = Batch::new();
    for n in 0..50 {
        let (id, text) = (format!("text:{n}"), "civil e marco");
        many.upsert(document(&id, "Curto", text).0, vec![chunk(&id, text)]);
    }
    let long =
        format!("{} o marco civil da internet {}", "outra coisa ".repeat(70), "e mais outra ".repeat(70));
    many.upsert(document("text:l", "Longo", &long).0, vec![chunk("text:l", &long)]);
    index.apply(&many, Control::default()).unwrap();
    let hits = index.retrieve(&Query::new("\"marco civil\"").with_duplicates()).unwrap().hits;
    assert_eq!(hits[0].document.id.as_str(), "text:l");
    assert_eq!(hits.len(), Query::LIMIT);
    // Without quotes the ranking decides, and only a place among the best is kept for the passage that says it.
    let hits = index.retrieve(&Query::new("marco civil").with_duplicates()).unwrap().hits;
    let at = hits.iter().position(|hit| hit.document.id.as_str() == "text:l");
    assert_eq!(at, Some(Query::LIMIT - 1));
}

#[test]
fn words_that_nobody_wrote_do_not_push_out_the_rare_ones() {
    let (_dir, index) = sample();
    let unknown: Vec<String> = (0..60).map(|n| format!("aa{n}zz")).collect();
    let hits = index.retrieve(&Query::new(format!("{} fubá", unknown.join(" ")))).unwrap().hits;
    assert_eq!(hits[0].document.id.as_str(), "file:bolo");
    assert_eq!(hits[0].explain.literal, Some(Literal::RareWord));
}

#[test]
fn a_word_that_is_said_twice_counts_twice() {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    let mut many = Batch::new();
    for n in 0..40 {
        let (id, text) =
            (format!("text:{n}"), if n % 2 == 0 { "caju caju goiaba" } else { "caju goiaba goiaba" });
        many.upsert(document(&id, "Frutas", text).0, vec![chunk(&id, text)]);
    }
    index.apply(&many, Control::default()).unwrap();
    let first =
        |text: &str| index.retrieve(&Query::new(text)).unwrap().hits[0].chunk.original_text().to_owned();
    assert_eq!(first("caju caju caju goiaba"), "caju caju goiaba");
    assert_eq!(first("caju goiaba goiaba goiaba"), "caju goiaba goiaba");
}

#[test]
fn a_search_says_how_rare_its_words_are_and_how_much_of_them_it_found() {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    let texts = [
        ("text:a", "Nota", "a hortelã precisa de três horas de sol"),
        ("text:b", "Nota", "o manjericão precisava de seis horas"),
        ("text:c", "Nota", "o tomate gosta de sol"),
    ];
    index.apply(&batch(&texts), Control::default()).unwrap();

    let query = "quantas horas de sol precisam os unicórnios, e que horas?";
    let found = index.retrieve(&Query::new(query)).unwrap();
    let words: Vec<(&str, u16, u64)> =
        found.words.iter().map(|word| (word.token.as_str(), word.count, word.passages)).collect();
    // Other forms of a word count as the word; function words are not asked for.
    assert_eq!(words, [("unicornios", 1, 0), ("horas", 2, 2), ("precisam", 1, 2), ("sol", 1, 2)]);
    assert!(found.words.windows(2).all(|pair| pair[0].idf >= pair[1].idf));
    assert!(found.words.iter().all(|word| word.idf > 0.0));

    // A word that stands nowhere takes its part of what could be reached.
    let share = |query: &str| {
        let found = index.retrieve(&Query::new(query)).unwrap();
        assert!(found.hits.iter().all(|hit| hit.explain.text_score <= found.best_score), "{query}");
        found.hits[0].explain.text_score / found.best_score
    };
    let (all, part) = (share("horas de sol"), share("horas de sol para unicórnios"));
    assert!(part > 0.0 && part < all * 0.6, "{part} {all}");
    let nothing = index.retrieve(&Query::new("?!")).unwrap();
    assert!(nothing.words.is_empty() && nothing.best_score.abs() < f32::EPSILON);
}

#[test]
fn titles_sections_and_tags_are_searched() {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    let id = "text:a".parse().unwrap();
    let document =
        Document::new(id, "Jenipapo", Body::Text(String::new())).with_tags(vec!["seriguela".into()]);
    let chunk = chunk("text:a", "só o texto").with_section(Some("Cambuci".into()));
    let mut batch = Batch::new();
    batch.upsert(DocumentRecord::new(&document, ContentHash::of(1, b"a")), vec![chunk]);
    index.apply(&batch, Control::default()).unwrap();
    for word in ["jenipapo", "cambuci", "seriguela"] {
        assert_eq!(found(&index, word), ["text:a"], "{word}");
    }
}

/// Where a phrase stands decides, not where its words do.
#[test]
fn phrases_of_titles_and_tags_are_literal_and_those_of_sections_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    let mut batch = Batch::new();
    let documents = [
        ("text:tag", "Jaca", "a grossa e a casca", Some("casca grossa")),
        ("text:title", "Casca grossa", "sobre a casca, que é grossa", None),
        ("text:text", "Jaca", "tem a casca grossa", None),
        ("text:apart", "Jaca", "a casca é muito grossa", Some("casca")),
        ("text:section", "Jaca", "outra coisa", None),
    ];
    for (id, title, text, tag) in documents {
        let tags = tag.into_iter().map(str::to_owned).collect();
        let document = Document::new(id.parse().unwrap(), title, Body::Text(String::new())).with_tags(tags);
        let section = (id == "text:section").then(|| "Casca grossa".to_owned());
        let chunk = chunk(id, text).with_section(section);
        batch.upsert(DocumentRecord::new(&document, ContentHash::of(1, id.as_bytes())), vec![chunk]);
    }
    index.apply(&batch, Control::default()).unwrap();
    let literal = |query: &str| {
        let hits = index.retrieve(&Query::new(query).with_duplicates()).unwrap().hits;
        let says = |hit: &tusab_index::Hit| hit.explain.literal == Some(Literal::WholeQuery);
        let mut ids: Vec<String> =
            hits.into_iter().filter(says).map(|hit| hit.document.id.to_string()).collect();
        ids.sort_unstable();
        ids
    };
    assert_eq!(literal("casca grossa"), ["text:tag", "text:text", "text:title"]);
    assert!(literal("grossa casca").is_empty());
    // Without the tag that holds all of its words, BM25's lists are asked.
    batch = Batch::new();
    batch.delete("text:tag".parse().unwrap());
    index.apply(&batch, Control::default()).unwrap();
    index.compact().unwrap();
    assert_eq!(literal("casca grossa"), ["text:text", "text:title"]);
    assert!(literal("grossa casca").is_empty());
}

#[test]
fn chunks_of_another_document_are_not_taken() {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    let mut batch = Batch::new();
    batch.upsert(document("text:a", "A", "x").0, vec![chunk("text:a", "pequi"), chunk("text:b", "mangaba")]);
    index.apply(&batch, Control::default()).unwrap();
    assert_eq!(found(&index, "pequi"), ["text:a"]);
    assert!(found(&index, "mangaba").is_empty());
}

#[test]
fn the_weight_of_titles_changes_without_indexing_again() {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    let both = [
        ("text:titled", "Fotossíntese", "As plantas e a luz do dia, em poucas palavras simples e claras."),
        ("text:body", "Plantas", "fotossíntese, fotossíntese e a luz do dia, em poucas palavras simples."),
    ];
    index.apply(&batch(&both), Control::default()).unwrap();
    let first = |weight| {
        let hits = index.retrieve(&Query::new("fotossíntese luz").with_title_weight(weight)).unwrap().hits;
        hits[0].document.id.to_string()
    };
    assert_eq!(first(0.0), "text:body");
    assert_eq!(first(2.0), "text:titled");
    // Nonsense weights are no weight.
    assert_eq!(first(f32::NAN), "text:body");
    assert_eq!(first(-1.0), "text:body");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever is asked, the search answers, and each hit is real.
    #[test]
    fn any_text_can_be_asked(text in ".{0,200}", quotes in "[\"*(){}:^a-zç -]{0,80}") {
        let (_dir, index) = sample();
        for text in [text, quotes] {
            for hit in index.retrieve(&Query::new(text)).unwrap().hits {
                prop_assert!(hit.score.is_finite());
                prop_assert_eq!(index.chunks(hit.chunk.doc()).unwrap(), vec![hit.chunk]);
            }
        }
    }

    /// A phrase taken from a passage finds that passage, whatever else is there.
    #[test]
    fn a_phrase_finds_its_passage(
        texts in prop::collection::vec("[a-e]{1,3}( [a-e]{1,3}){4,12}", 2..8),
        pick in any::<prop::sample::Index>(), from in any::<prop::sample::Index>(),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let index = Index::open(dir.path()).unwrap().index;
        let mut all = Batch::new();
        for (n, text) in texts.iter().enumerate() {
            let id = format!("text:{n}");
            all.upsert(document(&id, "t", text).0, vec![chunk(&id, text)]);
        }
        index.apply(&all, Control::default()).unwrap();
        let wanted = pick.index(texts.len());
        let words: Vec<&str> = texts[wanted].split(' ').collect();
        let start = from.index(words.len() - 2);
        let phrase = words[start..start + 3].join(" ");
        let hits = index.retrieve(&Query::new(phrase).with_limit(8)).unwrap().hits;
        let id = format!("text:{wanted}");
        prop_assert!(hits.iter().any(|hit| hit.document.id.as_str() == id && hit.explain.literal.is_some()));
    }
}
