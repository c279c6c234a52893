//! Whatever the bytes, an answer: no panic, no endless loop, no cue that ends before it starts.

use proptest::prelude::*;
use tusab_ingest::{
    CaptionFileName, CaptionOptions, Captions, Content, Format, Notes, Options, TrackKind, decode, parse,
    parse_markdown, parse_video_info, parse_webvtt,
};

/// Pieces of captions, well made and not.
const PIECES: &[&str] = &[
    "WEBVTT",
    "\n",
    "\n\n",
    "\r",
    "\r\n",
    " ",
    "00:00:01.000 --> 00:00:02.000",
    "00:01.000 --> 00:00.500",
    "-00:00:01.000 --> 99999999999999999999:00:00.000",
    "00:00:02.000 --> 00:00:02.010 align:start position:0%",
    "-->",
    "1",
    "2",
    "sim",
    "não sim",
    "<00:00:01.500><c> sim</c>",
    "<c>",
    "</c>",
    "<c.colorE5E5E5>",
    "<v Ana>",
    "</v>",
    "<ruby>",
    "<rt>",
    "</rt>",
    "<",
    ">",
    "&",
    "&amp;",
    "&#x110000;",
    "&gt;&gt; ",
    "[música]",
    "[",
    "]",
    "NOTE",
    "STYLE",
    "REGION",
    "Kind: captions",
    "Language: pt",
    "Language: ?",
    "Style:",
    "##",
    "X-TIMESTAMP-MAP=x",
    "\0",
    "\u{feff}",
    "\u{200e}",
    "😛",
    "---",
    "# ",
    "título: x",
    "```",
    "tags: [a, b]",
    "{",
    "\"chapters\":[{\"start_time\":1e999}]",
    "}",
];

fn pieces() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..80).prop_map(|pieces| pieces.concat())
}

fn check(captions: &Captions) {
    for cue in &captions.cues {
        assert!(cue.span().start() <= cue.span().end());
        let words: String = cue.words().map(|word| word.text).collect();
        let text: String = cue.text().split_whitespace().collect();
        assert_eq!(words, text);
        let voices: usize = cue.voices().map(|(_, said)| said.len()).sum();
        assert!(voices <= cue.text().len());
        if captions.rolling {
            assert!(!cue.text().trim().is_empty());
        }
        let starts: Vec<_> = cue.words().filter_map(|word| word.start).collect();
        assert!(starts.iter().all(|start| (cue.span().start()..=cue.span().end()).contains(start)));
        assert!(starts.is_sorted());
    }
    assert!(captions.segments().iter().all(|segment| !segment.text.trim().is_empty()));
}

fn check_everything(text: &str) {
    for notes in [Notes::Apart, Notes::Kept] {
        if let Ok(parsed) = parse_webvtt(text, &CaptionOptions::default().with_notes(notes)) {
            check(&parsed.value);
        }
    }
    let markdown = parse_markdown(text);
    assert!(text.ends_with(&markdown.text));
    let _ = parse_video_info(text.as_bytes());
    let _ = Format::detect(text, text);
    let _ = CaptionFileName::parse(text);
}

proptest! {
    #[test]
    fn any_text(text: String) {
        check_everything(&text);
    }

    #[test]
    fn any_mix_of_pieces(text in pieces()) {
        check_everything(&text);
        check_everything(&format!("WEBVTT\n\n{text}"));
    }

    #[test]
    fn any_bytes(bytes: Vec<u8>, name: String, mark in prop::sample::select(vec![&b""[..], b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf"])) {
        let bytes = [mark, &bytes].concat();
        let _ = decode(&bytes);
        for name in [name.as_str(), "a.vtt", "a.md", "a.info.json"] {
            if let Ok(parsed) = parse(name, &bytes, &Options::default())
                && let Content::Captions { captions, .. } = &parsed.value.content
            {
                check(captions);
            }
        }
    }

    #[test]
    fn changed_bytes_in_a_rolling_file(changes in prop::collection::vec((0_usize..900, any::<u8>()), 0..12), cut in 0_usize..900) {
        let mut bytes = include_bytes!("rolling.vtt").to_vec();
        for (at, byte) in changes {
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
        }
        bytes.truncate(cut.max(40));
        if let Ok(parsed) = parse("a.vtt", &bytes, &Options::default())
            && let Content::Captions { captions, .. } = &parsed.value.content
        {
            check(captions);
        }
    }
}

/// Sizes at which a quadratic parser would not end within a test's patience.
#[test]
fn large_hostile_files_end() {
    let head = "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n";
    let again = "\n\n00:00:02.000 --> 00:00:02.010\n";
    for piece in [
        "<",
        "<1",
        "<v ",
        "<v a>",
        "&",
        "&amp",
        "[",
        "[a ",
        "[a] ",
        ">> ",
        "a\n",
        "\n",
        "-->\n",
        "1\n",
        "00:00:01.000 -->\n",
        "<00:00:01.500>a ",
        "00:00:01.000 --> 00:00:01.010\na a a a\n\n",
        "\r",
        "\0",
        "```\n",
    ] {
        let body = piece.repeat(150_000 / piece.len());
        for text in [format!("{head}{body}"), format!("{head}{body}{again}{body}"), body.clone()] {
            for kind in [TrackKind::Automatic, TrackKind::Unknown] {
                if let Ok(parsed) = parse_webvtt(&text, &CaptionOptions::default().with_kind(kind)) {
                    check(&parsed.value);
                }
            }
        }
        let _ = parse_markdown(&body);
        let _ = parse_video_info(body.as_bytes());
        let _ = CaptionFileName::parse(&body);
    }
}
