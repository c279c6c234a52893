use super::Workbook;
use super::cell::rich_text;
use crate::Error;
use crate::documents::office::xml::{Element, Node, Xml};
use crate::documents::rows::Cell;

/// The widest row that is laid out, in columns: as many as Excel has.
const MOST_COLUMNS: usize = 16_384;

type Row<'r> = dyn FnMut(&[Cell]) -> Result<(), Error> + 'r;

/// Gives the rows of a sheet, one after another; rows that hold nothing are not in the file.
pub(super) fn read(xml: &mut Xml<'_>, workbook: &Workbook, row: &mut Row<'_>) -> Result<(), Error> {
    let mut cells: Vec<Cell> = Vec::new();
    while let Some(node) = xml.next()? {
        let Node::Open(element) = node else { continue };
        match element.name() {
            "row" => {
                cells.clear();
                let outside = xml.outside();
                while let Some(node) = xml.next_inside(outside)? {
                    if let Node::Open(element) = node
                        && element.name() == "c"
                    {
                        let at = element.get("r").and_then(|place| column(&place)).unwrap_or(cells.len());
                        let cell = cell(xml, &element, workbook)?;
                        if at < MOST_COLUMNS && !cell.text.is_empty() {
                            if cells.len() <= at {
                                cells.resize(at + 1, Cell::default());
                            }
                            if let Some(place) = cells.get_mut(at) {
                                *place = cell;
                            }
                        }
                    }
                }
                row(&cells)?;
            }
            "extLst" => xml.skip()?,
            _ => {}
        }
    }
    Ok(())
}

fn cell(xml: &mut Xml<'_>, element: &Element<'_>, workbook: &Workbook) -> Result<Cell, Error> {
    let kind = element.get("t").unwrap_or_default();
    let style = element.get("s").and_then(|style| style.parse::<usize>().ok()).unwrap_or(0);
    let mut value = String::new();
    let outside = xml.outside();
    while let Some(node) = xml.next_inside(outside)? {
        let Node::Open(element) = node else { continue };
        match element.name() {
            "v" => value = xml.inner_text()?,
            "is" => value = rich_text(xml)?,
            // The formula; what it came to is the value beside it.
            _ => xml.skip()?,
        }
    }
    let words = |text: String| Cell { text, is_number: false };
    let number = |text: String| Cell { text, is_number: true };
    Ok(match kind.as_str() {
        "s" => {
            let index = value.trim().parse::<usize>().ok();
            words(index.and_then(|index| workbook.strings.get(index)).cloned().unwrap_or_default())
        }
        "b" => number(if value.trim() == "1" { "TRUE".to_owned() } else { "FALSE".to_owned() }),
        "str" | "inlineStr" | "e" => words(value),
        "d" => number(value.replace('T', " ")),
        _ => number(workbook.formats.show(style, value.trim(), workbook.epoch)),
    })
}

/// The column, from 0, of a place such as `AB12`.
fn column(place: &str) -> Option<usize> {
    let mut column = 0_usize;
    for letter in place.bytes().take_while(u8::is_ascii_alphabetic) {
        let digit = usize::from(letter.to_ascii_uppercase() - b'A') + 1;
        column = column.checked_mul(26)?.checked_add(digit)?;
    }
    column.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::column;

    #[test]
    fn columns_count_in_letters() {
        assert_eq!(
            ["A1", "Z9", "AA1", "XFD1048576", "12"].map(column),
            [Some(0), Some(25), Some(26), Some(16383), None]
        );
        assert_eq!(column(&"Z".repeat(100)), None);
    }
}
