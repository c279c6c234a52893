use std::collections::HashMap;

use tantivy::collector::TopDocs;
use tantivy::postings::{Postings, TermInfo};
use tantivy::query::{BooleanQuery, BoostQuery, EnableScoring, Occur, Query, TermQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocAddress, DocSet, Executor, Term};
use tusab_chunk::Date;

use super::filter::date;
use super::{Rank, Snapshot, WordField};
use crate::Error;
use crate::store::ChunkKey;

/// A passage and where it stands in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    address: DocAddress,
    pub(crate) chunk: ChunkKey,
}

/// What a passage is worth to a query.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Worth {
    pub(crate) text: f32,
    pub(crate) title: f32,
}

/// More passages of one score than this are not told apart.
const MAX_TIED: usize = 4096;

impl Snapshot {
    /// Number of chunks whose text holds `term`, those not yet merged away included.
    pub(crate) fn frequency(&self, term: &str) -> Result<u64, Error> {
        let found = self.find_term(WordField::Text, &Term::from_field_text(self.fields.text, term))?;
        Ok(found.iter().flatten().map(|found| u64::from(found.doc_freq)).sum())
    }

    /// Where the postings of a term are, by segment.
    pub(super) fn find_term(&self, field: WordField, term: &Term) -> Result<Vec<Option<TermInfo>>, Error> {
        let found = self.segments.iter().map(|segment| segment.words(field).postings.get_term_info(term));
        found.collect::<std::io::Result<_>>().map_err(|error| Error::bm25(&self.path)(error.into()))
    }

    /// The `limit` best passages by the terms that nominate, among those that the filter lets through; further ones
    /// when they tie with the one at `tied_from`, so that their ids can decide.
    pub(crate) fn nominate(
        &self,
        rank: &Rank,
        filter: Option<&dyn Query>,
        limit: usize,
        tied_from: usize,
    ) -> Result<Vec<Place>, Error> {
        let mut terms: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        for term in rank.terms.iter().filter(|term| term.nominates) {
            let query = TermQuery::new(term.term.clone(), IndexRecordOption::WithFreqs);
            terms.push((Occur::Should, Box::new(BoostQuery::new(Box::new(query), rank.boost(term)))));
        }
        if terms.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let mut query: Box<dyn Query> = Box::new(BooleanQuery::new(terms));
        if let Some(filter) = filter {
            query =
                Box::new(BooleanQuery::new(vec![(Occur::Must, query), (Occur::Must, filter.box_clone())]));
        }
        let statistics = rank.statistics();
        let scoring = EnableScoring::enabled_from_statistics_provider(&statistics, &self.searcher);
        let mut limit = limit;
        loop {
            let top = TopDocs::with_limit(limit).order_by_score();
            let found = self
                .searcher
                .search_with_executor(query.as_ref(), &top, &Executor::single_thread(), scoring)
                .map_err(Error::bm25(&self.path))?;
            let last = found.last().map(|(score, _)| *score);
            let is_open = found.len() == limit
                && found.get(tied_from.saturating_sub(1)).map(|(score, _)| *score) == last;
            if is_open && limit < MAX_TIED {
                limit = (limit * 8).min(MAX_TIED);
                continue;
            }
            return Ok(found.into_iter().filter_map(|(_, address)| self.place(address)).collect());
        }
    }

    fn place(&self, address: DocAddress) -> Option<Place> {
        let segment = self.segments.get(address.segment_ord as usize)?;
        segment.chunks.first(address.doc_id).map(|key| Place { address, chunk: ChunkKey(key) })
    }

    /// Where those chunks stand; those that are not here are left out.
    pub(crate) fn find(&self, keys: &[ChunkKey]) -> Result<Vec<Place>, Error> {
        let mut places = Vec::with_capacity(keys.len());
        for (ordinal, (segment, reader)) in
            (0..).zip(self.segments.iter().zip(self.searcher.segment_readers()))
        {
            for key in keys {
                // Keys grow, so most segments can be passed over without a look at their terms.
                if !(segment.chunks.min_value()..=segment.chunks.max_value()).contains(&key.0) {
                    continue;
                }
                let term = Term::from_field_u64(self.fields.chunk, key.0);
                let postings = segment.chunk_terms.read_postings(&term, IndexRecordOption::Basic);
                if let Some(postings) = postings.map_err(|error| Error::bm25(&self.path)(error.into()))? {
                    let doc_id = postings.doc();
                    if doc_id < reader.max_doc() && !reader.is_deleted(doc_id) {
                        places.push(Place {
                            address: DocAddress { segment_ord: ordinal, doc_id },
                            chunk: *key,
                        });
                    }
                }
            }
        }
        Ok(places)
    }

    /// The dates of those passages that have one.
    pub(crate) fn dates(&self, places: &[Place]) -> Vec<(ChunkKey, Date)> {
        let date = |place: &Place| {
            let segment = self.segments.get(place.address.segment_ord as usize)?;
            Some((place.chunk, date(segment.dates.first(place.address.doc_id)?)?))
        };
        places.iter().filter_map(date).collect()
    }

    /// What those passages are worth by all terms of the query. `number` is this index's among those searched together.
    pub(crate) fn weigh(
        &self,
        rank: &Rank,
        number: usize,
        places: &[Place],
    ) -> Result<HashMap<ChunkKey, Worth>, Error> {
        let mut places = places.to_vec();
        places.sort_unstable();
        // Found by its words and by its title, it is still worth what it is worth once.
        places.dedup();
        let mut worth: HashMap<ChunkKey, Worth> =
            places.iter().map(|place| (place.chunk, Worth::default())).collect();
        for of_segment in places.chunk_by(|a, b| a.address.segment_ord == b.address.segment_ord) {
            self.weigh_segment(rank, number, of_segment, &mut worth)
                .map_err(|error| Error::bm25(&self.path)(error.into()))?;
        }
        Ok(worth)
    }

    /// Adds the worth of passages of one segment, in the order of the terms, which fixes how sums are rounded.
    fn weigh_segment(
        &self,
        rank: &Rank,
        number: usize,
        places: &[Place],
        worth: &mut HashMap<ChunkKey, Worth>,
    ) -> std::io::Result<()> {
        let Some(ordinal) = places.first().map(|place| place.address.segment_ord as usize) else {
            return Ok(());
        };
        let Some(segment) = self.segments.get(ordinal) else { return Ok(()) };
        for term in &rank.terms {
            let words = segment.words(term.field);
            let Some(Some(found)) = term.postings.get(number).and_then(|segments| segments.get(ordinal))
            else {
                continue;
            };
            let mut postings =
                words.postings.read_postings_from_terminfo(found, IndexRecordOption::WithFreqs)?;
            for place in places {
                let doc = place.address.doc_id;
                if postings.doc() < doc {
                    postings.seek(doc);
                }
                if postings.doc() == doc
                    && let Some(worth) = worth.get_mut(&place.chunk)
                {
                    let score = rank.score(term, postings.term_freq(), words.lengths.fieldnorm(doc));
                    match term.field {
                        WordField::Text => worth.text += score,
                        WordField::Title => worth.title += score,
                    }
                }
            }
        }
        Ok(())
    }
}
