use crate::{Body, Chapters, Chunk, Document, TextWindows, TimeWindows, TurnWindows};

/// Turns a document into the passages that can be found.
///
/// Chunks come in the order of the document and are numbered from 0 without gaps; equal documents give equal
/// chunks; no chunk is blank, so a document without text gives none.
pub trait Chunker: Send + Sync {
    /// The chunks of `document`.
    fn chunks(&self, document: &Document) -> Vec<Chunk>;
}

/// The windows that fit each kind of body: [`Chapters`] for speech whose author marked two or more,
/// [`TimeWindows`] for other speech, [`TurnWindows`] for conversations, [`TextWindows`] for text and Markdown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Windows {
    /// For running text, plain or Markdown.
    pub text: TextWindows,
    /// For speech; its character bound also holds for chapters.
    pub time: TimeWindows,
    /// For chats and meetings.
    pub turns: TurnWindows,
}

impl Chunker for Windows {
    fn chunks(&self, document: &Document) -> Vec<Chunk> {
        match &document.body {
            Body::Text(text) => self.text.chunks(&document.id, text),
            Body::Markdown(text) => self.text.markdown_chunks(&document.id, text),
            Body::Turns(turns) => self.turns.chunks(&document.id, turns),
            // A single chapter spans the whole recording and says nothing about where to cut it.
            Body::Speech { segments, chapters } if chapters.len() > 1 => {
                Chapters::new(self.time).chunks(&document.id, segments, chapters)
            }
            Body::Speech { segments, .. } => self.time.chunks(&document.id, segments),
        }
    }
}
