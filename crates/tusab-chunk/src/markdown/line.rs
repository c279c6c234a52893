//! What one line of Markdown can be.

use crate::text::grapheme;

/// A line of a text, without its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'t> {
    /// The whole line.
    pub(super) text: &'t str,
    /// The byte at which it starts.
    pub(super) start: usize,
}

/// The lines of `text`, which end in LF, CR LF or CR; a byte order mark before the first is part of none.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let start = text.len() - rest.len();
        let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let (line, after) = rest.split_at_checked(end)?;
        rest = after.strip_prefix("\r\n").or_else(|| after.get(1..)).unwrap_or_default();
        Some(Line { text: line, start })
    })
}

/// The marks that open a fenced block of code.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fence {
    mark: char,
    count: usize,
    /// The column of the first mark.
    column: usize,
    /// The column from which on a line is still in the list's item that the block is in; 0 outside of lists.
    item: usize,
    quoted: bool,
}

/// What a line holds within quotes and lists.
#[derive(Debug, Clone, Copy)]
struct Inside<'t> {
    text: &'t str,
    /// The column at which it starts.
    column: usize,
    quoted: bool,
    /// True after the bullet or number of an item.
    item: bool,
}

/// What a quoted line starts with.
const QUOTE: [char; 3] = [' ', '\t', '>'];

/// From so many columns on, what is indented is code, or part of the item of a list before.
const CODE_INDENT: usize = 4;

/// The column after `text`, which starts at `column`; a tab reaches to the next multiple of four.
fn advance(column: usize, text: &str) -> usize {
    text.chars().fold(column, |column, c| if c == '\t' { (column / 4 + 1) * 4 } else { column + 1 })
}

/// The `marks` that `text` starts with, and the rest.
fn split_start<'t>(text: &'t str, marks: &[char]) -> (&'t str, &'t str) {
    let rest = text.trim_start_matches(marks);
    text.split_at_checked(text.len() - rest.len()).unwrap_or(("", text))
}

/// What follows the bullet or number of the list item that `text` starts with.
fn after_marker(text: &str) -> Option<&str> {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = match text.len() - digits.len() {
        0 => text.strip_prefix(['-', '*', '+']),
        1..=9 => digits.strip_prefix(['.', ')']),
        _ => None,
    }?;
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then_some(rest)
}

impl<'t> Line<'t> {
    /// Where its first cluster that is more than white space stands, in bytes of the text: a space may carry a combining
    /// mark.
    pub(super) fn content_start(self) -> usize {
        self.start + grapheme::floor(self.text, 0, self.text.len() - self.text.trim_start().len())
    }

    /// The end of its last such cluster.
    pub(super) fn content_end(self) -> usize {
        self.start + grapheme::ceil(self.text, 0, self.text.trim_end().len())
    }

    pub(super) fn is_blank(self) -> bool {
        self.text.trim().is_empty()
    }

    fn is_quoted(self) -> bool {
        self.text.trim_start().starts_with('>')
    }

    /// The columns by which it is indented, and what follows.
    fn indented(self) -> (usize, &'t str) {
        let (space, content) = split_start(self.text, &[' ', '\t']);
        (advance(0, space), content)
    }

    /// True when nothing but a list's item or a paragraph before makes it other than code.
    pub(super) fn is_indented(self) -> bool {
        self.indented().0 >= CODE_INDENT
    }

    /// True when it may be of a list's item, its first line or a later one, after a blank line too.
    pub(super) fn is_of_item(self) -> bool {
        self.indented().0 >= 2
    }

