//! Nearest passages by meaning: exact search over unit vectors, in memory and in files that are derived from the
//! store.
//!
//! From the inside out: `kernel` multiplies two rows, `scan` finds the best of a block of rows, `rows` does so over
//! a matrix in memory, `segment` and `manifest` are the files, `files` searches them and `writer` writes them.
//! `seam` is what an application, or another kind of store, sees.

mod codes;
mod dead;
mod durable;
mod error;
mod files;
mod format;
mod kernel;
mod manifest;
mod merge;
mod rows;
mod scan;
mod seam;
mod segment;
mod segment_writer;
mod space;
mod top;
mod vector;
mod writer;

pub use error::VectorFileError;
pub use files::{VectorFiles, VectorScan};
pub use manifest::VectorGeneration;
pub use rows::{CodedRows, KeepRow, RowHit, VectorRows};
pub use seam::{KeepVector, VectorHit, VectorOutcome, VectorQuery, VectorSearch, VectorsOff};
pub use space::{SpaceMismatch, VectorSpace};
pub use vector::{Dimension, InvalidVector, Vector};
pub use writer::VectorWriter;
