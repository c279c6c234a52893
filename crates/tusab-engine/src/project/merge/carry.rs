//! What passages were given in one project, for the same passages in another: key phrases and vectors.

use std::collections::HashSet;

use tusab_chunk::{ChunkId, DocId};
use tusab_index::{ChunkStore, OfDocument, Vector};

use crate::Error;
use crate::models::{Models, space_of};
use crate::progress::Pulse;
use crate::project::Held;
use crate::{Progress, Stage};

/// Documents whose passages are given theirs together.
const GROUP: usize = 100;

/// What was carried.
#[derive(Debug, Default)]
pub(super) struct Carried {
    pub(super) key_phrases: usize,
    pub(super) vectors: usize,
    /// Why vectors were not, for people.
    pub(super) left: Option<String>,
    pub(super) cancelled: bool,
}

/// Gives passages of `into` what the same ones of `from` have, and they have not. A passage is the same by its id, which
/// speaks for its document, its place in it and its words.
pub(super) fn carry(
    into: &Held,
    from: &Held,
    models: &Models,
    docs: &[DocId],
    stop: &dyn Fn() -> bool,
    tell: &dyn Fn(Stage, Progress),
) -> Result<Carried, Error> {
    let mut carried = Carried::default();
    let space = from.vector_space()?;
    if space.is_some() {
        carried.left = refused(into, from, models)?;
    }
    let space = space.filter(|_| carried.left.is_none());
    let pulse = Pulse::start();
    let mut done = 0;
    for group in docs.chunks(GROUP) {
        let (mut phrases, mut vectors) = (Vec::new(), Vec::new());
        for doc in group {
            if stop() {
                carried.cancelled = true;
                return Ok(carried);
            }
            phrases.extend(key_phrases(into, from, doc)?);
            if space.is_some() {
                vectors.extend(vectors_of(into, from, doc)?);
            }
        }
        if !phrases.is_empty() {
            carried.key_phrases += into.set_key_phrases(&phrases)?.written;
        }
        if let Some(space) = space.as_ref().filter(|_| !vectors.is_empty()) {
            carried.vectors += into.set_vectors(space, &vectors)?.written;
        }
        done += group.len();
        if let Some(progress) = pulse.beat(done, docs.len()) {
            tell(Stage::Embedding, progress);
        }
    }
    Ok(carried)
}

/// Why the vectors cannot be used there; `None` when they can.
fn refused(into: &Held, from: &Held, models: &Models) -> Result<Option<String>, Error> {
    let (Some(theirs), ours) = (from.vector_space()?, into.vector_space()?) else { return Ok(None) };
    let expected = match (ours, &models.embedder) {
        (Some(ours), _) => ours,
        // The first vectors say which model makes those that follow: it has to be the one that there is.
        (None, Some(embedder)) => match space_of(&**embedder) {
            Ok(space) => space,
            Err(fault) => {
                return Ok(Some(format!(
                    "vectors stay behind, as the model that would make more of them cannot be used: {fault}"
                )));
            }
        },
        (None, None) => return Ok(None),
    };
    let mismatch = expected.mismatch(&theirs);
    Ok(mismatch.map(|mismatch| format!("vectors stay behind, as they are of another model: {mismatch}")))
}

fn key_phrases(into: &Held, from: &Held, doc: &DocId) -> Result<Option<OfDocument<Vec<String>>>, Error> {
    let here = into.chunks(doc)?;
    let lacking: HashSet<ChunkId> =
        here.iter().filter(|chunk| chunk.key_phrases().is_empty()).map(tusab_chunk::Chunk::id).collect();
    if lacking.is_empty() {
        return Ok(None);
    }
    let given = from.chunks(doc)?.into_iter().filter(|chunk| !chunk.key_phrases().is_empty());
    let given: Vec<(ChunkId, Vec<String>)> = given
        .filter(|chunk| lacking.contains(&chunk.id()))
        .map(|chunk| (chunk.id(), chunk.key_phrases().to_vec()))
        .collect();
    Ok((!given.is_empty()).then(|| (doc.clone(), given)))
}

fn vectors_of(into: &Held, from: &Held, doc: &DocId) -> Result<Option<OfDocument<Vector>>, Error> {
    let known: HashSet<ChunkId> = into.vectors(doc)?.into_iter().map(|(id, _)| id).collect();
    let mut given = from.vectors(doc)?;
    given.retain(|(id, _)| !known.contains(id));
    if given.is_empty() {
        return Ok(None);
    }
    let here: HashSet<ChunkId> = into.chunks(doc)?.iter().map(tusab_chunk::Chunk::id).collect();
    given.retain(|(id, _)| here.contains(id));
    Ok((!given.is_empty()).then(|| (doc.clone(), given)))
}
