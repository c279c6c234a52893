//! The settings of a data directory, in `config/agent_config.json`.

mod keyring;
mod secrets;

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tusab_llm::ApiKey;

pub(crate) use self::keyring::Keyring;
use self::secrets::{find_secret, is_masked, mask, masked};
use crate::Error;
use crate::runtime::blocking;
use crate::storage::{DataDir, lock, write_whole};

/// Longest wait for another process that changes the settings.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where in the file the references to keys are.
const KEYS: &str = "keys";

/// What an interface sends for a value that it does not want to change.
const KEEP: &str = "__keep__";

/// Where a key is. The key itself is never in the settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum KeySource {
    /// In an environment variable of this name.
    Env(String),
    /// In the system's keyring, put there by `Config::keep_key` of a build with the feature `keyring`.
    Keyring,
}

/// The settings as an app may see and show them.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Settings {
    /// All values by their names. What looks like a key, as older apps wrote them there, is masked.
    pub values: Map<String, Value>,
    /// Where the key of each provider is.
    pub keys: BTreeMap<String, KeySource>,
}

impl Settings {
    /// A value, as the type that is asked for; none when there is none, or it is of another type.
    #[must_use]
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_value(self.values.get(name)?.clone()).ok()
    }
}

/// The settings of a data directory, shared by its projects.
///
/// An update changes what it names and nothing else; what this version does not know stays as it is. Keys are kept as
/// references alone, apart from all else, so that no update can wipe or write one. Neither exports nor logs hold them.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let data = tempfile::tempdir()?;
/// use tusab_engine::{Engine, KeySource};
/// let config = Engine::builder().data_dir(data.path()).build()?.config();
/// config.update(serde_json::json!({"provider": "groq", "answer": {"language": "pt"}})).await?;
/// config.set_key("groq", KeySource::Env("GROQ_API_KEY".into())).await?;
/// let settings = config.update(serde_json::json!({"answer": {"persona": "didatico"}})).await?;
/// assert_eq!(settings.get::<String>("provider").as_deref(), Some("groq"));
/// assert_eq!(settings.values["answer"], serde_json::json!({"language": "pt", "persona": "didatico"}));
/// assert!(settings.keys.contains_key("groq"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Config {
    data: DataDir,
    keyring: Keyring,
}

impl Config {
    pub(crate) fn new(data: DataDir, keyring: Keyring) -> Self {
        Self { data, keyring }
    }

    /// The settings; empty before the first update.
    ///
    /// # Errors
    /// [`Error::Damaged`] when the file is none of ours any more: it is left as it is.
    pub async fn read(&self) -> Result<Settings, Error> {
        let path = self.data.config();
        blocking("reading the settings", move || Ok(shown(&path, load(&path)?))).await
    }

    /// Changes the values that `changes` names, and no other: objects are merged, `null` takes a value out, and the
    /// text `__keep__` or a masked value leaves it as it is (as JSON Merge Patch does, RFC 7386, save the last).
    ///
    /// # Errors
    /// [`Error::Settings`] when `changes` is no object, or names a key: see [`set_key`](Self::set_key). When the disk
    /// refuses, all is as it was.
    pub async fn update(&self, changes: Value) -> Result<Settings, Error> {
        let refused = |reason: String| Error::Settings { reason };
        let Value::Object(changes) = changes else {
            return Err(refused("the changes are no JSON object".to_owned()));
        };
        if changes.contains_key(KEYS) {
            return Err(refused("`keys` is changed by `set_key` and `remove_key` alone".to_owned()));
        }
        if let Some(name) = find_secret(&changes) {
            return Err(refused(format!(
                "`{name}` looks like a key, which is not kept in the settings: set a reference to it by `set_key`"
            )));
        }
        self.change(move |settings| {
            merge(settings, changes);
            Ok(())
        })
        .await
    }

    /// Says where the key of a provider is.
    ///
    /// # Errors
    /// [`Error::Settings`] for a name of an environment variable that cannot be one, as when it is the key itself; or
    /// when the disk refuses.
    pub async fn set_key(&self, provider: &str, key: KeySource) -> Result<Settings, Error> {
        let named = match &key {
            KeySource::Env(variable) => Some(variable),
            KeySource::Keyring => None,
        };
        let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        if named.is_some_and(|variable| {
            variable.is_empty()
                || !variable.chars().all(is_name)
                || variable.starts_with(|c: char| c.is_numeric())
        }) {
            // Not repeated: it may be the key.
            let reason =
                "that names no environment variable: give the name, in capitals, not the key".to_owned();
            return Err(Error::Settings { reason });
        }
        let provider = provider.to_owned();
        self.change(move |settings| {
            let keys = keys_of(settings)?;
            keys.insert(provider, serde_json::to_value(key).unwrap_or_default());
            Ok(())
        })
        .await
    }

