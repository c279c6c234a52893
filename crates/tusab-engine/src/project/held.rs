//! Where a project's passages are: in a folder beside its sources, or on a server that others share.
//!
//! On a server every installation writes what it has taken in itself, and leaves alone what others have. Sources stay where
//! they were taken in.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

#[cfg(feature = "postgres")]
use tusab_index::{PgStore, Postgres};

use tusab_chunk::{Chunk, ChunkId, DocId};
use tusab_index::{
    Applied, Batch, ChunkStore, ContentHash, Control, DocumentRecord, Enriched, Enrichment, Filter, Hit,
    Hush, Index, Lacking, Nearest, OfDocument, PageMark, Query, Retriever, Statistics, Vector, VectorQuery,
    VectorSpace,
};

use super::Projects;
use crate::keep::Keep;
use crate::storage::{DataDir, ProjectDirs};
use crate::{Degradation, Error};

type Result<T> = std::result::Result<T, tusab_index::Error>;

/// Where the passages of an engine's projects are.
#[derive(Debug, Clone, Default)]
pub(crate) enum Place {
    /// In the data directory.
    #[default]
    Folders,
    #[cfg(feature = "postgres")]
    Server(Postgres),
}

/// What becomes of a project as a whole.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(feature = "postgres"), allow(dead_code, reason = "a server alone is told"))]
pub(crate) enum Fate<'n> {
    Renamed(&'n str),
    /// It is in the trash.
    SetAside,
    TakenBack,
    Erased,
}

#[cfg_attr(not(feature = "postgres"), allow(clippy::unnecessary_wraps, reason = "a server may refuse"))]
impl Place {
    /// Brings the list of what is here to what a server has.
    pub(crate) fn complete(&self, data: &DataDir, projects: &mut Projects) -> std::result::Result<(), Error> {
        match self {
            Self::Folders => {
                let _ = (data, projects);
                Ok(())
            }
            #[cfg(feature = "postgres")]
            Self::Server(postgres) => super::server::complete(postgres, data, projects),
        }
    }

    /// Gives the projects that are here the names that they have on a server by now.
    pub(crate) fn follow_names(&self, data: &DataDir) -> std::result::Result<(), Error> {
        match self {
            Self::Folders => {
                let _ = data;
                Ok(())
            }
            #[cfg(feature = "postgres")]
            Self::Server(postgres) => super::server::follow_names(postgres, data),
        }
    }

    /// Undoes on a server that a project was removed there.
    pub(crate) fn share_again(&self, dirs: &ProjectDirs) -> std::result::Result<(), Error> {
        match self {
            Self::Folders => {
                let _ = dirs;
                Ok(())
            }
            #[cfg(feature = "postgres")]
            Self::Server(postgres) => super::server::share_again(postgres, dirs),
        }
    }

    /// True when it is a server that has a project of that name.
    pub(crate) fn has_project(&self, name: &str) -> Result<bool> {
        match self {
            Self::Folders => {
                let _ = name;
                Ok(false)
            }
            #[cfg(feature = "postgres")]
            Self::Server(postgres) => Ok(postgres.find_project(name)?.is_some()),
        }
    }

    /// Tells a server what became of the project with that folder of its index.
    pub(crate) fn tell(&self, index: &Path, fate: Fate<'_>) -> std::result::Result<(), Error> {
        match self {
            Self::Folders => {
                let _ = (index, fate);
            }
            #[cfg(feature = "postgres")]
            Self::Server(postgres) => {
                if let Some(key) = super::server::key(index)? {
                    match fate {
                        Fate::Renamed(name) => postgres.rename_project(key, name)?,
                        Fate::SetAside => postgres.set_project_aside(key)?,
                        Fate::TakenBack => postgres.take_project_back(key)?,
                        Fate::Erased => postgres.erase_project(key)?,
                    };
                }
            }
        }
        Ok(())
    }
}

/// The passages of a project.
#[derive(Debug)]
pub(crate) enum Held {
    Folder(Box<Index>),
    #[cfg(feature = "postgres")]
    Server(PgStore),
}

/// What is indexed, and by whom.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    /// What this installation has indexed.
    pub(crate) own: HashMap<DocId, ContentHash>,
    /// What others have.
    pub(crate) others: HashSet<DocId>,
}

#[cfg_attr(
    not(feature = "postgres"),
    allow(clippy::unnecessary_wraps, clippy::unnecessary_filter_map, reason = "there may be a server")
)]
impl Held {
    pub(crate) fn store(&self) -> &dyn ChunkStore {
        match self {
            Self::Folder(index) => &**index,
            #[cfg(feature = "postgres")]
            Self::Server(store) => store,
        }
    }

    fn retriever(&self) -> &dyn Retriever {
        match self {
            Self::Folder(index) => &**index,
            #[cfg(feature = "postgres")]
            Self::Server(store) => store,
        }
    }

    pub(crate) fn standing(&self) -> Result<Standing> {
        match self {
            Self::Folder(index) => {
                let own = index.content_hashes()?.into_iter().collect();
                Ok(Standing { own, others: HashSet::new() })
            }
            #[cfg(feature = "postgres")]
            Self::Server(store) => {
                let mut standing = Standing::default();
                for (doc, hash, is_own) in store.owned_hashes()? {
                    if is_own {
                        standing.own.insert(doc, hash);
                    } else {
                        standing.others.insert(doc);
                    }
                }
                Ok(standing)
            }
        }
    }

    /// Small files beside the passages: in that folder, or under that name of the server.
    pub(crate) fn keep(&self, name: &'static str, folder: impl FnOnce() -> PathBuf) -> Keep {
        match self {
            Self::Folder(_) => {
                let _ = name;
                Keep::folder(folder())
            }
            #[cfg(feature = "postgres")]
            Self::Server(store) => Keep::server(store.clone(), name),
        }
    }

