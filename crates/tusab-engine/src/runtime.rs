//! Where work is done: away from the async threads.

use tokio::runtime::Handle;
use tokio::sync::mpsc;

use crate::event::Handler;
use crate::{Cancel, Error, Event};

/// Runs work that waits for the disk or the processor, away from the async threads.
pub(crate) async fn blocking<T: Send + 'static>(
    what: &'static str,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let runtime = Handle::try_current().map_err(|_| Error::NoRuntime)?;
    // A child of the caller's span, also on another thread.
    let span = tracing::debug_span!("stage", what);
    runtime.spawn_blocking(move || span.in_scope(work)).await.unwrap_or(Err(Error::Internal { what }))
}

/// Does long work on a blocking thread, and passes on what it tells. Dropping the future asks it to stop.
pub(crate) async fn work<T: Send + 'static>(
    handler: &Handler,
    cancel: &Cancel,
    what: &'static str,
    work: impl FnOnce(&dyn Fn() -> bool, &dyn Fn(Event)) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    // Unbounded, so that the thread that holds the locks never waits for the handler.
    let (events, mut told) = mpsc::unbounded_channel();
    let gone = Cancel::new();
    let (cancel, _guard) = (cancel.clone(), gone.on_drop());
    let runtime = Handle::try_current().map_err(|_| Error::NoRuntime)?;
    let span = tracing::debug_span!("stage", what);
    let work = runtime.spawn_blocking(move || {
        let _entered = span.entered();
        work(&|| cancel.is_cancelled() || gone.is_cancelled(), &|event| {
            // Without a listener there is nobody to tell.
            let _ = events.send(event);
        })
    });
    // Ends when the thread has dropped its end, which is when it is done.
    while let Some(event) = told.recv().await {
        handler.tell(&event);
    }
    work.await.unwrap_or(Err(Error::Internal { what }))
}
