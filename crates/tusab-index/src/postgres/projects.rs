//! Which projects a database holds.

use std::sync::Arc;

use super::connection::{Begin, Sql};
use super::error::PostgresError;
use super::rows::get;
use super::{PgStore, Postgres};
use crate::Error;

const LIST: Sql = Sql {
    doing: "list projects",
    text: "SELECT key, name FROM projects WHERE NOT is_aside ORDER BY name COLLATE \"C\"",
};
const STATE: Sql =
    Sql { doing: "look for a project", text: "SELECT is_aside, name FROM projects WHERE key = $1" };
const FIND: Sql = Sql {
    doing: "look for a project",
    text: "SELECT key, name FROM projects WHERE name = $1 AND NOT is_aside",
};
const FIND_BY_KEY: Sql = Sql {
    doing: "look for a project",
    text: "SELECT key, name FROM projects WHERE key = $1 AND NOT is_aside",
};
const ADD: Sql = Sql {
    doing: "add a project",
    text: "INSERT INTO projects (name) VALUES ($1) ON CONFLICT (name) WHERE NOT is_aside DO NOTHING",
};
const RENAME: Sql =
    Sql { doing: "rename a project", text: "UPDATE projects SET name = $2 WHERE key = $1 AND NOT is_aside" };
const SET_ASIDE: Sql =
    Sql { doing: "set a project aside", text: "UPDATE projects SET is_aside = $2 WHERE key = $1" };
const LOCK: Sql =
    Sql { doing: "look for a project", text: "SELECT key FROM projects WHERE key = $1 FOR UPDATE" };
const BYTES: Sql = Sql {
    doing: "measure the tables",
    text: "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c \
           JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'tusab' AND c.relkind = 'r'",
};
const REMOVE: [Sql; 6] = [
    Sql { doing: "remove a project", text: "DELETE FROM documents WHERE project = $1" },
    Sql { doing: "remove a project", text: "DELETE FROM chunks WHERE project = $1" },
    Sql { doing: "remove a project", text: "DELETE FROM vectors WHERE project = $1" },
    Sql { doing: "remove a project", text: "DELETE FROM terms WHERE project = $1" },
    Sql { doing: "remove a project", text: "DELETE FROM files WHERE project = $1" },
    Sql { doing: "remove a project", text: "DELETE FROM projects WHERE key = $1" },
];

/// Longest name of a project, in characters.
const MAX_NAME: usize = 200;

/// Which project of a database, whatever it is called; never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct ProjectKey(i64);

/// What became of a project of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProjectState {
    /// It is there.
    Here {
        /// What it is called by now.
        name: String,
    },
    /// It was set aside, and can be taken back.
    Aside {
        /// What it was called.
        name: String,
    },
    /// It was removed with all that it held.
    Removed,
}

impl Postgres {
    /// The store of the project of that name, which is made when it is not there.
    ///
    /// # Errors
    /// When the name cannot be one, or the server does not answer.
    pub fn project(&self, name: &str) -> Result<PgStore, Error> {
        check_name(name)?;
        if let Some(store) = self.find_project(name)? {
            return Ok(store);
        }
        self.servers.with(|connection| Ok(connection.execute(ADD, &[&name]).map(drop)?))?;
        // Removed again in between.
        let removed = || PostgresError::ProjectRemoved { name: name.to_owned() }.into();
        self.find_project(name)?.ok_or_else(removed)
    }

