use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the app is offline, shared by whoever decides and whoever would call. Clones are the same decision, which may
/// change at any time.
///
/// While it holds, no language model is asked that is not on this machine, which stands in the result, and YouTube is asked
/// nothing ([`Error::Offline`](crate::Error::Offline)). What the app gives the engine to embed with is the app's own to choose.
///
/// ```
/// let offline = tusab_engine::Offline::new(true);
/// let switch = offline.clone();
/// switch.set(false);
/// assert!(!offline.is_on());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Offline(Arc<AtomicBool>);

impl Offline {
    /// A decision that can be changed later.
    #[must_use]
    pub fn new(on: bool) -> Self {
        Self(Arc::new(AtomicBool::new(on)))
    }

    /// Goes offline, or online again. What is under way is not cut off.
    pub fn set(&self, on: bool) {
        self.0.store(on, Ordering::Release);
    }

    /// True while nothing may leave this machine.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
