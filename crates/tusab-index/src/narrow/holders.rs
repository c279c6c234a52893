//! Phrases that few passages can hold, told from the passages that hold all of their words.

use std::cell::OnceCell;

use super::Part;
use super::words::Words;
use crate::Error;
use crate::analyze::{Analysis, tokens};
use crate::bm25::Rank;
use crate::hit::Literal;
use crate::store::ChunkKey;

/// Passages that are read for a phrase; where more hold its words, the literal index is faster.
const MAX_READ: usize = 8;

/// Finds phrases as the literal index does, in less time where BM25 knows the same passages as it does.
pub(super) struct Holders<'s> {
    part: &'s Part<'s>,
    number: usize,
    rank: &'s Rank,
    words: &'s Words,
    /// BM25 knows the same passages as the literal index; asked when there is a phrase.
    is_whole: OnceCell<bool>,
}

impl<'s> Holders<'s> {
    /// `number` is that of the part among those that are searched together.
    pub(super) fn of(part: &'s Part<'s>, number: usize, rank: &'s Rank, words: &'s Words) -> Self {
        Self { part, number, rank, words, is_whole: OnceCell::new() }
    }

    /// The first chunks, at most `pool` of them, that hold a clause; `None` when the literal index must be asked.
    pub(super) fn find(
        &self,
        kind: Literal,
        clause: &str,
        pool: usize,
    ) -> Result<Option<Vec<ChunkKey>>, Error> {
        let Part { bm25, reader } = self.part;
        let compound;
        let of_clause: Vec<&str> = if kind == Literal::Compound {
            compound = tokens(clause);
            compound.iter().map(String::as_str).collect()
        } else {
            clause.split(' ').collect()
        };
        let asked: Vec<&str> = of_clause.iter().copied().filter(|word| self.words.asks(word)).collect();
        // What all words of a clause stand in may be a tag, which BM25 does not read.
        if asked.is_empty() || bm25.may_tag(&of_clause) || !self.is_whole()? {
            return Ok(None);
        }
        let Some(holding) = bm25.holding(self.rank, self.number, &asked, MAX_READ)? else { return Ok(None) };
        let mut analysis = Analysis::default();
        let mut says = |text: &str| {
            let list = if kind == Literal::Compound {
                analysis.read(text);
                &analysis.compounds
            } else {
                analysis.read_words(text);
                &analysis.words
            };
            holds(list, clause)
        };
        let mut found = Vec::new();
        for key in holding {
            if let Some((text, title)) = reader.texts(key, bm25.generation())?
                && (says(&text) || says(&title))
            {
                found.push(key);
            }
        }
        found.truncate(pool);
        Ok(Some(found))
    }

    fn is_whole(&self) -> Result<bool, Error> {
        if let Some(known) = self.is_whole.get() {
            return Ok(*known);
        }
        let Part { bm25, reader } = self.part;
        let is_whole =
            reader.generation().number == bm25.generation() && bm25.agrees(|| reader.literal_rows())?;
        Ok(*self.is_whole.get_or_init(|| is_whole))
    }
}

/// True when words between spaces hold those, one after the other.
fn holds(list: &str, words: &str) -> bool {
    list.match_indices(words).any(|(at, _)| {
        let (before, after) = (list.get(..at), list.get(at + words.len()..));
        before.is_some_and(|before| before.is_empty() || before.ends_with(' '))
            && after.is_some_and(|after| after.is_empty() || after.starts_with(' '))
    })
}

#[cfg(test)]
mod tests {
    use super::holds;

    #[test]
    fn words_are_held_as_wholes() {
        assert!(holds("um dois tres", "um dois") && holds("um dois tres", "dois tres"));
        assert!(holds("dois", "dois") && holds("doisum dois um", "dois um"));
        assert!(!holds("um doista", "um dois") && !holds("um tres dois", "um dois") && !holds("", "um"));
    }
}
