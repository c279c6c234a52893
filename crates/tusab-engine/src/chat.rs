//! Conversations over a project.

mod history;
mod run;

use std::future::poll_fn;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll};

use serde::Serialize;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

pub(crate) use history::History;
pub use history::Turn;

use crate::project::Inner;
use crate::{Answer, Citation, Error, SearchMode, Support};

/// A conversation over a project, kept on disk under its name.
///
/// The engine keeps the history; a caller gives nothing but the question. A history from outside could put words
/// into the model's mouth.
#[derive(Debug, Clone)]
pub struct ChatSession {
    project: Arc<Inner>,
    history: Arc<History>,
    mode: SearchMode,
}

impl ChatSession {
    pub(crate) fn new(project: Arc<Inner>, name: &str) -> Self {
        let history = History::at(&project.dirs.sessions, name);
        let history = {
            let mut sessions = project.sessions.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(sessions.entry(history.path().to_owned()).or_insert_with(|| Arc::new(history)))
        };
        Self { project, history, mode: SearchMode::Narrow }
    }

    /// Sets how the project is searched for an answer; Narrow by default.
    #[must_use]
    pub fn with_mode(mut self, mode: SearchMode) -> Self {
        self.mode = mode;
        self
    }

    /// The turns so far, oldest first; the last 100 are kept.
    ///
    /// # Errors
    /// When the session's file cannot be read.
    pub async fn history(&self) -> Result<Vec<Turn>, Error> {
        let history = Arc::clone(&self.history);
        crate::runtime::blocking("reading a history", move || history.read()).await
    }

    /// Answers a question from the project's sources.
    ///
    /// # Errors
    /// When the project cannot be searched. A missing model or a failed one is no error: the answer then quotes the
    /// sources, and says so.
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
    pub fn ask_stream(&self, question: &str) -> AnswerStream {
        // A small buffer: a reader that is slow slows the model down instead of filling the memory.
        let (events, receiver) = mpsc::channel(16);
        let (session, question) = (self.clone(), question.to_owned());
        let Ok(runtime) = Handle::try_current() else {
            // There is room: nothing was sent yet.
            let _ = events.try_send(Err(Error::NoRuntime));
            return AnswerStream { receiver, task: None };
        };
        let task = runtime.spawn(async move {
            if let Err(error) = run::answer(&session, &question, &events).await {
                // A reader that has gone needs no error.
                let _ = events.send(Err(error)).await;
            }
        });
        AnswerStream { receiver, task: Some(task.abort_handle()) }
    }
}

/// What happens while an answer is made, in this order: `Searching`, `Sources`, any number of `Text`, `Support`,
/// `Done`.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
#[non_exhaustive]
pub enum AnswerEvent {
    /// The project is being searched.
    Searching,
    /// The passages that the answer will rest on; empty when there are none.
    Sources(Vec<Citation>),
    /// The next piece of the answer's text. When a model fails after its first words, the whole text of `Done`
    /// takes the place of what came before.
    Text(String),
    /// What of the answer stands in its sources; before `Done`. Its offsets are those of the text of `Done`, from which
    /// marks that lead to no source are taken out.
    Support(Support),
    /// The whole answer; always last.
    Done(Box<Answer>),
}

/// An answer as it is made.
#[derive(Debug)]
#[must_use = "dropping the stream stops the answer"]
pub struct AnswerStream {
    receiver: mpsc::Receiver<Result<AnswerEvent, Error>>,
    /// `None` when it could not be started.
    task: Option<AbortHandle>,
}

impl AnswerStream {
    /// Waits for the next event; `None` after the last. An error is the last.
    ///
    /// # Errors
    /// When the project cannot be searched.
    pub async fn next(&mut self) -> Option<Result<AnswerEvent, Error>> {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    /// The same as [`next`](Self::next) for code that polls.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<AnswerEvent, Error>>> {
        self.receiver.poll_recv(cx)
    }
}

impl Drop for AnswerStream {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}
