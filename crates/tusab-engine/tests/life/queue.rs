use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use tusab_engine::{Cancel, Clock, Engine, Event, Outcome, Project, Source, YouTubeOptions};

use crate::common::{elsewhere, found, open};

async fn waiting(project: &Project) -> Vec<String> {
    let items = project.queue().items().await.unwrap();
    items.into_iter().map(|item| item.name.rsplit('/').next().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_queue_outlasts_its_process_and_is_taken_in_in_order() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = folder.path().join("a.md");
    fs::write(&file, "umbu").unwrap();
    let queue = open(data.path(), "P").await.queue();
    let given = vec![
        Source::text("colado", "cajá"),
        Source::file(&file),
        Source::bytes("b.md", "pitanga"),
        Source::folder(folder.path()),
    ];
    let ids = queue.add(given).await.unwrap();
    assert!(queue.move_to(ids[1], 0).await.unwrap());
    assert!(queue.cancel(ids[3]).await.unwrap());
    assert!(!queue.cancel(ids[3]).await.unwrap());
    assert!(!queue.move_to(ids[3], 0).await.unwrap());
    drop(queue);

    let project = open(data.path(), "P").await;
    assert_eq!(waiting(&project).await, ["a.md", "colado", "b.md"]);
    let report = project.queue().run(&Cancel::new()).await.unwrap();
    let done: Vec<_> = report.sources.iter().map(|source| source.id).collect();
    assert_eq!((done, report.left), (vec![ids[1], ids[0], ids[2]], 0));
    for (word, title) in [("umbu", "a"), ("cajá", "colado"), ("pitanga", "b")] {
        assert_eq!(found(&project, word).await, [title]);
    }
    assert!(waiting(&project).await.is_empty());
    // Nothing of what was in memory stays behind.
    let left: Vec<_> =
        fs::read_dir(data.path().join("queue/p")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".bytes")), "{left:?}");
    // Ids are never given twice.
    assert!(project.queue().add(vec![Source::text("x", "y")]).await.unwrap()[0] > ids[3]);
}

#[tokio::test]
async fn what_failed_for_an_outside_reason_is_tried_again() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (away, empty) = (folder.path().join("fora.md"), folder.path().join("vazio.md"));
    fs::write(&empty, "").unwrap();
    let project = open(data.path(), "P").await;
    let queue = project.queue();
    queue.add(vec![Source::file(&away), Source::file(&empty), Source::text("t", "umbu")]).await.unwrap();
    for tries in 1..=2 {
        let report = queue.run(&Cancel::new()).await.unwrap();
        assert_eq!((report.sources[0].kept, report.left), (true, 1), "{report:?}");
        let items = queue.items().await.unwrap();
        assert_eq!((items.len(), items[0].tries), (1, tries));
        assert!(items[0].trouble.as_ref().unwrap().contains("does not exist"), "{items:?}");
    }
    // The drive is there again.
    fs::write(&away, "cajá").unwrap();
    let report = queue.run(&Cancel::new()).await.unwrap();
    assert!(matches!(report.sources[0].report.items[0].outcome, Outcome::Added { .. }), "{report:?}");
    assert_eq!(report.left, 0);
}

#[tokio::test]
async fn a_paused_queue_takes_nothing_in_until_it_is_resumed() {
    let data = tempfile::tempdir().unwrap();
    let project = open(data.path(), "P").await;
    project.queue().add(vec![Source::text("t", "umbu")]).await.unwrap();
    project.queue().pause().await.unwrap();
    drop(project);
    let project = open(data.path(), "P").await;
    assert!(project.queue().is_paused().await.unwrap());
    let report = project.queue().run(&Cancel::new()).await.unwrap();
    assert!(report.paused && report.sources.is_empty() && report.left == 1, "{report:?}");
    project.queue().resume().await.unwrap();
    assert_eq!(project.queue().run(&Cancel::new()).await.unwrap().left, 0);
    assert_eq!(project.queue().run(&Cancel::new()).await.unwrap().sources.len(), 0);
}

