//! YouTube's json3 and timed text in XML: the same captions in four spellings.

use tusab_ingest::{
    CaptionOptions, Captions, Error, Format, Notes, Options, Parsed, Problem, TrackKind, parse, parse_json3,
    parse_timed_text, parse_ttml,
};

use crate::texts;

const JSON3: &str = r#"{"wireMagic": "pb3", "pens": [{}], "events": [
  {"tStartMs": 0, "dDurationMs": 60000, "id": 1, "wpWinPosId": 1, "wsWinStyleId": 1},
  {"tStartMs": 160, "dDurationMs": 4320, "wWinId": 1, "segs": [
    {"utf8": "A", "acAsrConf": 0}, {"utf8": " taxa", "tOffsetMs": 559}, {"utf8": " de", "tOffsetMs": 720}]},
  {"tStartMs": 2230, "dDurationMs": 2250, "wWinId": 1, "aAppend": 1, "segs": [{"utf8": "\n"}]},
  {"tStartMs": 2240, "dDurationMs": 3440, "wWinId": 1, "segs": [{"utf8": "juros"}, {"utf8": " subiu.", "tOffsetMs": 3500}]},
  {"tStartMs": 4470, "dDurationMs": 1210, "wWinId": 1, "aAppend": 1, "segs": [{"utf8": "\n"}]},
  {"tStartMs": 4480, "dDurationMs": 3279, "wWinId": 1, "segs": [{"utf8": "[Música]"}]}
]}"#;

const SRV3: &str = r#"<?xml version="1.0" encoding="utf-8" ?><timedtext format="3">
<head><ws id="0"/><wp id="1" ap="6"/></head><body>
<w t="0" id="1" wp="1" ws="1"/>
<p t="160" d="4320" w="1"><s ac="0">A</s><s t="559"> taxa</s><s t="720"> de</s></p>
<p t="2230" d="2250" w="1" a="1">
</p>
<p t="2240" d="3440" w="1"><s>juros</s><s t="3500"> subiu.</s></p>
<p t="4470" d="1210" w="1" a="1">
</p>
<p t="4480" d="3279" w="1"><s>[M&#250;sica]</s></p>
</body></timedtext>"#;

fn kept() -> CaptionOptions {
    CaptionOptions::default().with_notes(Notes::Kept)
}

fn sound(parsed: Parsed<Captions>) -> Captions {
    assert_eq!(parsed.warnings, []);
    parsed.value
}

fn json3(text: &str) -> Captions {
    sound(parse_json3(text, &kept()).unwrap())
}

fn xml(text: &str) -> Captions {
    sound(parse_timed_text(text, &kept()).unwrap())
}

fn spans(captions: &Captions) -> Vec<(u64, u64)> {
    captions.cues.iter().map(|cue| (cue.span().start().as_millis(), cue.span().end().as_millis())).collect()
}

#[test]
fn lines_of_speech_with_the_times_of_their_words() {
    for captions in [json3(JSON3), xml(SRV3)] {
        assert_eq!(texts(&captions), ["A taxa de", "juros subiu.", "[Música]"]);
        // A line ends when it moves up, and not before its last word.
        assert_eq!(spans(&captions), [(160, 2230), (2240, 5740), (4480, 7759)]);
        assert_eq!((captions.kind, captions.rolling), (TrackKind::Automatic, false));
        let starts: Vec<_> = captions
            .cues
            .iter()
            .flat_map(|cue| cue.words().map(|w| w.start.unwrap().as_millis()).collect::<Vec<_>>())
            .collect();
        assert_eq!(starts, [160, 719, 880, 2240, 5740, 4480]);
    }
    let apart = parse_json3(JSON3, &CaptionOptions::default()).unwrap().value;
    assert_eq!((apart.cues.len(), apart.notes[0].text.as_str()), (2, "[Música]"));
}

#[test]
fn captions_by_people_have_no_word_times() {
    let by_people = r#"{"events": [{"tStartMs": 1360, "dDurationMs": 5120, "segs": [{"utf8": "Bem-vindo\nao projeto"}]},
        {"tStartMs": 7000, "dDurationMs": 1000, "segs": [{"utf8": "Fim."}]}]}"#;
    let same = r#"<timedtext format="3"><body><p t="1360" d="5120">Bem-vindo<br/>ao projeto</p><p t="7000" d="1000">Fim.</p></body></timedtext>"#;
    for captions in [json3(by_people), xml(same)] {
        assert_eq!(texts(&captions), ["Bem-vindo\nao projeto", "Fim."]);
        assert_eq!(spans(&captions), [(1360, 6480), (7000, 8000)]);
        assert_eq!(captions.kind, TrackKind::Manual);
        assert!(captions.cues.iter().all(|cue| !cue.has_word_times()));
    }
}

