//! Real caption files, and the test files of other parsers, beside the project.

use std::collections::HashMap;

use tusab_chunk::{Chunker, Document, Position, Windows};
use tusab_ingest::{
    CaptionOptions, Captions, Content, Cue, Notes, Options, Parsed, Problem, TrackKind, decode, parse,
    parse_webvtt,
};

use crate::shared;

fn captions(file: &str, notes: Notes) -> Option<(String, Parsed<Captions>)> {
    let bytes = shared(&format!("captions/{file}"))?;
    let text = decode(&bytes).unwrap().value.text.into_owned();
    let parsed = parse_webvtt(&text, &CaptionOptions::default().with_notes(notes)).unwrap();
    Some((text, parsed))
}

/// What a file must give, read off it by eye.
struct Expected {
    file: &'static str,
    cues: usize,
    first: (u64, u64, &'static str),
    last: (u64, u64, &'static str),
    kind: TrackKind,
    /// Lines of the warnings; they must all be of one kind.
    warnings: &'static [u32],
}

const fn expect(
    file: &'static str,
    cues: usize,
    first: (u64, u64, &'static str),
    last: (u64, u64, &'static str),
) -> Expected {
    Expected { file, cues, first, last, kind: TrackKind::Unknown, warnings: &[] }
}

impl Expected {
    const fn of_kind(self, kind: TrackKind) -> Self {
        Self { kind, ..self }
    }

    const fn warned(self, warnings: &'static [u32]) -> Self {
        Self { warnings, ..self }
    }
}

/// Every `.vtt` file of the folder; of the three large automatic ones more is proved below.
fn table() -> Vec<Expected> {
    use TrackKind::{Automatic, Manual};
    let text = |n: u64, said| (n * 1000, (n + 1) * 1000, said);
    let mempool = |file, last| expect(file, 31, (1189, 6210, ""), (134_000, 137_213, last)).of_kind(Manual);
    vec![
        expect(
            "astisub.example-in-carriage-return.vtt",
            3,
            (0, 3766, "Did one of the last stories strike you as\nmore interesting than the other?"),
            (10_733, 14_066, "at a busy bus stop or anywhere\nelse for that matter."),
        ),
        expect(
            "astisub.example-in-html-entities.vtt",
            3,
            (331, 3750, "The man in black fled across the desert, \u{a0}\n& the gunslinger followed."),
            (6331, 9675, "there are other < worlds than these."),
        ),
        expect("elephantsdream.captions.en.vtt", 78, (15_000, 17_951, "At the left we can see..."), (537_000, 539_867, "...it is.")),
        expect("elephantsdream.chapters.en.vtt", 9, (0, 27_500, "Prologue"), (565_000, 653_000, "Closing credits")),
        expect(
            "elephantsdream.descriptions.en.vtt",
            63,
            (0, 5000, "The orange open movie project presents"),
            (647_500, 653_000, "Produced By\nTon Roosendaal\nCopyright 2006\nNetherlands Media Art Institute / Montevideo\nBlender Foundation"),
        ),
        expect("media3.typical_with_comments.vtt", 2, (0, 1234, "This is the first subtitle."), (2345, 3456, "This is the second subtitle.")),
        expect("media3.with_bad_cue_header.vtt", 2, (0, 1234, "This is the first subtitle."), (4000, 5000, "This is the third subtitle."))
            .warned(&[6]),
        expect("media3.with_bom.vtt", 2, (0, 1234, "This is the first subtitle."), (2345, 3456, "This is the second subtitle.")),
        expect("media3.with_consecutive_cues.vtt", 2, (0, 1234, "This is the first subtitle."), (1234, 3456, "This is the second subtitle.")),
        expect("media3.with_css_styles.vtt", 4, (0, 1234, "This is the first subtitle."), (25_000, 28_000, "You are an idiot\nYou don't have the guts")),
        expect(
            "media3.with_overlapping_timestamps.vtt",
            4,
            (0, 3000, "Displayed at the bottom for 3 seconds."),
            (5000, 7000, "Appears directly above the previous cue, then replaces it after 1 second."),
        ),
        expect("media3.with_positioning.vtt", 8, (0, 1234, "This is the first subtitle."), (14_000, 15_000, "This is the eighth subtitle.")),
        expect("media3.with_tags.vtt", 4, (0, 1234, "This is the first subtitle."), (6000, 7000, "This is the <fourth> &subtitle.")),
        expect("media3.with_wide_unicode_chars_and_cr_endings.vtt", 1, (0, 1234, "😛\n😛"), (0, 1234, "😛\n😛")),
        expect("webvtt-py.captions_with_bom.vtt", 4, (500, 7000, "Caption text #1"), (16_320, 21_580, "Caption text #4")),
        expect(
            "webvtt-py.comments.vtt",
            3,
            (135_000, 140_000, "- Ta en kopp varmt te.\n- Det är inte varmt."),
            (145_000, 150_000, "- Ta en kopp"),
        ),
        expect("webvtt-py.cue_tags.vtt", 3, (16_500, 18_500, "When the moon hits your eye"), (20_500, 21_500, "That's amore")),
        expect("webvtt-py.invalid_timeframe_in_cue_text.vtt", 4, (500, 7000, "Caption text #1"), (11_890, 16_320, "Caption text #3")),
        expect("webvtt-py.metadata_headers_multiline.vtt", 2, (500, 7000, "Caption text #1"), (7000, 11_890, "Caption text #2"))
            .of_kind(Manual),
        expect("webvtt-py.using_identifiers.vtt", 6, (500, 7000, "Caption text #1"), (23_880, 27_280, "Caption text #6")),
        expect("webvtt-py.youtube_dl.vtt", 3, (286_070, 286_470, "yeah"), (304_080, 305_069, "this will happen is I'm telling"))
            .of_kind(Automatic),
        expect("wpt.entities.vtt", 25, text(0, "&"), text(24, "¬it;")),
        expect("wpt.header-garbage.vtt", 1, text(0, "text"), text(0, "text")),
        expect("wpt.newlines.vtt", 4, text(0, "text0"), text(0, "text3")),
        expect("wpt.regions-old.vtt", 2, text(0, "text0"), text(0, "text1")),
        // Its first style sheet has a blank line inside.
        expect("wpt.stylesheets.vtt", 2, text(0, "text"), text(0, "text")).warned(&[14]),
        expect("wpt.tags.vtt", 28, text(0, ""), text(27, "abc")),
        expect("wpt.timestamps.vtt", 10, text(0, ""), text(9, "testtest")),
        expect("wpt.timings-eof.vtt", 0, text(0, ""), text(0, "")).warned(&[3]),
        expect("wpt.timings-negative.vtt", 4, (0, 0, "text0"), (3_600_000, 3_600_000, "text3")).warned(&[6, 9, 12]),
        expect("wpt.timings-omitted-hours.vtt", 3, text(0, "text0"), text(0, "text2")),
        // Its own texts say which of its cues are invalid.
        expect("wpt.timings-too-long.vtt", 2, text(0, "text0"), text(0, "text1"))
            .warned(&[6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42]),
        expect("wpt.whitespace-chars.vtt", 3, text(0, "   text0"), text(0, "text2")).warned(&[16]),
        expect("yt-auto.en.felix-longform.vtt", 741, (80, 1350, "The mission for Felix at the very"), (1_620_880, 1_623_430, "which which Okay. And so this this is"))
            .of_kind(Automatic),
        expect("yt-auto.en.short.old-colour.vtt", 63, (13_670, 16_640, "today's fire income will tell details"), (235_209, 236_880, "next video goodbye"))
            .of_kind(Automatic),
        expect("yt-auto.pt.marketmakers-podcast.vtt", 2448, (7520, 9350, "Sim, sim, sim. Tá começando mais um"), (6_180_199, 6_183_199, "П."))
            .of_kind(Automatic),
        expect(
            "yt-manual.en.mempool-promo.vtt",
            24,
            (1360, 6480, "Welcome to mempool.space, an open-source project\u{a0}\nthat provides data and tools to take your Bitcoin\u{a0}\u{a0}"),
            (130_640, 138_800, "entirely self-hosted without any trusted\u{a0}\nthird parties. Visit us at mempool.space!"),
        )
        .of_kind(Manual),
        expect(
            "yt-manual.en.neville.vtt",
            738,
            (3497, 8060, "\"Feeling Is The Secret,\"\nby Neville Goddard."),
            (2_337_310, 2_342_310, "he establishes within himself\nthe reality of success."),
        )
        .of_kind(Manual),
        mempool("yt-manual.de.mempool-promo.vtt", "Besuche uns auf mempool.space."),
        mempool("yt-manual.fr.mempool-promo.vtt", "Rendez-nous visite à mempool.space."),
        mempool("yt-manual.pt.mempool-promo.vtt", "Visite-nos em mempool.space."),
        mempool("yt-manual.zh.mempool-promo.vtt", "在 mempool 点 space 浏览我们的网站。"),
    ]
}

#[test]
fn every_file_gives_what_stands_in_it() {
    for expected in table() {
        let Some((_, parsed)) = captions(expected.file, Notes::Apart) else { return };
        let file = expected.file;
        let cue = |cue: Option<&Cue>| {
            let cue = cue?;
            Some((cue.span().start().as_millis(), cue.span().end().as_millis(), cue.text().to_owned()))
        };
        let cues = &parsed.value.cues;
        assert_eq!(cues.len(), expected.cues, "{file}");
        assert_eq!(parsed.value.kind, expected.kind, "{file}");
        assert_eq!(parsed.value.rolling, expected.kind == TrackKind::Automatic, "{file}");
        let lines: Vec<u32> =
            parsed.warnings.iter().map(|w| w.line.map_or(0, std::num::NonZeroU32::get)).collect();
        assert_eq!(lines, expected.warnings, "{file}: {:?}", parsed.warnings);
        let kinds = parsed.warnings.iter().map(|w| std::mem::discriminant(&w.problem));
        assert!(kinds.collect::<std::collections::HashSet<_>>().len() <= 1, "{file}: {:?}", parsed.warnings);
        if let (Some(first), Some(last)) = (cue(cues.first()), cue(cues.last())) {
            let text_of_first = if expected.first.2.is_empty() { &first.2 } else { expected.first.2 };
            assert_eq!(first, (expected.first.0, expected.first.1, text_of_first.to_owned()), "{file}");
            assert_eq!(last, (expected.last.0, expected.last.1, expected.last.2.to_owned()), "{file}");
        }
    }
}

#[test]
fn tags_voices_and_word_times_of_real_files() {
    let Some((_, tags)) = captions("wpt.tags.vtt", Notes::Apart) else { return };
    let said: Vec<_> = tags.value.cues.iter().map(Cue::text).collect();
    assert!(said[..8].iter().all(|text| text.is_empty()));
    assert_eq!(
        said[8..],
        [
            "x", "x", "test", "abc", "test", "abc", "test", "abc", "test", "abc", "test", "abde", "test",
            "test", "test", "test", "test", "test", "abc", "abc"
        ]
    );
    let voices: Vec<_> = tags.value.cues[21..27].iter().map(|cue| cue.voice()).collect();
    assert_eq!(voices, [None, Some("a"), Some("a b"), None, None, Some("e")]);
    let Some((_, styles)) = captions("media3.with_css_styles.vtt", Notes::Apart) else { return };
    let last = styles.value.cues.last().unwrap();
    let voices: Vec<_> = last.voices().collect();
    assert_eq!(voices, [(Some("LaGord"), "You are an idiot"), (Some("The Frog"), "You don't have the guts")]);
    let Some((_, moon)) = captions("webvtt-py.cue_tags.vtt", Notes::Apart) else { return };
    let starts = moon.value.cues[1].words().map(|word| word.start.unwrap().as_millis());
    assert_eq!(starts.collect::<Vec<_>>(), [18_500, 18_500, 19_000, 19_500, 20_000]);
    let Some((_, times)) = captions("wpt.timestamps.vtt", Notes::Apart) else { return };
    let said: String = times.value.cues.iter().map(Cue::text).collect();
    assert_eq!(said, "testtest".repeat(4));
}

/// The words of a rolling file and their times, by another way than the parser's: of every cue of more than 10 ms
/// the last line, which is the new one.
fn spoken(file: &str) -> Vec<(String, u64)> {
    let millis = |text: &str| {
        let mut total = 0;
        for part in text.split([':', '.']) {
            total = total * if part.len() == 3 { 1000 } else { 60 } + part.parse::<u64>().unwrap();
        }
        total
    };
    let mut words = Vec::new();
    for block in file.split("\n\n").filter(|block| block.contains(" --> ")) {
        let (times, lines) = block.trim_start().split_once('\n').unwrap();
        let (start, end) = (millis(&times[..12]), millis(&times[17..29]));
        let new = lines.trim_end_matches('\n').rsplit('\n').next().unwrap();
        if end - start <= 10 {
            continue;
        }
        let mut now = start;
        for piece in new.split('<') {
            let (tag, text) = piece.split_once('>').unwrap_or(("", piece));
            if tag.as_bytes().first().is_some_and(u8::is_ascii_digit) {
                now = millis(tag);
            }
            let text =
                text.replace("&gt;", ">").replace("&lt;", "<").replace("&nbsp;", " ").replace("&amp;", "&");
            words.extend(text.split_whitespace().map(|word| (word.to_owned(), now)));
        }
    }
    words
}

#[test]
fn every_spoken_word_of_real_rolling_files_stands_once_at_its_time() {
    for (file, count) in [
        ("yt-auto.pt.marketmakers-podcast.vtt", 15_000),
        ("yt-auto.en.felix-longform.vtt", 5000),
        ("yt-auto.en.short.old-colour.vtt", 400),
    ] {
        let Some((text, parsed)) = captions(file, Notes::Kept) else { return };
        let words = parsed.value.cues.iter().flat_map(Cue::words);
        let words: Vec<_> =
            words.map(|word| (word.text.to_owned(), word.start.unwrap().as_millis())).collect();
        let spoken = spoken(&text);
        assert!(spoken.len() > count, "{file}: only {} words", spoken.len());
        for (at, (found, expected)) in words.iter().zip(&spoken).enumerate() {
            assert_eq!(found, expected, "{file}: word {at}");
        }
        assert_eq!(words.len(), spoken.len(), "{file}");
    }
}

#[test]
fn notes_of_the_podcast_are_kept_apart_from_its_words() {
    let file = "yt-auto.pt.marketmakers-podcast.vtt";
    let Some((text, kept)) = captions(file, Notes::Kept) else { return };
    let Some((_, apart)) = captions(file, Notes::Apart) else { return };
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for note in &apart.value.notes {
        *counts.entry(note.text.as_str()).or_default() += 1;
    }
    let all: String = spoken(&text).into_iter().map(|(word, _)| word + " ").collect();
    for note in ["[música]", "[risadas]", "[roncando]", "[limpando a garganta]", ">>"] {
        assert_eq!(counts.remove(note), Some(all.matches(note).count()), "{note}");
    }
    assert!(counts.is_empty(), "{counts:?}");
    let words = |captions: &Captions| captions.cues.iter().map(|cue| cue.words().count()).sum::<usize>();
    let note_words: usize = apart.value.notes.iter().map(|note| note.text.split_whitespace().count()).sum();
    assert_eq!(words(&apart.value) + note_words, words(&kept.value));
    assert!(apart.value.cues.iter().all(|cue| !cue.text().contains(['[', '>'])));
}

#[test]
fn no_line_stands_twice_in_a_chunk_unless_it_was_spoken_twice() {
    let file = "yt-auto.pt.marketmakers-podcast.vtt";
    let Some(bytes) = shared(&format!("captions/{file}")) else { return };
    let source = parse(file, &bytes, &Options::default()).unwrap().value;
    let document: Document = source.into_document("youtube:dQw4w9WgXcQ".parse().unwrap(), file);
    let chunks = Windows::default().chunks(&document);
    assert!(chunks.len() > 50);
    // Runs of five words said twice without a break: only where the raw file has them among its spoken words too.
    let spoken: Vec<String> = spoken(std::str::from_utf8(&bytes).unwrap())
        .into_iter()
        .map(|(word, _)| word)
        .filter(|word| word != ">>" && !word.starts_with('[') && !word.ends_with(']'))
        .collect();
    let twice = |words: &[&str]| -> Vec<String> {
        let runs = words.windows(10).filter(|run| run[..5] == run[5..]);
        runs.map(|run| run[..5].join(" ")).collect()
    };
    let spoken_twice = twice(&spoken.iter().map(String::as_str).collect::<Vec<_>>());
    for chunk in &chunks {
        let words: Vec<_> = chunk.original_text().split_whitespace().collect();
        for run in twice(&words) {
            assert!(spoken_twice.contains(&run), "{run:?} is repeated");
        }
        let Position::Time(span) = chunk.position() else { panic!("not timed") };
        assert!(span.start() <= span.end());
    }
}

#[test]
fn half_of_a_real_file_gives_half_of_its_words() {
    let file = "yt-auto.pt.marketmakers-podcast.vtt";
    let Some(bytes) = shared(&format!("captions/{file}")) else { return };
    let spoken = spoken(std::str::from_utf8(&bytes).unwrap());
    let options = Options::default().with_notes(Notes::Kept);
    // Steps without a common divisor with anything in the file, so that cuts fall everywhere.
    for cut in (1_003..bytes.len()).step_by(39_937) {
        let parsed = parse(file, &bytes[..cut], &options).unwrap();
        let Content::Captions { captions, .. } = &parsed.value.content else { panic!("not captions") };
        let words = captions.cues.iter().flat_map(Cue::words).map(|word| word.text.to_owned());
        let mut words: Vec<_> = words.collect();
        let last = words.pop().unwrap();
        let expected: Vec<_> = spoken.iter().take(words.len()).map(|(word, _)| word.clone()).collect();
        assert_eq!(words, expected, "cut at {cut}");
        let whole = &spoken[words.len()].0;
        assert!(whole.starts_with(&last) || last.starts_with('&'), "cut at {cut}: {last:?} of {whole:?}");
        if !bytes[..cut].ends_with(b"\n") {
            let told =
                parsed.warnings.iter().any(|w| matches!(w.problem, Problem::CutCue | Problem::CutCharacter));
            assert!(told, "cut at {cut}");
        }
    }
}
