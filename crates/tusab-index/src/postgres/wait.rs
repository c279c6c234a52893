//! Waiting for an answer on a thread that may belong to anybody.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Instant;

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// What a future gives; `None` when it has not by then.
///
/// A runtime's own way of blocking panics on a thread that belongs to a runtime, and so may not be called here: the
/// connections are driven by a thread of their own, and this one only waits.
pub(super) fn wait<F: Future>(future: F, deadline: Instant) -> Option<F::Output> {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Some(output);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return None;
        }
        thread::park_timeout(left);
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_comes_too_late_is_none() {
        let now = Instant::now();
        assert_eq!(wait(ready(1), now), Some(1));
        assert_eq!(wait(pending::<()>(), now + Duration::from_millis(1)), None);
    }
}
