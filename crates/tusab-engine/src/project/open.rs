//! Opening a project, and bringing its index to what its sources say.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tusab_chunk::DocId;
use tusab_index::{ChunkStore, ContentHash, Index, Opened, Repair, WriterLock};
use tusab_llm::ChatModel;

use super::Inner;
use super::ingest::index_stored;
use super::library::Library;
use super::stored::PARSER_VERSION;
use crate::event::Handler;
use crate::storage::ProjectDirs;
use crate::{Clock, Error};

impl Inner {
    /// Opens the project of those folders. The second value says what was mended, for people.
    pub(crate) fn open(
        name: String,
        dirs: ProjectDirs,
        handler: Handler,
        clock: Arc<dyn Clock>,
        model: Option<Arc<dyn ChatModel>>,
    ) -> Result<(Self, Vec<String>), Error> {
        let Opened { index, repairs, .. } = Index::open(&dirs.index)?;
        let mut told: Vec<String> = repairs.iter().map(describe).collect();
        let ingesting = Mutex::new(());
        let inner = Self { name, dirs, index: Arc::new(index), handler, clock, model, ingesting };
        match WriterLock::acquire(&inner.dirs.lock()) {
            Ok(_lock) => told.extend(inner.catch_up()?),
            // Another process is taking sources in, and keeps the index whole itself.
            Err(error) if error.is_locked() => {}
            Err(error) => return Err(error.into()),
        }
        Ok((inner, told))
    }

    /// Indexes the sources that were stored and not indexed when the last process ended, or that an older version
    /// read.
    fn catch_up(&self) -> Result<Vec<String>, Error> {
        let (mut library, mut told) = Library::load(&self.dirs.neural)?;
        let indexed: HashMap<DocId, ContentHash> = self
            .index
            .documents()?
            .into_iter()
            .map(|document| (document.id, document.content_hash))
            .collect();
        let behind: Vec<_> = library
            .entries()
            .filter(|(shelf, entry)| {
                let doc = shelf.document_id(entry);
                let current = entry.parser == PARSER_VERSION;
                doc.is_some_and(|doc| !current || indexed.get(&doc) != Some(&entry.content_hash))
            })
            .map(|(shelf, entry)| (shelf.clone(), entry.clone()))
            .collect();
        if behind.is_empty() {
            return Ok(told);
        }
        let count = behind.len();
        let failed = index_stored(self, &mut library, behind)?;
        if count > failed.len() {
            told.push(format!("{} stored sources were indexed", count - failed.len()));
        }
        told.extend(failed);
        Ok(told)
    }
}

fn describe(repair: &Repair) -> String {
    match repair {
        Repair::CaughtUp { documents } => format!("the BM25 index was caught up by {documents} documents"),
        Repair::Rebuilt { reason, documents } => {
            format!("the BM25 index was made again from {documents} documents: {reason}")
        }
        _ => "the index was mended".to_owned(),
    }
}
