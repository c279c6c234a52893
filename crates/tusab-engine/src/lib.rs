#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod answer;
#[cfg(test)]
mod api;
#[cfg(feature = "blocking")]
#[cfg_attr(docsrs, doc(cfg(feature = "blocking")))]
pub mod blocking;
mod cancel;
mod chat;
mod clock;
mod config;
mod degradation;
mod engine;
mod error;
mod event;
mod keep;
mod legacy;
mod models;
mod offline;
mod page;
mod pause;
mod portable;
mod progress;
mod project;
mod runtime;
mod search;
mod share;
mod storage;

pub use answer::{
    Answer, AnswerKind, AnswerLanguage, Assessment, Citation, Confidence, CustomPersona, Evidence, Flag,
    LeftOut, NoContext, Persona, Quote, Reading, SentenceSupport, SourceNumber, Support, Verdict,
};
pub use cancel::Cancel;
pub use chat::{
    AnswerEvent, AnswerStream, ChatSession, Rating, RatingCounts, SessionExport, SessionInfo, Sessions,
    Summary, Turn, TurnId, TurnSource, TurnState,
};
pub use clock::{Clock, SystemClock};
pub use config::{Config, KeySource, Settings};
pub use degradation::{Degradation, Part};
pub use engine::{Engine, EngineBuilder};
pub use error::Error;
pub use event::Event;
pub use legacy::{LegacyChannel, LegacyFate, LegacyItem, LegacyProject, LegacyReport};
pub use models::{KeyPhraseOrder, ProviderEmbedder};
pub use offline::Offline;
pub use pause::Pause;
pub use portable::{ExportOptions, ExportReport, ImportOptions, Imported, PortableFault};
pub use progress::{Progress, Stage};
pub use project::{
    EnrichReport, Enricher, FolderOptions, Followed, IngestQueue, IngestReport, ItemReport, MergeReport,
    Outcome, Project, ProjectInfo, Projects, PurgeReport, QueueId, QueueReport, QueuedReport, QueuedSource,
    QueuedYouTube, RefreshReport, RefreshedSource, RemovedSource, Schedule, Source, SourceInfo, Statistics,
    SyncReport, TrashedProject, VideoReport, YouTubeOptions, YouTubeReport,
};
pub use search::{Found, Ranks, Search, SearchMode, SearchTimings, Searcher, pool_for};
pub use share::{Card, ShareFormat, ShareOptions, anki_csv};
pub use storage::{CEREBRO_DIR, NEURAL_DIR};

pub use tusab_chunk as chunk;
pub use tusab_index as index;
pub use tusab_ingest as ingest;
pub use tusab_llm as llm;
pub use tusab_rerank as rerank;

/// The name of the Python app's engine module: code by the old name goes on working. What concerns answers is in
/// [`agent_tusab`].
///
/// Deprecated: the same things stand at the root of this crate, under the names that are kept.
pub mod motor_tusab {
    #[cfg(feature = "blocking")]
    pub use crate::blocking;
    pub use crate::{
        CEREBRO_DIR, Cancel, Card, Clock, Config, Degradation, Engine, EngineBuilder, EnrichReport, Enricher,
        Error, Event, ExportOptions, ExportReport, FolderOptions, Followed, Found, ImportOptions, Imported,
        IngestQueue, IngestReport, ItemReport, KeyPhraseOrder, KeySource, LegacyChannel, LegacyFate,
        LegacyItem, LegacyProject, LegacyReport, MergeReport, NEURAL_DIR, Offline, Outcome, Part, Pause,
        PortableFault, Progress, Project, ProjectInfo, Projects, ProviderEmbedder, PurgeReport, QueueId,
        QueueReport, QueuedReport, QueuedSource, QueuedYouTube, Ranks, RefreshReport, RefreshedSource,
        RemovedSource, Schedule, Search, SearchMode, SearchTimings, Searcher, Settings, ShareFormat,
        ShareOptions, Source, SourceInfo, Stage, Statistics, SyncReport, SystemClock, TrashedProject,
        VideoReport, YouTubeOptions, YouTubeReport, anki_csv, chunk, index, ingest, llm, pool_for, rerank,
    };
}

/// The name of the Python app's assistant module: code by the old name goes on working. What concerns projects is in
/// [`motor_tusab`].
///
/// Deprecated: the same things stand at the root of this crate, under the names that are kept.
pub mod agent_tusab {
    #[cfg(feature = "blocking")]
    pub use crate::blocking;
    pub use crate::{
        Answer, AnswerEvent, AnswerKind, AnswerLanguage, AnswerStream, Assessment, Cancel, ChatSession,
        Citation, Clock, Confidence, Config, CustomPersona, Degradation, Engine, EngineBuilder, Error, Event,
        Evidence, Flag, Found, KeySource, LeftOut, NoContext, Offline, Part, Persona, Project,
        ProviderEmbedder, Quote, Ranks, Rating, RatingCounts, Reading, Search, SearchMode, SearchTimings,
        SentenceSupport, SessionExport, SessionInfo, Sessions, Settings, SourceNumber, Summary, Support,
        SystemClock, Turn, TurnId, TurnSource, TurnState, Verdict, chunk, index, ingest, llm, pool_for,
        rerank,
    };
}
