//! Queries for PostgreSQL's own full text search, where `pg_search` is not to be had.
//!
//! It knows neither how rare a word is nor how long a passage: words nominate by [`ts_rank`][rank], each times its worth,
//! and what they nominate is ranked as everywhere. What is found literally is exact.
//!
//! [rank]: https://www.postgresql.org/docs/current/textsearch-controls.html#TEXTSEARCH-RANKING

use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::connection::{Connection, Sql};
use super::entry::literal_of_project;
use super::error::PostgresError;
use super::rank::Nominating;
use super::wanted::{Restriction, Wanted};

/// Conditions on a passage `c`, from the fifth parameter on: lists of labels, days, phrases with a space at both ends.
macro_rules! fits {
    () => {
        " AND NOT EXISTS (SELECT FROM unnest($5::text[]) AS g (any_of) \
           WHERE NOT string_to_array(c.labels, ' ') && string_to_array(g.any_of, ' ')) \
           AND ($6::int IS NULL OR c.date >= $6) AND ($7::int IS NULL OR c.date <= $7) \
           AND NOT EXISTS (SELECT FROM unnest($8::text[]) AS p (words) WHERE strpos(' ' || c.literal || ' ', p.words) = 0) \
           AND NOT EXISTS (SELECT FROM unnest($9::text[]) AS p (words) WHERE strpos(' ' || c.literal || ' ', p.words) > 0)"
    };
}

const BEST: Sql = Sql {
    doing: "search",
    text: concat!(
        "SELECT c.key, sum(a.worth * ts_rank(c.nominates, a.word))::real AS score \
         FROM (SELECT tusab.all_of(ARRAY[t.term]) AS word, t.worth FROM unnest($2::text[], $3::real[]) AS t (term, worth)) a \
         JOIN chunks c ON c.nominates @@ a.word WHERE c.project = $1",
        fits!(),
        " GROUP BY c.key ORDER BY score DESC, c.key LIMIT $4"
    ),
};

const BEST_WITH: Sql = Sql {
    doing: "search",
    text: concat!(
        "SELECT c.key, coalesce((SELECT sum(t.worth * ts_rank(c.nominates, tusab.all_of(ARRAY[t.term]))) \
         FROM unnest($2::text[], $3::real[]) AS t (term, worth)), 0)::real AS score \
         FROM chunks c WHERE c.project = $1 AND c.says @@ tusab.all_of($10::text[])",
        fits!(),
        " ORDER BY score DESC, c.key LIMIT $4"
    ),
};

const FIRST_WITH: Sql = Sql {
    doing: "search literally",
    text: concat!(
        // All parameters are given a type, those that are not looked at included.
        "SELECT c.key FROM chunks c WHERE c.project = $1 AND $2::text[] IS NOT NULL AND $3::real[] IS NOT NULL \
         AND c.says @@ tusab.all_of($10::text[])",
        fits!(),
        " ORDER BY c.key LIMIT $4"
    ),
};

/// Passages that the words of one query are looked up in: every one is read. Of words that stand in more, the rarest
/// nominate, and all of them rank.
const LOOKED_UP: u64 = 20_000;

pub(super) fn best(
    wanted: &Wanted,
    connection: &Connection,
    project: i64,
    most: i64,
) -> Result<Vec<Row>, PostgresError> {
    if wanted.required.is_empty() {
        let terms = rarest(&wanted.terms);
        return Asked::new(project, &terms, wanted, most).ask(connection, BEST);
    }
    let terms: Vec<&Nominating> = wanted.terms.iter().collect();
    Asked::new(project, &terms, wanted, most).ask(connection, BEST_WITH)
}

pub(super) fn first_with(
    connection: &Connection,
    project: i64,
    texts: &[&str],
    within: &Restriction,
    most: i64,
) -> Result<Vec<Vec<Row>>, PostgresError> {
    let asked = |text: &&str| {
        let wanted = Wanted {
            terms: Vec::new(),
            required: vec![(*text).to_owned()],
            excluded: Vec::new(),
            within: within.clone(),
        };
        Asked::new(project, &[], &wanted, most)
    };
    let asked: Vec<Asked> = texts.iter().map(asked).collect();
    let params: Vec<_> = asked.iter().map(Asked::params).collect();
    let requests: Vec<_> = params.iter().map(|params| (FIRST_WITH, params.as_slice())).collect();
    connection.query_all(&requests)
}

/// The rarest terms, one at least, as long as few enough passages hold them.
fn rarest(terms: &[Nominating]) -> Vec<&Nominating> {
    let mut terms: Vec<&Nominating> = terms.iter().collect();
    terms.sort_by_key(|term| term.frequency);
    let mut passages = 0_u64;
    let mut taken = 0;
    for term in &terms {
        passages = passages.saturating_add(term.frequency);
        if taken > 0 && passages > LOOKED_UP {
            break;
        }
        taken += 1;
    }
    terms.truncate(taken);
    terms
}

/// The parameters of a request.
#[derive(Debug)]
struct Asked {
    project: i64,
    terms: Vec<String>,
    worth: Vec<f32>,
    most: i64,
    labels: Vec<String>,
    since: Option<i32>,
    until: Option<i32>,
    required: Vec<String>,
    excluded: Vec<String>,
    /// All words of what is required.
    words: Vec<String>,
}

impl Asked {
    fn new(project: i64, terms: &[&Nominating], wanted: &Wanted, most: i64) -> Self {
        let words = |text: &str| {
            let words = text.split(' ').filter(|word| !word.is_empty());
            words.map(|word| literal_of_project(project, word)).collect::<Vec<_>>()
        };
        let phrases = |of: &[String]| of.iter().map(|text| format!(" {} ", words(text).join(" "))).collect();
        Self {
            project,
            terms: terms.iter().map(|term| term.term.clone()).collect(),
            worth: terms.iter().map(|term| term.worth).collect(),
            most,
            labels: wanted.within.labels.iter().map(|labels| labels.join(" ")).collect(),
            since: wanted.within.since,
            until: wanted.within.until,
            required: phrases(&wanted.required),
            excluded: phrases(&wanted.excluded),
            words: wanted.required.iter().flat_map(|text| words(text)).collect(),
        }
    }

    fn params(&self) -> [&(dyn ToSql + Sync); 10] {
        [
            &self.project,
            &self.terms,
            &self.worth,
            &self.most,
            &self.labels,
            &self.since,
            &self.until,
            &self.required,
            &self.excluded,
            &self.words,
        ]
    }

    fn ask(&self, connection: &Connection, sql: Sql) -> Result<Vec<Row>, PostgresError> {
        let params = self.params();
        // The last parameter is of those requests that require words.
        let count = if sql.text == BEST.text { params.len() - 1 } else { params.len() };
        connection.query(sql, params.get(..count).unwrap_or(&params))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rarest_words_nominate_until_many_passages_hold_them() {
        let term = |term: &str, frequency| Nominating::new(term.to_owned(), frequency, 1.0, 1.0);
        let taken =
            |terms: &[Nominating]| rarest(terms).iter().map(|term| term.term.clone()).collect::<Vec<_>>();
        assert_eq!(taken(&[term("a", 15_000), term("b", 3), term("c", 5_000)]), ["b", "c"]);
        assert_eq!(taken(&[term("a", 900_000)]), ["a"]);
        assert_eq!(taken(&[]), Vec::<String>::new());
    }
}
