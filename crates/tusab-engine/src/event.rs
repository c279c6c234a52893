use std::fmt;
use std::sync::Arc;

use serde::Serialize;

/// What the engine is doing, told to the handler given to [`EngineBuilder::on_event`](crate::EngineBuilder::on_event).
///
/// The handler may call back into the engine: no lock is held while it runs. It should return soon, since events
/// of one operation come one after another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// Opening a project mended what a crash or a foreign hand had left behind.
    Repaired {
        /// The project.
        project: String,
        /// What was mended, for people.
        what: String,
    },
    /// An ingest begins.
    IngestStarted {
        /// The project.
        project: String,
        /// Number of sources.
        total: usize,
    },
    /// A source was read and parsed, or failed.
    SourceRead {
        /// The project.
        project: String,
        /// The source, as a person names it.
        name: String,
        /// Sources read so far.
        done: usize,
        /// Number of sources.
        total: usize,
    },
    /// Documents read so far are becoming searchable.
    Indexing {
        /// The project.
        project: String,
        /// Documents of this batch indexed so far.
        done: usize,
        /// Documents of this batch.
        total: usize,
    },
    /// An ingest ended; what its report counts as stored is durable and searchable.
    IngestFinished {
        /// The project.
        project: String,
        /// Documents new or changed.
        stored: usize,
        /// Sources that failed.
        failed: usize,
    },
}

/// The caller's handler.
#[derive(Clone)]
pub(crate) struct Handler(Arc<dyn Fn(&Event) + Send + Sync>);

impl Handler {
    pub(crate) fn new(handler: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        Self(Arc::new(handler))
    }

    pub(crate) fn tell(&self, event: &Event) {
        (self.0)(event);
    }
}

impl Default for Handler {
    fn default() -> Self {
        Self::new(|_| {})
    }
}

impl fmt::Debug for Handler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handler")
    }
}
