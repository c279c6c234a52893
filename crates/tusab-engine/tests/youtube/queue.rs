//! The queue on disk, through a program that plays back what a test has written.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tusab_engine::ingest::{
    CommandError, CommandLine, CommandRunner, JobOptions, Output, Pacing, SystemRunner, YtDlpOptions,
};
use tusab_engine::{Cancel, Engine, Error, Pause, Project};

use crate::{CAPTIONS, Hands, entry, fast, found, list, names, outcomes, url};

pub(crate) const PLAYLIST: &str = "https://www.youtube.com/playlist?list=PL0123456789";

/// Long enough for a run that should be held to go wrong, were it not held; all of these take a few milliseconds.
const HELD: Duration = Duration::from_millis(400);

pub(crate) struct Play(PathBuf);

impl CommandRunner for Play {
    fn run(&self, line: &CommandLine, stop: &dyn Fn() -> bool) -> Result<Output, CommandError> {
        SystemRunner.run(&line.clone().with_variable("TUSAB_FAKE", &self.0), stop)
    }
}

/// A data directory, and what the program plays back.
pub(crate) struct Stage {
    folder: tempfile::TempDir,
    pub(crate) clock: Arc<Hands>,
}

impl Stage {
    pub(crate) fn new(ids: &[&str]) -> Self {
        let stage = Self { folder: tempfile::tempdir().unwrap(), clock: Arc::new(Hands::new()) };
        std::fs::create_dir(stage.fake()).unwrap();
        let entries: Vec<String> = ids.iter().map(|id| entry(id, "")).collect();
        stage.put("PL0123456789.out", &list(&entries));
        for id in ids {
            stage.video(id);
        }
        stage
    }

    fn fake(&self) -> PathBuf {
        self.folder.path().join("fake")
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) fn put(&self, name: &str, text: &str) {
        std::fs::write(self.fake().join(name), text).unwrap();
    }

    pub(crate) fn video(&self, id: &str) {
        self.video_of(id, "Canal");
    }

    /// A video of a channel that calls itself so by now.
    pub(crate) fn video_of(&self, id: &str, channel: &str) {
        let json = format!(
            r#"{{"id": "{id}", "title": "Aula {id}", "channel": "{channel}", "channel_id": "UC0123456789", "formats": [{{"url": "http://127.0.0.1:9/v"}}],
            "automatic_captions": {{"pt": [{{"ext": "vtt", "url": "http://127.0.0.1:9/t"}}]}}}}"#
        );
        self.put(&format!("{id}.out"), &json);
        self.put(&format!("{id}.vtt"), &CAPTIONS.replace("A taxa", &format!("Palavra {id}: a taxa")));
    }

    pub(crate) async fn project(&self) -> Project {
        let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../tusab-ingest/tests/fake/yt-dlp");
        let engine = Engine::builder()
            .data_dir(self.data())
            .yt_dlp(YtDlpOptions::default().with_program(program))
            .command_runner(Arc::new(Play(self.fake())))
            .clock(Arc::clone(&self.clock) as Arc<dyn tusab_engine::Clock>)
            .build()
            .unwrap();
        engine.project("P").await.unwrap()
    }

    /// The names of what was asked for since the last call: the last part of each command line.
    pub(crate) fn asked(&self) -> Vec<String> {
        let log = self.fake().join("log");
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        let _ = std::fs::remove_file(log);
        let name = |line: &str| line.rsplit(['=', '/', ' ']).next().unwrap_or_default().to_owned();
        text.lines().filter(|line| !line.contains("--load-info-json")).map(name).collect()
    }

    fn queue_file(&self) -> PathBuf {
        let queue = self.data().join("queue/p");
        let mut names = names(&queue).into_iter().map(PathBuf::from);
        let is_job = |name: &PathBuf| name.extension().is_some_and(|extension| extension == "json");
        queue.join(names.find(is_job).unwrap())
    }
}

