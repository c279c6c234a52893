//! YouTube, from the user's yt-dlp to what is found: through the real program against a server on 127.0.0.1, and
//! through one that plays back what a test has written.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests fail by panicking"
)]

#[path = "youtube/ingest.rs"]
mod ingest;
#[path = "youtube/queue.rs"]
mod queue;
#[path = "youtube/real.rs"]
mod real;
#[allow(dead_code, reason = "shared with the tests of tusab-ingest")]
#[path = "../../tusab-ingest/tests/ytdlp/site.rs"]
mod site;

use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use tusab_engine::ingest::{JobOptions, Pacing, YouTubeUrl};
use tusab_engine::{Clock, Project, VideoReport, YouTubeOptions, YouTubeReport};

const CAPTIONS: &str = "WEBVTT\n\n00:00.000 --> 00:02.000\nA taxa de juros subiu.\n";

/// A clock that stands still until it is moved.
struct Hands(Mutex<SystemTime>);

impl Hands {
    fn new() -> Self {
        Self(Mutex::new(SystemTime::UNIX_EPOCH + Duration::from_hours(500_000)))
    }

    fn pass(&self, time: Duration) {
        *self.0.lock().unwrap() += time;
    }
}

impl Clock for Hands {
    fn now(&self) -> SystemTime {
        *self.0.lock().unwrap()
    }
}

fn url(address: &str) -> YouTubeUrl {
    address.parse().unwrap()
}

/// Without pauses, and as many an hour as can be.
fn fast() -> YouTubeOptions {
    let pacing =
        Pacing::default().with_per_hour(std::num::NonZeroU32::MAX).with_pause(Duration::ZERO, Duration::ZERO);
    YouTubeOptions::default().with_job(JobOptions::default().with_pacing(pacing))
}

/// Ids of the videos, with what became of them.
fn outcomes(report: &YouTubeReport) -> Vec<(&str, &str)> {
    let outcome = |video: &VideoReport| video.outcome.as_ref().map_or("", |outcome| outcome.as_str());
    report.videos.iter().map(|video| (video.id.as_str(), outcome(video))).collect()
}

/// An entry of a list as yt-dlp writes it.
fn entry(id: &str, more: &str) -> String {
    format!(
        r#"{{"_type": "url", "id": "{id}", "url": "https://www.youtube.com/watch?v={id}", "title": "Aula {id}"{more}}}"#
    )
}

fn list(entries: &[String]) -> String {
    format!(r#"{{"channel": "Canal de Ação", "entries": [{}]}}"#, entries.join(", "))
}

/// Names of the videos that are found by a word.
async fn found(project: &Project, words: &str) -> Vec<String> {
    let found = project.search(words).await.unwrap();
    found.hits.iter().map(|hit| hit.document.id.as_str().to_owned()).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
