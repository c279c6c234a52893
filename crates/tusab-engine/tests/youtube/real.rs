//! The real yt-dlp, whose path stands in `TUSAB_YTDLP`, against a server on 127.0.0.1.

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use tusab_engine::ingest::{CommandLine, Outcome, Stop};
use tusab_engine::{Cancel, Engine, Event};

use crate::site::{self, Answer, Site, WithSite};
use crate::{CAPTIONS, Hands, entry, fast, found, list, names, outcomes, url};

const PLAYLIST: &str = "https://www.youtube.com/playlist?list=PL0123456789";

fn engine(data: &Path, site: &Site, clock: Arc<Hands>) -> tusab_engine::EngineBuilder {
    Engine::builder()
        .data_dir(data)
        .yt_dlp(site::options())
        .command_runner(Arc::new(site.runner()))
        .clock(clock)
}

/// A video with a manual track of its own, and the words of it.
fn video(site: &Site, id: &str, more: &str, words: &str) {
    let json = format!(
        r#"{{"title": "Aula {id}", "channel": "Canal de Ação", "upload_date": "20240229"{more},
        "formats": [{{"url": "{{site}}/v.mp4"}}], "subtitles": {{"pt-BR": [{{"ext": "vtt", "url": "{{site}}/{id}.vtt"}}]}}}}"#
    );
    site.body(&format!("/video/{id}.json"), json)
        .body(&format!("/{id}.vtt"), CAPTIONS.replace("A taxa de juros subiu", words));
}

