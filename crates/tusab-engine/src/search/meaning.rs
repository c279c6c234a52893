//! Candidates by meaning.

use std::time::Instant;

use tusab_index::{Hit, InvalidVector, Nearest, Retriever, Vector, VectorQuery};
use tusab_rerank::Embedder;

use super::{Search, SearchTimings};
use crate::models::{EmbedderFault, space_of};
use crate::{Degradation, Error};

/// Nearest passages that enter the pool: its least size.
const NEAREST: usize = 12;

/// Places that are looked at beyond, so that a passage which words have found has its place by meaning too.
const LOOKED_AT: usize = 30;

/// The nearest passages to the question; `Err` says what was missing.
pub(super) fn nearest(
    search: &Search,
    retriever: &dyn Retriever,
    embedder: &dyn Embedder,
    timings: &mut SearchTimings,
) -> Result<Result<Vec<Hit>, Degradation>, Error> {
    let started = Instant::now();
    let question = embed(search, embedder);
    timings.embedding = started.elapsed();
    let (space, vector) = match question {
        Ok(question) => question,
        Err(fault) => return Ok(Err(Degradation::embedder(embedder.model(), &fault))),
    };
    let started = Instant::now();
    let query = match VectorQuery::new(&space, &vector) {
        Ok(query) => query.with_limit(LOOKED_AT),
        Err(fault) => return Ok(Err(Degradation::embedder(embedder.model(), &fault.into()))),
    };
    let nearest = retriever.retrieve_nearest(&query, &search.filter)?;
    timings.meaning = started.elapsed();
    Ok(match nearest {
        Nearest::Found(hits) => Ok(hits),
        Nearest::Off(reason) => Err(Degradation::NoVectors { reason: reason.to_string() }),
        _ => Err(Degradation::NoVectors { reason: "the index gives none".to_owned() }),
    })
}

/// True for a passage that meaning alone may bring into the pool.
pub(super) fn may_enter(hit: &Hit) -> bool {
    hit.explain.vector_rank.is_some_and(|rank| rank <= NEAREST)
}

fn embed(
    search: &Search,
    embedder: &dyn Embedder,
) -> Result<(tusab_index::VectorSpace, Vector), EmbedderFault> {
    let space = space_of(embedder)?;
    let vector = Vector::new(embedder.embed_query(&search.text)?)?;
    if vector.dimension() == space.dimension() {
        Ok((space, vector))
    } else {
        let (expected, found) = (space.dimension().get(), vector.dimension().get());
        Err(InvalidVector::Dimension { expected, found }.into())
    }
}
