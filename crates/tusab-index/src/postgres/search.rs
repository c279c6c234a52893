//! Narrow Search: the index of the server nominates, the tables count, and the local index's own rules rank.

use std::collections::HashMap;

use super::connection::{Begin, Connection, Sql};
use super::entry::{self, Reader};
use super::error::PostgresError;
use super::rank::{Rank, frequencies};
use super::rows::{self, get};
use super::wanted::{Restriction, Wanted, first_with, key};
use super::{PgStore, TextSearch};
use crate::analyze::Morphology;
use crate::bm25::Worth;
use crate::duplicate::Signature;
use crate::exact::Phrases;
use crate::narrow::literal;
use crate::narrow::pool::Pool;
use crate::narrow::words::Words;
use crate::store::{ChunkKey, StoredChunk};
use crate::{DocumentRecord, Error, Filter, Found, Query, title};

const LOAD: Sql = Sql {
    doing: "read passages",
    text: "SELECT c.key, c.id, c.chunk, c.signature, d.key, d.record, d.spoken FROM chunks c \
           JOIN documents d ON d.project = c.project AND d.key = c.document \
           WHERE c.project = $1 AND c.key = ANY($2)",
};
const TITLED: Sql = Sql {
    doing: "look for a title",
    // Not `EXISTS`: for its first row the planner reads the whole table, as long as it knows little of the labels.
    text: "SELECT count(*) > 0 FROM documents WHERE project = $1 AND labels @> ARRAY[$2::text]",
};
const DOCUMENT_KEYS: Sql = Sql {
    doing: "look for documents",
    text: "SELECT key FROM documents WHERE project = $1 AND id = ANY($2)",
};

/// Passages that the index brings, for each that is wanted: it knows lengths by the average of all projects, so that its
/// order is not quite ours.
const NOMINEES: usize = 4;

/// More passages of one score than this are not told apart.
const MAX_TIED: usize = 4096;

/// All ways in which words change their endings: those that no document has cost a look at a table.
pub(super) const MORPHOLOGIES: [Morphology; 4] =
    [Morphology::Portuguese, Morphology::English, Morphology::Spanish, Morphology::Other];

/// A passage with what it is ranked by.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) stored: StoredChunk,
    spoken: Option<tusab_chunk::Language>,
}

impl PgStore {
    pub(super) fn search(&self, query: &Query) -> Result<Found, Error> {
        Self::retrieve_all(&[self], query)
    }

    /// Searches several projects of one database as one: how rare a word is counts over all of them, so that scores compare.
    /// A hit says by [`Hit::index`](crate::Hit::index) which of them it is from.
    ///
    /// # Errors
    /// When the server does not answer. Projects of another database than the first are none of it.
    pub fn retrieve_all(stores: &[&Self], query: &Query) -> Result<Found, Error> {
        let Some(first) = stores.first().filter(|_| query.wanted() > 0) else { return Ok(Found::default()) };
        let projects: Vec<i64> = stores.iter().map(|store| store.project).collect();
        first.shared.read(&projects, |connection| {
            // One state for all that follows.
            let transaction = connection.begin(Begin::Reading)?;
            let found = search_within(&transaction, &projects, query)?;
            transaction.commit()?;
            Ok(found)
        })
    }
}

fn search_within(connection: &Connection, projects: &[i64], query: &Query) -> Result<Found, Error> {
    let size = query.size();
    let mut words = Words::of(&query.text, |terms| {
        let asked: Vec<&str> = terms.iter().map(String::as_str).collect();
        let known = frequencies(connection, projects, &asked)?;
        Ok(terms.iter().map(|term| known.get(term).map_or(0, |(chunks, _)| *chunks)).collect())
    })?;
    let phrases = Phrases::of(&query.text);
    let rank = Rank::of(connection, projects, words.terms(&MORPHOLOGIES, query.title_weight))?;
    words.sort_by_rarity(&rank);
    let is_capped = phrases.is_capped || words.is_capped(size);
    let title_words = title::words(&query.text);

    let mut pool = Pool::new(query, size, phrases.any_quoted(), is_capped);
    let mut loaded_of: Vec<HashMap<ChunkKey, Loaded>> = Vec::with_capacity(projects.len());
    for (number, project) in projects.iter().copied().enumerate() {
        let within = restriction(connection, project, &query.filter)?;
        let clauses: Vec<_> = literal::clauses(&phrases, &words, size).collect();
        let texts: Vec<&str> = clauses.iter().map(|(_, words)| *words).collect();
        let mut found = first_with(connection, project, &texts, &within, size)?;
        let mut keys = Vec::new();
        let terms = rank.nominating(project);
        if !terms.is_empty() {
            let mut wanted = Wanted { terms, required: Vec::new(), excluded: Vec::new(), within };
            let nominated = best(connection, project, &wanted, size.saturating_mul(NOMINEES), size)?;
            pool.nominated(number, nominated.iter().copied());
            keys.extend(nominated);
            // Most questions are no document's title, and this costs a fiftieth of a search that finds nothing.
            let label = match title_words.as_deref().map(entry::title_label) {
                Some(label) if is_title(connection, project, &label)? => Some(label),
                _ => None,
            };
            if let Some(label) = label {
                wanted.within.labels.push(vec![label]);
                let titled = best(connection, project, &wanted, size, size)?;
                pool.titled(number, titled.iter().copied());
                keys.extend(titled);
            }
        }
        found.reverse();
        let kinds = clauses.iter().map(|(kind, _)| (*kind, ()));
        let literal = literal::find(kinds, size, |_| Ok(found.pop().unwrap_or_default()))?;
        keys.extend(pool.literal(number, literal));

        let loaded = load(connection, project, &keys)?;
        pool.weighed(number, &weigh(&rank, &loaded));
        if let Some(recency) = &query.recency {
            let date = |(key, loaded): (&ChunkKey, &Loaded)| Some((*key, loaded.stored.document.date?));
            let dates: Vec<_> = loaded.iter().filter_map(date).collect();
            pool.dated(number, &dates, recency);
        }
        loaded_of.push(loaded);
    }
    let best_score = rank.best_score();
    let found = pool.load(projects.len(), &|number, keys| {
        let loaded = loaded_of.get(number);
        let of = |key: &ChunkKey| Some((*key, loaded?.get(key)?.stored.clone()));
        Ok(keys.iter().filter_map(of).collect())
    })?;
    Ok(Found { words: words.into_query_words(&rank), best_score, ..found })
}

