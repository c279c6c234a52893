//! WebVTT in all the shapes it comes in.

use tusab_ingest::{CaptionOptions, Error, Problem, TrackKind, parse_webvtt};

use crate::{read, texts};

/// Start and end in milliseconds, and text.
type Shown = (u64, u64, String);

/// What is shown when, and the lines and problems of the warnings.
fn shape(text: &str) -> (Vec<Shown>, Vec<(u32, Problem)>) {
    let parsed = read(text);
    let cues = parsed.value.cues.iter();
    let cues = cues
        .map(|c| (c.span().start().as_millis(), c.span().end().as_millis(), c.text().to_owned()))
        .collect();
    let line = |line: Option<std::num::NonZeroU32>| line.map_or(0, std::num::NonZeroU32::get);
    (cues, parsed.warnings.into_iter().map(|warning| (line(warning.line), warning.problem)).collect())
}

fn sound(text: &str) -> Vec<Shown> {
    let (cues, warnings) = shape(text);
    assert_eq!(warnings, [], "{text:?}");
    cues
}

fn two() -> Vec<Shown> {
    vec![(1000, 2000, "um\ndois".into()), (3_600_500, 3_601_000, "três".into())]
}

#[test]
fn line_breaks_marks_and_missing_blank_lines_change_nothing() {
    let plain = "WEBVTT\n\n00:01.000 --> 00:02.000\num\ndois\n\n01:00:00.500 --> 01:00:01.000\ntrês\n";
    for text in [
        plain.to_owned(),
        plain.replace('\n', "\r\n"),
        plain.replace('\n', "\r"),
        format!("\u{feff}{plain}"),
        plain.trim_end().to_owned(),
        plain.replace(
            "WEBVTT\n\n",
            "WEBVTT - com título\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000\n\n",
        ),
        plain.replace("WEBVTT\n\n", "WEBVTT\n"),
        plain.replace("dois\n\n", "dois\n"),
        plain.replace("00:02.000", "00:02.000 align:start position:0% line:-1"),
        plain.replace(
            "00:01.000 -->",
            "NOTE uma\nnota\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:a\n\nid 1\n00:01.000 -->",
        ),
        plain.replace("\n\n01:00", "\n\nNOTE\tfim\n\n01:00"),
    ] {
        assert_eq!(sound(&text), two(), "{text:?}");
    }
}

#[test]
fn numbers_are_speech_unless_they_are_the_next_cues() {
    let numbered = "WEBVTT\n\n1\n00:01.000 --> 00:02.000\num\n2\n00:02.000 --> 00:03.000\ndois\n3\n\
                    00:03.000 --> 00:04.000\n2024\n\n4\n00:04.000 --> 00:05.000\n7\n";
    assert_eq!(texts(&read(numbered).value), ["um", "dois", "2024", "7"]);
    let counting =
        "WEBVTT\n\n00:01.000 --> 00:02.000\n1\n\n00:02.000 --> 00:03.000\n2\n3\n00:03.000 --> 00:04.000\n3";
    assert_eq!(texts(&read(counting).value), ["1", "2\n3", "3"]);
    let countdown = "WEBVTT\n\n5\n00:01.000 --> 00:02.000\n10\n9\n00:03.000 --> 00:04.000\n8\n";
    assert_eq!(texts(&read(countdown).value), ["10\n9", "8"]);
}

#[test]
fn speech_with_an_arrow_does_not_end_its_cue() {
    let cues =
        sound("WEBVTT\n\n00:01.000 --> 00:02.000\nde A --> B\nvai -->\n\n00:02.000 --> 00:03.000\nfim\n");
    assert_eq!(cues[0].2, "de A --> B\nvai -->");
    assert_eq!(cues.len(), 2);
}

#[test]
fn overlapping_cues_and_empty_ones_stay_as_they_are() {
    let cues = sound(
        "WEBVTT\n\n00:01.000 --> 00:09.000\num\n\n00:02.000 --> 00:03.000\n\n00:01.000 --> 00:01.000\ntrês\n",
    );
    assert_eq!(cues, [(1000, 9000, "um".into()), (2000, 3000, String::new()), (1000, 1000, "três".into())]);
}

#[test]
fn nul_becomes_the_replacement_character() {
    assert_eq!(sound("WEBVTT\n\n00:01.000 --> 00:02.000\na\0b")[0].2, "a\u{fffd}b");
}

