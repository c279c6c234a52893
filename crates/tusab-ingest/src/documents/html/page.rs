use super::metadata::Metadata;
use crate::Error;
use crate::documents::DocumentLimits;
use crate::documents::markdown::MarkdownWriter;

/// The least part of a page's text that its main content holds: an empty `main` is filled by scripts.
const LEAST_PART: usize = 5;

/// A page, read.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) blocks: Vec<Placed>,
    pub(super) metadata: Metadata,
    pub(super) first_heading: Option<String>,
}

/// A block, and where on the page it stands.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) block: Block,
    pub(super) place: Place,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) in_main: bool,
    pub(super) in_article: bool,
    pub(super) in_surroundings: bool,
}

#[derive(Debug)]
pub(super) enum Block {
    Paragraph(String),
    Heading(u8, String),
    Item { depth: usize, mark: String, text: String },
    Quote(String),
    Code(String),
    Table(Vec<Vec<String>>),
}

impl Block {
    fn length(&self) -> usize {
        match self {
            Self::Paragraph(text)
            | Self::Heading(_, text)
            | Self::Item { text, .. }
            | Self::Quote(text)
            | Self::Code(text) => text.len(),
            Self::Table(rows) => rows.iter().flatten().map(String::len).sum(),
        }
    }
}

impl Page {
    /// The main content: `main` where it holds a good part of the text, else the articles, else all but the
    /// surroundings, else all there is.
    pub(super) fn markdown(&self, limits: &DocumentLimits) -> Result<String, Error> {
        let choices: [fn(&Place) -> bool; 4] = [
            |place| place.in_main && !place.in_surroundings,
            |place| place.in_article && !place.in_surroundings,
            |place| !place.in_surroundings,
            |_| true,
        ];
        let length = |chosen: &dyn Fn(&Place) -> bool| -> usize {
            self.blocks
                .iter()
                .filter(|placed| chosen(&placed.place))
                .map(|placed| placed.block.length())
                .sum()
        };
        let all = length(&|place| !place.in_surroundings);
        let is_enough = |chosen: &fn(&Place) -> bool| {
            let length = length(&|place| chosen(place));
            length > 0 && length * LEAST_PART >= all
        };
        let Some(chosen) = choices.into_iter().find(is_enough) else { return Ok(String::new()) };
        let mut out = MarkdownWriter::new(limits);
        for placed in self.blocks.iter().filter(|placed| chosen(&placed.place)) {
            match &placed.block {
                Block::Paragraph(text) => out.paragraph(text)?,
                Block::Heading(level, text) => out.heading(*level, text)?,
                Block::Item { depth, mark, text } => out.item(*depth, mark, text)?,
                Block::Quote(text) => out.quote(text)?,
                Block::Code(text) => out.code(text)?,
                Block::Table(rows) => out.table(rows)?,
            }
        }
        Ok(out.finish())
    }
}
