use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to hold on, shared by whoever asks and whoever works, and taken back at will. Clones are the same request.
///
/// What is under way is finished; nothing new is begun until [`Pause::resume`].
///
/// ```
/// let pause = tusab_engine::Pause::new();
/// let button = pause.clone();
/// button.pause();
/// assert!(pause.is_paused());
/// button.resume();
/// assert!(!pause.is_paused());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Pause(Arc<AtomicBool>);

impl Pause {
    /// A request not yet made.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks to hold on.
    pub fn pause(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Takes the request back.
    pub fn resume(&self) {
        self.0.store(false, Ordering::Release);
    }

    /// True while somebody asks to hold on.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
