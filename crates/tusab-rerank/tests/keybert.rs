//! Sentence vectors and key phrases on a model of one layer.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::missing_panics_doc,
    reason = "tests fail by panicking"
)]
#![cfg(feature = "rten")]

mod common;

use std::sync::Arc;

use common::{number, on, sentence_encoder, tiny};
use tusab_rerank::{
    Backend, Embedder, KeyBert, KeyBertOptions, LongText, Mode, PhraseFilter, Pooling, Selection,
    SentenceEncoder, SentenceOptions,
};

/// Written for these tests.
const TEXTS: [&str; 3] = [
    "The proof of the seed: quantum computers break the account, and the proof lifts it.",
    "Bolo de fubá: duas xícaras de fubá, três ovos. Bolos de fubá assam bem.",
    "ok",
];

fn options() -> SentenceOptions {
    SentenceOptions::default().with_runtime(on(Backend::Rten))
}

#[test]
fn a_long_text_is_not_cut_silently() {
    let long = format!("{} {}", "bolo fuba ".repeat(60), "quantum computer ".repeat(60));
    let vector = |encoder: &SentenceEncoder, text: &str| {
        encoder.embed_passages(&[text]).unwrap().rows().next().unwrap().to_vec()
    };
    let cosine = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let head = SentenceEncoder::new(tiny(), options().with_long_text(LongText::Head));
    let mean = SentenceEncoder::new(tiny(), options());
    let start = vector(&mean, &"bolo fuba ".repeat(20));
    assert!(cosine(&vector(&head, &long), &start) > cosine(&vector(&mean, &long), &start) + 0.01);
    assert_ne!(head.identity().unwrap(), mean.identity().unwrap());
}

#[test]
fn prefixes_stand_before_questions_and_passages_but_not_before_phrases() {
    let plain = sentence_encoder(Backend::Rten);
    let marked = SentenceEncoder::new(tiny(), options().with_prefixes("what is ", "the "));
    assert_eq!(marked.embed_query("proof").unwrap(), plain.embed_query("what is proof").unwrap());
    assert_eq!(marked.embed_passages(&["proof"]).unwrap(), plain.embed_passages(&["the proof"]).unwrap());
    assert_eq!(marked.embed_phrases(&["proof"]).unwrap(), plain.embed_phrases(&["proof"]).unwrap());
    assert_ne!(marked.identity().unwrap(), plain.identity().unwrap());
}

#[test]
fn pooling_is_chosen() {
    let cls = SentenceEncoder::new(tiny(), options().with_pooling(Pooling::Cls));
    let mean = sentence_encoder(Backend::Rten);
    assert_ne!(cls.embed_query("proof").unwrap(), mean.embed_query("proof").unwrap());
    assert_ne!(cls.identity().unwrap(), mean.identity().unwrap());
}

fn keybert(options: KeyBertOptions) -> KeyBert {
    KeyBert::new(Arc::new(sentence_encoder(Backend::Rten)), options)
}

/// The algorithm said in the plainest way, without cache, batches or shortlist.
fn plainly(text: &str, top: usize, diversity: f32) -> Vec<String> {
    let encoder = sentence_encoder(Backend::Rten);
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| word.chars().count() > 1)
        .collect();
    let mut phrases: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
    phrases.extend(words.windows(2).map(|pair| pair.join(" ")));
    phrases.sort();
    phrases.dedup();
    let vector = |text: &str| encoder.embed_heads(&[text]).unwrap().rows().next().unwrap().to_vec();
    let cosine = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let text = vector(text);
    let vectors: Vec<Vec<f32>> = phrases.iter().map(|phrase| vector(phrase)).collect();
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < top.min(phrases.len()) {
        let gain = |at: usize| {
            let near = chosen
                .iter()
                .map(|&other| cosine(&vectors[at], &vectors[other]))
                .fold(None, |most: Option<f32>, one| Some(most.map_or(one, |most| most.max(one))));
            near.map_or(cosine(&vectors[at], &text), |near| {
                (1.0 - diversity) * cosine(&vectors[at], &text) - diversity * near
            })
        };
        let open = (0..phrases.len()).filter(|at| !chosen.contains(at));
        let best = open.max_by(|&a, &b| gain(a).total_cmp(&gain(b)).then(b.cmp(&a))).unwrap();
        chosen.push(best);
    }
    let mut chosen: Vec<String> = chosen.into_iter().map(|at| phrases[at].clone()).collect();
    chosen.sort();
    chosen
}

fn sorted(keywords: Vec<tusab_rerank::Keyword>) -> Vec<String> {
    let mut phrases: Vec<String> = keywords.into_iter().map(|keyword| keyword.phrase).collect();
    phrases.sort();
    phrases
}

#[test]
fn exact_mode_does_what_the_algorithm_says() {
    let keybert = keybert(KeyBertOptions::default().with_mode(Mode::Exact));
    let all = keybert.keywords_of_each(&TEXTS).unwrap();
    for (text, keywords) in TEXTS.iter().zip(all) {
        assert!(keywords.is_sorted_by(|a, b| a.similarity >= b.similarity));
        assert_eq!(keywords, keybert.keywords(text).unwrap());
        assert_eq!(sorted(keywords), plainly(text, 8, 0.5));
    }
}

