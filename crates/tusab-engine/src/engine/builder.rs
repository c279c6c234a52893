//! What an engine is made of.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use etcetera::base_strategy::{BaseStrategy, choose_native_strategy};
use tusab_ingest::{CommandRunner, SystemRunner, YtDlpOptions};
use tusab_llm::{ChatModel, Client, Routes, Tokens};
use tusab_rerank::{Embedder, KeyBert, Reranker};

use super::{Engine, Shared};
use crate::chat::ChatModels;
use crate::config::Keyring;
use crate::event::{Event, Handler};
use crate::models::Models;
use crate::project::{Place, YtDlpSetup};
use crate::storage::DataDir;
use crate::{Clock, Error, KeyPhraseOrder, Offline, SystemClock};

/// Describes an [`Engine`].
#[derive(Default)]
#[must_use]
pub struct EngineBuilder {
    data_dir: Option<PathBuf>,
    handler: Handler,
    clock: Option<Arc<dyn Clock>>,
    chat_models: ChatModels,
    models: Models,
    yt_dlp: YtDlpOptions,
    runner: Option<Arc<dyn CommandRunner>>,
    place: Place,
    keyring: Keyring,
}

impl fmt::Debug for EngineBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineBuilder")
            .field("data_dir", &self.data_dir)
            .field("models", &self.models)
            .finish_non_exhaustive()
    }
}

