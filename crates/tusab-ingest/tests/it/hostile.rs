//! Whatever the bytes, an answer: no panic, no endless loop, no cue that ends before it starts.

use proptest::prelude::*;
use tusab_ingest::{
    CaptionFileName, CaptionOptions, Captions, ChatOptions, Content, Format, Notes, Options, Parsed,
    TrackKind, decode, parse, parse_json3, parse_markdown, parse_meeting, parse_srt, parse_timed_text,
    parse_ttml, parse_video_info, parse_webvtt, parse_whatsapp,
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
    "00:00:01,000 --> 00:00:02,5",
    "{\\an8}",
    "<font color=\"#fff\">",
    "{\"events\":[{\"tStartMs\":1,\"segs\":[{\"utf8\":\"a\",\"tOffsetMs\":5}]},",
    "\"aAppend\":1",
    "<transcript><text start=\"1\" dur=\"2\">",
    "<timedtext><p t=\"1\" d=\"2\">",
    "<s t=\"5\">",
    "</p>",
    "<!--",
    "]]>",
    "12/03/24, 14:32 - Ana: ",
    "[13/12/24, 9:29:05\u{202f}PM] ",
    "\u{200e}",
    "Ana: ",
    " added ",
    "Ana Lima  0:12",
    "00:13:46\tAna:\t",
    "00:13:46 From Ana to ",
    "Transcript",
    "00:05:00",
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
    let options = CaptionOptions::default();
    for parsed in [
        parse_srt(text, &options),
        parse_json3(text, &options),
        parse_timed_text(text, &options),
        parse_ttml(text, &options),
    ]
    .into_iter()
    .flatten()
    {
        check(&parsed.value);
    }
    if let Ok(Parsed { value: chat, .. }) = parse_whatsapp(text, &ChatOptions::default()) {
        let senders = chat.messages.iter().filter_map(|message| message.sender.as_ref());
        assert!(senders.clone().all(|name| chat.participants.contains(name)));
        assert!(chat.participants.iter().all(|name| senders.clone().any(|sender| sender == name)));
        assert!(chat.turns().len() <= chat.messages.len());
    }
    if let Ok(Parsed { value: meeting, .. }) = parse_meeting(text) {
        assert!(meeting.turns.iter().all(|turn| !turn.pieces.is_empty() && !turn.text().is_empty()));
        let said: String = meeting.turns.iter().map(tusab_ingest::MeetingTurn::text).collect();
        let turns: String = meeting.turns().into_iter().map(|turn| turn.text).collect();
        assert!(said.split_whitespace().collect::<String>() == turns.split_whitespace().collect::<String>());
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
        check_everything(&format!("<timedtext>{text}"));
        check_everything(&format!("<tt><p begin='1s'>{text}"));
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
        "{",
        "{\\",
        "<p t=\"1\">",
        "<s t=\"1\">a",
        "<a b=\"",
        "<!--",
        "<p t=1 ",
        "2\n00:00:01,000 --> 00:00:02,000\n",
        "{\"tStartMs\":1,\"segs\":[{\"utf8\":\"a\"}]},",
        "[",
        "12/03/24, 14:32 - Ana: oi\n",
        "12/03/24, 14:32 - Ana: b: c: ",
        "12/03/24, 14:32 - ",
        ": ",
        "\\u202f",
        "Ana  0:12\n",
        "00:13:46\tAna:\t",
        "0:0:1.0 --> 0:0:2.0\nAna\n",
    ] {
        let body = piece.repeat(150_000 / piece.len());
        for text in [format!("{head}{body}"), format!("{head}{body}{again}{body}"), body.clone()] {
            for kind in [TrackKind::Automatic, TrackKind::Unknown] {
                if let Ok(parsed) = parse_webvtt(&text, &CaptionOptions::default().with_kind(kind)) {
                    check(&parsed.value);
                }
            }
        }
        for text in [
            format!("<timedtext>{body}"),
            format!("1\n00:00:01,000 --> 00:00:02,000\n{body}"),
            format!("{{\"events\":[{body}"),
        ] {
            let options = CaptionOptions::default();
            for parsed in
                [parse_srt(&text, &options), parse_timed_text(&text, &options), parse_json3(&text, &options)]
                    .into_iter()
                    .flatten()
            {
                check(&parsed.value);
            }
        }
        let whole = piece.repeat(150_000 / piece.len());
        for text in [whole.clone(), format!("12/03/24, 14:32 - Ana: {whole}"), format!("Ana  0:12\n{whole}")]
        {
            let _ = parse_whatsapp(&text, &ChatOptions::default());
            let _ = parse_meeting(&text);
            let _ = Format::detect("a.txt", &text);
        }
        let _ = parse_markdown(&body);
        let _ = parse_video_info(body.as_bytes());
        let _ = CaptionFileName::parse(&body);
    }
}
