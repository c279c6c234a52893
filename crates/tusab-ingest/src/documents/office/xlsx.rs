//! XLSX (`SpreadsheetML`): each sheet under its name, each row as `header: value | ...`.
//!
//! Read from the parts directly: a reader of whole sheets lays them out as full rectangles, which two cells in opposite
//! corners make of any size.

mod cell;
mod number;
mod sheet;

use super::Read;
use super::package::Package;
use super::xml::Node;
use crate::documents::markdown::MarkdownWriter;
use crate::documents::rows::Rows;
use crate::{Error, Pages};
use number::{Epoch, Formats};

/// What the cells of all sheets share.
struct Workbook {
    strings: Vec<String>,
    formats: Formats,
    epoch: Epoch,
}

pub(super) fn read(package: &mut Package<'_>) -> Result<Read, Error> {
    let (name, text) = package.take_main();
    let links = package.relationships(&name)?;
    let strings = match package.linked(&links, "sharedStrings")? {
        Some((name, text)) => cell::shared_strings(&mut package.xml(&text, &name))?,
        None => Vec::new(),
    };
    let formats = match package.linked(&links, "styles")? {
        Some((name, text)) => Formats::read(&mut package.xml(&text, &name))?,
        None => Formats::default(),
    };
    let mut workbook = Workbook { strings, formats, epoch: Epoch::Y1900 };
    let mut sheets = Vec::new();
    let mut xml = package.xml(&text, &name);
    while let Some(node) = xml.next()? {
        let Node::Open(element) = node else { continue };
        match element.name() {
            "workbookPr" if matches!(element.get("date1904").as_deref(), Some("1" | "true")) => {
                workbook.epoch = Epoch::Y1904;
            }
            "sheet" => sheets.push((element.get("name").unwrap_or_default(), element.get_prefixed("id"))),
            _ => {}
        }
    }
    let mut out = MarkdownWriter::new(package.limits());
    for (name, id) in sheets {
        let Some(part) = links.iter().find(|link| Some(&link.id) == id.as_ref()).map(|link| &link.target)
        else {
            continue;
        };
        let Some(text) = package.part(part)? else { continue };
        let mut rows = Rows::default();
        let mut has_name = false;
        sheet::read(&mut package.xml(&text, part), &workbook, &mut |cells| {
            rows.row(cells, &mut |line| {
                if !std::mem::replace(&mut has_name, true) {
                    out.heading(2, &name)?;
                }
                out.line(line)
            })
        })?;
        rows.finish(&mut |line| {
            if !std::mem::replace(&mut has_name, true) {
                out.heading(2, &name)?;
            }
            out.line(line)
        })?;
    }
    Ok(Read { markdown: out.finish(), meeting: None, pages: Pages::default(), title: None, language: None })
}
