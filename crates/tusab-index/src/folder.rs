//! Folders that outlast a crash of the machine.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Makes a folder and those above it, unless they are there, each durable in its parent: what is synced in a folder is lost
/// with a folder that is not.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    // The parent of a relative path's first part is the empty path: the present folder, which is there.
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    let parent = folder.parent().unwrap_or(Path::new(""));
    make_folder(parent)?;
    match fs::create_dir(folder) {
        Ok(()) => sync(parent),
        Err(error) if error.kind() == ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        Err(error) => Err(error),
    }
}

/// Makes the names in a folder durable, or what was written to a file. Windows has no such call for folders, and makes
/// their names durable by itself.
pub(crate) fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_made_with_those_above_it_once() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b/c");
        make_folder(&deep).unwrap();
        make_folder(&deep).unwrap();
        assert!(deep.is_dir());
        fs::write(dir.path().join("file"), "").unwrap();
        assert!(make_folder(&dir.path().join("file")).is_err());
        assert!(make_folder(&dir.path().join("file/below")).is_err());
    }
}