#[test]
fn srv1_is_html_inside_xml() {
    let captions = xml(
        "<transcript>\n  <text start=\"0\" dur=\"1.54\">&lt;i&gt;Oi&lt;/i&gt;, &amp;quot;tudo&amp;quot;</text>\n  \
         <text start=\"5\" dur=\"0.5\"></text><text start=\"5.7\" dur=\"3.239\">3 &amp;lt; 5 &amp;amp; fim&#39;</text></transcript>",
    );
    assert_eq!(texts(&captions), ["Oi, \"tudo\"", "3 < 5 & fim'"]);
    assert_eq!(spans(&captions), [(0, 1540), (5700, 8939)]);
    assert_eq!(captions.kind, TrackKind::Manual);
    // Each line of automatic captions is shown until the next one has been spoken.
    let overlapping =
        xml("<transcript><text start=\"0.2\" dur=\"4\">um</text><text start=\"2\" dur=\"4\">dois</text>\
         <text start=\"4\" dur=\"3\">três</text></transcript>");
    assert_eq!((texts(&overlapping).len(), overlapping.kind), (3, TrackKind::Automatic));
}

#[test]
fn srv2_appends_word_by_word() {
    let captions = xml("<timedtext><window t=\"0\" id=\"1\"/><text t=\"160\" d=\"2000\" w=\"1\">A</text>\
         <text t=\"700\" d=\"1500\" w=\"1\" append=\"1\"> taxa</text><text t=\"2230\" w=\"1\" append=\"1\">\n</text>\
         <text t=\"2240\" d=\"900\" w=\"1\">subiu</text></timedtext>");
    assert_eq!(texts(&captions), ["A taxa", "subiu"]);
    assert_eq!(spans(&captions), [(160, 2200), (2240, 3140)]);
    assert_eq!(captions.kind, TrackKind::Automatic);
}

#[test]
fn content_tells_them_from_other_json_and_xml() {
    for (name, text, format) in [
        ("a.txt", JSON3, Format::Json3),
        ("a.en.json3", "{}", Format::Json3),
        ("a.json", r#"{"events": []}"#, Format::PlainText),
        ("a.txt", SRV3, Format::TimedText),
        ("a.xml", "<?xml version='1.0'?><!-- x --><transcript></transcript>", Format::TimedText),
        ("a.srv3", "", Format::TimedText),
        ("a.txt", "<tt:tt xmlns:tt='http://www.w3.org/ns/ttml'></tt:tt>", Format::Ttml),
        ("a.txt", "diz <transcript> e fim", Format::PlainText),
    ] {
        assert_eq!(Format::detect(name, text), format, "{name} {text}");
    }
    let error = |name: &str, text: &str| parse(name, text.as_bytes(), &Options::default()).unwrap_err();
    assert!(matches!(error("a.json3", "Too Many Requests"), Error::NotJson3 { .. }));
    assert!(matches!(error("a.json3", "{}"), Error::NotJson3 { .. }));
    assert!(matches!(error("a.srv1", "Too Many Requests"), Error::NotTimedText));
    assert!(matches!(error("a.ttml", "Too Many Requests"), Error::NotTtml));
}

#[test]
fn a_cut_file_gives_what_is_whole_and_says_so() {
    let all = texts(&json3(JSON3)).concat();
    for cut in (0..JSON3.len()).filter(|cut| JSON3.is_char_boundary(*cut)) {
        match parse_json3(&JSON3[..cut], &kept()) {
            Ok(parsed) => {
                assert!(all.starts_with(&texts(&parsed.value).concat()), "{cut}");
                assert_eq!(parsed.warnings[0].problem, Problem::CutCue, "{cut}");
            }
            Err(error) => assert!(matches!(error, Error::NotJson3 { .. }) && cut < 140, "{cut}: {error}"),
        }
    }
    let all = texts(&xml(SRV3)).concat();
    for cut in (100..SRV3.trim_end_matches("</timedtext>").len()).filter(|cut| SRV3.is_char_boundary(*cut)) {
        let parsed = parse_timed_text(&SRV3[..cut], &kept()).unwrap();
        let said = texts(&parsed.value).concat();
        let said = said.split('&').next().unwrap();
        assert!(all.starts_with(said), "{cut}: {said}");
        assert_eq!(parsed.warnings.last().map(|warning| &warning.problem), Some(&Problem::CutCue), "{cut}");
    }
}

#[test]
fn numbers_that_cannot_be_are_told_and_lose_no_text() {
    let text = r#"{"events": [{"tStartMs": "x", "segs": [{"utf8": "a"}]}, {"tStartMs": 5.5e3, "dDurationMs": -1, "segs": [{"utf8": "b"}]},
        {"tStartMs": 1e300, "dDurationMs": {}, "segs": [{"utf8": "c", "tOffsetMs": null}]}, {"segs": null}]}"#;
    assert!(parse_json3(text, &kept()).is_err(), "a list that is none");
    let parsed = parse_json3(&text.replace(", {\"segs\": null}", ""), &kept()).unwrap();
    assert_eq!(texts(&parsed.value), ["a", "b", "c"]);
    assert_eq!(spans(&parsed.value), [(0, 0), (5500, 5500), (5500, 5500)]);
    let told: Vec<_> = parsed.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "field `events[0].tStartMs` is not a number of milliseconds; read as absent",
            "field `events[2].tStartMs` is not a number of milliseconds; read as absent",
            "field `events[2].dDurationMs` is not a number of milliseconds; read as absent",
        ]
    );
    let parsed =
        parse_timed_text("<timedtext>\n<p>sem tempo</p>\n<p t='1' d='x'>oi</p></timedtext>", &kept())
            .unwrap();
    let told: Vec<_> = parsed.warnings.iter().map(ToString::to_string).collect();
    assert!(told[0].starts_with("line 2: cue left out: \"<p\""), "{told:?}");
    assert_eq!(told[1], "line 3: field `p.d` is not a length of time; read as absent");
    assert_eq!(texts(&parsed.value), ["oi"]);
}

