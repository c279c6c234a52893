//! What is read from top to bottom, whatever it is written as.

/// A text with headings and tables.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Paper {
    pub(super) title: String,
    pub(super) blocks: Vec<Block>,
}

/// A piece of a paper.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// A heading; level 1 stands below the title.
    Heading(u8, String),
    Paragraph(Vec<Span>),
    Table(Table),
}

/// Rows below a head, each with as many cells.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) head: Vec<String>,
    /// How wide the columns are, as shares of each other.
    pub(super) widths: Vec<u16>,
    pub(super) rows: Vec<Vec<Span>>,
}

/// Text in one look.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) text: String,
    pub(super) is_bold: bool,
    pub(super) link: Option<String>,
}

impl Span {
    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self { text: visible(&text.into()), ..Self::default() }
    }

    pub(super) fn bold(text: impl Into<String>) -> Self {
        Self { is_bold: true, ..Self::plain(text) }
    }

    /// Text that leads somewhere, if that is a web address; any other is shown only.
    pub(super) fn link(text: impl Into<String>, to: Option<&str>) -> Self {
        Self { link: to.filter(|to| is_web(to)).map(str::to_owned), ..Self::plain(text) }
    }
}

impl Paper {
    pub(super) fn new(title: impl Into<String>) -> Self {
        Self { title: visible(&title.into()).trim().to_owned(), blocks: Vec::new() }
    }

    pub(super) fn heading(&mut self, level: u8, text: &str) {
        let text = visible(text).split_whitespace().collect::<Vec<_>>().join(" ");
        self.blocks.push(Block::Heading(level, text));
    }

    pub(super) fn paragraph(&mut self, spans: Vec<Span>) {
        self.blocks.push(Block::Paragraph(spans));
    }

    /// Text with a paragraph a line; empty lines go.
    pub(super) fn text(&mut self, text: &str) {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        self.blocks.extend(lines.map(|line| Block::Paragraph(vec![Span::plain(line)])));
    }
}

/// Without what XML cannot hold and people cannot see; line ends and tabs stay.
pub(super) fn visible(text: &str) -> String {
    let is_seen = |c: &char| match c {
        '\n' | '\t' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        c => !c.is_control(),
    };
    text.chars().filter(is_seen).collect()
}

/// Other addresses, such as those of scripts, are never made into links.
pub(crate) fn is_web(address: &str) -> bool {
    let lower = address.trim_start().to_ascii_lowercase();
    (lower.starts_with("https://") || lower.starts_with("http://")) && !address.contains(char::is_whitespace)
}
