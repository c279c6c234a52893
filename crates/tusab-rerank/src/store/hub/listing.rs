use serde::Deserialize;
use ureq::Agent;

use super::connection;
use crate::store::{DownloadError, KnownModel};

const TOKENIZER: &str = "tokenizer.json";

/// Files that are taken where there are any, besides the weights and the tokenizer.
const WANTED: [&str; 5] = [
    "config.json",
    "tokenizer_config.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "1_Pooling/config.json",
];

/// Largest list that is read; those of models have some kilobytes.
const LARGEST: u64 = 4 << 20;

/// The files of a model at one revision.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Listing {
    pub(super) revision: String,
    pub(super) files: Vec<Listed>,
}

/// A file as the hub lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) path: String,
    pub(super) size: u64,
    pub(super) hash: Hash,
}

impl Listed {
    /// Its path in our folder, where weights stand under one name whatever the hub calls them.
    pub(super) fn local(&self) -> &str {
        if KnownModel::weights().contains(&self.path.as_str()) { "model.onnx" } else { &self.path }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Hash {
    /// Of large files: SHA-256.
    Sha256(String),
    /// Of small ones: the SHA-1 of a git blob.
    GitBlob(String),
}

#[derive(Deserialize)]
struct Revision {
    sha: String,
}

#[derive(Deserialize)]
struct Entry {
    path: String,
    size: u64,
    oid: String,
    lfs: Option<Lfs>,
}

#[derive(Deserialize)]
struct Lfs {
    oid: String,
}

/// Asks the hub for a model's newest revision and its files.
pub(super) fn listing(agent: &Agent, endpoint: &str, repository: &str) -> Result<Listing, DownloadError> {
    let malformed = |reason: String| DownloadError::Listing { repository: repository.to_owned(), reason };
    let parse = |error: serde_json::Error| malformed(error.to_string());
    let api = format!("{endpoint}/api/models/{repository}");
    let revision = get(agent, &format!("{api}/revision/main"))?;
    let Revision { sha } = serde_json::from_slice(&revision).map_err(parse)?;
    if sha.is_empty() || !sha.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(malformed(format!("{sha:?} is no revision")));
    }
    let tree = get(agent, &format!("{api}/tree/{sha}?recursive=true"))?;
    let entries: Vec<serde_json::Value> = serde_json::from_slice(&tree).map_err(parse)?;
    // Entries of another shape than a file's are passed over.
    let entries = entries.into_iter().filter_map(|entry| serde_json::from_value(entry).ok()).collect();
    Ok(Listing { revision: sha, files: chosen(entries).map_err(malformed)? })
}

/// The tokenizer, what else is wanted, and the best weights, which come last as they take the longest.
fn chosen(entries: Vec<Entry>) -> Result<Vec<Listed>, String> {
    let all: Vec<Listed> = entries
        .into_iter()
        .map(|Entry { path, size, oid, lfs }| {
            let hash = match lfs {
                Some(lfs) => Hash::Sha256(lfs.oid.trim_start_matches("sha256:").to_lowercase()),
                None => Hash::GitBlob(oid.to_lowercase()),
            };
            Listed { path, size, hash }
        })
        .collect();
    let listed = |path: &str| all.iter().find(|file| file.path == path && file.size > 0).cloned();
    let tokenizer = listed(TOKENIZER).ok_or_else(|| format!("it has no {TOKENIZER}"))?;
    let weights = KnownModel::weights().into_iter().find_map(listed);
    let weights = weights.ok_or_else(|| format!("it has none of {:?}", KnownModel::weights()))?;
    Ok([tokenizer].into_iter().chain(WANTED.into_iter().filter_map(listed)).chain([weights]).collect())
}

fn get(agent: &Agent, url: &str) -> Result<Vec<u8>, DownloadError> {
    let response = agent.get(url).call().map_err(connection(url))?;
    let status = response.status().as_u16();
    if status != 200 {
        return Err(DownloadError::Status { url: url.to_owned(), status });
    }
    response.into_body().into_with_config().limit(LARGEST).read_to_vec().map_err(connection(url))
}
