//! SRT in all the shapes it comes in.

use std::fmt::Write;

use tusab_chunk::MediaTime;
use tusab_ingest::{
    CaptionOptions, Content, Error, Format, Options, Parsed, Problem, TrackKind, parse, parse_srt,
    parse_webvtt,
};

use crate::texts;

type Shown = (u64, u64, String);

fn shape(text: &str) -> (Vec<Shown>, Vec<(u32, Problem)>) {
    let parsed = parse_srt(text, &CaptionOptions::default()).unwrap();
    let cues = parsed.value.cues.iter();
    let cues = cues
        .map(|c| (c.span().start().as_millis(), c.span().end().as_millis(), c.text().to_owned()))
        .collect();
    let line = |line: Option<std::num::NonZeroU32>| line.map_or(0, std::num::NonZeroU32::get);
    (cues, parsed.warnings.into_iter().map(|warning| (line(warning.line), warning.problem)).collect())
}

fn said(text: &str) -> Vec<String> {
    let (cues, warnings) = shape(text);
    assert_eq!(warnings, [], "{text:?}");
    cues.into_iter().map(|cue| cue.2).collect()
}

#[test]
fn line_breaks_marks_numbers_and_blank_lines_change_nothing() {
    let plain = "1\n00:00:01,000 --> 00:00:02,000\num\ndois\n\n2\n01:00:00,500 --> 01:00:01,000\ntrês\n";
    let two = [(1000, 2000, "um\ndois".to_owned()), (3_600_500, 3_601_000, "três".to_owned())];
    for text in [
        plain.to_owned(),
        plain.replace('\n', "\r\n"),
        plain.replace('\n', "\r"),
        format!("\u{feff}{plain}"),
        format!("\n\n{plain}\n\n"),
        plain.trim_end().to_owned(),
        plain.replace(',', "."),
        plain.replace("1\n00:00", "00:00").replace("2\n01:00", "01:00"),
        plain.replace("1\n00:00", "7\n00:00").replace("2\n01:00", "7\n01:00"),
        plain.replace("dois\n\n", "dois\n"),
        plain.replace("dois\n\n", "dois\n\n\n\n"),
        plain.replace("00:00:01,000", "0:00:01,000").replace("00:00:02,000", "00:02,000 X1:4 Y1:6"),
        plain.replace("00:00:01,000 --> 00:00:02,000", "00:00:01 --> 00:00:02"),
        plain.replace(" --> ", "-->"),
        plain.replace("um", "<i>um</i>").replace("três", "{\\an8}<font color=\"#ff0\">tr&ecirc;s</font>"),
    ] {
        let (cues, warnings) = shape(&text);
        assert_eq!((cues.as_slice(), warnings), (two.as_slice(), vec![]), "{text:?}");
        let source = parse("a.txt", text.as_bytes(), &Options::default()).unwrap().value;
        let by_name = parse("a.srt", text.as_bytes(), &Options::default()).unwrap().value;
        assert_eq!(by_name.format, Format::Srt);
        assert!(source.format == Format::Srt || text.starts_with("00:00:01.000"), "{text:?}");
    }
    let wide: Vec<u8> =
        "\u{feff}".encode_utf16().chain(plain.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let source = parse("a.srt", &wide, &Options::default()).unwrap().value;
    let Content::Captions { captions, .. } = source.content else { panic!("not captions") };
    assert_eq!(texts(&captions), ["um\ndois", "três"]);
}

#[test]
fn numbers_alone_on_a_line_are_speech() {
    let cue = |n: u64, text: &str| format!("00:00:0{n},000 --> 00:00:0{},000\n{text}", n + 1);
    let numbered = |parts: &[(&str, &str)], gap: &str| {
        let parts = (1..).zip(parts).map(|(n, (number, text))| format!("{number}{}", cue(n, text)));
        parts.collect::<Vec<_>>().join(gap)
    };
    let year = [("1\n", "2024"), ("2\n", "em\n1999"), ("3\n", "3"), ("4\n", "10\n9\n8")];
    assert_eq!(said(&numbered(&year, "\n\n")), ["2024", "em\n1999", "3", "10\n9\n8"]);
    // Without blank lines the next number is the next cue's.
    assert_eq!(said(&numbered(&year, "\n")), ["2024", "em\n1999", "3", "10\n9\n8"]);
    // Without numbers every number is speech.
    let countdown = [("", "3"), ("", "2"), ("", "um\n1"), ("", "0")];
    assert_eq!(said(&numbered(&countdown, "\n\n")), ["3", "2", "um\n1", "0"]);
    assert_eq!(said(&numbered(&countdown, "\n")), ["3", "2", "um\n1", "0"]);
    let counting = [("", "oi"), ("", "1"), ("", "2"), ("", "3")];
    assert_eq!(said(&numbered(&counting, "\n")), ["oi", "1", "2", "3"]);
    // Half of the cues have lost their numbers: the very next number is one, another is speech.
    let half = [("1\n", "a\n5"), ("2\n", "b\n7"), ("", "c"), ("", "d"), ("", "e")];
    assert_eq!(said(&numbered(&half, "\n")), ["a\n5", "b\n7", "c", "d", "e"]);
    // One has: the number above its times is all that is said before.
    let one = [("1\n", "a"), ("2\n", "2024"), ("", "c"), ("4\n", "d"), ("5\n", "e")];
    assert_eq!(said(&numbered(&one, "\n")), ["a", "2024", "c", "d", "e"]);
    // Cues cut out of a file keep their numbers, which then have gaps.
    let gaps = [("4\n", "a"), ("9\n", "b\n7"), ("12\n", "c")];
    assert_eq!(said(&numbered(&gaps, "\n\n")), ["a", "b\n7", "c"]);
    assert_eq!(said(&numbered(&gaps, "\n")), ["a", "b\n7", "c"]);
}

#[test]
fn cues_without_text_stay_and_blank_lines_lose_no_text() {
    assert_eq!(
        said("1\n00:00:01,000 --> 00:00:02,000\n\n\n2\n00:00:02,000 --> 00:00:03,000\n\nfim\n"),
        ["", "fim"]
    );
    let (cues, warnings) =
        shape("1\n00:00:01,000 --> 00:00:02,000\num\n\ndois\n\n2\n00:00:02,000 --> 00:00:03,000\nfim");
    assert_eq!(cues[0].2, "um\n\ndois");
    assert_eq!((cues.len(), warnings), (2, vec![(5, Problem::TextAfterCue)]));
}

#[test]
fn damage_is_told_with_its_line() {
    let (cues, warnings) = shape(
        "título\n\n1\n-00:00:01,000 --> 00:00:02,000\na\n\n2\n00:00:05,000 --> 00:00:04,000\nb\n\n\
         3\n00:00:06,5 --> 00:00:07,25\nc\n\n4\n00:00:x --> 00:00:09,000\nperdido\n\n5\n00:00:09,0 --> 00:00:10,0\nd\n",
    );
    assert_eq!(
        cues,
        [
            (0, 2000, "a".into()),
            (5000, 5000, "b".into()),
            (6500, 7250, "c".into()),
            (9000, 10_000, "d".into())
        ]
    );
    let lines: Vec<_> = warnings.iter().map(|warning| warning.0).collect();
    assert_eq!(lines, [1, 4, 8, 12, 16]);
    assert_eq!(warnings[0].1, Problem::TextOutsideCues { text: "título".into() });
    assert_eq!(warnings[1].1, Problem::NegativeTime);
    assert_eq!(warnings[2].1, Problem::ReversedTimes);
    assert_eq!(
        warnings[3].1.to_string(),
        "the times are not written as 00:00:01,000 --> 00:00:02,000; read as 6500 ms to 7250 ms, and so on"
    );
    assert_eq!(warnings[4].1, Problem::UnreadableTimes { timing: "00:00:x --> 00:00:09,000".into() });
    for text in ["", "oi", "1\n2\n3", "1 --> 2", "<html>429</html>"] {
        assert!(matches!(parse_srt(text, &CaptionOptions::default()), Err(Error::NotSrt)), "{text:?}");
    }
    assert!(matches!(parse("a.srt", b"Too Many Requests", &Options::default()), Err(Error::NotSrt)));
}

#[test]
fn wherever_a_file_is_cut_what_is_whole_stays() {
    let whole =
        "1\n00:00:01,000 --> 00:00:02,000\num &amp; dois\n\n2\n00:00:02,000 --> 00:00:03,000\n<i>três</i>\n";
    for cut in (40..whole.len()).filter(|cut| whole.is_char_boundary(*cut)) {
        let (cues, _) = shape(&whole[..cut]);
        let text: String = cues.into_iter().map(|cue| cue.2).collect();
        let text = text.trim_end_matches("&a").trim_end_matches("&am").trim_end_matches('&').trim_end();
        assert!("um & doistrês".starts_with(text), "{:?}: {text:?}", &whole[..cut]);
    }
    for (tail, kept) in [
        ("\n\n2", 1),
        ("\n\n2\n", 1),
        ("\n\n2\n00:00", 1),
        ("\n\n2\n00:00:02,000 --> 00:00", 1),
        ("\n\n2\n00:00:02,000 --> 00:00:03,000", 1),
    ] {
        let (cues, warnings) = shape(&format!("1\n00:00:01,000 --> 00:00:02,000\num{tail}"));
        let problems: Vec<_> = warnings.into_iter().map(|warning| warning.1).collect();
        assert_eq!((cues.len(), problems), (kept, vec![Problem::CutCue]), "{tail:?}");
    }
    // A year after a blank line is speech, not a cut number.
    let (cues, warnings) = shape("1\n00:00:01,000 --> 00:00:02,000\num\n\n1984");
    assert_eq!((cues[0].2.as_str(), warnings), ("um\n\n1984", vec![(5, Problem::TextAfterCue)]));
}

#[test]
fn rolling_captions_converted_to_srt_are_collapsed_as_in_webvtt() {
    let vtt = include_str!("rolling.vtt");
    let expected = parse_webvtt(vtt, &CaptionOptions::default()).unwrap().value;
    for (first_break, strip) in [("\n", false), ("\r\n", false), ("\n", true)] {
        let mut srt = String::new();
        let blocks = vtt.split("\n\n").filter(|block| block.contains(" --> "));
        for (number, block) in (1..).zip(blocks) {
            let (times, lines) = block.trim_start_matches('\n').split_once('\n').unwrap();
            let times = times.replace(" align:start position:0%", "").replace('.', ",");
            let lines = lines.replacen('\n', first_break, 1);
            let lines = if strip { lines.replace("\n ", "\n").replacen(" \n", "\n", 1) } else { lines };
            write!(srt, "{number}\n{times}\n{lines}\n\n").unwrap();
        }
        let Parsed { value, warnings } = parse_srt(&srt, &CaptionOptions::default()).unwrap();
        assert_eq!(warnings, [], "{srt}");
        assert_eq!((value.rolling, value.kind), (true, TrackKind::Automatic), "{srt}");
        assert_eq!(texts(&value), texts(&expected), "{srt}");
        let starts = |captions: &tusab_ingest::Captions| {
            captions
                .cues
                .iter()
                .flat_map(|c| c.words().map(|w| w.start).collect::<Vec<_>>())
                .collect::<Vec<_>>()
        };
        assert_eq!(starts(&value), starts(&expected));
    }
}

#[test]
fn a_sentence_shown_word_by_word_is_one_cue() {
    let cue =
        |start: u32, text: &str| format!("00:00:{start:02},000 --> 00:00:{:02},000\n{text}\n\n", start + 1);
    let text = cue(0, "<u>Não,</u> não.")
        + &cue(1, "Não, não.")
        + &cue(2, "Não, <u>não.</u>")
        + &cue(3, "<u>Não,</u> não.")
        + &cue(4, "Não, <u>não.</u>")
        + &cue(5, "<u>Fim.</u>");
    let captions = parse_srt(&text, &CaptionOptions::default()).unwrap().value;
    assert_eq!(texts(&captions), ["Não, não.", "Não, não.", "Fim."]);
    let spans: Vec<_> = captions
        .cues
        .iter()
        .map(|cue| (cue.span().start().as_millis(), cue.span().end().as_millis()))
        .collect();
    assert_eq!(spans, [(0, 3000), (3000, 5000), (5000, 6000)]);
    let words: Vec<_> = captions.cues[0].words().map(|word| word.start.map(MediaTime::as_millis)).collect();
    assert_eq!(words, [Some(0), Some(2000)]);
    // Times of words inside such cues that contradict them.
    let timed = |start: u32| cue(start, "<u>a</u> bc<00:00:04.000>d") + &cue(start + 1, "a <u>bcd</u>");
    let both = timed(4) + &timed(6) + &timed(8) + &timed(2);
    let captions = parse_srt(&both, &CaptionOptions::default()).unwrap().value;
    assert_eq!(texts(&captions), ["a bcd"; 4]);
    // Words that someone underlined, and lines that someone says again.
    let stressed = cue(0, "um <u>dois</u>")
        + &cue(1, "Sim.")
        + &cue(2, "Sim.")
        + &cue(3, "Sim.")
        + &cue(4, "<u>Sim.</u>");
    let captions = parse_srt(&stressed, &CaptionOptions::default()).unwrap().value;
    assert_eq!(texts(&captions), ["um dois", "Sim.", "Sim.", "Sim.", "Sim."]);
    assert!(captions.cues.iter().all(|cue| !cue.has_word_times()));
}
