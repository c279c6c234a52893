use std::time::Duration;

use serde::Serialize;

/// Where a search's time went; a part that did not take place took none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchTimings {
    /// Writing the question in other words, by the auxiliary model.
    pub expansion: Duration,
    /// Finding by words: BM25 and what stands there literally.
    pub words: Duration,
    /// Embedding the question.
    pub embedding: Duration,
    /// Finding by meaning.
    pub meaning: Duration,
    /// Reading the candidates with the cross-encoder.
    pub reranking: Duration,
    /// All of it.
    pub total: Duration,
}

impl Serialize for SearchTimings {
    /// Milliseconds, by the names of the fields with `_ms`.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let parts = [
            ("expansion_ms", self.expansion),
            ("words_ms", self.words),
            ("embedding_ms", self.embedding),
            ("meaning_ms", self.meaning),
            ("reranking_ms", self.reranking),
            ("total_ms", self.total),
        ];
        let mut fields = serializer.serialize_struct("SearchTimings", parts.len())?;
        for (name, part) in parts {
            fields.serialize_field(name, &(part.as_secs_f64() * 1e3))?;
        }
        fields.end()
    }
}
