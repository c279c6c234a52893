use std::path::{Path, PathBuf};

/// The engine's data directory.
#[derive(Debug, Clone)]
pub(crate) struct DataDir(PathBuf);

impl DataDir {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The sources of all projects: what is safe to share, and all that is needed to rebuild the rest.
    pub(crate) fn neural(&self) -> PathBuf {
        self.0.join("neural")
    }

    /// Locked while a project is being made.
    pub(crate) fn projects_lock(&self) -> PathBuf {
        self.0.join("indexes").join("projects.lock")
    }

    /// The folders of the project with this folder name.
    pub(crate) fn project(&self, slug: &str) -> ProjectDirs {
        ProjectDirs {
            neural: self.neural().join(slug),
            index: self.0.join("indexes").join(slug),
            sessions: self.0.join("sessions").join(slug),
        }
    }
}

/// The folders of one project.
#[derive(Debug, Clone)]
pub(crate) struct ProjectDirs {
    /// Its sources.
    pub(crate) neural: PathBuf,
    /// Its index, all derivable from the sources.
    pub(crate) index: PathBuf,
    /// Its chat histories.
    pub(crate) sessions: PathBuf,
}

impl ProjectDirs {
    /// The file that holds the project's name as its user gave it.
    pub(crate) fn description(&self) -> PathBuf {
        self.neural.join("project.json")
    }

    /// Locked by the process that writes the project's sources.
    pub(crate) fn lock(&self) -> PathBuf {
        self.index.join("project.lock")
    }
}
