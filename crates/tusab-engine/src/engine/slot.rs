//! A project that is opened once, however many ask for it at the same time.

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use crate::Error;
use crate::project::Inner;

/// Longest wait for another thread before the request to stop is looked at again.
const GLANCE: Duration = Duration::from_millis(50);

/// Where an open project is, or will be.
///
/// A thread opens it, not a future: whoever waits for it waits for no task, which a handler could keep from going on.
#[derive(Default)]
pub(super) struct Slot {
    opened: OnceLock<Arc<Inner>>,
    is_opening: Mutex<bool>,
    ended: Condvar,
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slot").field("is_open", &self.opened.get().is_some()).finish_non_exhaustive()
    }
}

impl Slot {
    pub(super) fn get(&self) -> Option<&Arc<Inner>> {
        self.opened.get()
    }

    /// The project, opened by `open` if nobody has; what `open` gives beside it, if it was. No lock is held while `open`
    /// runs; other threads wait for its end, or until `stop`.
    pub(super) fn get_or_open<T>(
        &self,
        stop: &dyn Fn() -> bool,
        open: impl FnOnce() -> Result<(Inner, T), Error>,
    ) -> Result<(Arc<Inner>, Option<T>), Error> {
        let turn = self.take_turn(stop)?;
        if let Some(inner) = self.opened.get() {
            return Ok((Arc::clone(inner), None));
        }
        let (inner, beside) = open()?;
        let inner = Arc::clone(self.opened.get_or_init(|| Arc::new(inner)));
        drop(turn);
        Ok((inner, Some(beside)))
    }

    fn take_turn(&self, stop: &dyn Fn() -> bool) -> Result<Turn<'_>, Error> {
        let mut is_opening = self.lock();
        while *is_opening {
            drop(is_opening);
            if stop() {
                return Err(Error::Cancelled);
            }
            is_opening = self.lock();
            if *is_opening {
                let waited = self.ended.wait_timeout(is_opening, GLANCE);
                is_opening = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
        *is_opening = true;
        Ok(Turn(self))
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.is_opening.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends a thread's turn however it ends.
struct Turn<'s>(&'s Slot);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.lock() = false;
        self.0.ended.notify_one();
    }
}