    /// What every search of it is less by.
    pub(crate) fn degradation(&self) -> Option<Degradation> {
        match self {
            Self::Folder(_) => None,
            #[cfg(feature = "postgres")]
            Self::Server(store) => {
                let is_built_in = store.text_search() == tusab_index::TextSearch::BuiltIn;
                is_built_in.then_some(Degradation::BuiltInSearch)
            }
        }
    }

    /// Has what it tells the log wait: see [`Index::hush`].
    pub(crate) fn hush(&self) -> Option<Hush> {
        match self {
            Self::Folder(index) => Some(index.hush()),
            #[cfg(feature = "postgres")]
            Self::Server(_) => None,
        }
    }

    /// Brings what is derived up to the passages: see [`Index::mend`].
    pub(crate) fn mend(&self) -> Result<()> {
        match self {
            Self::Folder(index) => index.mend(),
            #[cfg(feature = "postgres")]
            Self::Server(_) => Ok(()),
        }
    }

    /// Lets another process write. On a server nobody is kept out for longer than a batch.
    pub(crate) fn release_writer(&self) {
        match self {
            Self::Folder(index) => index.release_writer(),
            #[cfg(feature = "postgres")]
            Self::Server(_) => {}
        }
    }

    /// Leaves nothing in the files of what was deleted. A server does so by itself, in its own time.
    pub(crate) fn compact(&self) -> Result<()> {
        match self {
            Self::Folder(index) => index.compact(),
            #[cfg(feature = "postgres")]
            Self::Server(_) => Ok(()),
        }
    }

    /// Writes an index of the passages whose sources are here into a new folder, of whose parent the caller takes care; says
    /// what is in it.
    pub(crate) fn copy_to(&self, folder: &Path) -> Result<Statistics> {
        match self {
            Self::Folder(index) => {
                index.copy_to(folder)?;
                index.statistics()
            }
            #[cfg(feature = "postgres")]
            Self::Server(_) => self.read_into(folder, &|| false),
        }
    }

    /// The same where only reading is possible: passage by passage.
    pub(crate) fn read_into(&self, folder: &Path, stop: &dyn Fn() -> bool) -> Result<Statistics> {
        // Beside it first: a copy has none of the files that an open index works with.
        let index = Index::open(&folder.with_extension("made"))?.index;
        let own: Vec<DocId> = self.standing()?.own.into_keys().collect();
        tusab_index::copy_documents(self, &index, &own, Control { stop, ..Control::default() })?;
        index.copy_to(folder)?;
        index.statistics()
    }

    /// Searches several projects of one engine as one.
    pub(crate) fn retrieve_all(all: &[&Self], query: &Query) -> Result<tusab_index::Found> {
        let folders: Vec<&Index> = all
            .iter()
            .filter_map(|held| match held {
                Self::Folder(index) => Some(&**index),
                #[cfg(feature = "postgres")]
                Self::Server(_) => None,
            })
            .collect();
        #[cfg(feature = "postgres")]
        if folders.is_empty() {
            let stores: Vec<&PgStore> = all
                .iter()
                .filter_map(|held| match held {
                    Self::Server(store) => Some(store),
                    Self::Folder(_) => None,
                })
                .collect();
            return PgStore::retrieve_all(&stores, query);
        }
        Index::retrieve_all(&folders, query)
    }
}

impl ChunkStore for Held {
    fn apply(&self, batch: &Batch, control: Control<'_>) -> Result<Applied> {
        self.store().apply(batch, control)
    }

    fn document(&self, doc: &DocId) -> Result<Option<DocumentRecord>> {
        self.store().document(doc)
    }

    fn documents(&self) -> Result<Vec<DocumentRecord>> {
        self.store().documents()
    }

    fn content_hashes(&self) -> Result<Vec<(DocId, ContentHash)>> {
        self.store().content_hashes()
    }

    fn chunks(&self, doc: &DocId) -> Result<Vec<Chunk>> {
        self.store().chunks(doc)
    }

    fn set_key_phrases(&self, of: &[OfDocument<Vec<String>>]) -> Result<Enriched> {
        self.store().set_key_phrases(of)
    }

    fn set_vectors(&self, space: &VectorSpace, of: &[OfDocument<Vector>]) -> Result<Enriched> {
        self.store().set_vectors(space, of)
    }

    fn vectors(&self, doc: &DocId) -> Result<Vec<(ChunkId, Vector)>> {
        self.store().vectors(doc)
    }

    fn vector_space(&self) -> Result<Option<VectorSpace>> {
        self.store().vector_space()
    }

    fn set_vector_space(&self, space: &VectorSpace) -> Result<()> {
        self.store().set_vector_space(space)
    }

    fn lacking(&self, what: Enrichment, from: PageMark, limit: usize) -> Result<Lacking> {
        self.store().lacking(what, from, limit)
    }

    fn count_lacking(&self, what: Enrichment) -> Result<usize> {
        self.store().count_lacking(what)
    }

    fn statistics(&self) -> Result<Statistics> {
        self.store().statistics()
    }
}

impl Retriever for Held {
    fn retrieve(&self, query: &Query) -> Result<tusab_index::Found> {
        self.retriever().retrieve(query)
    }

    fn retrieve_nearest(&self, query: &VectorQuery<'_>, filter: &Filter) -> Result<Nearest> {
        self.retriever().retrieve_nearest(query, filter)
    }

    fn following(&self, hit: &Hit) -> Result<Option<Hit>> {
        self.retriever().following(hit)
    }
}
