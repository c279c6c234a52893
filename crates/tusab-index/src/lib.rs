#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod analyze;
#[cfg(test)]
mod api;
mod batch;
mod bm25;
mod control;
mod duplicate;
mod error;
mod exact;
mod filter;
mod folder;
mod fusion;
mod hit;
mod index;
mod lock;
mod narrow;
#[cfg(feature = "postgres")]
mod postgres;
mod query;
mod record;
mod seam;
mod snippet;
mod store;
mod syntax;
mod title;
mod transfer;
mod vectors;

pub use analyze::{StemmedWord, detect_language, is_stopword, stemmed_words, tokens};
pub use batch::{Applied, Batch, Change, Enriched, Enrichment, Lacking, OfDocument, PageMark};
pub use control::Control;
pub use error::Error;
pub use filter::Filter;
pub use fusion::{Fusion, Ranking};
pub use hit::{Explain, Found, Hit, Literal, MatchedBy, QueryWord};
pub use index::{Hush, Index, Opened, Repair};
pub use lock::WriterLock;
#[cfg(feature = "postgres")]
pub use postgres::{
    PgFile, PgStore, Postgres, PostgresError, PostgresOptions, ProjectKey, ProjectState, TextSearch,
};
pub use query::{Query, Recency};
pub use record::{ContentHash, DocumentRecord};
pub use seam::{ChunkStore, Nearest, Retriever, Statistics};
pub use snippet::{Snippet, SnippetPart};
pub use syntax::{AdvancedQuery, Clause, Occur, ParseError, QueryPlace, Target, Wanted};
pub use transfer::copy_documents;
pub use vectors::{
    CodedRows, Dimension, InvalidVector, KeepRow, KeepVector, RowHit, SpaceMismatch, Vector, VectorFileError,
    VectorFiles, VectorGeneration, VectorHit, VectorOutcome, VectorQuery, VectorRows, VectorScan,
    VectorSearch, VectorSpace, VectorWriter, VectorsOff,
};
