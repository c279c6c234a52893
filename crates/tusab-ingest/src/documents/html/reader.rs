use std::cell::RefCell;

use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};

use super::element::{Role, aria_role, is_container, is_menu, role};
use super::page::{Block, Page, Place, Placed};
use crate::Error;
use crate::documents::Limit;
use crate::documents::one_line;

/// Takes the tokens of a page one by one.
pub(super) struct Reader(RefCell<State>);

#[derive(Debug, Default)]
struct State {
    page: Page,
    open: Vec<Open>,
    /// The text of the block that is being read, and what it will be.
    text: String,
    kind: Kind,
    lists: Vec<List>,
    tables: Vec<Table>,
    title: Option<String>,
    nesting: u32,
    too_deep: bool,
}

/// An element that has not ended.
#[derive(Debug)]
struct Open {
    name: String,
    role: Role,
    place: Place,
    is_dropped: bool,
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

impl Reader {
    pub(super) fn new(nesting: u32) -> Self {
        Self(RefCell::new(State { nesting, ..State::default() }))
    }

    pub(super) fn finish(self) -> Result<Page, Error> {
        let mut state = self.0.into_inner();
        if state.too_deep {
            return Err(Error::TooLarge { limit: Limit::Nesting(state.nesting) });
        }
        state.flush();
        while !state.tables.is_empty() {
            state.end_table();
        }
        if let Some(title) = state.title.map(|title| one_line(&title)).filter(|title| !title.is_empty()) {
            state.page.metadata.title = Some(title);
        }
        Ok(state.page)
    }
}

impl TokenSink for Reader {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        // Never borrowed twice: nothing called from here comes back.
        let Ok(mut state) = self.0.try_borrow_mut() else { return TokenSinkResult::Continue };
        if state.too_deep {
            return TokenSinkResult::Continue;
        }
        match token {
            Token::CharacterTokens(text) => state.push(&text),
            Token::TagToken(tag) => match tag.kind {
                TagKind::StartTag => return state.start(&tag),
                TagKind::EndTag => state.end(&tag.name),
            },
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

fn attribute<'t>(tag: &'t Tag, name: &str) -> Option<&'t str> {
    tag.attrs.iter().find(|attribute| &*attribute.name.local == name).map(|attribute| &*attribute.value)
}

impl State {
    fn place(&self) -> Place {
        self.open.last().map(|open| open.place).unwrap_or_default()
    }

    fn is_dropped(&self) -> bool {
        self.open.last().is_some_and(|open| open.is_dropped)
    }

