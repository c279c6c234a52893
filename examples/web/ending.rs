//! How the program ends: asked to by Ctrl-C or the system, at once for who waits, and soon in any case.

use std::time::Duration;

use tokio::sync::watch;
use tusab_engine::Cancel;

/// How long open connections are waited for.
const PATIENCE: Duration = Duration::from_secs(3);

/// Whether the program was asked to end. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Ending {
    asked: watch::Receiver<bool>,
    cancel: Cancel,
}

impl Ending {
    /// Listens for the signals from now on.
    pub(crate) fn new() -> Self {
        let (sender, asked) = watch::channel(false);
        let cancel = Cancel::new();
        let stop = cancel.clone();
        tokio::spawn(async move {
            signal().await;
            stop.cancel();
            // Without anybody who listens there is nothing left to end.
            let _ = sender.send(true);
        });
        Self { asked, cancel }
    }

    /// Cancelled once the program was asked to end.
    pub(crate) fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Waits until the program is asked to end.
    pub(crate) fn asked(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut asked = self.asked.clone();
        // The sender goes when it has told.
        async move {
            let _ = asked.wait_for(|asked| *asked).await;
        }
    }

    /// Waits until open connections have had their time to end.
    pub(crate) async fn patience_over(&self) {
        self.asked().await;
        tokio::time::sleep(PATIENCE).await;
    }
}

async fn signal() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupted => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    let _ = interrupted.await;
}
