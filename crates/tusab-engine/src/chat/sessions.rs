//! Which sessions a project has.

use std::path::PathBuf;

use serde::Serialize;

use super::history::Session;
use super::{ChatSession, Turn};
use crate::keep::Keep;
use crate::runtime::blocking;
use crate::{Error, Project};

/// The sessions of a project.
#[derive(Debug)]
#[non_exhaustive]
pub struct Sessions {
    /// The one last used first.
    pub sessions: Vec<SessionInfo>,
    /// Files that cannot be read, with the reason; they are left as they are.
    pub unreadable: Vec<(PathBuf, Error)>,
}

/// A session, as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SessionInfo {
    /// Its name; [`Project::chat`] opens it.
    pub name: String,
    /// How many turns it keeps.
    pub turns: usize,
    /// When the oldest of them was asked, in UTC (RFC 3339).
    pub first_at: String,
    /// When the newest was.
    pub last_at: String,
}

/// A whole session, as data.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SessionExport {
    /// Its name.
    pub name: String,
    /// The project that it is about.
    pub project: String,
    /// Its turns, oldest first.
    pub turns: Vec<Turn>,
}

impl Project {
    /// The sessions that hold at least one turn.
    ///
    /// # Errors
    /// When their folder cannot be read.
    pub async fn sessions(&self) -> Result<Sessions, Error> {
        let keep = self.inner().kept_sessions();
        blocking("listing sessions", move || list(&keep)).await
    }
}

impl ChatSession {
    /// The whole session, once the questions asked before this call are answered.
    ///
    /// # Errors
    /// When the session's file cannot be read.
    pub async fn export(&self) -> Result<SessionExport, Error> {
        let _turn = self.history.queue.place().turn().await;
        let (name, project) = (self.history.name().to_owned(), self.project.name());
        Ok(SessionExport { name, project, turns: self.history().await? })
    }

    /// Removes the session from the disk, once the questions asked before this call are answered. It can begin again.
    ///
    /// # Errors
    /// When the session's file cannot be removed.
    pub async fn delete(&self) -> Result<(), Error> {
        let _turn = self.history.queue.place().turn().await;
        let history = std::sync::Arc::clone(&self.history);
        blocking("deleting a session", move || history.delete()).await
    }
}

fn list(keep: &Keep) -> Result<Sessions, Error> {
    let mut listed = Sessions { sessions: Vec::new(), unreadable: Vec::new() };
    for name in keep.names_of_json()? {
        let path = keep.path(&name);
        let read = keep.read(&name).and_then(|bytes| Session::parse(bytes.as_deref(), &path));
        match read {
            Ok(session) => listed.sessions.extend(info(session)),
            Err(error) => listed.unreadable.push((path, error)),
        }
    }
    listed.sessions.sort_by(|a, b| b.last_at.cmp(&a.last_at).then_with(|| a.name.cmp(&b.name)));
    Ok(listed)
}

fn info(session: Session) -> Option<SessionInfo> {
    let (first, last) = (session.turns.first()?, session.turns.last()?);
    let (first_at, last_at) = (first.asked_at.clone(), last.asked_at.clone());
    Some(SessionInfo { turns: session.turns.len(), name: session.name, first_at, last_at })
}
