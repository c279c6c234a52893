use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to stop, shared by whoever asks and whoever works. Clones are the same request.
///
/// What was finished before it took effect stays finished.
///
/// ```
/// let cancel = tusab_engine::Cancel::new();
/// let button = cancel.clone();
/// button.cancel();
/// assert!(cancel.is_cancelled());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A request not yet made.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks to stop; cannot be taken back.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// True once somebody asked.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Asks to stop when what this gives is dropped: with the future whose work it is.
    pub(crate) fn on_drop(&self) -> CancelOnDrop {
        CancelOnDrop(self.clone())
    }
}

/// Asks to stop when it is dropped.
#[must_use]
pub(crate) struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
