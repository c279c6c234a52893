//! KeyBERT: the phrases of a text whose vectors are nearest to that of the text.

mod cache;
mod candidates;
mod deduce;
mod extract;
mod filter;
mod options;
mod select;
mod stopwords;

pub use cache::CacheUse;
pub use extract::{KeyBert, Keyword};
pub use options::{KeyBertOptions, Mode, PhraseFilter, Selection};
