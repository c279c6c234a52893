use std::env;
use std::path::{Path, PathBuf};

use super::KnownModel;
use crate::{Error, Missing};

/// The models of this user, shared by all programs: a folder with one folder a model.
///
/// Only [`ModelStore::install`] (feature `hub`) uses the network, and not when [offline](ModelStore::with_offline).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelStore {
    pub(super) folder: PathBuf,
    /// The hub's own cache, which other programs fill.
    hub_cache: Option<PathBuf>,
    pub(super) endpoint: String,
    pub(super) offline: bool,
}

/// The hub.
const ENDPOINT: &str = "https://huggingface.co";

/// A model in the hub's cache, or here, has all of these.
const NEEDED: &str = "tokenizer.json";

impl ModelStore {
    /// The models in `folder`, which is made when the first one is installed.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), hub_cache: None, endpoint: ENDPOINT.to_owned(), offline: false }
    }

    /// The models in the user's cache folder and in the hub's own cache.
    ///
    /// Reads `HF_HOME` and `HF_HUB_CACHE` (the hub's cache), `HF_ENDPOINT` (a mirror of the hub), `HF_HUB_OFFLINE` (`1`
    /// for offline), and what names the cache folder: `XDG_CACHE_HOME`, `LOCALAPPDATA`, `HOME`. `None` where none of
    /// these names a folder.
    #[must_use]
    pub fn from_env() -> Option<Self> {
        let path = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = path("HOME").or_else(|| path("USERPROFILE"));
        let cache = match env::consts::OS {
            "windows" => path("LOCALAPPDATA"),
            "macos" => home.as_ref().map(|home| home.join("Library/Caches")),
            _ => path("XDG_CACHE_HOME").or_else(|| home.as_ref().map(|home| home.join(".cache"))),
        };
        let mut store = Self::new(cache?.join("tusab").join("models"));
        let hub_home = path("HF_HOME").or_else(|| home.map(|home| home.join(".cache").join("huggingface")));
        store.hub_cache = path("HF_HUB_CACHE").or_else(|| hub_home.map(|home| home.join("hub")));
        if let Some(endpoint) = env::var("HF_ENDPOINT").ok().filter(|endpoint| !endpoint.is_empty()) {
            store = store.with_endpoint(endpoint);
        }
        let offline = env::var("HF_HUB_OFFLINE").unwrap_or_default();
        Some(store.with_offline(matches!(offline.to_lowercase().as_str(), "1" | "true" | "yes" | "on")))
    }

    /// With another hub, such as a mirror: `https://host`.
    #[must_use]
    pub fn with_endpoint(mut self, endpoint: impl Into<String>) -> Self {
        endpoint.into().trim_end_matches('/').clone_into(&mut self.endpoint);
        self
    }

    /// With the hub's own cache, where models that other programs downloaded are found too.
    #[must_use]
    pub fn with_hub_cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.hub_cache = Some(folder.into());
        self
    }

    /// When true, no call of this store reaches the network.
    #[must_use]
    pub fn with_offline(mut self, offline: bool) -> Self {
        self.offline = offline;
        self
    }

    /// Where a model is, or will be once it is installed. Looks at the disk only. Encoders made with this folder
    /// ([`CrossEncoder::new`](crate::CrossEncoder::new)) say that the model is missing until then.
    #[must_use]
    pub fn folder(&self, model: &KnownModel) -> PathBuf {
        let own = self.own_folder(model);
        if is_model(&own) { own } else { self.in_hub_cache(model).unwrap_or(own) }
    }

    /// Where a model is.
    ///
    /// # Errors
    /// [`Error::Missing`] when it is not there.
    pub fn find(&self, model: &KnownModel) -> Result<PathBuf, Error> {
        let path = self.folder(model);
        let missing = Missing::Model { name: model.repository.to_owned(), path: path.clone() };
        if is_model(&path) { Ok(path) } else { Err(Error::Missing(missing)) }
    }

    /// Where a library of ONNX Runtime may lie beside the models: [`RuntimeOptions::from_env`] looks here.
    ///
    /// [`RuntimeOptions::from_env`]: crate::RuntimeOptions::from_env
    #[must_use]
    pub fn runtime_folder(&self) -> PathBuf {
        self.folder.join("runtime")
    }

    pub(super) fn own_folder(&self, model: &KnownModel) -> PathBuf {
        self.folder.join(model.repository.replace('/', "--"))
    }

    fn in_hub_cache(&self, model: &KnownModel) -> Option<PathBuf> {
        let repository = format!("models--{}", model.repository.replace('/', "--"));
        let repository = self.hub_cache.as_ref()?.join(repository);
        let main = std::fs::read_to_string(repository.join("refs").join("main")).ok()?;
        let snapshot = repository.join("snapshots").join(main.trim());
        is_model(&snapshot).then_some(snapshot)
    }
}

pub(super) fn is_model(folder: &Path) -> bool {
    folder.join(NEEDED).is_file() && crate::model::weights(folder).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(folder: &Path, weights: &str) {
        std::fs::create_dir_all(folder.join(weights).parent().unwrap()).unwrap();
        std::fs::write(folder.join(weights), "").unwrap();
        std::fs::write(folder.join("tokenizer.json"), "").unwrap();
    }

    #[test]
    fn a_model_is_found_here_then_in_the_hubs_cache() {
        let folder = tempfile::tempdir().unwrap();
        let (here, hub) = (folder.path().join("here"), folder.path().join("hub"));
        let store = ModelStore::new(&here).with_hub_cache(&hub);
        let model = KnownModel::MS_MARCO_L6;
        let Err(Error::Missing(missing)) = store.find(&model) else { panic!("found") };
        assert!(missing.to_string().contains(model.repository), "{missing}");
        assert!(missing.remedy().contains("install"));

        let cached = hub.join("models--cross-encoder--ms-marco-MiniLM-L6-v2");
        fill(&cached.join("snapshots/abc"), "onnx/model.onnx");
        assert!(store.find(&model).is_err(), "a snapshot that no ref names");
        std::fs::create_dir_all(cached.join("refs")).unwrap();
        std::fs::write(cached.join("refs/main"), "abc\n").unwrap();
        assert_eq!(store.find(&model).unwrap(), cached.join("snapshots/abc"));

        let own = here.join("cross-encoder--ms-marco-MiniLM-L6-v2");
        fill(&own, "model.onnx");
        assert_eq!(store.find(&model).unwrap(), own);
        assert!(store.find(&KnownModel::MS_MARCO_L12).is_err());
    }
}
