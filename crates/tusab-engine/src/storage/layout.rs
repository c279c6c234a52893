use std::path::{Path, PathBuf};

/// Name of the folder of the sources of all projects, in the data directory.
pub const NEURAL_DIR: &str = "neural";

/// The same folder by the name that it had in old installations, whose `cerebro/` is renamed when it is first met.
pub const CEREBRO_DIR: &str = NEURAL_DIR;

/// What that folder was called on the disk of old installations.
const OLD_NEURAL: &str = "cerebro";

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
        self.0.join(NEURAL_DIR)
    }

    /// Where old installations had them.
    pub(crate) fn old_neural(&self) -> PathBuf {
        self.0.join(OLD_NEURAL)
    }

    /// Says to people what is what.
    pub(crate) fn read_me(&self) -> PathBuf {
        self.0.join("README.txt")
    }

    /// Locked while the list of projects changes.
    pub(crate) fn projects_lock(&self) -> PathBuf {
        self.0.join("indexes").join(".projects.lock")
    }

    /// The settings; keys are only named in it.
    pub(crate) fn config(&self) -> PathBuf {
        self.0.join("config").join("agent_config.json")
    }

    /// Deleted projects, a folder each, until the trash is emptied.
    pub(crate) fn trash(&self) -> PathBuf {
        self.0.join("trash").join("projects")
    }

    /// What is not yet part of anything.
    pub(crate) fn temp(&self) -> PathBuf {
        self.0.join("temp")
    }

    /// The folders of the project with this folder name.
    pub(crate) fn project(&self, slug: &str) -> ProjectDirs {
        ProjectDirs {
            neural: self.neural().join(slug),
            index: self.0.join("indexes").join(slug),
            sessions: self.0.join("sessions").join(slug),
            queue: self.0.join("queue").join(slug),
            removed: self.0.join("trash").join("sources").join(slug),
            lock: self.0.join("indexes").join(format!("{slug}.lock")),
            scratch: self.temp().join("yt-dlp"),
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
    /// What waits to be taken in, and what it has begun to take in from YouTube.
    pub(crate) queue: PathBuf,
    /// Sources that were removed from it, until it is purged.
    pub(crate) removed: PathBuf,
    /// Locked by the process that writes the project's sources. Beside its folders, not in one: these can be moved
    /// while the lock is held, on every system.
    lock: PathBuf,
    /// Files of yt-dlp; of all projects, of whoever has the lock of the queue.
    pub(crate) scratch: PathBuf,
}

impl ProjectDirs {
    /// The file that holds the project's name as its user gave it.
    pub(crate) fn description(&self) -> PathBuf {
        self.neural.join("project.json")
    }

    /// Summaries, feedback and the like, made by the engine.
    pub(crate) fn management(&self) -> PathBuf {
        self.neural.join("management")
    }

    /// What is not yet part of anything; of all projects.
    pub(crate) fn temp(&self) -> &Path {
        self.scratch.parent().unwrap_or(Path::new(""))
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
        self.lock.clone()
    }

    /// The folders that go with the sources wherever these go, by the names they have in the trash.
    pub(crate) fn beside(&self) -> [(&'static str, &Path); 4] {
        [
            ("sessions", &self.sessions),
            ("queue", &self.queue),
            ("removed", &self.removed),
            ("index", &self.index),
        ]
    }
}
