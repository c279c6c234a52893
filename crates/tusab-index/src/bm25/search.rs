use tantivy::collector::TopDocs;
use tantivy::columnar::Column;
use tantivy::query::{BooleanQuery, BoostQuery, ConstScoreQuery, Occur, Query, TermQuery, TermSetQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::{Searcher, Term};

use super::Snapshot;
use crate::Error;
use crate::store::ChunkKey;

/// A query's token and how often the query says it: words that a user repeats count more.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WeightedToken {
    pub(crate) token: String,
    pub(crate) weight: f32,
}

impl Snapshot {
    /// Number of chunks that hold `token`, deleted ones not yet merged away included.
    pub(crate) fn frequency(&self, token: &str) -> Result<u64, Error> {
        let term = Term::from_field_text(self.fields.text, token);
        self.searcher.doc_freq(&term).map_err(Error::bm25(&self.path))
    }

    /// The `limit` best chunks for those words, best first.
    pub(crate) fn best(
        &self,
        tokens: &[WeightedToken],
        title_weight: f32,
        limit: usize,
    ) -> Result<Vec<(ChunkKey, f32)>, Error> {
        if tokens.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        self.run(&self.any_of(tokens, title_weight), limit)
    }

    /// The scores of those chunks for those words; chunks that hold none of them are left out.
    pub(crate) fn scores(
        &self,
        tokens: &[WeightedToken],
        title_weight: f32,
        chunks: &[ChunkKey],
    ) -> Result<Vec<(ChunkKey, f32)>, Error> {
        if tokens.is_empty() || chunks.is_empty() {
            return Ok(Vec::new());
        }
        let keys = chunks.iter().map(|key| Term::from_field_u64(self.fields.chunk, key.0));
        let among = ConstScoreQuery::new(Box::new(TermSetQuery::new(keys)), 0.0);
        let query = BooleanQuery::new(vec![
            (Occur::Must, Box::new(among) as Box<dyn Query>),
            (Occur::Must, Box::new(self.any_of(tokens, title_weight))),
        ]);
        self.run(&query, chunks.len())
    }

    fn any_of(&self, tokens: &[WeightedToken], title_weight: f32) -> BooleanQuery {
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::with_capacity(tokens.len() * 2);
        for WeightedToken { token, weight } in tokens {
            for (field, weight) in [(self.fields.text, *weight), (self.fields.title, weight * title_weight)] {
                if weight > 0.0 && weight.is_finite() {
                    let term = Term::from_field_text(field, token);
                    let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
                    clauses.push((Occur::Should, Box::new(BoostQuery::new(Box::new(query), weight))));
                }
            }
        }
        BooleanQuery::new(clauses)
    }

    fn run(&self, query: &dyn Query, limit: usize) -> Result<Vec<(ChunkKey, f32)>, Error> {
        let search = || {
            let keys = chunk_keys(&self.searcher)?;
            let found = self.searcher.search(query, &TopDocs::with_limit(limit).order_by_score())?;
            Ok(found
                .into_iter()
                .filter(|(score, _)| score.is_finite())
                .filter_map(|(score, at)| {
                    let key = keys.get(at.segment_ord as usize)?.first(at.doc_id)?;
                    Some((ChunkKey(key), score))
                })
                .collect())
        };
        search().map_err(Error::bm25(&self.path))
    }
}

fn chunk_keys(searcher: &Searcher) -> tantivy::Result<Vec<Column<u64>>> {
    searcher.segment_readers().iter().map(|segment| segment.fast_fields().u64("chunk")).collect()
}
