//! The projects of a data directory as a whole: listed, renamed, deleted, taken out of the trash.

use std::sync::{Arc, PoisonError};

use super::Engine;
use crate::project::{Fate, Project, Projects, TrashedProject, catalog, purge, trash};
use crate::runtime::blocking;
use crate::storage::DataDir;
use crate::{Cancel, Error};

impl Engine {
    /// The projects that are here, and those of the server that no source is here of, by name. None is opened for it.
    ///
    /// # Errors
    /// When the data directory cannot be read, or the server does not answer. A project whose description cannot be read, or
    /// that somebody else removed on the server, is no error: see [`Projects::unreadable`].
    pub async fn projects(&self) -> Result<Projects, Error> {
        let place = self.place().clone();
        self.on_disk("listing the projects", move |data| {
            place.follow_names(data)?;
            let mut projects = catalog::list(data)?;
            place.complete(data, &mut projects)?;
            projects.projects.sort_by(|a, b| (&a.name, &a.folder).cmp(&(&b.name, &b.folder)));
            Ok(projects)
        })
        .await
    }

    /// Gives a project another name. Its folder, its sources, its index and its conversations stay where they are, and
    /// handles that are open go on.
    ///
    /// # Errors
    /// [`Error::NoSuchProject`], [`Error::ProjectName`], [`Error::ProjectExists`]; or when the disk refuses.
    pub async fn rename_project(&self, from: &str, to: &str) -> Result<(), Error> {
        let (from, to, place) = (from.to_owned(), to.to_owned(), self.place().clone());
        let rename = move |data: &DataDir| {
            place.follow_names(data)?;
            let located = catalog::rename(data, &from, &to)?;
            let told = place.tell(&data.project(&located.folder).index, Fate::Renamed(&to));
            if let Err(error) = told {
                // It has one name, here and on the server.
                catalog::rename(data, &to, &from)?;
                return Err(error);
            }
            Ok(located)
        };
        let located = self.on_disk("renaming a project", rename).await?;
        let open = {
            let projects = self.shared.projects.lock().unwrap_or_else(PoisonError::into_inner);
            projects.get(&located.folder).and_then(|slot| slot.get().cloned())
        };
        if let Some(inner) = open.filter(|inner| inner.id() == located.description.id) {
            inner.set_name(&located.description.name);
        }
        Ok(())
    }

    /// Puts a project into the trash: its sources, its index, its conversations. From then on it is found no more,
    /// by handles that are open neither, and its name is free.
    ///
    /// # Errors
    /// [`Error::NoSuchProject`]; [`Error::is_locked`] while something is taken in, here or in another process: cancel it
    /// first. When the disk refuses, the project is as it was.
    pub async fn delete_project(&self, name: &str) -> Result<TrashedProject, Error> {
        let (name, clock) = (name.to_owned(), Arc::clone(&self.shared.clock));
        let shared = Arc::clone(&self.shared);
        // One that is on the server alone gets its place here, and in the trash here.
        let found = {
            let (name, place) = (name.clone(), self.place().clone());
            self.on_disk("finding a project", move |data| {
                place.follow_names(data)?;
                catalog::find(data, &name)
            })
            .await?
        };
        if found.is_none() {
            self.find_elsewhere(&name).await?;
        }
        self.on_disk("deleting a project", move |data| {
            let lock = catalog::lock(data)?;
            let located =
                catalog::find(data, &name)?.ok_or_else(|| Error::NoSuchProject { name: name.clone() })?;
            let trashed = trash::put(data, &lock, &located, &*clock)?;
            shared.projects.lock().unwrap_or_else(PoisonError::into_inner).remove(&located.folder);
            shared.place.tell(&data.trash().join(&trashed.id).join("index"), Fate::SetAside)?;
            Ok(trashed)
        })
        .await
    }

    /// Opens a project that somebody else removed on the server, and makes it whole there again: taken back if that is still
    /// possible, else made of the sources that are here. Where nobody removed it, it is opened.
    ///
    /// # Errors
    /// [`Error::NoSuchProject`]; [`Error::Index`] when another project of the server has its name by now; or when the disk
    /// or the server refuses.
    pub async fn share_again(&self, name: &str) -> Result<Project, Error> {
        let (owned, place) = (name.to_owned(), self.place().clone());
        let found = move |data: &DataDir| {
            let _lock = catalog::lock(data)?;
            let located =
                catalog::find(data, &owned)?.ok_or_else(|| Error::NoSuchProject { name: owned.clone() })?;
            place.share_again(&data.project(&located.folder))?;
            Ok(located)
        };
        let located = self.on_disk("putting a project on the server again", found).await?;
        self.open(located, &Cancel::new()).await
    }

    /// The projects in the trash, in the order in which they were deleted.
    ///
    /// # Errors
    /// When the data directory cannot be read.
    pub async fn trash(&self) -> Result<Vec<TrashedProject>, Error> {
        self.on_disk("listing the trash", |data| {
            if !data.trash().is_dir() {
                return Ok(Vec::new());
            }
            trash::list(data)
        })
        .await
    }

    /// Takes a project out of the trash, as it was.
    ///
    /// # Errors
    /// [`Error::NotInTrash`]; [`Error::ProjectExists`] when another has its name by now; or when the disk refuses.
    pub async fn restore_project(&self, id: &str) -> Result<Project, Error> {
        let id = id.to_owned();
        let place = self.place().clone();
        let restore = move |data: &DataDir| {
            let lock = catalog::lock(data)?;
            let located = trash::restore(data, &lock, &id)?;
            place.tell(&data.project(&located.folder).index, Fate::TakenBack)?;
            Ok(located)
        };
        let located = self.on_disk("restoring a project", restore).await?;
        self.open(located, &Cancel::new()).await
    }

    /// Erases what is in the trash, for good; the number of projects that were there.
    ///
    /// # Errors
    /// When the disk refuses. What was erased until then is gone, and no project is there in part.
    pub async fn empty_trash(&self) -> Result<usize, Error> {
        self.erase(None).await
    }

    /// Erases one project of the trash, for good.
    ///
    /// # Errors
    /// [`Error::NotInTrash`]; or when the disk refuses.
    pub async fn erase_from_trash(&self, id: &str) -> Result<(), Error> {
        self.erase(Some(id.to_owned())).await.map(drop)
    }

    async fn erase(&self, id: Option<String>) -> Result<usize, Error> {
        let place = self.place().clone();
        self.on_disk("emptying the trash", move |data| {
            if !data.trash().is_dir() {
                return id.map_or(Ok(0), |id| Err(Error::NotInTrash { id }));
            }
            let lock = catalog::lock(data)?;
            // Only then is everything where it is looked for.
            trash::finish(data, &lock)?;
            for trashed in trash::list(data)? {
                if id.as_ref().is_none_or(|id| trashed.id == *id) {
                    place.tell(&data.trash().join(&trashed.id).join("index"), Fate::Erased)?;
                }
            }
            let erased = trash::empty(data, &lock, id.as_deref())?;
            purge::clear_temp(&data.project(""))?;
            Ok(erased)
        })
        .await
    }

    async fn on_disk<T: Send + 'static>(
        &self,
        what: &'static str,
        work: impl FnOnce(&DataDir) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let data = self.shared.data.clone();
        blocking(what, move || work(&data)).await
    }
}
