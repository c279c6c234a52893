#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers of words, all small"
)]

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn signature(text: &str) -> Signature {
    Signature::of(words(text)).unwrap()
}

/// The share of common runs of three words, counted.
fn jaccard(a: &[String], b: &[String]) -> f64 {
    let runs = |words: &[String]| words.windows(3).map(<[String]>::to_vec).collect::<HashSet<_>>();
    let (a, b) = (runs(a), runs(b));
    a.intersection(&b).count() as f64 / a.union(&b).count() as f64
}

/// Words by the law of frequent and rare ones, from a seed.
fn prose(seed: u64, length: usize) -> Vec<String> {
    let draw = |at: usize| hash::mix(seed ^ hash::mix(at as u64)) as f64 / u64::MAX as f64;
    (0..length).map(|at| format!("w{}", (5000_f64.powf(draw(at))) as u64)).collect()
}

#[test]
fn the_bytes_never_change() {
    let bytes = signature("A taxa de juros foi mantida em 13,75% ao ano.").to_bytes();
    assert_eq!(bytes[..8], GOLDEN_LONG, "stored signatures need a migration");
    assert_eq!(signature("informação").to_bytes()[..8], GOLDEN_SHORT, "stored signatures need a migration");
    assert_eq!(Signature::from_bytes(bytes).to_bytes(), bytes);
    assert_eq!(bytes.len(), Signature::BYTES);
}

const GOLDEN_LONG: [u8; 8] = [97, 213, 131, 232, 119, 53, 119, 4];
const GOLDEN_SHORT: [u8; 8] = [123, 219, 75, 148, 142, 162, 219, 177];

#[test]
fn the_estimate_errs_no_more_than_it_says() {
    // Number of words, and the standard error that is allowed; 128 cells alone have sqrt(.25 / 128) = .044 at most.
    for (length, allowed) in [(12, 0.065), (30, 0.06), (100, 0.05), (330, 0.05)] {
        for shared in [0.1, 0.3, 0.5, 0.7, 0.9] {
            let (mut squares, mut bias) = (0.0, 0.0);
            for seed in 0..100 {
                let common = prose(seed, length);
                let cut = (length as f64 * shared) as usize;
                let other: Vec<String> =
                    common[..cut].iter().cloned().chain(prose(seed + 1000, length - cut)).collect();
                let (a, b) = (Signature::of(&common).unwrap(), Signature::of(&other).unwrap());
                let error = f64::from(a.similarity(&b)) - jaccard(&common, &other);
                squares += error * error / 100.0;
                bias += error / 100.0;
            }
            let error = squares.sqrt();
            assert!(error <= allowed, "{length} words, {shared} shared: {error}");
            assert!(bias.abs() <= 0.01, "{length} words, {shared} shared: {bias}");
        }
    }
}

const PT: &str = "O comitê de política monetária decidiu manter a taxa básica de juros em treze vírgula \
    setenta e cinco por cento ao ano. Segundo a ata, a inflação de serviços segue acima do compatível com \
    a meta, e as expectativas continuam afastadas dela. Dois diretores lembraram que o câmbio ajudou os \
    preços dos alimentos nos últimos meses, mas que o efeito pode não durar. O presidente disse que a \
    próxima reunião avaliará de novo o balanço de riscos e que não há decisão tomada sobre o que será \
    feito até o fim do ano, porque a atividade ainda surpreende.";
const EN: &str = "In this video we build a small search engine from scratch. First we split every document \
    into words, then we store for each word the list of documents that contain it. When somebody asks a \
    question, we look up its words, count how often they appear, and give rare words more weight than \
    common ones. That is most of what ranking by term frequency means. At the end we compare our toy with \
    a real library and find that it is slower, but that it returns nearly the same first ten results for \
    almost every question that we tried.";

