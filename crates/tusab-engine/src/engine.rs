mod builder;
mod projects;
mod slot;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

pub use self::builder::EngineBuilder;
use self::slot::Slot;
use crate::chat::ChatModels;
use crate::config::Keyring;
use crate::event::{Event, Handler};
use crate::models::Models;
use crate::portable::clear_dead;
use crate::project::{Given, Inner, Located, Place, Project, Ready, YtDlpSetup, catalog};
use crate::runtime::{blocking, work};
use crate::storage::{DataDir, ProjectDirs};
use crate::{Cancel, Clock, Config, Error};

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