    /// Keeps the key of a provider in the system's keyring, and in the settings that it is there.
    ///
    /// # Errors
    /// [`Error::Key`] for what is no key; [`Error::Keyring`] when there is no keyring, or it is locked; or when the disk
    /// refuses: the key is in the keyring then, and the settings do not say so.
    #[cfg(feature = "keyring")]
    #[cfg_attr(docsrs, doc(cfg(feature = "keyring")))]
    pub async fn keep_key(&self, provider: &str, key: String) -> Result<Settings, Error> {
        let (keyring, name) = (self.keyring.clone(), provider.to_owned());
        blocking("keeping a key", move || {
            let key = zeroize::Zeroizing::new(key);
            ApiKey::new(String::clone(&key)).map_err(|source| Error::Key { source })?;
            keyring.set(&name, key.trim())
        })
        .await?;
        self.set_key(provider, KeySource::Keyring).await
    }

    /// What holds the keys of the system, for people, when it can be used.
    ///
    /// # Errors
    /// [`Error::Keyring`] when there is no keyring, or it is locked.
    #[cfg(feature = "keyring")]
    #[cfg_attr(docsrs, doc(cfg(feature = "keyring")))]
    pub async fn examine_keyring(&self) -> Result<String, Error> {
        let keyring = self.keyring.clone();
        blocking("looking at the keyring", move || keyring.examine()).await
    }

    /// Forgets where the key of a provider is. One in the system's keyring is removed from it first.
    ///
    /// # Errors
    /// [`Error::Keyring`] when it is there and cannot be removed; or when the disk refuses.
    pub async fn remove_key(&self, provider: &str) -> Result<Settings, Error> {
        let provider = provider.to_owned();
        if self.read().await?.keys.get(&provider) == Some(&KeySource::Keyring) {
            let (keyring, provider) = (self.keyring.clone(), provider.clone());
            blocking("removing a key", move || keyring.remove(&provider)).await?;
        }
        self.change(move |settings| {
            keys_of(settings)?.remove(&provider);
            Ok(())
        })
        .await
    }

    /// The key of a provider, from where the settings say that it is: now and once, the environment or the keyring is
    /// read for it. None when they say nothing.
    ///
    /// # Errors
    /// [`Error::Key`] when it is not in the environment, or is no key; [`Error::KeyNotKept`] when it is not in the
    /// keyring, and [`Error::Keyring`] when that cannot be read.
    pub async fn key_from_env(&self, provider: &str) -> Result<Option<ApiKey>, Error> {
        let key = |source| Error::Key { source };
        match self.read().await?.keys.get(provider) {
            Some(KeySource::Env(variable)) => ApiKey::from_env(variable).map(Some).map_err(key),
            Some(KeySource::Keyring) => ApiKey::new(self.kept(provider).await?).map(Some).map_err(key),
            None => Ok(None),
        }
    }

    /// The key of a provider as it may be shown to its owner: dots, and of a long one the last four characters. None when
    /// it is not in the keyring: what stands in the environment is not looked at.
    ///
    /// # Errors
    /// [`Error::KeyNotKept`] and [`Error::Keyring`], as [`key_from_env`](Self::key_from_env).
    pub async fn masked_key(&self, provider: &str) -> Result<Option<String>, Error> {
        match self.read().await?.keys.get(provider) {
            Some(KeySource::Keyring) => Ok(Some(masked(&self.kept(provider).await?))),
            _ => Ok(None),
        }
    }

    /// A key that the settings say is in the keyring.
    async fn kept(&self, provider: &str) -> Result<String, Error> {
        let (keyring, provider) = (self.keyring.clone(), provider.to_owned());
        blocking("reading a key", move || keyring.get(&provider)?.ok_or(Error::KeyNotKept { provider })).await
    }

