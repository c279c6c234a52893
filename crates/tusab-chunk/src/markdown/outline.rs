//! Headings, blocks of code and rows of tables, found in one pass over the lines.

use super::line::{Fence, Line, lines};
use crate::text::block::{Block, Kind};

/// What the structure of a text says about where to cut it.
#[derive(Debug, Default)]
pub(super) struct Outline<'t> {
    /// What not to split; sorted and disjoint.
    pub(super) blocks: Vec<Block>,
    /// The headings in their order.
    pub(super) headings: Vec<Heading<'t>>,
}

/// A heading and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Heading<'t> {
    level: u8,
    title: &'t str,
    /// The byte at which it starts.
    start: usize,
    /// The byte at which the next text after it starts.
    end: usize,
}

/// What the lines before leave open.
#[derive(Debug, Default)]
struct Open<'t> {
    /// A block of code, and where it started.
    fence: Option<(Fence, usize)>,
    /// A heading that awaits what it heads.
    heading: bool,
    in_table: bool,
    /// The line before, and whether it was a paragraph's first.
    before: Option<(Line<'t>, bool)>,
}

impl<'t> Outline<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let mut outline = Self::default();
        let mut open = Open::default();
        let body = front_matter(text);
        for line in lines(text).skip_while(|line| line.start < body) {
            outline.add(line, &mut open);
        }
        if let Some((_, start)) = open.fence {
            let end = text.trim_end().len();
            outline.blocks.push(Block { kind: Kind::Fence, start, end });
        }
        if open.heading {
            outline.end_heading(text.len());
        }
        outline
    }

    fn add(&mut self, line: Line<'t>, open: &mut Open<'t>) {
        if let Some((fence, start)) = open.fence {
            if line.leaves(fence) {
                let end = open.before.map_or(start, |(before, _)| before.content_end()).max(start);
                self.blocks.push(Block { kind: Kind::Fence, start, end });
                open.fence = None;
            } else {
                if line.closes(fence) {
                    self.blocks.push(Block { kind: Kind::Fence, start, end: line.content_end() });
                    open.fence = None;
                }
                open.before = Some((line, false));
                return;
            }
        }
        if line.is_blank() {
            open.in_table = false;
            open.before = None;
            return;
        }
        if std::mem::take(&mut open.heading) {
            self.end_heading(line.content_start());
        }
        if let Some(fence) = line.opens_fence() {
            open.fence = Some((fence, line.content_start()));
            open.in_table = false;
            open.before = Some((line, false));
            return;
        }
        let first = open.before.is_none();
        if let Some((level, title)) = line.heading() {
            self.start_heading(level, title, line.content_start());
            *open = Open { heading: true, ..Open::default() };
        } else if let Some((before, true)) = open.before
            && let Some(level) = line.underlines()
        {
            self.start_heading(level, before.text.trim(), before.content_start());
            *open = Open { heading: true, ..Open::default() };
        } else {
            if open.in_table {
                self.row(line);
            } else if line.delimits_table()
                && let Some((header, _)) = open.before
                && header.has_cells()
            {
                open.in_table = true;
                self.row(header);
                self.row(line);
            }
            open.before = Some((line, first && line.is_prose()));
        }
    }

    fn row(&mut self, line: Line<'t>) {
        self.blocks.push(Block { kind: Kind::Row, start: line.content_start(), end: line.content_end() });
    }

    fn start_heading(&mut self, level: u8, title: &'t str, start: usize) {
        self.headings.push(Heading { level, title, start, end: start });
    }

    fn end_heading(&mut self, end: usize) {
        if let Some(heading) = self.headings.last_mut() {
            heading.end = end;
            self.blocks.push(Block { kind: Kind::Heading, start: heading.start, end });
        }
    }
}

/// Where the text after a block of metadata starts: lines between `---` and `---`, at the very start.
fn front_matter(text: &str) -> usize {
    let mut lines = lines(text);
    if lines.next().is_none_or(|line| line.text.trim_end() != "---") {
        return 0;
    }
    lines
        .find(|line| matches!(line.text.trim_end(), "---" | "..."))
        .map_or(0, |line| line.start + line.text.len())
}

/// The headings that a place stands under, for places that come in order.
#[derive(Debug)]
pub(super) struct Path<'t> {
    headings: std::iter::Peekable<std::slice::Iter<'t, Heading<'t>>>,
    stack: Vec<&'t Heading<'t>>,
}

