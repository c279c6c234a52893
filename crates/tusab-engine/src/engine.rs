mod projects;
mod slot;

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use etcetera::base_strategy::{BaseStrategy, choose_native_strategy};
use tusab_ingest::{CommandRunner, SystemRunner, YtDlpOptions};
use tusab_llm::{ChatModel, Client, Routes, Tokens};
use tusab_rerank::{Embedder, KeyBert, Reranker};

use self::slot::Slot;
use crate::chat::ChatModels;
use crate::config::Keyring;
use crate::event::{Event, Handler};
use crate::models::Models;
use crate::portable::clear_dead;
use crate::project::{Given, Inner, Located, Place, Project, Ready, YtDlpSetup, catalog};
use crate::runtime::{blocking, work};
use crate::storage::{DataDir, ProjectDirs};
use crate::{Cancel, Clock, Config, Error, KeyPhraseOrder, Offline, SystemClock};

/// The entry to everything: a data directory with its projects. Cheap to clone.
///
/// Its async methods run on tokio; what works on the disk or the processor runs on its blocking threads.
#[derive(Debug, Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

struct Shared {
    data: DataDir,
    handler: Handler,
    clock: Arc<dyn Clock>,
    chat_models: ChatModels,
    models: Models,
    yt_dlp: YtDlpSetup,
    place: Place,
    keyring: Keyring,
    /// Projects by folder name. Each is opened once, so that its parts agree on who writes.
    projects: Mutex<HashMap<String, Arc<Slot>>>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("data", &self.data)
            .field("models", &self.models)
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine over the data directory that the environment names: see
    /// [`EngineBuilder::data_dir_from_env`].
    ///
    /// # Errors
    /// As [`EngineBuilder::build`].
    pub fn from_env() -> Result<Self, Error> {
        Self::builder().data_dir_from_env().build()
    }

    /// Starts to describe an engine.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// The data directory.
    #[must_use]
    pub fn data_dir(&self) -> &std::path::Path {
        self.shared.data.path()
    }

    /// The settings of the data directory.
    #[must_use]
    pub fn config(&self) -> Config {
        Config::new(self.shared.data.clone(), self.shared.keyring.clone())
    }

    /// Opens the project with this name, making it if there is none, and mends what a crash has left undone.
    ///
    /// The name is the user's own: any text of 1 to 120 characters, kept as it is, apart from the folder it is in.
    ///
    /// Where the data directory may not be written, a project is opened as it is, to be searched and answered from; what would
    /// change it fails with [`Error::ReadOnly`].
    ///
    /// # Errors
    /// [`Error::ProjectName`]; [`Error::OfPythonApp`] where the folder of that name holds a project of the Python app; or when
    /// the project's files cannot be read or made.
    pub async fn project(&self, name: &str) -> Result<Project, Error> {
        self.project_with(name, &Cancel::new()).await
    }

    /// As [`project`](Self::project), and can be cancelled: what has to be mended may take minutes where a whole index is made
    /// again. How far that is, [`Event::Progress`] tells. Dropping the future is a cancel too, unless somebody else waits
    /// for the project. What was mended until then stays.
    ///
    /// # Errors
    /// As [`project`](Self::project), and [`Error::Cancelled`].
    pub async fn project_with(&self, name: &str, cancel: &Cancel) -> Result<Project, Error> {
        let (data, owned) = (self.shared.data.clone(), name.to_owned());
        let (clock, place) = (Arc::clone(&self.shared.clock), self.shared.place.clone());
        let located = blocking("finding a project", move || {
            place.follow_names(&data)?;
            catalog::find_or_make(&data, &owned, &*clock)
        })
        .await?;
        self.open(located, cancel).await
    }

