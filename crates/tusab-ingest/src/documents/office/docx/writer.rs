use std::collections::HashMap;

use super::Notes;
use super::block::{Block, Cell, NoteKind, NoteMark, Numbered, Paragraph};
use super::numbering::{Mark, Numbering};
use super::styles::Styles;
use crate::Error;
use crate::documents::DocumentLimits;
use crate::documents::markdown::MarkdownWriter;
use crate::documents::one_line;

/// Writes the blocks of the main part in Markdown. A note follows the block that refers to it.
pub(super) struct Writer<'d> {
    out: MarkdownWriter,
    styles: &'d Styles,
    numbering: Numbering,
    footnotes: &'d Notes,
    endnotes: &'d Notes,
    /// Notes referred to and not yet written: their numbers and texts.
    waiting: Vec<(usize, String)>,
    /// The number of each note referred to so far. A note is written once, after its first reference.
    noted: HashMap<(NoteKind, String), usize>,
    /// The paragraph before, whose end was deleted.
    joined: Option<Paragraph>,
    title: Option<String>,
    first_heading: Option<String>,
}

impl<'d> Writer<'d> {
    pub(super) fn new(
        limits: &DocumentLimits,
        styles: &'d Styles,
        numbering: Numbering,
        footnotes: &'d Notes,
        endnotes: &'d Notes,
    ) -> Self {
        Self {
            out: MarkdownWriter::new(limits),
            styles,
            numbering,
            footnotes,
            endnotes,
            waiting: Vec::new(),
            noted: HashMap::new(),
            joined: None,
            title: None,
            first_heading: None,
        }
    }

    /// The text, and the title that it gives itself.
    pub(super) fn finish(mut self) -> Result<(String, Option<String>), Error> {
        if let Some(mut last) = self.joined.take() {
            last.joins_next = false;
            self.paragraph(last)?;
            self.write_notes()?;
        }
        Ok((self.out.finish(), self.title.or(self.first_heading)))
    }

    pub(super) fn block(&mut self, block: Block) -> Result<(), Error> {
        match block {
            Block::Paragraph(paragraph) => self.paragraph(paragraph)?,
            Block::Table(rows) => {
                let rows: Vec<Vec<String>> =
                    rows.iter().map(|row| row.iter().map(|cell| self.flat(cell)).collect()).collect();
                self.out.table(&rows)?;
            }
        }
        if self.joined.is_none() { self.write_notes() } else { Ok(()) }
    }

    fn paragraph(&mut self, paragraph: Paragraph) -> Result<(), Error> {
        let mut paragraph = match self.joined.take() {
            Some(before) => join(before, paragraph),
            None => paragraph,
        };
        if paragraph.joins_next {
            self.joined = Some(paragraph);
            return Ok(());
        }
        let boxes = std::mem::take(&mut paragraph.boxes);
        self.own_text(&paragraph)?;
        boxes.into_iter().try_for_each(|block| self.block(block))
    }

    /// A paragraph without what floats beside it.
    fn own_text(&mut self, paragraph: &Paragraph) -> Result<(), Error> {
        let text = self.with_notes(&paragraph.text, &paragraph.notes);
        if text.trim().is_empty() {
            return Ok(());
        }
        let style = paragraph.style.as_deref();
        let is_title = style.is_some_and(|style| self.styles.is_title(style));
        let outline = paragraph.outline.or_else(|| self.styles.outline(style?)).filter(|level| *level < 9);
        let outline = if is_title { Some(0) } else { outline };
        let (mark, depth) = self.mark(paragraph);
        if let Some(level) = outline {
            let heading = match mark {
                Some(Mark::Number(number)) => format!("{number} {text}"),
                _ => text,
            };
            let plain = one_line(&paragraph.text);
            let found = if is_title { &mut self.title } else { &mut self.first_heading };
            if found.is_none() {
                *found = Some(plain);
            }
            return self.out.heading(level + 1, &heading);
        }
        match mark {
            Some(Mark::Bullet) => self.out.item(depth, "-", &text),
            Some(Mark::Number(number)) => self.out.item(depth, &number, &text),
            Some(Mark::None) | None => self.out.paragraph(&text),
        }
    }

