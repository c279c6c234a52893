//! Search by the advanced syntax: the index of the server decides what is required and excluded, and its own rules rank.

use std::collections::HashMap;

use super::PgStore;
use super::connection::{Begin, Connection};
use super::rank::{Nominating, Rank, frequencies};
use super::search::{Loaded, MORPHOLOGIES, best, load, restriction, weigh};
use super::wanted::{Restriction, Wanted};
use crate::analyze::Analysis;
use crate::narrow::Condition;
use crate::narrow::pool::Pool;
use crate::narrow::words::Words;
use crate::store::ChunkKey;
use crate::{AdvancedQuery, DocumentRecord, Error, Found, Occur, Query, Target};

/// Passages that fit and are put in order; of more, those that the index takes for the best.
const MAX_MATCHING: usize = 10_000;

/// Passages that are looked at, for each that is wanted.
const LOOKED_AT: usize = 8;

impl PgStore {
    /// Searches by the advanced syntax. Of `query` all counts but the text.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn retrieve_advanced(&self, advanced: &AdvancedQuery, query: &Query) -> Result<Found, Error> {
        let conditions = |occur| advanced.clauses().iter().filter(move |clause| clause.occur() == occur);
        let required: Vec<Option<Condition>> = conditions(Occur::Must).map(Condition::of).collect();
        // What has no words stands nowhere.
        if query.wanted() == 0 || required.iter().any(Option::is_none) {
            return Ok(Found::default());
        }
        let required: Vec<Condition> = required.into_iter().flatten().collect();
        let excluded: Vec<Condition> = conditions(Occur::MustNot).filter_map(Condition::of).collect();
        let asked = Asked { required, excluded };
        let positive = advanced.clauses().iter().filter(|clause| clause.occur() != Occur::MustNot);
        let text: Vec<&str> = positive.map(|clause| clause.wanted().text()).collect();
        self.shared.read(&[self.project], |connection| {
            let transaction = connection.begin(Begin::Reading)?;
            let found = search(&transaction, self.project, &text.join(" "), &asked, query)?;
            transaction.commit()?;
            Ok(found)
        })
    }
}

/// What has to stand in a passage, and what must not.
#[derive(Debug)]
struct Asked {
    required: Vec<Condition>,
    excluded: Vec<Condition>,
}

impl Asked {
    /// As a query, which does not tell titles and tags from passages: of those, it excludes nothing.
    fn wanted(&self, terms: Vec<Nominating>, within: Restriction) -> Wanted {
        let anywhere = self.excluded.iter().filter(|condition| condition.within == Target::Any);
        Wanted {
            terms,
            required: self.required.iter().map(|condition| condition.words.clone()).collect(),
            excluded: anywhere.map(|condition| condition.words.clone()).collect(),
            within,
        }
    }

    /// True when titles or tags have to be looked at.
    fn is_of_documents(&self) -> bool {
        self.required.iter().chain(&self.excluded).any(|condition| condition.within != Target::Any)
    }

    /// True when the title and the tags of a document are as asked.
    fn accepts(&self, document: &DocumentRecord) -> bool {
        let has = |condition: &&Condition| match condition.within {
            Target::Title => says(&document.title, &condition.words),
            Target::Tag => says(&document.tags.join("\n"), &condition.words),
            Target::Any => false,
        };
        let of_document = |condition: &&Condition| condition.within != Target::Any;
        self.required.iter().filter(of_document).all(|condition| has(&condition))
            && !self.excluded.iter().any(|condition| has(&condition))
    }
}

/// True when a text holds those words one after the other.
fn says(text: &str, words: &str) -> bool {
    let mut literal = Analysis::default();
    literal.read(text);
    format!(" {} ", literal.words).contains(&format!(" {words} "))
}

fn search(
    connection: &Connection,
    project: i64,
    text: &str,
    asked: &Asked,
    query: &Query,
) -> Result<Found, Error> {
    let (projects, size) = ([project], query.size());
    let mut words = Words::of(text, |terms| {
        let of: Vec<&str> = terms.iter().map(String::as_str).collect();
        let known = frequencies(connection, &projects, &of)?;
        Ok(terms.iter().map(|term| known.get(term).map_or(0, |(chunks, _)| *chunks)).collect())
    })?;
    let rank = Rank::of(connection, &projects, words.terms(&MORPHOLOGIES, query.title_weight))?;
    words.sort_by_rarity(&rank);
    let terms = rank.nominating(project);
    let mut pool = Pool::new(query, size, false, false);
    let mut loaded = HashMap::new();
    if !terms.is_empty() || !asked.required.is_empty() {
        let wanted = asked.wanted(terms, restriction(connection, project, &query.filter)?);
        loaded = matching(connection, project, asked, &wanted, size)?;
    }
    pool.nominated(0, loaded.keys().copied());
    pool.weighed(0, &weigh(&rank, &loaded));
    if let Some(recency) = &query.recency {
        let date = |(key, loaded): (&ChunkKey, &Loaded)| Some((*key, loaded.stored.document.date?));
        pool.dated(0, &loaded.iter().filter_map(date).collect::<Vec<_>>(), recency);
    }
    let best_score = rank.best_score();
    let found = pool.load(1, &|_, keys| {
        Ok(keys.iter().filter_map(|key| Some((*key, loaded.get(key)?.stored.clone()))).collect())
    })?;
    Ok(Found { words: words.into_query_words(&rank), best_score, ..found })
}

/// The best passages that fit: more are looked at until there are enough, since titles and tags are only known here.
fn matching(
    connection: &Connection,
    project: i64,
    asked: &Asked,
    query: &Wanted,
    size: usize,
) -> Result<HashMap<ChunkKey, Loaded>, Error> {
    let enough = size.saturating_mul(LOOKED_AT);
    let mut limit = enough.min(MAX_MATCHING);
    loop {
        let keys = best(connection, project, query, limit, size)?;
        let is_all = keys.len() < limit || limit == MAX_MATCHING;
        let mut loaded = load(connection, project, &keys)?;
        if asked.is_of_documents() {
            loaded.retain(|_, loaded| asked.accepts(&loaded.stored.document));
        }
        if is_all || loaded.len() >= size {
            return Ok(loaded);
        }
        limit = limit.saturating_mul(8).min(MAX_MATCHING);
    }
}
