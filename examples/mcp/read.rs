//! The tool `read_source`.

use schemars::JsonSchema;
use serde::Serialize;
use tusab_engine::chunk::{Chunk, ChunkId, DocId};
use tusab_engine::{Citation, Project};

use crate::arguments::{Part, ReadArguments};
use crate::passage::Passage;
use crate::refusal::Refusal;
use crate::schema::plain;

/// Characters of one answer at most, save that one passage is always given: what a model can well read at once.
const CHARACTERS: usize = 20_000;

/// A document, or a part of it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(transform = plain)]
pub(crate) struct ReadResult {
    /// The document's id.
    document: String,
    /// What a person calls it.
    title: String,
    /// Where a person can open it.
    link: Option<String>,
    /// The passages, in their order. Those of a recording may repeat a sentence of the one before.
    passages: Vec<Passage>,
    /// How many passages the document has.
    of: usize,
    /// The number of the passage that follows the last one here: `from` of the next call. None at the end.
    next: Option<usize>,
}

pub(crate) async fn read(project: &Project, asked: &ReadArguments) -> Result<ReadResult, Refusal> {
    let (doc, part) = (asked.document()?, asked.part()?);
    let missing = || {
        let name = project.name();
        Refusal::new(format!("{doc} is not in the project {name:?}: search for it, or name another project"))
    };
    let record = project.document(&doc).await?.ok_or_else(missing)?;
    let chunks = project.chunks(&doc).await?;
    let (first, shown) = match part {
        Part::From(first) => (first, onwards(&doc, &chunks, first)?),
        Part::Around(id, around) => surrounding(&doc, &chunks, id, around)?,
    };
    let end = first + shown.len();
    Ok(ReadResult {
        document: doc.to_string(),
        title: record.title.clone(),
        link: record.link.clone(),
        passages: shown.iter().map(|chunk| Passage::new(Citation::of_chunk(&record, chunk), chunk)).collect(),
        of: chunks.len(),
        next: Some(end).filter(|end| *end < chunks.len()),
    })
}

/// As many passages as fit into one answer, from a number on.
fn onwards<'c>(doc: &DocId, chunks: &'c [Chunk], first: usize) -> Result<&'c [Chunk], Refusal> {
    let left = chunks.get(first..).filter(|left| first == 0 || !left.is_empty()).ok_or_else(|| {
        Refusal::new(format!("{doc} has {} passages, counted from 0: there is none {first}", chunks.len()))
    })?;
    let mut characters = 0;
    let fit = left.iter().take_while(|chunk| {
        characters += chunk.original_text().chars().count();
        characters <= CHARACTERS
    });
    let fit = fit.count();
    Ok(left.get(..fit.max(1)).unwrap_or(left))
}

/// A passage with its neighbours, as many on each side as fit into one answer; with the number of the first.
fn surrounding<'c>(
    doc: &DocId,
    chunks: &'c [Chunk],
    id: ChunkId,
    around: usize,
) -> Result<(usize, &'c [Chunk]), Refusal> {
    let at = chunks.iter().position(|chunk| chunk.id() == id).ok_or_else(|| {
        Refusal::new(format!("{doc} has no passage {id}, or no longer: search again, or read it `from` 0"))
    })?;
    let window = |around: usize| {
        let first = at.saturating_sub(around);
        (first, chunks.get(first..chunks.len().min(at + around + 1)).unwrap_or_default())
    };
    Ok((0..=around).rev().map(window).find(|(_, window)| fits(window)).unwrap_or_else(|| window(0)))
}

fn fits(chunks: &[Chunk]) -> bool {
    chunks.iter().map(|chunk| chunk.original_text().chars().count()).sum::<usize>() <= CHARACTERS
}
