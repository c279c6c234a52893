//! DOCX (`WordprocessingML`): the main part, with its styles, numbering and notes.
//!
//! What a reader of the final document sees is read: insertions stay, deletions go, comments and hidden text are left
//! out. Headers and footers, which repeat on every page, are left out too. A document that is the transcript of a meeting
//! is read as one.

mod block;
mod numbering;
mod reader;
mod styles;
mod table;
mod transcript;
mod writer;

use std::collections::HashMap;

use super::Read;
use super::package::{Package, Relationship};
use super::xml::Node;
use crate::{Error, Pages};
use block::Block;
use numbering::Numbering;
use reader::Reader;
use styles::Styles;
use transcript::Transcript;
use writer::Writer;

pub(super) fn read(package: &mut Package<'_>) -> Result<Read, Error> {
    let (name, text) = package.take_main();
    let links = package.relationships(&name)?;
    let styles = match package.linked(&links, "styles")? {
        Some((name, text)) => Styles::read(package.xml(&text, &name))?,
        None => Styles::default(),
    };
    let numbering = match package.linked(&links, "numbering")? {
        Some((name, text)) => Numbering::read(package.xml(&text, &name))?,
        None => Numbering::default(),
    };
    let footnotes = notes(package, &links, "footnotes", "footnote")?;
    let endnotes = notes(package, &links, "endnotes", "endnote")?;
    let mut reader = Reader::default();
    let mut writer = Writer::new(package.limits(), &styles, numbering, &footnotes, &endnotes);
    let mut transcript = Transcript::new();
    let mut xml = package.xml(&text, &name);
    while let Some(node) = xml.next()? {
        if let Node::Open(element) = node
            && element.name() == "body"
        {
            reader.blocks(&mut xml, &mut |block| {
                transcript.block(&block);
                writer.block(block)
            })?;
        }
    }
    let (markdown, title) = writer.finish()?;
    let language = reader.language();
    Ok(Read { markdown, meeting: transcript.finish(), pages: Pages::default(), title, language })
}

/// Notes by their ids.
type Notes = HashMap<String, Vec<Block>>;

fn notes(package: &mut Package<'_>, links: &[Relationship], kind: &str, each: &str) -> Result<Notes, Error> {
    let mut notes = HashMap::new();
    let Some((name, text)) = package.linked(links, kind)? else { return Ok(notes) };
    let mut xml = package.xml(&text, &name);
    while let Some(node) = xml.next()? {
        let Node::Open(element) = node else { continue };
        if element.name() != each {
            continue;
        }
        // The lines that part notes from the text are kept among them.
        let is_line = element.get("type").is_some_and(|kind| kind != "normal");
        let id = element.get("id").unwrap_or_default();
        let mut blocks = Vec::new();
        Reader::default().blocks(&mut xml, &mut |block| {
            blocks.push(block);
            Ok(())
        })?;
        if !is_line {
            notes.insert(id, blocks);
        }
    }
    Ok(notes)
}
