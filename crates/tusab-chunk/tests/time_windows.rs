//! What must hold of windows of time and of chapters for all speech.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking, helpers of tests too"
)]

mod common;

use common::{config, doc};
use proptest::prelude::*;
use tusab_chunk::{
    Body, Chapter, Chapters, Chars, Chunk, Chunker, Document, MediaTime, Position, Segment, TimeSpan,
    TimeWindows, Windows,
};

fn ms(millis: u64) -> MediaTime {
    MediaTime::from_millis(millis)
}

/// A cue from `start` that lasts `length`, in milliseconds.
fn cue(start: u64, length: u64, text: impl Into<String>) -> Segment {
    Segment::new(TimeSpan::between(ms(start), ms(start + length)), text)
}

/// Cues of 4 s, one after another, each with a word of its own.
fn speech(seconds: std::ops::Range<u64>) -> Vec<Segment> {
    seconds.step_by(4).map(|second| cue(second * 1000, 4000, format!("w{second}"))).collect()
}

fn span(chunk: &Chunk) -> TimeSpan {
    match chunk.position() {
        Position::Time(span) => span,
        other => panic!("not a time: {other:?}"),
    }
}

fn bounds(chunk: &Chunk) -> (u64, u64) {
    (span(chunk).start().as_millis(), span(chunk).end().as_millis())
}

/// The numbers of the cues in a chunk, whose texts are `c<number>x`.
fn cues_in(chunk: &Chunk) -> Vec<usize> {
    chunk
        .original_text()
        .split_whitespace()
        .filter_map(|word| word.strip_prefix('c')?.strip_suffix('x')?.parse().ok())
        .collect()
}

/// Cues in any order, some at the same time, some long, some of no length; each with its number as text.
fn any_cues() -> impl Strategy<Value = Vec<Segment>> {
    let times = prop_oneof![
        6 => (0..900_000_u64, 0..6_000_u64),
        1 => (0..900_000_u64, 0..200_000_u64),
        1 => (5_000_000..5_400_000_u64, 0..6_000_u64),
    ];
    proptest::collection::vec(times, 0..120).prop_map(|times| {
        times
            .into_iter()
            .enumerate()
            .map(|(number, (start, length))| cue(start, length, format!(" c{number}x ")))
            .collect()
    })
}

fn lengths() -> impl Strategy<Value = (u64, u64)> {
    prop_oneof![Just((120_000, 15_000)), (1..200_000_u64).prop_flat_map(|length| (Just(length), 0..length))]
}

fn windows((length, overlap): (u64, u64)) -> TimeWindows {
    TimeWindows::new(ms(length), ms(overlap)).unwrap()
}

