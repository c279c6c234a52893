//! What every public type promises beyond its methods, checked whenever the tests are compiled.

use std::fmt::Debug;

/// Can be shared by threads, and shown where something went wrong.
const fn promises<T: Debug + Send + Sync>() {}

const _: () = {
    promises::<crate::AdvancedQuery>();
    promises::<crate::Applied>();
    promises::<crate::Batch>();
    promises::<crate::Change>();
    promises::<crate::Clause>();
    promises::<crate::CodedRows<'_>>();
    promises::<crate::ContentHash>();
    promises::<crate::Dimension>();
    promises::<crate::DocumentRecord>();
    promises::<crate::Enriched>();
    promises::<crate::Enrichment>();
    promises::<crate::Error>();
    promises::<crate::Explain>();
    promises::<crate::Filter>();
    promises::<crate::Found>();
    promises::<crate::Fusion>();
    promises::<crate::Hit>();
    promises::<crate::Hush>();
    promises::<crate::Index>();
    promises::<crate::InvalidVector>();
    promises::<crate::Lacking>();
    promises::<crate::Literal>();
    promises::<crate::MatchedBy>();
    promises::<crate::Nearest>();
    promises::<crate::Occur>();
    promises::<crate::Opened>();
    promises::<crate::PageMark>();
    promises::<crate::ParseError>();
    promises::<crate::Query>();
    promises::<crate::QueryPlace>();
    promises::<crate::QueryWord>();
    promises::<crate::Ranking<'_, ()>>();
    promises::<crate::Recency>();
    promises::<crate::Repair>();
    promises::<crate::RowHit>();
    promises::<crate::Snippet>();
    promises::<crate::SnippetPart<'_>>();
    promises::<crate::SpaceMismatch>();
    promises::<crate::Statistics>();
    promises::<crate::StemmedWord>();
    promises::<crate::Target>();
    promises::<crate::Vector>();
    promises::<crate::VectorFileError>();
    promises::<crate::VectorFiles>();
    promises::<crate::VectorGeneration>();
    promises::<crate::VectorHit>();
    promises::<crate::VectorOutcome>();
    promises::<crate::VectorQuery<'_>>();
    promises::<crate::VectorRows<'_>>();
    promises::<crate::VectorScan>();
    promises::<crate::VectorSpace>();
    promises::<crate::VectorWriter>();
    promises::<crate::VectorsOff>();
    promises::<crate::Wanted>();
    promises::<crate::WriterLock>();
};

#[cfg(feature = "postgres")]
const _: () = {
    promises::<crate::PgStore>();
    promises::<crate::Postgres>();
    promises::<crate::PostgresError>();
    promises::<crate::PostgresOptions>();
};
