use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tusab_index::WriterLock;

use super::queue::Queue;
use super::{Turn, TurnId};
use crate::Error;
use crate::storage::{remove_whole, slug, write_whole};

/// Longest wait for another process that writes a history.
const PATIENCE: Duration = Duration::from_secs(5);

/// Turns kept of a session; older ones go.
const KEPT: usize = 100;

/// What a session's file holds.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Session {
    version: u32,
    /// As its user named it.
    pub(super) name: String,
    pub(super) turns: Vec<Turn>,
    /// What a later version may have written; kept.
    #[serde(flatten)]
    extra: Map<String, Value>,
}

impl Session {
    const VERSION: u32 = 1;

    /// Reads a session's file; one that is not there is a session without turns.
    ///
    /// A damaged file is an error, never an empty history: the next turn would overwrite it.
    pub(super) fn load(path: &Path) -> Result<Self, Error> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(Error::io("read", path)(error)),
        };
        let damaged = |reason| Error::Damaged { path: path.to_owned(), reason };
        let mut session: Self = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        if session.version > Self::VERSION {
            return Err(Error::Newer { path: path.to_owned(), version: session.version });
        }
        // Files of the first days do not number their turns.
        let mut last = 0;
        for turn in &mut session.turns {
            last = turn.id.get().max(last + 1);
            turn.id = TurnId::new(last);
        }
        Ok(session)
    }

    fn put(&mut self, mut turn: Turn) -> TurnId {
        if let Some(place) = self.turns.iter_mut().find(|place| place.id == turn.id) {
            let id = turn.id;
            *place = turn;
            return id;
        }
        if turn.id == TurnId::default() {
            turn.id = TurnId::new(self.turns.last().map_or(0, |last| last.id.get()) + 1);
        }
        let id = turn.id;
        self.turns.push(turn);
        let surplus = self.turns.len().saturating_sub(KEPT);
        self.turns.drain(..surplus);
        id
    }
}

/// A session's file, and who waits for its turn.
#[derive(Debug)]
pub(crate) struct History {
    path: PathBuf,
    name: String,
    /// Who asks first is answered first.
    pub(super) queue: Queue,
    /// Held only while the file is read and written: two answers at once are both kept.
    writing: Mutex<()>,
}

impl History {
    pub(crate) fn at(folder: &Path, name: &str) -> Self {
        // Different names can have equal slugs; the fingerprint keeps their files apart.
        let fingerprint = blake2b_simd::Params::new().hash_length(4).hash(name.as_bytes()).to_hex();
        let path = folder.join(format!("{}-{fingerprint}.json", slug(name)));
        Self { path, name: name.to_owned(), queue: Queue::default(), writing: Mutex::new(()) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The turns so far, oldest first.
    pub(crate) fn read(&self) -> Result<Vec<Turn>, Error> {
        Ok(Session::load(&self.path)?.turns)
    }

    /// Keeps a turn, durably: in the place of the one with its id, or as the last one if it has none yet.
    pub(crate) fn put(&self, turn: Turn) -> Result<TurnId, Error> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let _lock = self.lock()?;
        let mut session = Session::load(&self.path)?;
        session.version = Session::VERSION;
        session.name.clone_from(&self.name);
        let id = session.put(turn);
        let bytes = serde_json::to_vec_pretty(&session)
            .map_err(|error| Error::Damaged { path: self.path.clone(), reason: error.to_string() })?;
        write_whole(&[(&self.path, &bytes)])?;
        Ok(id)
    }

    /// Removes the session, durably. One that is not there is removed already.
    pub(super) fn delete(&self) -> Result<(), Error> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.path.exists() {
            return Ok(());
        }
        let _lock = self.lock()?;
        remove_whole(&self.path)
    }

    /// Another process may have the same session.
    fn lock(&self) -> Result<WriterLock, Error> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
        Ok(WriterLock::acquire_within(&folder.join("sessions.lock"), PATIENCE)?)
    }
}

