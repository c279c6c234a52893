//! The same calls for programs without an async runtime.
//!
//! ```no_run
//! use tusab_engine::{AnswerEvent, Source, blocking};
//!
//! let engine = blocking::Engine::new(tusab_engine::Engine::builder().data_dir("my-data").build()?)?;
//! let project = engine.project("Horta")?;
//! project.ingest(Source::file("notas.txt"))?;
//! for event in project.chat("first").ask_stream("Quanto sol a hortelã precisa?")? {
//!     if let AnswerEvent::Text(words) = event? {
//!         print!("{words}");
//!     }
//! }
//! # Ok::<(), tusab_engine::Error>(())
//! ```

use std::fmt;
use std::future::Future;
use std::path::Path;
use std::sync::Arc;

use tokio::runtime::{Builder, Handle, Runtime};
use tusab_chunk::{Chunk, DocId};
use tusab_index::DocumentRecord;
use tusab_ingest::YouTubeUrl;

use crate::{
    Answer, AnswerEvent, AnswerLanguage, Cancel, EnrichReport, Error, ExportReport, Found, Imported,
    IngestReport, LegacyReport, MergeReport, Outcome, Persona, Projects, PurgeReport, QueuedYouTube, Rating,
    RatingCounts, RemovedSource, Search, SearchMode, SessionExport, Sessions, Source, SourceInfo, Statistics,
    Summary, SyncReport, TrashedProject, Turn, TurnId, YouTubeOptions, YouTubeReport,
};

/// Methods that wait for the async ones of the same name.
macro_rules! waiting {
    ($twin:ident: $($name:ident($($argument:ident: $kind:ty),*) -> $result:ty;)*) => {
        impl $twin {
            $(
                #[doc = concat!("As [`", stringify!($twin), "::", stringify!($name), "`](crate::", stringify!($twin),
                    "::", stringify!($name), ").")]
                ///
                /// # Errors
                /// As there, and [`Error::InsideRuntime`].
                pub fn $name(&self, $($argument: $kind),*) -> Result<$result, Error> {
                    self.runner.wait(self.inner.$name($($argument),*))?
                }
            )*
        }
    };
}

/// An [`Engine`](crate::Engine) whose calls wait. Cheap to clone.
///
/// It runs what it does on one runtime of its own. Its calls give [`Error::InsideRuntime`] on a thread of an async runtime,
/// which they would stop.
#[derive(Debug, Clone)]
pub struct Engine {
    inner: crate::Engine,
    runner: Arc<Runner>,
}

waiting! { Engine:
    projects() -> Projects;
    rename_project(from: &str, to: &str) -> ();
    delete_project(name: &str) -> TrashedProject;
    trash() -> Vec<TrashedProject>;
    empty_trash() -> usize;
    import(path: impl AsRef<Path>, name: &str) -> Imported;
    import_tusab(path: impl AsRef<Path>) -> LegacyReport;
}

impl Engine {
    /// Waits for what `engine` does.
    ///
    /// # Errors
    /// [`Error::Runtime`] if the system gives no thread.
    pub fn new(engine: crate::Engine) -> Result<Self, Error> {
        Ok(Self { inner: engine, runner: Runner::new()? })
    }

    /// The engine that it waits for.
    #[must_use]
    pub fn get_ref(&self) -> &crate::Engine {
        &self.inner
    }

    /// As [`Engine::project`](crate::Engine::project).
    ///
    /// # Errors
    /// As there, and [`Error::InsideRuntime`].
    pub fn project(&self, name: &str) -> Result<Project, Error> {
        Ok(self.hold(self.runner.wait(self.inner.project(name))??))
    }

    /// As [`Engine::project_with`](crate::Engine::project_with).
    ///
    /// # Errors
    /// As there, and [`Error::InsideRuntime`].
    pub fn project_with(&self, name: &str, cancel: &Cancel) -> Result<Project, Error> {
        Ok(self.hold(self.runner.wait(self.inner.project_with(name, cancel))??))
    }

