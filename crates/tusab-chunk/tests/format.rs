//! What is written today is read by later releases: the texts here are never changed, only added to.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking, helpers of tests too"
)]

mod common;

use std::fmt::Debug;
use std::num::NonZeroU32;

use common::doc;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tusab_chunk::{
    Body, ByteOffset, Chapter, CharOffset, Chars, Chunk, ChunkId, ChunkList, Chunker, Date, DateTime,
    DateTimeSpan, Document, Error, Language, Mark, MediaTime, Part, Position, Segment, SourceKind, TextSpan,
    TextWindows, TimeSpan, Turn, TurnSpan, Units, When, Windows,
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
    let refused = |from: &str, to: &str| {
        let list = VERSION_1.replacen(from, to, 1);
        assert_ne!(list, VERSION_1);
        serde_json::from_str::<ChunkList<'_>>(&list).unwrap_err().to_string()
    };
    for version in [0, 2, u32::MAX] {
        let error = refused(r#""version":1"#, &format!(r#""version":{version}"#));
        let said = Error::UnknownVersion { version, latest: ChunkList::VERSION }.to_string();
        assert!(error.starts_with(&said) && said.contains("update"), "{error}");
    }
    // Its chunks may be of a kind that cannot be read at all.
    let error = refused(r#""version":1,"chunks":["#, r#""version":2,"chunks":[{"new":0},"#);
    assert!(error.contains("version 2"), "{error}");
    let error = refused("tusab-chunks", "other");
    assert!(error.starts_with(&Error::UnknownFormat { format: "other".into() }.to_string()), "{error}");
}

#[test]
fn a_damaged_list_is_refused() {
    for end in 0..VERSION_1.len() {
        let part = VERSION_1.get(..end).unwrap_or_default();
        assert!(serde_json::from_str::<ChunkList<'_>>(part).is_err(), "{part}");
    }
    for list in [
        "null",
        "[]",
        "{}",
        r#"{"format":"tusab-chunks","version":1}"#,
        r#"{"format":"tusab-chunks","version":-1,"chunks":[]}"#,
        r#"{"format":"tusab-chunks","version":"1","chunks":[]}"#,
        r#"{"format":"tusab-chunks","version":1,"chunks":[{}]}"#,
        r#"{"version":1,"chunks":[]}"#,
    ] {
        assert!(serde_json::from_str::<ChunkList<'_>>(list).is_err(), "{list}");
    }
}

#[test]
fn fields_added_later_are_ignored_and_impossible_values_refused() {
    let added = VERSION_1.replacen(r#""ordinal":0"#, r#""ordinal":0,"mood":"good""#, 1);
    assert_eq!(serde_json::from_str::<ChunkList<'_>>(&added).unwrap().chunks(), version_1());
    for (from, to) in [
        (r#""end_ms":1500"#, r#""end_ms":-1"#),
        (r#""start_ms":0"#, r#""start_ms":1501"#),
        (r#""byte_end":12"#, r#""byte_end":6"#),
        (r#""byte_start":7,"byte_end":12"#, r#""byte_start":25,"byte_end":30"#),
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

/// Writes and reads `value`, which is written as `json`.
fn stays<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T, json: &str) {
    assert_eq!(serde_json::to_string(value).unwrap(), json);
    assert_eq!(&serde_json::from_str::<T>(json).unwrap(), value);
    // From a tree and from a reader nothing can be borrowed.
    assert_eq!(&serde_json::from_reader::<_, T>(json.as_bytes()).unwrap(), value);
    assert_eq!(&serde_json::from_value::<T>(serde_json::to_value(value).unwrap()).unwrap(), value);
}

#[test]
fn every_public_value_is_read_as_it_was_written() {
    stays(&Chars(3), "3");
    stays(&Units(3), "3");
    stays(&ByteOffset(3), "3");
    stays(&CharOffset(3), "3");
    stays(&MediaTime::from_millis(1500), "1500");
    stays(&SourceKind::Youtube, r#""youtube""#);
    stays(&doc(), r#""file:a1""#);
    stays(&ChunkId::from_bytes([0xab; 16]), &format!("\"{}\"", "ab".repeat(16)));
    stays(&"pt-BR".parse::<Language>().unwrap(), r#""pt-BR""#);
    stays(&"2024-02-29".parse::<Date>().unwrap(), r#""2024-02-29""#);
    let time: DateTime = "2024-02-29 23:59:58".parse().unwrap();
    stays(&time, r#""2024-02-29T23:59:58""#);
    stays(
        &DateTimeSpan::between(time, time),
        r#"{"start":"2024-02-29T23:59:58","end":"2024-02-29T23:59:58"}"#,
    );
    let span = TimeSpan::between(MediaTime::ZERO, MediaTime::MAX);
    stays(&span, r#"{"start_ms":0,"end_ms":18446744073709551615}"#);
    let text = TextSpan::new((ByteOffset(1), ByteOffset(4)), (CharOffset(1), CharOffset(3))).unwrap();
    stays(&text, r#"{"byte_start":1,"byte_end":4,"char_start":1,"char_end":3}"#);
    stays(&TurnSpan::between(7, 2), r#"{"first":2,"further":5}"#);
    let part = Part { number: NonZeroU32::MIN, of: NonZeroU32::MAX };
    stays(&part, r#"{"number":1,"of":4294967295}"#);
    stays(&Mark { at: ByteOffset(5), start: MediaTime::from_millis(9) }, "[5,9]");
    stays(&Position::Turns(TurnSpan::between(0, 0)), r#"{"turns":{"first":0,"further":0}}"#);
    stays(&When::Local(time), r#"{"local":"2024-02-29T23:59:58"}"#);
    stays(&Turn::new("oi"), r#"{"speaker":null,"when":null,"text":"oi"}"#);
    stays(
        &Segment::new(TimeSpan::between(MediaTime::ZERO, MediaTime::ZERO), "\0"),
        r#"{"span":{"start_ms":0,"end_ms":0},"text":"\u0000"}"#,
    );
    stays(&Chapter::new(MediaTime::ZERO, "Início"), r#"{"start":0,"title":"Início"}"#);
    stays(&Body::Text(String::new()), r#"{"Text":""}"#);
    stays(
        &Document::new(doc(), "t", Body::Turns(vec![])),
        r#"{"id":"file:a1","title":"t","body":{"Turns":[]},"language":null,"date":null,"link":null,"tags":[]}"#,
    );
    let chunk = Chunk::new(doc(), 0, "oi", Position::Turns(TurnSpan::between(0, 0)))
        .with_page(NonZeroU32::new(2))
        .with_part(Some(part))
        .with_marks(vec![Mark { at: ByteOffset(0), start: MediaTime::ZERO }]);
    stays(
        &chunk,
        concat!(
            r#"{"doc":"file:a1","ordinal":0,"original_text":"oi","position":{"turns":{"first":0,"further":0}},"#,
            r#""part":{"number":1,"of":4294967295},"page":2,"marks":[[0,0]]}"#
        ),
    );
    stays(&ChunkList::new(vec![]), r#"{"format":"tusab-chunks","version":1,"chunks":[]}"#);
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