/// What stops a source that is being taken in.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Hand {
    Cancel,
    CancelAll,
    Pause,
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_being_taken_in_can_be_stopped_and_the_rest_is_as_was_asked() {
    for hand in [Hand::Cancel, Hand::CancelAll, Hand::Pause] {
        let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for n in 0..200 {
            fs::write(folder.path().join(format!("{n:03}.md")), format!("texto número {n}")).unwrap();
        }
        let slot: Arc<Mutex<Option<Project>>> = Arc::default();
        let (project_of, once) = (Arc::clone(&slot), Mutex::new(false));
        // A handler may call back: here it is the user's hand on the button.
        let handler = move |event: &Event| {
            if let Event::SourceRead { total: 200, .. } = event
                && !std::mem::replace(&mut *once.lock().unwrap(), true)
            {
                let queue = project_of.lock().unwrap().clone().unwrap().queue();
                tokio::task::block_in_place(|| {
                    tokio::runtime::Handle::current().block_on(async {
                        let running = queue.items().await.unwrap().into_iter().find(|item| item.running);
                        match hand {
                            Hand::Pause => queue.pause().await.unwrap(),
                            Hand::CancelAll => drop(queue.cancel_all().await.unwrap()),
                            // The source may have ended meanwhile.
                            Hand::Cancel => drop(queue.cancel(running.unwrap().id).await.unwrap()),
                        }
                    });
                });
            }
        };
        let engine = Engine::builder().data_dir(data.path()).on_event(handler).build().unwrap();
        let project = engine.project("P").await.unwrap();
        *slot.lock().unwrap() = Some(project.clone());
        project.queue().add(vec![Source::folder(folder.path()), Source::text("t", "umbu")]).await.unwrap();
        let report = project.queue().run(&Cancel::new()).await.unwrap();
        let documents = project.statistics().await.unwrap().documents;
        match hand {
            Hand::Cancel => assert_eq!((found(&project, "umbu").await.len(), report.left), (1, 0)),
            Hand::CancelAll => assert_eq!((found(&project, "umbu").await.len(), report.left), (0, 0)),
            Hand::Pause => {
                assert!(report.paused, "{report:?}");
                project.queue().resume().await.unwrap();
                project.queue().run(&Cancel::new()).await.unwrap();
                // Nothing was lost and nothing taken in twice.
                assert_eq!(project.statistics().await.unwrap().documents, 201);
            }
        }
        assert!(documents <= 201);
        *slot.lock().unwrap() = None;
    }
}

/// A clock that is asked once for each source: at the third, another process has its hand on the queue.
#[derive(Debug)]
struct Elsewhere {
    data: PathBuf,
    hand: Hand,
    asked: AtomicUsize,
}

impl Clock for Elsewhere {
    fn now(&self) -> SystemTime {
        if self.asked.fetch_add(1, Ordering::SeqCst) == 3 {
            let (data, hand) = (self.data.clone(), self.hand);
            // An engine of its own, as of another process: it shares nothing with this one but the files.
            elsewhere(async move {
                let queue = open(&data, "P").await.queue();
                let first = queue.items().await.unwrap()[0].clone();
                assert!(!first.running, "it runs in the other process");
                match hand {
                    Hand::Pause => queue.pause().await.unwrap(),
                    Hand::Cancel => assert!(queue.cancel(first.id).await.unwrap()),
                    Hand::CancelAll => assert_eq!(queue.cancel_all().await.unwrap(), 2),
                }
            });
        }
        SystemTime::now()
    }
}

#[tokio::test]
async fn another_process_stops_what_is_being_taken_in() {
    for hand in [Hand::Cancel, Hand::CancelAll, Hand::Pause] {
        let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for n in 0..50 {
            fs::write(folder.path().join(format!("{n:03}.md")), format!("texto número {n}")).unwrap();
        }
        let sources = vec![Source::folder(folder.path()), Source::text("t", "umbu")];
        open(data.path(), "P").await.queue().add(sources).await.unwrap();
        let clock = Elsewhere { data: data.path().to_owned(), hand, asked: AtomicUsize::new(0) };
        let engine = Engine::builder().data_dir(data.path()).clock(Arc::new(clock)).build().unwrap();
        let project = engine.project("P").await.unwrap();
        let report = project.queue().run(&Cancel::new()).await.unwrap();
        // At the next document, not at the next source.
        let taken = report.sources[0].report.items.len();
        assert!(report.sources[0].report.cancelled && (1..=4).contains(&taken), "{hand:?}: {taken}");
        let umbu = found(&project, "umbu").await.len();
        match hand {
            Hand::Cancel => assert_eq!((umbu, report.paused, report.left), (1, false, 0)),
            Hand::CancelAll => assert_eq!((umbu, report.paused, report.left), (0, false, 0)),
            Hand::Pause => {
                assert_eq!((umbu, report.paused, report.left), (0, true, 2));
                project.queue().resume().await.unwrap();
                project.queue().run(&Cancel::new()).await.unwrap();
                assert_eq!(project.statistics().await.unwrap().documents, 51);
            }
        }
    }
}