#[test]
fn a_shortlist_that_is_long_enough_leaves_nothing_out() {
    let exact = keybert(KeyBertOptions::default().with_mode(Mode::Exact));
    let long = keybert(KeyBertOptions::default().with_mode(Mode::Shortlist { shortlist: number(1000) }));
    let short = keybert(KeyBertOptions::default().with_mode(Mode::Shortlist { shortlist: number(6) }));
    for text in TEXTS {
        assert_eq!(sorted(exact.keywords(text).unwrap()), sorted(long.keywords(text).unwrap()));
        let all = text.to_lowercase();
        for keyword in short.keywords(text).unwrap() {
            assert!(keyword.phrase.split(' ').all(|word| all.contains(word)), "{}", keyword.phrase);
        }
    }
    assert!(short.cache_use().phrases < exact.cache_use().phrases);
}

#[test]
fn texts_without_words_have_no_phrases() {
    let keybert = keybert(KeyBertOptions::default());
    assert_eq!(keybert.keywords_of_each(&["", "— . !", "a b c"]).unwrap(), vec![Vec::new(); 3]);
    assert!(keybert.keywords_of_each(&[]).unwrap().is_empty());
    let sums = KeyBertOptions::default().with_selection(Selection::MaxSum { pool: number(20) });
    assert_eq!(
        KeyBert::new(Arc::new(sentence_encoder(Backend::Rten)), sums).keywords("só um").unwrap().len(),
        3
    );
}

#[test]
fn the_filter_leaves_out_stopwords_at_the_ends_and_doubles() {
    let keybert =
        keybert(KeyBertOptions::default().with_filter(PhraseFilter::PortugueseEnglish).with_top(number(30)));
    let phrases = sorted(keybert.keywords(TEXTS[1]).unwrap());
    assert!(phrases.iter().any(|phrase| phrase.contains("fubá")), "{phrases:?}");
    assert!(
        !phrases.iter().any(|phrase| phrase.starts_with("de ") || phrase.ends_with(" de") || phrase == "de"),
        "{phrases:?}"
    );
    let bolos = phrases.iter().filter(|phrase| *phrase == "bolo" || *phrase == "bolos").count();
    assert_eq!(bolos, 1, "{phrases:?}");
}

#[test]
fn of_nearly_equal_phrases_the_one_nearest_to_the_text_stays() {
    let words = ["account", "computer", "proof", "seed", "bolo", "xícara", "ovo"];
    let text = words.iter().map(|word| format!("{word}s, {word}. ")).collect::<Vec<_>>().concat();
    let all = KeyBertOptions::default().with_mode(Mode::Exact).with_longest(number(1)).with_top(number(99));
    let of_all = keybert(all.clone()).keywords(&text).unwrap();
    let kept = keybert(all.with_filter(PhraseFilter::PortugueseEnglish)).keywords(&text).unwrap();
    let similarity = |phrase: &str| of_all.iter().find(|one| one.phrase == phrase).unwrap().similarity;
    let nearest = |word: &str| {
        let plural = format!("{word}s");
        if similarity(&plural) > similarity(word) { plural } else { word.to_owned() }
    };
    let mut expected: Vec<String> = words.iter().map(|word| nearest(word)).collect();
    expected.sort();
    assert_eq!(sorted(kept), expected);
    // Neither always the singular nor always the plural, else it could be by chance.
    let plurals = expected.iter().filter(|phrase| phrase.ends_with('s')).count();
    assert!((1..words.len()).contains(&plurals), "a test that proves nothing: {expected:?}");
}

#[test]
fn prefixes_of_the_model_do_not_change_the_phrases() {
    let marked = Arc::new(SentenceEncoder::new(tiny(), options().with_prefixes("what is ", "bolo fuba ")));
    for mode in [Mode::Exact, KeyBertOptions::default().mode] {
        let options = KeyBertOptions::default().with_mode(mode);
        let plain = keybert(options.clone()).keywords_of_each(&TEXTS).unwrap();
        assert_eq!(KeyBert::new(marked.clone(), options).keywords_of_each(&TEXTS).unwrap(), plain);
    }
}

#[test]
fn vectors_are_kept_between_texts_and_between_programs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("phrases");
    let first = keybert(KeyBertOptions::default());
    let keywords = first.keywords(TEXTS[0]).unwrap();
    let misses = first.cache_use().misses;
    assert_eq!(first.keywords(TEXTS[0]).unwrap(), keywords);
    assert_eq!(first.cache_use().misses, misses, "computed twice");
    first.save_cache(&path).unwrap();

    let second = keybert(KeyBertOptions::default());
    assert_eq!(second.load_cache(&path).unwrap(), first.cache_use().phrases);
    assert_eq!(second.keywords(TEXTS[0]).unwrap(), keywords);
    assert_eq!(second.cache_use().misses, 0);

    let other = KeyBert::new(
        Arc::new(SentenceEncoder::new(tiny(), options().with_pooling(Pooling::Cls))),
        KeyBertOptions::default(),
    );
    assert_eq!(other.load_cache(&path).unwrap(), 0, "vectors of another pooling");
}
