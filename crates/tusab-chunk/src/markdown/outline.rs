//! Headings, blocks of code and rows of tables, found in one pass over the lines.

use super::line::{Fence, Line, lines};
use crate::text::block::{Block, Kind};
use crate::text::grapheme;

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
    /// HTML in which nothing is Markdown, as what ends it.
    html: Option<&'static str>,
    /// A heading that awaits what it heads.
    heading: bool,
    table: bool,
    /// The item of a list, as the column at which what is in it starts.
    list: Option<usize>,
    /// The line before, unless it is blank or nothing goes on after it.
    before: Option<Line<'t>>,
    /// The first line of the paragraph that the line before is of.
    paragraph: Option<Line<'t>>,
}

impl<'t> Outline<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let mut outline = Self::default();
        let mut open = Open::default();
        let body = front_matter(text);
        for line in lines(text).skip_while(|line| line.start < body) {
            outline.add(text, line, &mut open);
        }
        if let Some((_, start)) = open.fence {
            let end = grapheme::ceil(text, start, text.trim_end().len());
            outline.blocks.push(Block { kind: Kind::Fence, start, end });
        }
        if open.heading {
            outline.end_heading(text.len());
        }
        outline
    }

    fn add(&mut self, text: &'t str, line: Line<'t>, open: &mut Open<'t>) {
        if self.is_verbatim(line, open) {
            return;
        }
        if line.is_blank() {
            *open = Open { heading: open.heading, list: open.list, ..Open::default() };
            return;
        }
        if std::mem::take(&mut open.heading) {
            self.end_heading(line.content_start());
        }
        // An item lasts as long as what follows is indented, or goes on without a blank line.
        let goes_on = line.is_of_item() || open.before.is_some();
        open.list = line.item(open.list).or_else(|| open.list.filter(|_| goes_on));
        if let Some(fence) = line.opens_fence(open.list) {
            let fence = Some((fence, line.content_start()));
            *open = Open { fence, list: open.list, before: Some(line), ..Open::default() };
        } else if let Some((level, title)) = line.heading() {
            self.start_heading(level, title, line.content_start());
            *open = Open { heading: true, ..Open::default() };
        } else if let (Some(first), Some(last), Some(level)) =
            (open.paragraph, open.before, line.underlines())
        {
            let title = text.get(first.content_start()..last.content_end()).unwrap_or_default();
            self.start_heading(level, title, first.content_start());
            *open = Open { heading: true, ..Open::default() };
        } else if let Some(end) = line.opens_html() {
            *open = Open { html: Some(end), list: open.list, ..Open::default() };
        } else {
            self.add_plain(line, open);
        }
    }

    /// True when `line` is of a block of code or of HTML, which it may end.
    fn is_verbatim(&mut self, line: Line<'t>, open: &mut Open<'t>) -> bool {
        if let Some((fence, start)) = open.fence {
            let leaves = line.leaves(fence);
            if leaves || line.closes(fence) {
                let last = if leaves { open.before } else { Some(line) };
                let end = last.map_or(start, Line::content_end).max(start);
                self.blocks.push(Block { kind: Kind::Fence, start, end });
                (open.fence, open.before) = (None, None);
            } else if !line.is_blank() {
                open.before = Some(line);
            }
            return !leaves;
        }
        let Some(end) = open.html else { return false };
        if line.closes_html(end) {
            open.html = None;
        }
        true
    }

    /// Adds a line that opens nothing: a row of a table, prose, an item, a quote, a rule.
    fn add_plain(&mut self, line: Line<'t>, open: &mut Open<'t>) {
        if open.table {
            self.row(line);
        } else if let Some(header) = open.before.filter(|header| line.delimits_table() && header.has_cells())
        {
            open.table = true;
            self.row(header);
            self.row(line);
        }
        open.paragraph = match (open.paragraph, open.before) {
            _ if open.table => None,
            (Some(first), _) if line.is_prose() || line.is_indented() => Some(first),
            (None, None) if line.is_prose() => Some(line),
            _ => None,
        };
        let code = line.is_indented() && open.paragraph.is_none() && open.list.is_none();
        open.before = Some(line).filter(|line| !code && !line.is_rule());
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

/// Where the text after a block of metadata starts: lines between `---` and `---` (YAML) or `+++` and `+++` (TOML), at
/// the very start. After a blank line, a first `---` is a rule.
fn front_matter(text: &str) -> usize {
    let mut lines = lines(text).map(|line| (line.text.trim_end(), line.start + line.text.len())).peekable();
    let Some((mark @ ("---" | "+++"), _)) = lines.next() else { return 0 };
    if lines.peek().is_some_and(|(second, _)| second.is_empty()) {
        return 0;
    }
    let ends = |line: &str| line == mark || (mark == "---" && line == "...");
    lines.find(|(line, _)| ends(line)).map_or(0, |(_, end)| end)
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
        let titles = self.stack.iter().map(|heading| heading.title).filter(|title| !title.is_empty());
        // A title may stand on several lines.
        let titles: Vec<String> =
            titles.map(|title| title.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
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
        assert_eq!(blocks("> ```\nb"), [(Kind::Fence, "> ```")], "left at once");
        for text in ["- ```\n  code\n\nb", "1. a\n\n   ```\n   code\n\n\nb"] {
            let [(Kind::Fence, code)] = blocks(text)[..] else { panic!("{text:?}") };
            let block = Outline::of(text).blocks[0];
            assert!(
                code.ends_with("code") && block.end - block.start == code.len(),
                "no blank line is of it"
            );
        }
    }

    #[test]
    fn rows_of_tables_and_nothing_else_with_bars() {
        let text = "a | b\n--|--\n1 | 2\nx\n\nc | d\n";
        assert_eq!(
            blocks(text),
            [(Kind::Row, "a | b"), (Kind::Row, "--|--"), (Kind::Row, "1 | 2"), (Kind::Row, "x")]
        );
        for text in [
            "a | b\nc | d\n",
            "a | b\n|||\n",
            "a | b\n-:-\n",
            "a\n|--|\n",
            "a | b\n\n|--|\n",
            "a | b\n| x |\n",
        ] {
            assert!(blocks(text).is_empty(), "{text:?}");
        }
        assert_eq!(blocks("> a | b\n> :-|-:\n\nx | y\n").len(), 2);
        assert!(blocks("text\n---\n").iter().all(|(kind, _)| *kind == Kind::Heading));
    }

    #[test]
    fn headings_of_both_kinds() {
        let text = "---\ntitle: x\n# no\n---\n\nTop\n===\r\n\r\nText\n\nSub\n---\n### C\nTwo lines\nof text\n---\n\n- item\n---\n";
        assert_eq!(titles(text), [(1, "Top"), (2, "Sub"), (3, "C"), (2, "Two lines\nof text")]);
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
