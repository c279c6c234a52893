//! How far a long piece of work with bytes is, told about a hundred times.

use crate::Error;

/// Counts bytes, tells how many are done, and asks whether to stop.
pub(super) struct Meter<'a> {
    total: u64,
    done: u64,
    told: u64,
    tell: &'a dyn Fn(u64, u64),
    stop: &'a dyn Fn() -> bool,
}

impl<'a> Meter<'a> {
    pub(super) fn new(total: u64, tell: &'a dyn Fn(u64, u64), stop: &'a dyn Fn() -> bool) -> Self {
        tell(0, total);
        Self { total, done: 0, told: 0, tell, stop }
    }

    /// Counts bytes that are done.
    ///
    /// # Errors
    /// [`Error::Cancelled`] when the caller asked to stop.
    pub(super) fn add(&mut self, bytes: usize) -> Result<(), Error> {
        if (self.stop)() {
            return Err(Error::Cancelled);
        }
        self.done += bytes as u64;
        // Equal steps, and the end.
        if self.done - self.told >= (self.total / 100).max(1) || self.done == self.total {
            self.told = self.done;
            (self.tell)(self.done, self.total);
        }
        Ok(())
    }
}
