//! Where a project that was made ready elsewhere becomes one of the data directory's.

use std::fs;
use std::path::Path;

use crate::Error;
use crate::project::catalog::{self, Description};
use crate::storage::{DataDir, ProjectDirs, sync_folder};

/// Refuses a name that a project has, or that none may have.
pub(crate) fn refuse_taken(data: &DataDir, name: &str) -> Result<(), Error> {
    catalog::check_name(name)?;
    match catalog::find(data, name)? {
        Some(_) => Err(Error::ProjectExists { name: name.to_owned() }),
        None => Ok(()),
    }
}

/// Puts the staged folders among the projects, durably; what is to be told of it, for people.
pub(crate) fn place(
    data: &DataDir,
    staged: &ProjectDirs,
    description: Description,
) -> Result<Option<String>, Error> {
    sync_tree(&staged.neural)?;
    sync_tree(&staged.index)?;
    let (_, index) = catalog::move_in(data, staged, description)?;
    Ok(index.err().map(|error| format!("the index is made again from the sources: {error}")))
}

/// Makes the names in a folder, and in those below it, durable.
fn sync_tree(folder: &Path) -> Result<(), Error> {
    for entry in fs::read_dir(folder).map_err(Error::io("list", folder))? {
        let entry = entry.map_err(Error::io("list", folder))?;
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            sync_tree(&entry.path())?;
        }
    }
    sync_folder(folder)
}
