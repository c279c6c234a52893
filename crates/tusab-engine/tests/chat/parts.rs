//! What the tests of conversations share.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tusab_engine::llm::testing::ScriptedModel;
use tusab_engine::{AnswerEvent, AnswerStream, Cancel, Clock, Engine, EngineBuilder, Project, Source};

pub(crate) const MINT: &str = "A hortelã precisa de três a quatro horas de sol pela manhã.";
pub(crate) const BASIL: &str = "O manjericão precisa de seis horas de sol direto por dia.";
pub(crate) const QUESTION: &str = "Quantas horas de sol a hortelã precisa?";

/// Always 2026-07-01T12:30:00Z.
pub(crate) struct Noon;

impl Clock for Noon {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_mins(29_715_150)
    }
}

pub(crate) fn engine(data: &Path) -> EngineBuilder {
    Engine::builder().data_dir(data).clock(Arc::new(Noon))
}

/// A project with two texts.
pub(crate) async fn herbs(engine: EngineBuilder) -> Project {
    let project = engine.build().unwrap().project("Ervas").await.unwrap();
    let sources = vec![Source::text("Hortelã", MINT), Source::text("Manjericão", BASIL)];
    let report = project.ingest_all(sources, &Cancel::new()).await.unwrap();
    assert_eq!(report.failed(), 0, "{report:?}");
    project
}

/// The same, answered by a model.
pub(crate) async fn herbs_with(data: &Path, model: &ScriptedModel) -> Project {
    herbs(engine(data).model(Arc::new(model.clone()))).await
}

/// Reads a stream to its end.
pub(crate) async fn events(mut stream: AnswerStream) -> Vec<AnswerEvent> {
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        events.push(event.unwrap());
    }
    events
}

/// The last message of the last request.
pub(crate) fn last_prompt(model: &ScriptedModel) -> String {
    model.requests().last().unwrap().messages.last().unwrap().content.clone()
}
