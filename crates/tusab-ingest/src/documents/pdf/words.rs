//! Letters made into words, and words into rows.

use super::interpreter::Glyph;

/// A gap wider than this, in parts of the letters' height, is a space.
const SPACE: f32 = 0.15;
/// Letters whose baselines differ by less than this, in parts of their height, stand on one line.
const SAME_LINE: f32 = 0.4;

/// A word, in a frame in which it runs from left to right and y grows downwards.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) left: f32,
    pub(super) right: f32,
    /// Its baseline.
    pub(super) y: f32,
    pub(super) size: f32,
}

/// Words side by side.
pub(super) type Row = Vec<Word>;

/// The words of a page, in the directions in which they run: the upright ones first, then those that are turned, by
/// quarters.
pub(super) fn by_direction(glyphs: Vec<Glyph>) -> [Vec<Word>; 4] {
    let mut makers = [const { Vec::new() }; 4];
    for glyph in glyphs {
        let (x, y) = (glyph.end.0 - glyph.start.0, glyph.end.1 - glyph.start.1);
        let quarter = match (x.abs() >= y.abs(), x >= 0.0, y >= 0.0) {
            (true, true, _) => 0,
            (false, _, true) => 1,
            (true, false, _) => 2,
            (false, _, false) => 3,
        };
        // Turned so that the text runs to the right; y then grows downwards.
        let turn = |(x, y): (f32, f32)| match quarter {
            0 => (x, -y),
            1 => (y, x),
            2 => (-x, y),
            _ => (-y, -x),
        };
        let (start, end) = (turn(glyph.start), turn(glyph.end));
        let letter = Word { text: glyph.text, left: start.0, right: end.0, y: start.1, size: glyph.size };
        if let Some(letters) = makers.get_mut(quarter) {
            letters.push(letter);
        }
    }
    makers.map(words)
}

/// Joins letters that follow each other without a gap.
fn words(letters: Vec<Word>) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut is_apart = true;
    for letter in letters {
        if letter.text.trim().is_empty() {
            is_apart = true;
            continue;
        }
        let joins = words.last().is_some_and(|word| !is_apart && follows(word, &letter));
        match words.last_mut().filter(|_| joins) {
            Some(word) => {
                word.text.push_str(&letter.text);
                word.right = word.right.max(letter.right);
                word.size = word.size.max(letter.size);
            }
            None => words.push(letter),
        }
        is_apart = false;
    }
    words
}

fn follows(word: &Word, letter: &Word) -> bool {
    let size = word.size.max(letter.size);
    let gap = letter.left - word.right;
    (letter.y - word.y).abs() < SAME_LINE * size && gap < SPACE * size && gap > -0.5 * size
}

/// Groups words into rows from top to bottom, each from left to right.
pub(super) fn rows(mut words: Vec<Word>) -> Vec<Row> {
    words.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.left.total_cmp(&b.left)));
    let mut rows: Vec<Row> = Vec::new();
    // The baseline and height of the tallest word of the last row.
    let (mut baseline, mut height) = (f32::NEG_INFINITY, 0.0);
    for word in words {
        let is_same = (word.y - baseline).abs() < SAME_LINE * word.size.max(height);
        if !is_same || word.size > height {
            (baseline, height) = (word.y, word.size);
        }
        if let Some(row) = rows.last_mut().filter(|_| is_same) {
            row.push(word);
        } else {
            rows.push(vec![word]);
        }
    }
    for row in &mut rows {
        row.sort_by(|a, b| a.left.total_cmp(&b.left));
        // Bold that is made by showing a word twice, a hair apart.
        row.dedup_by(|b, a| {
            a.text == b.text && (a.left - b.left).abs() < 0.2 * a.size && (a.y - b.y).abs() < 0.2 * a.size
        });
    }
    rows
}

/// Text of a row. Words that touch, such as a raised mark of a note, stay together only where they were one word.
pub(super) fn line(row: &[Word]) -> String {
    let mut line = String::new();
    let mut right = f32::NEG_INFINITY;
    for word in row {
        let touches = word.left - right < SPACE * word.size && word.left - right > -0.3 * word.size;
        if !line.is_empty() && !touches {
            line.push(' ');
        }
        line.push_str(&word.text);
        right = word.right;
    }
    line
}
