//! What a query's words are worth in each passage (BM25 with Lucene's idf, Robertson and Zaragoza 2009).

use tantivy::postings::TermInfo;
use tantivy::query::{Bm25StatisticsProvider, Bm25Weight};
use tantivy::schema::Field;
use tantivy::{TantivyError, Term};

use super::top::Norms;
use super::{Fields, Snapshot};
use crate::Error;
use crate::analyze::EXACT;

/// Of BM25; tantivy fixes both, so they are not offered.
pub(crate) const K1: f32 = 1.2;
const B: f32 = 0.75;

/// A field that is ranked by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum WordField {
    Text,
    Title,
}

impl Fields {
    pub(super) fn of(self, field: WordField) -> Field {
        match field {
            WordField::Text => self.text,
            WordField::Title => self.title,
        }
    }
}

/// Something that adds to the score of the passages that hold it.
#[derive(Debug, Clone)]
pub(crate) struct RankedTerm {
    pub(crate) field: WordField,
    /// Its forms in the languages of the index. They count as one for how rare it is: a word would weigh more in the
    /// documents of a language that is rare here.
    pub(crate) forms: Vec<String>,
    pub(crate) weight: f32,
    /// Passages are looked for by it; other terms only add to the score of those found.
    pub(crate) nominates: bool,
}

/// The terms of a query with what is known of them in all the indexes that are searched together, so that scores compare.
#[derive(Debug)]
pub(crate) struct Rank {
    pub(super) terms: Vec<Weighed>,
    totals: Totals,
    best: f32,
}

#[derive(Debug)]
pub(super) struct Weighed {
    pub(super) field: WordField,
    /// Number of the word or compound that it is a form of.
    pub(super) word: usize,
    pub(super) term: Term,
    pub(super) nominates: bool,
    /// Where its postings are: by index, by segment.
    pub(super) postings: Vec<Vec<Option<TermInfo>>>,
    /// Number of chunks that hold it or another form of it.
    pub(super) frequency: u64,
    /// The term's weight, its idf and k1 + 1, multiplied: reached as the term fills the passage.
    pub(super) most: f32,
}

impl Weighed {
    /// Where its postings are in a segment of an index.
    pub(super) fn found(&self, index: usize, segment: u32) -> Option<&TermInfo> {
        self.postings.get(index)?.get(segment as usize)?.as_ref()
    }
}

/// Sizes of all the indexes that are searched together.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    chunks: u64,
    text_tokens: u64,
    title_tokens: u64,
}

impl Totals {
    #[cfg(feature = "postgres")]
    pub(crate) fn chunks(&self) -> u64 {
        self.chunks
    }

    #[cfg(feature = "postgres")]
    pub(crate) fn new(chunks: u64, text_tokens: u64, title_tokens: u64) -> Self {
        Self { chunks, text_tokens, title_tokens }
    }

    pub(crate) fn of<'s>(snapshots: impl Iterator<Item = &'s Snapshot>) -> Self {
        let mut totals = Self::default();
        for snapshot in snapshots {
            totals.chunks += snapshot.chunks();
            totals.text_tokens += snapshot.tokens(WordField::Text);
            totals.title_tokens += snapshot.tokens(WordField::Title);
        }
        totals
    }

    #[allow(clippy::cast_precision_loss, reason = "averages need no more than an f32 holds")]
    pub(crate) fn average(&self, field: WordField) -> f32 {
        let tokens = match field {
            WordField::Text => self.text_tokens,
            WordField::Title => self.title_tokens,
        };
        if self.chunks == 0 { 0.0 } else { tokens as f32 / self.chunks as f32 }
    }

    #[allow(clippy::cast_precision_loss, reason = "a logarithm needs no more than an f32 holds")]
    pub(crate) fn idf(&self, frequency: u64) -> f32 {
        let absent = self.chunks.saturating_sub(frequency) as f32;
        (1.0 + (absent + 0.5) / (frequency as f32 + 0.5)).ln()
    }
}

