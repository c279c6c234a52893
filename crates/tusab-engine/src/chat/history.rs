use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::queue::Queue;
use super::{Turn, TurnId};
use crate::Error;
use crate::keep::Keep;
use crate::storage::slug;

/// Held while a history is written: another process may have the same session.
pub(crate) const LOCK: &str = "sessions.lock";

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
    pub(super) fn parse(bytes: Option<&[u8]>, path: &Path) -> Result<Self, Error> {
        let Some(bytes) = bytes else { return Ok(Self::default()) };
        let damaged = |reason| Error::Damaged { path: path.to_owned(), reason };
        let mut session: Self = serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()))?;
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
    keep: Keep,
    file: String,
    name: String,
    /// Who asks first is answered first.
    pub(super) queue: Queue,
    /// Held only while the file is read and written: two answers at once are both kept.
    writing: Mutex<()>,
}

impl History {
    pub(crate) fn new(keep: Keep, name: &str) -> Self {
        // Different names can have equal slugs; the fingerprint keeps their files apart.
        let fingerprint = blake2b_simd::Params::new().hash_length(4).hash(name.as_bytes()).to_hex();
        let file = format!("{}-{fingerprint}.json", slug(name));
        Self { keep, file, name: name.to_owned(), queue: Queue::default(), writing: Mutex::new(()) }
    }

    /// The name of its file.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    #[cfg(test)]
    fn at(folder: &Path, name: &str) -> Self {
        Self::new(Keep::folder(folder.to_owned()), name)
    }

    /// Where its file is, for people.
    pub(crate) fn path(&self) -> PathBuf {
        self.keep.path(&self.file)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The turns so far, oldest first.
    pub(crate) fn read(&self) -> Result<Vec<Turn>, Error> {
        Ok(Session::parse(self.keep.read(&self.file)?.as_deref(), &self.path())?.turns)
    }

    /// Keeps a turn, durably: in the place of the one with its id, or as the last one if it has none yet.
    pub(crate) fn put(&self, turn: &Turn) -> Result<TurnId, Error> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let (path, mut id) = (self.path(), TurnId::default());
        self.keep.change(&self.file, LOCK, &mut |read| {
            let mut session = Session::parse(read.as_deref(), &path)?;
            session.version = Session::VERSION;
            session.name.clone_from(&self.name);
            id = session.put(turn.clone());
            let damaged =
                |error: serde_json::Error| Error::Damaged { path: path.clone(), reason: error.to_string() };
            serde_json::to_vec_pretty(&session).map(Some).map_err(damaged)
        })?;
        Ok(id)
    }

    /// Removes the session, durably. One that is not there is removed already.
    pub(super) fn delete(&self) -> Result<(), Error> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.keep.read(&self.file)?.is_none() {
            return Ok(());
        }
        self.keep.change(&self.file, LOCK, &mut |_| Ok(None))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

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
            let id = History::at(dir.path(), "Sessão 1").put(&turn(n)).unwrap();
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
        begun.id = history.put(&begun).unwrap();
        history.put(&turn(2)).unwrap();
        assert_eq!(history.read().unwrap()[0].state, TurnState::Unfinished);
        history.put(&begun.clone().answered("meia res", TurnState::Cancelled)).unwrap();
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
                scope.spawn(move || History::at(path, "s").put(&turn(n)).unwrap());
            }
        });
        assert_eq!(history.read().unwrap().len(), 8);
    }

    #[test]
    fn a_damaged_file_is_left_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let history = History::at(dir.path(), "s");
        history.put(&turn(0)).unwrap();
        fs::write(history.path(), "{\"turns\": [").unwrap();
        assert!(matches!(history.put(&turn(1)), Err(Error::Damaged { .. })));
        assert_eq!(fs::read_to_string(history.path()).unwrap(), "{\"turns\": [");
    }

    #[test]
    fn a_file_of_the_first_days_is_read_and_what_a_later_one_added_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let history = History::at(dir.path(), "s");
        let old = r#"{"version": 1, "name": "s", "colour": "blue", "turns": [
            {"asked_at": "t", "question": "a", "answer": "b", "mood": "good"},
            {"asked_at": "t", "question": "c", "answer": "d"}]}"#;
        fs::create_dir_all(dir.path()).unwrap();
        fs::write(history.path(), old).unwrap();
        assert_eq!(history.put(&turn(3)).unwrap().get(), 3);
        let turns = history.read().unwrap();
        assert_eq!((turns[0].id.get(), turns[1].id.get(), turns[0].state), (1, 2, TurnState::Complete));
        let json: Value = serde_json::from_slice(&fs::read(history.path()).unwrap()).unwrap();
        assert_eq!((&json["colour"], &json["turns"][0]["mood"]), (&"blue".into(), &"good".into()));
    }

    #[test]
    fn a_deleted_session_is_gone_and_can_begin_again() {
        let dir = tempfile::tempdir().unwrap();
        let history = History::at(dir.path(), "s");
        history.delete().unwrap();
        history.put(&turn(1)).unwrap();
        history.delete().unwrap();
        assert!(!history.path().exists());
        assert_eq!(history.put(&turn(2)).unwrap().get(), 1);
    }
}
