//! Writing batches.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tusab_chunk::{Chunk, ChunkId, DocId, Language};

use super::PgStore;
use super::changes::Changes;
use super::connection::{Begin, Connection, Sql};
use super::entry::{self, CopyText, Literal, Reader};
use super::error::PostgresError;
use super::rows::{self, get, to_json};
use crate::{Applied, Batch, Change, ContentHash, Control, DocumentRecord, Error, detect_language};

// A row for each document first: whoever writes the same one at the same time waits here.
const CLAIM: Sql = Sql {
    doing: "claim documents",
    text: "INSERT INTO documents (project, id, content_hash, record, labels) \
           SELECT $1, u.id, '', 'null', '{}' FROM unnest($2::text[]) AS u (id) ON CONFLICT (project, id) DO NOTHING",
};
const LOCK: Sql = Sql {
    doing: "lock documents",
    text: "SELECT id, key, content_hash, record, spoken FROM documents WHERE project = $1 AND id = ANY($2) \
           ORDER BY id FOR UPDATE",
};
const OLD: Sql = Sql {
    doing: "read what is replaced",
    text: "SELECT document, chunk, has_key_phrases FROM chunks WHERE project = $1 AND document = ANY($2)",
};
const DELETE_CHUNKS: Sql =
    Sql { doing: "remove chunks", text: "DELETE FROM chunks WHERE project = $1 AND document = ANY($2)" };
const DELETE_DOCUMENTS: Sql =
    Sql { doing: "remove documents", text: "DELETE FROM documents WHERE project = $1 AND key = ANY($2)" };
const DELETE_VECTORS: Sql = Sql {
    doing: "remove vectors",
    text: "DELETE FROM vectors v WHERE project = $1 AND document = ANY($2) AND NOT EXISTS \
           (SELECT 1 FROM chunks c WHERE c.project = $1 AND c.document = v.document AND c.id = v.id)",
};
const WRITE: Sql = Sql {
    doing: "write documents",
    text: "UPDATE documents d SET content_hash = u.content_hash, record = u.record::json, spoken = u.spoken, \
           labels = string_to_array(u.labels, ' '), date = u.date, owner = $8 \
           FROM unnest($2::bigint[], $3::bytea[], $4::text[], $5::text[], $6::text[], $7::int[]) \
           AS u (key, content_hash, record, spoken, labels, date) WHERE d.project = $1 AND d.key = u.key",
};
const COPY: Sql = Sql {
    doing: "write chunks",
    text: "COPY chunks (project, document, ordinal, id, chunk, has_key_phrases, signature, terms, literal, labels, date) \
           FROM STDIN",
};

/// The columns by which rows are looked for.
const ANALYZE: &str = "ANALYZE chunks (project, key, document, ordinal), documents (project, key, id), terms (project, term), \
                       vectors (project, id, document)";

/// A document as it was before the batch.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) key: i64,
    /// `None` when it was not there.
    pub(super) old: Option<Old>,
}

#[derive(Debug)]
pub(super) struct Old {
    hash: ContentHash,
    pub(super) record: DocumentRecord,
    pub(super) spoken: Option<Language>,
}

/// Locks those documents that are there, in the order of their ids, as everybody does.
pub(super) fn lock(
    connection: &Connection,
    project: i64,
    ids: &[&str],
) -> Result<BTreeMap<String, Known>, PostgresError> {
    let mut known = BTreeMap::new();
    for row in connection.query(LOCK, &[&project, &ids])? {
        let old = match rows::content_hash(&row, 2)? {
            Some(hash) => {
                Some(Old { hash, record: rows::record(&row, 3)?, spoken: rows::language(&row, 4)? })
            }
            None => None,
        };
        known.insert(get(&row, 0)?, Known { key: get(&row, 1)?, old });
    }
    Ok(known)
}

/// The key phrases of chunks that are replaced, be they none, for those that come with the same id.
type Carried = HashMap<ChunkId, Vec<String>>;

