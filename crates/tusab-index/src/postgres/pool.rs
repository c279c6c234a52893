//! The connections, and the thread that drives them.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio_postgres::config::SslMode;
use tokio_postgres::{Client, Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::connection::Connection;
use super::error::PostgresError;
use super::options::PostgresOptions;
use super::schema;
use super::wait::wait;
use crate::Error;

/// Longest wait for the server to let a connection in.
const CONNECTING: Duration = Duration::from_secs(10);

/// Pause before a request is sent again; it doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

pub(super) struct Pool {
    config: Config,
    tls: Option<MakeRustlsConnect>,
    options: PostgresOptions,
    driver: Handle,
    /// Ends the thread that drives the connections when it is dropped.
    _stop: oneshot::Sender<()>,
    state: Mutex<State>,
    returned: Condvar,
}

#[derive(Debug, Default)]
struct State {
    idle: Vec<Connection>,
    /// Connections that are there, idle or in use.
    open: usize,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Pool {
    pub(super) fn new(options: PostgresOptions) -> Result<Self, PostgresError> {
        let config = config(&options)?;
        let tls = if config.get_ssl_mode() == SslMode::Disable { None } else { Some(tls()?) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(setup)?;
        let driver = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        // A thread of our own: a runtime may not be dropped on one that belongs to another.
        thread::Builder::new()
            .name("tusab-postgres".to_owned())
            .spawn(move || runtime.block_on(async { drop(stopped.await) }))
            .map_err(setup)?;
        Ok(Self {
            config,
            tls,
            options,
            driver,
            _stop: stop,
            state: Mutex::default(),
            returned: Condvar::new(),
        })
    }

    /// Runs `work` on a connection; again on another one when the server was away for a moment or two transactions
    /// collided. What is done twice must be as if it were done once.
    pub(super) fn with<T>(&self, mut work: impl FnMut(&Connection) -> Result<T, Error>) -> Result<T, Error> {
        let deadline = Instant::now() + self.options.patience;
        let mut pause = FIRST_PAUSE;
        loop {
            let error = match self.lease(deadline) {
                Ok(lease) => match work(lease.connection()?) {
                    Err(Error::Postgres(error)) => error,
                    done => return done,
                },
                Err(error) => error,
            };
            if !error.is_passing() || Instant::now() + pause >= deadline {
                return Err(error.into());
            }
            tracing::debug!(%error, "a request is sent to PostgreSQL again");
            thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Runs `work` on a connection once: who asks has another server to ask.
    pub(super) fn once<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Error>) -> Result<T, Error> {
        let lease = self.lease(Instant::now() + self.options.patience)?;
        work(lease.connection()?)
    }

    fn lease(&self, deadline: Instant) -> Result<Lease<'_>, PostgresError> {
        let most = self.options.connections.max(1);
        let mut state = self.lock();
        loop {
            while let Some(connection) = state.idle.pop() {
                if connection.is_usable() {
                    return Ok(Lease { pool: self, connection: Some(connection) });
                }
                state.open = state.open.saturating_sub(1);
            }
            if state.open < most {
                break;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(PostgresError::Busy { connections: most, waited: self.options.patience });
            }
            state = self.returned.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.open += 1;
        drop(state);
        // From here on dropping the lease counts the connection out again.
        let mut lease = Lease { pool: self, connection: None };
        let connection = Connection::new(self.connect()?, self.options.statement_timeout);
        // Whatever happened to the server since the last one.
        connection.ready_for(schema::prepare(&connection, self.options.built_in_search)?);
        lease.connection = Some(connection);
        Ok(lease)
    }

    fn connect(&self) -> Result<Client, PostgresError> {
        let (config, tls) = (self.config.clone(), self.tls.clone());
        let connecting = self.driver.spawn(async move {
            if let Some(tls) = tls {
                let (client, connection) = config.connect(tls).await?;
                tokio::spawn(connection);
                Ok(client)
            } else {
                let (client, connection) = config.connect(NoTls).await?;
                tokio::spawn(connection);
                Ok::<_, tokio_postgres::Error>(client)
            }
        });
        match wait(connecting, Instant::now() + CONNECTING) {
            Some(Ok(connected)) => {
                connected.map_err(|source| PostgresError::Connect { source: source.into() })
            }
            Some(Err(stopped)) => Err(PostgresError::Setup { source: stopped.into() }),
            None => Err(PostgresError::TimedOut { doing: "let a connection in", after: CONNECTING }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that is in use by one thread.
#[derive(Debug)]
struct Lease<'p> {
    pool: &'p Pool,
    connection: Option<Connection>,
}

impl Lease<'_> {
    fn connection(&self) -> Result<&Connection, PostgresError> {
        // There until the lease is dropped.
        self.connection.as_ref().ok_or(PostgresError::TimedOut { doing: "connect", after: Duration::ZERO })
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let mut state = self.pool.lock();
        match self.connection.take().filter(Connection::is_usable) {
            Some(connection) => state.idle.push(connection),
            None => state.open = state.open.saturating_sub(1),
        }
        drop(state);
        self.pool.returned.notify_one();
    }
}

fn config(options: &PostgresOptions) -> Result<Config, PostgresError> {
    let mut config: Config = options
        .address
        .parse()
        .map_err(|source: tokio_postgres::Error| PostgresError::Address { source: source.into() })?;
    let given = config.get_options().unwrap_or_default();
    // A plan that fits any query is not one for the index: it is told which query before it is planned. And a search is over
    // before helpers for it are started, which takes some 5 ms.
    let ours = format!(
        "-c search_path=tusab,public -c plan_cache_mode=force_custom_plan -c max_parallel_workers_per_gather=0 \
         -c statement_timeout={} {given}",
        options.statement_timeout.as_millis()
    );
    config.options(ours);
    if config.get_application_name().is_none() {
        config.application_name("tusab");
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECTING);
    }
    Ok(config)
}

/// TLS with the system's own rules of trust.
fn tls() -> Result<MakeRustlsConnect, PostgresError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = rustls_platform_verifier::Verifier::new(Arc::clone(&provider)).map_err(setup)?;
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(setup)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

fn setup(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> PostgresError {
    PostgresError::Setup { source: source.into() }
}
