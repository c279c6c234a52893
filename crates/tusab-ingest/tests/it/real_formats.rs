//! Real captions in formats other than WebVTT, beside the project.

use tusab_ingest::{Captions, Content, Cue, Format, Options, Parsed, Source, TrackKind, parse};

use crate::shared;

/// What a file must give: read off it by eye, and once more against the file.
struct Expected {
    file: &'static str,
    format: Format,
    kind: TrackKind,
    cues: usize,
    first: (u64, u64, &'static str),
    last: (u64, u64, &'static str),
    /// Lines of the warnings.
    warnings: &'static [u32],
}

const fn srt(
    file: &'static str,
    cues: usize,
    first: (u64, u64, &'static str),
    last: (u64, u64, &'static str),
) -> Expected {
    Expected { file, format: Format::Srt, kind: TrackKind::Unknown, cues, first, last, warnings: &[] }
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn table() -> Vec<Expected> {
    let first = (0, 1234, "This is the first subtitle.");
    let third = (7_204_567, 7_208_901, "This is the third subtitle.");
    let rand = (6500, 9000, "About 2 months ago I found myself on\nthe comment section of YouTube");
    let organize = (
        43_000,
        50_000,
        "So what I thought I do is instead if answering on a YouTube comment is organize a global awareness day",
    );
    vec![
        Expected {
            warnings: &[2],
            ..srt(
                "astisub.example-in-non-utf8.srt",
                6,
                (99_000, 101_040, "(deep rumbling)"),
                (151_400, 153_440, "(computer playing\nelectronic melody)"),
            )
        },
        Expected {
            format: Format::Ttml,
            ..srt(
                "astisub.example-in.ttml",
                6,
                (99_000, 101_040, "(deep rumbling)"),
                // The end is written with frames, of which a second has 25.
                (151_400, 153_440, "(computer playing\nelectronic melody)"),
            )
        },
        srt(
            "fansub.pt.mojibake-font-tags.repaired.srt",
            330,
            (520, 3020, "Como um conto de fadas"),
            (1_467_730, 1_469_960, "Episódio 4"),
        ),
        Expected {
            warnings: &[7],
            ..srt(
                "fansub.pt.mojibake-font-tags.srt",
                330,
                (520, 3020, "Como um conto de fadas"),
                (1_467_730, 1_469_960, "Episódio 4"),
            )
        },
        // Numbers of four and of two decimals.
        Expected {
            warnings: &[6],
            ..srt(
                "media3.typical_bad_timestamps.srt",
                3,
                first,
                (7_204_567, 7_208_900, "This should be discarded (too few decimal places)."),
            )
        },
        srt("media3.typical_extra_blank_line.srt", 3, first, third),
        Expected {
            warnings: &[2, 6],
            ..srt("media3.typical_negative_timestamps.srt", 3, (0, 0, "This is the first subtitle."), third)
        },
        srt("media3.typical_no_hours_and_millis.srt", 3, first, third),
        Expected {
            warnings: &[10],
            ..srt(
                "media3.typical_unexpected_end.srt",
                2,
                first,
                (2345, 3456, "This is the second subtitle.\nSecond subtitle with second line."),
            )
        },
        srt("media3.typical_utf16le.srt", 3, first, third),
        srt("media3.typical_with_byte_order_mark.srt", 3, first, third),
        srt(
            "pinchflat.subtitle.srt",
            9,
            (0, 2500, "Welcome to the Example Subtitle File!"),
            (36_000, 40_000, "Enjoy adding subtitles to your videos!"),
        ),
        srt("pysrt.bom-utf-16-le.srt", 7, rand, organize),
        srt("pysrt.no-indexes.srt", 7, rand, organize),
        srt(
            "webvtt-py.missing_caption_text.srt",
            5,
            (500, 7000, "Caption text #1"),
            (21_580, 23_880, "Caption text #5"),
        ),
        srt(
            "whisper.pt.dharma-morte.srt",
            21,
            (
                0,
                29_000,
                " A parte da morte, antes precisava ver como é possível quando se defranta com as situações, como é possível ajudar as pessoas.",
            ),
            (177_000, 181_000, " Então, esse é o ponto mais importante assim, não é?"),
        ),
        Expected {
            kind: TrackKind::Automatic,
            ..srt(
                "yt-auto.en.short.converted.srt",
                63,
                (13_670, 16_640, "today's fire income will tell details"),
                (235_209, 236_880, "next video goodbye"),
            )
        },
        Expected {
            format: Format::Json3,
            kind: TrackKind::Automatic,
            ..srt(
                "yt-auto.en.design-dashboards.json3",
                256,
                (160, 2230, "Dashboards are a staple of any design"),
                (496_639, 498_970, "I'll see you in the next one."),
            )
        },
        Expected {
            format: Format::TimedText,
            kind: TrackKind::Manual,
            ..srt(
                "yt-timedtext.xml",
                3,
                (0, 1540, "Hey, this is just a test"),
                (5700, 8939, "just something shorter, I made up for testing"),
            )
        },
    ]
}

fn captions(file: &str) -> Option<(Parsed<Source>, Captions)> {
    let parsed = parse(file, &shared(&format!("captions/{file}"))?, &Options::default()).unwrap();
    let Content::Captions { captions, .. } = &parsed.value.content else { panic!("{file}: not captions") };
    let captions = captions.clone();
    Some((parsed, captions))
}

#[test]
fn every_file_gives_what_stands_in_it() {
    for expected in table() {
        let file = expected.file;
        let Some((parsed, captions)) = captions(file) else { return };
        assert_eq!((parsed.value.format, captions.kind), (expected.format, expected.kind), "{file}");
        assert_eq!(captions.cues.len(), expected.cues, "{file}");
        let shown =
            |cue: &Cue| (cue.span().start().as_millis(), cue.span().end().as_millis(), cue.text().to_owned());
        let owned = |(start, end, text): (u64, u64, &str)| (start, end, text.to_owned());
        assert_eq!(captions.cues.first().map(shown), Some(owned(expected.first)), "{file}");
        assert_eq!(captions.cues.last().map(shown), Some(owned(expected.last)), "{file}");
        let lines: Vec<u32> =
            parsed.warnings.iter().map(|w| w.line.map_or(0, std::num::NonZeroU32::get)).collect();
        assert_eq!(lines, expected.warnings, "{file}: {:?}", parsed.warnings);
    }
}

/// The twin was repaired by hand elsewhere, in part: a letter of which only the first byte was put right stands there
/// as `à` and a sign, such as `à¡` for `á`.
#[test]
fn broken_letters_are_repaired_as_in_the_twin_and_beyond() {
    let Some((_, broken)) = captions("fansub.pt.mojibake-font-tags.srt") else { return };
    let Some((_, twin)) = captions("fansub.pt.mojibake-font-tags.repaired.srt") else { return };
    let mut beyond = 0;
    for (ours, theirs) in broken.cues.iter().zip(&twin.cues) {
        let mut rest = theirs.text().chars();
        for c in ours.text().chars() {
            let next = rest.next().unwrap();
            if next == c && next != 'à' {
                continue;
            }
            assert!(!c.is_ascii(), "{:?} / {:?}", ours.text(), theirs.text());
            // What they left broken is as long as the letter's UTF-8.
            beyond += 1;
            for _ in 1..c.len_utf8() {
                rest.next();
            }
        }
        assert_eq!(rest.next(), None, "{:?} / {:?}", ours.text(), theirs.text());
        assert!(!ours.text().contains(['Ã', '¡', '©', '³']), "{:?}", ours.text());
    }
    assert_eq!((broken.cues.len(), beyond), (330, 99 + 6));
}

#[test]
fn a_converted_file_says_what_the_original_says() {
    let Some((_, converted)) = captions("yt-auto.en.short.converted.srt") else { return };
    let Some((_, original)) = captions("yt-auto.en.short.old-colour.vtt") else { return };
    let said = |captions: &Captions| -> Vec<_> {
        captions.cues.iter().map(|cue| (cue.span(), cue.text().to_owned())).collect()
    };
    assert_eq!(said(&converted), said(&original));
    assert_eq!(converted.notes.len(), original.notes.len());
}

#[test]
fn every_word_of_a_real_json3_stands_once_at_its_time() {
    let file = "yt-auto.en.design-dashboards.json3";
    let Some(bytes) = shared(&format!("captions/{file}")) else { return };
    let options = Options::default().with_notes(tusab_ingest::Notes::Kept);
    let source = parse(file, &bytes, &options).unwrap().value;
    let Content::Captions { captions, .. } = source.content else { panic!("not captions") };
    let found: Vec<(String, u64)> = captions
        .cues
        .iter()
        .flat_map(|cue| {
            cue.words().map(|w| (w.text.to_owned(), w.start.unwrap().as_millis())).collect::<Vec<_>>()
        })
        .collect();
    // By another way than the parser's: every piece of text in the file, at its event's start plus its own offset.
    let json: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    let mut expected = Vec::new();
    for event in json["events"].as_array().unwrap() {
        for seg in event["segs"].as_array().into_iter().flatten() {
            let at = event["tStartMs"].as_u64().unwrap() + seg["tOffsetMs"].as_u64().unwrap_or(0);
            expected
                .extend(seg["utf8"].as_str().unwrap().split_whitespace().map(|word| (word.to_owned(), at)));
        }
    }
    assert!(expected.len() > 1000);
    assert_eq!(found, expected);
}
