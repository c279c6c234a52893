//! The real yt-dlp, whose path stands in `TUSAB_YTDLP`, against a server on 127.0.0.1.

use std::time::{Duration, Instant};

use tusab_ingest::{
    CommandError, CommandLine, CommandRunner, Content, Doctor, Error, Fetched, Job, JobOptions, ListOutcome,
    Notes, Outcome, Output, RuntimeKind, Step, SystemRunner, TrackKind, VideoId, Wanted, YouTubeUrl, YtDlp,
};

use crate::site::{self, Answer, Site, WithSite};

const CAPTIONS: &str = "WEBVTT\n\n00:00.000 --> 00:02.000\nA taxa de juros subiu.\n";

struct Setting {
    site: Site,
    folder: tempfile::TempDir,
}

impl Setting {
    fn new() -> Self {
        Self { site: Site::start(), folder: tempfile::tempdir().unwrap() }
    }

    fn yt_dlp(&self) -> YtDlp {
        YtDlp::new(site::options(), self.folder.path(), self.site.runner())
    }

    fn video(&self, id: &str, json: &str) -> VideoId {
        self.site.body(&format!("/video/{id}.json"), json);
        id.parse().unwrap()
    }

    fn fetch(&self, id: &str, json: &str) -> Fetched {
        let video = self.video(id, json);
        self.yt_dlp().fetch(&video, &pt(), &never).unwrap()
    }
}

fn pt() -> Wanted {
    Wanted::new("pt".parse().unwrap())
}

fn never() -> bool {
    false
}

#[test]
#[ignore = "needs yt-dlp: scripts/test.sh runs it"]
fn a_video_gives_one_track_and_what_is_known_of_it() {
    let setting = Setting::new();
    setting.site.body("/pt.vtt", CAPTIONS).body("/en.vtt", CAPTIONS).body("/auto.vtt", CAPTIONS);
    let fetched = setting.fetch(
        "dQw4w9WgXcQ",
        r#"{"title": "Juros: o que são? ação", "upload_date": "20240229", "duration": 600, "language": "pt",
        "channel": "Canal", "tags": ["economia"], "description": "a ||| b",
        "chapters": [{"start_time": 0, "title": "Abertura"}, {"start_time": 120, "title": "Juros"}],
        "formats": [{"url": "{site}/v.mp4", "ext": "mp4"}],
        "subtitles": {"en": [{"ext": "vtt", "url": "{site}/en.vtt"}],
            "pt-BR": [{"ext": "json3", "url": "{site}/pt.json3"}, {"ext": "vtt", "url": "{site}/pt.vtt"}]},
        "automatic_captions": {"pt-BR": [{"ext": "vtt", "url": "{site}/auto.vtt"}],
            "pt-orig": [{"ext": "vtt", "url": "{site}/auto.vtt"}],
            "es": [{"ext": "vtt", "url": "{site}/auto.vtt?tlang=es"}]}}"#,
    );
    let Outcome::Captions { track } = &fetched.outcome else { panic!("{fetched:?}") };
    assert_eq!((track.name.as_str(), track.kind), ("pt-BR", TrackKind::Manual));
    assert_eq!(fetched.captions.as_ref().unwrap().bytes, CAPTIONS.as_bytes());
    assert_eq!(setting.site.log(), ["/video/dQw4w9WgXcQ.json", "/pt.vtt"], "one look, one track");

    let source = fetched.source(Notes::default()).unwrap().unwrap();
    assert!(source.warnings.is_empty(), "{:?}", source.warnings);
    let source = source.value;
    assert_eq!(source.title.as_deref(), Some("Juros: o que são? ação"));
    assert_eq!(source.date.unwrap().to_string(), "2024-02-29");
    assert_eq!(source.link.as_deref(), Some("https://www.youtube.com/watch?v=dQw4w9WgXcQ"));
    assert_eq!(source.tags, ["economia"]);
    assert_eq!(
        source.track_kind(),
        Some(TrackKind::Manual),
        "although there is an automatic one of that name"
    );
    let Content::Captions { captions, chapters } = source.content else { panic!("captions") };
    assert_eq!(captions.cues.len(), 1);
    assert_eq!(chapters.len(), 2);
    assert_eq!(std::fs::read_dir(setting.folder.path()).unwrap().count(), 0, "nothing is left behind");
}