    async fn change(
        &self,
        change: impl FnOnce(&mut Map<String, Value>) -> Result<(), Error> + Send + 'static,
    ) -> Result<Settings, Error> {
        let path = self.data.config();
        blocking("changing the settings", move || {
            let lock = lock(&path.with_extension("lock"), PATIENCE)?;
            let mut settings = load(&path)?;
            let before = settings.clone();
            change(&mut settings)?;
            if settings != before {
                // Maps with text keys and plain values always serialise.
                write_whole(&[(&path, &serde_json::to_vec_pretty(&settings).unwrap_or_default())])?;
            }
            // What is shown may be told to the log, which may ask for the settings.
            drop(lock);
            Ok(shown(&path, settings))
        })
        .await
    }
}

/// The settings as they are in the file.
fn load(path: &PathBuf) -> Result<Map<String, Value>, Error> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Map::new()),
        Err(error) => return Err(Error::io("read", path)(error)),
    };
    // Older apps wrote a byte order mark.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    serde_json::from_slice(bytes)
        .map_err(|error| Error::Damaged { path: path.clone(), reason: error.to_string() })
}

fn keys_of(settings: &mut Map<String, Value>) -> Result<&mut Map<String, Value>, Error> {
    let keys = settings.entry(KEYS).or_insert_with(|| Value::Object(Map::new()));
    keys.as_object_mut().ok_or_else(|| Error::Settings { reason: "`keys` is no JSON object".to_owned() })
}

/// What of the settings may be seen.
fn shown(path: &Path, mut settings: Map<String, Value>) -> Settings {
    let mut keys = BTreeMap::new();
    if let Some(Value::Object(named)) = settings.remove(KEYS) {
        for (provider, source) in named {
            // Of a later version, where a key can be elsewhere: kept, and of no use to this one.
            if let Ok(source) = serde_json::from_value(source) {
                keys.insert(provider, source);
            } else {
                tracing::debug!(%provider, path = %path.display(), "the place of a key is not understood");
            }
        }
    }
    mask(&mut settings);
    Settings { values: settings, keys }
}

/// Merges changes into settings: RFC 7386, save that what an interface was shown masked stays as it is.
fn merge(settings: &mut Map<String, Value>, changes: Map<String, Value>) {
    for (name, change) in changes {
        match change {
            Value::Null => {
                settings.remove(&name);
            }
            Value::String(text) if text == KEEP || is_masked(&text) => {}
            Value::Object(changes) => {
                let inner = settings.entry(name).or_insert_with(|| Value::Object(Map::new()));
                if let Value::Object(inner) = inner {
                    merge(inner, changes);
                } else {
                    let mut fresh = Map::new();
                    merge(&mut fresh, changes);
                    *inner = Value::Object(fresh);
                }
            }
            change => {
                settings.insert(name, change);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn a_merge_changes_what_it_names_and_nothing_else() {
        let mut settings = object(&json!({"a": 1, "b": {"c": 2, "d": 3}, "e": "x", "openai_key": "sk-123"}));
        let changes = json!({"a": null, "b": {"c": 4, "f": {"g": 5}}, "e": "__keep__", "openai_key": "••••"});
        merge(&mut settings, object(&changes));
        let expected = json!({"b": {"c": 4, "d": 3, "f": {"g": 5}}, "e": "x", "openai_key": "sk-123"});
        assert_eq!(Value::Object(settings), expected);
    }

    fn any_object() -> impl Strategy<Value = Map<String, Value>> {
        let leaf = prop_oneof![any::<i32>().prop_map(Value::from), "[a-z]{0,4}".prop_map(Value::from)];
        let value = leaf.prop_recursive(3, 16, 4, |inner| {
            prop::collection::btree_map("[a-d]", inner, 0..4)
                .prop_map(|map| map.into_iter().collect::<Value>())
        });
        prop::collection::btree_map("[a-d]", value, 0..5).prop_map(|map| map.into_iter().collect())
    }

    proptest! {
        #[test]
        fn a_merge_keeps_all_names_and_is_the_same_twice(
            mut settings in any_object(),
            changes in any_object(),
        ) {
            let before = settings.clone();
            merge(&mut settings, changes.clone());
            for name in before.keys() {
                prop_assert!(settings.contains_key(name));
                if !changes.contains_key(name) {
                    prop_assert_eq!(settings.get(name), before.get(name));
                }
            }
            let once = settings.clone();
            merge(&mut settings, changes);
            prop_assert_eq!(settings, once);
        }
    }
}
