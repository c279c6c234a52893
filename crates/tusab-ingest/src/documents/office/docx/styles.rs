use std::collections::HashMap;

use super::block::Numbered;
use crate::Error;
use crate::documents::office::xml::{Node, Xml};

/// How far styles may be based on each other; a chain that goes on is a circle.
const LONGEST_CHAIN: usize = 32;

/// What the styles of paragraphs say of structure.
#[derive(Debug, Default)]
pub(super) struct Styles {
    styles: HashMap<String, Style>,
}

#[derive(Debug, Default)]
struct Style {
    /// In small letters. Built-in styles keep their English name in every language of the program.
    name: String,
    parent: Option<String>,
    outline: Option<u8>,
    number: Numbered,
}

impl Styles {
    pub(super) fn read(mut xml: Xml<'_>) -> Result<Self, Error> {
        let mut styles = Self::default();
        while let Some(node) = xml.next()? {
            let Node::Open(element) = node else { continue };
            match element.name() {
                "style" => {
                    let id = element.get("styleId").unwrap_or_default();
                    let style = style(&mut xml)?;
                    styles.styles.insert(id, style);
                }
                "latentStyles" => xml.skip()?,
                _ => {}
            }
        }
        Ok(styles)
    }

    fn chain<'s>(&'s self, id: &'s str) -> impl Iterator<Item = (&'s str, &'s Style)> {
        let first = self.styles.get_key_value(id);
        std::iter::successors(first, |(_, style)| self.styles.get_key_value(style.parent.as_ref()?))
            .take(LONGEST_CHAIN)
            .map(|(id, style)| (id.as_str(), style))
    }

    /// The level, from 0, of the heading that a paragraph of a style is; 9 and more are none.
    pub(super) fn outline(&self, id: &str) -> Option<u8> {
        let by_name = |style: &Style| {
            let number = style.name.strip_prefix("heading ")?;
            number.trim().parse::<u8>().ok().filter(|level| (1..=9).contains(level)).map(|level| level - 1)
        };
        let said = self.chain(id).find_map(|(_, style)| style.outline.or_else(|| by_name(style)));
        // A document may use the built-in styles without describing them.
        said.or_else(|| {
            let number = id.to_lowercase().strip_prefix("heading")?.trim().parse::<u8>().ok()?;
            number.checked_sub(1)
        })
    }

    pub(super) fn is_title(&self, id: &str) -> bool {
        match self.styles.get(id) {
            Some(style) => style.name == "title",
            None => id.eq_ignore_ascii_case("title"),
        }
    }

    /// The list that paragraphs of a style are items of, and the id of the style that says so.
    pub(super) fn number<'s>(&'s self, id: &'s str) -> Option<(&'s str, &'s Numbered)> {
        self.chain(id).find(|(_, style)| style.number.list.is_some()).map(|(id, style)| (id, &style.number))
    }
}

fn style(xml: &mut Xml<'_>) -> Result<Style, Error> {
    let mut style = Style::default();
    let outside = xml.outside();
    while let Some(node) = xml.next_inside(outside)? {
        let Node::Open(element) = node else { continue };
        match element.name() {
            "name" => style.name = element.val().unwrap_or_default().to_lowercase(),
            "basedOn" => style.parent = element.val(),
            "outlineLvl" => style.outline = element.val().and_then(|level| level.parse().ok()),
            "ilvl" => style.number.level = element.val().and_then(|level| level.parse().ok()),
            "numId" => style.number.list = element.val(),
            "pPrChange" | "rPr" | "tblStylePr" => xml.skip()?,
            _ => {}
        }
    }
    Ok(style)
}