impl EngineBuilder {
    /// Sets the data directory, which is made when it is first needed.
    pub fn data_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.data_dir = Some(path.into());
        self
    }

    /// Sets the data directory to the platform's folder for an application's data, with `tusab` in it; where that is
    /// depends on the user's environment, which is read here.
    pub fn platform_data_dir(mut self) -> Self {
        let folders = choose_native_strategy();
        self.data_dir = folders.ok().map(|folders| folders.data_dir().join("tusab"));
        self
    }

    /// Sets the data directory to what the environment variable `TUSAB_DATA_DIR` says, or else to the platform's: see
    /// [`platform_data_dir`](Self::platform_data_dir). This alone reads the environment.
    pub fn data_dir_from_env(mut self) -> Self {
        match std::env::var_os("TUSAB_DATA_DIR").filter(|path| !path.is_empty()) {
            Some(path) => {
                self.data_dir = Some(path.into());
                self
            }
            None => self.platform_data_dir(),
        }
    }

    /// Sets the language model that writes answers. Without one, answers quote the sources word for word.
    ///
    /// It is asked for nothing else: without [`auxiliary_model`](Self::auxiliary_model), what that would do is done by rule.
    pub fn model(mut self, model: Arc<dyn ChatModel>) -> Self {
        self.chat_models.set_answer(model);
        self
    }

    /// Sets the language model for auxiliary calls, whose words nobody reads as an answer: completing a question that leans
    /// on the one before, summing up a document. A fast, cheap one serves.
    pub fn auxiliary_model(mut self, model: Arc<dyn ChatModel>) -> Self {
        self.chat_models.set_auxiliary(model);
        self
    }

    /// Sets both models, and those that are asked when they are down, in place of what was set before.
    ///
    /// # Errors
    /// [`Error::Model`] when a model cannot be asked: its provider needs a key, or is not part of this build.
    pub fn routes(mut self, client: &Client, routes: &Routes) -> Result<Self, Error> {
        self.chat_models.set_routes(client, routes).map_err(|source| Error::Model { source })?;
        Ok(self)
    }

    /// Sets how much a model that runs on the user's own memory (Ollama) is given to read and write at most; 8,192 tokens by
    /// default. A longer context takes more memory. One that the model cannot hold is never asked for.
    pub fn context_length(mut self, length: Tokens) -> Self {
        self.chat_models.set_context(length);
        self
    }

    /// Sets the switch by which the app goes offline; see [`Offline`].
    pub fn offline(mut self, offline: Offline) -> Self {
        self.chat_models.set_offline(offline);
        self
    }

    /// Sets the cross-encoder that reads the candidates of a Broad Search, such as
    /// [`CrossEncoder`](crate::rerank::CrossEncoder). Without one, Broad Search keeps the order of Narrow, and says so.
    pub fn reranker(mut self, reranker: Arc<dyn Reranker>) -> Self {
        self.models.reranker = Some(reranker);
        self
    }

    /// Sets what embeds passages and questions, such as [`SentenceEncoder`](crate::rerank::SentenceEncoder). Without one,
    /// words alone bring the candidates of a Broad Search.
    ///
    /// What it finds is shown only after a [`reranker`](Self::reranker) has read it. An embedder that does not say how many
    /// pieces it cuts a word into ([`Embedder::pieces_per_word`]) is taken for one that does not know the language, and
    /// brings no candidates.
    pub fn embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.models.embedder = Some(embedder);
        self
    }

    /// Sets what finds the key phrases of passages: when they are taken in, or by [`Project::enrich`](crate::Project::enrich), as
    /// [`key_phrase_order`](Self::key_phrase_order) says.
    pub fn key_phrases(mut self, keybert: Arc<KeyBert>) -> Self {
        self.models.key_phrases = Some(keybert);
        self
    }

    /// Sets whether passages get their key phrases before they are indexed, which is the default, or after: see
    /// [`KeyPhraseOrder`].
    pub fn key_phrase_order(mut self, order: KeyPhraseOrder) -> Self {
        self.models.key_phrase_order = order;
        self
    }

    /// Sets how the user's own yt-dlp is run; by default, `yt-dlp` on the search path, with the first JavaScript runtime
    /// there that it accepts.
    pub fn yt_dlp(mut self, options: YtDlpOptions) -> Self {
        self.yt_dlp = options;
        self
    }

    /// Sets what runs yt-dlp: [`SystemRunner`] by default.
    pub fn command_runner(mut self, runner: Arc<dyn CommandRunner>) -> Self {
        self.runner = Some(runner);
        self
    }

    /// Keeps the passages of all projects, their conversations and their ratings in a database, which other installations
    /// share. Projects are the same by their names. Sources stay in the data directory of whoever takes them in, and each
    /// installation writes what it has taken in itself.
    ///
    /// A project that has an index in the data directory is moved to the server when it is opened. `docs/scale.md` says what
    /// the server needs.
    #[cfg(feature = "postgres")]
    #[cfg_attr(docsrs, doc(cfg(feature = "postgres")))]
    pub fn store(mut self, postgres: tusab_index::Postgres) -> Self {
        self.place = Place::Server(postgres);
        self
    }

    /// Sets where keys of providers are kept: by default, the system's keyring.
    #[cfg(feature = "keyring")]
    #[cfg_attr(docsrs, doc(cfg(feature = "keyring")))]
    pub fn keyring(mut self, store: Arc<keyring_core::CredentialStore>) -> Self {
        self.keyring = Keyring::given(store);
        self
    }

    /// Sets the handler that is told what the engine does. It may call back into the engine.
    pub fn on_event(mut self, handler: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        self.handler = Handler::new(handler);
        self
    }

    /// Sets where the time of day comes from; the system's clock by default.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Makes the engine; nothing is read or written yet.
    ///
    /// # Errors
    /// [`Error::NoDataDir`] when no data directory was given, or the platform names none.
    pub fn build(self) -> Result<Engine, Error> {
        let data = self.data_dir.ok_or(Error::NoDataDir)?;
        let shared = Shared {
            data: DataDir::new(data),
            handler: self.handler,
            clock: self.clock.unwrap_or_else(|| Arc::new(SystemClock)),
            chat_models: self.chat_models,
            models: self.models,
            yt_dlp: YtDlpSetup {
                options: self.yt_dlp,
                runner: self.runner.unwrap_or_else(|| Arc::new(SystemRunner)),
            },
            place: self.place,
            keyring: self.keyring,
            projects: Mutex::default(),
        };
        Ok(Engine { shared: Arc::new(shared) })
    }
}
