//! A job as a value: order, pauses, stops, resuming. Nothing is run, nothing waits.

use std::num::NonZeroU32;
use std::time::Duration;

use serde_json::json;
use tusab_ingest::{
    Job, JobOptions, ListOutcome, ListState, ListedVideo, Listing, Next, Outcome, Pacing, Stop, Track,
    TrackKind, UnixTime, VideoId, Wanted, YouTubeUrl,
};

const CHANNEL: &str = "https://www.youtube.com/@canal";
const START: i64 = 1_800_000_000;

fn id(number: usize) -> VideoId {
    format!("vid{number:08}").parse().unwrap()
}

fn captions() -> Outcome {
    Outcome::Captions { track: Track::new("pt", TrackKind::Manual) }
}

/// A listing as it is read from yt-dlp.
fn listing(videos: impl IntoIterator<Item = usize>) -> ListOutcome {
    let mut listing = Listing::default();
    listing.videos.extend(videos.into_iter().map(|number| video(number, "")));
    ListOutcome::Listed(listing)
}

fn video(number: usize, more: &str) -> ListedVideo {
    let mut fields = json!({"id": id(number), "title": format!("Vídeo {number}{more}"), "duration": null,
        "published": null, "seen": null});
    if more == "members" {
        fields["seen"] = json!({"outcome": "members_only"});
    }
    serde_json::from_value(fields).unwrap()
}

/// Drives a job with a clock of its own, through storage and back before every step.
struct Driver {
    job: Job,
    now: UnixTime,
    asked: Vec<String>,
    waited: Vec<Duration>,
}

impl Driver {
    fn new(url: &str, options: JobOptions) -> Self {
        Self::wanting(url, options, Wanted::new("pt".parse().unwrap()))
    }

    fn wanting(url: &str, options: JobOptions, wanted: Wanted) -> Self {
        let job = Job::new(url.parse().unwrap(), wanted, options);
        Self { job, now: UnixTime::from_secs(START), asked: Vec::new(), waited: Vec::new() }
    }

    fn pass(&mut self, time: Duration) {
        self.now = self.now.plus(time);
    }

    /// Goes on until it is stopped or finished.
    fn run(
        &mut self,
        list: impl Fn(&YouTubeUrl) -> ListOutcome,
        fetch: impl Fn(&VideoId) -> Outcome,
    ) -> Next {
        for _ in 0..10_000 {
            let stored = serde_json::to_string(&self.job).unwrap();
            self.job = serde_json::from_str(&stored).unwrap();
            assert_eq!(serde_json::to_string(&self.job).unwrap(), stored, "nothing is lost in storage");
            match self.job.next(self.now) {
                Next::List(url) => {
                    self.asked.push(url.url());
                    self.pass(Duration::from_secs(2));
                    self.job.record_list(&url, list(&url), self.now);
                }
                Next::Fetch(id) => {
                    self.asked.push(id.to_string());
                    self.pass(Duration::from_secs(3));
                    self.job.record(&id, fetch(&id), self.now);
                }
                Next::Wait(pause) => {
                    self.waited.push(pause);
                    self.pass(pause);
                }
                over => return over,
            }
        }
        panic!("it never ends")
    }

    fn fetched(&self) -> Vec<&str> {
        self.asked.iter().filter(|asked| asked.starts_with("vid")).map(String::as_str).collect()
    }

    fn outcomes(&self) -> Vec<&str> {
        self.job.videos().iter().map(|video| video.outcome.as_ref().map_or("", Outcome::as_str)).collect()
    }
}

fn tab(url: &YouTubeUrl) -> String {
    url.url().rsplit('/').next().unwrap().to_owned()
}

#[test]
fn tabs_are_listed_first_and_every_video_is_fetched_once() {
    let mut driver = Driver::new(CHANNEL, JobOptions::default());
    let list = |url: &YouTubeUrl| match tab(url).as_str() {
        "videos" => listing([1, 2, 3]),
        "shorts" => ListOutcome::NoSuchTab,
        _ => listing([3, 4]),
    };
    assert_eq!(driver.run(list, |_| captions()), Next::Finished);
    let expected = [
        "https://www.youtube.com/@canal/videos",
        "https://www.youtube.com/@canal/shorts",
        "https://www.youtube.com/@canal/streams",
        "vid00000001",
        "vid00000002",
        "vid00000003",
        "vid00000004",
    ];
    assert_eq!(driver.asked, expected);
    let states: Vec<_> = driver.job.lists().iter().map(|list| list.state.clone().unwrap()).collect();
    let listed = |videos| ListState::Listed { videos, unreadable: 0, trouble: None };
    assert_eq!(states, [listed(3), ListState::NoSuchTab, listed(2)]);
    let progress = driver.job.progress(driver.now);
    assert_eq!((progress.videos, progress.done, progress.captions, progress.left), (4, 4, 4, 0));
    assert_eq!(progress.to_end, Some(Duration::ZERO));
}