    /// As [`Engine::find_project`](crate::Engine::find_project).
    ///
    /// # Errors
    /// As there, and [`Error::InsideRuntime`].
    pub fn find_project(&self, name: &str) -> Result<Option<Project>, Error> {
        Ok(self.runner.wait(self.inner.find_project(name))??.map(|project| self.hold(project)))
    }

    /// As [`Engine::share_again`](crate::Engine::share_again).
    ///
    /// # Errors
    /// As there, and [`Error::InsideRuntime`].
    pub fn share_again(&self, name: &str) -> Result<Project, Error> {
        Ok(self.hold(self.runner.wait(self.inner.share_again(name))??))
    }

    /// As [`Engine::restore_project`](crate::Engine::restore_project).
    ///
    /// # Errors
    /// As there, and [`Error::InsideRuntime`].
    pub fn restore_project(&self, id: &str) -> Result<Project, Error> {
        Ok(self.hold(self.runner.wait(self.inner.restore_project(id))??))
    }

    /// Waits for anything else that the engine or its parts do.
    ///
    /// # Errors
    /// [`Error::InsideRuntime`].
    pub fn wait<T>(&self, work: impl Future<Output = T>) -> Result<T, Error> {
        self.runner.wait(work)
    }

    fn hold(&self, inner: crate::Project) -> Project {
        Project { inner, runner: Arc::clone(&self.runner) }
    }
}

/// A [`Project`](crate::Project) whose calls wait. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Project {
    inner: crate::Project,
    runner: Arc<Runner>,
}

waiting! { Project:
    ingest(source: Source) -> IngestReport;
    ingest_all(sources: Vec<Source>, cancel: &Cancel) -> IngestReport;
    enrich(cancel: &Cancel) -> EnrichReport;
    search(search: impl Into<Search>) -> Found;
    statistics() -> Statistics;
    sessions() -> Sessions;
    ratings() -> RatingCounts;
    summarize(doc: &DocId) -> Summary;
    sources() -> Vec<SourceInfo>;
    documents() -> Vec<DocumentRecord>;
    document(doc: &DocId) -> Option<DocumentRecord>;
    chunks(doc: &DocId) -> Vec<Chunk>;
    remove(doc: &DocId) -> bool;
    removed() -> Vec<RemovedSource>;
    restore(doc: &DocId) -> Outcome;
    purge() -> PurgeReport;
    sync(cancel: &Cancel) -> SyncReport;
    export(path: impl AsRef<Path>) -> ExportReport;
    youtube(url: &YouTubeUrl, options: &YouTubeOptions, cancel: &Cancel) -> YouTubeReport;
    youtube_queue() -> Vec<QueuedYouTube>;
}

impl Project {
    /// The project that it waits for.
    #[must_use]
    pub fn get_ref(&self) -> &crate::Project {
        &self.inner
    }

    /// As [`Project::merge_with`](crate::Project::merge_with).
    ///
    /// # Errors
    /// As there, and [`Error::InsideRuntime`].
    pub fn merge_with(&self, other: &Self, cancel: &Cancel) -> Result<MergeReport, Error> {
        self.runner.wait(self.inner.merge_with(&other.inner, cancel))?
    }

    /// As [`Project::name`](crate::Project::name).
    #[must_use]
    pub fn name(&self) -> String {
        self.inner.name()
    }

    /// As [`Project::chat`](crate::Project::chat).
    #[must_use]
    pub fn chat(&self, session: &str) -> ChatSession {
        ChatSession { inner: self.inner.chat(session), runner: Arc::clone(&self.runner) }
    }
}

/// A [`ChatSession`](crate::ChatSession) whose calls wait. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ChatSession {
    inner: crate::ChatSession,
    runner: Arc<Runner>,
}

waiting! { ChatSession:
    ask(question: &str) -> Answer;
    history() -> Vec<Turn>;
    export() -> SessionExport;
    delete() -> ();
    rate(turn: TurnId, rating: Option<Rating>) -> ();
}

impl ChatSession {
    /// The session that it waits for.
    #[must_use]
    pub fn get_ref(&self) -> &crate::ChatSession {
        &self.inner
    }

    /// As [`ChatSession::with_mode`](crate::ChatSession::with_mode).
    #[must_use]
    pub fn with_mode(mut self, mode: SearchMode) -> Self {
        self.inner = self.inner.with_mode(mode);
        self
    }