    /// The line without the indentation that a heading may have: `None` for code.
    fn outdented(self) -> Option<&'t str> {
        let (indent, content) = self.indented();
        (indent < CODE_INDENT).then_some(content)
    }

    /// What it holds within quotes and lists; `None` for code, which in a list cannot be told from what is in an item.
    fn inside(self, in_list: bool) -> Option<Inside<'t>> {
        let mut inside = Inside { text: self.text, column: 0, quoted: false, item: false };
        loop {
            let (space, text) = split_start(inside.text, &[' ', '\t']);
            let column = advance(inside.column, space);
            if !(in_list || inside.item) && column - inside.column >= CODE_INDENT {
                return None;
            }
            inside = Inside { text, column, ..inside };
            let rest = if let Some(rest) = text.strip_prefix('>') {
                inside.quoted = true;
                rest
            } else if let Some(rest) = after_marker(text) {
                inside.item = true;
                rest
            } else {
                return Some(inside);
            };
            // Marks of quotes and items are a byte and a column each.
            inside.column += text.len() - rest.len();
            inside.text = rest;
        }
    }

    /// The column at which what is in an item starts, when it starts one; `list` is that of the item before.
    pub(super) fn item(self, list: Option<usize>) -> Option<usize> {
        self.inside(list.is_some())
            .filter(|inside| inside.item && !self.is_rule())
            .map(|inside| inside.column)
    }

    /// The fence that it opens, at any depth of quotes and lists; `list` is the column of the item that it may be in.
    pub(super) fn opens_fence(self, list: Option<usize>) -> Option<Fence> {
        let Inside { text, column, quoted, item } = self.inside(list.is_some())?;
        let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = text.trim_start_matches(mark);
        let count = text.len() - info.len();
        if count < 3 || (mark == '`' && info.contains('`')) {
            return None;
        }
        // A quote's mark stands where the indentation would.
        let item = if item { Some(column) } else { list.filter(|list| *list <= column) }.filter(|_| !quoted);
        Some(Fence { mark, count, column, item: item.unwrap_or(0), quoted })
    }

    /// True when it closes `fence`.
    pub(super) fn closes(self, fence: Fence) -> bool {
        let marks: &[char] = if fence.quoted { &QUOTE } else { &[' ', '\t'] };
        let (before, text) = split_start(self.text, marks);
        let column = advance(0, before);
        // A fence that is indented like code is in an item that is not known.
        let base = if fence.item > 0 || fence.column < CODE_INDENT { fence.item } else { fence.column };
        let marks = text.trim_end();
        column < base + CODE_INDENT && marks.len() >= fence.count && marks.chars().all(|c| c == fence.mark)
    }

    /// True when it stands outside the quote or the item that `fence` was opened in, which ends the block too.
    pub(super) fn leaves(self, fence: Fence) -> bool {
        (fence.quoted && !self.is_quoted()) || (self.indented().0 < fence.item && !self.is_blank())
    }

    /// Level and title of the heading that it is, as `## Title`.
    pub(super) fn heading(self) -> Option<(u8, &'t str)> {
        let text = self.outdented()?;
        let title = text.trim_start_matches('#');
        let level = u8::try_from(text.len() - title.len()).ok().filter(|level| (1..=6).contains(level))?;
        if !(title.is_empty() || title.starts_with([' ', '\t'])) {
            return None;
        }
        let title = title.trim();
        // Closing marks count as such only after a space.
        let stripped = title.trim_end_matches('#');
        let closed = stripped.is_empty() || stripped.ends_with([' ', '\t']);
        Some((level, if closed { stripped.trim_end() } else { title }))
    }

    /// The level of the heading that it makes of the line before: `===` or `---`.
    pub(super) fn underlines(self) -> Option<u8> {
        let text = self.outdented()?.trim_end();
        let all = |mark: char| !text.is_empty() && text.chars().all(|c| c == mark);
        if all('=') { Some(1) } else { all('-').then_some(2) }
    }

    /// True for the line under a table's header: `|---|:--:|`.
    pub(super) fn delimits_table(self) -> bool {
        let text = self.text.trim_start_matches(QUOTE).trim();
        text.contains('|')
            && text.contains('-')
            && text.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
    }

    pub(super) fn has_cells(self) -> bool {
        self.text.contains('|')
    }

    /// True for a line across the page: `***`, `- - -`.
    pub(super) fn is_rule(self) -> bool {
        let mut marks = self.text.chars().filter(|c| !matches!(c, ' ' | '\t'));
        let first = marks.next().filter(|c| matches!(c, '*' | '-' | '_'));
        let mut count = 1;
        let same = marks.all(|c| {
            count += 1;
            Some(c) == first
        });
        same && count >= 3 && first.is_some()
    }

    /// True when it may be a whole paragraph: no item, quote, heading or rule.
    pub(super) fn is_prose(self) -> bool {
        let Some(text) = self.outdented() else { return false };
        !(self.is_blank()
            || self.is_rule()
            || after_marker(text).is_some()
            || text.starts_with('>')
            || self.heading().is_some())
    }

    /// What ends the HTML that it opens and in which nothing is Markdown, blank lines included: a comment, or text
    /// shown as it is. Other elements are not told from prose.
    pub(super) fn opens_html(self) -> Option<&'static str> {
        /// The elements of CommonMark's first kind of HTML block.
        const VERBATIM: [(&str, &str); 4] = [
            ("<pre", "</pre>"),
            ("<script", "</script>"),
            ("<style", "</style>"),
            ("<textarea", "</textarea>"),
        ];
        let text = self.outdented()?;
        let end = if text.starts_with("<!--") {
            "-->"
        } else {
            let opens = |name: &str| {
                let start = text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
                let after = text.get(name.len()..).unwrap_or_default();
                start && (after.is_empty() || after.starts_with([' ', '\t', '>']))
            };
            VERBATIM.iter().find(|(name, _)| opens(name)).map(|(_, end)| *end)?
        };
        (!self.closes_html(end)).then_some(end)
    }

    /// True when it has the `end` of HTML in it, in any case.
    pub(super) fn closes_html(self, end: &str) -> bool {
        self.text.as_bytes().windows(end.len()).any(|part| part.eq_ignore_ascii_case(end.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line<'_> {
        Line { text, start: 0 }
    }

    #[test]
    fn lines_of_every_ending() {
        let found: Vec<(&str, usize)> = lines("a\r\n\rb\n\nc").map(|line| (line.text, line.start)).collect();
        assert_eq!(found, [("a", 0), ("", 3), ("b", 4), ("", 6), ("c", 7)]);
        assert_eq!(lines("a\n").count(), 1);
        assert_eq!(lines("").count(), 0);
    }

    #[test]
    fn headings_as_commonmark_has_them() {
        for (text, found) in [
            ("# A", Some((1, "A"))),
            ("   ###### A b ##", Some((6, "A b"))),
            ("## C#", Some((2, "C#"))),
            ("##", Some((2, ""))),
            ("## ##", Some((2, ""))),
            ("#\tA", Some((1, "A"))),
            ("#hashtag", None),
            ("####### seven", None),
            ("    # code", None),
            ("> # quoted", None),
        ] {
            assert_eq!(line(text).heading(), found, "{text:?}");
        }
    }

    #[test]
    fn fences_open_and_close_as_commonmark_has_them() {
        for text in ["```", "~~~~ rust", "   ```rust ignore", "> ```", "- ```", "12. > - ```", "~~~ a`b"] {
            assert!(line(text).opens_fence(None).is_some(), "{text:?}");
        }
        for text in
            ["``", "``` a`b", "`code`", "text ```", "", "    ```", " \t```", "-```", "1234567890. ```"]
        {
            assert!(line(text).opens_fence(None).is_none(), "{text:?}");
        }
        assert!(line("     ```").opens_fence(Some(2)).is_some(), "part of an item");
        let fence = line("````").opens_fence(None).unwrap();
        assert!(line("````").closes(fence) && line("  ``````  ").closes(fence));
        assert!(!line("```").closes(fence) && !line("~~~~").closes(fence) && !line("```` x").closes(fence));
        assert!(
            line("   ````").closes(fence) && !line("    ````").closes(fence) && !line("> ````").closes(fence)
        );
        assert!(!line("    ```").closes(line("  ```").opens_fence(None).unwrap()));
        let deep = line("      ```").opens_fence(Some(8)).unwrap();
        assert!(line("         ```").closes(deep) && !line("          ```").closes(deep));
        let item = line("1. ~~~").opens_fence(None).unwrap();
        assert!(
            line("   ~~~").closes(item) && line("\t~~~").closes(item) && !line("       ~~~").closes(item)
        );
        assert!(line("  ~~~").leaves(item) && !line("   x").leaves(item) && !line("  ").leaves(item));
        let inner = line("   ~~~").opens_fence(Some(3)).unwrap();
        assert!(line("x").leaves(inner) && !line("   x").leaves(inner));
        let outer = line("  ~~~").opens_fence(Some(3)).unwrap();
        assert!(!line("x").leaves(outer), "the column of an outer item is not known");
        let quoted = line("> ```").opens_fence(None).unwrap();
        assert!(line("> ```").closes(quoted) && line("```").closes(quoted));
        assert!(line("text").leaves(quoted) && !line("> text").leaves(quoted));
    }

    #[test]
    fn paragraphs_items_and_rules_are_told_apart() {
        for text in
            ["texto", "   texto", "-texto", "1.texto", "1234567890. x", "**", "*_*", "#x", "===", "--"]
        {
            assert!(line(text).is_prose() && line(text).item(None).is_none(), "{text:?}");
        }
        for (text, column) in [
            ("- x", 2),
            ("*\tx", 4),
            ("+", 1),
            ("7) x", 3),
            ("123456789.  x", 12),
            ("> - x", 4),
            (" - 1. x", 6),
        ] {
            assert_eq!((line(text).item(None), line(text).is_prose()), (Some(column), false), "{text:?}");
        }
        assert_eq!((line("     - x").item(None), line("     - x").item(Some(2))), (None, Some(7)));
        for text in ["***", "---", "_ _ _", " - - - -", "# x", "> x", "    code", "\tcode", "", " "] {
            assert!(line(text).item(None).is_none() && !line(text).is_prose(), "{text:?}");
        }
        assert!(line("---").is_rule() && line("* * *").is_rule());
        assert!(
            !line("--").is_rule() && !line("--*").is_rule() && !line("aaa").is_rule() && !line("").is_rule()
        );
        assert!(line("   \tx").is_indented() && line("    x").is_indented() && !line("   x").is_indented());
        assert!(line("  x").is_of_item() && !line(" x").is_of_item());
    }

    #[test]
    fn html_in_which_nothing_is_markdown() {
        for (text, end) in [
            ("<!-- a", "-->"),
            ("  <pre>", "</pre>"),
            ("<PRE class=x", "</pre>"),
            ("<script", "</script>"),
            ("<style\tx", "</style>"),
            ("<textarea>", "</textarea>"),
        ] {
            assert_eq!(line(text).opens_html(), Some(end), "{text:?}");
        }
        for text in ["<!-- a -->", "<pre>x</Pre>", "<prefix>", "<p>", "    <pre>", "x <pre>", "<é", ""] {
            assert_eq!(line(text).opens_html(), None, "{text:?}");
        }
        assert!(line("x</PRE >y</Pre>").closes_html("</pre>") && !line("</pr").closes_html("</pre>"));
    }
}
