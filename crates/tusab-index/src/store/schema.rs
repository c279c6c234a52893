//! The tables, and how older ones become them.

use std::path::Path;

use rusqlite::{Connection, Transaction};

use super::refill;
use crate::Error;

/// The format that this version writes; kept in SQLite's `user_version`.
pub(super) const VERSION: u32 = 2;

/// A change of the tables, and what must then be computed from the rows that are there.
struct Step {
    tables: &'static str,
    rows: fn(&Transaction<'_>) -> rusqlite::Result<()>,
}

/// Each step brings the format from its index to the next.
const STEPS: [Step; VERSION as usize] = [
    Step { tables: include_str!("schema_1.sql"), rows: |_| Ok(()) },
    Step { tables: include_str!("schema_2.sql"), rows: refill::analysis },
];

/// Brings the database to the current format. Each step is one transaction.
pub(super) fn migrate(connection: &mut Connection, path: &Path) -> Result<(), Error> {
    let store = Error::store(path);
    // The writer reports a batch as durable only after its pages are on the disk.
    connection.pragma_update(None, "journal_mode", "WAL").map_err(&store)?;
    connection.pragma_update(None, "synchronous", "FULL").map_err(&store)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(&store)?;
    loop {
        let transaction =
            connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(&store)?;
        let found = version(&transaction).map_err(&store)?;
        refuse_newer(found, path)?;
        let Some(step) = STEPS.get(found as usize) else { return Ok(()) };
        transaction.execute_batch(step.tables).map_err(&store)?;
        (step.rows)(&transaction).map_err(&store)?;
        transaction.pragma_update(None, "user_version", found + 1).map_err(&store)?;
        transaction.commit().map_err(&store)?;
    }
}

/// Refuses what a later version wrote; true when an earlier one did and the tables must be migrated first.
pub(super) fn is_older(connection: &Connection, path: &Path) -> Result<bool, Error> {
    let found = version(connection).map_err(Error::store(path))?;
    refuse_newer(found, path)?;
    Ok(found < VERSION)
}

fn refuse_newer(found: u32, path: &Path) -> Result<(), Error> {
    if found > VERSION {
        return Err(Error::NewerFormat { path: path.to_owned(), found, supported: VERSION });
    }
    Ok(())
}

fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}
