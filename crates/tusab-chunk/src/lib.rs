#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod chapter;
mod chunk;
mod chunker;
mod date;
mod document;
mod error;
mod id;
mod language;
mod offset;
mod pack;
mod text;
mod time;
mod timed;

pub use chapter::Chapters;
pub use chunk::{Chunk, Part, Position};
pub use chunker::{Chunker, Windows};
pub use date::Date;
pub use document::{Body, Chapter, Document, Segment};
pub use error::Error;
pub use id::{ChunkId, DocId, SourceKind};
pub use language::Language;
pub use offset::{ByteOffset, CharOffset, Chars, TextSpan};
pub use text::TextWindows;
pub use time::{MediaTime, TimeSpan};
pub use timed::TimeWindows;
