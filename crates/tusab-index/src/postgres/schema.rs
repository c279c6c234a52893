//! The tables, and how older ones become them.

use super::connection::{Begin, Connection, Sql};
use super::error::PostgresError;

/// Each brings the tables from the version that is its index to the next.
const STEPS: [&str; 2] = [include_str!("schema_1.sql"), include_str!("schema_2.sql")];

/// What the tables are made of.
const EXTENSIONS: [&str; 2] = ["pg_search", "vector"];

/// The lock that whoever migrates holds: any number that nobody else takes.
const LOCK: i64 = 0x7475_7361_6200;

const EXTENSION: Sql = Sql {
    doing: "look for extensions",
    text: "SELECT name, installed_version IS NOT NULL FROM pg_available_extensions WHERE name = ANY($1)",
};
const LOCKED: Sql = Sql { doing: "wait for another migration", text: "SELECT pg_advisory_xact_lock($1)" };
const VERSION: Sql =
    Sql { doing: "read the version of the tables", text: "SELECT version FROM tusab.schema" };
const SET_VERSION: Sql =
    Sql { doing: "write the version of the tables", text: "UPDATE tusab.schema SET version = $1" };
const WHOLE: Sql =
    Sql { doing: "look at the index", text: "SELECT EXISTS (SELECT FROM tusab.bm25_is_whole)" };
const EXISTS: Sql =
    Sql { doing: "look for the tables", text: "SELECT to_regclass('tusab.schema') IS NOT NULL" };

/// Makes a new connection ready: the tables are of this version, and the index is whole.
pub(super) fn prepare(connection: &Connection) -> Result<(), PostgresError> {
    migrate(connection)?;
    if is_whole(connection)? {
        return Ok(());
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
    transaction.commit()
}

fn is_whole(connection: &Connection) -> Result<bool, PostgresError> {
    let row = connection.query_one(WHOLE, &[])?;
    Ok(row.is_some_and(|row| row.try_get(0).unwrap_or_default()))
}

/// Brings the tables to this version. One process does it, others wait; each step is whole or not at all.
fn migrate(connection: &Connection) -> Result<(), PostgresError> {
    let supported = u32::try_from(STEPS.len()).unwrap_or(u32::MAX);
    // Most often there is nothing to do, and a reader may not be allowed to.
    if version(connection)? == Some(supported) {
        return Ok(());
    }
    let transaction = connection.begin(Begin::Writing)?;
    transaction.query(LOCKED, &[&LOCK])?;
    let found = version(&transaction)?;
    if let Some(found) = found.filter(|found| *found > supported) {
        return Err(PostgresError::NewerTables { found, supported });
    }
    if found.is_none() {
        create_extensions(&transaction)?;
        transaction.run(
            "make the tables",
            "CREATE SCHEMA IF NOT EXISTS tusab; \
             CREATE TABLE tusab.schema (version bigint NOT NULL); INSERT INTO tusab.schema VALUES (0)",
        )?;
    }
    for (number, step) in (1_i64..).zip(STEPS).skip(found.unwrap_or_default() as usize) {
        transaction.run("make the tables", step)?;
        transaction.execute(SET_VERSION, &[&number])?;
    }
    transaction.commit()
}

fn version(connection: &Connection) -> Result<Option<u32>, PostgresError> {
    let exists = connection.query_one(EXISTS, &[])?;
    if !exists.is_some_and(|row| row.try_get(0).unwrap_or_default()) {
        return Ok(None);
    }
    let failed = PostgresError::request(VERSION.doing);
    let version: Option<i64> =
        connection.query_one(VERSION, &[])?.map(|row| row.try_get(0)).transpose().map_err(failed)?;
    Ok(version.map(|version| u32::try_from(version).unwrap_or(u32::MAX)))
}

fn create_extensions(connection: &Connection) -> Result<(), PostgresError> {
    let known = connection.query(EXTENSION, &[&EXTENSIONS.as_slice()])?;
    let is_installed = |name: &str| {
        let of = known.iter().find(|row| row.try_get(0).is_ok_and(|known: &str| known == name))?;
        of.try_get::<_, bool>(1).ok()
    };
    let missing: Vec<String> =
        EXTENSIONS.iter().filter(|name| is_installed(name).is_none()).map(ToString::to_string).collect();
    if !missing.is_empty() {
        return Err(PostgresError::MissingExtensions { names: missing, source: None });
    }
    for name in EXTENSIONS.iter().filter(|name| is_installed(name) == Some(false)) {
        let created =
            connection.run("create an extension", &format!("CREATE EXTENSION IF NOT EXISTS {name}"));
        match created {
            Err(PostgresError::Request { source, .. }) => {
                let names = vec![(*name).to_owned()];
                return Err(PostgresError::MissingExtensions { names, source: Some(source) });
            }
            other => other?,
        }
    }
    Ok(())
}
