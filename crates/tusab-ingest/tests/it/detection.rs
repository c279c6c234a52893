//! Prose is never taken for a chat, a transcript or captions.

use std::path::Path;

use tusab_ingest::{Format, decode};

use crate::shared;

fn is_conversation(format: Format) -> bool {
    !matches!(format, Format::PlainText | Format::Markdown | Format::Html | Format::Csv)
}

#[test]
fn real_documents_are_documents() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/documents"));
    let Ok(files) = std::fs::read_dir(folder) else {
        return println!("skipped: the documents are not there");
    };
    let mut count = 0;
    for file in files.map(|file| file.unwrap().path()) {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let extension = file.extension().unwrap_or_default();
        if extension == "txt" || extension == "md" {
            let bytes = std::fs::read(&file).unwrap();
            let text = decode(&bytes).unwrap().value.text.into_owned();
            for name in [name.as_str(), "a.txt", "a.md", ""] {
                assert!(!is_conversation(Format::detect(name, &text)), "{name}");
            }
            count += 1;
        }
    }
    assert!(count > 2, "{count} documents");
}

#[test]
fn real_captions_are_captions() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/captions"));
    let Ok(files) = std::fs::read_dir(folder) else { return println!("skipped: the captions are not there") };
    let mut count = 0;
    for file in files.map(|file| file.unwrap().path()) {
        let format = match file.extension().and_then(|extension| extension.to_str()) {
            Some("vtt") => Format::WebVtt,
            Some("srt") => Format::Srt,
            Some("json3") => Format::Json3,
            Some("xml") => Format::TimedText,
            Some("ttml") => Format::Ttml,
            _ => continue,
        };
        let bytes = std::fs::read(&file).unwrap();
        let text = decode(&bytes).unwrap().value.text.into_owned();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        assert_eq!(Format::detect(&name, &text), format, "{name}");
        count += 1;
    }
    assert!(count > 50, "{count} files");
}

/// 35,750 passages of manuals, man pages, fortunes, a Bible; each alone, and a hundred at a time as one long text.
#[test]
fn passages_of_many_kinds_are_prose() {
    let Some(packed) = shared("scale/pt.jsonl.zst") else { return };
    let mut json = String::new();
    let mut reader = ruzstd::decoding::StreamingDecoder::new(packed.as_slice()).unwrap();
    std::io::Read::read_to_string(&mut reader, &mut json).unwrap();
    let passages: Vec<String> = json
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["text"].as_str().unwrap().to_owned()
        })
        .collect();
    assert!(passages.len() > 30_000);
    let taken = |text: &str| is_conversation(Format::detect("nota.txt", text));
    let wrong: Vec<&String> = passages.iter().filter(|text| taken(text)).collect();
    assert!(wrong.is_empty(), "{} of {}: {:?}", wrong.len(), passages.len(), &wrong[..wrong.len().min(5)]);
    for some in passages.chunks(100) {
        let text = some.join("\n\n");
        assert!(!taken(&text), "{text}");
    }
}
