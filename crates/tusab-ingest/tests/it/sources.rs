//! From a file's name and bytes to a document.

use tusab_chunk::{Body, Chunker, DocId, Language, Windows};
use tusab_ingest::{
    Content, Error, Format, Options, Parsed, Source, TrackKind, VideoId, parse, parse_video_info,
};

const NAME: &str = "Juros： o que são [dQw4w9WgXcQ].pt-orig.vtt";
const ROLLING: &[u8] = include_bytes!("rolling.vtt");

fn source(name: &str, bytes: &[u8]) -> Source {
    let Parsed { value, warnings } = parse(name, bytes, &Options::default()).unwrap();
    assert_eq!(warnings, [], "{name}");
    value
}

fn doc() -> DocId {
    "youtube:dQw4w9WgXcQ".parse().unwrap()
}

#[test]
fn captions_as_yt_dlp_leaves_them_become_speech() {
    let alone = source(NAME, ROLLING);
    assert_eq!(alone.format, Format::WebVtt);
    assert_eq!(alone.track_kind(), Some(TrackKind::Automatic));
    assert_eq!(alone.video.as_ref().map(VideoId::as_str), Some("dQw4w9WgXcQ"));
    let document = alone.into_document(doc(), "sem título");
    assert_eq!(document.title, "Juros: o que são");
    assert_eq!(document.language.as_ref().map(Language::as_str), Some("pt"));
    assert_eq!(document.link.as_deref(), Some("https://www.youtube.com/watch?v=dQw4w9WgXcQ"));
    let Body::Speech { segments, chapters } = &document.body else { panic!("{:?}", document.body) };
    assert!(chapters.is_empty());
    let said: Vec<_> = segments.iter().map(|segment| segment.text.as_str()).collect();
    assert_eq!(said, ["Hoje a gente fala de", "juros, juros mesmo.", "Sim, sim.", "2024"]);
    let chunks = Windows::default().chunks(&document);
    assert_eq!(chunks[0].original_text(), "Hoje a gente fala de juros, juros mesmo. Sim, sim. 2024");
}

#[test]
fn the_description_beside_the_captions_says_the_rest() {
    let info = br#"{"id": "dQw4w9WgXcQ", "title": "Juros: o que s\u00e3o?", "upload_date": "20240229", "tags": ["selic"],
        "extractor_key": "Youtube", "webpage_url": "https://www.youtube.com/watch?v=dQw4w9WgXcQ&list=x",
        "chapters": [{"start_time": 0, "title": "Abertura"}, {"start_time": 6.5, "title": "Fim"}],
        "automatic_captions": {"pt-orig": [], "en": [{"url": "http://localhost/?tlang=en"}]}}"#;
    let info = parse_video_info(info).unwrap().value;
    let options = Options::default().with_video(Some(info));
    let document = parse(NAME, ROLLING, &options).unwrap().value.into_document(doc(), "");
    assert_eq!(document.title, "Juros: o que são?");
    assert_eq!(document.date.map(|date| date.to_string()).as_deref(), Some("2024-02-29"));
    assert_eq!(document.tags, ["selic"]);
    assert_eq!(document.link.as_deref(), Some("https://www.youtube.com/watch?v=dQw4w9WgXcQ"));
    let Body::Speech { chapters, .. } = document.body else { panic!("not speech") };
    assert_eq!(chapters.iter().map(|c| c.start.as_millis()).collect::<Vec<_>>(), [0, 6500]);
    let translated = b"WEBVTT\nKind: captions\nLanguage: en\n\n00:01.000 --> 00:02.000\nhi [Music]\n";
    let source = parse("Juros [dQw4w9WgXcQ].en.vtt", translated, &options).unwrap().value;
    assert_eq!(source.track_kind(), Some(TrackKind::Translated));
    let Content::Captions { captions, .. } = source.content else { panic!("not captions") };
    assert_eq!(captions.cues[0].text(), "hi");
}

#[test]
fn documents_become_text() {
    let note = source(
        "atas/junho.md",
        b"---\ntitle: Ata de junho\ndate: 2024-06-30\ntags: [ata]\n---\n# Pauta\n\nTexto.\n",
    );
    assert_eq!(note.format, Format::Markdown);
    let document = note.into_document("file:a".parse().unwrap(), "junho.md");
    assert_eq!(
        (document.title.as_str(), document.tags.as_slice()),
        ("Ata de junho", ["ata".to_owned()].as_slice())
    );
    let text = source("conversa.txt", "\u{feff}12/07/2017, 22:35 - Ana: oi\r\n".as_bytes());
    assert_eq!(text.format, Format::PlainText);
    let document = text.into_document("file:b".parse().unwrap(), "conversa.txt");
    assert_eq!(document.title, "conversa.txt");
    assert_eq!(document.body, Body::Text("12/07/2017, 22:35 - Ana: oi\r\n".into()));
}

#[test]
fn what_cannot_be_read_says_what_to_do() {
    let error = |name: &str, bytes: &[u8]| parse(name, bytes, &Options::default()).unwrap_err();
    assert!(matches!(error("a.vtt", b""), Error::Empty));
    assert!(matches!(error("a.txt", b"\n \n"), Error::Empty));
    assert!(matches!(error("a.vtt", b"HTTP Error 429"), Error::NotWebVtt));
    assert!(matches!(error("a.txt", b"\xcf\xf0\xe8\xe2\xe5\xf2"), Error::NotUtf8 { .. }));
    assert!(matches!(error("x [dQw4w9WgXcQ].info.json", b"{}"), Error::VideoInfo));
    let pdf = error("a.txt", b"%PDF-1.4");
    assert_eq!(
        pdf.to_string(),
        "this PDF file is damaged: open it in the program that made it, save it again and give that"
    );
}

#[test]
fn half_of_the_bytes_is_half_of_the_speech() {
    let whole = source(NAME, ROLLING).into_document(doc(), "");
    let Body::Speech { segments: all, .. } = whole.body else { panic!("not speech") };
    let half = parse(NAME, &ROLLING[..ROLLING.len() * 2 / 3], &Options::default()).unwrap();
    assert!(!half.warnings.is_empty());
    let Body::Speech { segments, .. } = half.value.into_document(doc(), "").body else {
        panic!("not speech")
    };
    assert!((2..all.len()).contains(&segments.len()));
    assert_eq!(segments[..2], all[..2]);
}
