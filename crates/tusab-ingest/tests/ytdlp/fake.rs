//! What only the live site makes yt-dlp say, played back by a program of our own, and whole jobs through it.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use tusab_ingest::{
    ChannelTab, CommandError, CommandLine, CommandRunner, Cookies, Error, Fetched, Job, JobOptions,
    ListOutcome, Outcome, Output, Step, Stop, SystemRunner, UnixTime, Wanted, YtDlp, YtDlpOptions,
};

const CAPTIONS: &str = "WEBVTT\n\n00:00.000 --> 00:02.000\nA taxa de juros subiu.\n";
const ONE_TRACK: &str = r#"{"id": "ID", "title": "T", "formats": [{"url": "http://127.0.0.1:9/v"}],
    "automatic_captions": {"pt-orig": [{"ext": "vtt", "url": "http://127.0.0.1:9/t"}],
    "pt": [{"ext": "vtt", "url": "http://127.0.0.1:9/t"}]}}"#;
const PLAYABLE: &str = r#"{"id": "ID", "title": "T", "formats": [{"url": "http://127.0.0.1:9/v"}]}"#;
const BARE: &str = r#"{"id": "ID", "title": "T", "formats": []}"#;

struct Play(PathBuf);

impl CommandRunner for Play {
    fn run(&self, line: &CommandLine, stop: &dyn Fn() -> bool) -> Result<Output, CommandError> {
        SystemRunner.run(&line.clone().with_variable("TUSAB_FAKE", &self.0), stop)
    }
}

struct Stage {
    folder: tempfile::TempDir,
}

impl Stage {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn put(&self, name: &str, text: &str) -> &Self {
        std::fs::write(self.folder.path().join(name), text).unwrap();
        self
    }

