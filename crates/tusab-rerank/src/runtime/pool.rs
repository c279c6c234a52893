//! Copies of one model, lent to whoever runs it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::{Cause, Graph};
use crate::{Backend, lock};

type Load = Box<dyn Fn() -> Result<Box<dyn Graph>, Cause> + Send + Sync>;

/// At most `capacity` copies of a model. The first is made at once, so that a model that cannot be run is refused when
/// it is opened; the others when they are first needed.
pub(crate) struct Pool {
    pub(crate) backend: Backend,
    capacity: usize,
    load: Load,
    state: Mutex<State>,
    returned: Condvar,
}

struct State {
    idle: Vec<Box<dyn Graph>>,
    /// Copies that exist, idle or lent.
    made: usize,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool")
            .field("backend", &self.backend)
            .field("capacity", &self.capacity)
            .finish_non_exhaustive()
    }
}

impl Pool {
    pub(crate) fn new(backend: Backend, capacity: usize, load: Load) -> Result<Self, Cause> {
        let state = Mutex::new(State { idle: vec![load()?], made: 1 });
        Ok(Self { backend, capacity, load, state, returned: Condvar::new() })
    }

    /// Does jobs `0..jobs`, the first ones first, on as many copies as there are to be had, and gives what each gave;
    /// `None` for those not begun when `stop` first said yes. An error ends the whole.
    pub(crate) fn each<T: Send>(
        &self,
        jobs: usize,
        stop: &(dyn Fn() -> bool + Sync),
        work: impl Fn(usize, &mut dyn Graph) -> Result<T, Cause> + Sync,
    ) -> Result<Vec<Option<T>>, Cause> {
        let mut done: Vec<Option<T>> = Vec::new();
        done.resize_with(jobs, || None);
        if jobs == 0 {
            return Ok(done);
        }
        let done = Mutex::new(done);
        let next = AtomicUsize::new(0);
        let failed = AtomicBool::new(false);
        let run = |graph: &mut dyn Graph| -> Result<(), Cause> {
            while !failed.load(Ordering::Relaxed) && !stop() {
                let job = next.fetch_add(1, Ordering::Relaxed);
                if job >= jobs {
                    break;
                }
                let given = work(job, graph).inspect_err(|_| failed.store(true, Ordering::Relaxed))?;
                if let Some(place) = lock(&done).get_mut(job) {
                    *place = Some(given);
                }
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            // Helpers take what is free and never wait: only the caller's own copy is waited for.
            let helpers: Vec<_> = (1..self.capacity.min(jobs))
                .filter_map(|_| {
                    let helper = || match self.lend(Wait::No)? {
                        Some(mut lent) => run(lent.graph()?),
                        None => Ok(()),
                    };
                    std::thread::Builder::new()
                        .name("tusab-rerank".to_owned())
                        .spawn_scoped(scope, helper)
                        .ok()
                })
                .collect();
            let own = match self.lend(Wait::Yes) {
                Ok(Some(mut lent)) => lent.graph().and_then(&run),
                Ok(None) => Ok(()),
                Err(cause) => Err(cause),
            };
            let results = helpers.into_iter().map(|helper| {
                helper.join().unwrap_or_else(|_| Err("a thread that runs the model panicked".into()))
            });
            results.chain([own]).collect::<Result<Vec<()>, Cause>>()
        })?;
        Ok(done.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn lend(&self, wait: Wait) -> Result<Option<Lent<'_>>, Cause> {
        let mut state = lock(&self.state);
        loop {
            if let Some(graph) = state.idle.pop() {
                return Ok(Some(Lent { pool: self, graph: Some(graph) }));
            }
            if state.made < self.capacity {
                state.made += 1;
                drop(state);
                // Given back even when loading fails, else the place would be lost.
                let mut lent = Lent { pool: self, graph: None };
                lent.graph = Some((self.load)()?);
                return Ok(Some(lent));
            }
            if wait == Wait::No {
                return Ok(None);
            }
            state = self.returned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Wait {
    Yes,
    No,
}

/// A copy that goes back into the pool when this is dropped.
struct Lent<'p> {
    pool: &'p Pool,
    graph: Option<Box<dyn Graph>>,
}

impl Lent<'_> {
    fn graph(&mut self) -> Result<&mut dyn Graph, Cause> {
        match &mut self.graph {
            Some(graph) => Ok(graph.as_mut()),
            None => Err("the model was not loaded".into()),
        }
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let mut state: MutexGuard<'_, State> = lock(&self.pool.state);
        match self.graph.take() {
            Some(graph) => state.idle.push(graph),
            None => state.made -= 1,
        }
        drop(state);
        self.pool.returned.notify_one();
    }
}

#[cfg(test)]
mod tests;
