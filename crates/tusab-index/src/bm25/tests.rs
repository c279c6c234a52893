//! The ranking that passes most passages over finds what one finds that looks at all.

use std::fmt::Write as _;

use proptest::prelude::*;
use tantivy::query::{AllQuery, ConstScoreQuery};
use tusab_chunk::{Body, ByteOffset, CharOffset, Chunk, Document, Language, Position, TextSpan};

use super::{Bm25, Bm25Writer, Entry, Rank, RankedTerm, Snapshot, Totals, WordField};
use crate::analyze::PassageAnalysis;
use crate::store::{ChunkKey, DocumentKey, Generation};
use crate::{ContentHash, DocumentRecord};

/// The index of those texts, in so many segments; each is a document of its own.
fn index(texts: &[String], segments: usize) -> (tempfile::TempDir, Bm25) {
    let dir = tempfile::tempdir().unwrap();
    let bm25 = Bm25::create(dir.path()).unwrap();
    let mut writer = Bm25Writer::new(&bm25).unwrap();
    let mut analysis = PassageAnalysis::default();
    let languages: [Language; 2] = ["en".parse().unwrap(), "pt".parse().unwrap()];
    let numbered: Vec<(u64, &String)> = (1..).zip(texts).collect();
    for (generation, part) in (1..).zip(numbered.chunks(texts.len().div_ceil(segments).max(1))) {
        for (key, text) in part {
            let id = format!("text:{key}").parse().unwrap();
            let document = Document::new(id, "", Body::Text(String::new()));
            let record = DocumentRecord::new(&document, ContentHash::of(1, text.as_bytes()));
            let span = TextSpan::new((ByteOffset(0), ByteOffset(1)), (CharOffset(0), CharOffset(1))).unwrap();
            let chunk = Chunk::new(document.id, 0, text.as_str(), Position::Text(span));
            let language = languages.get((*key % 2) as usize);
            analysis.read_document("", &[]);
            analysis.read_text(text);
            let entry = Entry { key: DocumentKey(*key), record: &record, language };
            writer.add(&entry, ChunkKey(*key), &chunk, &analysis).unwrap();
        }
        writer.commit(&Generation { store: "store".to_owned(), number: generation }).unwrap();
    }
    // One in seven is gone again.
    for key in (1..=texts.len() as u64).step_by(7) {
        writer.remove_chunk(ChunkKey(key));
    }
    writer.commit(&Generation { store: "store".to_owned(), number: 99 }).unwrap();
    writer.finish().unwrap();
    bm25.reload().unwrap();
    (dir, bm25)
}

fn rank(snapshot: &Snapshot, words: &[&str]) -> Rank {
    let term = |word: &&str| RankedTerm {
        field: WordField::Text,
        forms: vec![format!("e{word}"), format!("p{word}")],
        weight: 1.0,
        nominates: true,
    };
    let terms = words.iter().map(term).collect();
    Rank::of(terms, &[snapshot], Totals::of([snapshot].into_iter())).unwrap()
}

/// Scores are sums of the same numbers, in another order.
fn assert_same_best(snapshot: &Snapshot, words: &[&str], limit: usize) {
    let rank = rank(snapshot, words);
    let found = snapshot.best(&rank, 0, limit).unwrap();
    let everything = ConstScoreQuery::new(Box::new(AllQuery), 0.0);
    let all = snapshot.best_within(&rank, &everything, limit).unwrap();
    assert_eq!(found.len(), all.len(), "{words:?}");
    for ((found, _), (expected, _)) in found.iter().zip(&all) {
        assert!((found - expected).abs() < 1e-4, "{words:?}: {found} and {expected}");
    }
    let is_here = |address: &tantivy::DocAddress| {
        let readers = snapshot.searcher.segment_readers();
        !readers[address.segment_ord as usize].is_deleted(address.doc_id)
    };
    assert!(found.iter().all(|(_, address)| is_here(address)));
    assert!(found.is_sorted_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).is_lt()));
}

/// Words from very rare to very frequent, and passages of every length.
fn text(number: usize) -> String {
    let mut text = String::new();
    for at in 0..=number * 7919 % 23 {
        let place = (number * 31 + at * 17) % 997;
        let word = ["sol", "mar", "lua", "rio", "paz", "luz", "fim"]
            .into_iter()
            .zip([2, 5, 40, 90, 300, 700, 996])
            .find(|(_, upto)| place * place / 997 < *upto)
            .map_or("voz", |(word, _)| word);
        write!(text, "{word} ").unwrap();
    }
    text
}

#[test]
fn long_lists_in_blocks_and_windows_give_the_best() {
    let texts: Vec<String> = (0..40_000).map(text).collect();
    let (_dir, bm25) = index(&texts, 1);
    let snapshot = bm25.snapshot();
    for words in [
        &["sol"][..],
        &["fim"],
        &["sol", "fim"],
        &["fim", "luz"],
        &["sol", "mar", "lua", "rio", "paz", "luz", "fim"],
        &["lua", "nada"],
        &["nada"],
    ] {
        for limit in [1, 20, 3000] {
            assert_same_best(&snapshot, words, limit);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn any_passages_give_the_best(
        numbers in prop::collection::vec(0_usize..2000, 1..400),
        segments in 1_usize..4,
        asked in prop::sample::subsequence(vec!["sol", "mar", "lua", "rio", "paz", "luz", "fim", "nada"], 1..6),
        limit in 1_usize..30,
    ) {
        let texts: Vec<String> = numbers.into_iter().map(text).collect();
        let (_dir, bm25) = index(&texts, segments);
        assert_same_best(&bm25.snapshot(), &asked, limit);
    }

    #[test]
    fn passages_that_hold_all_words_are_found(
        numbers in prop::collection::vec(0_usize..2000, 1..400),
        segments in 1_usize..4,
        asked in prop::sample::subsequence(vec!["sol", "mar", "lua", "rio", "paz"], 1..4),
    ) {
        let texts: Vec<String> = numbers.into_iter().map(text).collect();
        let (_dir, bm25) = index(&texts, segments);
        let snapshot = bm25.snapshot();
        let term = |word: &&str| RankedTerm {
            field: WordField::Text,
            forms: vec![format!("={word}")],
            weight: 1.0,
            nominates: false,
        };
        let terms = asked.iter().map(term).collect();
        let rank = Rank::of(terms, &[&*snapshot], Totals::of([&*snapshot].into_iter())).unwrap();
        let holds = |text: &String| asked.iter().all(|word| text.split(' ').any(|of| of == *word));
        let holders: Vec<ChunkKey> = (1..).zip(&texts)
            .filter(|(key, text)| key % 7 != 1 && holds(text))
            .map(|(key, _)| ChunkKey(key))
            .collect();
        let found = snapshot.holding(&rank, 0, &asked, holders.len()).unwrap();
        prop_assert_eq!(found.as_ref(), Some(&holders));
        if let Some(fewer) = holders.len().checked_sub(1) {
            prop_assert_eq!(snapshot.holding(&rank, 0, &asked, fewer).unwrap(), None);
        }
    }
}
