//! Small files that belong to a project beside its passages, such as conversations.

use super::PgStore;
use super::connection::Sql;
use super::rows::get;
use crate::Error;

const READ: Sql =
    Sql { doing: "read a file", text: "SELECT content, version FROM files WHERE project = $1 AND name = $2" };
const LIST: Sql = Sql {
    doing: "list files",
    text: "SELECT name FROM files WHERE project = $1 AND starts_with(name, $2) ORDER BY name",
};
const ADD: Sql = Sql {
    doing: "write a file",
    text: "INSERT INTO files (project, name, content) SELECT $1, $2, $3 WHERE EXISTS \
           (SELECT FROM projects WHERE key = $1) ON CONFLICT (project, name) DO NOTHING",
};
const CHANGE: Sql = Sql {
    doing: "write a file",
    text: "UPDATE files SET content = $3, version = version + 1 WHERE project = $1 AND name = $2 AND version = $4",
};
const REMOVE: Sql = Sql {
    doing: "remove a file",
    text: "DELETE FROM files WHERE project = $1 AND name = $2 AND version = $3",
};
const EXISTS: Sql = Sql { doing: "look for a project", text: "SELECT FROM projects WHERE key = $1" };

/// A file as it was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PgFile {
    /// What it holds; `None` when it is not there.
    pub content: Option<Vec<u8>>,
    version: i64,
}

impl PgStore {
    /// A file of the project.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn file(&self, name: &str) -> Result<PgFile, Error> {
        self.shared.with(|connection| {
            let Some(row) = connection.query_one(READ, &[&self.project, &name])? else {
                return Ok(PgFile::default());
            };
            Ok(PgFile { content: Some(get(&row, 0)?), version: get(&row, 1)? })
        })
    }

    /// The names of the files that begin with `prefix`, sorted.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn files(&self, prefix: &str) -> Result<Vec<String>, Error> {
        self.shared.with(|connection| {
            let rows = connection.query(LIST, &[&self.project, &prefix])?;
            Ok(rows.iter().map(|row| get(row, 0)).collect::<Result<_, _>>()?)
        })
    }

    /// Writes a file in the place of what was read of it, or removes it where `content` is `None`. False when somebody else
    /// has written it since: read it again.
    ///
    /// # Errors
    /// When the project was removed, or the server does not answer.
    pub fn write_file(&self, name: &str, read: &PgFile, content: Option<&[u8]>) -> Result<bool, Error> {
        let project = &self.project;
        let is_written = self.shared.with(|connection| {
            let changed = match (content, &read.content) {
                (Some(content), None) => connection.execute(ADD, &[project, &name, &content])?,
                (Some(content), Some(_)) => {
                    connection.execute(CHANGE, &[project, &name, &content, &read.version])?
                }
                (None, Some(_)) => connection.execute(REMOVE, &[project, &name, &read.version])?,
                (None, None) => 1,
            };
            if changed == 0 && connection.query_one(EXISTS, &[project])?.is_none() {
                return Err(self.removed().into());
            }
            Ok(changed == 1)
        })?;
        // When an answer was lost, the request may have been sent twice, and found what it had written itself.
        Ok(is_written || self.file(name)?.content.as_deref() == content)
    }
}
