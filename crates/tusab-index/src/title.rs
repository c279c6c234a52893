//! Queries that are a title.

use crate::analyze::{is_stopword, tokens};

/// The content words of a title or query, sorted, each once; `None` when there are none. A query with the words of a
/// title asks for what bears it, in whatever order they stand.
pub(crate) fn words(text: &str) -> Option<String> {
    let mut words = tokens(text);
    if words.iter().any(|word| !is_stopword(word)) {
        words.retain(|word| !is_stopword(word));
    }
    words.sort_unstable();
    words.dedup();
    // A term of an index has a largest length; titles of this one are paragraphs.
    let joined = words.join(" ");
    (!joined.is_empty() && joined.len() <= 4096).then_some(joined)
}
