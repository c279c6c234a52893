//! Models whose opinions are known.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};

use tusab_engine::rerank::{Embedder, Embeddings, End, Error, Limits, Reranker, Scored};

/// A cross-encoder that gives a passage the logit of the first of its words that it has an opinion of.
#[derive(Default)]
pub(crate) struct Opinions {
    pub(crate) of: Vec<(&'static str, f32)>,
    /// Pieces a word; English under an English vocabulary by default.
    pub(crate) pieces: Option<f32>,
    /// Fails.
    pub(crate) is_broken: bool,
    /// Passages that it reads before the time is over.
    pub(crate) reads: Option<usize>,
}

impl Opinions {
    pub(crate) fn new(of: &[(&'static str, f32)]) -> Self {
        Self { of: of.to_vec(), pieces: Some(1.2), ..Self::default() }
    }
}

impl Reranker for Opinions {
    fn model(&self) -> &'static str {
        "opinions"
    }

    fn pieces_per_word(&self, _: &str) -> Option<f32> {
        self.pieces
    }

    fn scores(&self, _: &str, passages: &[&str]) -> Result<Vec<f32>, Error> {
        if self.is_broken {
            return Err(Error::Model { model: "opinions".to_owned(), source: "it has none today".into() });
        }
        let of = |passage: &&str| self.of.iter().find(|(word, _)| passage.contains(word));
        Ok(passages.iter().map(|passage| of(passage).map_or(0.0, |(_, logit)| *logit)).collect())
    }

    fn scores_within(&self, query: &str, passages: &[&str], limits: &Limits<'_>) -> Result<Scored, Error> {
        let scores = self.scores(query, passages)?;
        match (limits.reached(), self.reads) {
            (Some(end), _) => Ok(Scored::partial(vec![None; passages.len()], end)),
            (None, Some(reads)) => {
                let read = |(at, score)| (at < reads).then_some(score);
                Ok(Scored::partial(scores.into_iter().enumerate().map(read).collect(), End::OutOfTime))
            }
            (None, None) => Ok(Scored::complete(scores)),
        }
    }
}

/// An embedder with one axis a meaning: cars, bread, roads.
pub(crate) struct Meanings {
    name: &'static str,
    pieces: f32,
    is_broken: AtomicBool,
}

impl Meanings {
    pub(crate) fn new() -> Self {
        Self::called("meanings")
    }

    pub(crate) fn called(name: &'static str) -> Self {
        Self { name, pieces: 1.2, is_broken: AtomicBool::new(false) }
    }

    /// One whose vocabulary does not know the language.
    pub(crate) fn spelling() -> Self {
        Self { pieces: 2.4, ..Self::new() }
    }

    pub(crate) fn break_down(&self) {
        self.is_broken.store(true, Ordering::Relaxed);
    }

    fn of(&self, text: &str) -> Result<[f32; 4], Error> {
        if self.is_broken.load(Ordering::Relaxed) {
            return Err(Error::Model { model: self.name.to_owned(), source: "the server is gone".into() });
        }
        let text = text.to_lowercase();
        let count = |words: &[&str]| words.iter().map(|word| text.matches(word).count()).sum::<usize>();
        let axes = [count(&["car", "automobile"]), count(&["bread", "dough"]), count(&["road", "mill"])];
        // The last axis, so that nothing is nothing.
        let [cars, bread, roads] = axes.map(|count| u8::try_from(count).map_or(255.0, f32::from));
        Ok([cars, bread, roads, 0.1])
    }
}

impl Embedder for Meanings {
    fn model(&self) -> &str {
        self.name
    }

    fn pieces_per_word(&self, _: &str) -> Option<f32> {
        Some(self.pieces)
    }

    fn dimension(&self) -> Result<NonZeroUsize, Error> {
        Ok(NonZeroUsize::new(4).unwrap())
    }

    fn embed_passages(&self, passages: &[&str]) -> Result<Embeddings, Error> {
        let rows = passages.iter().map(|passage| self.of(passage)).collect::<Result<Vec<_>, _>>()?;
        Embeddings::new(self.dimension()?, rows.concat())
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, Error> {
        Ok(self.of(query)?.to_vec())
    }
}
