use std::fs;
use std::path::Path;
use std::process::{ExitCode, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use tusab_engine::index::{Error as IndexError, WriterLock};
use tusab_engine::{Cancel, Clock, Engine, Error, Schedule, Source};

use crate::programs::{again, lines, runtime, say};

/// Holds the project's lock, as an ingest of another process does, until its input ends.
pub(crate) fn child_hold(data: &Path) -> ExitCode {
    runtime().block_on(async {
        let project = Engine::builder().data_dir(data).build().unwrap().project("P").await.unwrap();
        project.ingest(Source::text("t", "umbu")).await.unwrap();
    });
    let lock = WriterLock::acquire(&data.join("indexes/p.lock")).unwrap();
    say("holding");
    std::io::stdin().lines().for_each(drop);
    drop(lock);
    ExitCode::SUCCESS
}

pub(crate) fn two_processes() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut child = again(&["child-hold", data.to_str().unwrap()]).stdin(Stdio::piped()).spawn().unwrap();
    assert_eq!(lines(&mut child).next().as_deref(), Some("holding"));
    runtime().block_on(async {
        let engine = Engine::builder().data_dir(&data).build().unwrap();
        // Readers go on.
        let project = engine.project("P").await.unwrap();
        assert_eq!(project.search("umbu").await.unwrap().hits.len(), 1);
        assert_eq!(project.sources().await.unwrap().len(), 1);
        assert!(project.queue().add(vec![Source::text("u", "cajá")]).await.is_ok());
        let is_named = |error: &Error| match error {
            Error::Index(IndexError::Locked { holder, .. }) => *holder == Some(child.id()),
            _ => false,
        };
        let doc = project.sources().await.unwrap()[0].doc.clone();
        // All at once, since each waits for some seconds.
        let refused =
            tokio::join!(async { project.ingest(Source::text("u", "cajá")).await.map(drop) }, async {
                engine.delete_project("P").await.map(drop)
            },);
        for error in [refused.0.unwrap_err(), refused.1.unwrap_err()] {
            assert!(error.is_locked() && is_named(&error), "{error:?}");
            assert!(error.to_string().contains(&child.id().to_string()), "{error}");
        }
        // Renaming needs no turn: it touches nothing that the other writes.
        engine.rename_project("P", "Q").await.unwrap();
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(project.remove(&doc).await.unwrap());
        assert_eq!(project.queue().run(&Cancel::new()).await.unwrap().left, 0);
        assert_eq!(project.search("cajá").await.unwrap().hits.len(), 1);
    });
}

/// A clock that a test sets.
struct Hands(Mutex<SystemTime>);

impl Clock for Hands {
    fn now(&self) -> SystemTime {
        *self.0.lock().unwrap()
    }
}

pub(crate) fn clock_backwards() {
    let folder = tempfile::tempdir().unwrap();
    let hands = Arc::new(Hands(Mutex::new(SystemTime::UNIX_EPOCH + Duration::from_hours(500_000))));
    let back = || {
        let mut now = hands.0.lock().unwrap();
        *now -= Duration::from_hours(1000);
    };
    runtime().block_on(async {
        let clock = Arc::<Hands>::clone(&hands);
        let engine = Engine::builder().data_dir(folder.path()).clock(clock).build().unwrap();
        let project = engine.project("P").await.unwrap();
        let file = folder.path().join("a.md");
        fs::write(&file, "umbu").unwrap();
        project.ingest(Source::file(&file)).await.unwrap();
        project.follow(Source::file(&file), Schedule::Daily).await.unwrap();
        project.refresh(&Cancel::new()).await.unwrap();
        back();
        fs::write(&file, "umbu e cajá").unwrap();
        // The file system's clock too.
        let past = SystemTime::now() - Duration::from_hours(24 * 365);
        fs::File::options().write(true).open(&file).unwrap().set_modified(past).unwrap();
        assert_eq!(project.refresh(&Cancel::new()).await.unwrap().sources[0].report.stored(), 1);
        let doc = project.sources().await.unwrap()[0].doc.clone();
        project.remove(&doc).await.unwrap();
        back();
        project.restore(&doc).await.unwrap();
        project.chat("s").ask("umbu").await.unwrap();
        back();
        project.chat("s").ask("cajá").await.unwrap();
        let first = engine.delete_project("P").await.unwrap();
        back();
        engine.project("P").await.unwrap().ingest(Source::text("t", "pitanga")).await.unwrap();
        let second = engine.delete_project("P").await.unwrap();
        // The order of the deletions is not that of the clock.
        let ids: Vec<_> = engine.trash().await.unwrap().into_iter().map(|trashed| trashed.id).collect();
        assert_eq!(ids, [first.id.clone(), second.id]);
        let project = engine.restore_project(&first.id).await.unwrap();
        assert_eq!(project.search("cajá").await.unwrap().hits.len(), 1);
        let questions = project.chat("s").history().await.unwrap();
        assert_eq!(questions.iter().map(|turn| turn.question.as_str()).collect::<Vec<_>>(), ["umbu", "cajá"]);
    });
}

pub(crate) fn ten_thousand() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    runtime().block_on(async {
        let project = Engine::builder().data_dir(&data).build().unwrap().project("P").await.unwrap();
        project.ingest(Source::bytes("a.md", "zq0q")).await.unwrap();
        let documents = data.join("neural/p/documents");
        for number in 1..10_000 {
            fs::write(documents.join(format!("nota {number}.md")), format!("A palavra é zq{number}q."))
                .unwrap();
        }
        let report = project.sync(&Cancel::new()).await.unwrap();
        assert_eq!(report.changes.len(), 9_999);
        assert_eq!(project.statistics().await.unwrap().documents, 10_000);
        assert_eq!(project.search("zq7777q").await.unwrap().hits.len(), 1);
        let report = project.sync(&Cancel::new()).await.unwrap();
        assert_eq!((report.changes.len(), report.unchanged), (0, 10_000));
        let docs: Vec<_> = project.sources().await.unwrap().into_iter().map(|source| source.doc).collect();
        assert_eq!(project.remove_all(&docs[..500]).await.unwrap().len(), 500);
        assert_eq!(project.statistics().await.unwrap().documents, 9_500);
    });
}
