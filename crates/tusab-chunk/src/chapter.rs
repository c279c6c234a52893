use crate::chunk::number;
use crate::pack::{drafts, pack};
use crate::timed::in_order;
use crate::{Chapter, Chunk, DocId, Segment, TimeWindows};

/// Cuts speech at its author's chapters: one chunk a chapter, which carries the chapter's title.
///
/// - Speech before the first chapter is kept, without a section.
/// - A cue belongs to the chapter in which it starts.
/// - A chapter longer than the bound (3,000 characters by default) is split between cues into numbered parts.
/// - Chapters may come in any order. One without speech gives no chunk; speech under a blank title has no section; of
///   two that start together the one given later counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Chapters {
    windows: TimeWindows,
}

impl Chapters {
    /// Chapters whose bound is that of `windows`.
    #[must_use]
    pub fn new(windows: TimeWindows) -> Self {
        Self { windows }
    }

    /// The chapters of `segments` as chunks of `doc`, numbered from 0.
    #[must_use]
    pub fn chunks(&self, doc: &DocId, segments: &[Segment], chapters: &[Chapter]) -> Vec<Chunk> {
        let cues = in_order(segments);
        let mut marks: Vec<&Chapter> = chapters.iter().collect();
        marks.sort_by_key(|chapter| chapter.start);
        let mut parts = Vec::new();
        let mut from = 0;
        let mut section = None;
        let ends = marks.iter().map(|next| cues.partition_point(|cue| cue.span.start() < next.start));
        for (end, next) in ends.zip(marks.iter().copied().map(Some)).chain([(cues.len(), None)]) {
            let cues = cues.get(from..end).unwrap_or_default();
            parts.extend(drafts(pack(cues, self.windows.bound().0), section));
            from = end;
            section = next.map(|chapter| chapter.title.trim()).filter(|title| !title.is_empty());
        }
        number(doc, parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MediaTime, Position, TimeSpan};

    fn cue(second: u64, text: &str) -> Segment {
        let (start, end) = (MediaTime::from_seconds(second), MediaTime::from_seconds(second + 5));
        Segment::new(TimeSpan::between(start, end), text)
    }

    fn chapter(second: u64, title: &str) -> Chapter {
        Chapter::new(MediaTime::from_seconds(second), title)
    }

    fn shape(chunks: &[Chunk]) -> Vec<(Option<&str>, &str)> {
        chunks.iter().map(|chunk| (chunk.section(), chunk.original_text())).collect()
    }

    #[test]
    fn chapters_in_any_order_past_the_end_and_empty() {
        let doc: DocId = "youtube:abc".parse().unwrap();
        let cues = [cue(0, "antes"), cue(10, "um"), cue(18, "ainda um"), cue(40, "três")];
        let marks = [chapter(30, "Três"), chapter(8, "Um"), chapter(25, "Vazio"), chapter(900, "Além")];
        let chunks = Chapters::default().chunks(&doc, &cues, &marks);
        assert_eq!(shape(&chunks), [(None, "antes"), (Some("Um"), "um ainda um"), (Some("Três"), "três")]);
        assert!(chunks.iter().zip(0..).all(|(chunk, ordinal)| chunk.ordinal() == ordinal));
    }

    #[test]
    fn a_long_chapter_becomes_parts_with_their_own_times() {
        let doc: DocId = "youtube:abc".parse().unwrap();
        let cues: Vec<Segment> = (0..100).map(|n| cue(n * 5, &"palavra ".repeat(10))).collect();
        let chunks = Chapters::default().chunks(&doc, &cues, &[chapter(0, "Longo")]);
        assert!(chunks.len() > 1);
        let mut starts = Vec::new();
        for (chunk, number) in chunks.iter().zip(1..) {
            let part = chunk.part().unwrap();
            assert_eq!((part.number.get(), part.of.get() as usize), (number, chunks.len()));
            assert!(chunk.original_text().chars().count() <= 3000);
            assert_eq!(chunk.section(), Some("Longo"));
            let Position::Time(span) = chunk.position() else { panic!("not timed") };
            starts.push(span.start());
        }
        assert!(starts.is_sorted_by(|a, b| a < b));
    }
}
