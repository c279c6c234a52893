//! What is written today is read by later releases: the texts here are never changed, only added to.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking, helpers of tests too"
)]

mod common;

use common::doc;
use tusab_chunk::{
    Body, Chunk, ChunkList, Chunker, DateTimeSpan, Document, Error, MediaTime, Position, Segment,
    TextWindows, TimeSpan, Turn, TurnSpan, When, Windows,
};

/// A list of version 1 with everything that a chunk can carry.
const VERSION_1: &str = concat!(
    r#"{"format":"tusab-chunks","version":1,"chunks":["#,
    r#"{"doc":"youtube:abc","ordinal":0,"original_text":"olá, mundo","#,
    r#""position":{"time":{"start_ms":0,"end_ms":1500}},"section":"Início","part":{"number":1,"of":2},"#,
    r#""key_phrases":["mundo"]},"#,
    r#"{"doc":"file:a1","ordinal":1,"original_text":"água","#,
    r#""position":{"text":{"byte_start":7,"byte_end":12,"char_start":6,"char_end":10}}},"#,
    r#"{"doc":"file:a1","ordinal":2,"original_text":"Ana: oi","#,
    r#""position":{"local":{"start":"2024-03-12T14:32:00","end":"2024-03-12T14:32:00"}},"speakers":["Ana"]},"#,
    r#"{"doc":"text:a1","ordinal":3,"original_text":"oi","position":{"turns":{"first":4,"further":0}}}"#,
    r#"]}"#,
);

fn version_1() -> Vec<Chunk> {
    let list: ChunkList<'_> = serde_json::from_str(VERSION_1).unwrap();
    list.into_chunks()
}

#[test]
fn version_1_is_read_and_written_back_unchanged() {
    let chunks = version_1();
    assert_eq!(serde_json::to_string(&ChunkList::new(chunks.as_slice())).unwrap(), VERSION_1);
    assert_eq!(chunks[0].section(), Some("Início"));
    assert_eq!(chunks[0].text(), "olá, mundo\nmundo");
    assert_eq!(chunks[2].speakers(), ["Ana"]);
    assert_eq!(chunks[3].position(), Position::Turns(TurnSpan::between(4, 4)));
    // Checked with Python: hashlib.blake2b(b"file:a1\0" + (1).to_bytes(4, "little") + "água".encode(),
    // digest_size=16, person=b"tusab-chunk-id-1").hexdigest()
    assert_eq!(chunks[1].id().to_string(), "212fd32e7c8e084822f3275533599ada");
}

#[test]
fn a_later_version_or_another_format_is_refused_with_what_it_is() {
    for (from, to) in [
        (r#""version":1"#, r#""version":2"#),
        (r#""version":1"#, r#""version":0"#),
        ("tusab-chunks", "other"),
    ] {
        let list = VERSION_1.replacen(from, to, 1);
        let error = serde_json::from_str::<ChunkList<'_>>(&list).unwrap_err().to_string();
        assert!(error.contains("cannot be read: update"), "{error}");
    }
    let error = Error::UnknownFormat { format: "tusab-chunks".into(), version: 9 };
    assert!(error.to_string().contains("version 9"));
}

#[test]
fn fields_added_later_are_ignored_and_impossible_values_refused() {
    let added = VERSION_1.replacen(r#""ordinal":0"#, r#""ordinal":0,"mood":"good""#, 1);
    assert_eq!(serde_json::from_str::<ChunkList<'_>>(&added).unwrap().chunks(), version_1());
    for (from, to) in [
        (r#""end_ms":1500"#, r#""end_ms":-1"#),
        (r#""start_ms":0"#, r#""start_ms":1501"#),
        (r#""byte_end":12"#, r#""byte_end":6"#),
        (r#""number":1"#, r#""number":0"#),
        (r#""doc":"file:a1""#, r#""doc":"../x""#),
        (r#""end":"2024-03-12T14:32:00""#, r#""end":"2024-03-12T14:31:59""#),
        (r#""end":"2024-03-12T14:32:00""#, r#""end":"2024-03-12T24:00:00""#),
    ] {
        let damaged = VERSION_1.replacen(from, to, 1);
        assert_ne!(damaged, VERSION_1);
        assert!(serde_json::from_str::<ChunkList<'_>>(&damaged).is_err(), "{to}");
    }
}

#[test]
fn every_kind_of_document_and_its_chunks_come_back_as_they_were() {
    let time = TimeSpan::between(MediaTime::ZERO, MediaTime::from_seconds(3));
    let turn = Turn::new("oi")
        .with_speaker(Some("Ana".into()))
        .with_when(Some(When::Local("2024-03-12 14:32".parse().unwrap())));
    for body in [
        Body::Text("um texto".into()),
        Body::Markdown("# Título\n\ntexto".into()),
        Body::Speech { segments: vec![Segment::new(time, "fala")], chapters: vec![] },
        Body::Turns(vec![turn, Turn::new("fala").with_when(Some(When::Media(time)))]),
    ] {
        let document = Document::new(doc(), "título", body);
        let json = serde_json::to_string(&document).unwrap();
        let read: Document = serde_json::from_str(&json).unwrap();
        assert_eq!(read, document);
        let chunks = Windows::default().chunks(&read);
        assert_eq!(chunks.len(), 1);
        let json = serde_json::to_string(&ChunkList::new(chunks.clone())).unwrap();
        assert_eq!(serde_json::from_str::<ChunkList<'_>>(&json).unwrap().into_chunks(), chunks);
    }
}

#[test]
fn an_id_depends_on_what_is_cited_alone() {
    let chunk = TextWindows::default().chunks(&doc(), "água mole").remove(0);
    let span =
        DateTimeSpan::between("2024-03-12 14:32".parse().unwrap(), "2024-03-12 14:33".parse().unwrap());
    let enriched = chunk
        .clone()
        .with_section(Some("seção".into()))
        .with_speakers(vec!["Ana".into()])
        .with_key_phrases(vec!["pedra".into()]);
    let moved = Chunk::new(doc(), 0, "água mole", Position::Local(span));
    assert_eq!(chunk.id(), enriched.id());
    assert_eq!(chunk.id(), moved.id());
    assert_ne!(chunk.id(), Chunk::new(doc(), 1, "água mole", chunk.position()).id());
}
