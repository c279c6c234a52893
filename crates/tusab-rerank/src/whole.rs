//! Files that are either the old one or the new one, never half of it.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::Error;

/// Writes a file whole: beside it, synced, renamed, and the folder synced.
pub(crate) fn write(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), Error> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = folder.join(name);
    let written = File::create(&part).and_then(|file| {
        let mut writer = BufWriter::new(file);
        content(&mut writer)?;
        writer.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
        std::fs::rename(&part, path)?;
        sync_folder(folder)
    });
    written.map_err(|error| {
        // What is left of an attempt is of no use to anybody.
        let _ = std::fs::remove_file(&part);
        Error::file("write", path)(error)
    })
}

/// Makes a rename last, where the platform has a way to.
pub(crate) fn sync_folder(folder: &Path) -> std::io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_that_fails_leaves_the_old_file_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write(&path, |file| file.write_all(b"old")).unwrap();
        let full = |file: &mut dyn Write| {
            file.write_all(b"new")?;
            Err(std::io::Error::from(std::io::ErrorKind::StorageFull))
        };
        assert!(matches!(write(&path, full), Err(Error::File { action: "write", .. })));
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        write(&path, |file| file.write_all(b"new")).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
    }
}
