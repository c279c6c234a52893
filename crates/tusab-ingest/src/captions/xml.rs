//! As much of XML as captions use: tags, attributes, text. Entities that a file defines itself are not known here, so
//! none can grow; nothing outside the text is ever opened.

use std::borrow::Cow;

use super::entities::{Referent, reference};

/// A piece of an XML text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    /// `<p t="1">`, or `<p/>`, of which the end follows as if it were written.
    Start(Tag<'t>),
    /// `</p>`
    End(&'t str),
    /// Text between tags.
    Text(Cow<'t, str>),
    /// A tag or comment that the text ends within.
    Cut,
}

/// An opening tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tag<'t> {
    /// The name without its prefix: `p` of `tt:p`.
    pub(crate) name: &'t str,
    attributes: &'t str,
}

impl<'t> Tag<'t> {
    /// The value of an attribute, as it stands.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'t str> {
        let mut rest = self.attributes;
        loop {
            let (found, after) = rest.split_once('=')?;
            let after = after.trim_start();
            let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            let (value, after) = after.get(1..)?.split_once(quote)?;
            if found.trim() == name {
                return Some(value);
            }
            rest = after;
        }
    }
}

/// The tokens of an XML text.
#[derive(Debug)]
pub(crate) struct Tokens<'t> {
    text: &'t str,
    at: usize,
    /// The end of a tag that was written as `<p/>`.
    pending: Option<&'t str>,
}

impl<'t> Tokens<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, at: 0, pending: None }
    }

    /// Where the next token starts, in bytes.
    pub(crate) fn place(&self) -> usize {
        self.at
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// What stands between `open`, at which the rest starts, and `close`; the end of the text cuts it.
    fn between(&mut self, open: &str, close: &str) -> Option<&'t str> {
        let inside = self.rest().get(open.len()..)?;
        let Some((inside, after)) = inside.split_once(close) else {
            self.at = self.text.len();
            return None;
        };
        self.at = self.text.len() - after.len();
        Some(inside)
    }

    fn tag(&mut self) -> Token<'t> {
        let rest = self.rest();
        let mut quote = None;
        let end = rest.bytes().position(|byte| match (quote, byte) {
            (Some(open), _) if byte == open => {
                quote = None;
                false
            }
            (None, b'"' | b'\'') => {
                quote = Some(byte);
                false
            }
            (None, b'>') => true,
            _ => false,
        });
        let Some(content) = end.and_then(|end| rest.get(1..end)) else {
            self.at = self.text.len();
            return Token::Cut;
        };
        self.at += content.len() + "<>".len();
        if let Some(name) = content.strip_prefix('/') {
            return Token::End(local(name.trim()));
        }
        let (content, is_empty) = match content.strip_suffix('/') {
            Some(content) => (content, true),
            None => (content, false),
        };
        let (name, attributes) = content.split_once(char::is_whitespace).unwrap_or((content, ""));
        let name = local(name);
        self.pending = is_empty.then_some(name);
        Token::Start(Tag { name, attributes })
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        if let Some(name) = self.pending.take() {
            return Some(Token::End(name));
        }
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                return None;
            }
            if !rest.starts_with('<') {
                let text = rest.split('<').next().unwrap_or_default();
                self.at += text.len();
                return Some(Token::Text(decoded(text)));
            }
            let skipped = if rest.starts_with("<![CDATA[") {
                return Some(
                    self.between("<![CDATA[", "]]>").map_or(Token::Cut, |text| Token::Text(text.into())),
                );
            } else if rest.starts_with("<!--") {
                self.between("<!--", "-->")
            } else if rest.starts_with("<?") {
                self.between("<?", "?>")
            } else if rest.starts_with("<!") {
                let has_subset = rest.split('>').next().is_some_and(|head| head.contains('['));
                self.between("<!", if has_subset { "]>" } else { ">" })
            } else {
                return Some(self.tag());
            };
            if skipped.is_none() {
                return Some(Token::Cut);
            }
        }
    }
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// A text with its character references replaced.
fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, special) = rest.split_at_checked(at).unwrap_or((rest, ""));
        plain.push_str(before);
        // XML asks for the semicolon.
        let found = reference(special)
            .filter(|(_, len)| special.as_bytes().get(len.saturating_sub(1)) == Some(&b';'));
        let len = match found {
            Some((Referent::Named(said), len)) => {
                plain.push_str(said);
                len
            }
            Some((Referent::Number(char), len)) => {
                plain.push(char);
                len
            }
            None => {
                plain.push('&');
                1
            }
        };
        rest = special.get(len..).unwrap_or_default();
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_text_and_what_is_skipped() {
        let xml = "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a \"<b>\">]><a:x one=\"1 > 0\" two = 'b'>t&amp;&#233;&a;\
                   <!-- <no> --><y/><![CDATA[<&amp;]]></a:x>";
        let tokens: Vec<_> = Tokens::new(xml).collect();
        let Some(Token::Start(tag)) = tokens.first() else { panic!("{tokens:?}") };
        assert_eq!((tag.name, tag.attribute("one"), tag.attribute("two")), ("x", Some("1 > 0"), Some("b")));
        assert_eq!(tag.attribute("three"), None);
        assert_eq!(tokens[1], Token::Text("t&é&a;".into()));
        assert!(matches!(tokens[2], Token::Start(Tag { name: "y", .. })));
        assert_eq!(tokens[3..], [Token::End("y"), Token::Text("<&amp;".into()), Token::End("x")]);
    }

    #[test]
    fn a_cut_text_ends_with_a_cut() {
        for (xml, count) in [("<a>b<c d=\"", 3), ("<!-- a", 1), ("<![CDATA[a", 1), ("<", 1), ("<a b='>'", 1)]
        {
            let tokens: Vec<_> = Tokens::new(xml).collect();
            assert_eq!((tokens.len(), tokens.last()), (count, Some(&Token::Cut)), "{xml}");
        }
    }
}