impl Rank {
    /// Looks up the terms; those that stand nowhere, or weigh nothing, are left out.
    pub(crate) fn of(terms: Vec<RankedTerm>, snapshots: &[&Snapshot], totals: Totals) -> Result<Self, Error> {
        let Some(first) = snapshots.first() else { return Ok(Self { terms: Vec::new(), totals, best: 0.0 }) };
        let mut weighed = Vec::with_capacity(terms.len());
        let mut best = 0.0;
        // The forms of the last word, and those of them that stand in texts.
        let mut last: (Vec<String>, Vec<bool>) = Default::default();
        for (word, RankedTerm { field, forms, weight, nominates }) in terms.into_iter().enumerate() {
            let weighs = weight > 0.0 && weight.is_finite();
            if !weighs || (field == WordField::Title && totals.title_tokens == 0) {
                continue;
            }
            let mut found = Vec::with_capacity(forms.len());
            let mut frequency = 0_u64;
            // The words of a title stand in the text too.
            let known = if field == WordField::Title && forms == last.0 { last.1.as_slice() } else { &[] };
            let mut stand = Vec::with_capacity(forms.len());
            for (number, form) in forms.iter().enumerate() {
                if known.get(number) == Some(&false) {
                    continue;
                }
                let term = Term::from_field_text(first.fields.of(field), form);
                let postings: Vec<Vec<Option<TermInfo>>> = snapshots
                    .iter()
                    .map(|snapshot| snapshot.find_term(field, &term))
                    .collect::<Result<_, _>>()?;
                let chunks: u64 =
                    postings.iter().flatten().flatten().map(|found| u64::from(found.doc_freq)).sum();
                stand.push(chunks > 0);
                if chunks > 0 {
                    frequency += chunks;
                    found.push((term, postings));
                }
            }
            if field == WordField::Text {
                last = (forms, stand);
            }
            let frequency = frequency.min(totals.chunks);
            let most = weight * totals.idf(frequency) * (1.0 + K1);
            if field == WordField::Text {
                best += most;
            }
            let form = |(term, postings)| Weighed { field, word, term, nominates, postings, frequency, most };
            weighed.extend(found.into_iter().map(form));
        }
        Ok(Self { terms: weighed, totals, best })
    }

    /// Number of chunks whose text holds `term`, those not yet merged away included; 0 for one that was not asked.
    pub(crate) fn frequency(&self, term: &str) -> u64 {
        self.find(|known| known == term).map_or(0, |of| of.frequency)
    }

    /// A word as it stands, given folded.
    pub(super) fn exact(&self, word: &str) -> Option<&Weighed> {
        self.find(|known| known.strip_prefix(EXACT) == Some(word))
    }

    fn find(&self, is_it: impl Fn(&str) -> bool) -> Option<&Weighed> {
        let mut of_text = self.terms.iter().filter(|of| of.field == WordField::Text);
        of_text.find(|of| of.term.value().as_str().is_some_and(&is_it))
    }

    /// How rare what stands in that many chunks is.
    pub(crate) fn idf(&self, frequency: u64) -> f32 {
        self.totals.idf(frequency)
    }

    /// What no passage's text can score more than: the terms that stand nowhere count too.
    pub(crate) fn best_score(&self) -> f32 {
        self.best
    }

    /// As tantivy has it: for bounds of the blocks of a list.
    pub(super) fn weight_of(&self, term: &Weighed) -> Bm25Weight {
        let average = self.totals.average(term.field);
        Bm25Weight::for_one_term_without_explain(term.frequency, self.totals.chunks, average)
            .boost_by(self.boost(term))
    }

    pub(super) fn norms(&self) -> Norms {
        Norms::of(self.totals.average(WordField::Text))
    }

    pub(super) fn statistics(&self) -> Statistics<'_> {
        Statistics(self)
    }

    /// The score of a term in a passage where it stands `count` times, in a field of `length` terms.
    pub(super) fn score(&self, term: &Weighed, count: u32, length: u32) -> f32 {
        term.most * saturation(count, length, self.totals.average(term.field))
    }

    pub(super) fn boost(&self, term: &Weighed) -> f32 {
        term.most / (self.totals.idf(term.frequency) * (1.0 + K1))
    }
}

/// The share of what a term can score that it does where it stands `count` times, in a field of `length` terms.
#[allow(clippy::cast_precision_loss, reason = "counts in one passage are small")]
pub(crate) fn saturation(count: u32, length: u32, average: f32) -> f32 {
    count as f32 / (count as f32 + norm(length, average))
}

/// What a length, beside the average one, makes of a count.
#[allow(clippy::cast_precision_loss, reason = "lengths of passages are small")]
pub(super) fn norm(length: u32, average: f32) -> f32 {
    if average > 0.0 { K1 * (1.0 - B + B * length as f32 / average) } else { K1 }
}

/// What is known of the terms in the form that tantivy asks for.
pub(super) struct Statistics<'r>(&'r Rank);

impl Bm25StatisticsProvider for Statistics<'_> {
    fn total_num_tokens(&self, _: Field) -> tantivy::Result<u64> {
        // Passages are looked for by their text alone.
        Ok(self.0.totals.text_tokens)
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.0.totals.chunks)
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        let known = self.0.terms.iter().find(|of| of.term == *term).map(|of| of.frequency);
        known.ok_or_else(|| TantivyError::InvalidArgument("a term that was not looked up".to_owned()))
    }
}