#[cfg(test)]
mod tests {
    use super::super::TurnState;
    use super::*;

    fn turn(n: usize) -> Turn {
        let turn = Turn::new("2026-01-01T00:00:00Z", format!("pergunta {n}"));
        turn.answered(format!("resposta {n}"), TurnState::Complete)
    }

    fn questions(history: &History) -> Vec<String> {
        history.read().unwrap().into_iter().map(|turn| turn.question).collect()
    }

    #[test]
    fn the_last_hundred_turns_survive_reopening() {
        let dir = tempfile::tempdir().unwrap();
        for n in 0..105 {
            let id = History::at(dir.path(), "Sessão 1").put(turn(n)).unwrap();
            assert_eq!(id.get(), n as u64 + 1);
        }
        let turns = questions(&History::at(dir.path(), "Sessão 1"));
        assert_eq!((turns.len(), &*turns[0], &*turns[99]), (100, "pergunta 5", "pergunta 104"));
        assert!(questions(&History::at(dir.path(), "Sessao 1")).is_empty());
    }

    #[test]
    fn a_turn_is_finished_in_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let history = History::at(dir.path(), "s");
        let mut begun = Turn::new("t", "pergunta");
        begun.id = history.put(begun.clone()).unwrap();
        history.put(turn(2)).unwrap();
        assert_eq!(history.read().unwrap()[0].state, TurnState::Unfinished);
        history.put(begun.clone().answered("meia res", TurnState::Cancelled)).unwrap();
        let turns = history.read().unwrap();
        assert_eq!((turns.len(), &*turns[0].answer, turns[0].state), (2, "meia res", TurnState::Cancelled));
    }

    #[test]
    fn turns_of_several_handles_are_all_kept() {
        let dir = tempfile::tempdir().unwrap();
        let history = History::at(dir.path(), "s");
        std::thread::scope(|scope| {
            for n in 0..8 {
                // Each with a handle of its own, as two processes have.
                let path = dir.path();
                scope.spawn(move || History::at(path, "s").put(turn(n)).unwrap());
            }
        });
        assert_eq!(history.read().unwrap().len(), 8);
    }

    #[test]
    fn a_damaged_file_is_left_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let history = History::at(dir.path(), "s");
        history.put(turn(0)).unwrap();
        fs::write(&history.path, "{\"turns\": [").unwrap();
        assert!(matches!(history.put(turn(1)), Err(Error::Damaged { .. })));
        assert_eq!(fs::read_to_string(&history.path).unwrap(), "{\"turns\": [");
    }

    #[test]
    fn a_file_of_the_first_days_is_read_and_what_a_later_one_added_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let history = History::at(dir.path(), "s");
        let old = r#"{"version": 1, "name": "s", "colour": "blue", "turns": [
            {"asked_at": "t", "question": "a", "answer": "b", "mood": "good"},
            {"asked_at": "t", "question": "c", "answer": "d"}]}"#;
        fs::create_dir_all(dir.path()).unwrap();
        fs::write(&history.path, old).unwrap();
        assert_eq!(history.put(turn(3)).unwrap().get(), 3);
        let turns = history.read().unwrap();
        assert_eq!((turns[0].id.get(), turns[1].id.get(), turns[0].state), (1, 2, TurnState::Complete));
        let json: Value = serde_json::from_slice(&fs::read(&history.path).unwrap()).unwrap();
        assert_eq!((&json["colour"], &json["turns"][0]["mood"]), (&"blue".into(), &"good".into()));
    }

    #[test]
    fn a_deleted_session_is_gone_and_can_begin_again() {
        let dir = tempfile::tempdir().unwrap();
        let history = History::at(dir.path(), "s");
        history.delete().unwrap();
        history.put(turn(1)).unwrap();
        history.delete().unwrap();
        assert!(!history.path.exists());
        assert_eq!(history.put(turn(2)).unwrap().get(), 1);
    }
}
