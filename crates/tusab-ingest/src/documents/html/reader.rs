use std::cell::RefCell;

use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};

use super::blocks::{Blocks, Spot};
use super::element::{Role, aria_role, is_container, is_control, is_menu, is_not_displayed, is_void, role};
use super::page::{Page, Place};
use crate::Error;
use crate::documents::Limit;
use crate::documents::one_line;

/// Takes the tokens of a page one by one.
pub(super) struct Reader(RefCell<State>);

#[derive(Debug, Default)]
struct State {
    blocks: Blocks,
    open: Vec<Open>,
    title: Option<String>,
    nesting: u32,
    too_deep: bool,
}

/// An element that has not ended.
#[derive(Debug)]
struct Open {
    name: String,
    role: Role,
    spot: Spot,
    is_dropped: bool,
}

impl Reader {
    pub(super) fn new(nesting: u32) -> Self {
        Self(RefCell::new(State { nesting, ..State::default() }))
    }

    pub(super) fn finish(self) -> Result<Page, Error> {
        let state = self.0.into_inner();
        if state.too_deep {
            return Err(Error::TooLarge { limit: Limit::Nesting(state.nesting) });
        }
        let spot = state.spot();
        let mut page = state.blocks.finish(spot);
        if let Some(title) = state.title.map(|title| one_line(&title)).filter(|title| !title.is_empty()) {
            page.metadata.title = Some(title);
        }
        Ok(page)
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
    fn spot(&self) -> Spot {
        self.open.last().map(|open| open.spot).unwrap_or_default()
    }

    fn flush(&mut self) {
        let spot = self.spot();
        self.blocks.flush(spot);
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
        self.blocks.push(text);
    }

    fn start(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name: &str = &tag.name;
        self.metadata(name, tag);
        let role = match attribute(tag, "role").and_then(aria_role) {
            Some(role) => role,
            None => role(name),
        };
        let is_hidden = attribute(tag, "hidden").is_some()
            || attribute(tag, "aria-hidden") == Some("true")
            || attribute(tag, "style").is_some_and(is_not_displayed)
            || attribute(tag, "class").is_some_and(is_control);
        if !self.is_dropped() && !is_hidden && role != Role::Dropped {
            let first = attribute(tag, "start").and_then(|start| start.trim().parse().ok()).unwrap_or(1);
            let spot = self.spot();
            self.blocks.begin(role, first, spot);
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
        let outer = self.spot();
        let is_menu = matches!(name, "div" | "ul" | "ol" | "section" | "table")
            && [attribute(tag, "class"), attribute(tag, "id")].into_iter().flatten().any(is_menu);
        // The header of an article is part of it.
        let is_own_header = name == "header" && (outer.place.in_main || outer.place.in_article);
        let place = Place {
            in_main: outer.place.in_main || role == Role::Main,
            in_article: outer.place.in_article || role == Role::Article,
            in_surroundings: outer.place.in_surroundings
                || (role == Role::Surroundings && !is_own_header)
                || is_menu,
        };
        let is_dropped = self.is_dropped() || is_hidden || role == Role::Dropped;
        if place != outer.place {
            self.flush();
        }
        let spot = Spot { place, is_quote: outer.is_quote || role == Role::Quote };
        self.open.push(Open { name: name.to_owned(), role, spot, is_dropped });
    }

    fn is_in(&self, name: &str) -> bool {
        self.open.iter().any(|open| open.name == name)
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
                let spot = self.spot();
                self.blocks.end(open.role, spot);
            }
        } else if !was_dropped && role(name) != Role::Inline {
            self.flush();
        }
    }

    fn metadata(&mut self, name: &str, tag: &Tag) {
        let metadata = &mut self.blocks.page.metadata;
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