/// Order, true spans, nothing lost: what holds for windows of any length and bound.
fn check(cues: &[Segment], chunks: &[Chunk]) -> Result<(), TestCaseError> {
    let mut seen = vec![false; cues.len()];
    for (chunk, ordinal) in chunks.iter().zip(0..) {
        prop_assert_eq!(chunk.ordinal(), ordinal);
        let numbers = cues_in(chunk);
        prop_assert!(!numbers.is_empty(), "a chunk without speech");
        let of_cues = numbers.iter().map(|n| cues[*n].span).reduce(TimeSpan::union).unwrap();
        prop_assert_eq!(span(chunk), of_cues, "the span of a chunk is that of its cues");
        let starts: Vec<MediaTime> = numbers.iter().map(|n| cues[*n].span.start()).collect();
        prop_assert!(starts.is_sorted(), "cues out of order");
        for number in numbers {
            seen[number] = true;
        }
    }
    prop_assert!(seen.iter().all(|seen| *seen), "a cue is in no window");
    prop_assert!(chunks.is_sorted_by_key(|chunk| span(chunk).start()), "starts decrease");
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_cue_is_lost_and_starts_never_decrease(
        cues in any_cues(), lengths in lengths(), bound in prop_oneof![6..60_usize, Just(3000)],
    ) {
        let windows = windows(lengths).with_bound(Chars(bound)).unwrap();
        let chunks = windows.chunks(&doc(), &cues);
        check(&cues, &chunks)?;
        prop_assert!(chunks.iter().all(|chunk| chunk.original_text().chars().count() <= bound));
    }

    #[test]
    fn every_cue_starts_inside_its_window(cues in any_cues(), lengths in lengths()) {
        let chunks = windows(lengths).with_bound(Chars(usize::MAX)).unwrap().chunks(&doc(), &cues);
        let step = lengths.0 - lengths.1;
        // The last window may have been given a short tail.
        for chunk in chunks.iter().rev().skip(1) {
            let starts: Vec<u64> =
                cues_in(chunk).iter().map(|n| cues[*n].span.start().as_millis()).collect();
            let (first, last) = (starts[0], starts[starts.len() - 1]);
            let opens = last.saturating_sub(lengths.0 - 1).div_ceil(step) * step;
            prop_assert!(opens <= first, "{first}..{last} is in no window of {lengths:?}");
            prop_assert!(chunk.part().is_none());
        }
        prop_assert!(chunks.windows(2).all(|pair| cues_in(&pair[0]) != cues_in(&pair[1])));
    }

    #[test]
    fn the_order_of_cues_does_not_matter(cues in any_cues(), lengths in lengths()) {
        let mut reversed: Vec<Segment> = cues.clone();
        reversed.sort_by_key(|cue| std::cmp::Reverse(cue.span));
        let mut sorted = cues;
        sorted.sort_by_key(|cue| cue.span);
        sorted.dedup_by_key(|cue| cue.span);
        reversed.dedup_by_key(|cue| cue.span);
        // Of cues at the very same time either order may keep another one.
        if sorted.len() == reversed.len() && sorted.iter().eq(reversed.iter().rev()) {
            let windows = windows(lengths);
            prop_assert_eq!(windows.chunks(&doc(), &sorted), windows.chunks(&doc(), &reversed));
        }
    }

    #[test]
    fn chapters_lose_no_cue_either(
        cues in any_cues(), marks in proptest::collection::vec(0..6_000_000_u64, 0..20), bound in 6..3000_usize,
    ) {
        let marks: Vec<Chapter> = marks.iter().map(|mark| Chapter::new(ms(*mark), format!("k{mark}"))).collect();
        let windows = TimeWindows::default().with_bound(Chars(bound)).unwrap();
        let chunks = Chapters::new(windows).chunks(&doc(), &cues, &marks);
        check(&cues, &chunks)?;
        for chunk in &chunks {
            let start = span(chunk).start();
            let mark = marks.iter().map(|mark| mark.start).filter(|mark| *mark <= start).max();
            let title = mark.map(|mark| format!("k{}", mark.as_millis()));
            prop_assert_eq!(chunk.section(), title.as_deref());
        }
        let cues_of = |chunks: &[Chunk]| chunks.iter().map(|chunk| cues_in(chunk).len()).sum::<usize>();
        prop_assert_eq!(cues_of(&chunks), cues.len(), "a cue is in two chapters");
    }
}

#[test]
fn twelve_minutes_give_seven_windows() {
    let chunks = TimeWindows::default().chunks(&doc(), &speech(0..720));
    let starts: Vec<u64> = chunks.iter().map(|chunk| bounds(chunk).0 / 1000).collect();
    // Window k opens at k × 105 s; its first cue is the one that starts there or next.
    assert_eq!(starts, [0, 108, 212, 316, 420, 528, 632]);
    assert_eq!(bounds(&chunks[0]), (0, 120_000));
    assert_eq!(bounds(&chunks[6]).1, 720_000);
}

#[test]
fn a_cue_across_an_edge_belongs_where_it_starts() {
    let cues = [cue(0, 1000, "c0x"), cue(119_999, 10_000, "c1x"), cue(120_000, 20_000, "c2x")];
    let chunks = TimeWindows::default().chunks(&doc(), &cues);
    assert_eq!(chunks.iter().map(cues_in).collect::<Vec<_>>(), [vec![0, 1], vec![1, 2]]);
    assert_eq!(bounds(&chunks[0]), (0, 129_999), "the span is that of the cues, not of the window");
}

