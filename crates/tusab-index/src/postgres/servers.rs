//! The server that is written to, and a copy of it that may be read from.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::TextSearch;
use super::connection::{Connection, Sql};
use super::error::PostgresError;
use super::options::PostgresOptions;
use super::pool::Pool;
use super::rows::get;
use crate::Error;

// Tables that a subscription still copies for the first time are each of another moment.
const REACHED: Sql = Sql {
    doing: "look how far the replica is",
    text: "SELECT EXISTS (SELECT FROM projects WHERE key = $1 AND batches >= $2) \
           AND NOT EXISTS (SELECT FROM pg_subscription_rel WHERE srsubstate <> 'r')",
};

/// Pause between two looks at a replica that is behind.
const POLL: Duration = Duration::from_millis(5);

/// How long a replica that could not be reached is left alone.
const REST: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(super) struct Servers {
    writes: Pool,
    reads: Option<Replica>,
    search: TextSearch,
    /// By project, the number of the last batch that was written through here: who has written it finds it.
    written: Mutex<HashMap<i64, i64>>,
    growth: Mutex<HashMap<i64, Growth>>,
}

/// Chunks of a project that were written through here, before and after the planner's statistics were last made.
#[derive(Debug, Default)]
struct Growth {
    before: usize,
    after: usize,
}

/// So many chunks the planner may know nothing of: even the worst plan reads no more.
const UNKNOWN: usize = 1_000;

#[derive(Debug)]
struct Replica {
    pool: Pool,
    /// Longest wait for what was written here to arrive there.
    lag: Duration,
    away_until: Mutex<Option<Instant>>,
}

impl Servers {
    pub(super) fn new(options: PostgresOptions) -> Result<Self, Error> {
        let replica = options.reads.clone().map(|address| {
            let lag = options.lag;
            let options = PostgresOptions { address, reads: None, ..options.clone() };
            Ok::<_, PostgresError>(Replica { pool: Pool::new(options)?, lag, away_until: Mutex::default() })
        });
        let reads = replica.transpose()?;
        let writes = Pool::new(options)?;
        // The first connection makes the tables. A replica may be away.
        let search = writes.with(|connection| Ok(connection.text_search()))?;
        Ok(Self { writes, reads, search, written: Mutex::default(), growth: Mutex::default() })
    }

    /// Which search the tables are for.
    pub(super) fn text_search(&self) -> TextSearch {
        self.search
    }

    /// Runs `work` where is written; see [`Pool::with`].
    pub(super) fn with<T>(&self, work: impl FnMut(&Connection) -> Result<T, Error>) -> Result<T, Error> {
        self.writes.with(work)
    }

    /// Runs `work`, which only reads of those projects, on the replica when it is there and has what was written to them
    /// through here, or has it soon; else where is written.
    pub(super) fn read<T>(
        &self,
        projects: &[i64],
        mut work: impl FnMut(&Connection) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if let Some(replica) = self.reads.as_ref().filter(|replica| replica.is_there()) {
            let wanted: Vec<(i64, i64)> = {
                let written = self.written();
                projects
                    .iter()
                    .map(|project| (*project, written.get(project).copied().unwrap_or(0)))
                    .collect()
            };
            let read = replica.pool.once(|connection| {
                if replica.has(connection, &wanted)? { work(connection).map(Some) } else { Ok(None) }
            });
            match read {
                Ok(Some(read)) => return Ok(read),
                Ok(None) => tracing::debug!("the replica is behind: the primary is read"),
                // Whatever it is, the primary can tell.
                Err(Error::Postgres(error)) => {
                    tracing::warn!(%error, "the replica cannot be read: the primary is");
                    replica.rest();
                }
                Err(error) => return Err(error),
            }
        }
        self.writes.with(work)
    }

    /// Takes note of a batch that was committed.
    pub(super) fn wrote(&self, project: i64, batch: i64) {
        let mut written = self.written();
        let last = written.entry(project).or_default();
        *last = batch.max(*last);
    }

    /// Takes note of chunks that were written; true when the planner's statistics have to be made again, which the server
    /// does by itself only after a minute: of a project that they do not know it expects a row or two, and reads the whole of
    /// it for each question.
    pub(super) fn has_outgrown_statistics(&self, project: i64, chunks: usize) -> bool {
        let mut growth = self.growth.lock().unwrap_or_else(PoisonError::into_inner);
        let growth = growth.entry(project).or_default();
        growth.after += chunks;
        let is_due = growth.after >= UNKNOWN.max(growth.before / 2);
        if is_due {
            growth.before += std::mem::take(&mut growth.after);
        }
        is_due
    }

    fn written(&self) -> MutexGuard<'_, HashMap<i64, i64>> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Replica {
    fn is_there(&self) -> bool {
        let away = *self.away_until.lock().unwrap_or_else(PoisonError::into_inner);
        away.is_none_or(|until| Instant::now() >= until)
    }

    fn rest(&self) {
        *self.away_until.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now() + REST);
    }

    fn has(&self, connection: &Connection, wanted: &[(i64, i64)]) -> Result<bool, PostgresError> {
        let deadline = Instant::now() + self.lag;
        for (project, batch) in wanted {
            loop {
                let row = connection.query_one(REACHED, &[project, batch])?;
                if row.map_or(Ok(false), |row| get(&row, 0))? {
                    break;
                }
                if Instant::now() >= deadline {
                    return Ok(false);
                }
                thread::sleep(POLL);
            }
        }
        Ok(true)
    }
}
