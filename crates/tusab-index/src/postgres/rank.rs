//! What a query's words are worth in a chunk: the local index's formula, with counts from the tables.

use std::collections::{HashMap, HashSet};

use super::connection::{Connection, Sql};
use super::entry::{Counts, Ranked, of_project};
use super::error::PostgresError;
use super::rows::get;
use crate::bm25::rank::{K1, saturation};
use crate::bm25::{RankedTerm, Totals, WordField, Worth};
use crate::narrow::words::Rarity;

pub(super) const FREQUENCIES: Sql = Sql {
    doing: "count terms",
    text: "SELECT term, sum(chunks)::bigint, sum(titles)::bigint FROM terms \
           WHERE project = ANY($1) AND term = ANY($2) GROUP BY term",
};
const TOTALS: Sql = Sql {
    doing: "read the counts",
    text: "SELECT sum(chunks) FILTER (WHERE key = ANY($1))::bigint, sum(text_tokens) FILTER (WHERE key = ANY($1))::bigint, \
           sum(title_tokens) FILTER (WHERE key = ANY($1))::bigint, sum(chunks)::bigint FROM projects",
};

/// In how many chunks of those projects, and in how many titles of chunks, terms stand.
pub(super) fn frequencies(
    connection: &Connection,
    projects: &[i64],
    terms: &[&str],
) -> Result<HashMap<String, (u64, u64)>, PostgresError> {
    let count =
        |row: &_, column| get::<i64>(row, column).map(|count| u64::try_from(count).unwrap_or_default());
    connection
        .query(FREQUENCIES, &[&projects, &terms])?
        .iter()
        .map(|row| Ok((get(row, 0)?, (count(row, 1)?, count(row, 2)?))))
        .collect()
}

/// The terms of a query with what is known of them in the project.
#[derive(Debug)]
pub(super) struct Rank {
    totals: Totals,
    /// Chunks of all projects, which the index counts by.
    all_chunks: u64,
    terms: Vec<Weighed>,
    best: f32,
}

#[derive(Debug)]
struct Weighed {
    field: WordField,
    /// Those that stand somewhere, each with the number of chunks.
    forms: Vec<(String, u64)>,
    nominates: bool,
    weight: f32,
    /// Chunks that hold any form.
    frequency: u64,
    /// What it adds to a chunk that consists of it.
    most: f32,
}

/// A term that nominates passages, in the form of the tables.
#[derive(Debug)]
pub(super) struct Nominating {
    pub(super) term: String,
    /// Chunks that hold it.
    pub(super) frequency: u64,
    /// Its weight times its rarity here.
    pub(super) worth: f32,
    /// Its rarity among all projects, apart from the word's other forms.
    everywhere: f32,
}

impl Nominating {
    pub(super) fn new(term: String, frequency: u64, worth: f32, everywhere: f32) -> Self {
        Self { term, frequency, worth, everywhere }
    }

    /// What makes its score in the index of `pg_search` that of [`Rank`]: that index takes rarity from its own counts,
    /// which span all projects and tell forms apart.
    pub(super) fn boost(&self) -> f32 {
        self.worth / self.everywhere
    }
}

impl Rank {
    pub(super) fn of(
        connection: &Connection,
        projects: &[i64],
        terms: Vec<RankedTerm>,
    ) -> Result<Self, PostgresError> {
        let (totals, all_chunks) = totals(connection, projects)?;
        let mut forms: Vec<&str> = terms.iter().flat_map(|term| &term.forms).map(String::as_str).collect();
        forms.sort_unstable();
        forms.dedup();
        let known = frequencies(connection, projects, &forms)?;
        let mut rank =
            Self { all_chunks: all_chunks.max(totals.chunks()), totals, terms: Vec::new(), best: 0.0 };
        for RankedTerm { field, forms, weight, nominates } in terms {
            let weighs = weight > 0.0 && weight.is_finite();
            if !weighs || (field == WordField::Title && rank.totals.average(field) <= 0.0) {
                continue;
            }
            let of = |form: String| {
                let (chunks, titles) = *known.get(&form)?;
                let frequency = if field == WordField::Text { chunks } else { titles };
                (frequency > 0).then_some((form, frequency))
            };
            let forms: Vec<(String, u64)> = forms.into_iter().filter_map(of).collect();
            let frequency: u64 = forms.iter().map(|(_, frequency)| frequency).sum();
            let frequency = frequency.min(rank.totals.chunks());
            let most = weight * rank.totals.idf(frequency) * (1.0 + K1);
            if field == WordField::Text {
                rank.best += most;
            }
            rank.terms.push(Weighed { field, forms, nominates, weight, frequency, most });
        }
        Ok(rank)
    }

    /// What no passage's text can score more than.
    pub(super) fn best_score(&self) -> f32 {
        self.best
    }

    /// The terms that nominate.
    pub(super) fn nominating(&self, project: i64) -> Vec<Nominating> {
        let everywhere = Totals::new(self.all_chunks, 0, 0);
        let terms = self.terms.iter().filter(|term| term.nominates && term.field == WordField::Text);
        let forms = |term: &Weighed| {
            let worth = term.weight * self.totals.idf(term.frequency);
            let of = |(form, frequency): &(String, u64)| {
                Nominating::new(of_project(project, form), *frequency, worth, everywhere.idf(*frequency))
            };
            term.forms.iter().map(of).collect::<Vec<_>>()
        };
        terms.flat_map(forms).collect()
    }

    /// What [`Rank::worth`] looks at.
    pub(super) fn forms(&self) -> HashSet<&str> {
        self.terms.iter().flat_map(|term| &term.forms).map(|(form, _)| form.as_str()).collect()
    }

    pub(super) fn worth(&self, chunk: &Ranked) -> Worth {
        let mut worth = Worth::default();
        for term in &self.terms {
            let (field, sum) = match term.field {
                WordField::Text => (&chunk.text, &mut worth.text),
                WordField::Title => (&chunk.title, &mut worth.title),
            };
            *sum += self.score(term, field);
        }
        worth
    }

    fn score(&self, term: &Weighed, field: &Counts) -> f32 {
        let average = self.totals.average(term.field);
        let counts = term.forms.iter().filter_map(|(form, _)| field.of.get(form));
        counts.map(|count| term.most * saturation(*count, field.rounded_length(), average)).sum()
    }
}

impl Rarity for Rank {
    fn frequency(&self, term: &str) -> u64 {
        let is_it =
            |of: &&Weighed| of.field == WordField::Text && of.forms.iter().any(|(form, _)| form == term);
        self.terms.iter().find(is_it).map_or(0, |of| of.frequency)
    }

    fn idf(&self, frequency: u64) -> f32 {
        self.totals.idf(frequency)
    }
}

/// The counts of the projects, and the chunks of all.
fn totals(connection: &Connection, projects: &[i64]) -> Result<(Totals, u64), PostgresError> {
    let Some(row) = connection.query_one(TOTALS, &[&projects])? else { return Ok((Totals::default(), 0)) };
    let count = |column| {
        let count = get::<Option<i64>>(&row, column)?.unwrap_or_default();
        Ok::<_, PostgresError>(u64::try_from(count).unwrap_or_default())
    };
    Ok((Totals::new(count(0)?, count(1)?, count(2)?), count(3)?))
}
