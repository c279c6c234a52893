//! What a reader of an answer is told, in which order.

use serde_json::Value;
use tusab_engine::llm::testing::{Answer as Scripted, ScriptedModel};
use tusab_engine::llm::{Delta, Error as ModelError, FinishReason, Provider, Tokens};
use tusab_engine::{AnswerEvent, AnswerKind, Error, Part};

use crate::parts::{QUESTION, engine, events, herbs, herbs_with};

fn names(events: &[AnswerEvent]) -> Vec<String> {
    let name = |event| serde_json::to_value(event).unwrap()["type"].as_str().unwrap().to_owned();
    events.iter().map(name).collect()
}

/// What a reader shows in the end: the text since it was last taken back.
fn shown(events: &[AnswerEvent]) -> String {
    events.iter().fold(String::new(), |shown, event| match event {
        AnswerEvent::Text(piece) => shown + piece,
        AnswerEvent::Withdrawn => String::new(),
        _ => shown,
    })
}

fn done(events: &[AnswerEvent]) -> &tusab_engine::Answer {
    match events.last() {
        Some(AnswerEvent::Done(answer)) => answer,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn each_event_has_its_type_and_its_data() {
    let data = tempfile::tempdir().unwrap();
    let script = Scripted::deltas([Delta::Thinking("hm".to_owned()), Delta::Text("Três [1].".to_owned())]);
    let script = script.with_usage(Tokens::new(90), Tokens::new(5)).then_finish(FinishReason::Stop);
    let model = ScriptedModel::new().then(script);
    let project = herbs_with(data.path(), &model).await;
    let events = events(project.chat("s").ask_stream(QUESTION)).await;
    assert_eq!(names(&events), ["searching", "sources", "thinking", "text", "support", "done"]);
    let json: Vec<Value> = events.iter().map(|event| serde_json::to_value(event).unwrap()).collect();
    assert_eq!(json[1]["data"][0]["title"], "Hortelã");
    assert_eq!((&json[2]["data"], &json[3]["data"]), (&"hm".into(), &"Três [1].".into()));
    assert_eq!((&json[5]["data"]["kind"], &json[5]["data"]["turn"]), (&"generated".into(), &1.into()));
    assert_eq!(done(&events).usage.unwrap().input, Some(Tokens::new(90)));
    assert_eq!(shown(&events), done(&events).text);
}

#[tokio::test]
async fn text_that_was_thinking_is_taken_back() {
    let data = tempfile::tempdir().unwrap();
    let text = |words: &str| Delta::Text(words.to_owned());
    let deltas = [text("deixa ver"), text(" bem"), Delta::TextWasThinking, text("Três "), text("horas.")];
    let model = ScriptedModel::new().then(Scripted::deltas(deltas).then_finish(FinishReason::Stop));
    let project = herbs_with(data.path(), &model).await;
    let events = events(project.chat("s").ask_stream(QUESTION)).await;
    let order =
        ["searching", "sources", "text", "text", "withdrawn", "thinking", "text", "text", "support", "done"];
    assert_eq!(names(&events), order);
    assert!(matches!(&events[5], AnswerEvent::Thinking(thought) if thought == "deixa ver bem"));
    assert_eq!((shown(&events).as_str(), done(&events).text.as_str()), ("Três horas.", "Três horas."));
    assert_eq!(project.chat("s").history().await.unwrap()[0].answer, "Três horas.");
}

#[tokio::test]
async fn a_model_that_fails_on_the_way_is_replaced_by_quotes() {
    let data = tempfile::tempdir().unwrap();
    let error = ModelError::EndedEarly { provider: Provider::OpenAiCompatible, response: None };
    let model = ScriptedModel::new()
        .then(Scripted::text("Acho que").then_fail(error))
        .then(Scripted::deltas([Delta::Thinking("só penso".to_owned())]).then_finish(FinishReason::Stop))
        .then(Scripted::text("Três horas e").then_finish(FinishReason::Length));
    let project = herbs_with(data.path(), &model).await;
    let told = events(project.chat("a").ask_stream(QUESTION)).await;
    assert_eq!(
        names(&told),
        ["searching", "sources", "text", "text", "withdrawn", "text", "support", "done"]
    );
    let answer = done(&told);
    assert_eq!((&answer.kind, shown(&told)), (&AnswerKind::Extractive, answer.text.clone()));
    assert!(answer.text.contains("três a quatro horas"), "{}", answer.text);
    // One that only thinks has answered nothing.
    let told = events(project.chat("b").ask_stream(QUESTION)).await;
    assert_eq!(done(&told).degraded[0].part(), Part::Model);
    assert!(done(&told).degraded[0].reason().contains("wrote nothing"));
    // One that is cut off is shown, and said to be.
    let told = events(project.chat("c").ask_stream(QUESTION)).await;
    assert_eq!(done(&told).text, "Três horas e");
    assert!(done(&told).degraded[0].reason().contains("cut off"));
}

#[tokio::test]
async fn what_is_answered_without_a_search_is_told_at_once() {
    let data = tempfile::tempdir().unwrap();
    let project = herbs(engine(data.path())).await;
    for question in ["Bom dia!", "quanto é 7 * 6?", "Quantos textos há na base?"] {
        let told = events(project.chat("s").ask_stream(question)).await;
        assert_eq!(names(&told), ["text", "done"], "{question}");
        assert_eq!(shown(&told), done(&told).text);
        assert!(done(&told).sources.is_empty());
    }
}

#[tokio::test]
async fn a_question_without_end_is_refused() {
    let data = tempfile::tempdir().unwrap();
    let project = herbs(engine(data.path())).await;
    let error = project.chat("s").ask(&"a".repeat(20_001)).await.unwrap_err();
    assert!(matches!(error, Error::QuestionTooLong { characters: 20_001, limit: 20_000 }), "{error:?}");
    assert!(project.chat("s").history().await.unwrap().is_empty());
    assert!(project.chat("s").ask(&"a ".repeat(10_000)).await.is_ok());
}
