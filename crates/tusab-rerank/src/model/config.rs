//! What a model's own files say of how to use it. All of it is optional and read leniently: a key of another shape
//! than known counts as absent.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::Error;

/// How the vectors of tokens become the vector of their text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Pooling {
    /// The mean over all tokens.
    Mean,
    /// The first token's.
    Cls,
}

/// `config.json`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Architecture {
    max_position_embeddings: Value,
    model_type: Value,
    #[serde(rename = "_name_or_path")]
    name: Value,
}

/// `tokenizer_config.json`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TokenizerConfig {
    model_max_length: Value,
}

/// `sentence_bert_config.json`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SentenceConfig {
    max_seq_length: Value,
}

/// `1_Pooling/config.json`.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct PoolingConfig {
    pooling_mode_cls_token: Value,
    pooling_mode_mean_tokens: Value,
}

/// `config_sentence_transformers.json`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Prompts {
    prompts: BTreeMap<String, Value>,
}

/// How the models of a family are used where their folder says no more than their name.
#[derive(Debug, Clone, Copy)]
struct Family {
    pooling: Pooling,
    query_prefix: &'static str,
}

impl Family {
    /// By the name that a model's `config.json` keeps of its origin.
    fn of(name: &str) -> Option<Self> {
        // As their model cards say: the first token's vector, and an instruction before questions in English.
        let name = name.trim_end_matches('/').rsplit('/').next()?.to_lowercase();
        let is_english = name.contains("-en") && !name.contains("-m3");
        (name.contains("bge-") && is_english).then_some(Self {
            pooling: Pooling::Cls,
            query_prefix: "Represent this sentence for searching relevant passages: ",
        })
    }
}

/// What is used of all these files.
#[derive(Debug, Clone, Default)]
pub(crate) struct Config {
    /// Positions that the model has: no text may have more tokens.
    pub(crate) positions: Option<usize>,
    /// Tokens that the model was made for.
    pub(crate) sentence_tokens: Option<usize>,
    pub(crate) pooling: Option<Pooling>,
    pub(crate) query_prefix: Option<String>,
    pub(crate) passage_prefix: Option<String>,
}

impl Config {
    pub(crate) fn read(folder: &Path) -> Result<Self, Error> {
        let architecture: Architecture = json(&folder.join("config.json"))?;
        let tokenizer: TokenizerConfig = json(&folder.join("tokenizer_config.json"))?;
        let sentence: SentenceConfig = json(&folder.join("sentence_bert_config.json"))?;
        let pooling: PoolingConfig = json(&folder.join("1_Pooling").join("config.json"))?;
        let Prompts { prompts } = json(&folder.join("config_sentence_transformers.json"))?;
        // Models of RoBERTa's kind number their positions from 2.
        let offset = match architecture.model_type.as_str() {
            Some("roberta" | "xlm-roberta" | "camembert" | "mpnet") => 2,
            _ => 0,
        };
        let positions = number(&architecture.max_position_embeddings).map(|all| all.saturating_sub(offset));
        // An absurd length stands for "no limit" in that file.
        let limit = number(&tokenizer.model_max_length).filter(|&tokens| tokens < 1_000_000);
        let prompt =
            |names: &[&str]| names.iter().find_map(|&name| Some(prompts.get(name)?.as_str()?.to_owned()));
        // Folders of converted models often lack the files that say how to use them.
        let family = Family::of(architecture.name.as_str().unwrap_or_default());
        let family = family.filter(|_| pooling == PoolingConfig::default());
        Ok(Self {
            positions: positions.into_iter().chain(limit).min(),
            sentence_tokens: number(&sentence.max_seq_length),
            pooling: match (
                pooling.pooling_mode_mean_tokens.as_bool(),
                pooling.pooling_mode_cls_token.as_bool(),
            ) {
                (Some(true), _) => Some(Pooling::Mean),
                (_, Some(true)) => Some(Pooling::Cls),
                _ => family.map(|family| family.pooling),
            },
            query_prefix: prompt(&["query"]).or(family.map(|family| family.query_prefix.to_owned())),
            passage_prefix: prompt(&["passage", "document"]),
        })
    }
}

fn number(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|number| usize::try_from(number).ok()).filter(|&number| number > 0)
}

/// A file that is not there says nothing; one that is no JSON object is an error.
fn json<T: DeserializeOwned + Default>(path: &Path) -> Result<T, Error> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(T::default()),
        Err(error) => return Err(Error::file("read", path)(error)),
    };
    serde_json::from_slice(&bytes)
        .map_err(|error| Error::MalformedFile { path: path.to_owned(), reason: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("1_Pooling")).unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    #[test]
    fn a_folder_without_any_says_nothing() {
        let config = Config::read(folder(&[]).path()).unwrap();
        assert_eq!((config.positions, config.sentence_tokens, config.pooling), (None, None, None));
    }

    #[test]
    fn the_files_of_sentence_models_are_understood() {
        let folder = folder(&[
            ("config.json", r#"{"model_type": "xlm-roberta", "max_position_embeddings": 514}"#),
            ("tokenizer_config.json", r#"{"model_max_length": 1000000000000000019884624838656}"#),
            ("sentence_bert_config.json", r#"{"max_seq_length": 128, "do_lower_case": false}"#),
            (
                "1_Pooling/config.json",
                r#"{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}"#,
            ),
            (
                "config_sentence_transformers.json",
                r#"{"prompts": {"query": "query: ", "document": "passage: "}}"#,
            ),
        ]);
        let config = Config::read(folder.path()).unwrap();
        assert_eq!((config.positions, config.sentence_tokens), (Some(512), Some(128)));
        assert_eq!(config.pooling, Some(Pooling::Cls));
        assert_eq!(config.query_prefix.as_deref(), Some("query: "));
        assert_eq!(config.passage_prefix.as_deref(), Some("passage: "));
    }

    #[test]
    fn a_known_family_is_used_as_it_is_meant_unless_the_folder_says_otherwise() {
        let name = r#"{"_name_or_path": "/root/models/BAAI_bge-small-en/"}"#;
        let config = Config::read(folder(&[("config.json", name)]).path()).unwrap();
        assert_eq!(config.pooling, Some(Pooling::Cls));
        assert!(config.query_prefix.unwrap().starts_with("Represent"));
        let said = r#"{"pooling_mode_mean_tokens": true}"#;
        let config =
            Config::read(folder(&[("config.json", name), ("1_Pooling/config.json", said)]).path()).unwrap();
        assert_eq!((config.pooling, config.query_prefix), (Some(Pooling::Mean), None));
        let other = r#"{"_name_or_path": "sentence-transformers/all-MiniLM-L6-v2"}"#;
        assert_eq!(Config::read(folder(&[("config.json", other)]).path()).unwrap().pooling, None);
    }

    #[test]
    fn keys_of_other_shapes_count_as_absent_and_other_files_are_errors() {
        let odd = folder(&[("config.json", r#"{"max_position_embeddings": "many", "model_type": 3}"#)]);
        assert_eq!(Config::read(odd.path()).unwrap().positions, None);
        let broken = folder(&[("config.json", "{\"max_posi")]);
        assert!(matches!(Config::read(broken.path()), Err(Error::MalformedFile { .. })));
    }
}
