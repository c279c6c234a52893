//! One connection, asked by a thread that waits for the answer.

use std::collections::HashMap;
use std::future::Future;
use std::io::Cursor;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use futures_util::SinkExt;
use futures_util::future::try_join_all;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};

use super::TextSearch;
use super::error::PostgresError;
use super::wait::wait;

/// A request that is prepared once on each connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sql {
    /// What it does, as a verb, for errors.
    pub(super) doing: &'static str,
    pub(super) text: &'static str,
}

/// What is bound to a request.
pub(super) type Params<'p> = &'p [&'p (dyn ToSql + Sync)];

/// The server is given so much longer than its own limit: its word for what was slow says more than ours.
const GRACE: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(super) struct Connection {
    client: Client,
    statements: Mutex<HashMap<&'static str, Statement>>,
    timeout: Duration,
    /// Which search the tables are for, once that is known.
    search: OnceLock<TextSearch>,
    /// Something is left undone on it, such as a transaction: it is not used again.
    is_spoiled: AtomicBool,
}

impl Connection {
    pub(super) fn new(client: Client, statement_timeout: Duration) -> Self {
        let timeout = statement_timeout + GRACE;
        Self {
            client,
            statements: Mutex::default(),
            timeout,
            search: OnceLock::new(),
            is_spoiled: AtomicBool::new(false),
        }
    }

    /// Makes it ready for tables of that kind.
    pub(super) fn ready_for(&self, search: TextSearch) {
        self.search.get_or_init(|| search);
    }

    /// Which search the tables are for.
    pub(super) fn text_search(&self) -> TextSearch {
        self.search.get().copied().unwrap_or_default()
    }

    pub(super) fn is_usable(&self) -> bool {
        !self.client.is_closed() && !self.is_spoiled.load(Ordering::Relaxed)
    }

    pub(super) fn query(&self, sql: Sql, params: Params<'_>) -> Result<Vec<Row>, PostgresError> {
        self.wait(sql.doing, async {
            let statement = self.statement(sql).await?;
            self.client.query(&statement, params).await
        })
    }

    pub(super) fn query_one(&self, sql: Sql, params: Params<'_>) -> Result<Option<Row>, PostgresError> {
        Ok(self.query(sql, params)?.into_iter().next())
    }

    /// Sends several requests without waiting between them; their answers, in their order.
    pub(super) fn query_all(&self, requests: &[(Sql, Params<'_>)]) -> Result<Vec<Vec<Row>>, PostgresError> {
        let doing = requests.first().map_or("ask nothing", |(sql, _)| sql.doing);
        self.wait(doing, async {
            for (sql, _) in requests {
                self.statement(*sql).await?;
            }
            try_join_all(requests.iter().map(|(sql, params)| async move {
                let statement = self.statement(*sql).await?;
                self.client.query(&statement, params).await
            }))
            .await
        })
    }

    pub(super) fn execute(&self, sql: Sql, params: Params<'_>) -> Result<u64, PostgresError> {
        self.wait(sql.doing, async {
            let statement = self.statement(sql).await?;
            self.client.execute(&statement, params).await
        })
    }

    /// A request whose text is made for the occasion, of numbers alone.
    pub(super) fn query_made(
        &self,
        doing: &'static str,
        text: &str,
        params: Params<'_>,
    ) -> Result<Vec<Row>, PostgresError> {
        self.wait(doing, self.client.query(text, params))
    }

    pub(super) fn run(&self, doing: &'static str, text: &str) -> Result<(), PostgresError> {
        self.wait(doing, self.client.batch_execute(text))
    }

    /// Writes rows by COPY.
    pub(super) fn copy(&self, sql: Sql, rows: Vec<Vec<u8>>) -> Result<(), PostgresError> {
        self.wait(sql.doing, async {
            let statement = self.statement(sql).await?;
            let mut sink = pin!(self.client.copy_in::<_, Cursor<Vec<u8>>>(&statement).await?);
            for piece in rows {
                sink.feed(Cursor::new(piece)).await?;
            }
            sink.finish().await.map(drop)
        })
    }

    /// Begins a transaction; dropped without a commit, it leaves nothing.
    pub(super) fn begin(&self, how: Begin) -> Result<Transaction<'_>, PostgresError> {
        self.is_spoiled.store(true, Ordering::Relaxed);
        self.run("begin a transaction", how.sql())?;
        Ok(Transaction { connection: self })
    }

    async fn statement(&self, sql: Sql) -> Result<Statement, tokio_postgres::Error> {
        let known = self.statements.lock().unwrap_or_else(PoisonError::into_inner).get(sql.text).cloned();
        if let Some(statement) = known {
            return Ok(statement);
        }
        let statement = self.client.prepare(sql.text).await?;
        self.statements.lock().unwrap_or_else(PoisonError::into_inner).insert(sql.text, statement.clone());
        Ok(statement)
    }

    fn wait<T>(
        &self,
        doing: &'static str,
        request: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, PostgresError> {
        let Some(answer) = wait(request, Instant::now() + self.timeout) else {
            self.is_spoiled.store(true, Ordering::Relaxed);
            return Err(PostgresError::TimedOut { doing, after: self.timeout });
        };
        answer.map_err(PostgresError::request(doing))
    }
}

/// How a transaction sees what others write meanwhile.
#[derive(Debug, Clone, Copy)]
pub(super) enum Begin {
    /// One unchanging state.
    Reading,
    /// What is committed, once it holds the locks on what it changes.
    Writing,
}

impl Begin {
    fn sql(self) -> &'static str {
        match self {
            Self::Reading => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            Self::Writing => "BEGIN ISOLATION LEVEL READ COMMITTED",
        }
    }
}

/// A transaction that has begun. A connection with one that was neither committed nor rolled back is not used again, and
/// the server takes it back as the connection closes.
#[derive(Debug)]
pub(super) struct Transaction<'c> {
    connection: &'c Connection,
}

impl std::ops::Deref for Transaction<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}

impl Transaction<'_> {
    pub(super) fn commit(self) -> Result<(), PostgresError> {
        self.end("commit", "COMMIT")
    }

    pub(super) fn roll_back(self) -> Result<(), PostgresError> {
        self.end("roll back", "ROLLBACK")
    }

    fn end(self, doing: &'static str, text: &str) -> Result<(), PostgresError> {
        self.connection.run(doing, text)?;
        self.connection.is_spoiled.store(false, Ordering::Relaxed);
        Ok(())
    }
}
