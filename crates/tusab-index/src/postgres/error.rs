use std::error::Error as StdError;
use std::time::Duration;

use tokio_postgres::error::SqlState;

type Source = Box<dyn StdError + Send + Sync>;

/// Why PostgreSQL could not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PostgresError {
    /// The address cannot be read.
    #[error(
        "the address of the server cannot be read: write it as postgresql://user:password@host:5432/database"
    )]
    Address {
        /// Why; it does not repeat the address, which may hold a password.
        #[source]
        source: Source,
    },
    /// The thread that drives connections, or the rules of trust for TLS, could not be set up.
    #[error("connections to PostgreSQL cannot be set up on this system")]
    Setup {
        /// The system's reason.
        #[source]
        source: Source,
    },
    /// The server does not answer, or does not let us in.
    #[error("cannot connect to PostgreSQL: check that it runs, its address, the user and the password")]
    Connect {
        /// The server's or the system's reason.
        #[source]
        source: Source,
    },
    /// The server lacks extensions that the store is made of.
    #[error(
        "the database lacks {}: install them on the server, add pg_search to shared_preload_libraries, and run CREATE EXTENSION as a role that may",
        names.join(" and ")
    )]
    MissingExtensions {
        /// Their names.
        names: Vec<String>,
        /// The server's reason, where it has the files and still could not create one.
        #[source]
        source: Option<Source>,
    },
    /// The tables were made for a server without the extensions, and its own search was not allowed.
    #[error(
        "the tables are for PostgreSQL's own full text search: allow it with PostgresOptions::with_built_in_search, or take a database with pg_search and pgvector"
    )]
    BuiltInTables,
    /// The tables were made by a later version.
    #[error("the tables have version {found}, this version knows up to {supported}: update tusab")]
    NewerTables {
        /// Their version.
        found: u32,
        /// The newest that this version knows.
        supported: u32,
    },
    /// All connections were in use for as long as a caller waits.
    #[error("all {connections} connections were in use for {} ms: allow more, or try again later", waited.as_millis())]
    Busy {
        /// Connections that the options allow.
        connections: usize,
        /// How long was waited.
        waited: Duration,
    },
    /// The server did not answer in time. What was asked may still have been done.
    #[error("PostgreSQL did not answer within {} ms while asked to {doing}: try again", after.as_millis())]
    TimedOut {
        /// What was asked, as a verb.
        doing: &'static str,
        /// How long was waited.
        after: Duration,
    },
    /// The server refused a request, or the connection was lost.
    #[error("PostgreSQL could not {doing}")]
    Request {
        /// What was asked, as a verb.
        doing: &'static str,
        /// The server's or the system's reason.
        #[source]
        source: Source,
    },
    /// A project with that name cannot be.
    #[error("{name:?} cannot name a project: use 1 to 200 characters, none of them a NUL")]
    ProjectName {
        /// The name.
        name: String,
    },
    /// The project was removed while it was in use.
    #[error("project {name:?} was removed: open it again, which makes an empty one")]
    ProjectRemoved {
        /// Its name.
        name: String,
    },
}

impl PostgresError {
    /// True when trying again later can succeed: the server was away, busy or slow, or two transactions collided.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Busy { .. } | Self::TimedOut { .. } => true,
            Self::Connect { source } => code(source).is_none_or(|code| {
                *code == SqlState::TOO_MANY_CONNECTIONS || *code == SqlState::CANNOT_CONNECT_NOW
            }),
            Self::Request { .. } => self.is_passing() || self.is_statement_timeout(),
            _ => false,
        }
    }

    /// True when the server ended a request because it took longer than allowed.
    #[must_use]
    pub fn is_statement_timeout(&self) -> bool {
        matches!(self, Self::Request { source, .. } if code(source) == Some(&SqlState::QUERY_CANCELED))
    }

    /// True when the server's disk is full: nothing of the request was done, and it can be sent again once there is room.
    #[must_use]
    pub fn is_disk_full(&self) -> bool {
        matches!(self, Self::Request { source, .. } if code(source) == Some(&SqlState::DISK_FULL))
    }

    /// True when the same request can be sent again at once, on another connection.
    pub(super) fn is_passing(&self) -> bool {
        match self {
            Self::Connect { .. } => self.is_retryable(),
            Self::Request { source, .. } => match code(source) {
                Some(code) => [
                    SqlState::T_R_SERIALIZATION_FAILURE,
                    SqlState::T_R_DEADLOCK_DETECTED,
                    SqlState::ADMIN_SHUTDOWN,
                    SqlState::CRASH_SHUTDOWN,
                    SqlState::CANNOT_CONNECT_NOW,
                ]
                .contains(code),
                // Without a word of the server the connection was lost, unless it is what was read that is wrong.
                None => source.downcast_ref::<tokio_postgres::Error>().is_some_and(is_lost),
            },
            _ => false,
        }
    }

    pub(super) fn request(doing: &'static str) -> impl Fn(tokio_postgres::Error) -> Self {
        move |source| Self::Request { doing, source: source.into() }
    }
}

fn code(source: &Source) -> Option<&SqlState> {
    source.downcast_ref::<tokio_postgres::Error>()?.code()
}

fn is_lost(error: &tokio_postgres::Error) -> bool {
    error.is_closed() || StdError::source(error).is_some_and(<dyn StdError>::is::<std::io::Error>)
}
