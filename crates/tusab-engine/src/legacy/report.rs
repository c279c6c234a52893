use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use tusab_ingest::YouTubeUrl;

use crate::{Project, Schedule};

/// What became of everything that the Python app has kept.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct LegacyReport {
    /// The projects that were made.
    pub projects: Vec<LegacyProject>,
    /// What became of each file, and of each video in it.
    pub items: Vec<LegacyItem>,
    /// The old settings, without keys.
    pub settings: Map<String, Value>,
    /// True when the caller asked to stop before the last project; those not begun have no entries.
    pub cancelled: bool,
}

/// A project that was made of one of the Python app's.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LegacyProject {
    /// The project.
    pub project: Project,
    /// Number of its videos.
    pub videos: usize,
    /// Number of its documents.
    pub documents: usize,
    /// Number of its pasted texts.
    pub texts: usize,
    /// Its channels, for [`Project::youtube`] and [`Project::follow`] to go on with: nothing is asked of them by itself.
    pub channels: Vec<LegacyChannel>,
}

/// What the Python app knew of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LegacyChannel {
    /// What it is called on its site.
    pub name: Option<String>,
    /// Where it is.
    pub urls: Vec<YouTubeUrl>,
    /// How often the app looked at it again; `None` where its user did not ask for that.
    pub schedule: Option<Schedule>,
}

/// What became of one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LegacyItem {
    /// Its file, from the folder or in the file that was given.
    pub path: PathBuf,
    /// What became of it.
    pub fate: LegacyFate,
    /// What it is, or why, for people.
    pub what: String,
}

/// What became of one thing of the Python app.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LegacyFate {
    /// It is here, durable and searchable.
    Taken,
    /// Something was wrong with it and was mended on the way; what it belongs to has an entry of its own.
    Repaired,
    /// It is not needed here, or belongs to what this engine does not do.
    LeftOut,
    /// It could not be taken.
    Refused,
}

impl LegacyReport {
    /// Number of things with this fate.
    #[must_use]
    pub fn count(&self, fate: LegacyFate) -> usize {
        self.items.iter().filter(|item| item.fate == fate).count()
    }

    pub(super) fn add(&mut self, path: &Path, fate: LegacyFate, what: impl Into<String>) {
        self.items.push(LegacyItem { path: path.to_owned(), fate, what: what.into() });
    }
}
