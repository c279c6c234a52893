#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(test)]
mod api;
mod chapter;
mod chunk;
mod chunker;
mod date;
mod datetime;
mod document;
mod error;
mod id;
mod language;
mod list;
mod markdown;
mod measure;
mod measured;
mod offset;
mod pack;
mod text;
mod time;
mod timed;
mod turn;

pub use chapter::Chapters;
pub use chunk::{Chunk, Mark, Part, Position, TurnSpan};
pub use chunker::{Chunker, Windows};
pub use date::Date;
pub use datetime::{DateTime, DateTimeSpan};
pub use document::{Body, Chapter, Document, Segment};
pub use error::Error;
pub use id::{ChunkId, DocId, SourceKind};
pub use language::Language;
pub use list::ChunkList;
#[cfg(feature = "tokenizers")]
pub use measure::Tokens;
pub use measure::{Characters, Graphemes, Measure, MeasureError, Words};
pub use measured::MeasuredWindows;
pub use offset::{ByteOffset, CharOffset, Chars, TextSpan, Units};
pub use text::TextWindows;
pub use time::{MediaTime, TimeSpan};
pub use timed::TimeWindows;
pub use turn::{Turn, TurnWindows, When};
