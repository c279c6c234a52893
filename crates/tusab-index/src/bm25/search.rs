use tantivy::collector::TopDocs;
use tantivy::postings::{Postings, TermInfo};
use tantivy::query::{BooleanQuery, BoostQuery, EnableScoring, Occur, Query, TermQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocAddress, DocSet, Executor, TERMINATED, TantivyError, Term};
use tusab_chunk::Date;

use super::filter::date;
use super::rank::Weighed;
use super::top::{Clause, Top, Window};
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

/// Passages that hold a word, from which on it is worth knowing what its blocks can bring.
const LONG: u32 = 2048;

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
    /// when they tie with the one at `tied_from`, so that their ids can decide. `number` is this index's among those
    /// searched together.
    pub(crate) fn nominate(
        &self,
        rank: &Rank,
        number: usize,
        filter: Option<&dyn Query>,
        limit: usize,
        tied_from: usize,
    ) -> Result<Vec<Place>, Error> {
        if limit == 0 || !rank.terms.iter().any(|term| term.nominates) {
            return Ok(Vec::new());
        }
        let mut limit = limit;
        loop {
            let found = match filter {
                None => self.best(rank, number, limit).map_err(TantivyError::from),
                Some(filter) => self.best_within(rank, filter, limit),
            };
            let found = found.map_err(Error::bm25(&self.path))?;
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

    /// The best passages, best first.
    pub(super) fn best(
        &self,
        rank: &Rank,
        number: usize,
        limit: usize,
    ) -> std::io::Result<Vec<(f32, DocAddress)>> {
        let (mut top, mut window, norms) = (Top::new(limit), Window::new(), rank.norms());
        let mut terms: Vec<&Weighed> = rank.terms.iter().filter(|term| term.nominates).collect();
        terms.sort_by(|a, b| a.most.total_cmp(&b.most).then_with(|| a.word.cmp(&b.word)));
        let segments = (0_u32..).zip(&self.segments).zip(self.searcher.segment_readers());
        for ((ordinal, segment), reader) in segments {
            let mut clauses = Vec::with_capacity(terms.len());
            for term in &terms {
                let Some(found) = term.found(number, ordinal) else { continue };
                let postings = &segment.words(term.field).postings;
                let postings =
                    postings.read_block_postings_from_terminfo(found, IndexRecordOption::WithFreqs)?;
                let bounds = (found.doc_freq >= LONG).then(|| rank.weight_of(term));
                clauses.push(Clause { word: term.word, most: term.most, postings, bounds, at: 0 });
            }
            let is_here = |doc| !reader.is_deleted(doc);
            top.take_in(ordinal, clauses, &norms, &segment.text.lengths, is_here, &mut window);
        }
        Ok(top.into_sorted())
    }

    /// The best passages that a filter lets through, best first.
    pub(super) fn best_within(
        &self,
        rank: &Rank,
        filter: &dyn Query,
        limit: usize,
    ) -> tantivy::Result<Vec<(f32, DocAddress)>> {
        let mut terms: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        for term in rank.terms.iter().filter(|term| term.nominates) {
            let query = TermQuery::new(term.term.clone(), IndexRecordOption::WithFreqs);
            terms.push((Occur::Should, Box::new(BoostQuery::new(Box::new(query), rank.boost(term)))));
        }
        let terms: Box<dyn Query> = Box::new(BooleanQuery::new(terms));
        let query = BooleanQuery::new(vec![(Occur::Must, terms), (Occur::Must, filter.box_clone())]);
        let statistics = rank.statistics();
        let scoring = EnableScoring::enabled_from_statistics_provider(&statistics, &self.searcher);
        let top = TopDocs::with_limit(limit).order_by_score();
        self.searcher.search_with_executor(&query, &top, &Executor::single_thread(), scoring)
    }

    /// The chunks whose text and title hold all of those words, given folded, in their order; `None` when they are more
    /// than `limit`. What the section and the key phrases hold counts too.
    pub(crate) fn holding(
        &self,
        rank: &Rank,
        number: usize,
        words: &[&str],
        limit: usize,
    ) -> Result<Option<Vec<ChunkKey>>, Error> {
        let terms: Option<Vec<&Weighed>> = words.iter().map(|word| rank.exact(word)).collect();
        let Some(terms) = terms else { return Ok(Some(Vec::new())) };
        let mut keys = Vec::new();
        let segments = (0_u32..).zip(&self.segments).zip(self.searcher.segment_readers());
        for ((ordinal, segment), reader) in segments {
            let found: Option<Vec<_>> = terms.iter().map(|term| term.found(number, ordinal)).collect();
            let Some(mut found) = found else { continue };
            found.sort_unstable_by_key(|found| found.doc_freq);
            let postings = &segment.text.postings;
            let lists =
                found.iter().map(|of| postings.read_postings_from_terminfo(of, IndexRecordOption::Basic));
            let mut lists = lists
                .collect::<std::io::Result<Vec<_>>>()
                .map_err(|error| Error::bm25(&self.path)(error.into()))?;
            let Some((rarest, others)) = lists.split_first_mut() else { continue };
            let mut doc = rarest.doc();
            while doc != TERMINATED {
                // The first list that has not got it says where to go on.
                let next = others.iter_mut().find_map(|list| {
                    let at = if list.doc() < doc { list.seek(doc) } else { list.doc() };
                    (at != doc).then_some(at)
                });
                if next.is_none() && !reader.is_deleted(doc) {
                    if keys.len() == limit {
                        return Ok(None);
                    }
                    keys.extend(segment.chunks.first(doc).map(ChunkKey));
                }
                doc = match next {
                    None => rarest.advance(),
                    Some(TERMINATED) => TERMINATED,
                    Some(next) => rarest.seek(next),
                };
            }
        }
        keys.sort_unstable();
        Ok(Some(keys))
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
    ) -> Result<Vec<(ChunkKey, Worth)>, Error> {
        let mut places = places.to_vec();
        places.sort_unstable();
        // Found by its words and by its title, it is still worth what it is worth once.
        places.dedup();
        let mut weighed: Vec<(ChunkKey, Worth)> =
            places.iter().map(|place| (place.chunk, Worth::default())).collect();
        let mut rest = weighed.as_mut_slice();
        for of_segment in places.chunk_by(|a, b| a.address.segment_ord == b.address.segment_ord) {
            let (here, later) = rest.split_at_mut(of_segment.len());
            self.weigh_segment(rank, number, of_segment, here)
                .map_err(|error| Error::bm25(&self.path)(error.into()))?;
            rest = later;
        }
        Ok(weighed)
    }

    /// Adds the worth of passages of one segment, each to its own, in the order of the terms, which fixes how sums are
    /// rounded.
    fn weigh_segment(
        &self,
        rank: &Rank,
        number: usize,
        places: &[Place],
        weighed: &mut [(ChunkKey, Worth)],
    ) -> std::io::Result<()> {
        let Some(ordinal) = places.first().map(|place| place.address.segment_ord) else {
            return Ok(());
        };
        let Some(segment) = self.segments.get(ordinal as usize) else { return Ok(()) };
        for term in &rank.terms {
            let words = segment.words(term.field);
            let Some(found) = term.found(number, ordinal) else { continue };
            let mut postings =
                words.postings.read_postings_from_terminfo(found, IndexRecordOption::WithFreqs)?;
            for (place, (_, worth)) in places.iter().zip(&mut *weighed) {
                let doc = place.address.doc_id;
                if postings.doc() < doc {
                    postings.seek(doc);
                }
                if postings.doc() == doc {
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
