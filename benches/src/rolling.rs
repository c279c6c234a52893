//! Automatic captions as YouTube serves them: every line twice, with a short cue in between.

use std::fmt::Write;

use crate::prose::{Tongue, so_many_cues};

/// `WebVTT` that says that many captions, of which 2,000 are an hour and about 0.9 MB.
#[must_use]
pub fn webvtt(tongue: Tongue, count: u64) -> String {
    let mut vtt = String::from("WEBVTT\nKind: captions\nLanguage: pt\n\n");
    let mut before = String::from(" ");
    for cue in so_many_cues(tongue, count) {
        let (start, end) = (cue.span.start().as_millis(), cue.span.end().as_millis());
        let mut words = cue.text.split_whitespace();
        let mut line = words.next().unwrap_or_default().to_owned();
        for (at, word) in (1..).zip(words) {
            // Writing into a text does not fail.
            let _ = write!(line, "<{}><c> {word}</c>", time(start + at * 90));
        }
        let bridge = end - 10;
        let _ =
            write!(vtt, "{} --> {} align:start position:0%\n{before}\n{line}\n\n", time(start), time(bridge));
        let _ =
            write!(vtt, "{} --> {} align:start position:0%\n{}\n \n\n", time(bridge), time(end), cue.text);
        before.clone_from(&cue.text);
    }
    vtt
}

fn time(millis: u64) -> String {
    let seconds = millis / 1000;
    format!("{:02}:{:02}:{:02}.{:03}", seconds / 3600, seconds / 60 % 60, seconds % 60, millis % 1000)
}