pub(crate) fn own(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[tokio::test]
async fn a_queue_that_is_behind_lost_or_damaged_fetches_nothing_twice() {
    let ids = ["video000001", "video000002"];
    let stage = Stage::new(&ids);
    let project = stage.project().await;
    project.youtube(&url(PLAYLIST), &fast(), &Cancel::new()).await.unwrap();
    assert_eq!(stage.asked(), own(&["PL0123456789", "video000001", "video000002"]));
    let whole = std::fs::read(stage.queue_file()).unwrap();

    // Lost: the videos are here, and the listing is all that is asked for.
    std::fs::remove_dir_all(stage.data().join("queue/p")).unwrap();
    let report = project.youtube(&url(PLAYLIST), &fast(), &Cancel::new()).await.unwrap();
    assert_eq!((outcomes(&report), report.stored()), (ids.map(|id| (id, "captions")).to_vec(), 0));
    assert_eq!(stage.asked(), own(&["PL0123456789"]));
    // Damaged: the same, and the old file is kept.
    std::fs::write(stage.queue_file(), &whole[..whole.len() / 2]).unwrap();
    let report = project.youtube(&url(PLAYLIST), &fast(), &Cancel::new()).await.unwrap();
    assert_eq!((report.videos.len(), report.stored(), stage.asked().len()), (2, 0, 1));
    assert!(names(&stage.data().join("queue/p")).iter().any(|name| name.ends_with(".damaged-1")));
    // Killed after the video was durable and before the queue said so: it is fetched, and found unchanged.
    let mut behind: serde_json::Value = serde_json::from_slice(&whole).unwrap();
    behind["value"]["videos"][1]["outcome"] = serde_json::Value::Null;
    std::fs::write(stage.queue_file(), behind.to_string()).unwrap();
    let report = project.youtube(&url(PLAYLIST), &fast(), &Cancel::new()).await.unwrap();
    assert_eq!((stage.asked(), report.stored(), report.left()), (own(&["video000002"]), 0, 0));
    assert_eq!(project.statistics().await.unwrap().documents, 2);
    // Of a later version: left alone.
    std::fs::write(stage.queue_file(), r#"{"version": 9, "value": {}}"#).unwrap();
    let refused = project.youtube(&url(PLAYLIST), &fast(), &Cancel::new()).await;
    assert!(matches!(refused, Err(Error::Newer { version: 9, .. })), "{refused:?}");
}

#[tokio::test]
async fn what_is_lost_from_the_sources_is_fetched_again() {
    let stage = Stage::new(&["video000001", "video000002"]);
    let project = stage.project().await;
    project.youtube(&url(PLAYLIST), &fast(), &Cancel::new()).await.unwrap();
    drop(project);
    stage.asked();
    // Restored from a copy of the day before, in which there was nothing.
    std::fs::remove_dir_all(stage.data().join("neural/p/youtube")).unwrap();
    std::fs::remove_dir_all(stage.data().join("indexes")).unwrap();
    let project = stage.project().await;
    assert_eq!(found(&project, "taxa").await, [""; 0]);
    let report = project.youtube(&url(PLAYLIST), &fast(), &Cancel::new()).await.unwrap();
    assert_eq!((report.stored(), report.left()), (2, 0));
    assert_eq!(found(&project, "video000002").await, ["youtube:video000002"]);
}

#[tokio::test]
async fn a_video_whose_title_changed_takes_its_own_place() {
    let stage = Stage::new(&["video000001"]);
    let project = stage.project().await;
    project.youtube(&url(PLAYLIST), &fast(), &Cancel::new()).await.unwrap();
    stage.put("PL0123456789.out", &list(&[entry("video000001", "").replace("Aula", "Revista: aula")]));
    stage.put("video000001.vtt", &CAPTIONS.replace("juros", "inflação"));
    stage.asked();
    let report = project.youtube(&url(PLAYLIST), &fast(), &Cancel::new()).await.unwrap();
    assert_eq!((stage.asked(), report.stored()), (own(&["PL0123456789", "video000001"]), 1));
    assert_eq!(found(&project, "juros").await, [""; 0]);
    assert_eq!(found(&project, "inflação").await, ["youtube:video000001"]);
}

#[tokio::test]
async fn a_pause_holds_the_run_and_a_cancel_ends_it() {
    let stage = Stage::new(&["video000001"]);
    let project = stage.project().await;
    let pause = Pause::new();
    pause.pause();
    let (options, cancel) = (fast().with_pause(pause.clone()), Cancel::new());
    let playlist = url(PLAYLIST);
    let mut run = std::pin::pin!(project.youtube(&playlist, &options, &cancel));
    assert!(tokio::time::timeout(HELD, &mut run).await.is_err(), "it is held");
    assert_eq!(stage.asked(), own(&[]));
    pause.resume();
    assert_eq!(run.await.unwrap().stored(), 1);

    pause.pause();
    let mut run = std::pin::pin!(project.youtube(&playlist, &options, &cancel));
    assert!(tokio::time::timeout(HELD, &mut run).await.is_err(), "it is held");
    cancel.cancel();
    assert!(run.await.unwrap().cancelled);
}

#[tokio::test]
async fn jobs_one_after_another_are_as_polite_as_one() {
    let stage = Stage::new(&["video000001", "video000002"]);
    let project = stage.project().await;
    let slow = Pacing::default().with_pause(Duration::from_mins(10), Duration::from_mins(10));
    let options = fast().with_job(JobOptions::default().with_pacing(slow));
    let (one, two, cancel) =
        (url("https://youtu.be/video000001"), url("https://youtu.be/video000002"), Cancel::new());
    assert_eq!(project.youtube(&one, &options, &cancel).await.unwrap().stored(), 1);
    let mut second = std::pin::pin!(project.youtube(&two, &options, &cancel));
    assert!(tokio::time::timeout(HELD, &mut second).await.is_err(), "it waits its ten minutes");
    // A third waits for its turn, and can be told not to.
    let (other, give_up) = (stage.project().await, Cancel::new());
    let mut third = std::pin::pin!(other.youtube(&one, &options, &give_up));
    assert!(tokio::time::timeout(HELD, &mut third).await.is_err(), "it waits for the second");
    give_up.cancel();
    assert!(third.await.unwrap().cancelled);
    assert_eq!(stage.asked(), own(&["video000001"]));
    cancel.cancel();
    let report = second.await.unwrap();
    assert_eq!((report.cancelled, report.left()), (true, 1));
    stage.clock.pass(Duration::from_mins(10));
    assert_eq!(project.youtube(&two, &options, &Cancel::new()).await.unwrap().stored(), 1);
}

#[tokio::test]
async fn without_yt_dlp_there_is_an_error_with_a_remedy_and_everything_else_works() {
    let data = tempfile::tempdir().unwrap();
    let engine = Engine::builder()
        .data_dir(data.path())
        .yt_dlp(YtDlpOptions::default().with_program("/não/há/yt-dlp"))
        .build()
        .unwrap();
    let project = engine.project("P").await.unwrap();
    let error = project.youtube(&url(PLAYLIST), &fast(), &Cancel::new()).await.unwrap_err();
    assert!(error.to_string().contains("installed"), "{error}");
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.contains("/não/há/yt-dlp"), "{cause}");
    project.ingest(tusab_engine::Source::text("t", "o umbu")).await.unwrap();
    assert_eq!(found(&project, "umbu").await.len(), 1);
    // The queue keeps what was asked for only once something has come of it.
    assert!(!Path::new(&data.path().join("queue/p")).exists());
}
