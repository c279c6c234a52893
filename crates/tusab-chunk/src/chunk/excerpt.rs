//! The text of a chunk: one of its own, or a stretch of one that it shares with its neighbours.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

/// A stretch of a text that others may hold too.
#[derive(Clone, Deserialize)]
#[serde(from = "String")]
pub(crate) struct Excerpt {
    pub(super) whole: Arc<str>,
    start: usize,
    end: usize,
}

impl Excerpt {
    /// The bytes from `start` to `end` of `whole`; nothing where they are not between two characters of it.
    pub(super) fn of(whole: &Arc<str>, (start, end): (usize, usize)) -> Self {
        Self { whole: Arc::clone(whole), start, end }
    }

    pub(super) fn as_str(&self) -> &str {
        self.whole.get(self.start..self.end).unwrap_or_default()
    }
}

impl From<String> for Excerpt {
    fn from(text: String) -> Self {
        let end = text.len();
        Self { whole: text.into(), start: 0, end }
    }
}

impl PartialEq for Excerpt {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Excerpt {}

impl fmt::Debug for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl Serialize for Excerpt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
