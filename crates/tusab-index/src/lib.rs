#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod analyze;
mod batch;
mod bm25;
mod control;
mod error;
mod exact;
mod hit;
mod index;
mod lock;
mod narrow;
mod query;
mod record;
mod seam;
mod store;

pub use analyze::{is_stopword, tokens};
pub use batch::{Applied, Batch, Change};
pub use control::Control;
pub use error::Error;
pub use hit::{Explain, Hit, Literal, MatchedBy};
pub use index::{Index, Opened, Repair};
pub use lock::WriterLock;
pub use query::Query;
pub use record::{ContentHash, DocumentRecord};
pub use seam::{ChunkStore, Retriever, Statistics};
