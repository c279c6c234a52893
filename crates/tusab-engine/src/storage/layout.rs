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
            queue: self.0.join("queue").join(slug),
            scratch: self.0.join("temp").join("yt-dlp"),
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
    /// What it has begun to take in from YouTube.
    pub(crate) queue: PathBuf,
    /// Files of yt-dlp; of all projects, of whoever has the lock of the queue.
    pub(crate) scratch: PathBuf,
}

impl ProjectDirs {
    /// The file that holds the project's name as its user gave it.
    pub(crate) fn description(&self) -> PathBuf {
        self.neural.join("project.json")
    }

    /// Locked by the one run that asks YouTube, of whichever project.
    pub(crate) fn queue_lock(&self) -> PathBuf {
        self.queue.with_file_name("queue.lock")
    }

    /// When YouTube was asked last, for whichever project.
    pub(crate) fn pace(&self) -> PathBuf {
        self.queue.with_file_name("pace.json")
    }

    /// Locked by the process that writes the project's sources.
    pub(crate) fn lock(&self) -> PathBuf {
        self.index.join("project.lock")
    }
}
