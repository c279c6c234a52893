use super::words::Words;
use crate::Error;
use crate::exact::{Clause, Phrases};
use crate::hit::Literal;
use crate::store::ChunkKey;

/// The literal part of the pool is at most this many times the pool's size.
const LITERAL_POOLS: usize = 3;

/// The chunks that hold the query, its phrases or its rare words literally.
#[derive(Debug, Default)]
pub(crate) struct LiteralChunks {
    /// Each with the first reason for it.
    pub(crate) found: Vec<(ChunkKey, Literal)>,
    /// Some were left out.
    pub(crate) is_capped: bool,
}

/// What is looked up: the whole query, then what is quoted, then compounds, then the words from the rarest on.
pub(crate) fn clauses<'w>(
    phrases: &'w Phrases,
    words: &'w Words,
    pool: usize,
) -> impl Iterator<Item = (Literal, &'w str)> {
    let asked = |clauses: &[Clause], words: &str| clauses.iter().any(|clause| clause.words == words);
    let rare = words.rare(pool).filter(move |word| !asked(&phrases.clauses, word));
    // A query that is one quoted phrase says it as a whole too.
    let first = move |(number, clause): &(usize, &Clause)| {
        !phrases.clauses.get(..*number).is_some_and(|before| asked(before, &clause.words))
    };
    let clauses = phrases.clauses.iter().enumerate().filter(first);
    let clauses = clauses.map(|(_, clause)| (clause.kind, clause.words.as_str()));
    clauses.chain(rare.map(|word| (Literal::RareWord, word)))
}

/// Looks up clauses. `look_up` gives the first chunks, at most `pool` of them, that hold words one after the other.
pub(crate) fn find<C>(
    clauses: impl Iterator<Item = (Literal, C)>,
    pool: usize,
    mut look_up: impl FnMut((Literal, C)) -> Result<Vec<ChunkKey>, Error>,
) -> Result<LiteralChunks, Error> {
    let cap = pool.saturating_mul(LITERAL_POOLS);
    let mut literal = LiteralChunks::default();
    for (kind, clause) in clauses {
        for key in look_up((kind, clause))? {
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
