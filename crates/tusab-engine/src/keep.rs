//! Where a project's small files are: conversations, ratings, summaries. In a folder of the data directory, or beside its
//! passages on a server.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[cfg(feature = "postgres")]
use tusab_index::PgStore;

use crate::Error;
use crate::storage::{lock as lock_file, remove_whole, write_whole};

/// Longest wait for another process that writes such a file.
const PATIENCE: Duration = Duration::from_secs(5);

/// Makes of what a file holds what it is to hold; `None` is no file.
pub(crate) type Change<'c> = dyn FnMut(Option<Vec<u8>>) -> Result<Option<Vec<u8>>, Error> + 'c;

/// A folder of small files, each read and written as a whole.
#[derive(Debug, Clone)]
pub(crate) struct Keep(Place);

#[derive(Debug, Clone)]
enum Place {
    Folder(PathBuf),
    #[cfg(feature = "postgres")]
    Server(PgStore, &'static str),
}

impl Keep {
    pub(crate) fn folder(path: PathBuf) -> Self {
        Self(Place::Folder(path))
    }

    #[cfg(feature = "postgres")]
    pub(crate) fn server(store: PgStore, folder: &'static str) -> Self {
        Self(Place::Server(store, folder))
    }

    /// True when other machines write here too.
    pub(crate) fn is_shared(&self) -> bool {
        !matches!(self.0, Place::Folder(_))
    }

    /// Where a file is, for people.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        match &self.0 {
            Place::Folder(path) => path.join(name),
            #[cfg(feature = "postgres")]
            Place::Server(store, folder) => Path::new(store.name()).join(folder).join(name),
        }
    }

    /// What a file holds; `None` when it is not there.
    pub(crate) fn read(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        match &self.0 {
            Place::Folder(folder) => {
                let path = folder.join(name);
                match fs::read(&path) {
                    Ok(bytes) => Ok(Some(bytes)),
                    Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
                    Err(error) => Err(Error::io("read", &path)(error)),
                }
            }
            #[cfg(feature = "postgres")]
            Place::Server(store, folder) => Ok(store.file(&format!("{folder}/{name}"))?.content),
        }
    }

    /// Changes a file, durably, while nobody else does; in a folder under the lock of that name. `change` may be called again
    /// with what somebody else has written meanwhile.
    pub(crate) fn change(&self, name: &str, lock: &str, change: &mut Change<'_>) -> Result<(), Error> {
        match &self.0 {
            Place::Folder(folder) => {
                let _lock = lock_file(&folder.join(lock), PATIENCE)?;
                let path = folder.join(name);
                match change(self.read(name)?)? {
                    Some(bytes) => write_whole(&[(&path, &bytes)]),
                    None => remove_whole(&path),
                }
            }
            #[cfg(feature = "postgres")]
            Place::Server(store, folder) => {
                let name = format!("{folder}/{name}");
                loop {
                    let read = store.file(&name)?;
                    let content = change(read.content.clone())?;
                    if content == read.content || store.write_file(&name, &read, content.as_deref())? {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Those of the files that hold JSON, which all but what is left over do.
    pub(crate) fn names_of_json(&self) -> Result<Vec<String>, Error> {
        let mut names = self.names()?;
        names.retain(|name| Path::new(name).extension().is_some_and(|extension| extension == "json"));
        Ok(names)
    }

    /// The names of the files, also of those in folders below, sorted; without locks.
    pub(crate) fn names(&self) -> Result<Vec<String>, Error> {
        match &self.0 {
            Place::Folder(folder) => {
                let mut names = Vec::new();
                collect(folder, "", &mut names)?;
                names.sort_unstable();
                Ok(names)
            }
            #[cfg(feature = "postgres")]
            Place::Server(store, folder) => {
                let prefix = format!("{folder}/");
                let names = store.files(&prefix)?.into_iter();
                Ok(names.filter_map(|name| name.strip_prefix(&prefix).map(str::to_owned)).collect())
            }
        }
    }
}

fn collect(folder: &Path, below: &str, names: &mut Vec<String>) -> Result<(), Error> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::io("list", folder)(error)),
    };
    for entry in entries.flatten() {
        let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { continue };
        let name = format!("{below}{name}");
        if kind.is_dir() {
            collect(&entry.path(), &format!("{name}/"), names)?;
        } else if kind.is_file() && entry.path().extension().is_none_or(|extension| extension != "lock") {
            names.push(name);
        }
    }
    Ok(())
}
