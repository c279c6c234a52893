use std::time::Duration;

/// How a server is reached and how long is waited for it.
///
/// ```
/// use tusab_index::PostgresOptions;
/// let options = PostgresOptions::new("postgresql://tusab@db.example/team?sslmode=require").with_connections(16);
/// assert_eq!(options.connections, 16);
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct PostgresOptions {
    /// The address, as libpq reads it: `postgresql://user:password@host:port/database?sslmode=require`, or
    /// `host=… user=…`.
    pub address: String,
    /// Largest number of connections; 8 by default, and one at least.
    pub connections: usize,
    /// Longest time that a request may take on the server; 60 s by default.
    pub statement_timeout: Duration,
    /// How long is waited for a free connection, and for a server that is being started again; 5 s by default.
    pub patience: Duration,
    /// Whether PostgreSQL's own full text search serves where the server lacks `pg_search` or `pgvector`; false by default.
    /// It finds what holds a word or a phrase as surely, ranks differently, and reads every vector of a project.
    pub built_in_search: bool,
    /// The address of a replica that searches and reads of documents go to; none by default. While it cannot be reached they
    /// go to the primary.
    pub reads: Option<String>,
    /// How long a read waits for the replica to have what was written through this handle, before it goes to the primary;
    /// 50 ms by default.
    pub lag: Duration,
}

impl PostgresOptions {
    /// Options with the defaults above.
    pub fn new(address: impl Into<String>) -> Self {
        Self {
            address: address.into(),
            connections: 8,
            statement_timeout: Duration::from_mins(1),
            patience: Duration::from_secs(5),
            built_in_search: false,
            reads: None,
            lag: Duration::from_millis(50),
        }
    }

    /// Sets the largest number of connections.
    #[must_use]
    pub fn with_connections(mut self, connections: usize) -> Self {
        self.connections = connections;
        self
    }

    /// Sets the longest time that a request may take on the server.
    #[must_use]
    pub fn with_statement_timeout(mut self, timeout: Duration) -> Self {
        self.statement_timeout = timeout;
        self
    }

    /// Sets how long is waited for a free connection, and for a server that is being started again.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Lets PostgreSQL's own full text search serve where the server lacks the extensions.
    #[must_use]
    pub fn with_built_in_search(mut self) -> Self {
        self.built_in_search = true;
        self
    }

    /// Sets the address of a replica to read from.
    #[must_use]
    pub fn with_reads(mut self, address: impl Into<String>) -> Self {
        self.reads = Some(address.into());
        self
    }

    /// Sets how long a read waits for the replica to have what was written.
    #[must_use]
    pub fn with_lag(mut self, lag: Duration) -> Self {
        self.lag = lag;
        self
    }
}

/// Without the address, which may hold a password.
impl std::fmt::Debug for PostgresOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresOptions").field("connections", &self.connections).finish_non_exhaustive()
    }
}
