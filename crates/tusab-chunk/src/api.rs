//! What every public type promises beyond its methods, checked whenever the tests are compiled.

use std::fmt::Debug;

/// Can be shared by threads, and shown where something went wrong.
const fn promises<T: Debug + Send + Sync>() {}

const _: () = {
    promises::<crate::Body>();
    promises::<crate::ByteOffset>();
    promises::<crate::Chapter>();
    promises::<crate::Chapters>();
    promises::<crate::CharOffset>();
    promises::<crate::Characters>();
    promises::<crate::Chars>();
    promises::<crate::Chunk>();
    promises::<crate::ChunkId>();
    promises::<crate::ChunkList<'_>>();
    promises::<crate::Date>();
    promises::<crate::DateTime>();
    promises::<crate::DateTimeSpan>();
    promises::<crate::DocId>();
    promises::<crate::Document>();
    promises::<crate::Error>();
    promises::<crate::Graphemes>();
    promises::<crate::Language>();
    promises::<crate::Mark>();
    promises::<crate::MeasureError>();
    promises::<crate::MeasuredWindows<()>>();
    promises::<crate::MediaTime>();
    promises::<crate::Part>();
    promises::<crate::Position>();
    promises::<crate::Segment>();
    promises::<crate::SourceKind>();
    promises::<crate::TextSpan>();
    promises::<crate::TextWindows>();
    promises::<crate::TimeSpan>();
    promises::<crate::TimeWindows>();
    promises::<crate::Turn>();
    promises::<crate::TurnSpan>();
    promises::<crate::TurnWindows>();
    promises::<crate::Units>();
    promises::<crate::When>();
    promises::<crate::Windows>();
    promises::<crate::Words>();
};

#[cfg(feature = "tokenizers")]
const _: () = {
    promises::<crate::Tokens>();
};