#[tokio::test]
async fn a_damaged_queue_is_an_error_and_left_as_it_is() {
    let data = tempfile::tempdir().unwrap();
    let project = open(data.path(), "P").await;
    project.queue().add(vec![Source::text("t", "umbu")]).await.unwrap();
    let file = data.path().join("queue/p/_ingest.json");
    fs::write(&file, "{").unwrap();
    assert!(project.queue().add(vec![Source::text("u", "cajá")]).await.is_err());
    assert!(project.queue().run(&Cancel::new()).await.is_err());
    assert_eq!(fs::read_to_string(&file).unwrap(), "{");
    // The jobs of YouTube beside it are none of its business, nor it of theirs.
    assert!(project.youtube_queue().await.unwrap().is_empty());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_path_that_is_no_text_is_refused_and_nothing_else_suffers() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let data = tempfile::tempdir().unwrap();
    let project = open(data.path(), "P").await;
    project.queue().add(vec![Source::text("t", "umbu")]).await.unwrap();
    project.follow(Source::folder("/"), tusab_engine::Schedule::Daily).await.unwrap();
    let path = || data.path().join(OsStr::from_bytes(b"a\xff.md"));
    let refused = project.queue().add(vec![Source::file(path())]).await.unwrap_err();
    assert!(matches!(refused, tusab_engine::Error::PathNotText { .. }), "{refused}");
    assert!(project.follow(Source::file(path()), tusab_engine::Schedule::Daily).await.is_err());
    assert_eq!(project.queue().items().await.unwrap().len(), 1);
    assert_eq!(project.followed().await.unwrap().len(), 1);
}

#[tokio::test]
async fn what_is_removed_waits_no_more() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = folder.path().join("a.md");
    fs::write(&file, "umbu").unwrap();
    let project = open(data.path(), "P").await;
    let given = vec![Source::file(&file), Source::bytes("b.md", "cajá"), Source::text("c", "pitanga")];
    project.ingest_all(given.clone(), &Cancel::new()).await.unwrap();
    let docs: Vec<_> = project.sources().await.unwrap().into_iter().map(|source| source.doc).collect();
    // The file's taking-in has failed; the others were added again and have not had their turn.
    fs::remove_file(&file).unwrap();
    let queue = project.queue();
    queue.add(vec![Source::file(&file)]).await.unwrap();
    assert!(queue.run(&Cancel::new()).await.unwrap().sources[0].kept);
    queue.add(given[1..].to_vec()).await.unwrap();
    queue.add(vec![Source::text("outro", "seriguela"), Source::folder(folder.path())]).await.unwrap();
    assert_eq!(project.remove_all(&docs).await.unwrap().len(), 3);
    let folder_name = folder.path().file_name().unwrap().to_str().unwrap();
    assert_eq!(waiting(&project).await, ["outro", folder_name]);
    fs::write(folder.path().join("d.md"), "jenipapo").unwrap();
    queue.run(&Cancel::new()).await.unwrap();
    for word in ["umbu", "cajá", "pitanga"] {
        assert!(found(&project, word).await.is_empty(), "{word}");
    }
    assert_eq!(found(&project, "seriguela").await, ["outro"]);
}

#[tokio::test]
async fn a_video_that_is_removed_waits_no_more() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let captions = folder.path().join("Aula [abcdefghijk].pt.vtt");
    fs::write(&captions, "WEBVTT\n\n00:01.000 --> 00:05.000\njenipapo\n").unwrap();
    let project = open(data.path(), "P").await;
    project.ingest(Source::file(&captions)).await.unwrap();
    let doc = project.sources().await.unwrap().remove(0).doc;
    let video = |id: &str| {
        let url = format!("https://www.youtube.com/watch?v={id}").parse().unwrap();
        Source::youtube(url, YouTubeOptions::default())
    };
    let queue = project.queue();
    queue.add(vec![Source::file(&captions), video("abcdefghijk"), video("bbbbbbbbbbb")]).await.unwrap();
    assert!(project.remove(&doc).await.unwrap());
    let left = queue.items().await.unwrap();
    assert!(left.len() == 1 && left[0].name.contains("bbbbbbbbbbb"), "{left:?}");
}
