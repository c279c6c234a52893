//! Models whose vectors are known.

use std::num::NonZeroUsize;
use std::sync::Arc;

use tusab_engine::rerank::{Embedder, Embeddings, Error, KeyBert, KeyBertOptions};

/// Axes of the vectors.
const AXES: usize = 16;

/// Gives every text a vector that its letters alone decide. What is done with each text is told to `watch` before.
pub(crate) struct Letters<W> {
    name: &'static str,
    watch: W,
}

impl<W: Fn(&str) -> Result<(), Error> + Send + Sync> Letters<W> {
    pub(crate) fn watched(watch: W) -> Self {
        Self { name: "letters", watch }
    }
}

pub(crate) fn letters(name: &'static str) -> Arc<dyn Embedder> {
    Arc::new(Letters { name, watch: |_: &str| Ok(()) })
}

pub(crate) fn broken() -> Error {
    Error::Model { model: "letters".to_owned(), source: "it is not to be had".into() }
}

pub(crate) fn keybert(embedder: Arc<dyn Embedder>) -> Arc<KeyBert> {
    Arc::new(KeyBert::new(embedder, KeyBertOptions::default()))
}

/// The vector of a text.
pub(crate) fn vector(text: &str) -> Vec<f32> {
    let mut axes = vec![0.25_f32; AXES];
    for (place, letter) in text.chars().enumerate() {
        axes[(letter as usize + place % 3) % AXES] += 1.0;
    }
    axes
}

impl<W: Fn(&str) -> Result<(), Error> + Send + Sync> Embedder for Letters<W> {
    fn model(&self) -> &str {
        self.name
    }

    fn dimension(&self) -> Result<NonZeroUsize, Error> {
        Ok(NonZeroUsize::new(AXES).unwrap())
    }

    fn embed_passages(&self, passages: &[&str]) -> Result<Embeddings, Error> {
        for passage in passages {
            (self.watch)(passage)?;
        }
        let rows: Vec<f32> = passages.iter().flat_map(|passage| vector(passage)).collect();
        Embeddings::new(self.dimension()?, rows)
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, Error> {
        Ok(vector(query))
    }
}
