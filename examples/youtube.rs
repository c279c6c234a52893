//! Takes in a channel, a playlist or a video of YouTube, through your own yt-dlp.
//!
//! `cargo run --release --example youtube -- URL [--lang pt] [--data DIR] [--project NAME]`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "command-line programs print")]

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use examples::{Failure, finish, number, text};
use lexopt::Arg;
use serde_json::{Value, json};
use tusab_engine::chunk::{Date, Language};
use tusab_engine::ingest::{Browser, Cookies, Outcome, YouTubeUrl, YtDlpOptions};
use tusab_engine::{Cancel, Engine, Event, VideoReport, YouTubeOptions, YouTubeReport};

const USAGE: &str = "\
Usage: youtube URL [--lang LANGUAGE] [--data DIR] [--project NAME] [--since DATE] [--until DATE] [--max N]
               [--cookies-from-browser BROWSER] [--retry] [--json]

Takes in the captions of a channel, a playlist or a video through your own yt-dlp, from your own address, politely: a
channel takes hours. End it when you like; the same command goes on where it was, and later finds what is new.
TUSAB_YTDLP names a yt-dlp that is not on the PATH.

  --lang LANGUAGE   the one language of captions (default: pt)
  --data DIR        keep everything in this folder (default: the platform's folder for data)
  --project NAME    the project in it (default: youtube)
  --since, --until  only videos published from DATE on, or up to it: 2024-01-31
  --max N           at most N videos, the newest of a channel
  --cookies-from-browser BROWSER
                    let yt-dlp use the cookies of firefox, chrome, ...
  --retry           ask again at once for all that gave no captions
  --json            print one JSON object and nothing else";

#[derive(Default)]
struct Arguments {
    url: Option<YouTubeUrl>,
    data: Option<PathBuf>,
    project: Option<String>,
    options: YouTubeOptions,
    cookies: Option<Cookies>,
    json: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    finish(run().await, USAGE)
}

async fn run() -> Result<(), Failure> {
    let Some(arguments) = parse()? else {
        println!("{USAGE}");
        return Ok(());
    };
    let url =
        arguments.url.ok_or_else(|| Failure::Usage("name a channel, a playlist or a video".to_owned()))?;
    let mut yt_dlp = YtDlpOptions::default().with_cookies(arguments.cookies);
    if let Some(program) = env::var_os("TUSAB_YTDLP") {
        yt_dlp = yt_dlp.with_program(program);
    }
    let builder = Engine::builder().yt_dlp(yt_dlp).on_event(show);
    let engine = match arguments.data {
        Some(data) => builder.data_dir(data),
        None => builder.platform_data_dir(),
    }
    .build()?;
    let project = engine.project(arguments.project.as_deref().unwrap_or("youtube")).await?;
    let report = project.youtube(&url, &arguments.options, &Cancel::new()).await?;
    if arguments.json {
        print_json(&project.name(), &report);
    } else {
        print_for_people(&report);
    }
    Ok(())
}

/// Says on standard error how far it is.
fn show(event: &Event) {
    match event {
        Event::YouTubeWaiting { .. } => eprintln!("another run is asking YouTube; waiting for its end"),
        Event::YouTubeListed { url, videos, trouble, .. } => {
            let trouble = trouble.as_ref().map(|trouble| format!(" ({trouble})")).unwrap_or_default();
            eprintln!("{url}: {videos} videos{trouble}");
        }
        Event::YouTubeVideo { video, title, outcome, done, total, to_end, .. } => {
            let title = title.as_deref().unwrap_or(video.as_str());
            let left = to_end.map(|left| format!(", {} min left", left.as_secs() / 60)).unwrap_or_default();
            eprintln!("{done} of {total}{left}: {title}: {outcome}");
        }
        Event::Repaired { what, .. } => eprintln!("mended: {what}"),
        _ => {}
    }
}

fn parse() -> Result<Option<Arguments>, Failure> {
    let mut arguments = Arguments::default();
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("lang") => {
                arguments.options.language = Some(parsed::<Language>(&text(parser.value()?)?)?);
            }
            Arg::Long("data") => arguments.data = Some(parser.value()?.into()),
            Arg::Long("project") => arguments.project = Some(text(parser.value()?)?),
            Arg::Long("since") => arguments.options.since = Some(parsed::<Date>(&text(parser.value()?)?)?),
            Arg::Long("until") => arguments.options.until = Some(parsed::<Date>(&text(parser.value()?)?)?),
            Arg::Long("max") => arguments.options.job.max_videos = Some(number(parser.value()?)?),
            Arg::Long("cookies-from-browser") => {
                arguments.cookies = Some(Cookies::OfBrowser(parsed::<Browser>(&text(parser.value()?)?)?));
            }
            Arg::Long("retry") => arguments.options.retry_now = true,
            Arg::Long("json") => arguments.json = true,
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            Arg::Value(url) if arguments.url.is_none() => arguments.url = Some(parsed(&text(url)?)?),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Some(arguments))
}

fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(text: &str) -> Result<T, Failure> {
    text.parse().map_err(|error: T::Err| Failure::Usage(error.to_string()))
}

fn print_json(project: &str, report: &YouTubeReport) {
    let videos: Vec<Value> = report.videos.iter().map(video).collect();
    let lists: Vec<Value> = report
        .lists
        .iter()
        .map(|list| json!({"url": list.url.url(), "tab": list.tab, "state": list.state}))
        .collect();
    let object = json!({
        "videos": videos,
        "report": {
            "url": report.url.url(),
            "project": project,
            "title": report.title,
            "lists": lists,
            "stored": report.stored(),
            "done": report.progress.done,
            "left": report.left(),
            "stopped": report.stopped.map(|(reason, until)| json!({"reason": reason, "until_ms": until.as_millis()})),
        },
    });
    println!("{object}");
}

/// A video; its outcome in one word, and in words.
fn video(video: &VideoReport) -> Value {
    let track = match &video.outcome {
        Some(Outcome::Captions { track } | Outcome::NothingSaid { track }) => {
            json!({"name": track.name, "language": track.language, "kind": track.kind.as_str()})
        }
        _ => Value::Null,
    };
    let warnings: Vec<Value> = video
        .warnings
        .iter()
        .map(|warning| json!({"line": warning.line.map(std::num::NonZero::get), "message": warning.problem.to_string()}))
        .collect();
    json!({
        "id": video.id,
        "title": video.title,
        "outcome": video.outcome.as_ref().map(Outcome::as_str),
        "message": video.outcome.as_ref().map(ToString::to_string),
        "track": track,
        "chunks": video.chunks,
        "retry_at_ms": video.retry_at.map(tusab_engine::ingest::UnixTime::as_millis),
        "warnings": warnings,
    })
}

fn print_for_people(report: &YouTubeReport) {
    for video in &report.videos {
        let title = video.title.as_deref().unwrap_or("(no title)");
        let outcome =
            video.outcome.as_ref().map_or_else(|| "left in the queue".to_owned(), ToString::to_string);
        println!("{}  {title}: {outcome}", video.id);
    }
    let title = report.title.clone().unwrap_or_else(|| report.url.url());
    let (captions, left) = (report.progress.captions, report.left());
    println!("\n{title}: {captions} videos with captions, {} of them new, {left} left", report.stored());
    if let Some((reason, until)) = report.stopped {
        let minutes = until.as_millis() / 60_000 - now_ms() / 60_000;
        println!(
            "the site asks for a pause ({reason:?}); go on in about {minutes} minutes with the same command"
        );
    }
}

fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH);
    since.ok().and_then(|since| i64::try_from(since.as_millis()).ok()).unwrap_or(0)
}
