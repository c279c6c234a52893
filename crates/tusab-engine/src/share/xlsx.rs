use rust_xlsxwriter::{Format, FormatAlign, Url, Workbook, Worksheet, XlsxError};

use super::contents::{Contents, Shared, kind, place};
use super::label::Labels;
use super::paper::{is_web, visible};
use crate::Error;

/// Most characters of a cell, and most links of a sheet (Excel's specifications and limits).
const CELL: usize = 32_767;
const LINKS: u32 = 65_530;
const LINK: usize = 2_079;

/// Height of a line, and of the highest row (Excel's specifications and limits), in points.
const LINE: u32 = 15;
const HIGHEST: u32 = 409;

/// Most rows of a sheet.
const ROWS: u32 = 1_048_576;

pub(super) fn write(contents: &Contents, labels: &Labels) -> Result<Vec<u8>, Error> {
    let written = match contents {
        Contents::Project { documents, .. } => of_project(documents, labels),
        Contents::Chat { turns, .. } => {
            let rows =
                turns.iter().map(|turn| [turn.asked_at.as_str(), &turn.question, &turn.answer].map(cell));
            let mut workbook = Workbook::new();
            sheet(
                workbook.add_worksheet(),
                [labels.asked, labels.question, labels.answer],
                [22, 50, 90],
                rows,
            )
            .and_then(|()| workbook.save_to_buffer())
        }
    };
    written.map_err(|error| Error::Share { format: "XLSX", reason: error.to_string() })
}

fn of_project(documents: &[Shared], labels: &Labels) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = Workbook::new();
    let head = [labels.title, labels.kind, labels.date, labels.link, labels.tags, labels.passages];
    let rows = documents.iter().map(|Shared { document, chunks }| {
        [
            Cell::Text(visible(&document.title)),
            cell(kind(&document.id, labels)),
            Cell::Text(document.date.map(|date| date.to_string()).unwrap_or_default()),
            document.link.clone().map_or(Cell::Text(String::new()), Cell::Link),
            Cell::Text(visible(&document.tags.join(", "))),
            Cell::Number(u32::try_from(chunks.len()).unwrap_or(u32::MAX)),
        ]
    });
    let sources = workbook.add_worksheet().set_name(labels.sources)?;
    sheet(sources, head, [50, 10, 12, 45, 30, 10], rows)?;
    let head = [labels.title, labels.place, labels.text];
    let rows = documents.iter().flat_map(|Shared { document, chunks }| {
        chunks.iter().map(|chunk| {
            [cell(&document.title), Cell::Text(place(chunk)), Cell::Text(visible(chunk.original_text()))]
        })
    });
    let passages = workbook.add_worksheet().set_name(labels.passages)?;
    sheet(passages, head, [40, 16, 110], rows)?;
    workbook.save_to_buffer()
}

/// What stands in a cell. Text is never read as a formula.
enum Cell {
    Text(String),
    Link(String),
    Number(u32),
}

fn cell(text: &str) -> Cell {
    Cell::Text(visible(text))
}

fn sheet<const N: usize>(
    sheet: &mut Worksheet,
    head: [&str; N],
    widths: [u16; N],
    rows: impl Iterator<Item = [Cell; N]>,
) -> Result<(), XlsxError> {
    let bold = Format::new().set_bold();
    let wrapped = Format::new().set_text_wrap().set_align(FormatAlign::Top);
    for ((column, text), width) in (0..).zip(head).zip(widths) {
        sheet.write_string_with_format(0, column, text, &bold)?;
        sheet.set_column_width(column, f64::from(width))?;
    }
    sheet.set_freeze_panes(1, 0)?;
    // On paper: all columns on a page, below their names.
    sheet.set_landscape().set_print_fit_to_pages(1, 0).set_repeat_rows(0, 0)?;
    let mut links = 0;
    for (row, cells) in (1..ROWS).zip(rows) {
        let mut high = 1;
        for ((column, cell), width) in (0..).zip(cells).zip(widths) {
            match cell {
                Cell::Number(number) => sheet.write_number(row, column, number)?,
                Cell::Link(link) if links < LINKS && link.len() <= LINK && is_web(&link) => {
                    links += 1;
                    sheet.write_url(row, column, Url::new(link))?
                }
                Cell::Text(text) | Cell::Link(text) => {
                    let text: String = text.chars().take(CELL / 2).collect();
                    high = high.max(lines_of(&text, width));
                    sheet.write_string_with_format(row, column, text, &wrapped)?
                }
            };
        }
        // LibreOffice shows but the first line of a row that does not say how high it is.
        if high > 1 {
            sheet.set_row_height(row, f64::from(high.saturating_mul(LINE).min(HIGHEST)))?;
        }
    }
    Ok(())
}

/// About how many lines a text takes in a column of so many characters.
fn lines_of(text: &str, width: u16) -> u32 {
    let lines = text.split('\n').map(|line| 1 + line.chars().count() / usize::from(width.max(1)));
    u32::try_from(lines.sum::<usize>()).unwrap_or(u32::MAX)
}
