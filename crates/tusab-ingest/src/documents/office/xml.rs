//! The XML inside Office documents: without declared entities, and no deeper than the limit.

use std::borrow::Cow;

use quick_xml::events::{BytesEnd, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::archive::damaged;
use crate::documents::{DocumentLimits, Limit};
use crate::{Error, Format};

/// One step through a part. Names come without their prefix: `w:p` is `p`.
#[derive(Debug)]
pub(super) enum Node<'x> {
    Open(Element<'x>),
    Close(End<'x>),
    Text(Cow<'x, str>),
}

/// An element's start.
#[derive(Debug)]
pub(super) struct Element<'x>(BytesStart<'x>);

impl Element<'_> {
    pub(super) fn name(&self) -> &str {
        local(self.0.name().into_inner())
    }

    /// The value of an attribute, by its name without prefix.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        self.find(|key| local(key) == name)
    }

    /// The value of an attribute, by its name without prefix, where it has one: `r:id` and not `id`.
    pub(super) fn get_prefixed(&self, name: &str) -> Option<String> {
        self.find(|key| key.contains(':') && local(key) == name)
    }

    fn find(&self, is_named: impl Fn(&str) -> bool) -> Option<String> {
        let mut attributes = self.0.attributes();
        attributes
            .with_checks(false)
            .flatten()
            .find(|attribute| is_named(attribute.key.into_inner()))
            .and_then(|attribute| attribute.normalized_value(XmlVersion::Explicit1_0).ok())
            .map(Cow::into_owned)
    }

    /// The attribute `val`, in which most settings are kept.
    pub(super) fn val(&self) -> Option<String> {
        self.get("val")
    }

    /// Whether a setting that is either on or off is on: it is, unless it says otherwise.
    pub(super) fn is_on(&self) -> bool {
        !matches!(self.val().as_deref(), Some("0" | "false" | "off" | "none"))
    }
}

/// An element's end.
#[derive(Debug)]
pub(super) struct End<'x>(BytesEnd<'x>);

impl End<'_> {
    pub(super) fn name(&self) -> &str {
        local(self.0.name().into_inner())
    }
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// A part, read from start to end.
pub(super) struct Xml<'x> {
    reader: Reader<&'x [u8]>,
    format: Format,
    part: &'x str,
    depth: u32,
    deepest: u32,
}

impl<'x> Xml<'x> {
    pub(super) fn new(text: &'x str, format: Format, part: &'x str, limits: &DocumentLimits) -> Self {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        Self { reader, format, part, depth: 0, deepest: limits.nesting }
    }

    /// The next step; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<Node<'x>>, Error> {
        loop {
            let event = self.reader.read_event().map_err(|error| self.damaged(error))?;
            return Ok(Some(match event {
                Event::Start(start) => {
                    self.depth += 1;
                    if self.depth > self.deepest {
                        return Err(Error::TooLarge { limit: Limit::Nesting(self.deepest) });
                    }
                    Node::Open(Element(start))
                }
                Event::End(end) => {
                    self.depth = self.depth.saturating_sub(1);
                    Node::Close(End(end))
                }
                Event::Text(text) => Node::Text(text.xml10_content()),
                Event::CData(text) => Node::Text(text.xml10_content()),
                Event::GeneralRef(reference) => Node::Text(Cow::Owned(self.resolve(&reference)?)),
                Event::DocType(_) => {
                    return Err(Error::DeclaredEntities { format: self.format, part: self.part.to_owned() });
                }
                Event::Eof if self.depth > 0 => return Err(self.damaged("the part ends inside an element")),
                Event::Eof => return Ok(None),
                Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => continue,
            }));
        }
    }

    /// What a reference such as `&amp;` or `&#233;` stands for. Others need a declaration, which is refused.
    fn resolve(&self, reference: &quick_xml::events::BytesRef<'_>) -> Result<String, Error> {
        if let Some(char) = reference.resolve_char_ref().map_err(|error| self.damaged(error))? {
            return Ok(char.to_string());
        }
        let text = match reference.xml10_content().as_ref() {
            "amp" => "&",
            "lt" => "<",
            "gt" => ">",
            "quot" => "\"",
            "apos" => "'",
            _ => return Err(Error::DeclaredEntities { format: self.format, part: self.part.to_owned() }),
        };
        Ok(text.to_owned())
    }

    /// The depth outside of the element that was opened last, for [`Xml::next_inside`].
    pub(super) fn outside(&self) -> u32 {
        self.depth.saturating_sub(1)
    }

    /// The next step inside an element; none once it has ended.
    pub(super) fn next_inside(&mut self, outside: u32) -> Result<Option<Node<'x>>, Error> {
        if self.depth <= outside {
            return Ok(None);
        }
        let node = self.next()?;
        // The end of the element itself is not inside it.
        Ok(node.filter(|_| self.depth > outside))
    }

    /// Passes over the rest of the element that was opened last.
    pub(super) fn skip(&mut self) -> Result<(), Error> {
        let outside = self.outside();
        while self.next_inside(outside)?.is_some() {}
        Ok(())
    }

    /// All text inside the element that was opened last.
    pub(super) fn inner_text(&mut self) -> Result<String, Error> {
        let outside = self.outside();
        let mut text = String::new();
        while let Some(node) = self.next_inside(outside)? {
            if let Node::Text(part) = node {
                text.push_str(&part);
            }
        }
        Ok(text)
    }

    fn damaged(&self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        damaged(self.format, self.part, source)
    }
}