fn playlist(site: &Site, ids: &[&str]) {
    let entries: Vec<String> = ids.iter().map(|id| entry(id, "")).collect();
    site.body("/list/playlist/PL0123456789.json", list(&entries));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs yt-dlp: scripts/test.sh runs it"]
async fn a_channel_becomes_searchable_and_costs_a_listing_the_next_time() {
    let (data, site) = (tempfile::tempdir().unwrap(), Site::start());
    let videos = [
        entry("manual00001", ""),
        entry("private0001", ""),
        entry("upcoming001", r#", "live_status": "is_upcoming", "release_timestamp": 1900000000"#),
        entry("english0001", ""),
        entry("silence0001", ""),
    ];
    site.body("/list/@canal/videos.json", list(&videos))
        .body("/list/@canal/shorts.json", r#"{"reason": "This channel does not have a shorts tab"}"#)
        .body("/list/@canal/streams.json", list(&[entry("stream00001", r#", "live_status": "was_live""#)]))
        .body("/video/private0001.json", r#"{"reason": "Private video. Sign in if you've been granted access to this video"}"#)
        .body("/video/english0001.json", r#"{"formats": [{"url": "{site}/v"}], "subtitles": {"en": [{"ext": "vtt", "url": "{site}/en.vtt"}]}}"#);
    let chapters = r#", "duration": 600, "tags": ["economia"], "chapters": [{"start_time": 0, "title": "Abertura"},
        {"start_time": 120, "title": "A pororoca"}]"#;
    video(&site, "manual00001", chapters, "A pororoca");
    let two_chapters = "WEBVTT\n\n00:01.000 --> 00:04.000\nPrimeiro os juros compostos.\n\n02:05.000 --> 02:09.000\nE agora a pororoca do rio.\n";
    site.body("/manual00001.vtt", two_chapters);
    video(&site, "silence0001", "", "");
    site.body("/silence0001.vtt", "WEBVTT\nKind: captions\nLanguage: pt\n\n");
    video(&site, "stream00001", "", "O jequitibá é alto");

    let events: Arc<Mutex<Vec<Event>>> = Arc::default();
    let heard = Arc::clone(&events);
    let engine = engine(data.path(), &site, Arc::new(Hands::new()))
        .on_event(move |event| heard.lock().unwrap().push(event.clone()))
        .build()
        .unwrap();
    let project = engine.project("Cursos").await.unwrap();
    let channel = url("https://www.youtube.com/@canal");
    let report = project.youtube(&channel, &fast(), &Cancel::new()).await.unwrap();
    let expected = [
        ("manual00001", "captions"),
        ("private0001", "private"),
        ("upcoming001", "upcoming"),
        ("english0001", "no_captions"),
        ("silence0001", "nothing_said"),
        ("stream00001", "captions"),
    ];
    assert_eq!(outcomes(&report), expected);
    assert_eq!((report.stored(), report.left(), report.cancelled, report.stopped), (2, 0, false, None));
    assert_eq!(report.title.as_deref(), Some("Canal de Ação"));
    let first = &report.videos[0];
    assert_eq!((first.title.as_deref(), first.chunks, first.stored), (Some("Aula manual00001"), 2, true));
    assert!(matches!(&first.outcome, Some(Outcome::Captions { track }) if track.name == "pt-BR"));
    assert!(report.videos[3].retry_at.is_some() && report.videos[0].retry_at.is_none());

    // Found at the moment at which it is said, in its chapter.
    let hits = project.search("pororoca").await.unwrap().hits;
    assert_eq!(hits[0].document.link.as_deref(), Some("https://www.youtube.com/watch?v=manual00001"));
    let tusab_engine::chunk::Position::Time(span) = hits[0].chunk.position() else {
        panic!("{:?}", hits[0].chunk)
    };
    assert_eq!(span.start().whole_seconds(), 125);
    let shelf = data.path().join("neural/cursos/youtube/canal-de-acao");
    assert_eq!(names(&shelf), ["_manifest.json", "manual00001.json", "stream00001.json"]);
    let stored: serde_json::Value =
        serde_json::from_slice(&std::fs::read(shelf.join("manual00001.json")).unwrap()).unwrap();
    assert_eq!((&stored["format"], &stored["captions"]["kind"]), (&"web_vtt".into(), &"manual".into()));

    let told: Vec<String> = events
        .lock()
        .unwrap()
        .iter()
        .filter_map(|event| match event {
            Event::YouTubeListed { url, videos, .. } => {
                Some(format!("{} {videos}", url.rsplit('/').next().unwrap()))
            }
            Event::YouTubeVideo { video, outcome, done, total, .. } => {
                Some(format!("{video} {} {done}/{total}", outcome.as_str()))
            }
            _ => None,
        })
        .collect();
    let expected = [
        "videos 5",
        "shorts 0",
        "streams 1",
        "manual00001 captions 2/6",
        "private0001 private 3/6",
        "english0001 no_captions 4/6",
        "silence0001 nothing_said 5/6",
        "stream00001 captions 6/6",
    ];
    assert_eq!(told, expected);

    // The same again, and by another project's handle: three listings, and no video is looked at.
    site.take_log("/");
    let report = project.youtube(&channel, &fast(), &Cancel::new()).await.unwrap();
    assert_eq!((report.videos.len(), report.stored(), report.videos[0].chunks), (6, 0, 2));
    let asked = ["/list/@canal/videos.json", "/list/@canal/shorts.json", "/list/@canal/streams.json"];
    assert_eq!(site.take_log("/"), asked);
    // A video of it by itself: nobody is asked at all.
    let one = url("https://youtu.be/stream00001");
    let report = project.youtube(&one, &fast(), &Cancel::new()).await.unwrap();
    assert_eq!((outcomes(&report), report.stored()), (vec![("stream00001", "captions")], 0));
    assert_eq!(site.take_log("/"), [""; 0]);
    // What may be asked for again is, when the user says so; what is settled is not.
    let report = project.youtube(&channel, &fast().with_retry_now(true), &Cancel::new()).await.unwrap();
    assert_eq!(report.stored(), 0);
    let asked = site.take_log("/video/");
    // The listing says again that the premiere is yet to come, so it is not looked at.
    let expected = ["private0001", "english0001", "silence0001"];
    assert_eq!(asked, expected.map(|id| format!("/video/{id}.json")));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs yt-dlp: scripts/test.sh runs it"]
async fn a_rate_limit_stops_and_the_queue_goes_on_when_its_time_has_come() {
    let (data, site, clock) = (tempfile::tempdir().unwrap(), Site::start(), Arc::new(Hands::new()));
    let ids = ["video000001", "video000002", "video000003"];
    playlist(&site, &ids);
    for id in ids {
        video(&site, id, "", &format!("Palavra {id}"));
    }
    site.serve("/video000002.vtt", Answer::Status(429, String::new()));
    let engine = engine(data.path(), &site, Arc::clone(&clock)).build().unwrap();
    let project = engine.project("P").await.unwrap();
    let report = project.youtube(&url(PLAYLIST), &fast(), &Cancel::new()).await.unwrap();
    let Some((Stop::RateLimit, until)) = report.stopped else { panic!("{report:?}") };
    assert_eq!(until.as_millis(), 1_800_003_600_000);
    assert_eq!((report.stored(), report.left()), (1, 2));
    assert_eq!(site.take_log("/video000003"), [""; 0]);

    // Before that time nobody is asked, whichever source it is, and whoever asks.
    site.body("/video000002.vtt", CAPTIONS.replace("A taxa", "Palavra video000002"));
    let other = engine.project("Outro").await.unwrap();
    let elsewhere =
        other.youtube(&url("https://youtu.be/video000003"), &fast(), &Cancel::new()).await.unwrap();
    assert!(elsewhere.stopped.is_some());
    let report = project.youtube(&url(PLAYLIST), &fast(), &Cancel::new()).await.unwrap();
    assert_eq!((report.stopped.is_some(), report.stored(), report.left()), (true, 0, 2));
    assert_eq!(site.take_log("/"), [""; 0]);
    // What needs nobody to be asked is not held up.
    let here = project.youtube(&url("https://youtu.be/video000001"), &fast(), &Cancel::new()).await.unwrap();
    assert_eq!((here.stopped, outcomes(&here)), (None, vec![("video000001", "captions")]));
    // The app can show what is left, also after a restart, and take it up with what it is shown.
    let mut queue = project.youtube_queue().await.unwrap();
    queue.retain(|job| !job.finished);
    assert_eq!((queue.len(), queue[0].progress.left), (1, 2));

    clock.pass(std::time::Duration::from_hours(1));
    let report = project.youtube(&queue[0].url, &queue[0].options, &Cancel::new()).await.unwrap();
    assert_eq!((report.stopped, report.stored(), report.left()), (None, 2, 0));
    let asked = ["video000002.json", "video000003.json"];
    assert_eq!(
        site.take_log("/video/"),
        asked.map(|name| format!("/video/{name}")),
        "the first is not asked for"
    );
    assert_eq!(found(&project, "video000002").await, ["youtube:video000002"]);
    assert!(project.youtube_queue().await.unwrap().iter().all(|job| job.finished));
}

/// The variables by which the test below tells its child what to do.
const CHILD_DATA: &str = "TUSAB_TEST_CHILD_DATA";
const CHILD_SITE: &str = "TUSAB_TEST_CHILD_SITE";

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs yt-dlp: scripts/test.sh runs it"]
async fn the_child_that_is_killed() {
    // Only when the test below has started it.
    let Some(data) = std::env::var_os(CHILD_DATA) else { return };
    let site = WithSite(std::env::var(CHILD_SITE).unwrap());
    let engine = Engine::builder()
        .data_dir(Path::new(&data))
        .yt_dlp(site::options())
        .command_runner(Arc::new(site))
        .build()
        .unwrap();
    let project = engine.project("P").await.unwrap();
    project.youtube(&url(PLAYLIST), &fast(), &Cancel::new()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs yt-dlp: scripts/test.sh runs it"]
async fn a_killed_run_goes_on_with_the_video_it_was_at() {
    let (data, site) = (tempfile::tempdir().unwrap(), Site::start());
    let ids = ["video000001", "video000002", "video000003", "video000004"];
    playlist(&site, &ids);
    for id in ids {
        video(&site, id, "", &format!("Palavra {id}"));
    }
    // The third hangs where its track is fetched, so that there is a moment to be killed in.
    site.serve("/video000003.vtt", Answer::Hang);
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "real::the_child_that_is_killed", "--ignored"])
        .env(CHILD_DATA, data.path())
        .env(CHILD_SITE, site.url(""))
        .spawn()
        .unwrap();
    site.wait_for("/video000003.vtt");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(names(&data.path().join("temp/yt-dlp")).len(), 1, "killed while it fetched");

    video(&site, "video000003", "", "Palavra video000003");
    site.take_log("/");
    let engine = engine(data.path(), &site, Arc::new(Hands::new())).build().unwrap();
    let project = engine.project("P").await.unwrap();
    assert_eq!(found(&project, "video000002").await, ["youtube:video000002"], "done is done");
    let queue = project.youtube_queue().await.unwrap();
    assert_eq!((queue[0].progress.done, queue[0].progress.left), (2, 2));
    let report = project.youtube(&url(PLAYLIST), &fast(), &Cancel::new()).await.unwrap();
    assert_eq!(outcomes(&report), ids.map(|id| (id, "captions")));
    assert_eq!((report.stored(), project.statistics().await.unwrap().documents), (2, 4));
    let asked =
        ["/video/video000003.json", "/video000003.vtt", "/video/video000004.json", "/video000004.vtt"];
    assert_eq!(site.take_log("/"), asked, "neither listed nor fetched twice");
    assert_eq!(names(&data.path().join("temp/yt-dlp")), [""; 0], "what the dead one left is cleared");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs yt-dlp: scripts/test.sh runs it"]
async fn a_cancel_ends_a_program_that_hangs() {
    let (data, site) = (tempfile::tempdir().unwrap(), Arc::new(Site::start()));
    playlist(&site, &["video000001", "video000002"]);
    video(&site, "video000001", "", "Palavra um");
    site.serve("/video/video000002.json", Answer::Hang);
    let engine = engine(data.path(), &site, Arc::new(Hands::new())).build().unwrap();
    let project = engine.project("P").await.unwrap();
    let cancel = Cancel::new();
    let (waiting, asked) = (cancel.clone(), Arc::clone(&site));
    let button = tokio::task::spawn_blocking(move || {
        asked.wait_for("/video/video000002");
        waiting.cancel();
    });
    let report = project.youtube(&url(PLAYLIST), &fast(), &cancel).await.unwrap();
    button.await.unwrap();
    assert_eq!((report.cancelled, report.stored(), report.left()), (true, 1, 1));
}

/// Takes the tests' own proof that no line of theirs leaves this machine.
#[test]
fn the_runner_of_these_tests_keeps_to_this_machine() {
    let line = CommandLine::new("env", [""; 0]);
    let output = tusab_engine::ingest::CommandRunner::run(&WithSite("x".into()), &line, &|| false).unwrap();
    let variables = String::from_utf8(output.stdout).unwrap();
    assert!(variables.contains("HTTPS_PROXY=http://127.0.0.1:9\n"), "{variables}");
}
