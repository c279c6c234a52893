//! Sessions on disk: in order, whole, listed, exported, deleted.

use tusab_engine::llm::testing::{Answer as Scripted, ScriptedModel};
use tusab_engine::{AnswerEvent, TurnState};

use crate::parts::{MINT, QUESTION, engine, events, herbs, herbs_with, last_prompt};

/// A model that says how many turns it was shown.
fn counting() -> ScriptedModel {
    ScriptedModel::new()
        .with_fallback(|request| Scripted::text(&format!("resposta {}", request.messages.len() / 2 + 1)))
}

#[tokio::test]
async fn two_questions_at_once_are_answered_in_their_order() {
    let data = tempfile::tempdir().unwrap();
    let model = counting();
    let project = herbs_with(data.path(), &model).await;
    let chat = project.chat("s");
    let asked = [
        QUESTION,
        "hortelã precisa de três a quatro horas",
        "horas de sol pela manhã",
        "a hortelã precisa de três",
        "quatro horas de sol",
    ];
    let streams: Vec<_> = asked.iter().map(|question| project.chat("s").ask_stream(question)).collect();
    // The last is read first, and waits for nobody's reader.
    for stream in streams.into_iter().rev() {
        events(stream).await;
    }
    let turns = chat.history().await.unwrap();
    let said: Vec<(String, String)> = turns.into_iter().map(|turn| (turn.question, turn.answer)).collect();
    for (number, (question, answer)) in (1..).zip(&said) {
        assert_eq!(question, asked[number - 1]);
        // Each was shown those before it, up to three.
        assert_eq!(answer, &format!("resposta {}", number.min(4)));
    }
    assert_eq!(said.len(), 5);
}

#[tokio::test]
async fn a_cancelled_answer_stays_as_far_as_it_came() {
    let data = tempfile::tempdir().unwrap();
    let model = ScriptedModel::new()
        .then(Scripted::text("Três ou quatro").then_hang())
        .with_fallback(|_| Scripted::text("Sim."));
    let project = herbs_with(data.path(), &model).await;
    let chat = project.chat("s");
    let mut stream = chat.ask_stream(QUESTION);
    let mut pieces = 0;
    while pieces < 3 {
        if let AnswerEvent::Text(_) = stream.next().await.unwrap().unwrap() {
            pieces += 1;
        }
    }
    drop(stream);
    // Waits for what was asked before.
    let turns = chat.export().await.unwrap().turns;
    assert_eq!(
        (turns.len(), turns[0].answer.as_str(), turns[0].state),
        (1, "Três ou quatro", TurnState::Cancelled)
    );
    assert_eq!((model.open_streams(), turns[0].sources[0].title.as_str()), (0, "Hortelã"));
    // A question that is never waited for is asked of nobody, and the next one knows what was said.
    let blocked = chat.ask_stream("sol pela manhã");
    drop(blocked);
    chat.ask("horas de sol pela manhã").await.unwrap();
    let shown = model.requests().pop().unwrap();
    assert_eq!(shown.messages[1].content, "Três ou quatro");
    // Stopping keeps what was told.
    let mut stopped = chat.ask_stream("quatro horas de sol");
    let first = stopped.next().await.unwrap().unwrap();
    stopped.stop();
    assert!(matches!(first, AnswerEvent::Searching));
    while stopped.next().await.is_some() {}
}

#[test]
fn a_question_that_a_program_died_over_is_not_lost() {
    let data = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let model = ScriptedModel::new().then(Scripted::text("Três").then_hang());
        let project = herbs_with(data.path(), &model).await;
        let mut stream = project.chat("s").ask_stream(QUESTION);
        while !matches!(stream.next().await, Some(Ok(AnswerEvent::Text(_)))) {}
        std::mem::forget(stream);
    });
    runtime.shutdown_background();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let turns = runtime.block_on(async {
        let project = engine(data.path()).build().unwrap().project("Ervas").await.unwrap();
        project.chat("s").history().await.unwrap()
    });
    assert_eq!((turns[0].question.as_str(), turns[0].state), (QUESTION, TurnState::Unfinished));
}

#[tokio::test]
async fn sessions_are_listed_exported_and_deleted() {
    let data = tempfile::tempdir().unwrap();
    let project = herbs(engine(data.path())).await;
    assert!(project.sessions().await.unwrap().sessions.is_empty());
    for name in ["Segunda-feira", "../fora", "🎉"] {
        project.chat(name).ask(QUESTION).await.unwrap();
    }
    project.chat("🎉").ask("Quanto sol quer o manjericão?").await.unwrap();
    std::fs::write(data.path().join("sessions/ervas/estranho.json"), "{").unwrap();
    let listed = project.sessions().await.unwrap();
    let names: Vec<(&str, usize)> =
        listed.sessions.iter().map(|session| (session.name.as_str(), session.turns)).collect();
    assert_eq!(names, [("../fora", 1), ("Segunda-feira", 1), ("🎉", 2)]);
    assert_eq!(listed.sessions[0].last_at, "2026-07-01T12:30:00Z");
    assert_eq!(listed.unreadable.len(), 1);

    let export = project.chat("🎉").export().await.unwrap();
    assert_eq!((export.name.as_str(), export.project.as_str(), export.turns.len()), ("🎉", "Ervas", 2));
    let json = serde_json::to_value(&export).unwrap();
    let turn = &json["turns"][0];
    assert_eq!(
        (&turn["state"], &turn["by"]["kind"], &turn["id"]),
        (&"complete".into(), &"extractive".into(), &1.into())
    );
    assert_eq!(turn["sources"][0]["title"], "Hortelã");
    // What the source says is in the project, not in the history.
    assert!(!turn["sources"].to_string().contains(MINT));

    project.chat("🎉").delete().await.unwrap();
    assert_eq!(project.sessions().await.unwrap().sessions.len(), 2);
    assert!(project.chat("🎉").history().await.unwrap().is_empty());
    project.chat("🎉").ask(QUESTION).await.unwrap();
    assert_eq!(project.sessions().await.unwrap().sessions.len(), 3);
}

#[tokio::test]
async fn deleting_waits_for_the_answer_that_is_being_written() {
    let data = tempfile::tempdir().unwrap();
    let project = herbs_with(data.path(), &counting()).await;
    let chat = project.chat("s");
    let stream = chat.ask_stream(QUESTION);
    chat.delete().await.unwrap();
    events(stream).await;
    assert!(chat.history().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_model_may_ask_another_session() {
    let data = tempfile::tempdir().unwrap();
    let model = ScriptedModel::new().with_fallback(|_| Scripted::text("Sim."));
    let project = herbs_with(data.path(), &model).await;
    let inner = project.clone();
    let asking = tokio::spawn(async move {
        let mut stream = inner.chat("a").ask_stream(QUESTION);
        while let Some(event) = stream.next().await {
            if matches!(event.unwrap(), AnswerEvent::Text(_)) {
                inner.chat("b").ask(QUESTION).await.unwrap();
            }
        }
    });
    asking.await.unwrap();
    assert_eq!(project.sessions().await.unwrap().sessions.len(), 2);
    assert!(last_prompt(&model).contains(MINT));
}
