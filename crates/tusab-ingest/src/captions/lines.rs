use std::borrow::Cow;

/// A text with `\n` alone for line breaks and no NUL, as WebVTT asks for; borrowed when it is so already.
///
/// Lines keep their numbers.
pub(crate) fn normalise(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    if text.contains('\r') {
        text = Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"));
    }
    if text.contains('\0') {
        text = Cow::Owned(text.replace('\0', "\u{FFFD}"));
    }
    text
}

/// A line without its break.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'t> {
    pub(crate) text: &'t str,
    /// Counted from 1.
    pub(crate) number: u32,
    /// Where it starts and ends in the whole text, in bytes.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The lines of a text, with a look at the next two.
#[derive(Debug)]
pub(crate) struct Lines<'t> {
    text: &'t str,
    next: Option<Line<'t>>,
    after: Option<Line<'t>>,
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let mut lines = Self { text, next: None, after: None };
        lines.next = lines.line_at(0, 1);
        lines.after = lines.following();
        lines
    }

    pub(crate) fn peek(&self) -> Option<Line<'t>> {
        self.next
    }

    pub(crate) fn peek_second(&self) -> Option<Line<'t>> {
        self.after
    }

    /// The next line, if it is as asked.
    pub(crate) fn next_if(&mut self, test: impl Fn(&str) -> bool) -> Option<Line<'t>> {
        if test(self.next?.text) { self.next() } else { None }
    }

    /// Whether the text ends at the end of this line, without a line break.
    pub(crate) fn ends_at(&self, line: Line<'_>) -> bool {
        line.end == self.text.len()
    }

    /// The piece of the text between two places.
    pub(crate) fn between(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }

    fn following(&self) -> Option<Line<'t>> {
        self.next.and_then(|line| self.line_at(line.end + 1, line.number.saturating_add(1)))
    }

    fn line_at(&self, start: usize, number: u32) -> Option<Line<'t>> {
        let rest = self.text.get(start..).filter(|rest| !rest.is_empty())?;
        let text = rest.split('\n').next()?;
        Some(Line { text, number, start, end: start + text.len() })
    }
}

impl<'t> Iterator for Lines<'t> {
    type Item = Line<'t>;

    fn next(&mut self) -> Option<Line<'t>> {
        let line = self.next?;
        self.next = self.after;
        self.after = self.following();
        Some(line)
    }
}