#[test]
fn a_video_by_itself_is_fetched_at_once() {
    let mut driver = Driver::new("https://youtu.be/vid00000001", JobOptions::default());
    assert_eq!(driver.run(|_| listing([1]), |_| captions()), Next::Finished);
    assert_eq!(driver.waited, [Duration::ZERO; 0], "the listing of one video asks nobody");
}

#[test]
fn playlists_of_a_tab_are_listed_in_turn() {
    let mut driver = Driver::new("https://www.youtube.com/@canal/podcasts", JobOptions::default());
    let list = |url: &YouTubeUrl| {
        if matches!(url, YouTubeUrl::Playlist(_)) {
            return listing([1]);
        }
        let mut podcasts = Listing::default();
        podcasts.playlists.push("PL0123456789".parse().unwrap());
        ListOutcome::Listed(podcasts)
    };
    assert_eq!(driver.run(list, |_| captions()), Next::Finished);
    assert_eq!(driver.asked[1], "https://www.youtube.com/playlist?list=PL0123456789");
    assert_eq!(driver.fetched(), ["vid00000001"]);
}

#[test]
fn a_channel_without_tabs_is_listed_by_its_own_address() {
    let mut driver = Driver::new(CHANNEL, JobOptions::default());
    let list = |url: &YouTubeUrl| if url.url() == CHANNEL { listing([1]) } else { ListOutcome::NoSuchTab };
    assert_eq!(driver.run(list, |_| captions()), Next::Finished);
    assert_eq!(driver.asked[3..], [CHANNEL, "vid00000001"]);
    // Nor does it go round and round when that gives nothing.
    let mut driver = Driver::new(CHANNEL, JobOptions::default());
    assert_eq!(driver.run(|_| ListOutcome::NoSuchTab, |_| captions()), Next::Finished);
    assert_eq!(driver.asked.len(), 4);
}

#[test]
fn pauses_keep_to_the_rate() {
    let run = |pacing: Pacing| {
        let mut driver = Driver::new(
            "https://www.youtube.com/playlist?list=PL0123456789",
            JobOptions::default().with_pacing(pacing),
        );
        driver.run(|_| listing(0..60), |_| captions());
        driver
    };
    let driver = run(Pacing::default());
    let took = UnixTime::from_secs(START).until(driver.now);
    assert!(took > Duration::from_mins(15), "240 an hour are one each 15 s: {took:?}");
    let few = Pacing::default().with_per_hour(NonZeroU32::new(10_000).unwrap());
    let driver = run(few.clone());
    assert!(driver.waited.iter().all(|pause| (5.0..=10.0).contains(&pause.as_secs_f64())));
    assert!(driver.waited.windows(2).any(|pair| pair[0] != pair[1]), "no two pauses alike");
    assert_eq!(driver.waited, run(few.clone()).waited, "the same seed, the same pauses");
    assert_ne!(driver.waited, run(few.with_seed(1)).waited);
    let per_hour = driver.job.progress(driver.now).per_hour.unwrap();
    assert!((300.0..400.0).contains(&per_hour), "{per_hour}: 3 s and a pause of 7.5 s each");
}

