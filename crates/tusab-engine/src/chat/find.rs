//! The search behind an answer.

use std::sync::Arc;

use tusab_chunk::DocId;
use tusab_index::ChunkStore;

use super::ChatSession;
use crate::answer::{Sentence, rank};
use crate::runtime::blocking;
use crate::{Citation, Error, Found, NoContext, Search};

/// What a search found, and what of it speaks of the question.
pub(super) struct Searched {
    pub(super) found: Found,
    /// Best first.
    pub(super) sentences: Vec<Sentence>,
    /// In the order of the hits.
    pub(super) sources: Vec<Citation>,
    /// Why there is nothing, where there is nothing.
    pub(super) no_context: Option<NoContext>,
}

impl Searched {
    /// Where a hit's text speaks of the question.
    pub(super) fn focus(&self, hit: usize) -> usize {
        best(&self.sentences, hit).map_or(0, |sentence| sentence.bytes.start)
    }
}

/// The sentence of a hit that speaks of the question best.
fn best(sentences: &[Sentence], hit: usize) -> Option<&Sentence> {
    sentences.iter().find(|sentence| sentence.hit == hit && sentence.score > 0.0)
}

/// Searches for `words`. Hits of the `raised` documents come first.
pub(super) async fn find(session: &ChatSession, words: &str, raised: Vec<DocId>) -> Result<Searched, Error> {
    let search = Search::new(words).with_mode(session.mode);
    let words = words.to_owned();
    let index = Arc::clone(&session.project.index);
    let mut found = Arc::clone(&session.project).search(search).await?;
    blocking("reading what was found", move || {
        // A stable order: only documents that were found are raised, and they keep their order.
        found.hits.sort_by_key(|hit| !raised.contains(&hit.document.id));
        let no_context = if !found.hits.is_empty() {
            None
        } else if index.statistics()?.chunks == 0 {
            Some(NoContext::NothingIndexed)
        } else {
            Some(NoContext::NoMatch)
        };
        let sentences = rank(&words, &found.hits);
        let cited = |(number, hit)| {
            Citation::of(hit, best(&sentences, number).and_then(|sentence| sentence.span(hit)))
        };
        let sources = found.hits.iter().enumerate().map(cited).collect();
        Ok(Searched { found, sentences, sources, no_context })
    })
    .await
}