    /// What stands before a paragraph that is an item of a list, and how deep.
    fn mark(&mut self, paragraph: &Paragraph) -> (Option<Mark>, usize) {
        let by_style = paragraph.style.as_deref().and_then(|style| self.styles.number(style));
        let own = Numbered::default();
        let (style, of_style) = by_style.unwrap_or(("", &own));
        let Some(list) = paragraph.number.list.as_ref().or(of_style.list.as_ref()) else { return (None, 0) };
        let level = paragraph.number.level.or(of_style.level);
        let level = level.or_else(|| self.numbering.level_of_style(list, style)).unwrap_or(0);
        (self.numbering.next(list, level), level)
    }

    /// The text with the numbers of its notes, whose texts then wait to be written.
    fn with_notes(&mut self, text: &str, marks: &[NoteMark]) -> String {
        let mut whole = String::with_capacity(text.len());
        let mut done = 0;
        for mark in marks {
            let notes = if mark.kind == NoteKind::Footnote { self.footnotes } else { self.endnotes };
            let Some(blocks) = notes.get(&mark.id) else { continue };
            whole.push_str(text.get(done..mark.at).unwrap_or_default());
            done = mark.at;
            let next = self.noted.len() + 1;
            let number = *self.noted.entry((mark.kind, mark.id.clone())).or_insert(next);
            whole.extend(["[^", &number.to_string(), "]"]);
            if number == next {
                self.waiting.push((number, plain(blocks)));
            }
        }
        whole.push_str(text.get(done..).unwrap_or_default());
        whole
    }

    fn write_notes(&mut self) -> Result<(), Error> {
        std::mem::take(&mut self.waiting)
            .into_iter()
            .try_for_each(|(number, text)| self.out.paragraph(&format!("[^{number}]: {}", one_line(&text))))
    }

    /// The text of a cell, on one line for each of its paragraphs.
    fn flat(&mut self, cell: &Cell) -> String {
        let mut lines = Vec::new();
        for block in cell {
            match block {
                Block::Paragraph(paragraph) => {
                    let text = self.with_notes(&paragraph.text, &paragraph.notes);
                    lines.push(match self.mark(paragraph) {
                        (Some(Mark::Number(number)), _) => format!("{number} {text}"),
                        _ => text,
                    });
                    let boxes = self.flat(&paragraph.boxes);
                    lines.push(boxes);
                }
                Block::Table(rows) => {
                    for row in rows {
                        let cells: Vec<String> = row.iter().map(|cell| one_line(&self.flat(cell))).collect();
                        lines.push(cells.join("; "));
                    }
                }
            }
        }
        lines.retain(|line| !line.trim().is_empty());
        lines.join("\n")
    }
}

/// Two paragraphs between which the break was deleted; what the second is, both are.
fn join(mut before: Paragraph, after: Paragraph) -> Paragraph {
    let shift = before.text.len();
    before.text.push_str(&after.text);
    let notes = after.notes.into_iter().map(|mark| NoteMark { at: mark.at + shift, ..mark });
    before.notes.extend(notes);
    before.boxes.extend(after.boxes);
    Paragraph { text: before.text, notes: before.notes, boxes: before.boxes, ..after }
}

/// The text of a note.
fn plain(blocks: &[Block]) -> String {
    let mut parts = Vec::new();
    for block in blocks {
        match block {
            Block::Paragraph(paragraph) => parts.push(paragraph.text.clone()),
            Block::Table(rows) => parts.extend(rows.iter().flatten().map(|cell| plain(cell))),
        }
    }
    parts.join("\n")
}
