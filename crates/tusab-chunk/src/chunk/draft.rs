//! From what was cut to chunks with their numbers and ids.

use std::sync::Arc;

use super::excerpt::Excerpt;
use super::{Chunk, Mark, Part, Position, RawChunk};
use crate::{ChunkId, DocId, TextSpan};

/// What a window is made of, before it is numbered and named.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) text: Excerpt,
    pub(crate) position: Position,
    pub(crate) section: Option<String>,
    pub(crate) part: Option<Part>,
    pub(crate) speakers: Vec<String>,
    pub(crate) marks: Vec<Mark>,
}

impl Draft {
    pub(crate) fn new(text: String, position: Position) -> Self {
        Self::of(text.into(), position)
    }

    fn of(text: Excerpt, position: Position) -> Self {
        Self { text, position, section: None, part: None, speakers: Vec::new(), marks: Vec::new() }
    }
}

/// The chunks of `doc`, numbered from 0 in the order given.
///
/// Beyond 2³² chunks numbers would repeat; a text that long does not fit in memory.
pub(crate) fn number(doc: &DocId, drafts: impl IntoIterator<Item = Draft>) -> Vec<Chunk> {
    /// Chunks hashed side by side: a few times what processors can, so that different lengths even out, and few
    /// enough that their texts are still in the cache.
    const BATCH: usize = 32;
    let mut drafts = drafts.into_iter();
    let mut numbered = Numbered::new(doc, drafts.size_hint().0);
    loop {
        let batch: Vec<Draft> = drafts.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            return numbered.chunks;
        }
        numbered.extend(batch);
    }
}

/// The chunks of `doc` that windows of `text` make, given in their order with the headings they stand under; `expected`
/// is about how many.
///
/// Neighbours share one copy of their stretch of the text: next to an allocation and a copy each, this spares the
/// copy of what they repeat.
pub(crate) fn number_windows(
    doc: &DocId,
    text: &str,
    expected: usize,
    windows: impl IntoIterator<Item = (TextSpan, Option<String>)>,
) -> Vec<Chunk> {
    /// Bytes of a text in one copy: little enough to be still in the cache when it is hashed, and to be kept for the sake
    /// of a single chunk; a window that is longer stands alone.
    const BLOCK: usize = 64 * 1024;
    /// A text of white space alone must not reserve much.
    const MOST_RESERVED: usize = 1 << 16;
    let mut windows = windows.into_iter().peekable();
    let mut numbered = Numbered::new(doc, expected.min(MOST_RESERVED));
    while let Some(first) = windows.next() {
        let from = first.0.byte_start().0;
        let mut block = vec![first];
        while let Some(next) = windows.next_if(|(span, _)| span.byte_end().0 - from <= BLOCK) {
            block.push(next);
        }
        let to = block.last().map_or(from, |(span, _)| span.byte_end().0);
        let copy: Arc<str> = text.get(from..to).unwrap_or_default().into();
        let draft = |(span, section): (TextSpan, Option<String>)| {
            let part = Excerpt::of(&copy, (span.byte_start().0 - from, span.byte_end().0 - from));
            Draft { section, ..Draft::of(part, Position::Text(span)) }
        };
        numbered.extend(block.into_iter().map(draft).collect());
    }
    numbered.chunks.shrink_to_fit();
    numbered.chunks
}

/// Chunks of a document, each with the number it was added at.
struct Numbered<'d> {
    doc: &'d DocId,
    chunks: Vec<Chunk>,
    /// Scratch space.
    buffer: Vec<u8>,
}

impl<'d> Numbered<'d> {
    fn new(doc: &'d DocId, expected: usize) -> Self {
        Self { doc, chunks: Vec::with_capacity(expected), buffer: Vec::new() }
    }

    fn extend(&mut self, batch: Vec<Draft>) {
        let first = u32::try_from(self.chunks.len()).unwrap_or(u32::MAX);
        let texts = batch.iter().map(|draft| draft.text.as_str());
        let ids = ChunkId::of_each(self.doc, first, texts, &mut self.buffer);
        for ((draft, id), ordinal) in batch.into_iter().zip(ids).zip(first..) {
            let Draft { text: original_text, position, section, part, speakers, marks } = draft;
            let doc = self.doc.clone();
            let key_phrases = Vec::new();
            let raw = RawChunk {
                doc,
                ordinal,
                original_text,
                position,
                section,
                part,
                page: None,
                speakers,
                marks,
                key_phrases,
            };
            self.chunks.push(Chunk { id, raw });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Chars, TextWindows};

    /// The copies that chunks of `text` share, each once, in their order.
    fn copies(windows: TextWindows, text: &str) -> Vec<usize> {
        let mut copies: Vec<Arc<str>> = Vec::new();
        for chunk in windows.chunks(&"file:a1".parse().unwrap(), text) {
            let copy = chunk.raw.original_text.whole;
            if copies.last().is_none_or(|last| !Arc::ptr_eq(last, &copy)) {
                copies.push(copy);
            }
        }
        copies.iter().map(|copy| copy.len()).collect()
    }

    #[test]
    fn neighbours_share_copies_of_64_kilobytes() {
        let text = "Uma frase de prova. ".repeat(20_000);
        let found = copies(TextWindows::default(), &text);
        let (last, full) = found.split_last().unwrap();
        assert!(full.iter().all(|length| (60_000..=65_536).contains(length)) && *last <= 65_536, "{found:?}");
        assert!(found.iter().sum::<usize>() < text.len() + 250 * found.len(), "next to nothing stands twice");
        // A window that is longer stands alone.
        let long = TextWindows::new(Chars(100_000), Chars(0)).unwrap();
        assert_eq!(copies(long, &text).len(), long.spans(&text).count());
    }
}
