//! Key phrases that come after the text.

use std::collections::HashMap;

use tusab_chunk::{Chunk, ChunkId};

use super::PgStore;
use super::apply::lock;
use super::changes::Changes;
use super::connection::{Begin, Sql};
use super::entry::Reader;
use super::rows::{self, get, to_json};
use crate::{Enriched, Enrichment, Error, Lacking, OfDocument, PageMark};

const CHUNKS: Sql = Sql {
    doing: "read chunks",
    text: "SELECT key, chunk, has_key_phrases FROM chunks WHERE project = $1 AND document = $2",
};
const SET: Sql = Sql {
    doing: "write key phrases",
    text: "UPDATE chunks c SET chunk = u.chunk::json, terms = u.terms, has_key_phrases = true \
           FROM unnest($2::bigint[], $3::text[], $4::text[]) AS u (key, chunk, terms) \
           WHERE c.project = $1 AND c.key = u.key",
};
const WITHOUT_KEY_PHRASES: Sql = Sql {
    doing: "look for chunks without key phrases",
    text: "SELECT key, chunk FROM chunks WHERE project = $1 AND key > $2 AND NOT has_key_phrases ORDER BY key LIMIT $3",
};
const WITHOUT_VECTORS: Sql = Sql {
    doing: "look for chunks without vectors",
    text: "SELECT key, chunk FROM chunks c WHERE project = $1 AND key > $2 AND NOT EXISTS \
           (SELECT 1 FROM vectors v WHERE v.project = $1 AND v.id = c.id) ORDER BY key LIMIT $3",
};
const COUNT_WITHOUT_KEY_PHRASES: Sql = Sql {
    doing: "count chunks without key phrases",
    text: "SELECT count(*) FROM chunks WHERE project = $1 AND NOT has_key_phrases",
};
const COUNT_WITHOUT_VECTORS: Sql = Sql {
    doing: "count chunks without vectors",
    text: "SELECT count(*) FROM chunks c WHERE project = $1 AND NOT EXISTS \
           (SELECT 1 FROM vectors v WHERE v.project = $1 AND v.id = c.id)",
};

impl PgStore {
    pub(super) fn write_key_phrases(&self, of: &[OfDocument<Vec<String>>]) -> Result<Enriched, Error> {
        let project = self.project;
        let mut ids: Vec<&str> = of.iter().map(|(doc, _)| doc.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        self.shared.with(|connection| {
            let transaction = connection.begin(Begin::Writing)?;
            let known = lock(&transaction, project, &ids)?;
            let (mut reader, mut changes) = (Reader::default(), Changes::default());
            let mut enriched = Enriched::default();
            for (doc, phrases) in of {
                let Some((key, old)) =
                    known.get(doc.as_str()).and_then(|known| Some((known.key, known.old.as_ref()?)))
                else {
                    enriched.unknown += phrases.len();
                    continue;
                };
                let mut chunks: HashMap<ChunkId, (i64, Chunk, bool)> = HashMap::new();
                for row in transaction.query(CHUNKS, &[&project, &key])? {
                    let chunk = rows::chunk(&row, 1)?;
                    chunks.insert(chunk.id(), (get(&row, 0)?, chunk, get(&row, 2)?));
                }
                let (mut keys, mut texts, mut terms) = (Vec::new(), Vec::new(), Vec::new());
                for (id, phrases) in phrases {
                    let Some((key, chunk, has_key_phrases)) = chunks.get_mut(id) else {
                        enriched.unknown += 1;
                        continue;
                    };
                    if *has_key_phrases && chunk.key_phrases() == phrases {
                        enriched.unchanged += 1;
                        continue;
                    }
                    let spoken = old.spoken.as_ref();
                    changes.remove(&reader.ranked(&old.record, spoken, chunk));
                    *chunk = chunk.clone().with_key_phrases(phrases.clone());
                    *has_key_phrases = true;
                    changes.add(&reader.ranked(&old.record, spoken, chunk));
                    keys.push(*key);
                    texts.push(to_json(chunk)?);
                    terms.push(reader.terms(project, &old.record, spoken, chunk));
                    enriched.written += 1;
                }
                transaction.execute(SET, &[&project, &keys, &texts, &terms])?;
            }
            let batch = if enriched.written > 0 { changes.write(&transaction, project)? } else { None };
            transaction.commit()?;
            if let Some(batch) = batch {
                self.shared.wrote(project, batch);
            }
            Ok(enriched)
        })
    }

    pub(super) fn read_lacking(
        &self,
        what: Enrichment,
        from: PageMark,
        limit: usize,
    ) -> Result<Lacking, Error> {
        if limit == 0 {
            return Ok(Lacking { chunks: Vec::new(), next: Some(from) });
        }
        let sql = match what {
            Enrichment::KeyPhrases => WITHOUT_KEY_PHRASES,
            Enrichment::Vectors => WITHOUT_VECTORS,
        };
        let (after, most) =
            (i64::try_from(from.0).unwrap_or(i64::MAX), i64::try_from(limit).unwrap_or(i64::MAX));
        self.shared.with(|connection| {
            let rows = connection.query(sql, &[&self.project, &after, &most])?;
            let last = rows.last().filter(|_| rows.len() == limit);
            let next: Option<i64> = last.map(|row| get(row, 0)).transpose()?;
            let chunks = rows.iter().map(|row| rows::chunk(row, 1)).collect::<Result<_, _>>()?;
            Ok(Lacking { chunks, next: next.map(|key| PageMark(key.cast_unsigned())) })
        })
    }

    pub(super) fn number_lacking(&self, what: Enrichment) -> Result<usize, Error> {
        let sql = match what {
            Enrichment::KeyPhrases => COUNT_WITHOUT_KEY_PHRASES,
            Enrichment::Vectors => COUNT_WITHOUT_VECTORS,
        };
        self.shared.with(|connection| {
            let count: i64 =
                connection.query_one(sql, &[&self.project])?.map_or(Ok(0), |row| get(&row, 0))?;
            Ok(usize::try_from(count).unwrap_or_default())
        })
    }
}
