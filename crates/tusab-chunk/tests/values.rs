//! What the small types say of themselves.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking, helpers of tests too"
)]

mod common;

use std::num::NonZeroU32;
use std::time::Duration;

use common::doc;
use tusab_chunk::{
    ByteOffset, CharOffset, Chars, Chunk, ChunkId, Date, DateTime, DateTimeSpan, DocId, Language, Mark,
    MeasuredWindows, MediaTime, Position, Segment, SourceKind, TextSpan, TextWindows, TimeSpan, TimeWindows,
    TurnSpan, TurnWindows, Units, Words,
};

#[test]
fn windows_tell_their_sizes() {
    let text = TextWindows::new(Chars(300), Chars(30)).unwrap();
    assert_eq!((text.size(), text.overlap()), (Chars(300), Chars(30)));
    assert_eq!(TextWindows::default(), TextWindows::new(Chars(2000), Chars(200)).unwrap());
    let measured = MeasuredWindows::new(Words, Units(50), Units(5)).unwrap();
    assert_eq!((measured.size(), measured.overlap(), measured.measure()), (Units(50), Units(5), &Words));
    let turns = TurnWindows::new(Chars(99), 3).unwrap();
    assert_eq!((turns.size(), turns.overlap()), (Chars(99), 3));
    assert_eq!(TurnWindows::default(), TurnWindows::new(Chars(1200), 1).unwrap());
    let time = TimeWindows::new(MediaTime::from_seconds(120), MediaTime::from_seconds(15)).unwrap();
    assert_eq!((time, time.bound()), (TimeWindows::default(), Chars(3000)));
    assert_eq!(time.with_bound(Chars(7)).unwrap().bound(), Chars(7));
}

#[test]
fn times_are_counted_and_shown() {
    let time = MediaTime::from_millis(3_723_500);
    assert_eq!((time.as_millis(), time.whole_seconds()), (3_723_500, 3723));
    assert_eq!(time.to_string(), "1:02:03");
    assert_eq!(MediaTime::from_millis(3_599_999).to_string(), "59:59");
    assert_eq!(MediaTime::from(Duration::from_micros(1_500_900)), MediaTime::from_millis(1500));
    assert_eq!(MediaTime::from(Duration::MAX), MediaTime::MAX);
    assert_eq!(time.saturating_add(MediaTime::MAX), MediaTime::MAX);
    assert_eq!(time.saturating_sub(MediaTime::MAX), MediaTime::ZERO);
    assert_eq!(TimeSpan::between(time, MediaTime::ZERO).to_string(), "0:00 – 1:02:03");
    let turns = TurnSpan::between(9, 4);
    assert_eq!((turns.first, turns.last()), (4, 9));
    assert_eq!(TurnSpan { first: u32::MAX, further: 3 }.last(), u32::MAX);
}

#[test]
fn dates_are_taken_apart_and_shown() {
    let time: DateTime = "2024-03-12 14:32:05".parse().unwrap();
    assert_eq!((time.date().year(), time.date().month(), time.date().day()), (2024, 3, 12));
    assert_eq!((time.hour(), time.minute(), time.second()), (14, 32, 5));
    let later = DateTime::new(Date::new(2024, 3, 13).unwrap(), 0, 0, 0).unwrap();
    assert_eq!(DateTimeSpan::between(later, time).to_string(), "2024-03-12T14:32:05 – 2024-03-13T00:00:00");
    for (year, month, day) in
        [(0, 1, 1), (10_000, 1, 1), (2024, 0, 1), (2024, 4, 31), (2024, 1, 32), (2024, 1, 0)]
    {
        assert_eq!(Date::new(year, month, day), None);
    }
    for month in [1, 3, 5, 7, 8, 10, 12] {
        assert!(Date::new(2023, month, 31).is_some());
    }
    for month in [4, 6, 9, 11] {
        assert!(Date::new(2023, month, 30).is_some() && Date::new(2023, month, 31).is_none());
    }
    assert!(Date::new(2023, 2, 28).is_some() && Date::new(2023, 2, 29).is_none());
}

