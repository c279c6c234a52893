use std::io::Cursor;

use docx_rs::{
    BreakType, Docx, Hyperlink, HyperlinkType, PageMargin, Paragraph, Run, RunFonts, Style, StyleType, Table,
    TableCell, TableLayoutType, TableRow, WidthType,
};

use super::paper::{self, Block, Paper, Span};
use crate::Error;

/// Width of the text on A4 with margins of 2 cm, in twentieths of a point.
const WIDTH: usize = 9_638;
const MARGIN: i32 = 1_134;

/// Sizes in half points, of the title and of the headings below.
const SIZES: [usize; 4] = [40, 30, 26, 24];

pub(super) fn write(paper: &Paper) -> Result<Vec<u8>, Error> {
    let margin = PageMargin::new().top(MARGIN).bottom(MARGIN).left(MARGIN).right(MARGIN);
    let fonts = RunFonts::new().ascii("Calibri").hi_ansi("Calibri").cs("Calibri").east_asia("Calibri");
    let mut docx =
        Docx::new().page_size(11_906, 16_838).page_margin(margin).default_fonts(fonts).default_size(21);
    for (level, size) in SIZES.iter().enumerate() {
        docx = docx.add_style(heading_style(level, *size));
    }
    docx = docx.add_paragraph(heading(0, &paper.title));
    for block in &paper.blocks {
        docx = match block {
            Block::Heading(level, text) => docx.add_paragraph(heading(usize::from(*level), text)),
            Block::Paragraph(spans) => docx.add_paragraph(spans.iter().fold(Paragraph::new(), add)),
            Block::Table(it) => docx.add_table(table(it)),
        };
    }
    let mut bytes = Cursor::new(Vec::new());
    docx.pack(&mut bytes).map_err(|error| Error::Share { format: "DOCX", reason: error.to_string() })?;
    Ok(bytes.into_inner())
}

fn style_id(level: usize) -> String {
    if level == 0 { "Title".to_owned() } else { format!("Heading{}", level.min(SIZES.len() - 1)) }
}

fn heading_style(level: usize, size: usize) -> Style {
    let name = if level == 0 { "Title".to_owned() } else { format!("heading {level}") };
    let style =
        Style::new(style_id(level), StyleType::Paragraph).name(name).based_on("Normal").next("Normal");
    let style = style.size(size).bold().q_format(true);
    if level == 0 { style } else { style.outline_lvl(level - 1) }
}

fn heading(level: usize, text: &str) -> Paragraph {
    Paragraph::new().style(&style_id(level)).keep_next(true).add_run(run(text))
}

fn run(text: &str) -> Run {
    let mut lines = text.split('\n');
    let first = Run::new().add_text(lines.next().unwrap_or_default());
    lines.fold(first, |run, line| run.add_break(BreakType::TextWrapping).add_text(line))
}

fn add(paragraph: Paragraph, span: &Span) -> Paragraph {
    let text = run(&span.text);
    match &span.link {
        Some(link) => {
            let text = text.color("0B5CAD").underline("single");
            paragraph.add_hyperlink(Hyperlink::new(link, HyperlinkType::External).add_run(text))
        }
        None if span.is_bold => paragraph.add_run(text.bold()),
        None => paragraph.add_run(text),
    }
}

fn table(table: &paper::Table) -> Table {
    let all: usize = table.widths.iter().map(|width| usize::from(*width)).sum::<usize>().max(1);
    let widths: Vec<usize> = table.widths.iter().map(|width| WIDTH * usize::from(*width) / all).collect();
    let cell = |width: Option<&usize>, paragraph| {
        TableCell::new().width(width.copied().unwrap_or(WIDTH), WidthType::Dxa).add_paragraph(paragraph)
    };
    let head = table
        .head
        .iter()
        .enumerate()
        .map(|(at, text)| cell(widths.get(at), Paragraph::new().add_run(run(text).bold())));
    let mut rows = vec![TableRow::new(head.collect()).cant_split()];
    for row in &table.rows {
        let cells =
            row.iter().enumerate().map(|(at, span)| cell(widths.get(at), add(Paragraph::new(), span)));
        rows.push(TableRow::new(cells.collect()).cant_split());
    }
    Table::new(rows).set_grid(widths).layout(TableLayoutType::Fixed).width(WIDTH, WidthType::Dxa)
}