#[test]
#[ignore = "needs yt-dlp: scripts/test.sh runs it"]
fn hls_subtitles_come_through_the_generic_extractor() {
    let setting = Setting::new();
    setting
        .site
        .body(
            "/aula/master.m3u8",
            "#EXTM3U\n\
             #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"P\",LANGUAGE=\"pt-BR\",URI=\"pt.m3u8\"\n\
             #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"E\",LANGUAGE=\"en\",URI=\"en.m3u8\"\n\
             #EXT-X-STREAM-INF:BANDWIDTH=100000,SUBTITLES=\"s\"\nvideo.m3u8\n",
        )
        .body(
            "/aula/pt.m3u8",
            "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n1.vtt\n#EXTINF:6,\n2.vtt\n#EXT-X-ENDLIST\n",
        )
        .body(
            "/aula/1.vtt",
            "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n\n00:01.000 --> 00:03.000\nBom dia.\n",
        )
        .body(
            "/aula/2.vtt",
            "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n\n00:07.000 --> 00:09.000\nAté amanhã.\n",
        );
    let page = setting.site.url("/aula/master.m3u8").parse().unwrap();
    let fetched = setting.yt_dlp().fetch_page(&page, &pt(), &never).unwrap();
    assert!(fetched.outcome.is_captions(), "{:?}", fetched.outcome);
    let source = fetched.source(Notes::default()).unwrap().unwrap().value;
    let Content::Captions { captions, .. } = source.content else { panic!("captions") };
    let said: Vec<_> = captions.cues.iter().map(|cue| (cue.span().start().as_millis(), cue.text())).collect();
    assert_eq!(said, [(1000, "Bom dia."), (7000, "Até amanhã.")]);
    assert_eq!(setting.site.take_log("/aula/en"), [""; 0], "the other language is not asked for");
}

const ONE_TRACK: &str = r#"{"formats": [{"url": "{site}/v.mp4"}], "subtitles": {"pt": [{"ext": "vtt", "url": "{site}/pt.vtt"}]}}"#;

#[test]
#[ignore = "needs yt-dlp: scripts/test.sh runs it"]
fn dash_subtitles_come_through_the_generic_extractor() {
    let setting = Setting::new();
    let text = |id: &str, language: &str| {
        format!(
            r#"<AdaptationSet contentType="text" mimeType="text/vtt" lang="{language}">
            <Representation id="{id}" bandwidth="100"><BaseURL>{id}.vtt</BaseURL></Representation></AdaptationSet>"#
        )
    };
    let manifest = format!(
        r#"<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT9S">
        <Period><AdaptationSet mimeType="video/mp4"><Representation id="v" bandwidth="1000" width="2" height="2">
        <BaseURL>v.mp4</BaseURL></Representation></AdaptationSet>{}{}</Period></MPD>"#,
        text("ingles", "en"),
        text("portugues", "pt-BR"),
    );
    setting.site.body("/aula.mpd", manifest).body("/portugues.vtt", CAPTIONS).body("/ingles.vtt", CAPTIONS);
    let page = setting.site.url("/aula.mpd").parse().unwrap();
    let fetched = setting.yt_dlp().fetch_page(&page, &pt(), &never).unwrap();
    assert!(fetched.outcome.is_captions(), "{:?}", fetched.outcome);
    assert_eq!(fetched.captions.unwrap().bytes, CAPTIONS.as_bytes());
    assert_eq!(setting.site.take_log("/ingles"), [""; 0], "the other language is not asked for");
}

