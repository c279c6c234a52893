//! Conversations over a project.

mod feedback;
mod find;
mod follow_up;
mod generate;
pub(crate) mod help;
mod history;
mod models;
mod no_context;
mod queue;
mod route;
mod run;
mod sessions;
mod stream;
mod summary;
mod turn;

use std::sync::{Arc, PoisonError};

use tokio::runtime::Handle;

pub(crate) use feedback::{Feedback, LOCK as FEEDBACK_LOCK};
pub use feedback::{Rating, RatingCounts};
pub(crate) use history::{History, LOCK as SESSIONS_LOCK};
pub(crate) use models::ChatModels;
pub use sessions::{SessionExport, SessionInfo, Sessions};
pub use stream::{AnswerEvent, AnswerStream};
pub use summary::Summary;
pub(crate) use summary::{LOCK as SUMMARIES_LOCK, take_summaries};
pub use turn::{Turn, TurnId, TurnSource, TurnState};

use turn::LONGEST_QUESTION;

use crate::project::Inner;
use crate::runtime::blocking;
use crate::{Answer, AnswerLanguage, Error, Persona, SearchMode};

/// A conversation over a project, kept on disk under its name. Cheap to clone; clones are the same conversation.
///
/// The engine keeps the history; a caller gives nothing but the question. A history from outside could put words
/// into the model's mouth. Questions of one session are answered in the order in which they are asked, one after the
/// other.
#[derive(Debug, Clone)]
pub struct ChatSession {
    project: Arc<Inner>,
    history: Arc<History>,
    mode: SearchMode,
    persona: Persona,
    language: AnswerLanguage,
}

impl ChatSession {
    pub(crate) fn new(project: Arc<Inner>, name: &str) -> Self {
        let history = History::new(project.kept_sessions(), name);
        let history = {
            let mut sessions = project.sessions.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(sessions.entry(history.path()).or_insert_with(|| Arc::new(history)))
        };
        let (mode, persona, language) = (SearchMode::Narrow, Persona::default(), AnswerLanguage::default());
        Self { project, history, mode, persona, language }
    }

    /// Sets how the project is searched for an answer; Narrow by default.
    #[must_use]
    pub fn with_mode(mut self, mode: SearchMode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets how a model words its answers; objective by default.
    #[must_use]
    pub fn with_persona(mut self, persona: Persona) -> Self {
        self.persona = persona;
        self
    }

    /// Sets the language of the answers; that of each question by default.
    #[must_use]
    pub fn with_language(mut self, language: AnswerLanguage) -> Self {
        self.language = language;
        self
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.history.name()
    }

    /// The turns so far, oldest first; the last 100 are kept.
    ///
    /// # Errors
    /// When the session's file cannot be read.
    pub async fn history(&self) -> Result<Vec<Turn>, Error> {
        let history = Arc::clone(&self.history);
        blocking("reading a history", move || history.read()).await
    }

    /// Answers a question from the project's sources.
    ///
    /// A greeting, a question about the project itself and arithmetic are answered at once; what leans on the turns before
    /// it ("and the second one?") is completed and searched for.
    ///
    /// # Errors
    /// When the project cannot be searched, and [`Error::QuestionTooLong`]. A missing model or a failed one is no error:
    /// the answer then quotes the sources, and says so.
    pub async fn ask(&self, question: &str) -> Result<Answer, Error> {
        let mut stream = self.ask_stream(question);
        while let Some(event) = stream.next().await {
            if let AnswerEvent::Done(answer) = event? {
                return Ok(*answer);
            }
        }
        Err(Error::Internal { what: "an answer" })
    }

    /// Answers a question as a stream of events; dropping it stops the work.
    ///
    /// The question has its place in the session's order when this returns. Whoever waits for an answer of a session while a
    /// model writes another answer of the same session waits for themselves: a model asks other sessions.
    pub fn ask_stream(&self, question: &str) -> AnswerStream {
        let (events, stream) = stream::events();
        let characters = question.chars().count();
        if characters > LONGEST_QUESTION {
            events.fail(Error::QuestionTooLong { characters, limit: LONGEST_QUESTION });
            return stream;
        }
        let Ok(runtime) = Handle::try_current() else {
            events.fail(Error::NoRuntime);
            return stream;
        };
        let (session, question, place) = (self.clone(), question.to_owned(), self.history.queue.place());
        runtime.spawn(async move {
            let Some(_turn) = events.unless_gone(place.turn()).await else { return };
            if let Err(error) = run::answer(&session, &question, &events).await {
                events.fail(error);
            }
        });
        stream
    }
}
