#![no_main]

use libfuzzer_sys::fuzz_target;
use tusab_chunk::{Chapter, Chapters, Chars, Chunk, MediaTime, Position, Segment, TimeSpan, TimeWindows};
use tusab_fuzz::doc;

type Input<'a> = (u64, u64, u16, Vec<(u64, u32, &'a str)>, Vec<(u64, &'a str)>);

fn check(cues: &[Segment], chunks: &[Chunk]) {
    let mut before = MediaTime::ZERO;
    let mut letters: Vec<char> = Vec::new();
    for chunk in chunks {
        let Position::Time(span) = chunk.position() else { panic!("not a time") };
        assert!(before <= span.start(), "starts decrease");
        before = span.start();
        assert!(cues.iter().any(|cue| cue.span.start() == span.start()));
        assert!(cues.iter().any(|cue| cue.span.end() == span.end()));
        assert!(!chunk.original_text().trim().is_empty());
        letters.extend(chunk.original_text().chars().filter(|c| !c.is_whitespace()));
    }
    // What was said, in order of time, is somewhere in what the chunks hold, in order.
    let mut sorted: Vec<&Segment> = cues.iter().collect();
    sorted.sort_by_key(|cue| cue.span);
    let mut found = letters.iter();
    for c in sorted.iter().flat_map(|cue| cue.text.chars()).filter(|c| !c.is_whitespace()) {
        assert!(found.any(|other| *other == c), "{c:?} is lost");
    }
}

fuzz_target!(|input: Input<'_>| {
    let (length, overlap, bound, cues, marks) = input;
    let length = length.max(1);
    let bound = usize::from(bound).max(1);
    let windows = TimeWindows::new(MediaTime::from_millis(length), MediaTime::from_millis(overlap % length))
        .and_then(|windows| windows.with_bound(Chars(bound)))
        .expect("the overlap is shorter");
    let cues: Vec<Segment> = cues
        .into_iter()
        .map(|(start, length, text)| {
            let start = MediaTime::from_millis(start);
            let end = start.saturating_add(MediaTime::from_millis(u64::from(length)));
            Segment::new(TimeSpan::between(start, end), text)
        })
        .collect();
    check(&cues, &windows.chunks(&doc(), &cues));
    let marks: Vec<Chapter> =
        marks.into_iter().map(|(start, title)| Chapter::new(MediaTime::from_millis(start), title)).collect();
    check(&cues, &Chapters::new(windows).chunks(&doc(), &cues, &marks));
});