#[test]
fn damage_is_told_with_its_line_and_costs_no_more_than_it_must() {
    let (cues, warnings) = shape(
        "WEBVTT\n\n-00:01.000 --> 00:02.000\na\n\n00:05.000 --> 00:04.000\nb\n\n00:06,000 --> 00:07,500\nc\n\n\
         00:07,500 --> 00:08,000\nd\n\n00:x --> 00:09.000\nperdido\n\n00:09.000 --> 00:10.000\n\nfora\nda fala\n",
    );
    assert_eq!(
        cues,
        [
            (0, 2000, "a".into()),
            (5000, 5000, "b".into()),
            (6000, 7500, "c".into()),
            (7500, 8000, "d".into()),
            (9000, 10_000, "\nfora\nda fala".into()),
        ]
    );
    assert_eq!(
        warnings,
        [
            (3, Problem::NegativeTime),
            (6, Problem::ReversedTimes),
            (9, Problem::CommaInTime),
            (15, Problem::UnreadableTimes { timing: "00:x --> 00:09.000".into() }),
            (20, Problem::TextAfterCue),
        ]
    );
    let (cues, warnings) = shape("WEBVTT\n\nperdido\n\n00:01.000 --> 00:02.000\na\n");
    assert_eq!(cues.len(), 1);
    assert_eq!(warnings, [(3, Problem::TextOutsideCues { text: "perdido".into() })]);
}

#[test]
fn a_file_without_its_first_line_is_read_if_it_has_cues() {
    for text in [
        "00:01.000 --> 00:02.000\noi\n",
        "1\n00:01.000 --> 00:02.000\noi\n",
        "webvtt\n\n00:01.000 --> 00:02.000\noi",
    ] {
        let parsed = read(text);
        assert_eq!(texts(&parsed.value), ["oi"]);
        assert_eq!(parsed.warnings[0].problem, Problem::MissingHeader);
    }
    let parsed = read("\n\nWEBVTT\n\n00:01.000 --> 00:02.000\noi\n");
    assert_eq!(
        parsed.warnings[0].to_string(),
        "line 3: the file does not start with WEBVTT; read as WebVTT all the same"
    );
    for text in ["", "\n", "oi", "<html>Too Many Requests</html>", "{}", "WEBVTTx\n\noi", "a --> b"] {
        let error = parse_webvtt(text, &CaptionOptions::default()).unwrap_err();
        assert!(matches!(error, Error::NotWebVtt), "{text:?}");
    }
    let (cues, warnings) = shape("WEBVTT\n");
    assert_eq!((cues.len(), warnings), (0, vec![(0, Problem::NoCues)]));
}

#[test]
fn segments_of_a_stream_put_together_are_one_file() {
    let segment = |second: u8, text: &str| {
        format!(
            "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000\n\n00:0{second}.000 --> 00:09.000\n{text}\n\n"
        )
    };
    let cues = sound(&(segment(1, "um") + &segment(2, "dois")));
    assert_eq!(cues.iter().map(|cue| cue.2.as_str()).collect::<Vec<_>>(), ["um", "dois"]);
    // A cue that goes on where the stream is cut stands in both segments.
    let cues = sound(&(segment(1, "um") + &segment(1, "um") + &segment(2, "dois")));
    assert_eq!(cues.iter().map(|cue| cue.2.as_str()).collect::<Vec<_>>(), ["um", "dois"]);
    let said_twice = sound("WEBVTT\n\n00:01.000 --> 00:02.000\num\n\n00:01.000 --> 00:02.000\num\n");
    assert_eq!(said_twice.len(), 2);
}

