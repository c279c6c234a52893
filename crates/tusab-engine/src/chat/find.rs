//! The search behind an answer.

use std::sync::Arc;

use tusab_chunk::DocId;
use tusab_index::ChunkStore;

use super::ChatSession;
use crate::answer::{Sentence, best, cite, rank};
use crate::runtime::blocking;
use crate::{Assessment, Citation, Confidence, Error, Found, NoContext, Search};

/// What a search found, and what of it speaks of the question.
pub(super) struct Searched {
    pub(super) found: Found,
    /// Best first.
    pub(super) sentences: Vec<Sentence>,
    /// In the order of the hits.
    pub(super) sources: Vec<Citation>,
    /// Why there is nothing, where there is nothing.
    pub(super) no_context: Option<NoContext>,
    /// How likely what was found holds the answer.
    pub(super) confidence: Confidence,
}

impl Searched {
    /// Where a hit's text speaks of the question.
    pub(super) fn focus(&self, hit: usize) -> usize {
        best(&self.sentences, hit).map_or(0, |sentence| sentence.bytes.start)
    }
}

/// Searches for `words`, and tells whether what is found answers them, or what is `asked` with them. Hits of the `raised`
/// documents come first.
pub(super) async fn find(
    session: &ChatSession,
    words: &str,
    asked: Option<&str>,
    raised: Vec<DocId>,
) -> Result<Searched, Error> {
    let search = Search::new(words).with_mode(session.mode);
    let words = words.to_owned();
    let index = Arc::clone(&session.project.index);
    let mut found = Arc::clone(&session.project).search(search).await?;
    let alone = match asked {
        Some(asked) => {
            let found = Arc::clone(&session.project).search(Search::new(asked)).await?;
            Some((asked.to_owned(), found))
        }
        None => None,
    };
    let reranker = session.project.models.reranker.clone();
    blocking("reading what was found", move || {
        let assessment = match &reranker {
            Some(reranker) => Assessment::read(&words, &found, &**reranker),
            None => Assessment::of(&words, &found),
        };
        let Assessment { mut confidence, mut no_context, .. } = assessment;
        if let Some((asked, alone)) = alone
            && no_context == Some(NoContext::LowConfidence)
        {
            let alone = Assessment::of(&asked, &alone);
            if alone.no_context.is_none() {
                (confidence, no_context) = (alone.confidence, None);
            }
        }
        if no_context == Some(NoContext::NoMatch) && index.statistics()?.chunks == 0 {
            no_context = Some(NoContext::NothingIndexed);
        }
        if no_context.is_some() {
            // What does not answer is not shown.
            return Ok(Searched {
                found,
                sentences: Vec::new(),
                sources: Vec::new(),
                no_context,
                confidence,
            });
        }
        found.raise(|hit| raised.contains(&hit.document.id));
        let sentences = rank(&words, &found);
        let sources = cite(&found, &sentences);
        Ok(Searched { found, sentences, sources, no_context, confidence })
    })
    .await
}
