//! Text broken into lines.

use super::fonts::{FontNumber, Fonts};
use crate::share::paper::Span;

/// A line of pieces that follow each other.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub(super) runs: Vec<Run>,
    pub(super) width: f32,
}

/// Text in one font and look.
#[derive(Debug, PartialEq)]
pub(super) struct Run {
    pub(super) text: String,
    pub(super) font: FontNumber,
    pub(super) width: f32,
    pub(super) is_bold: bool,
    pub(super) link: Option<String>,
}

/// Breaks text into lines of at most `width` points: between words, and in words that are longer than a line.
pub(super) fn lines(fonts: &Fonts<'_>, spans: &[Span], size: f32, width: f32) -> Vec<Line> {
    let mut flow = Flow { lines: vec![Line::default()], width };
    for span in spans {
        for (number, text) in span.text.split('\n').enumerate() {
            if number > 0 {
                flow.lines.push(Line::default());
            }
            for word in text.split_inclusive(' ') {
                flow.word(fonts, span, word, size);
            }
        }
    }
    flow.lines
}

struct Flow {
    lines: Vec<Line>,
    width: f32,
}

impl Flow {
    fn word(&mut self, fonts: &Fonts<'_>, span: &Span, word: &str, size: f32) {
        let pieces: Vec<(&str, FontNumber, f32)> =
            fonts.pieces(word).map(|(text, font, width)| (text, font, width * size)).collect();
        // A space at the end of a line may stand over.
        let needed: f32 = pieces.iter().filter(|(text, ..)| *text != " ").map(|(.., width)| width).sum();
        let used = self.lines.last().map_or(0.0, |line| line.width);
        if used > 0.0 && used + needed > self.width {
            self.lines.push(Line::default());
        }
        for (text, font, width) in pieces {
            let used = self.lines.last().map_or(0.0, |line| line.width);
            if used > 0.0 && used + width > self.width && text != " " {
                self.lines.push(Line::default());
            }
            if let Some(line) = self.lines.last_mut() {
                line.put(span, text, font, width);
            }
        }
    }
}

impl Line {
    fn put(&mut self, span: &Span, text: &str, font: FontNumber, width: f32) {
        self.width += width;
        match self.runs.last_mut() {
            Some(run) if run.font == font && run.is_bold == span.is_bold && run.link == span.link => {
                run.text.push_str(text);
                run.width += width;
            }
            _ => {
                let (text, link) = (text.to_owned(), span.link.clone());
                self.runs.push(Run { text, font, width, is_bold: span.is_bold, link });
            }
        }
    }
}