    fn push(&mut self, text: &str) {
        if let Some(title) = &mut self.title
            && self.open.last().is_some_and(|open| open.name == "title")
        {
            title.push_str(text);
            return;
        }
        if self.is_dropped() {
            return;
        }
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

    fn start(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name: &str = &tag.name;
        self.metadata(name, tag);
        let role = match attribute(tag, "role").and_then(aria_role) {
            Some(role) => role,
            None => role(name),
        };
        let is_hidden = attribute(tag, "hidden").is_some() || attribute(tag, "aria-hidden") == Some("true");
        if !self.is_dropped() && !is_hidden && role != Role::Dropped {
            self.begin(role, tag);
        }
        if !tag.self_closing || !is_void(name) {
            self.open(name, role, is_hidden, tag);
        }
        match name {
            "script" => TokenSinkResult::RawData(RawKind::ScriptData),
            "style" | "xmp" | "iframe" | "noembed" | "noframes" => TokenSinkResult::RawData(RawKind::Rawtext),
            "title" | "textarea" if !self.is_in("svg") => TokenSinkResult::RawData(RawKind::Rcdata),
            _ => TokenSinkResult::Continue,
        }
    }

    /// Keeps an element open, where what it means lasts until its end.
    fn open(&mut self, name: &str, role: Role, is_hidden: bool, tag: &Tag) {
        let is_title = name == "title" && !self.is_in("svg");
        let lasts =
            is_container(name) || is_title || matches!(role, Role::Main | Role::Article | Role::Surroundings);
        // Hidden text ends with its element, which for a paragraph may be the next one.
        if is_void(name) || !(lasts || is_hidden) {
            return;
        }
        if self.open.len() >= usize::try_from(self.nesting).unwrap_or(usize::MAX) {
            self.too_deep = true;
            return;
        }
        if is_title && self.title.is_none() {
            self.title = Some(String::new());
        }
        let outer = self.place();
        let is_menu = matches!(name, "div" | "ul" | "ol" | "section" | "table")
            && [attribute(tag, "class"), attribute(tag, "id")].into_iter().flatten().any(is_menu);
        // The header of an article is part of it.
        let is_own_header = name == "header" && (outer.in_main || outer.in_article);
        let place = Place {
            in_main: outer.in_main || role == Role::Main,
            in_article: outer.in_article || role == Role::Article,
            in_surroundings: outer.in_surroundings
                || (role == Role::Surroundings && !is_own_header)
                || is_menu,
        };
        let is_dropped = self.is_dropped() || is_hidden || role == Role::Dropped;
        if place != outer {
            self.flush();
        }
        self.open.push(Open { name: name.to_owned(), role, place, is_dropped });
    }

    fn is_in(&self, name: &str) -> bool {
        self.open.iter().any(|open| open.name == name)
    }

    /// What the start of an element does to the text before it.
    fn begin(&mut self, role: Role, tag: &Tag) {
        match role {
            Role::Inline | Role::Dropped => {}
            Role::Break => self.break_line(),
            Role::Block | Role::Quote | Role::Main | Role::Article | Role::Surroundings => self.flush(),
            Role::Heading(level) => {
                self.lay_out();
                self.flush();
                self.kind = Kind::Heading(level);
            }
            Role::List { is_numbered } => {
                self.flush();
                let start = attribute(tag, "start").and_then(|start| start.trim().parse().ok()).unwrap_or(1);
                self.lists.push(List { next: is_numbered.then_some(start) });
            }
            Role::Item => {
                self.flush();
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
                self.lay_out();
                self.flush();
                self.tables.push(Table::default());
            }
            Role::Row => {
                self.flush();
                if let Some(table) = self.tables.last_mut() {
                    table.rows.push(Vec::new());
                }
            }
            Role::Cell => {
                self.flush();
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
                self.flush();
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

    fn end(&mut self, name: &str) {
        // A dropped element without its end must not swallow the page: any outer end closes it too.
        let at = self.open.iter().rposition(|open| open.name == name);
        let was_dropped = self.is_dropped();
        if let Some(at) = at {
            if !was_dropped || self.open.get(at).is_some_and(|open| !open.is_dropped) {
                self.flush();
            }
            let closed = self.open.split_off(at);
            for open in closed.iter().rev().filter(|open| !open.is_dropped) {
                match open.role {
                    Role::List { .. } => {
                        self.lists.pop();
                    }
                    Role::Table => self.end_table(),
                    _ => {}
                }
            }
        } else if !was_dropped && role(name) != Role::Inline {
            self.flush();
        }
    }

    /// The table around is no table of values: what its cells held so far becomes paragraphs.
    fn lay_out(&mut self) {
        let place = self.place();
        let Some(table) = self.tables.last_mut() else { return };
        table.is_layout = true;
        let rows = std::mem::take(&mut table.rows);
        let cells = rows.into_iter().flatten().filter(|cell| !cell.trim().is_empty());
        self.page.blocks.extend(cells.map(|cell| Placed { block: Block::Paragraph(cell), place }));
    }

    fn end_table(&mut self) {
        let place = self.place();
        if let Some(table) = self.tables.pop()
            && !table.rows.is_empty()
        {
            self.page.blocks.push(Placed { block: Block::Table(table.rows), place });
        }
    }

    /// Ends the block that is being read.
    fn flush(&mut self) {
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
        let place = self.place();
        let is_quote = self.open.iter().any(|open| open.role == Role::Quote);
        let block = match kind {
            Kind::Heading(level) => {
                self.page.first_heading.get_or_insert_with(|| one_line(&text));
                Block::Heading(level, text)
            }
            Kind::Item { depth, mark } => Block::Item { depth, mark, text },
            Kind::Code => Block::Code(text),
            Kind::Paragraph if is_quote => Block::Quote(text),
            Kind::Paragraph => Block::Paragraph(text),
        };
        self.page.blocks.push(Placed { block, place });
    }

    fn metadata(&mut self, name: &str, tag: &Tag) {
        let metadata = &mut self.page.metadata;
        match name {
            "html" | "body" => {
                if let Some(tag) = attribute(tag, "lang").or_else(|| attribute(tag, "xml:lang")) {
                    metadata.language(tag);
                }
            }
            "meta" => {
                let key = attribute(tag, "name").or_else(|| attribute(tag, "property"));
                if let Some((key, content)) = key.zip(attribute(tag, "content")) {
                    metadata.meta(key, content);
                }
            }
            "link" if attribute(tag, "rel").is_some_and(|rel| rel.eq_ignore_ascii_case("canonical")) => {
                if let Some(address) = attribute(tag, "href") {
                    metadata.canonical(address);
                }
            }
            _ => {}
        }
    }
}

/// Elements that have no content, and so no end.
fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}
