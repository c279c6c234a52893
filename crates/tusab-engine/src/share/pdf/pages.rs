//! Lines put on pages.

use super::TEXT;
use super::flow::{Line, lines};
use super::fonts::{FontNumber, Fonts};
use crate::share::paper::{Span, Table};

/// A4 in points.
pub(super) const WIDTH: f32 = 595.28;
pub(super) const HEIGHT: f32 = 841.89;
const MARGIN: f32 = 56.7;
const INNER: f32 = WIDTH - 2.0 * MARGIN;

/// Distance of lines, and of what is set in a table from its borders.
const LEADING: f32 = 1.4;
const PAD: f32 = 4.0;

/// Most lines of a cell.
const CELL_LINES: usize = 30;

/// Something on a page, in points from its top left corner.
pub(super) enum Drawn {
    /// Text that begins there, on its base line.
    Text {
        x: f32,
        y: f32,
        font: FontNumber,
        size: f32,
        text: String,
        look: Look,
    },
    Rule {
        x: f32,
        y: f32,
        width: f32,
    },
    Link {
        x: f32,
        y: f32,
        width: f32,
        height: f32,
        to: String,
    },
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    pub(super) is_bold: bool,
    pub(super) is_link: bool,
}

pub(super) struct Pages<'p, 'f> {
    fonts: &'p Fonts<'f>,
    drawn: Vec<Vec<Drawn>>,
    /// Where the next line begins.
    y: f32,
}

impl<'p, 'f> Pages<'p, 'f> {
    pub(super) fn new(fonts: &'p Fonts<'f>) -> Self {
        Self { fonts, drawn: vec![Vec::new()], y: MARGIN }
    }

    pub(super) fn heading(&mut self, text: &str, size: f32) {
        let lines = lines(self.fonts, &[Span::bold(text)], size, INNER);
        if self.y > MARGIN {
            self.y += size * 0.8;
        }
        // Never alone at the foot of a page.
        let count = f32::from(u16::try_from(lines.len()).unwrap_or(u16::MAX));
        self.need(count.min(3.0) * size * LEADING + 3.0 * TEXT * LEADING);
        self.put(lines, MARGIN, size);
        self.y += size * 0.3;
    }

    pub(super) fn paragraph(&mut self, spans: &[Span]) {
        let lines = lines(self.fonts, spans, TEXT, INNER);
        self.put(lines, MARGIN, TEXT);
        self.y += TEXT * 0.5;
    }

    pub(super) fn table(&mut self, table: &Table) {
        let all = f32::from(table.widths.iter().fold(0_u16, |sum, width| sum.saturating_add(*width)).max(1));
        let widths: Vec<f32> = table.widths.iter().map(|width| INNER * f32::from(*width) / all).collect();
        let head: Vec<Span> = table.head.iter().map(Span::bold).collect();
        self.row(&head, &widths, None);
        for row in &table.rows {
            self.row(row, &widths, Some(&head));
        }
        self.y += TEXT;
    }

    /// Sets a row on one page, below the head again if that is a new one.
    fn row(&mut self, cells: &[Span], widths: &[f32], head: Option<&[Span]>) {
        let set = |(cell, width): (&Span, &f32)| {
            let mut lines = lines(self.fonts, std::slice::from_ref(cell), TEXT, width - 2.0 * PAD);
            lines.truncate(CELL_LINES);
            lines
        };
        let cells_set: Vec<Vec<Line>> = cells.iter().zip(widths).map(set).collect();
        let most = cells_set.iter().map(Vec::len).max().unwrap_or(0);
        let height = f32::from(u16::try_from(most).unwrap_or(u16::MAX)) * TEXT * LEADING + PAD;
        let is_new = self.need(height);
        if let Some(head) = head.filter(|_| is_new) {
            self.row(head, widths, None);
        }
        let top = self.y;
        let mut x = MARGIN;
        for (lines, width) in cells_set.into_iter().zip(widths) {
            self.y = top;
            self.put(lines, x + PAD, TEXT);
            x += width;
        }
        self.y = top + height;
        self.draw(Drawn::Rule { x: MARGIN, y: top + height - PAD / 2.0, width: INNER });
    }

    fn put(&mut self, lines: Vec<Line>, left: f32, size: f32) {
        for line in lines {
            self.need(size * LEADING);
            let (mut x, y) = (left, self.y + size);
            for run in line.runs {
                let look = Look { is_bold: run.is_bold, is_link: run.link.is_some() };
                if let Some(to) = run.link {
                    let (y, height) = (self.y, size * LEADING);
                    self.draw(Drawn::Link { x, y, width: run.width, height, to });
                }
                self.draw(Drawn::Text { x, y, font: run.font, size, text: run.text, look });
                x += run.width;
            }
            self.y += size * LEADING;
        }
    }

    /// Begins a page where the height is not left on this one; true if it did.
    fn need(&mut self, height: f32) -> bool {
        let is_full = self.y > MARGIN && self.y + height > HEIGHT - MARGIN;
        if is_full {
            self.drawn.push(Vec::new());
            self.y = MARGIN;
        }
        is_full
    }

    fn draw(&mut self, it: Drawn) {
        if let Some(page) = self.drawn.last_mut() {
            page.push(it);
        }
    }

    /// The pages, with their numbers.
    pub(super) fn finish(mut self) -> Vec<Vec<Drawn>> {
        let all = self.drawn.len();
        for (number, page) in (1..).zip(&mut self.drawn) {
            let text = Span::plain(format!("{number} / {all}"));
            for line in lines(self.fonts, &[text], TEXT * 0.9, INNER) {
                let mut x = (WIDTH - line.width) / 2.0;
                for run in line.runs {
                    let look = Look { is_bold: false, is_link: false };
                    let (y, size) = (HEIGHT - MARGIN / 2.0, TEXT * 0.9);
                    page.push(Drawn::Text { x, y, font: run.font, size, text: run.text, look });
                    x += run.width;
                }
            }
        }
        self.drawn
    }
}