#[test]
fn nothing_but_a_rate_limit_stops_it() {
    let mut driver =
        Driver::new(CHANNEL, JobOptions::default().with_tabs([tusab_ingest::ChannelTab::Videos]));
    let others = [
        Outcome::NoCaptions { available: vec![Track::new("en", TrackKind::Manual)] },
        Outcome::NeedsCookies,
        Outcome::NeedsPoToken,
        Outcome::MembersOnly,
        Outcome::Private,
        Outcome::Deleted,
        Outcome::Live,
        Outcome::Upcoming { when: Some(UnixTime::from_secs(START + 99_999)) },
        Outcome::AgeRestricted,
        Outcome::Unavailable { reason: "x".to_owned() },
        Outcome::OutOfRange { published: Some("2020-01-01".parse().unwrap()) },
        Outcome::Failed { reason: "y".to_owned() },
    ];
    let at = |id: &VideoId| id.as_str()[3..].parse::<usize>().unwrap();
    let is_limited = |id: &VideoId| at(id) == 36;
    let outcome = |id: &VideoId| others.get(at(id) % 13).cloned().unwrap_or_else(captions);
    let limited = Outcome::RateLimited { retry_after: Some(Duration::from_mins(30)) };
    let stopped =
        driver.run(|_| listing(0..200), |id| if is_limited(id) { limited.clone() } else { outcome(id) });
    let until = driver.now.plus(Duration::from_mins(30));
    assert_eq!(stopped, Next::Stopped { reason: Stop::RateLimit, until });
    assert_eq!(driver.fetched().len(), 37);
    let progress = driver.job.progress(driver.now);
    assert_eq!(progress.left, 164, "the one that was refused stays in the queue");
    let at_the_rate = Duration::from_secs_f64(164.0 * 3600.0 / progress.per_hour.unwrap());
    let to_end = progress.to_end.unwrap();
    assert!(to_end.abs_diff(at_the_rate + Duration::from_mins(30)) < Duration::from_secs(1), "{to_end:?}");

    // Not a moment before.
    driver.pass(Duration::from_secs(1799));
    assert!(matches!(driver.run(|_| listing([]), outcome), Next::Stopped { .. }));
    assert_eq!(driver.fetched().len(), 37);
    driver.pass(Duration::from_secs(1));
    assert_eq!(driver.run(|_| listing([]), outcome), Next::Finished);
    assert_eq!(driver.fetched().len(), 201, "all others once");
    assert_eq!(driver.fetched()[37], id(36).as_str(), "it goes on where it stopped");
    assert_eq!(driver.job.videos()[36].attempts, 2);
}

#[test]
fn a_limit_on_a_listing_stops_too_and_other_refusals_are_told() {
    let mut driver = Driver::new(CHANNEL, JobOptions::default());
    let stopped = driver.run(
        |url| match tab(url).as_str() {
            "videos" => ListOutcome::Refused(Outcome::Private),
            _ => ListOutcome::Refused(Outcome::RateLimited { retry_after: None }),
        },
        |_| captions(),
    );
    assert!(matches!(stopped, Next::Stopped { reason: Stop::RateLimit, .. }));
    assert_eq!(driver.asked.len(), 2);
    driver.pass(Duration::from_hours(1));
    assert_eq!(driver.run(|_| listing([1]), |_| captions()), Next::Finished);
    assert_eq!(driver.asked[2], driver.asked[1], "the list that was refused is asked for again");
    assert!(matches!(driver.job.lists()[0].state, Some(ListState::Refused { reason: Outcome::Private, .. })));
}

#[test]
fn a_session_taken_for_a_robot_is_not_used_up() {
    let mut driver =
        Driver::new(CHANNEL, JobOptions::default().with_tabs([tusab_ingest::ChannelTab::Videos]));
    let stopped = driver.run(|_| listing(0..10), |_| Outcome::NeedsCookies);
    assert!(matches!(stopped, Next::Stopped { reason: Stop::SignIn, .. }), "{stopped:?}");
    assert_eq!(driver.fetched().len(), 3);
    // With cookies, those three come first.
    driver.job.resume();
    assert_eq!(driver.job.retry_where(|video| video.outcome == Some(Outcome::NeedsCookies)), 3);
    assert_eq!(driver.run(|_| listing([]), |_| captions()), Next::Finished);
    assert_eq!(driver.outcomes(), ["captions"; 10]);
}

