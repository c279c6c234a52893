/// One block of a document, in reading order.
#[derive(Debug)]
pub(super) enum Block {
    Paragraph(Paragraph),
    Table(Vec<Vec<Cell>>),
}

/// The blocks of one cell.
pub(super) type Cell = Vec<Block>;

#[derive(Debug, Default)]
pub(super) struct Paragraph {
    pub(super) text: String,
    /// Where notes are referred to, in order.
    pub(super) notes: Vec<NoteMark>,
    pub(super) style: Option<String>,
    /// The list that it is an item of, where the paragraph itself says so.
    pub(super) number: Numbered,
    /// Its level as a heading, from 0, where the paragraph itself says so; 9 is no heading.
    pub(super) outline: Option<u8>,
    /// What floats beside it.
    pub(super) boxes: Vec<Block>,
    /// Its end was deleted: it goes on in the next.
    pub(super) joins_next: bool,
}

/// Reference to an item's list and its level there.
#[derive(Debug, Clone, Default)]
pub(super) struct Numbered {
    pub(super) list: Option<String>,
    pub(super) level: Option<usize>,
}

/// Where in a text, in bytes, which note is referred to.
#[derive(Debug)]
pub(super) struct NoteMark {
    pub(super) at: usize,
    pub(super) kind: NoteKind,
    pub(super) id: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum NoteKind {
    Footnote,
    Endnote,
}
