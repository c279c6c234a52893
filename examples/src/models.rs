//! Which models the programs use, and on what they run.

use std::env;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use tusab_engine::rerank::{
    self, Backend, CrossEncoder, CrossEncoderOptions, Embedder, KnownModel, Missing, ModelStore, Reranker,
    RuntimeOptions, SentenceEncoder, SentenceOptions,
};

use crate::{Failure, chain, number, text};

/// The options that are common to programs with models.
pub const USAGE: &str = "
Models:
  --model DIR      the cross-encoder's folder
  --sentences DIR  the sentence encoder's folder, or `none` to search without vectors
                   (else `cross-encoder` and `sentences` under TUSAB_MODELS, else the user's model store)
  --backend NAME   onnxruntime or rten; by default the first that is there
  --threads N      runs of a model at once";

/// What the arguments say about models.
#[derive(Debug, Default)]
pub struct Models {
    model: Option<PathBuf>,
    sentences: Option<PathBuf>,
    backend: Option<Backend>,
    threads: Option<NonZeroUsize>,
}

impl Models {
    /// Takes a long option that is about models; false for any other.
    ///
    /// # Errors
    /// [`Failure::Usage`] for a value that is missing or wrong.
    pub fn take(
        &mut self,
        option: &str,
        value: impl FnOnce() -> Result<OsString, lexopt::Error>,
    ) -> Result<bool, Failure> {
        match option {
            "model" => self.model = Some(value()?.into()),
            "sentences" => self.sentences = Some(value()?.into()),
            "threads" => self.threads = Some(number(value()?)?),
            "backend" => {
                self.backend = Some(match text(value()?)?.as_str() {
                    "onnxruntime" => Backend::OnnxRuntime,
                    "rten" => Backend::Rten,
                    other => {
                        return Err(Failure::Usage(format!("{other:?} is neither onnxruntime nor rten")));
                    }
                });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// How models are run.
    #[must_use]
    pub fn runtime(&self) -> RuntimeOptions {
        let mut runtime = RuntimeOptions::from_env();
        runtime.backend = self.backend;
        runtime.threads = self.threads.unwrap_or(runtime.threads);
        runtime
    }

    /// The cross-encoder.
    ///
    /// # Errors
    /// As [`cross_encoder`](Self::cross_encoder).
    pub fn reranker(&self) -> Result<Arc<dyn Reranker>, Failure> {
        let options = CrossEncoderOptions::default().with_runtime(self.runtime());
        Ok(Arc::new(CrossEncoder::new(self.cross_encoder()?, options)))
    }

    /// The sentence encoder; `None` after `--sentences none`.
    ///
    /// # Errors
    /// As [`sentences`](Self::sentences).
    pub fn embedder(&self) -> Result<Option<Arc<dyn Embedder>>, Failure> {
        if self.sentences.as_ref().is_some_and(|folder| folder.as_os_str() == "none") {
            return Ok(None);
        }
        let options = SentenceOptions::default().with_runtime(self.runtime());
        Ok(Some(Arc::new(SentenceEncoder::new(self.sentences()?, options))))
    }

    /// The cross-encoder's folder.
    ///
    /// # Errors
    /// [`Failure::Failed`] where none is named and the user has no folder for them.
    pub fn cross_encoder(&self) -> Result<PathBuf, Failure> {
        folder(self.model.as_ref(), "cross-encoder", &KnownModel::MS_MARCO_L6)
    }

    /// The sentence encoder's folder.
    ///
    /// # Errors
    /// [`Failure::Failed`] where none is named and the user has no folder for them.
    pub fn sentences(&self) -> Result<PathBuf, Failure> {
        folder(self.sentences.as_ref(), "sentences", &KnownModel::ALL_MINILM_L6)
    }
}

/// A model's failure in words for whoever started the program: what is missing, and what to do about it here.
#[must_use]
pub fn failure(error: &rerank::Error) -> Failure {
    let told = match (error.missing(), error) {
        (Some(missing @ Missing::Model { .. }), _) => format!(
            "{missing}\nName a folder that holds one (see Models in --help), or fetch some: eval \"$(scripts/assets.sh)\""
        ),
        (Some(missing), _) => format!("{missing}\nTo get one: {}", missing.remedy()),
        // When it would be tried again is of no use to a program that ends.
        (None, rerank::Error::Unavailable { source, .. }) => chain(source),
        (None, _) => chain(error),
    };
    Failure::Failed(told)
}

fn folder(given: Option<&PathBuf>, name: &str, known: &KnownModel) -> Result<PathBuf, Failure> {
    let variable = || env::var_os("TUSAB_MODELS").filter(|folder| !folder.is_empty());
    let named = || Some(PathBuf::from(variable()?).join(name));
    let stored = || Some(ModelStore::from_env()?.folder(known));
    let folder = given.cloned().or_else(named).or_else(stored);
    folder.ok_or_else(|| Failure::Failed("name the model's folder, or set TUSAB_MODELS".to_owned()))
}