#[test]
fn a_job_that_takes_over_a_pace_waits_its_rest() {
    let mut first = Driver::new("https://youtu.be/vid00000001", JobOptions::default());
    assert_eq!(first.run(|_| listing([1]), |_| captions()), Next::Finished);
    assert_eq!(first.waited, [Duration::ZERO; 0], "nobody was asked before");
    let mut second = Driver::new("https://youtu.be/vid00000002", JobOptions::default());
    second.job.set_pace(first.job.pace().clone());
    second.now = first.now;
    assert_eq!(second.run(|_| listing([2]), |_| captions()), Next::Finished);
    // 240 an hour are one in 15 s, of which the first video took 3, and the second's listing 2.
    assert_eq!(second.waited, [Duration::from_secs(10)]);
    // A stop is taken over too, and taken back by whoever knows better.
    second.job.retry_where(|_| true);
    second.run(|_| listing([]), |_| Outcome::RateLimited { retry_after: None });
    let mut third = Driver::new("https://youtu.be/vid00000003", JobOptions::default());
    third.job.set_pace(second.job.pace().clone());
    third.now = second.now;
    assert!(matches!(
        third.run(|_| listing([3]), |_| captions()),
        Next::Stopped { reason: Stop::RateLimit, .. }
    ));
    third.job.resume();
    assert_eq!(third.run(|_| listing([3]), |_| captions()), Next::Finished);
}

#[test]
fn a_killed_run_goes_on_with_the_video_that_was_not_recorded() {
    let mut driver =
        Driver::new(CHANNEL, JobOptions::default().with_tabs([tusab_ingest::ChannelTab::Videos]));
    let at = |id: &VideoId| id.as_str()[3..].parse::<usize>().unwrap();
    // Dies while it fetches the 37th of 200.
    let killed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        driver.run(|_| listing(1..=200), |id| if at(id) == 37 { panic!("killed") } else { captions() })
    }));
    assert!(killed.is_err());
    assert_eq!(driver.run(|_| listing([]), |_| captions()), Next::Finished);
    let fetched: Vec<String> = (1..=37).chain(37..=200).map(|number| id(number).to_string()).collect();
    assert_eq!(driver.fetched(), fetched);
    let pauses = driver.waited.iter().filter(|pause| pause.is_zero()).count();
    assert_eq!(pauses, 0, "nor is the pause forgotten");
}

#[test]
fn what_is_due_comes_back_and_what_is_done_does_not() {
    let mut driver = Driver::new("https://www.youtube.com/playlist?list=PL0123456789", JobOptions::default());
    let when = UnixTime::from_secs(START + 10 * 86_400);
    let outcome = |id: &VideoId| match &id.as_str()[10..] {
        "1" => captions(),
        "2" => Outcome::Deleted,
        "3" => Outcome::Upcoming { when: Some(when) },
        "4" => Outcome::MembersOnly,
        _ => Outcome::Failed { reason: "x".to_owned() },
    };
    driver.run(|_| listing(1..=5), outcome);
    assert_eq!(driver.job.retry_due(driver.now), 0);
    driver.pass(Duration::from_hours(1));
    assert_eq!(driver.job.retry_due(driver.now), 1, "the failure");
    driver.pass(Duration::from_hours(192));
    assert_eq!(driver.job.retry_due(driver.now), 1, "the members'");
    driver.pass(Duration::from_hours(72));
    assert_eq!(driver.job.retry_due(driver.now), 1, "the premiere, a day after it began");
    assert_eq!(driver.outcomes(), ["captions", "deleted", "", "", ""]);
}

#[test]
fn a_refresh_finds_what_is_new_or_changed() {
    let mut driver = Driver::new("https://www.youtube.com/playlist?list=PL0123456789", JobOptions::default());
    let members = |_: &YouTubeUrl| {
        let mut listing = Listing::default();
        listing.videos.extend([video(1, ""), video(2, ""), video(3, "members")]);
        ListOutcome::Listed(listing)
    };
    driver.run(members, |_| captions());
    assert_eq!(driver.fetched(), ["vid00000001", "vid00000002"], "members' videos are not even asked for");
    assert_eq!(driver.outcomes(), ["captions", "captions", "members_only"]);
    driver.asked.clear();
    driver.job.refresh();
    driver.pass(Duration::from_hours(24));
    let later = |_: &YouTubeUrl| {
        let mut listing = Listing::default();
        listing.videos.extend([video(4, ""), video(1, ""), video(2, ", versão nova"), video(3, "")]);
        ListOutcome::Listed(listing)
    };
    assert_eq!(driver.run(later, |_| captions()), Next::Finished);
    assert_eq!(driver.fetched(), ["vid00000002", "vid00000003", "vid00000004"]);
    driver.asked.clear();
    driver.job.refresh();
    let gone = |_: &YouTubeUrl| {
        let mut listing = Listing::default();
        listing.videos.extend([video(1, "members")]);
        ListOutcome::Listed(listing)
    };
    driver.run(gone, |_| captions());
    assert_eq!(driver.outcomes(), ["captions"; 4], "captions that are here stay");
    assert_eq!(driver.fetched(), [""; 0]);
}

