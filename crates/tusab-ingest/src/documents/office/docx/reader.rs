use std::collections::HashMap;

use tusab_chunk::Language;

use super::block::{Block, NoteKind, NoteMark, Paragraph};
use super::table;
use crate::Error;
use crate::documents::office::xml::{Element, Node, Xml};

/// Where the blocks go, one by one.
pub(super) type Sink<'s> = dyn FnMut(Block) -> Result<(), Error> + 's;

/// Reads blocks, and counts how much is written in which language.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// Letters of each language that runs of text say they are in; those that say none under the empty tag.
    languages: HashMap<String, usize>,
    hidden: bool,
    run_language: String,
}

impl Reader {
    /// The language that most of the text says it is in. What a document's defaults say is not asked: they are those of
    /// the program or template that it was made with.
    pub(super) fn language(&self) -> Option<Language> {
        let (tag, _) = self.languages.iter().max_by_key(|(tag, letters)| (**letters, tag.as_str()))?;
        tag.parse().ok()
    }

    /// Reads what is inside the element that was opened last.
    pub(super) fn blocks(&mut self, xml: &mut Xml<'_>, sink: &mut Sink<'_>) -> Result<(), Error> {
        let outside = xml.outside();
        while let Some(node) = xml.next_inside(outside)? {
            if let Node::Open(element) = node {
                self.block(&element, xml, sink)?;
            }
        }
        Ok(())
    }

    /// Reads the block that an element opens. Wrappers (insertions, content controls, custom XML) are seen through.
    pub(super) fn block(
        &mut self,
        element: &Element<'_>,
        xml: &mut Xml<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<(), Error> {
        match element.name() {
            "p" => {
                let paragraph = self.paragraph(xml)?;
                sink(Block::Paragraph(paragraph))
            }
            "tbl" => sink(Block::Table(table::read(self, xml)?)),
            "AlternateContent" => self.alternatives(xml, &mut |reader, xml| reader.blocks(xml, &mut *sink)),
            "del" | "moveFrom" | "sdtPr" | "sdtEndPr" | "sectPr" => xml.skip(),
            _ => Ok(()),
        }
    }

    fn paragraph(&mut self, xml: &mut Xml<'_>) -> Result<Paragraph, Error> {
        let mut paragraph = Paragraph::default();
        let outer_hidden = std::mem::take(&mut self.hidden);
        self.inline(xml, &mut paragraph)?;
        self.hidden = outer_hidden;
        Ok(paragraph)
    }

    fn inline(&mut self, xml: &mut Xml<'_>, paragraph: &mut Paragraph) -> Result<(), Error> {
        let outside = xml.outside();
        while let Some(node) = xml.next_inside(outside)? {
            let Node::Open(element) = node else { continue };
            match element.name() {
                "pPr" => paragraph_properties(xml, paragraph)?,
                "r" => {
                    self.hidden = false;
                    self.run_language.clear();
                }
                "rPr" => self.run_properties(xml)?,
                "t" => {
                    let text = xml.inner_text()?;
                    self.push(paragraph, &text);
                }
                "tab" | "ptab" => self.push(paragraph, "\t"),
                "br" | "cr" => self.push(paragraph, "\n"),
                "noBreakHyphen" => self.push(paragraph, "-"),
                "sym" => {
                    let symbol = symbol(&element);
                    self.push(paragraph, symbol.as_deref().unwrap_or_default());
                }
                "footnoteReference" => note(paragraph, NoteKind::Footnote, &element),
                "endnoteReference" => note(paragraph, NoteKind::Endnote, &element),
                "txbxContent" => {
                    let mut boxes = Vec::new();
                    self.blocks(xml, &mut |block| {
                        boxes.push(block);
                        Ok(())
                    })?;
                    paragraph.boxes.append(&mut boxes);
                }
                "AlternateContent" => {
                    self.alternatives(xml, &mut |reader, xml| reader.inline(xml, paragraph))?;
                }
                "del" | "moveFrom" | "delText" | "instrText" | "delInstrText" | "sdtPr" | "sdtEndPr"
                | "rt" => {
                    xml.skip()?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The same content, written for several generations of programs: the first is read.
    fn alternatives(
        &mut self,
        xml: &mut Xml<'_>,
        read: &mut dyn FnMut(&mut Self, &mut Xml<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let outside = xml.outside();
        let mut is_read = false;
        while let Some(node) = xml.next_inside(outside)? {
            if let Node::Open(_) = node {
                if is_read {
                    xml.skip()?;
                } else {
                    read(self, xml)?;
                }
                is_read = true;
            }
        }
        Ok(())
    }

    fn push(&mut self, paragraph: &mut Paragraph, text: &str) {
        if self.hidden {
            return;
        }
        paragraph.text.push_str(text);
        let letters = text.chars().filter(|c| c.is_alphabetic()).count();
        if let Some(total) = self.languages.get_mut(&self.run_language) {
            *total += letters;
        } else {
            self.languages.insert(self.run_language.clone(), letters);
        }
    }

    fn run_properties(&mut self, xml: &mut Xml<'_>) -> Result<(), Error> {
        let outside = xml.outside();
        while let Some(node) = xml.next_inside(outside)? {
            let Node::Open(element) = node else { continue };
            match element.name() {
                "vanish" => self.hidden = element.is_on(),
                "lang" => self.run_language = element.val().unwrap_or_default(),
                "rPrChange" => xml.skip()?,
                _ => {}
            }
        }
        Ok(())
    }
}

fn paragraph_properties(xml: &mut Xml<'_>, paragraph: &mut Paragraph) -> Result<(), Error> {
    let outside = xml.outside();
    let mut in_mark = false;
    while let Some(node) = xml.next_inside(outside)? {
        let element = match node {
            Node::Open(element) => element,
            Node::Close(end) if end.name() == "rPr" => {
                in_mark = false;
                continue;
            }
            _ => continue,
        };
        match element.name() {
            "pStyle" => paragraph.style = element.val(),
            "ilvl" => paragraph.number.level = element.val().and_then(|level| level.parse().ok()),
            "numId" => paragraph.number.list = element.val(),
            "outlineLvl" => paragraph.outline = element.val().and_then(|level| level.parse().ok()),
            "rPr" => in_mark = true,
            "del" if in_mark => paragraph.joins_next = true,
            "pPrChange" | "rPrChange" | "sectPr" => xml.skip()?,
            _ => {}
        }
    }
    Ok(())
}

fn note(paragraph: &mut Paragraph, kind: NoteKind, element: &Element<'_>) {
    if let Some(id) = element.get("id") {
        paragraph.notes.push(NoteMark { at: paragraph.text.len(), kind, id });
    }
}

/// A character given by number. Those of symbol fonts lie in a private range and have no meaning without their font.
fn symbol(element: &Element<'_>) -> Option<String> {
    let code = u32::from_str_radix(&element.get("char")?, 16).ok()?;
    if (0xE000..=0xF8FF).contains(&code) { None } else { char::from_u32(code).map(String::from) }
}
