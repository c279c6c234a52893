use std::path::PathBuf;

use crate::{Degradation, KeyPhraseOrder, Project};

/// How a project is written into a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExportOptions {
    /// Whether the index goes with the sources; true by default. Without it the file is about half as large, and whoever
    /// imports it waits until the index is made again, without key phrases and vectors.
    pub index: bool,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self { index: true }
    }
}

impl ExportOptions {
    /// Sets whether the index goes with the sources.
    #[must_use]
    pub fn with_index(mut self, index: bool) -> Self {
        self.index = index;
        self
    }
}

/// What was written into a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExportReport {
    /// The file.
    pub path: PathBuf,
    /// Number of documents in it.
    pub documents: usize,
    /// Number of chunks in it.
    pub chunks: usize,
    /// Bytes of the project's files.
    pub bytes: u64,
    /// Bytes of the file that they became.
    pub file_bytes: u64,
    /// What was left out, with the reason: files put into the project's folder by hand that another system could not
    /// hold, links, and damaged manifests that were kept aside.
    pub left_out: Vec<String>,
}

/// How a file is taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportOptions {
    /// Whether the file's index is used; true by default. With false it is made from the file's sources, which are read
    /// like any others: choose that for a file from a stranger, whose index could say what its sources do not.
    pub trust_index: bool,
    /// Most bytes that the file may unpack to: 64 GiB by default. One that unpacks to many times more than itself is
    /// refused whatever this says.
    pub largest: u64,
    /// When passages get the key phrases that they lack, where the engine has a model for them:
    /// [`AfterIndexing`](KeyPhraseOrder::AfterIndexing) by default, which leaves it to [`Project::enrich`]. Those that were
    /// exported come along with the index. A whole base can take hours; with
    /// [`BeforeIndexing`](KeyPhraseOrder::BeforeIndexing) the import waits for them, though the project is there and can be
    /// searched. A cancel during that time leaves the project, and what is still lacking to `enrich`.
    pub key_phrases: KeyPhraseOrder,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self { trust_index: true, largest: 64 << 30, key_phrases: KeyPhraseOrder::AfterIndexing }
    }
}

impl ImportOptions {
    /// Sets whether the file's index is used.
    #[must_use]
    pub fn with_trust_index(mut self, trust_index: bool) -> Self {
        self.trust_index = trust_index;
        self
    }

    /// Sets when passages get the key phrases that they lack.
    #[must_use]
    pub fn with_key_phrases(mut self, order: KeyPhraseOrder) -> Self {
        self.key_phrases = order;
        self
    }

    /// Sets the most bytes that the file may unpack to.
    #[must_use]
    pub fn with_largest(mut self, bytes: u64) -> Self {
        self.largest = bytes;
        self
    }
}

/// A project that was imported.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Imported {
    /// The project.
    pub project: Project,
    /// What it was called where it was exported.
    pub original_name: String,
    /// When it was exported, in UTC (RFC 3339).
    pub exported_at: String,
    /// Number of documents.
    pub documents: usize,
    /// Number of chunks.
    pub chunks: usize,
    /// Why the index was made again from the sources; `None` when the file's own is used.
    pub rebuilt: Option<String>,
    /// What had to be mended or could not be indexed, for people.
    pub notes: Vec<String>,
    /// What was missing or failed while key phrases were found, where the import waited for them.
    pub degraded: Vec<Degradation>,
}
