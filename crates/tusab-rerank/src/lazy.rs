//! A part that is opened on first use, whose failure is remembered, and that can be given back.

use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::{Error, lock};

/// When opening is tried again after it failed: after 5 s, then after twice the wait each time, at most 5 minutes.
const FIRST_WAIT: Duration = Duration::from_secs(5);
const LONGEST_WAIT: Duration = Duration::from_mins(5);

pub(crate) struct Lazy<T> {
    inner: Arc<Inner<T>>,
    open: Box<dyn Fn() -> Result<T, Error> + Send + Sync>,
    model: String,
    idle: Option<Duration>,
}

struct Inner<T> {
    state: Mutex<State<T>>,
    /// Told at each change, for those who wait for an opening and for the thread that waits for idleness.
    changed: Condvar,
}

enum State<T> {
    Closed,
    /// Somebody is opening it, without holding the lock: what opens may log, and a subscriber may ask for the part.
    Opening,
    Open {
        part: Arc<T>,
        used: Instant,
    },
    Failed {
        error: Arc<Error>,
        at: Instant,
        wait: Duration,
    },
}

impl<T> Inner<T> {
    fn set(&self, state: State<T>) {
        *lock(&self.state) = state;
        self.changed.notify_all();
    }
}

impl<T> std::fmt::Debug for Lazy<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lazy")
            .field("model", &self.model)
            .field("open", &self.peek().is_some())
            .finish_non_exhaustive()
    }
}

impl<T: Send + Sync + 'static> Lazy<T> {
    /// Closed; `idle` is the time without use after which it closes by itself.
    pub(crate) fn new(
        model: String,
        idle: Option<Duration>,
        open: impl Fn() -> Result<T, Error> + Send + Sync + 'static,
    ) -> Self {
        let inner = Inner { state: Mutex::new(State::Closed), changed: Condvar::new() };
        Self { inner: Arc::new(inner), open: Box::new(open), model, idle }
    }

    /// The part, opened if it is not open. Others who ask meanwhile wait for the same opening.
    pub(crate) fn get(&self) -> Result<Arc<T>, Error> {
        self.get_at(Instant::now())
    }

    fn get_at(&self, now: Instant) -> Result<Arc<T>, Error> {
        let mut state = lock(&self.inner.state);
        let wait = loop {
            match &mut *state {
                State::Open { part, used } => {
                    *used = now;
                    return Ok(Arc::clone(part));
                }
                State::Opening => {
                    state = self.inner.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                State::Closed => break FIRST_WAIT,
                State::Failed { error, at, wait } => {
                    let retry_in = wait.saturating_sub(now.saturating_duration_since(*at));
                    if !retry_in.is_zero() {
                        let (model, source) = (self.model.clone(), Arc::clone(error));
                        return Err(Error::Unavailable { model, retry_in, source });
                    }
                    break wait.saturating_mul(2).min(LONGEST_WAIT);
                }
            }
        };
        *state = State::Opening;
        drop(state);
        let opening = Opening(&self.inner);
        let opened = (self.open)();
        std::mem::forget(opening);
        match opened {
            Ok(part) => {
                let part = Arc::new(part);
                self.inner.set(State::Open { part: Arc::clone(&part), used: now });
                self.watch();
                Ok(part)
            }
            Err(error) => {
                let source = Arc::new(error);
                self.inner.set(State::Failed { error: Arc::clone(&source), at: now, wait });
                tracing::warn!(model = self.model, error = %source, "a model cannot be opened");
                Err(Error::Unavailable { model: self.model.clone(), retry_in: wait, source })
            }
        }
    }

    /// Closes the part after it was idle. Without a thread to be had it stays open until [`Lazy::close`].
    fn watch(&self) {
        let Some(idle) = self.idle else { return };
        let inner = Arc::downgrade(&self.inner);
        let thread = std::thread::Builder::new().name("tusab-rerank-idle".to_owned());
        if let Err(error) = thread.spawn(move || close_when_idle(&inner, idle)) {
            tracing::warn!(%error, "no thread to close an idle model");
        }
    }
}

