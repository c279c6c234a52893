use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A folder of its own for one run of a program, deleted with all that is in it.
pub(crate) struct Scratch {
    folder: tempfile::TempDir,
}

impl Scratch {
    /// A fresh folder inside `parent`, which is made if it is not there.
    pub(crate) fn new(parent: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(parent)?;
        Ok(Self { folder: tempfile::Builder::new().prefix("yt-dlp-").tempdir_in(parent)? })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        std::fs::write(self.file(name), bytes)
    }

    /// A file's bytes; none when it is not there.
    pub(crate) fn read(&self, name: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let file = match File::open(self.file(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let mut bytes = Vec::new();
        file.take(limit + 1).read_to_end(&mut bytes)?;
        if u64::try_from(bytes.len()).is_ok_and(|length| length > limit) {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {limit} bytes")));
        }
        Ok(Some(bytes))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}
