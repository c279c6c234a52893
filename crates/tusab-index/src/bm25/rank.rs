//! What a query's words are worth in each passage (BM25 with Lucene's idf, Robertson and Zaragoza 2009).

use tantivy::postings::TermInfo;
use tantivy::query::Bm25StatisticsProvider;
use tantivy::schema::Field;
use tantivy::{TantivyError, Term};

use super::{Fields, Snapshot};
use crate::Error;

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
    pub(super) term: Term,
    pub(super) nominates: bool,
    /// Where its postings are: by index, by segment.
    pub(super) postings: Vec<Vec<Option<TermInfo>>>,
    /// Number of chunks that hold it or another form of it.
    frequency: u64,
    /// The term's weight, its idf and k1 + 1, multiplied: reached as the term fills the passage.
    most: f32,
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
        for RankedTerm { field, forms, weight, nominates } in terms {
            let weighs = weight > 0.0 && weight.is_finite();
            if !weighs || (field == WordField::Title && totals.title_tokens == 0) {
                continue;
            }
            let mut found = Vec::with_capacity(forms.len());
            let mut frequency = 0_u64;
            for form in forms {
                let term = Term::from_field_text(first.fields.of(field), &form);
                let postings: Vec<Vec<Option<TermInfo>>> = snapshots
                    .iter()
                    .map(|snapshot| snapshot.find_term(field, &term))
                    .collect::<Result<_, _>>()?;
                let chunks: u64 =
                    postings.iter().flatten().flatten().map(|found| u64::from(found.doc_freq)).sum();
                if chunks > 0 {
                    frequency += chunks;
                    found.push((term, postings));
                }
            }
            let frequency = frequency.min(totals.chunks);
            let most = weight * totals.idf(frequency) * (1.0 + K1);
            if field == WordField::Text {
                best += most;
            }
            let form = |(term, postings)| Weighed { field, term, nominates, postings, frequency, most };
            weighed.extend(found.into_iter().map(form));
        }
        Ok(Self { terms: weighed, totals, best })
    }

    /// Number of chunks whose text holds `term`, those not yet merged away included; 0 for one that was not asked.
    pub(crate) fn frequency(&self, term: &str) -> u64 {
        let is_it = |of: &&Weighed| of.field == WordField::Text && of.term.value().as_str() == Some(term);
        self.terms.iter().find(is_it).map_or(0, |of| of.frequency)
    }

    /// How rare what stands in that many chunks is.
    pub(crate) fn idf(&self, frequency: u64) -> f32 {
        self.totals.idf(frequency)
    }

    /// What no passage's text can score more than: the terms that stand nowhere count too.
    pub(crate) fn best_score(&self) -> f32 {
        self.best
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
    let norm = if average > 0.0 { K1 * (1.0 - B + B * length as f32 / average) } else { K1 };
    count as f32 / (count as f32 + norm)
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