    /// Opens the project with this name; `None` when there is none.
    ///
    /// # Errors
    /// As [`project`](Self::project).
    pub async fn find_project(&self, name: &str) -> Result<Option<Project>, Error> {
        let (data, owned, place) = (self.shared.data.clone(), name.to_owned(), self.shared.place.clone());
        let found = blocking("finding a project", move || {
            place.follow_names(&data)?;
            catalog::find(&data, &owned)
        });
        if let Some(located) = found.await? {
            return self.open(located, &Cancel::new()).await.map(Some);
        }
        if let Some(project) = self.find_elsewhere(name).await? {
            return Ok(Some(project));
        }
        let (data, owned) = (self.shared.data.clone(), name.to_owned());
        blocking("finding a project", move || catalog::refuse_old(&data, &owned)).await?;
        Ok(None)
    }

    /// Opens the project with this name where the server alone has it.
    async fn find_elsewhere(&self, name: &str) -> Result<Option<Project>, Error> {
        let (place, owned) = (self.shared.place.clone(), name.to_owned());
        let is_there = blocking("finding a project", move || Ok(place.has_project(&owned)?)).await?;
        if is_there { self.project(name).await.map(Some) } else { Ok(None) }
    }

    /// Opens a project that is there, once for all handles of it.
    async fn open(&self, located: Located, cancel: &Cancel) -> Result<Project, Error> {
        let slot = self.slot(&located);
        let (opened, repairs) = match slot.get() {
            Some(opened) => (Arc::clone(opened), Vec::new()),
            None => self.open_slot(slot, located.clone(), cancel).await?,
        };
        // Another process may have renamed it.
        opened.set_name(&located.description.name);
        // Only now, when a handler that opens the project again finds it open.
        for what in repairs {
            self.shared.handler.tell(&Event::Repaired { project: opened.name(), what });
        }
        Ok(Project::new(opened))
    }

    async fn open_slot(
        &self,
        slot: Arc<Slot>,
        located: Located,
        cancel: &Cancel,
    ) -> Result<(Arc<Inner>, Vec<String>), Error> {
        let engine = self.clone();
        let opening = move |stop: &dyn Fn() -> bool, tell: &dyn Fn(Event)| {
            let (inner, opened) = slot.get_or_open(stop, || {
                clear_dead(&engine.shared.data.temp());
                let dirs = engine.shared.data.project(&located.folder);
                let Ready { inner, told, hush } =
                    engine.open_at(located, dirs, &engine.shared.place, stop, tell)?;
                // What the log is told waits for the end of the turn.
                Ok((inner, (told, hush)))
            })?;
            Ok((inner, opened.map(|(told, _)| told).unwrap_or_default()))
        };
        work(&self.shared.handler, cancel, "opening a project", opening).await
    }

    /// Opens the project of those folders, which need not be the data directory's, on a thread that may block. `stop` is
    /// asked before each document that has to be indexed again, and `tell` told how far that is.
    pub(crate) fn open_at(
        &self,
        located: Located,
        dirs: ProjectDirs,
        place: &Place,
        stop: &dyn Fn() -> bool,
        tell: &dyn Fn(Event),
    ) -> Result<Ready, Error> {
        let Shared { handler, clock, chat_models, models, yt_dlp, .. } = &*self.shared;
        let given = Given {
            handler: handler.clone(),
            clock: Arc::clone(clock),
            chat_models: chat_models.clone(),
            models: models.clone(),
            yt_dlp: yt_dlp.clone(),
        };
        Inner::open(located, dirs, place, given, stop, tell)
    }

    pub(crate) fn data(&self) -> &DataDir {
        &self.shared.data
    }

    /// Where the passages of its projects are.
    pub(crate) fn place(&self) -> &Place {
        &self.shared.place
    }

    pub(crate) fn handler(&self) -> &Handler {
        &self.shared.handler
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.shared.clock
    }

    /// Where the open project is, or will be. One that was in the same folder before is forgotten.
    fn slot(&self, located: &Located) -> Arc<Slot> {
        let mut projects = self.shared.projects.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = projects.entry(located.folder.clone()).or_default();
        if slot.get().is_some_and(|inner| inner.id() != located.description.id) {
            *slot = Arc::default();
        }
        Arc::clone(slot)
    }
}

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

    /// Sets what finds the key phrases of passages: when they are taken in, or by [`Project::enrich`], as
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
