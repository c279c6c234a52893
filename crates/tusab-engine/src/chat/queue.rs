//! The questions of one session, one after the other.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::task::unconstrained;

/// Who comes first is first.
#[derive(Debug, Clone, Default)]
pub(super) struct Queue(Arc<Mutex<()>>);

/// A place in a [`Queue`]; given up when it is dropped.
pub(super) struct Place(State);

enum State {
    Waiting(Pin<Box<dyn Future<Output = Turn> + Send>>),
    First(Turn),
}

/// Being first; the next one is when this is dropped.
pub(super) type Turn = OwnedMutexGuard<()>;

impl Queue {
    /// Takes a place behind all that were taken before.
    pub(super) fn place(&self) -> Place {
        let mut wait = Box::pin(unconstrained(Arc::clone(&self.0).lock_owned()));
        // The lock is fair from its first poll on, so that happens here and not when a task comes to it.
        match wait.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(turn) => Place(State::First(turn)),
            Poll::Pending => Place(State::Waiting(wait)),
        }
    }
}

impl Place {
    /// Waits to be first.
    pub(super) async fn turn(self) -> Turn {
        match self.0 {
            State::First(turn) => turn,
            State::Waiting(wait) => wait.await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn turns_are_had_in_the_order_of_the_places() {
        let queue = Queue::default();
        let order = Arc::new(std::sync::Mutex::new(Vec::new()));
        let places: Vec<Place> = (0..20).map(|_| queue.place()).collect();
        let mut tasks = Vec::new();
        // The last place is polled first.
        for (number, place) in places.into_iter().enumerate().rev() {
            let order = Arc::clone(&order);
            tasks.push(tokio::spawn(async move {
                let _turn = place.turn().await;
                tokio::task::yield_now().await;
                order.lock().unwrap().push(number);
            }));
        }
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(*order.lock().unwrap(), (0..20).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn a_place_that_is_given_up_holds_nobody_up() {
        let queue = Queue::default();
        let (first, second, third) = (queue.place(), queue.place(), queue.place());
        drop(second);
        drop(first.turn().await);
        drop(third.turn().await);
    }
}