#[test]
fn wherever_a_file_is_cut_what_is_whole_stays_and_the_cut_is_told() {
    let whole = "WEBVTT\n\n1\n00:01.000 --> 00:02.000\n<v Ana>um &amp; dois</v>\n\n2\n00:02.000 --> 00:03.000\n<i>três</i>\n";
    let all = texts(&read(whole).value).concat();
    for cut in ("WEBVTT\n\n".len()..whole.len()).filter(|cut| whole.is_char_boundary(*cut)) {
        let part = &whole[..cut];
        let parsed = read(part);
        let said = texts(&parsed.value).concat();
        // The piece of a reference cannot be told from speech; everything else is left as it was.
        let said = said.trim_end_matches("&a").trim_end_matches("&am").trim_end_matches('&');
        assert!(all.starts_with(said.trim_end()), "{part:?}: {said:?}");
    }
    for (part, said) in [
        ("WEBVTT\n\n00:01.000 --> 00:02.000\num\n\n2", vec!["um"]),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\num\n\n00:02", vec!["um"]),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\num\n\n00:02.000 -", vec!["um"]),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\num\n\n00:02.000 --> 00:0", vec!["um"]),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\num\n\n00:02.000 --> 00:03.000\n", vec!["um"]),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\num\n\n00:02.000 --> 00:03.000\ndois <i", vec!["um", "dois "]),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\num\n\n00:02.000 --> 00:03.000\ndois </", vec!["um", "dois "]),
    ] {
        let parsed = read(part);
        assert_eq!(texts(&parsed.value), said, "{part:?}");
        let problems: Vec<_> = parsed.warnings.iter().map(|warning| warning.problem.clone()).collect();
        assert_eq!(problems, [Problem::CutCue], "{part:?}");
    }
}

#[test]
fn a_file_of_youtubes_that_lacks_its_last_line_break_was_cut() {
    let cues = |count: u64| -> String {
        let cues = (0..count).map(|n| format!("00:{n:02}.000 --> 00:{n:02}.900\nfala {n}"));
        cues.collect::<Vec<_>>().join("\n\n")
    };
    let problems = |text: &str| read(text).warnings.into_iter().map(|w| w.problem).collect::<Vec<_>>();
    let header = "WEBVTT\nKind: captions\nLanguage: pt\n\n";
    assert_eq!(problems(&format!("{header}{}", cues(20))), [Problem::CutCue]);
    assert_eq!(problems(&format!("{header}{}\n", cues(20))), []);
    assert_eq!(problems(&format!("{header}{}", cues(3))), []);
    assert_eq!(problems(&format!("WEBVTT\n\n{}", cues(20))), []);
}

#[test]
fn the_header_of_youtube_tells_language_and_kind() {
    let header = "WEBVTT\nKind: captions\nLanguage: pt\nStyle:\n::cue(c.colorCCCCCC) { color: rgb(204,204,204);\n }\n##\n\n";
    let parsed = read(&format!("{header}00:01.000 --> 00:02.000\n<c.colorCCCCCC>oi</c>\n"));
    assert_eq!(parsed.warnings, []);
    assert_eq!(parsed.value.language.as_ref().map(ToString::to_string).as_deref(), Some("pt"));
    assert_eq!((parsed.value.kind, parsed.value.rolling), (TrackKind::Manual, false));
    assert_eq!(texts(&parsed.value), ["oi"]);

    let language = |header: &str, known: &str| {
        let options = CaptionOptions::default().with_language(known.parse().ok());
        let text = format!("WEBVTT\n{header}\n00:01.000 --> 00:02.000\noi\n");
        let parsed = parse_webvtt(&text, &options).unwrap();
        (parsed.value.language.map(|tag| tag.to_string()).unwrap_or_default(), parsed.warnings.len())
    };
    assert_eq!(language("Language: pt\n", "pt-BR"), ("pt-BR".into(), 0));
    assert_eq!(language("Language: pt-PT\n", "pt-BR"), ("pt-PT".into(), 0));
    assert_eq!(language("Language: en\n", "pt-BR"), ("en".into(), 0));
    assert_eq!(language("Language: ???\n", "pt-BR"), ("pt-BR".into(), 1));
    assert_eq!(language("", "pt-BR"), ("pt-BR".into(), 0));
    assert_eq!(language("", ""), (String::new(), 0));
}

#[test]
fn segments_are_the_speech_in_single_spaces() {
    let text = "WEBVTT\n\n00:01.000 --> 00:02.000\n  um&nbsp;&nbsp;\n dois \n\n00:02.000 --> 00:03.000\n\n\n00:03.000 --> 00:04.000\n<v Ana>três\n";
    let segments = read(text).value.segments();
    assert_eq!(segments.iter().map(|segment| segment.text.as_str()).collect::<Vec<_>>(), ["um dois", "três"]);
    assert_eq!(segments[1].span.start().as_millis(), 3000);
}

#[test]
fn captions_survive_being_stored() {
    let text = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ana>um <00:01.500>dois\n";
    let captions = read(text).value;
    let json = serde_json::to_string(&captions).unwrap();
    assert_eq!(serde_json::from_str::<tusab_ingest::Captions>(&json).unwrap(), captions);
}
