//! What one line of Markdown can be.

/// A line of a text, without its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'t> {
    /// The whole line.
    pub(super) text: &'t str,
    /// The byte at which it starts.
    pub(super) start: usize,
}

/// The lines of `text`, which end in LF, CR LF or CR.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut rest = text;
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
    quoted: bool,
}

impl<'t> Line<'t> {
    /// Where its first character other than white space stands, in bytes of the text.
    pub(super) fn content_start(self) -> usize {
        self.start + (self.text.len() - self.text.trim_start().len())
    }

    /// The end of its last character other than white space.
    pub(super) fn content_end(self) -> usize {
        self.start + self.text.trim_end().len()
    }

    pub(super) fn is_blank(self) -> bool {
        self.text.trim().is_empty()
    }

    /// The line without indentation and quote marks.
    fn unquoted(self) -> &'t str {
        self.text.trim_start_matches([' ', '\t', '>'])
    }

    fn is_quoted(self) -> bool {
        self.text.trim_start().starts_with('>')
    }

    /// The line without the indentation that a heading may have: `None` for code indented by four.
    fn outdented(self) -> Option<&'t str> {
        let text = self.text.trim_start_matches(' ');
        (self.text.len() - text.len() < 4).then_some(text)
    }

    /// The fence that it opens: at any depth of quotes and lists.
    pub(super) fn opens_fence(self) -> Option<Fence> {
        let text = self.unquoted();
        let text = text.strip_prefix(['-', '*', '+']).map_or(text, str::trim_start);
        let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = text.trim_start_matches(mark);
        let count = text.len() - info.len();
        (count >= 3 && !(mark == '`' && info.contains('`'))).then(|| Fence {
            mark,
            count,
            quoted: self.is_quoted(),
        })
    }

    /// True when it closes `fence`.
    pub(super) fn closes(self, fence: Fence) -> bool {
        let text = self.unquoted().trim_end();
        text.len() >= fence.count && text.chars().all(|c| c == fence.mark)
    }

    /// True when it stands outside the quote that `fence` was opened in, which ends the block too.
    pub(super) fn leaves(self, fence: Fence) -> bool {
        fence.quoted && !self.is_quoted()
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
        let text = self.unquoted().trim();
        text.contains('|')
            && text.contains('-')
            && text.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
    }

    pub(super) fn has_cells(self) -> bool {
        self.text.contains('|')
    }

    /// True when it may be a whole paragraph: no item, quote, heading or rule.
    pub(super) fn is_prose(self) -> bool {
        let Some(text) = self.outdented() else { return false };
        let item = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t']);
        let bullet = text.strip_prefix(['-', '*', '+']).is_some_and(item);
        let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let numbered = digits.len() < text.len() && digits.strip_prefix(['.', ')']).is_some_and(item);
        !(self.is_blank()
            || bullet
            || numbered
            || text.starts_with('>')
            || self.heading().is_some()
            || self.underlines().is_some())
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
        for text in ["```", "~~~~ rust", "  ```rust ignore", "> ```", "- ```", "~~~ a`b"] {
            assert!(line(text).opens_fence().is_some(), "{text:?}");
        }
        for text in ["``", "``` a`b", "`code`", "text ```", ""] {
            assert!(line(text).opens_fence().is_none(), "{text:?}");
        }
        let fence = line("````").opens_fence().unwrap();
        assert!(line("````").closes(fence) && line("  ``````  ").closes(fence));
        assert!(!line("```").closes(fence) && !line("~~~~").closes(fence) && !line("```` x").closes(fence));
        let quoted = line("> ```").opens_fence().unwrap();
        assert!(line("text").leaves(quoted) && !line("> text").leaves(quoted));
    }
}
