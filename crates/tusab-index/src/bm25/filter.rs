use std::ops::Bound;

use tantivy::Term;
use tantivy::query::{
    AllQuery, BooleanQuery, ConstScoreQuery, Occur, Query, RangeQuery, TermQuery, TermSetQuery,
};
use tantivy::schema::IndexRecordOption;
use tusab_chunk::Date;

use super::Snapshot;
use crate::Error;
use crate::analyze::tokens;
use crate::filter::Filter;
use crate::store::DocumentKey;

impl Snapshot {
    /// The passages that a filter lets through; `None` when it lets all through. `documents` are the keys of those
    /// that the filter names.
    pub(crate) fn filter(&self, filter: &Filter, documents: &[DocumentKey]) -> Option<Box<dyn Query>> {
        let mut all: Vec<Box<dyn Query>> = Vec::new();
        let mut any_of = |terms: Vec<Term>| all.push(Box::new(TermSetQuery::new(terms)));
        let text = |field, texts: &mut dyn Iterator<Item = String>| {
            texts.map(|text| Term::from_field_text(field, &text)).collect::<Vec<_>>()
        };
        if !filter.documents.is_empty() {
            any_of(documents.iter().map(|key| Term::from_field_u64(self.fields.document, key.0)).collect());
        }
        if !filter.kinds.is_empty() {
            any_of(text(self.fields.kind, &mut filter.kinds.iter().map(|kind| kind.as_str().to_owned())));
        }
        if !filter.languages.is_empty() {
            let primary = |language: &tusab_chunk::Language| language.primary().to_owned();
            any_of(text(self.fields.language, &mut filter.languages.iter().map(primary)));
        }
        if !filter.tags.is_empty() {
            any_of(text(self.fields.tag, &mut filter.tags.iter().map(|tag| label(tag))));
        }
        if filter.since.is_some() || filter.until.is_some() {
            let bound = |date: Option<Date>| {
                date.map_or(Bound::Unbounded, |date| {
                    Bound::Included(Term::from_field_i64(self.fields.date, day(date)))
                })
            };
            all.push(Box::new(RangeQuery::new(bound(filter.since), bound(filter.until))));
        }
        if all.is_empty() {
            return None;
        }
        let clauses = all.into_iter().map(|query| (Occur::Must, query)).collect();
        Some(Box::new(ConstScoreQuery::new(Box::new(BooleanQuery::new(clauses)), 0.0)))
    }

    /// Number of passages whose title consists of those words.
    pub(crate) fn titles(&self, title_words: &str) -> Result<u64, Error> {
        let term = Term::from_field_text(self.fields.title_words, title_words);
        self.searcher.doc_freq(&term).map_err(Error::bm25(&self.path))
    }

    /// The passages whose title consists of those words, within the filter.
    pub(crate) fn titled(&self, title_words: &str, filter: Option<&dyn Query>) -> Box<dyn Query> {
        let term = Term::from_field_text(self.fields.title_words, title_words);
        let title: Box<dyn Query> = Box::new(TermQuery::new(term, IndexRecordOption::Basic));
        let within = filter.map_or_else(|| Box::new(AllQuery) as Box<dyn Query>, |within| within.box_clone());
        let both = BooleanQuery::new(vec![(Occur::Must, title), (Occur::Must, within)]);
        Box::new(ConstScoreQuery::new(Box::new(both), 0.0))
    }
}

/// A tag as filters compare it: apart from case, accents and what stands between its words.
pub(crate) fn label(tag: &str) -> String {
    tokens(tag).join(" ")
}

/// A day as one number that grows with time.
pub(crate) fn day(date: Date) -> i64 {
    i64::from(date.year()) * 10_000 + i64::from(date.month()) * 100 + i64::from(date.day())
}

/// The day that a number of [`day`] stands for.
pub(super) fn date(number: i64) -> Option<Date> {
    let year = u16::try_from(number / 10_000).ok()?;
    Date::new(year, u8::try_from(number / 100 % 100).ok()?, u8::try_from(number % 100).ok()?)
}
