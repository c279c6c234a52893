use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Error;

/// Extensions that are taken when none are asked for: what the engine reads.
const KNOWN: [&str; 24] = [
    "csv", "dfxp", "docx", "htm", "html", "json3", "markdown", "md", "mdown", "mkd", "pdf", "pptx", "srt",
    "srv1", "srv2", "srv3", "tab", "text", "tsv", "ttml", "txt", "vtt", "xhtml", "xlsx",
];

/// Which files of a folder are taken in.
///
/// Links are never followed: they can lead in circles, or to what nobody meant.
///
/// ```
/// use tusab_engine::FolderOptions;
/// let options = FolderOptions::default().with_extensions(["md"]).with_skipped(["node_modules"]);
/// assert!(options.recursive && !options.hidden);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct FolderOptions {
    /// Folders in it are looked into as well; yes by default.
    pub recursive: bool,
    /// Only files with these extensions, without the dot, in upper or lower case; by default those that can be read.
    pub extensions: Vec<String>,
    /// Files and folders of these names are left out; none by default.
    pub skipped: Vec<String>,
    /// Files and folders whose names begin with a dot are taken too; no by default.
    pub hidden: bool,
}

impl Default for FolderOptions {
    fn default() -> Self {
        Self { recursive: true, extensions: Vec::new(), skipped: Vec::new(), hidden: false }
    }
}

impl FolderOptions {
    /// Sets whether folders in it are looked into.
    #[must_use]
    pub fn with_recursive(mut self, recursive: bool) -> Self {
        self.recursive = recursive;
        self
    }

    /// Sets the extensions.
    #[must_use]
    pub fn with_extensions<E: Into<String>>(mut self, extensions: impl IntoIterator<Item = E>) -> Self {
        self.extensions = extensions.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the names that are left out.
    #[must_use]
    pub fn with_skipped<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.skipped = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets whether names that begin with a dot are taken.
    #[must_use]
    pub fn with_hidden(mut self, hidden: bool) -> Self {
        self.hidden = hidden;
        self
    }

    fn takes_name(&self, name: &str) -> bool {
        (self.hidden || !name.starts_with('.')) && !self.skipped.iter().any(|skipped| skipped == name)
    }

    fn takes_file(&self, path: &Path, name: &str) -> bool {
        // What describes a video is read with its captions.
        if name.ends_with(".info.json") {
            return false;
        }
        let Some(extension) = path.extension().and_then(|extension| extension.to_str()) else {
            return false;
        };
        let is = |known: &str| known.trim_start_matches('.').eq_ignore_ascii_case(extension);
        if self.extensions.is_empty() {
            KNOWN.iter().any(|known| is(known))
        } else {
            self.extensions.iter().any(|known| is(known))
        }
    }
}

/// The files of a folder that are taken, in the order of their paths; and the folders that could not be read, with why.
/// `apart` is left out: the engine's own folder is no source of its own.
pub(in crate::project) fn walk(
    folder: &Path,
    options: &FolderOptions,
    apart: Option<&Path>,
    stop: &dyn Fn() -> bool,
) -> (Vec<PathBuf>, Vec<(PathBuf, Error)>) {
    let (mut files, mut failed) = (Vec::new(), Vec::new());
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        if stop() {
            break;
        }
        if apart.is_some() && fs::canonicalize(&folder).ok().as_deref() == apart {
            continue;
        }
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                failed.push((folder.clone(), Error::NoSuchFile { path: folder }));
                continue;
            }
            Err(error) => {
                failed.push((folder.clone(), Error::io("list", &folder)(error)));
                continue;
            }
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let (path, name) = (entry.path(), name.to_string_lossy());
            if !options.takes_name(&name) {
                continue;
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && options.recursive => folders.push(path),
                Ok(kind) if kind.is_file() && options.takes_file(&path, &name) => files.push(path),
                _ => {}
            }
        }
    }
    files.sort_unstable();
    (files, failed)
}
