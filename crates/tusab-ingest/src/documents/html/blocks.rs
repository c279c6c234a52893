//! The blocks of a page, one after another: what its text becomes when an element starts or ends.

use super::element::Role;
use super::page::{Block, Page, Place, Placed};
use crate::documents::one_line;

/// Makes blocks of text.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    pub(super) page: Page,
    /// The text of the block that is being read, and what it will be.
    text: String,
    kind: Kind,
    lists: Vec<List>,
    tables: Vec<Table>,
}

/// Where on the page a block stands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spot {
    pub(super) place: Place,
    pub(super) is_quote: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Paragraph,
    Heading(u8),
    Item {
        depth: usize,
        mark: String,
    },
    Code,
}

#[derive(Debug)]
struct List {
    /// The number of the next item; none for a list without numbers.
    next: Option<u32>,
}

#[derive(Debug, Default)]
struct Table {
    rows: Vec<Vec<String>>,
    /// It holds headings or tables: it lays out the page, and its cells are no cells.
    is_layout: bool,
}

impl Blocks {
    /// The page, at its end.
    pub(super) fn finish(mut self, spot: Spot) -> Page {
        self.flush(spot);
        while !self.tables.is_empty() {
            self.end_table(spot);
        }
        self.page
    }

    pub(super) fn push(&mut self, text: &str) {
        if self.kind == Kind::Code {
            self.text.push_str(text);
            return;
        }
        for c in text.chars() {
            if !c.is_whitespace() {
                self.text.push(c);
            } else if !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
                self.text.push(' ');
            }
        }
    }

    /// What the start of an element does to the text before it; `first` is the number that a list starts with.
    pub(super) fn begin(&mut self, role: Role, first: u32, spot: Spot) {
        match role {
            Role::Inline | Role::Dropped => {}
            Role::Break => self.break_line(),
            Role::Block | Role::Quote | Role::Main | Role::Article | Role::Surroundings => self.flush(spot),
            Role::Heading(level) => {
                self.lay_out(spot);
                self.flush(spot);
                self.kind = Kind::Heading(level);
            }
            Role::List { is_numbered } => {
                self.flush(spot);
                self.lists.push(List { next: is_numbered.then_some(first) });
            }
            Role::Item => {
                self.flush(spot);
                let depth = self.lists.len().saturating_sub(1);
                let mark = match self.lists.last_mut().and_then(|list| list.next.as_mut()) {
                    Some(next) => {
                        let number = *next;
                        *next = next.saturating_add(1);
                        format!("{number}.")
                    }
                    None => "-".to_owned(),
                };
                self.kind = Kind::Item { depth, mark };
            }
            Role::Table => {
                self.lay_out(spot);
                self.flush(spot);
                self.tables.push(Table::default());
            }
            Role::Row => {
                self.flush(spot);
                if let Some(table) = self.tables.last_mut() {
                    table.rows.push(Vec::new());
                }
            }
            Role::Cell => {
                self.flush(spot);
                if let Some(table) = self.tables.last_mut().filter(|table| !table.is_layout) {
                    if table.rows.is_empty() {
                        table.rows.push(Vec::new());
                    }
                    if let Some(row) = table.rows.last_mut() {
                        row.push(String::new());
                    }
                }
            }
            Role::Preformatted => {
                self.flush(spot);
                self.kind = Kind::Code;
            }
        }
    }

    fn break_line(&mut self) {
        if self.text.ends_with(' ') {
            self.text.pop();
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    /// What the end of an element does, once its text has become a block.
    pub(super) fn end(&mut self, role: Role, spot: Spot) {
        match role {
            Role::List { .. } => {
                self.lists.pop();
            }
            Role::Table => self.end_table(spot),
            _ => {}
        }
    }

    /// The table around is no table of values: what its cells held so far becomes paragraphs.
    fn lay_out(&mut self, spot: Spot) {
        let Some(table) = self.tables.last_mut() else { return };
        table.is_layout = true;
        let rows = std::mem::take(&mut table.rows);
        let cells = rows.into_iter().flatten().filter(|cell| !cell.trim().is_empty());
        self.page
            .blocks
            .extend(cells.map(|cell| Placed { block: Block::Paragraph(cell), place: spot.place }));
    }

    fn end_table(&mut self, spot: Spot) {
        if let Some(table) = self.tables.pop()
            && !table.rows.is_empty()
        {
            self.page.blocks.push(Placed { block: Block::Table(table.rows), place: spot.place });
        }
    }

    /// Ends the block that is being read.
    pub(super) fn flush(&mut self, spot: Spot) {
        let text = std::mem::take(&mut self.text);
        let is_blank = text.trim().is_empty();
        // The text of an item may start inside a paragraph of its own.
        if is_blank && matches!(self.kind, Kind::Item { .. } | Kind::Heading(_)) {
            return;
        }
        let kind = std::mem::take(&mut self.kind);
        if is_blank {
            return;
        }
        let text = if kind == Kind::Code { text } else { text.trim().to_owned() };
        let cell = self.tables.last_mut().filter(|table| !table.is_layout);
        if let Some(cell) = cell.and_then(|table| table.rows.last_mut()?.last_mut()) {
            if !cell.is_empty() {
                cell.push('\n');
            }
            cell.push_str(&text);
            return;
        }
        let block = match kind {
            Kind::Heading(level) => {
                self.page.first_heading.get_or_insert_with(|| one_line(&text));
                Block::Heading(level, text)
            }
            Kind::Item { depth, mark } => Block::Item { depth, mark, text },
            Kind::Code => Block::Code(text),
            Kind::Paragraph if spot.is_quote => Block::Quote(text),
            Kind::Paragraph => Block::Paragraph(text),
        };
        self.page.blocks.push(Placed { block, place: spot.place });
    }
}
