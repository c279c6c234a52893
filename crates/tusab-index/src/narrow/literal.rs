use super::Part;
use super::words::Words;
use crate::exact::Phrases;
use crate::hit::Literal;
use crate::store::ChunkKey;
use crate::{Error, Filter};

/// The literal part of the pool is at most this many times the pool's size.
const LITERAL_POOLS: usize = 3;

/// The chunks that hold the query, its phrases or its rare words literally.
#[derive(Debug, Default)]
pub(super) struct LiteralChunks {
    /// Each with the first reason for it.
    pub(super) found: Vec<(ChunkKey, Literal)>,
    /// Some were left out.
    pub(super) is_capped: bool,
}

/// Looks up the whole query, then what is quoted, then compounds, then the words from the rarest on.
pub(super) fn find(
    phrases: &Phrases,
    words: &Words,
    filter: &Filter,
    pool: usize,
    part: &Part<'_>,
) -> Result<LiteralChunks, Error> {
    let cap = pool.saturating_mul(LITERAL_POOLS);
    let mut literal = LiteralChunks::default();
    let clauses = phrases.clauses.iter().map(|clause| (clause.kind, clause.words.as_str()));
    for (kind, clause) in clauses.chain(words.rare(pool).map(|word| (Literal::RareWord, word))) {
        for key in part.reader.literal(clause, part.bm25.generation(), filter, pool)? {
            if literal.found.iter().any(|(seen, _)| *seen == key) {
                continue;
            }
            if literal.found.len() == cap {
                literal.is_capped = true;
            } else {
                literal.found.push((key, kind));
            }
        }
    }
    Ok(literal)
}