#[test]
fn names_are_taken_apart_and_shown() {
    for (text, kind) in [
        ("youtube:a-B_9", SourceKind::Youtube),
        ("file:a-B_9", SourceKind::File),
        ("text:a-B_9", SourceKind::Text),
    ] {
        let id: DocId = text.parse().unwrap();
        assert_eq!((id.kind(), id.local(), id.as_str()), (kind, "a-B_9", text));
        assert_eq!((id.to_string(), DocId::new(kind, "a-B_9")), (text.to_owned(), Ok(id)));
    }
    assert!(DocId::new(SourceKind::File, &"x".repeat(64)).is_ok());
    let id = ChunkId::of(&doc(), 0, "x");
    assert_eq!(ChunkId::from_bytes(*id.as_bytes()), id);
    assert_eq!(format!("{id:?}"), format!("ChunkId({id})"));
    assert_eq!(id.to_string().to_uppercase().parse(), Ok(id));
    for bad in ["ab", &"a".repeat(31), &"a".repeat(33), &"g".repeat(32)] {
        assert!(bad.parse::<ChunkId>().is_err(), "{bad}");
    }
    for (given, kept, primary) in
        [("ZH-hans-cn", "zh-Hans-CN", "zh"), ("gsw_ch_1996", "gsw-CH-1996", "gsw"), ("EN", "en", "en")]
    {
        let language: Language = given.parse().unwrap();
        assert_eq!((language.as_str(), language.primary()), (kept, primary));
        assert_eq!(language.to_string(), kept);
    }
    let longest = format!("pt{}", "-abcdefgh".repeat(3)) + "-abcde";
    assert_eq!(longest.len(), 35);
    assert!(longest.parse::<Language>().is_ok() && format!("{longest}f").parse::<Language>().is_err());
    for bad in ["abcd", "p1", "pt-abcdefghi", "pt-é", "pt-BR-"] {
        assert!(bad.parse::<Language>().is_err(), "{bad}");
    }
}

#[test]
fn a_text_span_is_of_the_text_it_was_cut_from() {
    let span = TextSpan::new((ByteOffset(1), ByteOffset(3)), (CharOffset(1), CharOffset(2))).unwrap();
    assert_eq!((span.byte_start(), span.byte_end()), (ByteOffset(1), ByteOffset(3)));
    assert_eq!((span.char_start(), span.char_end()), (CharOffset(1), CharOffset(2)));
    assert_eq!(span.slice("xéy"), Some("é"));
    assert_eq!(span.slice("éxy"), None, "not between two characters");
    assert_eq!(span.slice("x"), None, "beyond the end");
    assert_eq!(
        (Chars(3).to_string(), Units(4).to_string()),
        ("3 characters".to_owned(), "4 units".to_owned())
    );
}

#[test]
fn a_chunk_tells_all_that_was_set() {
    let marks = vec![Mark { at: ByteOffset(0), start: MediaTime::from_millis(7) }];
    let position = Position::Turns(TurnSpan::between(2, 3));
    let chunk = Chunk::new(doc(), 4, "olá", position)
        .with_section(Some("Início".into()))
        .with_page(NonZeroU32::new(3))
        .with_speakers(vec!["Ana".into()])
        .with_marks(marks.clone())
        .with_key_phrases(vec!["a".into(), "b".into()]);
    assert_eq!((chunk.doc(), chunk.ordinal(), chunk.position()), (&doc(), 4, position));
    assert_eq!((chunk.section(), chunk.page(), chunk.part()), (Some("Início"), NonZeroU32::new(3), None));
    assert_eq!((chunk.speakers(), chunk.marks()), (["Ana".to_owned()].as_slice(), marks.as_slice()));
    assert_eq!((chunk.original_text(), chunk.text().as_ref()), ("olá", "olá\na\nb"));
    assert_eq!(chunk.key_phrases(), ["a", "b"]);
    assert_eq!(chunk.time_at(ByteOffset(0)), None, "what is not of a recording has no time");
    assert!(format!("{chunk:?}").contains(r#""olá""#));
}

#[test]
fn a_place_in_speech_has_the_time_of_its_cue() {
    let cue = |n| TimeSpan::between(MediaTime::from_seconds(n), MediaTime::from_seconds(n + 5));
    let cues = [Segment::new(cue(10), "Bom dia."), Segment::new(cue(42), "Até.")];
    let chunk = TimeWindows::default().chunks(&doc(), &cues).remove(0);
    assert_eq!(chunk.original_text(), "Bom dia. Até.");
    for (at, second) in [(0, 10), (8, 10), (9, 42), (12, 42), (999, 42)] {
        assert_eq!(chunk.time_at(ByteOffset(at)), Some(MediaTime::from_seconds(second)), "{at}");
    }
    let unmarked = Chunk::new(doc(), 0, "x", Position::Time(cue(3)));
    assert_eq!(unmarked.time_at(ByteOffset(0)), Some(MediaTime::from_seconds(3)));
}