/// The text with every `step`-th word replaced, as another transcription has it.
fn mistaken(text: &str, step: usize) -> String {
    let words =
        text.split(' ').enumerate().map(|(at, word)| if at % step == step - 1 { "hum" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

/// The second of two windows of the text's words repeated as other words, of which `overlap` are shared.
fn windows(seed: u64, overlap: f64) -> (Vec<String>, Vec<String>) {
    let text = prose(seed, 700);
    let start = 330 - (330.0 * overlap) as usize;
    (text[..330].to_vec(), text[start..start + 330].to_vec())
}

#[test]
fn the_same_said_again_is_a_duplicate() {
    for text in [PT, EN] {
        let original = signature(text);
        let again = text.to_uppercase().replace([',', '.'], " ");
        assert!(original.is_near_duplicate(&signature(&again)));
        assert!(original.is_near_duplicate(&signature(&format!("Olá, pessoal! {text} Até mais."))));
        for step in [40, 80] {
            assert!(original.is_near_duplicate(&signature(&mistaken(text, step))), "one word in {step}");
        }
    }
    for seed in 0..50 {
        for overlap in [0.93, 0.95, 0.98] {
            let (a, b) = windows(seed, overlap);
            let (a, b) = (Signature::of(a).unwrap(), Signature::of(b).unwrap());
            assert!(a.is_near_duplicate(&b), "overlap {overlap}: {}", a.similarity(&b));
        }
    }
}

#[test]
fn what_only_resembles_is_none() {
    assert!(!signature(PT).is_near_duplicate(&signature(EN)));
    for seed in 0..50 {
        for overlap in [0.0, 0.1, 0.125, 0.25, 0.5, 0.75] {
            let (a, b) = windows(seed, overlap);
            let (a, b) = (Signature::of(a).unwrap(), Signature::of(b).unwrap());
            assert!(!a.is_near_duplicate(&b), "overlap {overlap}: {}", a.similarity(&b));
        }
    }
    let notice = |number: &str, body: &str, what: &str, value: &str, date: &str| {
        format!(
            "Extrato de contrato número {number}. Contratante: {body}. Objeto: {what}. O valor total é de \
             {value}, pago em parcelas mensais. A vigência começa em {date} e pode ser prorrogada na forma \
             da lei."
        )
    };
    let bridge = notice(
        "12",
        "Prefeitura de Ouro Preto",
        "reforma da ponte sobre o ribeirão",
        "trezentos mil reais",
        "maio",
    );
    let meals =
        notice("87", "Secretaria de Educação", "merenda para as escolas do campo", "dois milhões", "agosto");
    assert!(!signature(&bridge).is_near_duplicate(&signature(&meals)));
    // Almost the same words, and another answer: nobody may miss one for the other.
    let first = "Os jovens que procuram o primeiro emprego podem pedir o apoio no centro da sua região, \
        onde uma equipe explica as condições, ajuda a preencher o pedido e acompanha a abertura da \
        empresa.";
    let unemployed =
        first.replace("jovens que procuram o primeiro emprego", "desempregados que recebem o seguro");
    assert!(!signature(first).is_near_duplicate(&signature(&unemployed)));
    let release = |version: &str, first: &str, second: &str| {
        format!(
            "We are happy to announce version {version}, which is available now from the usual place. This \
             release {first}, and it {second}. As always, please read the notes before you upgrade, and \
             thank you to all who helped."
        )
    };
    let one =
        release("two", "makes opening large files much faster", "repairs the search for words with accents");
    let two = release("three", "adds a dark theme and smaller icons", "drops support for the oldest systems");
    assert!(!signature(&one).is_near_duplicate(&signature(&two)));
}

#[test]
fn short_texts_are_alike_when_equal() {
    assert!(Signature::of(Vec::<String>::new()).is_none());
    let texts = ["sim", "não", "sim sim", "sim não", "não sim", "a b", "ab", "um dois três", "um dois"];
    for a in texts {
        for b in texts {
            assert_eq!(signature(a).is_near_duplicate(&signature(b)), a == b, "{a:?} {b:?}");
        }
    }
    // Chance makes none of thousands of short texts equal.
    let many: Vec<Signature> = (0..2000).map(|n| signature(&format!("parte {n} {}", n % 7))).collect();
    let alike = |at: usize| many[..at].iter().filter(|other| other.is_near_duplicate(&many[at])).count();
    assert_eq!((0..many.len()).map(alike).sum::<usize>(), 0);
}

proptest! {
    #[test]
    fn a_passage_resembles_itself_and_resemblance_is_mutual(
        a in prop::collection::vec("[a-cé]{1,12}", 1..80),
        b in prop::collection::vec("[a-cé]{1,12}", 1..80),
    ) {
        let (a, b) = (Signature::of(&a).unwrap(), Signature::of(&b).unwrap());
        prop_assert!(a.similarity(&a) >= 1.0 && a.is_near_duplicate(&a));
        prop_assert_eq!(a.similarity(&b).to_bits(), b.similarity(&a).to_bits());
        prop_assert!((0.0..=1.0).contains(&a.similarity(&b)));
    }

    #[test]
    fn any_bytes_are_a_signature(bytes in any::<[u8; 32]>(), token in any::<String>()) {
        let mut all = [0; Signature::BYTES];
        all[..32].copy_from_slice(&bytes);
        let read = Signature::from_bytes(all);
        prop_assert!(read.is_near_duplicate(&read));
        prop_assert!((0.0..=1.0).contains(&read.similarity(&Signature::of([token]).unwrap())));
    }
}
