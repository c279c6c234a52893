//! What of an answer stands in its sources.

use tusab_engine::rerank::{self, Reranker};
use tusab_engine::{AnswerEvent, Flag, SourceNumber, Support, Verdict};

use crate::common_trust::project;

const QUESTION: &str = "Quantas horas de sol o manjericão quer por dia?";

/// The events of an answer that a model has written.
async fn events(written: &str) -> Vec<AnswerEvent> {
    let data = tempfile::tempdir().unwrap();
    let project = project(data.path(), &[written]).await;
    let mut stream = project.chat("s").ask_stream(QUESTION);
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        events.push(event.unwrap());
    }
    events
}

fn done(events: Vec<AnswerEvent>) -> tusab_engine::Answer {
    match events.into_iter().last() {
        Some(AnswerEvent::Done(answer)) => *answer,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_the_sources_say_is_supported_and_quoted_where_it_stands() {
    let events = events("O manjericão quer 6 horas de sol por dia [1].").await;
    let support = events.iter().find_map(|event| match event {
        AnswerEvent::Support(support) => Some(support.clone()),
        _ => None,
    });
    assert!(matches!(events[events.len() - 2], AnswerEvent::Support(_)), "support comes before the end");
    let answer = done(events);
    assert_eq!(support.as_ref(), Some(&answer.support));
    // The same from the texts alone, however the answer came.
    assert_eq!(Support::of(&answer.text, &answer.sources, None), answer.support);
    assert!(answer.support.is_sound(), "{:?}", answer.support);
    let [sentence] = answer.support.sentences.as_slice() else { panic!("{:?}", answer.support) };
    assert_eq!(sentence.verdict, Verdict::Supported);
    let first = SourceNumber::of_index(0);
    assert_eq!(sentence.cited, [first]);
    assert_eq!(sentence.span.slice(&answer.text), Some(answer.text.as_str()));
    let quote = &sentence.quotes[0];
    assert_eq!((quote.source, quote.text.trim()), (first, "O manjericão quer seis horas de sol por dia."));
    assert_eq!(quote.span.slice(&answer.sources[0].text), Some(quote.text.as_str()));
    assert_eq!(answer.sources[0].supports, [0]);
    // What the search itself takes for the best part.
    let best = answer.sources[0].quote.unwrap().slice(&answer.sources[0].text).unwrap();
    assert_eq!(best.trim(), "O manjericão quer seis horas de sol por dia.");
}

#[tokio::test]
async fn marks_that_lead_nowhere_are_taken_out_and_told() {
    let answer = done(events("O manjericão quer seis horas de sol por dia [1, 99]. É fácil [42].").await);
    assert_eq!(answer.text, "O manjericão quer seis horas de sol por dia [1]. É fácil.");
    assert_eq!(answer.support.wrong_marks, ["[1, 99]", "[42]"]);
    assert!(!answer.support.is_sound());
}

#[tokio::test]
async fn invented_numbers_and_names_are_flagged_and_real_ones_are_not() {
    let answer = done(
        events(
            "O manjericão quer 8 horas de sol por dia [1]. Quem mediu foi a Dra. Helena Prado em 2019 [1]. \
             Foram 1250 folhas por planta [1]. O prêmio foi para Marta Azevedo [1].",
        )
        .await,
    );
    let flagged: Vec<&str> = answer
        .support
        .flags()
        .filter_map(|flag| match flag {
            Flag::Number { text, .. } | Flag::Name { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(flagged, ["8", "Marta Azevedo"], "{:?}", answer.support);
    let verdicts: Vec<Verdict> = answer.support.sentences.iter().map(|sentence| sentence.verdict).collect();
    assert_ne!(verdicts[0], Verdict::Supported, "its number stands nowhere");
    assert_eq!(verdicts[1..3], [Verdict::Supported, Verdict::Supported], "{:?}", answer.support);
    assert_eq!(verdicts[3], Verdict::Unsupported);
    for flag in answer.support.flags() {
        if let Flag::Number { span, text } | Flag::Name { span, text } = flag {
            assert_eq!(span.slice(&answer.text), Some(text.as_str()));
        }
    }
}

#[tokio::test]
async fn an_answer_in_another_language_is_judged_by_its_numbers_and_names() {
    let answer = done(
        events("Basil wants six hours of sunlight every single day [1]. Helena Prado counted 1,250 leaves on each of them [1].").await,
    );
    assert_eq!(answer.support.flags().count(), 0, "{:?}", answer.support);
    assert!(answer.support.sentences.iter().all(|sentence| sentence.verdict == Verdict::OtherLanguage));
    assert!(answer.support.is_sound());
    let answer =
        done(events("Basil wants nine hours of sunlight every single day, says Robert Miller [1].").await);
    assert_eq!(answer.support.flags().count(), 2, "{:?}", answer.support);
}

/// A cross-encoder that gives every passage one score, or fails.
struct Always(Option<f32>);

impl Reranker for Always {
    fn model(&self) -> &'static str {
        "always"
    }

    fn scores(&self, _: &str, passages: &[&str]) -> Result<Vec<f32>, rerank::Error> {
        match self.0 {
            Some(score) => Ok(vec![score; passages.len()]),
            None => Err(rerank::Error::MalformedEmbeddings { reason: "no".to_owned() }),
        }
    }
}

#[tokio::test]
async fn a_cross_encoder_lifts_what_says_it_in_other_words_by_one_verdict() {
    let sources = done(events("O manjericão quer seis horas de sol por dia [1].").await).sources;
    let verdict = |text: &str, reranker: Option<f32>| {
        let support = Support::of(text, &sources, Some(&Always(reranker)));
        support.sentences[0].verdict
    };
    let words_apart = "Essa erva gosta muito de claridade forte durante o dia [1].";
    assert_eq!(verdict(words_apart, Some(-5.0)), Verdict::Unsupported);
    assert_eq!(verdict(words_apart, Some(5.0)), Verdict::Partly);
    assert_eq!(verdict(words_apart, None), Verdict::Unsupported);
    // What stands nowhere stays flagged, whatever the model thinks.
    let invented = "O manjericão quer nove horas de sol por dia [1].";
    assert_eq!(verdict(invented, Some(5.0)), Verdict::Partly);
}

#[tokio::test]
async fn an_extractive_answer_is_sound() {
    let data = tempfile::tempdir().unwrap();
    let answer = project(data.path(), &[]).await.chat("s").ask(QUESTION).await.unwrap();
    assert!(answer.support.is_sound(), "{:?}", answer.support);
    let quoted =
        answer.support.sentences.iter().filter(|sentence| sentence.verdict == Verdict::Supported).count();
    assert!(quoted >= 1, "{:?}", answer.support);
}
