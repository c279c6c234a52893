//! Narrow Search: the index of the server nominates, the tables count, and the local index's own rules rank.

use std::collections::HashMap;

use serde_json::{Value, json};
use tokio_postgres::types::Json;

use super::PgStore;
use super::connection::{Begin, Connection, Sql};
use super::entry::{self, Reader, literal_of_project};
use super::error::PostgresError;
use super::rank::{Rank, frequencies};
use super::rows::{self, get};
use crate::analyze::Morphology;
use crate::bm25::Worth;
use crate::duplicate::Signature;
use crate::exact::Phrases;
use crate::narrow::literal;
use crate::narrow::pool::Pool;
use crate::narrow::words::Words;
use crate::store::{ChunkKey, StoredChunk};
use crate::{DocumentRecord, Error, Filter, Found, Query, title};

// `project` stands here once more, beside the words that begin with it: it is also what tells a cluster where to look.
const NOMINATE: Sql = Sql {
    doing: "search",
    text: "SELECT key, paradedb.score(key) FROM chunks WHERE key @@@ $1::jsonb AND project = $2 \
           ORDER BY paradedb.score(key) DESC, key LIMIT $3",
};
const LITERAL: Sql = Sql {
    doing: "search literally",
    text: "SELECT key FROM chunks WHERE key @@@ $1::jsonb AND project = $2 ORDER BY key LIMIT $3",
};
const LOAD: Sql = Sql {
    doing: "read passages",
    text: "SELECT c.key, c.id, c.chunk, c.signature, d.key, d.record, d.spoken FROM chunks c \
           JOIN documents d ON d.project = c.project AND d.key = c.document \
           WHERE c.project = $1 AND c.key = ANY($2)",
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
    words.sort_by_rarity(&rank, &MORPHOLOGIES);
    let is_capped = phrases.is_capped || words.is_capped(size);
    let title_words = title::words(&query.text);

    let mut pool = Pool::new(query, size, phrases.any_quoted(), is_capped);
    let mut loaded_of: Vec<HashMap<ChunkKey, Loaded>> = Vec::with_capacity(projects.len());
    for (number, project) in projects.iter().copied().enumerate() {
        let filter = filter(connection, project, &query.filter)?;
        let mut keys = Vec::new();
        let terms: Vec<Value> = rank.nominating(project).map(|(term, boost)| boosted(&term, boost)).collect();
        if !terms.is_empty() {
            let most = size.saturating_mul(NOMINEES);
            let nominated = nominate(connection, project, &terms, &filter, most, size)?;
            pool.nominated(number, nominated.iter().copied());
            keys.extend(nominated);
            if let Some(title_words) = &title_words {
                let mut within = filter.clone();
                within.push(unscored(&term("labels", &entry::title_label(title_words))));
                let titled = nominate(connection, project, &terms, &within, size, size)?;
                pool.titled(number, titled.iter().copied());
                keys.extend(titled);
            }
        }
        let clauses: Vec<_> = literal::clauses(&phrases, &words, size).collect();
        let texts = clauses.iter().map(|(_, words)| *words);
        let mut found = look_up(connection, project, texts, &filter, size)?;
        found.reverse();
        let kinds = clauses.iter().map(|(kind, _)| (*kind, ()));
        let literal = literal::find(kinds, size, |()| Ok(found.pop().unwrap_or_default()))?;
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

/// What passages are worth by the words that were asked for.
pub(super) fn weigh(rank: &Rank, loaded: &HashMap<ChunkKey, Loaded>) -> HashMap<ChunkKey, Worth> {
    let mut reader = Reader::default();
    let worth = |(key, Loaded { stored, spoken }): (&ChunkKey, &Loaded)| {
        let ranked = reader.ranked(&stored.document, spoken.as_ref(), &stored.chunk);
        (*key, rank.worth(&ranked))
    };
    loaded.iter().map(worth).collect()
}

/// The best passages by their words in the index, and further ones that tie with the one at `tied_from`.
fn nominate(
    connection: &Connection,
    project: i64,
    terms: &[Value],
    filter: &[Value],
    limit: usize,
    tied_from: usize,
) -> Result<Vec<ChunkKey>, PostgresError> {
    let any = json!({ "boolean": { "should": terms } });
    let must: Vec<Value> = filter.iter().cloned().chain([any]).collect();
    best(connection, project, &json!({ "boolean": { "must": must } }), limit, tied_from)
}

/// The best passages of a query of the index, and further ones that tie with the one at `tied_from`.
pub(super) fn best(
    connection: &Connection,
    project: i64,
    query: &Value,
    limit: usize,
    tied_from: usize,
) -> Result<Vec<ChunkKey>, PostgresError> {
    let query = Json(query);
    let mut limit = limit;
    loop {
        let most = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = connection.query(NOMINATE, &[&query, &project, &most])?;
        let scores = rows.iter().map(|row| get::<f32>(row, 1)).collect::<Result<Vec<_>, _>>()?;
        let is_open = rows.len() == limit && scores.get(tied_from.saturating_sub(1)) == scores.last();
        if is_open && limit < MAX_TIED {
            limit = (limit * 8).min(MAX_TIED);
            continue;
        }
        return rows.iter().map(key).collect();
    }
}

/// For each text, given as words between spaces, the first chunks that hold them one after the other.
fn look_up<'w>(
    connection: &Connection,
    project: i64,
    texts: impl Iterator<Item = &'w str>,
    filter: &[Value],
    limit: usize,
) -> Result<Vec<Vec<ChunkKey>>, PostgresError> {
    let most = i64::try_from(limit).unwrap_or(i64::MAX);
    let query = |text: &str| {
        let all: Vec<Value> = filter.iter().cloned().chain([phrase(project, text)]).collect();
        Json(json!({ "boolean": { "must": all } }))
    };
    let queries: Vec<Json<Value>> = texts.map(query).collect();
    let params: Vec<[&(dyn tokio_postgres::types::ToSql + Sync); 3]> =
        queries.iter().map(|query| [query as _, &project as _, &most as _]).collect();
    let requests: Vec<_> = params.iter().map(|params| (LITERAL, params.as_slice())).collect();
    let answers = connection.query_all(&requests)?;
    answers.iter().map(|rows| rows.iter().map(key).collect()).collect()
}

/// Words that stand one after the other, given between spaces.
pub(super) fn phrase(project: i64, text: &str) -> Value {
    let words = text.split(' ').filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(|word| literal_of_project(project, word)).collect();
    match words.as_slice() {
        [word] => term("literal", word),
        words => json!({ "phrase": { "field": "literal", "phrases": words } }),
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

fn key(row: &tokio_postgres::Row) -> Result<ChunkKey, PostgresError> {
    get::<i64>(row, 0).map(|key| ChunkKey(key.cast_unsigned()))
}

/// What a filter asks of the labels and the date of a passage.
pub(super) fn filter(
    connection: &Connection,
    project: i64,
    filter: &Filter,
) -> Result<Vec<Value>, PostgresError> {
    let mut all = Vec::new();
    let mut any_of = |labels: Vec<String>| {
        let terms: Vec<Value> = labels.iter().map(|label| term("labels", label)).collect();
        all.push(unscored(&json!({ "boolean": { "should": terms } })));
    };
    if !filter.documents.is_empty() {
        let ids: Vec<&str> = filter.documents.iter().map(tusab_chunk::DocId::as_str).collect();
        let rows = connection.query(DOCUMENT_KEYS, &[&project, &ids])?;
        let keys = rows.iter().map(|row| get(row, 0)).collect::<Result<Vec<i64>, _>>()?;
        // No document has the key 0.
        any_of(keys.iter().chain([&0]).map(|key| entry::document_label(*key)).collect());
    }
    if !filter.kinds.is_empty() {
        any_of(filter.kinds.iter().map(|kind| entry::kind_label(*kind)).collect());
    }
    if !filter.languages.is_empty() {
        any_of(filter.languages.iter().map(entry::language_label).collect());
    }
    if !filter.tags.is_empty() {
        any_of(filter.tags.iter().map(|tag| entry::tag_label(tag)).collect());
    }
    if filter.since.is_some() || filter.until.is_some() {
        let bound =
            |date: Option<tusab_chunk::Date>| date.map(|date| json!({ "included": crate::bm25::day(date) }));
        let (lower, upper) = (bound(filter.since), bound(filter.until));
        let range = json!({ "range": { "field": "date", "lower_bound": lower, "upper_bound": upper } });
        all.push(unscored(&range));
    }
    Ok(all)
}

/// A word of the index, taken as it is: JSON is its only form, and the server parses nothing inside it.
fn term(field: &str, value: &str) -> Value {
    json!({ "term": { "field": field, "value": value } })
}

pub(super) fn boosted(value: &str, boost: f32) -> Value {
    json!({ "boost": { "factor": boost, "query": term("terms", value) } })
}

pub(super) fn unscored(query: &Value) -> Value {
    json!({ "const_score": { "score": 0.0, "query": query } })
}