/// True when a document of the project has a title with that label.
fn is_title(connection: &Connection, project: i64, label: &str) -> Result<bool, PostgresError> {
    connection.query_one(TITLED, &[&project, &label])?.map_or(Ok(false), |row| get(&row, 0))
}

/// What passages are worth by the words that were asked for.
pub(super) fn weigh(rank: &Rank, loaded: &HashMap<ChunkKey, Loaded>) -> HashMap<ChunkKey, Worth> {
    let mut reader = Reader::default();
    let asked = rank.forms();
    let worth = |(key, Loaded { stored, spoken }): (&ChunkKey, &Loaded)| {
        let is_asked = |term: &str| asked.contains(term);
        let ranked = reader.counted(&stored.document, spoken.as_ref(), &stored.chunk, is_asked);
        (*key, rank.worth(&ranked))
    };
    loaded.iter().map(worth).collect()
}

/// The best passages of a query, and further ones that tie with the one at `tied_from`.
pub(super) fn best(
    connection: &Connection,
    project: i64,
    wanted: &Wanted,
    limit: usize,
    tied_from: usize,
) -> Result<Vec<ChunkKey>, PostgresError> {
    let mut limit = limit;
    loop {
        let found = wanted.best(connection, project, limit)?;
        let score = |at: usize| found.get(at).map(|(_, score)| *score);
        let is_open =
            found.len() == limit && score(tied_from.saturating_sub(1)) == score(limit.saturating_sub(1));
        // The server's own search tells few passages apart: there, ties are its answer.
        if is_open && limit < MAX_TIED && connection.text_search() == TextSearch::PgSearch {
            limit = (limit * 8).min(MAX_TIED);
            continue;
        }
        return Ok(found.into_iter().map(|(key, _)| key).collect());
    }
}

/// Those chunks of the project with their documents.
pub(super) fn load(
    connection: &Connection,
    project: i64,
    keys: &[ChunkKey],
) -> Result<HashMap<ChunkKey, Loaded>, Error> {
    let keys: Vec<i64> = keys.iter().map(|key| key.0.cast_signed()).collect();
    let mut documents: HashMap<i64, std::sync::Arc<DocumentRecord>> = HashMap::new();
    let mut loaded = HashMap::new();
    for row in connection.query(LOAD, &[&project, &keys])? {
        let chunk = rows::chunk(&row, 2)?;
        if get::<&[u8]>(&row, 1)? != chunk.id().as_bytes() {
            let (doc, ordinal) = (chunk.doc().clone(), chunk.ordinal());
            return Err(Error::Damaged { path: format!("project {project}").into(), doc, ordinal });
        }
        let document_key = get(&row, 4)?;
        let document = match documents.get(&document_key) {
            Some(document) => std::sync::Arc::clone(document),
            None => std::sync::Arc::clone(
                documents.entry(document_key).or_insert(std::sync::Arc::new(rows::record(&row, 5)?)),
            ),
        };
        let signature: Option<&[u8]> = get(&row, 3)?;
        let signature = signature.and_then(|bytes| bytes.try_into().ok()).map(Signature::from_bytes);
        let stored = StoredChunk { chunk, document, signature };
        loaded.insert(key(&row)?, Loaded { stored, spoken: rows::language(&row, 6)? });
    }
    Ok(loaded)
}

/// What a filter asks of the labels and the date of a passage.
pub(super) fn restriction(
    connection: &Connection,
    project: i64,
    filter: &Filter,
) -> Result<Restriction, PostgresError> {
    let mut labels = Vec::new();
    if !filter.documents.is_empty() {
        let ids: Vec<&str> = filter.documents.iter().map(tusab_chunk::DocId::as_str).collect();
        let rows = connection.query(DOCUMENT_KEYS, &[&project, &ids])?;
        let keys = rows.iter().map(|row| get(row, 0)).collect::<Result<Vec<i64>, _>>()?;
        // No document has the key 0.
        labels.push(keys.iter().chain([&0]).map(|key| entry::document_label(*key)).collect());
    }
    if !filter.kinds.is_empty() {
        labels.push(filter.kinds.iter().map(|kind| entry::kind_label(*kind)).collect());
    }
    if !filter.languages.is_empty() {
        labels.push(filter.languages.iter().map(entry::language_label).collect());
    }
    if !filter.tags.is_empty() {
        labels.push(filter.tags.iter().map(|tag| entry::tag_label(tag)).collect());
    }
    let day =
        |date: Option<tusab_chunk::Date>| date.and_then(|date| i32::try_from(crate::bm25::day(date)).ok());
    Ok(Restriction { labels, since: day(filter.since), until: day(filter.until) })
}
