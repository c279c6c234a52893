//! What several of these tests need.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use tokio::runtime::Builder;
use tusab_engine::{Engine, Project};

pub(crate) fn engine(data: &Path) -> Engine {
    Engine::builder().data_dir(data).build().unwrap()
}

pub(crate) async fn open(data: &Path, name: &str) -> Project {
    engine(data).project(name).await.unwrap()
}

/// Does work on a runtime and a thread of its own, and fails when it has not ended in a minute: a deadlock must not become
/// one of the tests.
pub(crate) fn within_a_minute<T: Send + 'static>(
    why: &str,
    work: impl Future<Output = T> + Send + 'static,
) -> T {
    let (done, ended) = mpsc::channel();
    std::thread::spawn(move || {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().unwrap();
        done.send(runtime.block_on(work)).unwrap();
    });
    ended.recv_timeout(Duration::from_mins(1)).expect(why)
}

/// Waits for work on a thread and a runtime of its own, on whatever thread this is.
pub(crate) fn elsewhere<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    let run = || Builder::new_current_thread().build().unwrap().block_on(work);
    std::thread::spawn(run).join().unwrap()
}

/// The titles of what is found.
pub(crate) async fn found(project: &Project, text: &str) -> Vec<String> {
    let hits = project.search(text).await.unwrap().hits;
    hits.iter().map(|hit| hit.document.title.clone()).collect()
}

/// Every file under a folder, with what is in it.
pub(crate) fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let Ok(entries) = fs::read_dir(folder) else { return all };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            all.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    all
}

/// The files of a folder whose bytes hold `marker`, or whose names do.
pub(crate) fn holding(folder: &Path, marker: &str) -> Vec<PathBuf> {
    let holds = |path: &PathBuf, bytes: &Vec<u8>| {
        bytes.windows(marker.len()).any(|window| window == marker.as_bytes())
            || path.to_string_lossy().contains(marker)
    };
    files(folder).into_iter().filter(|(path, bytes)| holds(path, bytes)).map(|(path, _)| path).collect()
}
