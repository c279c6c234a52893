//! The Markdown that documents with a structure become: the windows of `tusab-chunk` read headings and rows from it.

use super::limits::{DocumentLimits, Limit};
use super::one_line;
use crate::Error;

/// Writes blocks one after another, with an empty line between them, up to the limit of text.
#[derive(Debug)]
pub(super) struct MarkdownWriter {
    text: String,
    limit: Limit,
    most: usize,
    /// What the last block was: items and rows follow each other without an empty line.
    last: Block,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "office"), expect(dead_code, reason = "pages have no lines of their own"))]
enum Block {
    None,
    Item,
    Row,
    Line,
    Other,
}

impl MarkdownWriter {
    pub(super) fn new(limits: &DocumentLimits) -> Self {
        let most = usize::try_from(limits.text.0).unwrap_or(usize::MAX);
        Self { text: String::new(), limit: Limit::Text(limits.text), most, last: Block::None }
    }

    /// Bytes written so far, with the empty line that the next block brings: where a page starts.
    #[cfg(feature = "office")]
    pub(super) fn written(&mut self) -> usize {
        self.separate(Block::Other);
        self.last = Block::None;
        self.text.len()
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    /// A heading; levels over 6 are 6.
    pub(super) fn heading(&mut self, level: u8, title: &str) -> Result<(), Error> {
        let title = one_line(title);
        if title.is_empty() {
            return Ok(());
        }
        self.separate(Block::Other);
        self.text.extend(std::iter::repeat_n('#', usize::from(level.clamp(1, 6))));
        self.text.push(' ');
        self.text.push_str(&title);
        self.check()
    }

    /// A paragraph; its line breaks stay.
    pub(super) fn paragraph(&mut self, text: &str) -> Result<(), Error> {
        self.block(text, Block::Other, "")
    }

    /// One line of several that belong together, such as the rows of a sheet.
    #[cfg(feature = "office")]
    pub(super) fn line(&mut self, text: &str) -> Result<(), Error> {
        self.block(&one_line(text), Block::Line, "")
    }

    /// A paragraph that is quoted or said beside the text.
    pub(super) fn quote(&mut self, text: &str) -> Result<(), Error> {
        self.block(text, Block::Other, "> ")
    }

    fn block(&mut self, text: &str, block: Block, prefix: &str) -> Result<(), Error> {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
        if lines.peek().is_none() {
            return Ok(());
        }
        self.separate(block);
        while let Some(line) = lines.next() {
            self.text.push_str(prefix);
            self.push_escaped(line);
            if lines.peek().is_some() {
                self.text.push('\n');
            }
        }
        self.check()
    }

    /// An item of a list: its mark (`-`, `1.`), and how many lists it stands inside of.
    pub(super) fn item(&mut self, depth: usize, mark: &str, text: &str) -> Result<(), Error> {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let Some(first) = lines.next() else { return Ok(()) };
        self.separate(Block::Item);
        // Two columns a level, and no more than keeps the text in sight.
        let indent = 2 * depth.min(8);
        self.text.extend(std::iter::repeat_n(' ', indent));
        self.text.push_str(mark);
        self.text.push(' ');
        self.push_escaped(first);
        for line in lines {
            self.text.push('\n');
            self.text.extend(std::iter::repeat_n(' ', indent + 2));
            self.push_escaped(line);
        }
        self.check()
    }

    /// A table; its first row is its header. A table of one column is a frame around text, and becomes paragraphs.
    pub(super) fn table(&mut self, rows: &[Vec<String>]) -> Result<(), Error> {
        let rows: Vec<&Vec<String>> =
            rows.iter().filter(|row| row.iter().any(|cell| !cell.trim().is_empty())).collect();
        let columns = rows.iter().map(|row| row.len()).max().unwrap_or(0);
        if columns <= 1 {
            return rows.into_iter().flatten().try_for_each(|cell| self.paragraph(cell));
        }
        self.separate(Block::Other);
        for (number, row) in rows.iter().enumerate() {
            if number > 0 {
                self.text.push('\n');
            }
            self.text.push('|');
            for column in 0..columns {
                self.text.push(' ');
                let cell = row.get(column).map_or("", String::as_str);
                self.text.push_str(&one_line(cell).replace('|', "\\|"));
                self.text.push_str(" |");
            }
            if number == 0 {
                self.text.push_str("\n|");
                self.text.extend(std::iter::repeat_n(" --- |", columns));
            }
            self.check()?;
        }
        self.last = Block::Row;
        Ok(())
    }

    /// Text whose line breaks and indentation count.
    #[cfg(feature = "html")]
    pub(super) fn code(&mut self, text: &str) -> Result<(), Error> {
        let text = text.trim_matches('\n').trim_end();
        if text.trim().is_empty() {
            return Ok(());
        }
        self.separate(Block::Other);
        // The fence is longer than any run of its mark inside.
        let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        for part in [&fence, "\n", text, "\n", &fence] {
            self.text.push_str(part);
        }
        self.check()
    }

    fn separate(&mut self, next: Block) {
        if self.last != Block::None {
            let together = self.last == next && matches!(next, Block::Item | Block::Line);
            self.text.push_str(if together { "\n" } else { "\n\n" });
        }
        self.last = next;
    }

    /// A line of text, with a backslash before what would be read as structure.
    fn push_escaped(&mut self, line: &str) {
        let marks = line.trim_start_matches('#');
        let heading = marks.len() < line.len() && (marks.is_empty() || marks.starts_with([' ', '\t']));
        let rule = line.chars().all(|c| c == '=') || line.chars().all(|c| c == '-');
        if heading || rule || line.starts_with("```") || line.starts_with("~~~") {
            self.text.push('\\');
        }
        self.text.push_str(line);
    }

    fn check(&self) -> Result<(), Error> {
        if self.text.len() > self.most { Err(Error::TooLarge { limit: self.limit }) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_stand_apart_and_text_is_not_taken_for_structure() {
        let mut out = MarkdownWriter::new(&DocumentLimits::default());
        out.heading(9, " Um\ntítulo ").unwrap();
        out.paragraph("# não é título\n---\n\n#hashtag\n```").unwrap();
        out.paragraph(" \n").unwrap();
        out.item(0, "-", "um\ndois").unwrap();
        out.item(1, "1.", "três").unwrap();
        out.quote("nota\nlonga").unwrap();
        out.table(&[vec!["a|b".into(), "c".into()], vec![String::new()], vec!["d".into()]]).unwrap();
        out.table(&[vec!["moldura".into()]]).unwrap();
        assert_eq!(
            out.finish(),
            "###### Um título\n\n\\# não é título\n\\---\n#hashtag\n\\```\n\n- um\n  dois\n  1. três\n\n> nota\n> longa\n\n\
             | a\\|b | c |\n| --- | --- |\n| d |  |\n\nmoldura"
        );
    }

    #[test]
    fn text_over_the_limit_is_refused() {
        let limits = DocumentLimits::default().with_text(super::super::limits::ByteCount(10));
        let mut out = MarkdownWriter::new(&limits);
        out.paragraph("0123456789").unwrap();
        let error = out.paragraph("x").unwrap_err();
        assert!(matches!(error, Error::TooLarge { limit: Limit::Text(most) } if most.0 == 10), "{error:?}");
    }
}
