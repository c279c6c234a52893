use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tusab_index::WriterLock;

use crate::Error;
use crate::storage::{slug, write_whole};

/// Longest wait for another process that writes a history.
const PATIENCE: Duration = Duration::from_secs(5);

/// Turns kept of a session; older ones go.
const KEPT: usize = 100;

/// A question and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Turn {
    /// When it was asked, in UTC (RFC 3339).
    pub asked_at: String,
    /// What was asked.
    pub question: String,
    /// What was answered.
    pub answer: String,
}

impl Turn {
    pub(crate) fn new(
        asked_at: impl Into<String>,
        question: impl Into<String>,
        answer: impl Into<String>,
    ) -> Self {
        Self { asked_at: asked_at.into(), question: question.into(), answer: answer.into() }
    }
}

#[derive(Default, Serialize, Deserialize)]
struct Session {
    version: u32,
    /// As its user named it.
    name: String,
    turns: Vec<Turn>,
    /// What a later version may have written; kept.
    #[serde(flatten)]
    extra: Map<String, Value>,
}

/// A session's file.
#[derive(Debug)]
pub(crate) struct History {
    path: PathBuf,
    name: String,
    /// Held only while the file is read and written: two answers at once are both kept.
    turn: Mutex<()>,
}

impl History {
    const VERSION: u32 = 1;

    pub(crate) fn at(folder: &Path, name: &str) -> Self {
        // Different names can have equal slugs; the fingerprint keeps their files apart.
        let fingerprint = blake2b_simd::Params::new().hash_length(4).hash(name.as_bytes()).to_hex();
        let path = folder.join(format!("{}-{fingerprint}.json", slug(name)));
        Self { path, name: name.to_owned(), turn: Mutex::new(()) }
    }

    /// The turns so far, oldest first.
    pub(crate) fn read(&self) -> Result<Vec<Turn>, Error> {
        Ok(self.load()?.turns)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a turn, durably.
    pub(crate) fn add(&self, turn: Turn) -> Result<(), Error> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        // Another process may have the same session.
        let folder = self.path.parent().unwrap_or(Path::new(""));
        std::fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
        let _lock = WriterLock::acquire_within(&folder.join("sessions.lock"), PATIENCE)?;
        let mut session = self.load()?;
        session.version = Self::VERSION;
        session.name.clone_from(&self.name);
        session.turns.push(turn);
        let surplus = session.turns.len().saturating_sub(KEPT);
        session.turns.drain(..surplus);
        let bytes = serde_json::to_vec_pretty(&session)
            .map_err(|error| Error::Damaged { path: self.path.clone(), reason: error.to_string() })?;
        write_whole(&[(&self.path, &bytes)])
    }

    /// A damaged file is an error, never an empty history: the next turn would overwrite it.
    fn load(&self) -> Result<Session, Error> {
        let bytes = match std::fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Session::default()),
            Err(error) => return Err(Error::io("read", &self.path)(error)),
        };
        let damaged = |reason| Error::Damaged { path: self.path.clone(), reason };
        let session: Session = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        if session.version > Self::VERSION {
            return Err(Error::Newer { path: self.path.clone(), version: session.version });
        }
        Ok(session)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(n: usize) -> Turn {
        Turn::new("2026-01-01T00:00:00Z", format!("pergunta {n}"), format!("resposta {n}"))
    }

    #[test]
    fn the_last_hundred_turns_survive_reopening() {
        let dir = tempfile::tempdir().unwrap();
        for n in 0..105 {
            History::at(dir.path(), "Sessão 1").add(turn(n)).unwrap();
        }
        let turns = History::at(dir.path(), "Sessão 1").read().unwrap();
        assert_eq!((turns.len(), turns.first(), turns.last()), (100, Some(&turn(5)), Some(&turn(104))));
        assert!(History::at(dir.path(), "Sessao 1").read().unwrap().is_empty());
    }

    #[test]
    fn turns_of_several_handles_are_all_kept() {
        let dir = tempfile::tempdir().unwrap();
        let history = History::at(dir.path(), "s");
        std::thread::scope(|scope| {
            for n in 0..8 {
                // Each with a handle of its own, as two processes have.
                let path = dir.path();
                scope.spawn(move || History::at(path, "s").add(turn(n)).unwrap());
            }
        });
        assert_eq!(history.read().unwrap().len(), 8);
    }

    #[test]
    fn a_damaged_file_is_left_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let history = History::at(dir.path(), "s");
        history.add(turn(0)).unwrap();
        std::fs::write(&history.path, "{\"turns\": [").unwrap();
        assert!(matches!(history.add(turn(1)), Err(Error::Damaged { .. })));
        assert_eq!(std::fs::read_to_string(&history.path).unwrap(), "{\"turns\": [");
    }
}