#[test]
fn a_cue_after_silence_is_in_every_window_it_starts_in() {
    // 320 s lie in window 2 (210 s to 330 s) and in window 3 (315 s to 435 s).
    let cues = [cue(0, 1000, "c0x"), cue(320_000, 1000, "c1x"), cue(340_000, 20_000, "c2x")];
    let chunks = TimeWindows::default().chunks(&doc(), &cues);
    assert_eq!(chunks.iter().map(cues_in).collect::<Vec<_>>(), [vec![0], vec![1], vec![1, 2]]);
}

#[test]
fn a_tail_under_fifteen_seconds_is_joined_not_dropped() {
    let short = TimeWindows::default().chunks(&doc(), &speech(0..132));
    assert_eq!(short.len(), 1);
    assert_eq!(bounds(&short[0]), (0, 132_000));
    assert!(short[0].original_text().ends_with("w128"));
    let long = TimeWindows::default().chunks(&doc(), &speech(0..136));
    assert_eq!(long.iter().map(bounds).collect::<Vec<_>>(), [(0, 120_000), (108_000, 136_000)]);
    // A blank cue is no speech and no window.
    let mut blank = speech(0..132);
    blank.push(cue(240_000, 20_000, " "));
    assert_eq!(TimeWindows::default().chunks(&doc(), &blank), short);
    // Alone, the shortest speech is kept.
    assert_eq!(TimeWindows::default().chunks(&doc(), &speech(0..4)).len(), 1);
}

#[test]
fn the_speech_of_a_tail_is_counted_once_and_without_overflow() {
    // Two who speak at once for ten seconds are ten seconds of speech.
    let mut both = speech(0..120);
    both.extend([cue(125_000, 10_000, "a"), cue(125_500, 9_500, "b")]);
    assert_eq!(TimeWindows::default().chunks(&doc(), &both).len(), 1);
    both.push(cue(136_000, 5_000, "c"));
    assert_eq!(TimeWindows::default().chunks(&doc(), &both).len(), 2);
    let endless = |start| Segment::new(TimeSpan::between(ms(start), MediaTime::MAX), "fim");
    let cues = [cue(0, 1000, "início"), endless(130_000), endless(131_000)];
    assert_eq!(TimeWindows::default().chunks(&doc(), &cues).len(), 2);
}

#[test]
fn a_tail_is_judged_to_the_millisecond() {
    let parts = |speech_of_tail: u64, silence: u64| {
        let mut cues = speech(0..120);
        cues.push(cue(120_000 + silence, speech_of_tail, "fim"));
        TimeWindows::default().chunks(&doc(), &cues).len()
    };
    assert_eq!((parts(14_999, 0), parts(15_000, 0)), (1, 2));
    assert_eq!((parts(1000, 119_999), parts(1000, 120_000)), (1, 2));
}

#[test]
fn a_cue_where_a_window_closes_is_in_the_next() {
    // Window 1 lasts from 105 s to 225 s.
    let chunks = |start| {
        let cues = [cue(0, 20_000, "c0x"), cue(start, 20_000, "c1x"), cue(226_000, 20_000, "c2x")];
        TimeWindows::default().chunks(&doc(), &cues).iter().map(cues_in).collect::<Vec<_>>()
    };
    assert_eq!(chunks(225_000), [vec![0], vec![1, 2]]);
    assert_eq!(chunks(224_999), [vec![0], vec![1], vec![1, 2]]);
}