#[test]
fn ttml_has_paragraphs_with_times() {
    let text = "<?xml version='1.0'?>\n<tt xmlns='http://www.w3.org/ns/ttml' xmlns:ttp='http://www.w3.org/ns/ttml#parameter' \
                xml:lang='pt-br' ttp:frameRate='25'>\n<head><metadata><title>fora</title></metadata></head><body><div>\n\
                <p begin='00:00:01.000' end='00:00:02:12'>\n  Oi, <span>tudo</span>\n  bem?<br/>\n  Sim &amp; não\n</p>\n\
                <p begin='3s' dur='500ms'>fim</p>\n<p begin='x'>perdido</p></div></body></tt>";
    let parsed = parse_ttml(text, &kept()).unwrap();
    assert_eq!(texts(&parsed.value), ["Oi, tudo bem?\nSim & não", "fim"]);
    assert_eq!(spans(&parsed.value), [(1000, 2480), (3000, 3500)]);
    assert_eq!(parsed.value.language.map(|tag| tag.to_string()).as_deref(), Some("pt-BR"));
    let told: Vec<_> = parsed.warnings.iter().map(ToString::to_string).collect();
    assert!(told.len() == 1 && told[0].starts_with("line 10: cue left out: \"x\""), "{told:?}");
    let cut = parse_ttml(&text[..text.find("<br/>").unwrap()], &kept()).unwrap();
    assert_eq!(
        (texts(&cut.value), cut.warnings[0].problem.clone()),
        (vec!["Oi, tudo bem?"], Problem::CutCue)
    );
}

#[test]
fn times_of_ttml_count_from_what_is_around() {
    let body = "<body begin='10s'><div begin='5s'><p begin='1s' end='2s'>um</p></div><div begin='20s' end='21s'><p>dois</p></div>\
                <div><p>\n<span begin='1s' end='2s'>três <span tts:color='red'>vermelho</span></span> <span begin='2s' dur='1s'>quatro</span></p>\
                <p begin='30s' end='31s'><span begin='0s' end='500ms'>cin</span><span begin='500ms' end='1s'>co</span></p></div></body>";
    let parsed = parse_ttml(&format!("<tt xml:lang='pt'>{body}</tt>"), &kept()).unwrap();
    assert_eq!(parsed.warnings, []);
    assert_eq!(texts(&parsed.value), ["um", "dois", "três vermelho", "quatro", "cinco"]);
    let expected = [(16_000, 17_000), (30_000, 31_000), (11_000, 12_000), (12_000, 13_000), (40_000, 41_000)];
    assert_eq!(spans(&parsed.value), expected);
    let nowhere = parse_ttml("<tt><body><div><p>\n</p><p>perdido</p></div></body></tt>", &kept()).unwrap();
    assert_eq!((texts(&nowhere.value).len(), nowhere.warnings.len()), (0, 1));
    let beside =
        parse_ttml("<tt><body><p>perdido <span begin='1s' end='2s'>um</span></p></body></tt>", &kept())
            .unwrap();
    assert_eq!((texts(&beside.value), beside.warnings.len()), (vec!["um"], 1));
}