impl PgStore {
    pub(super) fn write_batch(&self, batch: &Batch, control: Control<'_>) -> Result<Applied, Error> {
        let project = self.project;
        // Of several changes to one document the last counts.
        let last: BTreeMap<&DocId, usize> =
            batch.changes().iter().enumerate().map(|(number, change)| (doc(change), number)).collect();
        self.shared.with(|connection| {
            let transaction = connection.begin(Begin::Writing)?;
            let upserts = |change: &&Change| matches!(change, Change::Upsert { .. });
            let claimed: BTreeSet<&str> =
                batch.changes().iter().filter(upserts).map(|change| doc(change).as_str()).collect();
            let claimed: Vec<&str> = claimed.into_iter().collect();
            transaction.execute(CLAIM, &[&project, &claimed])?;
            let ids: Vec<&str> = last.keys().map(|id| id.as_str()).collect();
            let known = lock(&transaction, project, &ids)?;

            let replaced = replaced(batch, &last, &known);
            let (mut reader, mut changes) = (Reader::default(), Changes::default());
            let carried = forget(&transaction, project, &replaced, &mut reader, &mut changes)?;
            let mut written = Written { project, reader, changes, carried, ..Written::default() };
            for (done, (number, change)) in (1..).zip(batch.changes().iter().enumerate()) {
                if (control.stop)() {
                    transaction.roll_back()?;
                    return Err(Error::Stopped);
                }
                if last.get(doc(change)) == Some(&number)
                    && let Some(known) = known.get(doc(change).as_str())
                {
                    written.change(change, known)?;
                }
                (control.progress)(done, batch.len());
            }
            let Written { applied, changes, copy, deleted, documents, .. } = written;
            if applied.written + applied.deleted == 0 {
                transaction.roll_back()?;
                return Ok(applied);
            }
            documents.write(&transaction, project, &self.owner)?;
            transaction.copy(COPY, copy.into_pieces())?;
            let keys: Vec<i64> = replaced.iter().map(|known| known.key).collect();
            transaction.execute(DELETE_VECTORS, &[&project, &keys])?;
            transaction.execute(DELETE_DOCUMENTS, &[&project, &deleted])?;
            let Some(batch) = changes.write(&transaction, project)? else {
                return Err(self.removed().into());
            };
            transaction.commit()?;
            self.shared.wrote(project, batch);
            if self.shared.has_outgrown_statistics(project, applied.chunks) {
                // What was written is written, whether or not the planner knows.
                if let Err(error) = connection.run("look at the tables", ANALYZE) {
                    tracing::debug!(%error, "the server makes its statistics in its own time");
                }
            }
            Ok(applied)
        })
    }
}

fn doc(change: &Change) -> &DocId {
    match change {
        Change::Upsert { document, .. } => &document.id,
        Change::Delete(id) => id,
    }
}

/// The documents that were there and are written anew or removed.
fn replaced<'k>(
    batch: &Batch,
    last: &BTreeMap<&DocId, usize>,
    known: &'k BTreeMap<String, Known>,
) -> Vec<&'k Known> {
    let is_replaced = |(id, number): (&&DocId, &usize)| {
        let known = known.get(id.as_str())?;
        let old = known.old.as_ref()?;
        match batch.changes().get(*number)? {
            Change::Upsert { document, .. } if document.content_hash == old.hash => None,
            _ => Some(known),
        }
    };
    last.iter().filter_map(is_replaced).collect()
}

/// Removes the chunks of those documents and takes them out of the counts.
fn forget(
    connection: &Connection,
    project: i64,
    replaced: &[&Known],
    reader: &mut Reader,
    changes: &mut Changes,
) -> Result<Carried, PostgresError> {
    let mut carried = Carried::new();
    if replaced.is_empty() {
        return Ok(carried);
    }
    let old: HashMap<i64, &Old> =
        replaced.iter().filter_map(|known| Some((known.key, known.old.as_ref()?))).collect();
    let keys: Vec<i64> = old.keys().copied().collect();
    for row in connection.query(OLD, &[&project, &keys])? {
        let Some(old) = old.get(&get(&row, 0)?) else { continue };
        let chunk = rows::chunk(&row, 1)?;
        changes.remove(&reader.ranked(&old.record, old.spoken.as_ref(), &chunk));
        if get(&row, 2)? {
            carried.insert(chunk.id(), chunk.key_phrases().to_vec());
        }
    }
    connection.execute(DELETE_CHUNKS, &[&project, &keys])?;
    Ok(carried)
}

