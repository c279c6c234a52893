use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tusab_ingest::{Outcome, Stop, UnixTime, VideoId};

use crate::{Progress, Stage};

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
    /// How far a stage of the work is; told again and again while it lasts.
    Progress {
        /// The project.
        project: String,
        /// Of what.
        stage: Stage,
        /// How far.
        progress: Progress,
    },
    /// Another run is asking YouTube; this one waits for its turn.
    YouTubeWaiting {
        /// The project.
        project: String,
        /// What is to be taken in.
        url: String,
    },
    /// A tab or a playlist was listed, or refused.
    YouTubeListed {
        /// The project.
        project: String,
        /// Which.
        url: String,
        /// How many videos it holds.
        videos: usize,
        /// Why it was refused, or what went wrong on the way.
        trouble: Option<String>,
    },
    /// A video was looked at; with [`Outcome::Captions`] it is durable and searchable.
    YouTubeVideo {
        /// The project.
        project: String,
        /// Which.
        video: VideoId,
        /// Its title, where the site told it.
        title: Option<String>,
        /// What became of it.
        outcome: Outcome,
        /// Videos done so far.
        done: usize,
        /// Videos listed and wanted so far.
        total: usize,
        /// How long it will take at the rate so far.
        to_end: Option<Duration>,
    },
    /// The site wants to be left alone; what is left stays in the queue.
    YouTubeStopped {
        /// The project.
        project: String,
        /// What is taken in.
        url: String,
        /// Why.
        reason: Stop,
        /// When it makes sense to go on.
        until: UnixTime,
    },
    /// A project is being written into a file.
    Exporting {
        /// The project.
        project: String,
        /// Bytes written so far, before they are compressed.
        done: u64,
        /// Bytes to be written.
        total: u64,
    },
    /// A file is being unpacked and compared, to become a project.
    Importing {
        /// What the project will be called.
        project: String,
        /// Bytes unpacked so far.
        done: u64,
        /// Bytes to be unpacked.
        total: u64,
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