    fn yt_dlp(&self) -> YtDlp {
        let options =
            YtDlpOptions::default().with_program(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake/yt-dlp"));
        YtDlp::new(options, self.folder.path().join("scratch"), Play(self.folder.path().to_owned()))
    }

    fn fetch(&self, id: &str) -> Fetched {
        self.yt_dlp().fetch(&id.parse().unwrap(), &pt(), &|| false).unwrap()
    }

    fn log(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }
}

fn pt() -> Wanted {
    Wanted::new("pt".parse().unwrap())
}

#[test]
fn what_only_the_live_site_says_has_its_outcome() {
    let stage = Stage::new();
    for (id, json, stderr, code, expected) in [
        // The site wants a proof of origin for captions.
        (
            "potoken0001",
            PLAYABLE,
            "WARNING: [youtube] potoken0001: There are missing subtitles languages because a PO token was not provided. \
             Subtitles for these languages are missing: pt. Automatic captions for 1 languages are missing.",
            "0",
            "needs_po_token",
        ),
        (
            "potoken0002",
            PLAYABLE,
            "WARNING: [youtube] potoken0002: Some web_safari client subtitles require a PO Token which was not provided. \
             They will be discarded since they are not downloadable as-is.",
            "0",
            "needs_po_token",
        ),
        // It wants one for the video only, and there are no captions.
        (
            "gvstoken001",
            PLAYABLE,
            "WARNING: [youtube] gvstoken001: ios client https formats require a GVS PO Token which was not provided. \
             They will be skipped as they may yield HTTP Error 403.",
            "0",
            "no_captions",
        ),
        // It takes the session for a robot's, as a warning and as an error.
        (
            "robot000001",
            BARE,
            "WARNING: [youtube] robot000001: Sign in to confirm you\u{2019}re not a bot. Use --cookies-from-browser or \
             --cookies for the authentication.\nWARNING: No video formats found!\nWARNING: Requested format is not available",
            "0",
            "needs_cookies",
        ),
        (
            "robot000002",
            "",
            "ERROR: [youtube] robot000002: Sign in to confirm you\u{2019}re not a bot. Use --cookies-from-browser",
            "1",
            "needs_cookies",
        ),
        (
            "members0001",
            BARE,
            "WARNING: [youtube] members0001: This video is available to this channel's members on level: Apoio (or any \
             higher level). Join this channel to get access to members-only content and other exclusive perks.",
            "0",
            "members_only",
        ),
        (
            "often000001",
            BARE,
            "WARNING: [youtube] often000001: Video unavailable. This content isn\u{2019}t available, try again later. The \
             current session has been rate-limited by YouTube for up to an hour.",
            "0",
            "rate_limited",
        ),
        (
            "often000002",
            "",
            "WARNING: [youtube] Unable to download webpage: HTTP Error 429: Too Many Requests\n\
             ERROR: [youtube] often000002: Unable to download API page: HTTP Error 429: Too Many Requests",
            "1",
            "rate_limited",
        ),
        // A runtime that is missing is no trouble for captions.
        (
            "runtime0001",
            PLAYABLE,
            "WARNING: [youtube] No supported JavaScript runtime could be found. Only deno is enabled by default",
            "0",
            "no_captions",
        ),
        // It ended well, and said nothing.
        ("silent00001", "", "", "0", "failed"),
        ("silent00002", "null\n", "", "0", "failed"),
        ("silent00003", "{\"id\": \"silent0", "", "0", "failed"),
        // Another video's description.
        ("silent00004", ONE_TRACK, "", "0", "failed"),
        ("crashed0001", "", "Traceback (most recent call last):\n  File \"x\"\nKeyError: 'a'", "1", "failed"),
    ] {
        let json = if id == "silent00004" { json.to_owned() } else { json.replace("ID", id) };
        stage
            .put(&format!("{id}.out"), &json)
            .put(&format!("{id}.err"), stderr)
            .put(&format!("{id}.code"), code);
        let fetched = stage.fetch(id);
        assert_eq!(fetched.outcome.as_str(), expected, "{id}: {:?}", fetched.outcome);
        if let Outcome::Failed { reason } = fetched.outcome {
            assert!(!reason.is_empty(), "{id}");
        }
    }
    assert_eq!(stage.log().len(), 14, "each was asked for once");
}

#[test]
fn a_track_is_there_or_it_is_told_why_not() {
    let stage = Stage::new();
    let id = "dQw4w9WgXcQ";
    stage.put("dQw4w9WgXcQ.out", &ONE_TRACK.replace("ID", id));
    // Success reported, and no file.
    let Outcome::Failed { reason } = stage.fetch(id).outcome else { panic!("there is no file") };
    assert_eq!(reason, "yt-dlp reported success and left no captions");
    // Success, and a file without a byte.
    stage.put("dQw4w9WgXcQ.out", &ONE_TRACK.replace("ID", id).replace("pt-orig", "pt-PT"));
    stage.put("dQw4w9WgXcQ.vtt", "");
    assert_eq!(stage.fetch(id).outcome.as_str(), "failed");
    stage.put("dQw4w9WgXcQ.out", &ONE_TRACK.replace("ID", id));
    // A file, and failure reported: half a file, for all that is known.
    stage.put("dQw4w9WgXcQ.vtt", CAPTIONS).put("dQw4w9WgXcQ.track.code", "1");
    stage.put(
        "dQw4w9WgXcQ.track.err",
        "ERROR: Unable to download video subtitles for 'pt': HTTP Error 429: Too Many Requests",
    );
    assert_eq!(stage.fetch(id).outcome, Outcome::RateLimited { retry_after: None });
    stage.put("dQw4w9WgXcQ.track.code", "0").put("dQw4w9WgXcQ.track.err", "");
    // The name of the file is the track's: `pt-orig` was asked for, `pt` came.
    assert_eq!(stage.fetch(id).outcome.as_str(), "failed");
    stage.put("dQw4w9WgXcQ.out", &ONE_TRACK.replace("ID", id).replace("pt-orig", "pt-PT"));
    let fetched = stage.fetch(id);
    assert_eq!(fetched.captions.unwrap().bytes, CAPTIONS.as_bytes());
    for line in stage.log() {
        assert!(line.starts_with("--ignore-config "), "{line}");
        assert!(!line.contains("proxy"), "{line}");
        assert!(
            line.contains("--load-info-json")
                || line.ends_with(" -- https://www.youtube.com/watch?v=dQw4w9WgXcQ")
        );
    }
}

#[test]
fn half_a_list_is_not_taken_for_the_whole() {
    let stage = Stage::new();
    let url = "https://www.youtube.com/@canal/videos".parse().unwrap();
    let list = || stage.yt_dlp().list(&url, None, &|| false).unwrap();
    stage.put("videos.out", r#"{"entries": [{"id": "aaaaaaaaaa1"}]}"#);
    let ListOutcome::Listed(whole) = list() else { panic!("not listed") };
    assert_eq!((whole.videos.len(), whole.trouble), (1, None));
    stage.put("videos.code", "1").put("videos.err", "ERROR: [youtube:tab] @canal: Incomplete data received");
    let ListOutcome::Listed(part) = list() else { panic!("not listed") };
    assert_eq!(part.trouble.as_deref(), Some("ERROR: [youtube:tab] @canal: Incomplete data received"));
    stage.put("videos.code", "0");
    stage.put(
        "videos.err",
        "WARNING: [youtube:tab] HTTP Error 429: Too Many Requests. Giving up after 3 retries",
    );
    assert_eq!(list(), ListOutcome::Refused(Outcome::RateLimited { retry_after: None }));
    stage.put("videos.out", "").put("videos.err", "");
    let ListOutcome::Refused(Outcome::Failed { .. }) = list() else { panic!("silence is no list") };
}

#[test]
fn a_program_of_a_relative_path_is_found_from_any_folder() {
    // Tests run in the folder of the crate.
    let stage = Stage::new();
    stage.put("dQw4w9WgXcQ.out", &ONE_TRACK.replace("ID", "dQw4w9WgXcQ").replace("pt-orig", "pt-PT"));
    stage.put("dQw4w9WgXcQ.vtt", CAPTIONS);
    let options = YtDlpOptions::default()
        .with_program("tests/fake/yt-dlp")
        .with_cookies(Some(Cookies::File("tests/fake/cookies.txt".into())));
    let yt_dlp =
        YtDlp::new(options, stage.folder.path().join("scratch"), Play(stage.folder.path().to_owned()));
    let fetched = yt_dlp.fetch(&"dQw4w9WgXcQ".parse().unwrap(), &pt(), &|| false).unwrap();
    assert!(fetched.outcome.is_captions(), "{:?}", fetched.outcome);
    let cookies = concat!("--cookies ", env!("CARGO_MANIFEST_DIR"), "/tests/fake/cookies.txt ");
    assert!(stage.log().iter().all(|line| line.contains(cookies)));
}

#[test]
fn a_yt_dlp_that_is_killed_fails_one_video() {
    /// `sh -c 'kill -9 $$'` in place of whatever is asked.
    struct Killed;
    impl CommandRunner for Killed {
        fn run(&self, _: &CommandLine, stop: &dyn Fn() -> bool) -> Result<Output, CommandError> {
            SystemRunner.run(&CommandLine::new("sh", ["-c", "kill -9 $$"]), stop)
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let options = YtDlpOptions::default();
    let fetched =
        YtDlp::new(options, folder.path(), Killed).fetch(&"dQw4w9WgXcQ".parse().unwrap(), &pt(), &|| false);
    let Outcome::Failed { reason } = fetched.unwrap().outcome else { panic!("no failure") };
    assert_eq!(reason, "yt-dlp did not end by itself: killed by signal 9");
}

#[test]
fn without_yt_dlp_nothing_is_taken_for_an_outcome() {
    let folder = tempfile::tempdir().unwrap();
    let options = YtDlpOptions::default().with_program("/não/há/yt-dlp");
    let yt_dlp = YtDlp::new(options, folder.path(), SystemRunner);
    let fetched = yt_dlp.fetch(&"dQw4w9WgXcQ".parse().unwrap(), &pt(), &|| false);
    let Err(Error::Command { source: CommandError::NotFound { .. } }) = &fetched else {
        panic!("{fetched:?}")
    };
    let mut job = Job::new("https://www.youtube.com/@canal".parse().unwrap(), pt(), JobOptions::default());
    let before = job.clone();
    assert!(job.step(&yt_dlp, UnixTime::default(), &|| false).is_err());
    assert_eq!(job.lists(), before.lists(), "it can go on once yt-dlp is there");
}

#[test]
fn a_channel_of_forty_is_taken_in_across_a_limit_and_a_stop() {
    let stage = Stage::new();
    let id = |number: usize| format!("vid{number:08}");
    let mut entries = String::new();
    for number in 0..40 {
        let comma = if number == 0 { "" } else { ", " };
        write!(entries, r#"{comma}{{"id": "{}", "title": "V {number}"}}"#, id(number)).unwrap();
        let json = ONE_TRACK.replace("ID", &id(number)).replace("pt-orig", "pt-PT");
        stage.put(&format!("{}.out", id(number)), &json).put(&format!("{}.vtt", id(number)), CAPTIONS);
    }
    stage.put("videos.out", &format!(r#"{{"channel": "Canal", "entries": [{entries}]}}"#));
    stage.put(&format!("{}.track.code", id(20)), "1");
    stage.put(&format!("{}.track.err", id(20)), "ERROR: HTTP Error 429: Too Many Requests");
    stage.put(&format!("{}.out", id(7)), "").put(&format!("{}.code", id(7)), "1");
    stage.put(
        &format!("{}.err", id(7)),
        "ERROR: [youtube] x: Private video. Sign in if you've been granted access",
    );

    let yt_dlp = stage.yt_dlp();
    let options = JobOptions::default().with_tabs([ChannelTab::Videos]);
    let mut job = Job::new("https://www.youtube.com/@canal".parse().unwrap(), pt(), options);
    let mut now = UnixTime::from_secs(1_800_000_000);
    let mut kept = Vec::new();
    let mut stops = 0;
    // The user says stop while the tenth is fetched.
    let told = Error::from(CommandError::Stopped { program: "yt-dlp".into() }).to_string();
    let mut was_told = false;
    loop {
        let stored = serde_json::to_vec(&job).unwrap();
        job = serde_json::from_slice(&stored).unwrap();
        let stop = || kept.len() == 9 && !was_told;
        match job.step(&yt_dlp, now, &stop) {
            Err(error) => {
                assert_eq!(
                    error.to_string(),
                    told.replace("yt-dlp", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake/yt-dlp"))
                );
                was_told = true;
            }
            Ok(Step::Video { id: video, fetched }) => {
                if fetched.captions.is_some() {
                    kept.push(video.to_string());
                }
                now = now.plus(Duration::from_secs(1));
                job.record(&video, fetched.outcome, now);
            }
            Ok(Step::Listed { .. }) => {}
            Ok(Step::Wait(pause)) => now = now.plus(pause),
            Ok(Step::Stopped { reason, until }) => {
                assert_eq!(reason, Stop::RateLimit);
                assert_eq!(kept.len(), 19, "all before it but the private one");
                stops += 1;
                stage.put(&format!("{}.track.code", id(20)), "0").put(&format!("{}.track.err", id(20)), "");
                now = until;
            }
            Ok(Step::Finished) => break,
            Ok(other) => panic!("{other:?}"),
        }
    }
    let expected: Vec<String> = (0..40).filter(|number| *number != 7).map(id).collect();
    assert_eq!(kept, expected, "each once, in order");
    assert_eq!((stops, was_told), (1, true));
    let progress = job.progress(now);
    assert_eq!((progress.done, progress.captions, progress.left), (40, 39, 0));
    assert_eq!(job.title(), Some("Canal"));
    let tracks = stage.log().iter().filter(|line| line.contains("--load-info-json")).count();
    assert_eq!(tracks, 40, "one track each, and one more for the limit");
}
