use super::block::{Block, Cell};
use super::reader::Reader;
use crate::Error;
use crate::documents::office::xml::{Node, Xml};

/// The widest table there can be, in columns: as many as Word allows.
const MOST_COLUMNS: usize = 63;

/// Reads the rows of the table that was opened last.
pub(super) fn read(reader: &mut Reader, xml: &mut Xml<'_>) -> Result<Vec<Vec<Cell>>, Error> {
    let outside = xml.outside();
    let mut rows = Vec::new();
    while let Some(node) = xml.next_inside(outside)? {
        let Node::Open(element) = node else { continue };
        match element.name() {
            "tr" => rows.extend(row(reader, xml)?),
            "tblPr" | "tblGrid" | "sdtPr" | "sdtEndPr" => xml.skip()?,
            _ => {}
        }
    }
    Ok(rows)
}

/// A row; none where it was deleted.
fn row(reader: &mut Reader, xml: &mut Xml<'_>) -> Result<Option<Vec<Cell>>, Error> {
    let outside = xml.outside();
    let mut cells = Vec::new();
    let mut is_deleted = false;
    while let Some(node) = xml.next_inside(outside)? {
        let Node::Open(element) = node else { continue };
        match element.name() {
            "tc" => cell(reader, xml, &mut cells)?,
            "gridBefore" => {
                let before = element.val().and_then(|count| count.parse().ok()).unwrap_or(0_usize);
                cells.extend((0..before.min(MOST_COLUMNS)).map(|_| Vec::new()));
            }
            // Of the row's properties.
            "del" => is_deleted = true,
            "trPrChange" | "tblPrEx" | "sdtPr" | "sdtEndPr" => xml.skip()?,
            _ => {}
        }
    }
    Ok((!is_deleted).then_some(cells))
}

/// A cell; one that is several columns wide is followed by empty ones.
fn cell(reader: &mut Reader, xml: &mut Xml<'_>, cells: &mut Vec<Cell>) -> Result<(), Error> {
    let outside = xml.outside();
    let mut blocks: Vec<Block> = Vec::new();
    let mut width = 1_usize;
    while let Some(node) = xml.next_inside(outside)? {
        let Node::Open(element) = node else { continue };
        if element.name() == "tcPr" {
            let outside = xml.outside();
            while let Some(node) = xml.next_inside(outside)? {
                if let Node::Open(element) = node
                    && element.name() == "gridSpan"
                {
                    width = element.val().and_then(|width| width.parse().ok()).unwrap_or(1);
                }
            }
        } else {
            reader.block(&element, xml, &mut |block| {
                blocks.push(block);
                Ok(())
            })?;
        }
    }
    cells.push(blocks);
    cells.extend((1..width.min(MOST_COLUMNS)).map(|_| Vec::new()));
    Ok(())
}
