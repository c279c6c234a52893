//! The tables, and how older ones become them.

use super::TextSearch;
use super::connection::{Begin, Connection, Sql};
use super::error::PostgresError;
use super::rows::get;

/// Each brings the tables from the version that is its index to the next.
const STEPS: [Step; 3] = [
    Step {
        tables: include_str!("schema_1.sql"),
        pg_search: ["", include_str!("schema_1_pg_search.sql")],
        built_in: [include_str!("schema_1_types.sql"), include_str!("schema_1_built_in.sql")],
    },
    Step { tables: include_str!("schema_2.sql"), pg_search: ["", ""], built_in: ["", ""] },
    Step {
        tables: include_str!("schema_3.sql"),
        pg_search: ["", include_str!("schema_3_pg_search.sql")],
        built_in: ["", ""],
    },
];

/// What makes tables of the next version.
#[derive(Debug)]
struct Step {
    tables: &'static str,
    /// What comes before and after, by the search that the tables are made for.
    pg_search: [&'static str; 2],
    built_in: [&'static str; 2],
}

impl Step {
    fn parts(&self, search: TextSearch) -> [&'static str; 3] {
        let [before, after] = match search {
            TextSearch::PgSearch => self.pg_search,
            TextSearch::BuiltIn => self.built_in,
        };
        [before, self.tables, after]
    }
}

/// What the tables are made of.
const EXTENSIONS: [&str; 2] = ["pg_search", "vector"];

/// The lock that whoever migrates holds: any number that nobody else takes.
const LOCK: i64 = 0x7475_7361_6200;

const AVAILABLE: Sql = Sql {
    doing: "look for extensions",
    text: "SELECT name FROM pg_available_extensions WHERE name = ANY($1)",
};
const LOCKED: Sql = Sql { doing: "wait for another migration", text: "SELECT pg_advisory_xact_lock($1)" };
const VERSION: Sql = Sql {
    doing: "read the version of the tables",
    text: "SELECT version, to_regclass('tusab.chunks_words') IS NOT NULL FROM tusab.schema",
};
const SET_VERSION: Sql =
    Sql { doing: "write the version of the tables", text: "UPDATE tusab.schema SET version = $1" };
const WHOLE: Sql =
    Sql { doing: "look at the index", text: "SELECT EXISTS (SELECT FROM tusab.bm25_is_whole)" };
// Not by `to_regclass`: what that once did not find it remembers, and whoever has waited for another migration would make
// everything again.
const EXISTS: Sql = Sql {
    doing: "look for the tables",
    text: "SELECT EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
           WHERE n.nspname = 'tusab' AND c.relname = 'schema')",
};

/// Makes a new connection ready: the tables are of this version, and the index is whole. Says what the tables are for;
/// `may_be_built_in` when they may be for the server's own search.
pub(super) fn prepare(connection: &Connection, may_be_built_in: bool) -> Result<TextSearch, PostgresError> {
    let search = migrate(connection, may_be_built_in)?;
    match search {
        // Its index is in the server's log, as the tables are.
        TextSearch::BuiltIn if may_be_built_in => return Ok(search),
        TextSearch::BuiltIn => return Err(PostgresError::BuiltInTables),
        TextSearch::PgSearch if is_whole(connection)? => return Ok(search),
        TextSearch::PgSearch => {}
    }
    tracing::warn!("PostgreSQL was killed: its index of words is made again from the passages");
    let transaction = connection.begin(Begin::Writing)?;
    // However long it takes.
    transaction.run("mend the index", "SET LOCAL statement_timeout = 0")?;
    transaction.query(LOCKED, &[&LOCK])?;
    if !is_whole(&transaction)? {
        transaction.run(
            "mend the index",
            "REINDEX INDEX tusab.chunks_bm25; INSERT INTO tusab.bm25_is_whole VALUES (true)",
        )?;
    }
    transaction.commit()?;
    Ok(search)
}

fn is_whole(connection: &Connection) -> Result<bool, PostgresError> {
    let row = connection.query_one(WHOLE, &[])?;
    Ok(row.is_some_and(|row| row.try_get(0).unwrap_or_default()))
}

/// Brings the tables to this version, and says which search they are for. One process does it, others wait; each step is
/// whole or not at all.
fn migrate(connection: &Connection, may_be_built_in: bool) -> Result<TextSearch, PostgresError> {
    let supported = u32::try_from(STEPS.len()).unwrap_or(u32::MAX);
    // Most often there is nothing to do, and a reader may not be allowed to.
    if let Some((_, search)) = found(connection)?.filter(|(version, _)| *version == supported) {
        return Ok(search);
    }
    let transaction = connection.begin(Begin::Writing)?;
    transaction.query(LOCKED, &[&LOCK])?;
    let (version, search) = match found(&transaction)? {
        Some((found, _)) if found > supported => {
            return Err(PostgresError::NewerTables { found, supported });
        }
        Some(found) => found,
        None => {
            let search = match missing_extensions(&transaction)? {
                missing if missing.is_empty() => {
                    create_extensions(&transaction)?;
                    TextSearch::PgSearch
                }
                _ if may_be_built_in => TextSearch::BuiltIn,
                names => return Err(PostgresError::MissingExtensions { names, source: None }),
            };
            transaction.run(
                "make the tables",
                "CREATE SCHEMA IF NOT EXISTS tusab; \
                 CREATE TABLE tusab.schema (version bigint NOT NULL); INSERT INTO tusab.schema VALUES (0)",
            )?;
            (0, search)
        }
    };
    for (number, step) in (1_i64..).zip(STEPS).skip(version as usize) {
        for part in step.parts(search) {
            transaction.run("make the tables", part)?;
        }
        transaction.execute(SET_VERSION, &[&number])?;
    }
    transaction.commit()?;
    Ok(search)
}

/// The version of the tables, and which search they are for.
fn found(connection: &Connection) -> Result<Option<(u32, TextSearch)>, PostgresError> {
    let exists = connection.query_one(EXISTS, &[])?;
    if !exists.is_some_and(|row| row.try_get(0).unwrap_or_default()) {
        return Ok(None);
    }
    let Some(row) = connection.query_one(VERSION, &[])? else { return Ok(None) };
    let search = if get(&row, 1)? { TextSearch::BuiltIn } else { TextSearch::PgSearch };
    Ok(Some((u32::try_from(get::<i64>(&row, 0)?).unwrap_or(u32::MAX), search)))
}

/// The extensions that the server does not have.
fn missing_extensions(connection: &Connection) -> Result<Vec<String>, PostgresError> {
    let known = connection.query(AVAILABLE, &[&EXTENSIONS.as_slice()])?;
    let known = known.iter().map(|row| get(row, 0)).collect::<Result<Vec<&str>, _>>()?;
    let missing = EXTENSIONS.iter().filter(|name| !known.contains(name));
    Ok(missing.map(ToString::to_string).collect())
}

fn create_extensions(connection: &Connection) -> Result<(), PostgresError> {
    for name in EXTENSIONS {
        // Where it is there already, whoever asks need not be somebody who may.
        let created =
            connection.run("create an extension", &format!("CREATE EXTENSION IF NOT EXISTS {name}"));
        match created {
            Err(PostgresError::Request { source, .. }) => {
                let names = vec![name.to_owned()];
                return Err(PostgresError::MissingExtensions { names, source: Some(source) });
            }
            other => other?,
        }
    }
    Ok(())
}