impl<'t> Path<'t> {
    /// Stands between two headings of a path.
    const SEPARATOR: &'static str = " > ";

    pub(super) fn of(headings: &'t [Heading<'t>]) -> Self {
        Self { headings: headings.iter().peekable(), stack: Vec::new() }
    }

    /// The path of the text from `start` to `end`: that of its first text that stands under a heading. `None` when
    /// none does.
    pub(super) fn of_part(&mut self, start: usize, end: usize) -> Option<String> {
        let mut reach = start;
        while let Some(heading) = self
            .headings
            .next_if(|heading| heading.start <= reach || (self.stack.is_empty() && heading.start < end))
        {
            self.stack.retain(|outer| outer.level < heading.level);
            self.stack.push(heading);
            // Headings that follow each other head the same text.
            if heading.start >= start {
                reach = heading.end;
            }
        }
        let titles: Vec<&str> =
            self.stack.iter().map(|heading| heading.title).filter(|title| !title.is_empty()).collect();
        (!titles.is_empty()).then(|| titles.join(Self::SEPARATOR))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The blocks of `text`: kind and content.
    fn blocks(text: &str) -> Vec<(Kind, &str)> {
        let outline = Outline::of(text);
        assert!(outline.blocks.is_sorted_by(|a, b| a.end <= b.start), "{:?}", outline.blocks);
        outline.blocks.iter().map(|block| (block.kind, text[block.start..block.end].trim_end())).collect()
    }

    fn titles(text: &str) -> Vec<(u8, &str)> {
        Outline::of(text).headings.iter().map(|heading| (heading.level, heading.title)).collect()
    }

    #[test]
    fn blocks_of_code_with_their_fences() {
        let text = "a\n\n```rust\n# not a heading\n\n| no | row |\n|---|---|\n```\nb\n";
        assert_eq!(blocks(text), [(Kind::Fence, "```rust\n# not a heading\n\n| no | row |\n|---|---|\n```")]);
        assert!(titles(text).is_empty());
        assert_eq!(blocks("~~~\n```\n~~~~\n# A"), [(Kind::Fence, "~~~\n```\n~~~~"), (Kind::Heading, "# A")]);
        assert_eq!(blocks("x\n```\nnever closed\n\n# A\n\n"), [(Kind::Fence, "```\nnever closed\n\n# A")]);
        assert_eq!(
            blocks("> ```\n> code\n\n# A\n"),
            [(Kind::Fence, "> ```\n> code"), (Kind::Heading, "# A")],
            "a quote's end is its block's"
        );
    }

    #[test]
    fn rows_of_tables_and_nothing_else_with_bars() {
        let text = "a | b\n--|--\n1 | 2\nx\n\nc | d\n";
        assert_eq!(
            blocks(text),
            [(Kind::Row, "a | b"), (Kind::Row, "--|--"), (Kind::Row, "1 | 2"), (Kind::Row, "x")]
        );
        assert!(blocks("a | b\nc | d\n").is_empty());
        assert!(blocks("text\n---\n").iter().all(|(kind, _)| *kind == Kind::Heading));
    }

    #[test]
    fn headings_of_both_kinds() {
        let text = "---\ntitle: x\n# no\n---\n\nTop\n===\r\n\r\nText\n\nSub\n---\n### C\nTwo lines\nof text\n---\n\n- item\n---\n";
        assert_eq!(titles(text), [(1, "Top"), (2, "Sub"), (3, "C")]);
        assert_eq!(titles("---\n# not metadata: it never ends\n"), [(1, "not metadata: it never ends")]);
    }

    #[test]
    fn the_path_is_that_of_the_text_headed() {
        let text = "intro\n\n# A\n\n## B\n\none\n\n### C\n\ntwo\n\n## D\n\nthree\n\n#\n\nfour";
        let outline = Outline::of(text);
        let mut path = Path::of(&outline.headings);
        let mut at = |part: &str| {
            let start = text.find(part).unwrap();
            path.of_part(start, start + part.len())
        };
        assert_eq!(at("intro"), None);
        assert_eq!(at("# A").as_deref(), Some("A > B"));
        assert_eq!(at("one").as_deref(), Some("A > B"));
        assert_eq!(at("two").as_deref(), Some("A > B > C"));
        assert_eq!(at("## D").as_deref(), Some("A > D"));
        assert_eq!(at("four"), None);
        assert_eq!(
            Path::of(&outline.headings).of_part(0, 20).as_deref(),
            Some("A > B"),
            "a text before the first"
        );
    }
}