#[test]
#[ignore = "needs yt-dlp: scripts/test.sh runs it"]
fn hls_subtitles_of_a_video_come_whole_or_not_at_all() {
    let setting = Setting::new();
    setting
        .site
        .body(
            "/m.m3u8",
            "#EXTM3U\n#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"P\",LANGUAGE=\"pt\",URI=\"pt.m3u8\"\n\
             #EXT-X-STREAM-INF:BANDWIDTH=100000,SUBTITLES=\"s\"\nvideo.m3u8\n",
        )
        .body(
            "/pt.m3u8",
            "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n1.vtt\n#EXTINF:6,\n2.vtt\n#EXT-X-ENDLIST\n",
        )
        .body("/1.vtt", CAPTIONS)
        .body("/2.vtt", CAPTIONS.replace("00:00.000 --> 00:02", "00:07.000 --> 00:09"));
    let fetched = setting.fetch("hls00000001", r#"{"hls": "{site}/m.m3u8"}"#);
    assert!(fetched.outcome.is_captions(), "{:?}", fetched.outcome);
    for answer in [Answer::Status(404, String::new()), Answer::Cut(CAPTIONS.to_owned())] {
        setting.site.serve("/2.vtt", answer);
        let fetched = setting.fetch("hls00000001", r#"{"hls": "{site}/m.m3u8"}"#);
        assert_eq!(fetched.captions, None, "half of the captions are not the captions");
        assert!(!fetched.outcome.is_captions(), "{:?}", fetched.outcome);
    }
}

#[test]
#[ignore = "needs yt-dlp: scripts/test.sh runs it"]
fn what_cannot_be_had_is_an_outcome() {
    let setting = Setting::new();
    let reason = |reason: &str| format!(r#"{{"reason": "{reason}"}}"#);
    for (id, json, expected) in [
        ("private0001", reason("Private video. Sign in if you've been granted access to this video"), "private"),
        ("deleted0001", reason("Video unavailable. This video has been removed by the uploader"), "deleted"),
        ("members0001", reason("Join this channel to get access to members-only content like this video"), "members_only"),
        ("age00000001", reason("Sign in to confirm your age. This video may be inappropriate for some users."), "age_restricted"),
        ("robot000001", reason("Sign in to confirm you\u{2019}re not a bot. Use --cookies-from-browser or --cookies"), "needs_cookies"),
        ("blocked0001", reason("The uploader has not made this video available in your country"), "unavailable"),
        ("often000001", reason("This content isn't available, try again later. The current session has been rate-limited by YouTube for up to an hour."), "rate_limited"),
        ("live0000001", r#"{"live_status": "is_live", "formats": [{"url": "{site}/v.mp4"}]}"#.to_owned(), "live"),
        ("upcoming001", r#"{"live_status": "is_upcoming", "release_timestamp": 1900000000, "reason": "Premieres in 3 years"}"#.to_owned(), "upcoming"),
        ("nothing0001", r#"{"formats": [{"url": "{site}/v.mp4"}]}"#.to_owned(), "no_captions"),
        ("token000001", r#"{"formats": [{"url": "{site}/v.mp4"}], "warnings": ["There are missing subtitles languages because a PO token was not provided. Automatic captions for 1 languages are missing."]}"#.to_owned(), "needs_po_token"),
        ("another0001", r#"{"id": "dQw4w9WgXcQ"}"#.to_owned(), "failed"),
        ("broken00001", "<html>".to_owned(), "failed"),
    ] {
        let fetched = setting.fetch(id, &json);
        assert_eq!(fetched.outcome.as_str(), expected, "{id}: {:?}", fetched.outcome);
        assert_eq!(fetched.captions, None);
        let log = setting.site.take_log("/");
        assert_eq!(log, [format!("/video/{id}.json")], "{id}: asked once");
    }
    let fetched =
        setting.fetch("upcoming001", r#"{"live_status": "is_upcoming", "release_timestamp": 1900000000}"#);
    assert_eq!(
        fetched.outcome,
        Outcome::Upcoming { when: Some(tusab_ingest::UnixTime::from_secs(1_900_000_000)) }
    );
    let other = r#"{"subtitles": {"en": [{"ext": "vtt", "url": "{site}/en.vtt"}]},
        "automatic_captions": {"en-orig": [{"ext": "vtt", "url": "{site}/en.vtt"}],
        "pt": [{"ext": "vtt", "url": "{site}/en.vtt?tlang=pt"}]}}"#;
    let Outcome::NoCaptions { available } = setting.fetch("english0001", other).outcome else { panic!() };
    let names: Vec<_> = available.iter().map(|track| (track.name.as_str(), track.kind)).collect();
    assert_eq!(names, [("en", TrackKind::Manual), ("en-orig", TrackKind::Automatic)]);
    // The page of the video itself is refused.
    setting.site.serve("/video/often000002.json", Answer::Status(429, String::new()));
    let fetched = setting.yt_dlp().fetch(&"often000002".parse().unwrap(), &pt(), &never).unwrap();
    assert_eq!(fetched.outcome, Outcome::RateLimited { retry_after: None });
    // As is one that the site does not know.
    let fetched = setting.yt_dlp().fetch(&"unknown0001".parse().unwrap(), &pt(), &never).unwrap();
    assert_eq!(fetched.outcome.as_str(), "unavailable");
}

#[test]
#[ignore = "needs yt-dlp: scripts/test.sh runs it"]
fn a_track_that_does_not_come_is_asked_for_once() {
    let setting = Setting::new();
    for (answer, expected) in [
        (Answer::Status(429, String::new()), "rate_limited"),
        (Answer::Status(403, String::new()), "failed"),
        (Answer::Body(String::new()), "failed"),
    ] {
        setting.site.serve("/pt.vtt", answer);
        let fetched = setting.fetch("dQw4w9WgXcQ", ONE_TRACK);
        assert_eq!(fetched.outcome.as_str(), expected, "{:?}", fetched.outcome);
        assert_eq!(fetched.captions, None);
        let log = setting.site.take_log("/");
        assert_eq!(log, ["/video/dQw4w9WgXcQ.json", "/pt.vtt"], "the site is not asked again");
    }
}

#[test]
#[ignore = "needs yt-dlp: scripts/test.sh runs it"]
fn a_server_in_trouble_is_asked_twice_at_most() {
    let setting = Setting::new();
    setting.site.serve("/pt.vtt", Answer::Status(503, String::new()));
    assert_eq!(setting.fetch("dQw4w9WgXcQ", ONE_TRACK).outcome.as_str(), "failed");
    assert_eq!(setting.site.take_log("/pt.vtt"), ["/pt.vtt"; 2]);
}

#[test]
#[ignore = "needs yt-dlp: scripts/test.sh runs it"]
fn a_body_that_ends_too_early_is_no_caption_file() {
    let setting = Setting::new();
    setting.site.serve("/pt.vtt", Answer::Cut(CAPTIONS.to_owned()));
    let fetched = setting.fetch("dQw4w9WgXcQ", ONE_TRACK);
    assert_eq!(fetched.outcome.as_str(), "failed", "{:?}", fetched.outcome);
}

#[test]
#[ignore = "needs yt-dlp: scripts/test.sh runs it"]
fn a_site_that_says_nothing_ends_at_the_deadline_or_when_told() {
    let setting = Setting::new();
    setting.site.serve("/video/dQw4w9WgXcQ.json", Answer::Hang);
    let id: VideoId = "dQw4w9WgXcQ".parse().unwrap();
    // Told to stop once the request is there.
    let waits = || !setting.site.log().is_empty();
    let stopped = setting.yt_dlp().fetch(&id, &pt(), &waits);
    assert!(matches!(stopped, Err(Error::Command { source: CommandError::Stopped { .. } })), "{stopped:?}");

    setting.site.take_log("/");
    let options = site::options().with_deadlines(Duration::from_secs(3), Duration::from_secs(3));
    let yt_dlp = YtDlp::new(options, setting.folder.path(), setting.site.runner());
    let started = Instant::now();
    let Outcome::Failed { reason } = yt_dlp.fetch(&id, &pt(), &never).unwrap().outcome else {
        panic!("no failure")
    };
    assert!(reason.contains("within 3 s"), "{reason}");
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
#[ignore = "needs yt-dlp: scripts/test.sh runs it"]
fn a_channel_and_its_tabs_are_listed_without_looking_at_videos() {
    let setting = Setting::new();
    let title = "Juros ||| \u{200e}ação \u{1f600}";
    setting
        .site
        .body(
            "/list/@a%C3%A7%C3%A3o/videos.json",
            format!(
                r#"{{"title": "Canal - Videos", "channel": "Canal", "channel_id": "UCuAXFkgsw1L7xaCfnd5JJOw", "entries": [
            {{"_type": "url", "ie_key": "Youtube", "id": "aaaaaaaaaa1", "url": "https://www.youtube.com/watch?v=aaaaaaaaaa1", "title": "{title}", "duration": 61, "timestamp": 1700000000}},
            {{"_type": "url", "id": "aaaaaaaaaa2", "url": "https://www.youtube.com/watch?v=aaaaaaaaaa2", "title": "[Private video]"}},
            {{"_type": "url", "id": "aaaaaaaaaa3", "url": "https://www.youtube.com/watch?v=aaaaaaaaaa3", "title": "[Deleted video]"}},
            {{"_type": "url", "id": "aaaaaaaaaa4", "url": "https://www.youtube.com/watch?v=aaaaaaaaaa4", "title": "E", "live_status": "is_upcoming", "release_timestamp": 1900000000}},
            {{"_type": "url", "id": "aaaaaaaaaa5", "url": "https://www.youtube.com/watch?v=aaaaaaaaaa5", "title": "S", "availability": "subscriber_only"}}]}}"#
            ),
        )
        .body("/list/@a%C3%A7%C3%A3o/shorts.json", r#"{"reason": "This channel does not have a shorts tab"}"#)
        .body("/list/@a%C3%A7%C3%A3o/streams.json", r#"{"entries": [{"_type": "url", "id": "aaaaaaaaaa6", "url": "https://www.youtube.com/watch?v=aaaaaaaaaa6", "title": "A", "live_status": "is_live"}]}"#)
        .body("/list/@a%C3%A7%C3%A3o/podcasts.json", r#"{"entries": [{"_type": "url", "ie_key": "YoutubeTab", "id": "PL0123456789", "url": "https://www.youtube.com/playlist?list=PL0123456789", "title": "P"}]}"#)
        .body("/list/playlist/PL0123456789.json", r#"{"entries": []}"#)
        .body("/list/@a%C3%A7%C3%A3o/courses.json", r#"{"reason": "This channel does not exist."}"#)
        .serve("/list/@a%C3%A7%C3%A3o/playlists.json", Answer::Status(429, String::new()));
    let yt_dlp = setting.yt_dlp();
    let list = |path: &str| {
        let url: YouTubeUrl = format!("https://www.youtube.com/{path}").parse().unwrap();
        yt_dlp.list(&url, None, &never).unwrap()
    };
    let ListOutcome::Listed(videos) = list("@ação/videos") else { panic!("not listed") };
    assert_eq!(videos.channel_id.as_deref(), Some("UCuAXFkgsw1L7xaCfnd5JJOw"));
    assert_eq!(videos.videos[0].title.as_deref(), Some(title), "as it stands, whatever the code page");
    assert_eq!(videos.videos[0].published, Some(tusab_ingest::UnixTime::from_secs(1_700_000_000)));
    let seen: Vec<_> =
        videos.videos.iter().map(|video| video.seen.as_ref().map_or("", Outcome::as_str)).collect();
    assert_eq!(seen, ["", "private", "deleted", "upcoming", "members_only"]);
    assert_eq!(list("@ação/shorts"), ListOutcome::NoSuchTab);
    let ListOutcome::Listed(streams) = list("@ação/streams") else { panic!("not listed") };
    assert_eq!(streams.videos[0].seen, Some(Outcome::Live));
    let ListOutcome::Listed(podcasts) = list("@ação/podcasts") else { panic!("not listed") };
    assert_eq!(podcasts.playlists, ["PL0123456789".parse().unwrap()]);
    let ListOutcome::Listed(empty) = list("playlist?list=PL0123456789") else { panic!("not listed") };
    assert!(empty.videos.is_empty(), "an empty list is no failure");
    assert_eq!(list("@ação/courses"), ListOutcome::Refused(Outcome::Deleted));
    assert_eq!(list("@ação/playlists"), ListOutcome::Refused(Outcome::RateLimited { retry_after: None }));
    assert_eq!(setting.site.take_log("/video"), [""; 0], "no video was looked at");

    let url = "https://www.youtube.com/@ação/videos".parse().unwrap();
    let ListOutcome::Listed(first) = yt_dlp.list(&url, Some(2), &never).unwrap() else {
        panic!("not listed")
    };
    assert_eq!(first.videos.len(), 2);
}

#[test]
#[ignore = "needs yt-dlp: scripts/test.sh runs it"]
fn neither_a_configuration_nor_a_proxy_reaches_yt_dlp() {
    /// What an unlucky environment looks like.
    struct Unlucky(WithSite, std::path::PathBuf);
    impl CommandRunner for Unlucky {
        fn run(&self, line: &CommandLine, stop: &dyn Fn() -> bool) -> Result<Output, CommandError> {
            for name in ["http_proxy", "HTTPS_PROXY", "ALL_PROXY"] {
                assert!(line.without.iter().any(|without| without == name), "{name} is kept away");
            }
            let line = line.clone().with_variable("XDG_CONFIG_HOME", &self.1).with_variable("HOME", &self.1);
            self.0.run(&line, stop)
        }
    }
    let setting = Setting::new();
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("yt-dlp")).unwrap();
    // Nobody answers at port 9; and the second line alone would end yt-dlp at once.
    let config = "--proxy http://127.0.0.1:9\n--no-such-option\n";
    std::fs::write(home.path().join("yt-dlp/config"), config).unwrap();
    setting.site.body("/pt.vtt", CAPTIONS);
    let id = setting.video("dQw4w9WgXcQ", ONE_TRACK);
    let runner = Unlucky(setting.site.runner(), home.path().to_owned());
    let fetched =
        YtDlp::new(site::options(), setting.folder.path(), runner).fetch(&id, &pt(), &never).unwrap();
    assert!(fetched.outcome.is_captions(), "{:?}", fetched.outcome);
}

#[test]
#[ignore = "needs yt-dlp: scripts/test.sh runs it"]
fn what_yt_dlp_says_is_utf8_whatever_the_environment_asks_for() {
    /// The environment of a system with another code page.
    struct OtherCodePage(WithSite);
    impl CommandRunner for OtherCodePage {
        fn run(&self, line: &CommandLine, stop: &dyn Fn() -> bool) -> Result<Output, CommandError> {
            let mut line = line.clone();
            line.variables.insert(0, ("PYTHONIOENCODING".into(), "latin-1".into()));
            self.0.run(&line, stop)
        }
    }
    let setting = Setting::new();
    let id = setting.video("dQw4w9WgXcQ", r#"{"reason": "Não disponível na sua região"}"#);
    let runner = OtherCodePage(setting.site.runner());
    let fetched =
        YtDlp::new(site::options(), setting.folder.path(), runner).fetch(&id, &pt(), &never).unwrap();
    let Outcome::Unavailable { reason } = fetched.outcome else { panic!("{:?}", fetched.outcome) };
    assert!(reason.contains("Não disponível na sua região"), "{reason}");
}

#[test]
#[ignore = "needs yt-dlp: scripts/test.sh runs it"]
fn dates_outside_the_range_are_told_and_their_captions_left() {
    let setting = Setting::new();
    setting.site.body("/pt.vtt", CAPTIONS);
    let wanted = pt().with_dates(Some("2024-01-01".parse().unwrap()), Some("2024-12-31".parse().unwrap()));
    let yt_dlp = setting.yt_dlp();
    let fetch = |id: &str, date: &str| {
        let date = format!(r#"{{"upload_date": "{date}", "#);
        yt_dlp.fetch(&setting.video(id, &ONE_TRACK.replacen('{', &date, 1)), &wanted, &never).unwrap().outcome
    };
    let published = |date: &str| Outcome::OutOfRange { published: Some(date.parse().unwrap()) };
    assert_eq!(fetch("before00001", "20231231"), published("2023-12-31"));
    assert_eq!(fetch("after000001", "20250101"), published("2025-01-01"));
    assert_eq!(setting.site.take_log("/pt.vtt"), [""; 0]);
    assert!(fetch("inside00001", "20240101").is_captions());
    assert!(fetch("inside00002", "20241231").is_captions());
    let unknown = yt_dlp.fetch(&setting.video("unknown0002", ONE_TRACK), &wanted, &never).unwrap().outcome;
    assert_eq!(unknown, Outcome::OutOfRange { published: None });
    // Why a video cannot be watched is told before its date is missed.
    let private = r#"{"reason": "Private video. Sign in if you've been granted access to this video"}"#;
    let private = yt_dlp.fetch(&setting.video("private0001", private), &wanted, &never).unwrap().outcome;
    assert_eq!(private, Outcome::Private);
}

#[test]
#[ignore = "needs yt-dlp: scripts/test.sh runs it"]
fn a_folder_with_signs_that_yt_dlp_expands_is_no_hindrance() {
    let setting = Setting::new();
    setting.site.body("/pt.vtt", CAPTIONS);
    let odd = setting.folder.path().join("~ $HOME %(title)s é");
    let id = setting.video("-Qw4w9WgXcQ", ONE_TRACK);
    let yt_dlp = YtDlp::new(site::options(), odd, setting.site.runner());
    let fetched = yt_dlp.fetch(&id, &pt(), &never).unwrap();
    assert!(fetched.outcome.is_captions(), "{:?}", fetched.outcome);
}

#[test]
#[ignore = "needs yt-dlp: scripts/test.sh runs it"]
fn a_whole_channel_is_taken_in() {
    let setting = Setting::new();
    let entry = |id: &str, more: &str| {
        format!(
            r#"{{"_type": "url", "id": "{id}", "url": "https://www.youtube.com/watch?v={id}", "title": "{id}"{more}}}"#
        )
    };
    let list = |entries: &[String]| format!(r#"{{"channel": "Canal", "entries": [{}]}}"#, entries.join(", "));
    let videos = [
        entry("manual00001", ""),
        entry("private0001", ""),
        entry("upcoming001", r#", "live_status": "is_upcoming", "release_timestamp": 1900000000"#),
        entry("english0001", ""),
    ];
    setting
        .site
        .body("/list/@canal/videos.json", list(&videos))
        .body("/list/@canal/shorts.json", r#"{"reason": "This channel does not have a shorts tab"}"#)
        .body("/list/@canal/streams.json", list(&[entry("stream00001", r#", "live_status": "was_live""#)]))
        .body("/pt.vtt", CAPTIONS);
    setting.video("manual00001", ONE_TRACK);
    setting.video("stream00001", ONE_TRACK);
    setting.video(
        "private0001",
        r#"{"reason": "Private video. Sign in if you've been granted access to this video"}"#,
    );
    setting.video("english0001", r#"{"formats": [{"url": "{site}/v"}], "subtitles": {"en": [{"ext": "vtt", "url": "{site}/en.vtt"}]}}"#);
    let yt_dlp = setting.yt_dlp();
    let mut job = Job::new("https://www.youtube.com/@canal".parse().unwrap(), pt(), JobOptions::default());
    let mut now = tusab_ingest::UnixTime::from_secs(1_800_000_000);
    loop {
        match job.step(&yt_dlp, now, &never).unwrap() {
            Step::Video { id, fetched } => job.record(&id, fetched.outcome, now),
            Step::Wait(pause) => now = now.plus(pause),
            Step::Listed { .. } => {}
            Step::Finished => break,
            other => panic!("{other:?}"),
        }
    }
    let outcomes: Vec<_> = job
        .videos()
        .iter()
        .map(|video| (video.listed.id.as_str(), video.outcome.as_ref().map_or("", Outcome::as_str)))
        .collect();
    let expected = [
        ("manual00001", "captions"),
        ("private0001", "private"),
        ("upcoming001", "upcoming"),
        ("english0001", "no_captions"),
        ("stream00001", "captions"),
    ];
    assert_eq!(outcomes, expected);
    assert_eq!(setting.site.take_log("/video/upcoming").len(), 0, "the listing has told enough");
}

#[test]
#[ignore = "needs yt-dlp: scripts/test.sh runs it"]
fn the_real_program_tells_its_version_and_takes_every_runtime() {
    let setting = Setting::new();
    let program = site::options().program;
    let now = tusab_ingest::UnixTime::from_secs(1_793_000_000); // 2026-10-26
    let doctor = Doctor::examine(&SystemRunner, &program, now);
    assert!(doctor.yt_dlp.is_ok(), "{doctor}");
    assert_eq!(doctor.yt_dlp_remedy(), None, "{doctor}");
    // yt-dlp refuses a runtime that it does not know before anything else.
    setting.site.body("/pt.vtt", CAPTIONS);
    for kind in RuntimeKind::ALL {
        let options = site::options().with_javascript(kind, Some("/opt/um lugar/x".into()));
        let id = setting.video("dQw4w9WgXcQ", ONE_TRACK);
        let fetched = YtDlp::new(options, setting.folder.path(), setting.site.runner())
            .fetch(&id, &pt(), &never)
            .unwrap();
        assert!(fetched.outcome.is_captions(), "{kind}: {:?}", fetched.outcome);
    }
}

/// What YouTube's player is told of a video that can be watched, with captions at the given address.
fn player_response(id: &str, captions: &str) -> String {
    let track = |language: &str, kind: &str, name: &str| {
        format!(
            r#"{{"baseUrl": "{captions}?v={id}&lang={language}&kind={kind}", "languageCode": "{language}", "kind": "{kind}",
            "vssId": "{}.{language}", "name": {{"simpleText": "{name}"}}, "isTranslatable": true}}"#,
            if kind == "asr" { "a" } else { "" }
        )
    };
    let languages = ["pt", "pt-PT", "en", "es"]
        .map(|code| format!(r#"{{"languageCode": "{code}", "languageName": {{"simpleText": "{code}"}}}}"#))
        .join(", ");
    format!(
        r#"{{"playabilityStatus": {{"status": "OK"}},
        "videoDetails": {{"videoId": "{id}", "title": "Juros", "lengthSeconds": "9"}},
        "streamingData": {{"formats": [{{"itag": 18, "url": "{{site}}/v.mp4", "mimeType": "video/mp4; codecs=\"avc1, mp4a\""}}]}},
        "captions": {{"playerCaptionsTracklistRenderer": {{"captionTracks": [{}, {}], "translationLanguages": [{languages}]}}}}}}"#,
        track("en", "", "English"),
        track("LANG", "asr", "auto"),
    )
}

#[test]
#[ignore = "needs yt-dlp: scripts/test.sh runs it"]
fn its_own_extractor_for_youtube_is_understood() {
    let setting = Setting::new();
    setting.site.body("/api/timedtext", CAPTIONS);
    let captions = "{site}/api/timedtext";
    // Heard in Portuguese, with a manual English track and translations on offer.
    let heard = player_response("yt000000001", captions).replace("LANG", "pt");
    let fetched = setting.fetch("yt000000001", &heard);
    let Outcome::Captions { track } = &fetched.outcome else { panic!("{:?}", fetched.outcome) };
    assert_eq!((track.name.as_str(), track.kind), ("pt-orig", TrackKind::Automatic));
    let asked = setting.site.take_log("/api/timedtext");
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert!(
        asked[0].contains("lang=pt") && asked[0].contains("fmt=vtt") && !asked[0].contains("tlang"),
        "{asked:?}"
    );
    // Heard in Spanish: there is `pt` too, and it is a translation.
    let heard = player_response("yt000000002", captions).replace("LANG", "es");
    let Outcome::NoCaptions { available } = setting.fetch("yt000000002", &heard).outcome else {
        panic!("pt is none")
    };
    let names: Vec<_> = available.iter().map(|track| (track.name.as_str(), track.kind)).collect();
    let expected =
        [("en", TrackKind::Manual), ("es", TrackKind::Automatic), ("es-orig", TrackKind::Automatic)];
    assert_eq!(names, expected);
    // The experiment for which captions need a proof of origin.
    let heard = player_response("yt000000003", &format!("{captions}?exp=xpe"));
    let heard = heard.replace("?v=", "&v=").replace("LANG", "pt");
    assert_eq!(setting.fetch("yt000000003", &heard).outcome, Outcome::NeedsPoToken);
    assert_eq!(setting.site.take_log("/api/timedtext"), [""; 0]);
}

#[test]
#[ignore = "needs yt-dlp: scripts/test.sh runs it"]
fn what_its_own_extractor_says_of_refusals_is_understood() {
    let setting = Setting::new();
    for (id, status, reason, subreason, expected) in [
        (
            "ytprivate01",
            "LOGIN_REQUIRED",
            "Private video",
            "Sign in if you've been granted access to this video",
            "private",
        ),
        (
            "ytrobot0001",
            "LOGIN_REQUIRED",
            "Sign in to confirm you\u{2019}re not a bot",
            "This helps protect our community. Learn more",
            "needs_cookies",
        ),
        (
            "ytdeleted01",
            "ERROR",
            "Video unavailable",
            "This video has been removed by the uploader",
            "deleted",
        ),
        (
            "ytclosed001",
            "ERROR",
            "Video unavailable",
            "This video is no longer available because the YouTube account associated with this video has been terminated.",
            "deleted",
        ),
        (
            "ytblocked01",
            "ERROR",
            "Video unavailable",
            "The uploader has not made this video available in your country",
            "unavailable",
        ),
        (
            "ytoften0001",
            "ERROR",
            "Video unavailable",
            "This content isn't available, try again later.",
            "rate_limited",
        ),
        (
            "ytmembers01",
            "UNPLAYABLE",
            "Join this channel to get access to members-only content like this video, and other exclusive perks.",
            "",
            "members_only",
        ),
    ] {
        let response = format!(
            r#"{{"playabilityStatus": {{"status": "{status}", "reason": "{reason}", "errorScreen": {{"playerErrorMessageRenderer":
            {{"reason": {{"simpleText": "{reason}"}}, "subreason": {{"simpleText": "{subreason}"}}}}}}}}}}"#
        );
        let fetched = setting.fetch(id, &response);
        assert_eq!(fetched.outcome.as_str(), expected, "{id}: {:?}", fetched.outcome);
    }
    let upcoming = r#"{"playabilityStatus": {"status": "LIVE_STREAM_OFFLINE", "reason": "Premieres in 3 hours"},
        "videoDetails": {"videoId": "ytsoon00001", "title": "T", "isUpcoming": true, "isLiveContent": true},
        "microformat": {"playerMicroformatRenderer": {"liveBroadcastDetails": {"startTimestamp": "2030-03-17T17:46:40+00:00"}}}}"#;
    let when = Some(tusab_ingest::UnixTime::from_secs(1_900_000_000));
    assert_eq!(setting.fetch("ytsoon00001", upcoming).outcome, Outcome::Upcoming { when });
}