    /// The store of the project of that name, if there is one.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn find_project(&self, name: &str) -> Result<Option<PgStore>, Error> {
        // No text of the server holds one.
        if name.contains('\0') {
            return Ok(None);
        }
        self.found(FIND, &name)
    }

    /// The store of the project of that key, unless it was removed or set aside.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn project_of(&self, key: ProjectKey) -> Result<Option<PgStore>, Error> {
        self.found(FIND_BY_KEY, &key.0)
    }

    fn found(
        &self,
        sql: Sql,
        by: &(dyn tokio_postgres::types::ToSql + Sync),
    ) -> Result<Option<PgStore>, Error> {
        self.servers.with(|connection| {
            let Some(row) = connection.query_one(sql, &[by])? else { return Ok(None) };
            let (project, name) = (get(&row, 0)?, get(&row, 1)?);
            Ok(Some(PgStore { shared: Arc::clone(&self.servers), project, name, owner: Arc::from("") }))
        })
    }

    /// The names of the projects, sorted.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn projects(&self) -> Result<Vec<String>, Error> {
        Ok(self.keyed_projects()?.into_iter().map(|(_, name)| name).collect())
    }

    /// The projects with their keys, sorted by name.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn keyed_projects(&self) -> Result<Vec<(ProjectKey, String)>, Error> {
        self.servers.with(|connection| {
            let rows = connection.query(LIST, &[])?;
            let named = |row: &tokio_postgres::Row| Ok((ProjectKey(get(row, 0)?), get(row, 1)?));
            Ok(rows.iter().map(named).collect::<Result<_, PostgresError>>()?)
        })
    }

    /// What became of the project of that key.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn project_state(&self, key: ProjectKey) -> Result<ProjectState, Error> {
        self.servers.with(|connection| {
            let Some(row) = connection.query_one(STATE, &[&key.0])? else { return Ok(ProjectState::Removed) };
            let name = get(&row, 1)?;
            Ok(if get(&row, 0)? { ProjectState::Aside { name } } else { ProjectState::Here { name } })
        })
    }

    /// Gives a project another name; false when it is not there.
    ///
    /// # Errors
    /// When the name cannot be one or is another project's, or the server does not answer.
    pub fn rename_project(&self, key: ProjectKey, name: &str) -> Result<bool, Error> {
        check_name(name)?;
        self.servers.with(|connection| Ok(connection.execute(RENAME, &[&key.0, &name])? == 1))
    }

    /// Sets a project aside: it is found no more and its name is free, until it is taken back. False when it is not there.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn set_project_aside(&self, key: ProjectKey) -> Result<bool, Error> {
        self.servers.with(|connection| Ok(connection.execute(SET_ASIDE, &[&key.0, &true])? == 1))
    }

    /// Takes a project back that was set aside; false when it is not there.
    ///
    /// # Errors
    /// When another has its name by now, or the server does not answer.
    pub fn take_project_back(&self, key: ProjectKey) -> Result<bool, Error> {
        self.servers.with(|connection| Ok(connection.execute(SET_ASIDE, &[&key.0, &false])? == 1))
    }

    /// Removes the project of that name with all that it holds; false when there is none. See
    /// [`erase_project`](Self::erase_project).
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn remove_project(&self, name: &str) -> Result<bool, Error> {
        let found = self.find_project(name)?;
        found.map_or(Ok(false), |store| self.erase_project(store.key()))
    }

    /// Removes a project with all that it holds, in one transaction, also one that was set aside; false when it is not there.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn erase_project(&self, key: ProjectKey) -> Result<bool, Error> {
        self.servers.with(|connection| {
            let transaction = connection.begin(Begin::Writing)?;
            if transaction.query_one(LOCK, &[&key.0])?.is_none() {
                transaction.roll_back()?;
                return Ok(false);
            }
            for sql in REMOVE {
                transaction.execute(sql, &[&key.0])?;
            }
            transaction.commit()?;
            Ok(true)
        })
    }

    /// Bytes that the tables of all projects and their indexes take on the server.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn bytes(&self) -> Result<u64, Error> {
        self.servers.with(|connection| {
            let bytes: i64 = connection.query_one(BYTES, &[])?.map_or(Ok(0), |row| get(&row, 0))?;
            Ok(u64::try_from(bytes).unwrap_or_default())
        })
    }
}

impl PgStore {
    /// Which project of the database it is.
    #[must_use]
    pub fn key(&self) -> ProjectKey {
        ProjectKey(self.project)
    }
}

fn check_name(name: &str) -> Result<(), PostgresError> {
    if name.is_empty() || name.chars().count() > MAX_NAME || name.contains('\0') {
        return Err(PostgresError::ProjectName { name: name.to_owned() });
    }
    Ok(())
}