impl<T> Lazy<T> {
    /// The part if it is open.
    pub(crate) fn peek(&self) -> Option<Arc<T>> {
        match &*lock(&self.inner.state) {
            State::Open { part, .. } => Some(Arc::clone(part)),
            _ => None,
        }
    }

    /// Gives the part back and forgets a failure; those who are using it finish first.
    pub(crate) fn close(&self) {
        self.inner.set(State::Closed);
    }
}

impl<T> Drop for Lazy<T> {
    fn drop(&mut self) {
        self.close();
    }
}

/// Closes what a panic left half open, so that those who wait do not wait forever.
struct Opening<'i, T>(&'i Inner<T>);

impl<T> Drop for Opening<'_, T> {
    fn drop(&mut self) {
        self.0.set(State::Closed);
    }
}

fn close_when_idle<T>(inner: &Weak<Inner<T>>, idle: Duration) {
    let Some(inner) = inner.upgrade() else { return };
    let mut state = lock(&inner.state);
    while let State::Open { part, used } = &*state {
        let busy = Arc::strong_count(part) > 1;
        let left = if busy { idle } else { idle.saturating_sub(used.elapsed()) };
        if left.is_zero() {
            *state = State::Closed;
            tracing::debug!("closed an idle model");
            return;
        }
        state = inner.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn failing(times: usize) -> (Lazy<u8>, Arc<AtomicUsize>) {
        let tries = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&tries);
        let open = move || {
            if counted.fetch_add(1, Ordering::SeqCst) < times { Err(Error::Stopped) } else { Ok(7) }
        };
        (Lazy::new("m".to_owned(), None, open), tries)
    }

    #[test]
    fn nothing_is_opened_before_it_is_used_and_then_once() {
        let (lazy, tries) = failing(0);
        assert!(lazy.peek().is_none());
        assert_eq!(tries.load(Ordering::SeqCst), 0);
        assert_eq!((*lazy.get().unwrap(), *lazy.get().unwrap()), (7, 7));
        assert_eq!(tries.load(Ordering::SeqCst), 1);
        lazy.close();
        assert!(lazy.peek().is_none());
        assert_eq!(*lazy.get().unwrap(), 7);
    }

    #[test]
    fn a_failure_is_remembered_and_tried_again_on_a_growing_schedule() {
        let (lazy, tries) = failing(2);
        let start = Instant::now();
        let at = |seconds: u64| lazy.get_at(start + Duration::from_secs(seconds));
        for (second, tried) in [(0, 1), (1, 1), (4, 1), (5, 2), (14, 2)] {
            let Err(Error::Unavailable { retry_in, .. }) = at(second) else { panic!("opened at {second} s") };
            assert!(retry_in <= FIRST_WAIT * 2 && !retry_in.is_zero());
            assert_eq!(tries.load(Ordering::SeqCst), tried, "at {second} s");
        }
        assert_eq!(*at(15).unwrap(), 7);
    }

    #[test]
    fn closing_forgets_a_failure() {
        let (lazy, tries) = failing(1);
        assert!(lazy.get().is_err());
        lazy.close();
        assert!(lazy.get().is_ok());
        assert_eq!(tries.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn an_idle_part_is_closed_by_itself() {
        let lazy = Lazy::new("m".to_owned(), Some(Duration::from_millis(5)), || Ok(()));
        let part = lazy.get().unwrap();
        let weak = Arc::downgrade(&part);
        drop(part);
        // Ends when the part is gone; the test runner's own limit stands against a part that stays.
        while weak.strong_count() > 0 {
            std::thread::yield_now();
        }
        assert!(lazy.peek().is_none());
        assert!(lazy.get().is_ok());
    }
}
