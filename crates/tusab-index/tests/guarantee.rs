//! What stands somewhere literally is in the pool, whatever the ranking thinks of it.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod common;

use std::collections::BTreeSet;

use common::document;
use proptest::prelude::*;
use proptest::sample::select;
use tusab_index::{Batch, ChunkStore, Control, Index, Literal, Query, Retriever};

const WORDS: [&str; 16] = [
    "café", "cafe", "de", "Água", "milho", "milhos", "rádio", "14.688", "C++", "self-rag", "sol", "são",
    "que", "o", "preço", "ÁGUA",
];

/// The size of the pool in these tests: small, so that words pass it often.
const POOL: usize = 3;

fn corpus() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(
        prop::collection::vec(select(&WORDS[..]), 1..12).prop_map(|words| words.join(" ")),
        1..24,
    )
}

fn index(texts: &[String]) -> (tempfile::TempDir, Index) {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path()).unwrap().index;
    let mut batch = Batch::new();
    for (n, text) in texts.iter().enumerate() {
        let (record, chunks) = document(&format!("text:{n}"), "", text);
        batch.upsert(record, chunks);
    }
    index.apply(&batch, Control::default()).unwrap();
    (dir, index)
}

/// The documents of the pool of a query, and whether a cap bit.
fn pool(index: &Index, text: &str) -> (BTreeSet<String>, bool) {
    let query = Query::new(text).with_pool(POOL).with_whole_pool().with_duplicates();
    let found = index.retrieve(&query).unwrap();
    (found.hits.iter().map(|hit| hit.document.id.local().to_owned()).collect(), found.is_literal_capped)
}

/// The documents whose words hold those words one after the other.
fn holders(texts: &[String], words: &[String]) -> BTreeSet<String> {
    let holds = |text: &String| tusab_index::tokens(text).windows(words.len()).any(|window| window == words);
    texts.iter().enumerate().filter(|(_, text)| holds(text)).map(|(n, _)| n.to_string()).collect()
}

/// Whether any of the best `limit` passages says the whole query.
fn says_it(index: &Index, query: &Query) -> bool {
    let hits = index.retrieve(query).unwrap().hits;
    hits.iter().any(|hit| hit.explain.literal == Some(Literal::WholeQuery))
}

#[test]
fn what_says_the_query_is_not_outranked_by_what_repeats_its_words() {
    let mut texts: Vec<String> =
        (0..20).map(|n| format!("milho sol rádio milho rádio sol {n} sol rádio milho")).collect();
    texts.push(format!("hoje o rádio sol milho {}", "e outras coisas que se dizem por aí ".repeat(9)));
    let (_dir, index) = index(&texts);
    let hits = index.retrieve(&Query::new("rádio sol milho hoje").with_limit(3)).unwrap().hits;
    assert_eq!(hits[0].document.id.local(), "20", "the rare word decides");
    let hits = index.retrieve(&Query::new("o rádio sol milho").with_limit(3)).unwrap().hits;
    assert_eq!(hits.len(), 3);
    assert_eq!(hits[2].document.id.local(), "20");
    assert!(hits[1].score >= hits[2].score);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn what_says_the_whole_query_is_among_the_first(
        texts in corpus(),
        asked in prop::collection::vec(select(&WORDS[..]), 1..5),
        limit in 1_usize..4,
    ) {
        let (_dir, index) = index(&texts);
        let query = Query::new(asked.join(" ")).with_pool(POOL);
        let in_pool = says_it(&index, &query.clone().with_whole_pool().with_duplicates());
        prop_assert_eq!(says_it(&index, &query.with_limit(limit)), in_pool);
    }

    #[test]
    fn a_rare_word_brings_all_that_hold_it(texts in corpus(), asked in prop::collection::vec(select(&WORDS[..]), 1..4)) {
        let (_dir, index) = index(&texts);
        let text = asked.join(" ");
        let (pool, is_capped) = pool(&index, &text);
        let words = tusab_index::tokens(&text);
        let only_function_words = words.iter().all(|word| tusab_index::is_stopword(word));
        for word in words.iter().filter(|word| only_function_words || !tusab_index::is_stopword(word)) {
            let holders = holders(&texts, std::slice::from_ref(word));
            if holders.len() <= POOL && !is_capped {
                prop_assert!(holders.is_subset(&pool), "{word:?} of {text:?} in {holders:?}, pool {pool:?}");
            }
        }
    }

    #[test]
    fn a_phrase_brings_what_holds_it(
        texts in corpus(),
        asked in prop::collection::vec(select(&WORDS[..]), 2..4),
        other in select(&WORDS[..]),
        is_quoted in any::<bool>(),
    ) {
        let (_dir, index) = index(&texts);
        let phrase = asked.join(" ");
        let text = if is_quoted { format!("{other} \"{phrase}\"") } else { phrase.clone() };
        let (pool, is_capped) = pool(&index, &text);
        let holders = holders(&texts, &tusab_index::tokens(&phrase));
        let least = holders.len().min(POOL);
        prop_assert!(is_capped || holders.intersection(&pool).count() >= least, "{text:?}: {holders:?}, pool {pool:?}");
    }

    #[test]
    fn a_query_of_a_title_finds_that_title_first(
        titles in prop::collection::vec(prop::collection::vec(select(&WORDS[..]), 1..5), 1..8),
        texts in prop::collection::vec(prop::collection::vec(select(&WORDS[..]), 1..40), 8),
        which in any::<prop::sample::Index>(),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let index = Index::open(dir.path()).unwrap().index;
        let mut batch = Batch::new();
        for (n, (title, text)) in titles.iter().zip(&texts).enumerate() {
            let (record, chunks) = document(&format!("text:{n}"), &title.join(" "), &text.join(" "));
            batch.upsert(record, chunks);
        }
        index.apply(&batch, Control::default()).unwrap();
        let title = &titles[which.index(titles.len())];
        let mut asked = title.clone();
        asked.reverse();
        let content = |text: &str| {
            let mut words: Vec<String> = tusab_index::tokens(text);
            if words.iter().any(|word| !tusab_index::is_stopword(word)) {
                words.retain(|word| !tusab_index::is_stopword(word));
            }
            words.into_iter().collect::<BTreeSet<_>>()
        };
        let hits = index.retrieve(&Query::new(asked.join(" "))).unwrap().hits;
        prop_assert_eq!(content(&hits[0].document.title), content(&title.join(" ")));
        prop_assert!(hits[0].explain.is_title);
    }
}