#[test]
fn cues_fill_a_chunk_to_the_last_character() {
    let cues: Vec<Segment> = (0..4).map(|n| cue(n * 1000, 1000, "  fim ")).collect();
    let texts = |bound| {
        let windows = TimeWindows::default().with_bound(Chars(bound)).unwrap();
        windows.chunks(&doc(), &cues).iter().map(|chunk| chunk.original_text().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(texts(15), ["fim fim fim fim"]);
    assert_eq!(texts(14), ["fim fim fim", "fim"]);
    assert_eq!(texts(10), ["fim fim", "fim fim"]);
    assert_eq!(texts(3), ["fim"; 4]);
}

#[test]
fn a_chapter_holds_the_cues_that_start_in_it() {
    let cues = [cue(0, 9000, "c0x"), cue(4999, 9000, "c1x"), cue(5000, 9000, "c2x"), cue(9000, 1, "c3x")];
    let marks =
        [Chapter::new(ms(9000), " "), Chapter::new(ms(5000), "antes"), Chapter::new(ms(5000), " Um ")];
    let chunks = Chapters::default().chunks(&doc(), &cues, &marks);
    let found: Vec<_> = chunks.iter().map(|chunk| (chunk.section(), cues_in(chunk))).collect();
    assert_eq!(found, [(None, vec![0, 1]), (Some("Um"), vec![2]), (None, vec![3])]);
    assert!(chunks.iter().all(|chunk| chunk.part().is_none()));
    assert!(Chapters::default().chunks(&doc(), &[], &marks).is_empty());
    assert_eq!(Chapters::default().chunks(&doc(), &cues, &[]).len(), 1);
}

#[test]
fn silence_gives_no_empty_chunk_and_no_chunk_across_it() {
    let mut cues = speech(0..60);
    cues.push(cue(300_000, 2000, "  \n"));
    cues.extend(speech(3600..3604));
    let chunks = TimeWindows::default().chunks(&doc(), &cues);
    assert_eq!(chunks.iter().map(bounds).collect::<Vec<_>>(), [(0, 60_000), (3_600_000, 3_604_000)]);
}

#[test]
fn dense_speech_is_split_between_cues_into_parts_with_true_times() {
    let cues: Vec<Segment> =
        (0..70).map(|n| cue(n * 2000, 2000, format!("c{n}x {}", "palavra ".repeat(20)))).collect();
    let chunks = TimeWindows::default().chunks(&doc(), &cues);
    let parts: Vec<String> = chunks
        .iter()
        .map(|chunk| chunk.part().map(|part| format!("{}/{}", part.number, part.of)).unwrap_or_default())
        .collect();
    assert_eq!(parts, ["1/4", "2/4", "3/4", "4/4", ""]);
    check(&cues, &chunks).unwrap();
    // The last part, from 108 s on, is what the next window, which opens at 105 s, repeats.
    assert!(bounds(&chunks[4]).0 >= bounds(&chunks[3]).0);
}

#[test]
fn one_cue_over_the_bound_is_cut_inside_and_its_pieces_share_its_time() {
    let long = cue(1000, 5000, "palavra ".repeat(1000));
    let chunks = TimeWindows::default().chunks(&doc(), &[long]);
    assert!(chunks.len() > 2);
    assert!(chunks.iter().all(|chunk| bounds(chunk) == (1000, 6000)));
    assert!(chunks.iter().all(|chunk| chunk.original_text().chars().count() <= 3000));
}

#[test]
fn times_at_the_end_of_what_can_be_counted_are_harmless() {
    let far = Segment::new(TimeSpan::between(ms(u64::MAX - 1), MediaTime::MAX), "c1x");
    let farthest = Segment::new(TimeSpan::between(MediaTime::MAX, MediaTime::MAX), "c2x");
    let cues = [cue(0, 1, "c0x"), far, farthest];
    for lengths in [(120_000, 15_000), (1, 0), (u64::MAX, u64::MAX - 1)] {
        check(&cues, &windows(lengths).chunks(&doc(), &cues)).unwrap();
    }
}

#[test]
fn an_overlap_that_would_never_advance_is_refused() {
    for (length, overlap) in [(0, 0), (1, 1), (15_000, 15_000), (10, 11)] {
        assert!(TimeWindows::new(ms(length), ms(overlap)).is_err());
    }
    assert!(TimeWindows::default().with_bound(Chars(0)).is_err());
}

#[test]
fn windows_fit_the_kind_of_speech() {
    let chunks = |chapters: Vec<Chapter>| {
        let body = Body::Speech { segments: speech(0..720), chapters };
        Windows::default().chunks(&Document::new(doc(), "título", body))
    };
    assert_eq!(chunks(vec![]).len(), 7);
    assert_eq!(chunks(vec![Chapter::new(ms(0), "Tudo")]).len(), 7);
    assert_eq!(chunks(vec![Chapter::new(ms(0), "Um"), Chapter::new(ms(9000), "Dois")]).len(), 2);
}