/// What a batch has written so far.
#[derive(Debug, Default)]
struct Written {
    project: i64,
    applied: Applied,
    reader: Reader,
    literal: Literal,
    changes: Changes,
    carried: Carried,
    documents: Documents,
    copy: CopyText,
    /// Keys of documents that are removed at the end.
    deleted: Vec<i64>,
}

/// The documents that are written, column by column.
#[derive(Debug, Default)]
struct Documents {
    keys: Vec<i64>,
    hashes: Vec<Vec<u8>>,
    records: Vec<String>,
    spoken: Vec<Option<String>>,
    labels: Vec<String>,
    dates: Vec<Option<i32>>,
}

impl Documents {
    fn write(&self, connection: &Connection, project: i64, owner: &str) -> Result<(), PostgresError> {
        let Self { keys, hashes, records, spoken, labels, dates } = self;
        connection.execute(WRITE, &[&project, keys, hashes, records, spoken, labels, dates, &owner]).map(drop)
    }
}

impl Written {
    fn change(&mut self, change: &Change, known: &Known) -> Result<(), PostgresError> {
        match (change, &known.old) {
            (Change::Upsert { document, .. }, Some(old)) if old.hash == document.content_hash => {
                self.applied.unchanged += 1;
            }
            (Change::Upsert { document, chunks }, _) => {
                self.document(document, chunks, known.key)?;
                self.applied.written += 1;
                self.applied.chunks += chunks.len();
            }
            (Change::Delete(_), Some(_)) => {
                self.deleted.push(known.key);
                self.applied.deleted += 1;
            }
            // Claimed by an earlier change of this batch.
            (Change::Delete(_), None) => self.deleted.push(known.key),
        }
        Ok(())
    }

    fn document(&mut self, record: &DocumentRecord, chunks: &[Chunk], key: i64) -> Result<(), PostgresError> {
        let detected = match record.language {
            Some(_) => None,
            None => chunks.get(chunks.len() / 2).and_then(|chunk| detect_language(chunk.original_text())),
        };
        let spoken = record.language.as_ref().or(detected.as_ref());
        let (labels, date) = (entry::labels(record, spoken).join(" "), entry::date(record));
        self.documents.keys.push(key);
        self.documents.hashes.push(record.content_hash.as_bytes().to_vec());
        self.documents.records.push(to_json(record)?);
        self.documents.spoken.push(spoken.map(|language| language.as_str().to_owned()));
        self.documents.dates.push(date);
        let of_chunks = format!("{labels} {}", entry::document_label(key));
        self.documents.labels.push(labels);
        for chunk in chunks {
            self.chunk(record, spoken, chunk, key, &of_chunks, date)?;
        }
        Ok(())
    }

    fn chunk(
        &mut self,
        record: &DocumentRecord,
        spoken: Option<&Language>,
        chunk: &Chunk,
        document: i64,
        labels: &str,
        date: Option<i32>,
    ) -> Result<(), PostgresError> {
        let carried = if chunk.key_phrases().is_empty() { self.carried.get(&chunk.id()) } else { None };
        let has_key_phrases = carried.is_some() || !chunk.key_phrases().is_empty();
        let enriched = carried.map(|phrases| chunk.clone().with_key_phrases(phrases.clone()));
        let chunk = enriched.as_ref().unwrap_or(chunk);
        self.changes.add(&self.reader.ranked(record, spoken, chunk));
        let terms = self.reader.terms(self.project, record, spoken, chunk);
        let (literal, signature) = self.literal.read(self.project, record, chunk);
        self.copy.row(&[
            Some(&self.project.to_string()),
            Some(&document.to_string()),
            Some(&chunk.ordinal().to_string()),
            Some(&entry::hex(chunk.id().as_bytes())),
            Some(&to_json(chunk)?),
            Some(if has_key_phrases { "t" } else { "f" }),
            signature.map(|signature| entry::hex(&signature)).as_deref(),
            Some(&terms),
            Some(&literal),
            Some(labels),
            date.map(|date| date.to_string()).as_deref(),
        ]);
        Ok(())
    }
}
