use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::runtime::{Batch, Output};

struct Echo;

impl Graph for Echo {
    fn run(&mut self, _: &Batch) -> Result<Output, Cause> {
        Ok(Output { shape: vec![1], values: vec![0.0] })
    }
}

fn pool(capacity: usize, loads: &Arc<AtomicUsize>) -> Pool {
    let loads = Arc::clone(loads);
    let load = move || -> Result<Box<dyn Graph>, Cause> {
        loads.fetch_add(1, Ordering::SeqCst);
        Ok(Box::new(Echo))
    };
    Pool::new(Backend::Rten, capacity, Box::new(load)).unwrap()
}

#[test]
fn every_job_is_done_once_and_in_its_place() {
    let loads = Arc::default();
    let pool = pool(3, &loads);
    let done = pool.each(100, &|| false, |job, _| Ok(job)).unwrap();
    assert_eq!(done, (0..100).map(Some).collect::<Vec<_>>());
    assert!(loads.load(Ordering::SeqCst) <= 3);
    assert!(pool.each(0, &|| false, |job, _| Ok(job)).unwrap().is_empty());
}

#[test]
fn never_more_runs_at_once_than_asked() {
    let loads = Arc::default();
    let pool = pool(2, &loads);
    let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                pool.each(50, &|| false, |_, _| {
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::yield_now();
                    now.fetch_sub(1, Ordering::SeqCst);
                    Ok(())
                })
                .unwrap();
            });
        }
    });
    assert!(most.load(Ordering::SeqCst) <= 2);
    assert!(loads.load(Ordering::SeqCst) <= 2);
}

#[test]
fn a_stop_leaves_the_rest_undone() {
    let pool = pool(1, &Arc::default());
    let begun = AtomicUsize::new(0);
    let stop = || begun.load(Ordering::SeqCst) == 3;
    let done = pool
        .each(10, &stop, |job, _| {
            begun.fetch_add(1, Ordering::SeqCst);
            Ok(job)
        })
        .unwrap();
    assert_eq!(done.iter().flatten().count(), 3);
}

#[test]
fn an_error_ends_the_whole_and_gives_the_copy_back() {
    let pool = pool(2, &Arc::default());
    let failing = |job: usize, _: &mut dyn Graph| if job == 5 { Err("no".into()) } else { Ok(()) };
    assert!(pool.each(10, &|| false, failing).is_err());
    assert_eq!(pool.each(4, &|| false, |job, _| Ok(job)).unwrap().len(), 4);
}

#[test]
fn a_load_that_fails_gives_its_place_back() {
    let first = AtomicUsize::new(0);
    let load = move || -> Result<Box<dyn Graph>, Cause> {
        match first.fetch_add(1, Ordering::SeqCst) {
            1 => Err("no memory".into()),
            _ => Ok(Box::new(Echo)),
        }
    };
    let pool = Pool::new(Backend::Rten, 2, Box::new(load)).unwrap();
    let one = pool.lend(Wait::Yes).unwrap();
    assert!(pool.lend(Wait::Yes).is_err());
    assert!(pool.lend(Wait::Yes).unwrap().is_some());
    drop(one);
    assert!(pool.lend(Wait::No).unwrap().is_some());
}