#[test]
fn at_most_so_many_the_first_ones_whichever_are_there() {
    let options = JobOptions::default().with_max_videos(Some(3));
    let mut driver = Driver::new("https://www.youtube.com/playlist?list=PL0123456789", options);
    let here = Track::new("pt", TrackKind::Unknown);
    driver.job = driver.job.with_known([(id(1), here.clone()), (id(9), here)]);
    let list = |_: &YouTubeUrl| {
        let mut listing = Listing::default();
        listing.videos.extend([video(7, "members"), video(1, ""), video(2, ""), video(3, ""), video(4, "")]);
        ListOutcome::Listed(listing)
    };
    assert_eq!(driver.run(list, |_| captions()), Next::Finished);
    assert_eq!(driver.fetched(), ["vid00000002", "vid00000003"]);
    assert_eq!(
        driver.outcomes(),
        ["members_only", "captions", "captions", "captions", ""],
        "what is here is done"
    );
    assert!(driver.job.is_finished());
    assert_eq!(driver.job.progress(driver.now).left, 0);
    driver.job.refresh();
    driver.run(|_| listing([8, 1, 2, 3, 4]), |_| captions());
    assert_eq!(driver.fetched(), ["vid00000002", "vid00000003", "vid00000008"]);
}

#[test]
fn what_is_outside_the_dates_makes_room_for_what_is_inside() {
    let wanted = Wanted::new("pt".parse().unwrap())
        .with_dates(Some("2020-06-01".parse().unwrap()), Some("2024-01-01".parse().unwrap()));
    let options = JobOptions::default().with_max_videos(Some(2));
    let mut driver = Driver::wanting("https://www.youtube.com/playlist?list=PL0123456789", options, wanted);
    let list = |_: &YouTubeUrl| {
        let mut listing = Listing::default();
        for (number, published) in
            [(1, "2026"), (2, "2025"), (3, "2023"), (4, "2022"), (5, "2021"), (6, "2019")]
        {
            let seconds = (published.parse::<i64>().unwrap() - 1970) * 31_556_952 + 86_400;
            let mut listed = video(number, "");
            listed.published = Some(UnixTime::from_secs(seconds));
            listing.videos.push(listed);
        }
        ListOutcome::Listed(listing)
    };
    let outcome = |id: &VideoId| match &id.as_str()[10..] {
        "1" | "2" => Outcome::OutOfRange { published: Some("2025-01-01".parse().unwrap()) },
        _ => captions(),
    };
    assert_eq!(driver.run(list, outcome), Next::Finished);
    assert_eq!(driver.fetched(), ["vid00000001", "vid00000002", "vid00000003", "vid00000004"]);
    let expected = ["out_of_range", "out_of_range", "captions", "captions", "", "out_of_range"];
    assert_eq!(driver.outcomes(), expected, "the sixth is out by the listing alone");
}

#[test]
fn progress_tells_the_rate_and_the_time_to_the_end() {
    let mut driver = Driver::new("https://www.youtube.com/playlist?list=PL0123456789", JobOptions::default());
    assert_eq!(driver.job.progress(driver.now).to_end, None);
    let url = driver.job.lists()[0].url.clone();
    assert_eq!(driver.job.next(driver.now), Next::List(url.clone()));
    driver.job.record_list(&url, listing(1..=10), driver.now);
    for number in 1..=4 {
        driver.pass(Duration::from_secs(20));
        assert_eq!(driver.job.next(driver.now), Next::Fetch(id(number)));
        driver.job.record(&id(number), captions(), driver.now);
    }
    let progress = driver.job.progress(driver.now);
    assert_eq!(progress.per_hour, Some(180.0));
    assert_eq!(progress.to_end, Some(Duration::from_mins(2)));
    // A night between two runs is no part of the rate.
    driver.pass(Duration::from_secs(40_000));
    assert_eq!(driver.job.next(driver.now), Next::Fetch(id(5)));
    driver.job.record(&id(5), captions(), driver.now);
    assert_eq!(driver.job.progress(driver.now).per_hour, None);
    driver.job.record(&"unknown0000".parse().unwrap(), captions(), driver.now);
    assert_eq!(driver.job.progress(driver.now).done, 5, "a video that is not of the job is passed over");
}