    /// As [`ChatSession::with_persona`](crate::ChatSession::with_persona).
    #[must_use]
    pub fn with_persona(mut self, persona: Persona) -> Self {
        self.inner = self.inner.with_persona(persona);
        self
    }

    /// As [`ChatSession::with_language`](crate::ChatSession::with_language).
    #[must_use]
    pub fn with_language(mut self, language: AnswerLanguage) -> Self {
        self.inner = self.inner.with_language(language);
        self
    }

    /// Begins an answer, to be read as it comes.
    ///
    /// # Errors
    /// [`Error::InsideRuntime`]; what goes wrong on the way comes with the events.
    pub fn ask_stream(&self, question: &str) -> Result<AnswerStream, Error> {
        let stream = self.runner.wait(async { self.inner.ask_stream(question) })?;
        Ok(AnswerStream { stream, runner: Arc::clone(&self.runner) })
    }
}

/// An [`AnswerStream`](crate::AnswerStream): each step waits for the next event. Dropping it stops the work.
#[derive(Debug)]
#[must_use = "dropping the stream stops the answer"]
pub struct AnswerStream {
    stream: crate::AnswerStream,
    runner: Arc<Runner>,
}

impl Iterator for AnswerStream {
    type Item = Result<AnswerEvent, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.runner.wait(self.stream.next()) {
            Ok(next) => next,
            Err(error) => Some(Err(error)),
        }
    }
}

/// A runtime with a thread of its own, which goes on while nobody waits: a cancelled answer is kept all the same.
struct Runner {
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
}

impl Runner {
    fn new() -> Result<Arc<Self>, Error> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|source| Error::Runtime { source })?;
        Ok(Arc::new(Self { runtime: Some(runtime) }))
    }

    fn wait<T>(&self, work: impl Future<Output = T>) -> Result<T, Error> {
        match &self.runtime {
            Some(runtime) if Handle::try_current().is_err() => Ok(runtime.block_on(work)),
            _ => Err(Error::InsideRuntime),
        }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        // To wait for it would panic on a thread of another runtime.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use tusab_llm::testing::{Answer as Scripted, ScriptedModel};

    use super::*;
    use crate::TurnState;

    fn engine(data: &Path, model: &ScriptedModel) -> Engine {
        let engine = crate::Engine::builder().data_dir(data).model(Arc::new(model.clone())).build().unwrap();
        Engine::new(engine).unwrap()
    }

    #[test]
    fn the_whole_line_without_a_runtime() {
        let data = tempfile::tempdir().unwrap();
        let model =
            ScriptedModel::new().then(Scripted::text("Três [1].")).then(Scripted::text("Seis").then_hang());
        let project = engine(data.path(), &model).project("Ervas").unwrap();
        project.ingest(Source::text("Hortelã", "A hortelã precisa de três horas de sol.")).unwrap();
        assert_eq!(project.search("hortelã").unwrap().hits.len(), 1);
        let chat = project.chat("s");
        assert_eq!(chat.ask("Quanto sol a hortelã precisa?").unwrap().text, "Três [1].");
        let mut stream = chat.ask_stream("três horas de sol").unwrap();
        let text = stream.find_map(|event| match event.unwrap() {
            AnswerEvent::Text(words) => Some(words),
            _ => None,
        });
        assert_eq!(text.as_deref(), Some("Seis"));
        drop(stream);
        // Kept although nobody waits for it.
        let turns = chat.export().unwrap().turns;
        assert_eq!((turns.len(), turns[1].state), (2, TurnState::Cancelled));
        assert_eq!(project.sessions().unwrap().sessions.len(), 1);
        assert!(engine(data.path(), &model).find_project("Outro").unwrap().is_none());
    }

    #[tokio::test]
    async fn on_a_thread_of_a_runtime_it_is_an_error_and_no_panic() {
        let data = tempfile::tempdir().unwrap();
        let engine = engine(data.path(), &ScriptedModel::new());
        assert!(matches!(engine.project("P"), Err(Error::InsideRuntime)));
        drop(engine);
    }
}
