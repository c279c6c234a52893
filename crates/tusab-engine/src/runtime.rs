//! Where work is done: away from the async threads.

use tokio::runtime::Handle;

use crate::Error;

/// Runs work that waits for the disk or the processor, away from the async threads.
pub(crate) async fn blocking<T: Send + 'static>(
    what: &'static str,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let runtime = Handle::try_current().map_err(|_| Error::NoRuntime)?;
    runtime.spawn_blocking(work).await.unwrap_or(Err(Error::Internal { what }))
}
