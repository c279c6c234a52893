//! Runs the drawing operations of a page as far as they show text: where each letter stands.

use std::collections::HashMap;
use std::rc::Rc;

use lopdf::{Dictionary, Document, Object, ObjectId};

use super::content::{Item, Token, Tokens};
use super::font::Font;
use super::matrix::Matrix;
use crate::Error;
use crate::documents::{DocumentLimits, Limit};

/// How deep drawings may stand inside drawings.
const DEEPEST_FORM: usize = 12;
/// The most operands that an operation has, and the most saved states.
const MOST_OPERANDS: usize = 64;
const MOST_SAVED: usize = 512;
/// The most letters on one page, which are all held at once.
const MOST_ON_PAGE: usize = 1_000_000;

/// A letter on the page. Lengths are in the unit of the page, 1/72 inch.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Glyph {
    pub(super) text: String,
    /// Where its baseline starts and ends.
    pub(super) start: (f32, f32),
    pub(super) end: (f32, f32),
    /// Its height.
    pub(super) size: f32,
}

/// What was found on a page.
#[derive(Debug, Default)]
pub(super) struct PageContent {
    pub(super) glyphs: Vec<Glyph>,
    pub(super) has_pictures: bool,
    /// Letters of which the file does not say what they mean.
    pub(super) unknown: usize,
}

#[derive(Debug, Clone)]
struct State {
    ctm: Matrix,
    font: Option<Rc<Font>>,
    size: f32,
    letter_spacing: f32,
    word_spacing: f32,
    scale: f32,
    leading: f32,
    rise: f32,
}

/// What outlives a page: the fonts read so far, and what may still be done.
pub(super) struct Interpreter<'d> {
    doc: &'d Document,
    limits: &'d DocumentLimits,
    fonts: HashMap<ObjectId, Rc<Font>>,
    steps_left: u32,
    bytes_left: usize,
}

impl<'d> Interpreter<'d> {
    pub(super) fn new(doc: &'d Document, limits: &'d DocumentLimits) -> Self {
        let bytes_left = usize::try_from(limits.unpacked.0).unwrap_or(usize::MAX);
        Self { doc, limits, fonts: HashMap::new(), steps_left: limits.steps, bytes_left }
    }

    pub(super) fn page(&mut self, id: ObjectId) -> Result<PageContent, Error> {
        let content = self
            .doc
            .get_page_content_with_limit(id, self.bytes_left)
            .map_err(|_| Error::TooLarge { limit: Limit::Unpacked(self.limits.unpacked) })?;
        self.bytes_left = self.bytes_left.saturating_sub(content.len());
        let mut run = Run::new(self.resources(id));
        self.run(&content, &mut run, 0)?;
        Ok(run.page)
    }

    /// The resources of a page: its own, or those of the nearest node above it.
    fn resources(&self, page: ObjectId) -> Vec<&'d Dictionary> {
        let Ok((own, ids)) = self.doc.get_page_resources(page) else { return Vec::new() };
        let above = ids.into_iter().filter_map(|id| self.doc.get_dictionary(id).ok());
        own.into_iter().chain(above).collect()
    }

    fn step(&mut self) -> Result<(), Error> {
        match self.steps_left.checked_sub(1) {
            Some(left) => {
                self.steps_left = left;
                Ok(())
            }
            None => Err(Error::TooLarge { limit: Limit::Steps(self.limits.steps) }),
        }
    }

    fn run(&mut self, content: &[u8], run: &mut Run<'d>, depth: usize) -> Result<(), Error> {
        let mut operands: Vec<Token> = Vec::new();
        let saved_outside = run.saved.len();
        for token in Tokens::new(content) {
            match token {
                Token::Operator(operator) => {
                    self.step()?;
                    self.operation(&operator, &operands, run, depth)?;
                    operands.clear();
                }
                Token::InlineImage => run.page.has_pictures = true,
                operand if operands.len() < MOST_OPERANDS => operands.push(operand),
                _ => {}
            }
        }
        run.saved.truncate(saved_outside);
        Ok(())
    }

    fn operation(
        &mut self,
        operator: &[u8],
        operands: &[Token],
        run: &mut Run<'d>,
        depth: usize,
    ) -> Result<(), Error> {
        let numbers = Numbers::of(operands);
        match operator {
            b"q" if run.saved.len() < MOST_SAVED => run.saved.push(run.state.clone()),
            b"Q" => {
                if let Some(state) = run.saved.pop() {
                    run.state = state;
                }
            }
            b"cm" => {
                if let Some(matrix) = numbers.matrix() {
                    run.state.ctm = matrix.then(run.state.ctm);
                }
            }
            b"BT" => run.place(Matrix::IDENTITY),
            b"Tc" => run.state.letter_spacing = numbers.get(0),
            b"Tw" => run.state.word_spacing = numbers.get(0),
            b"Tz" => run.state.scale = numbers.get(0) / 100.0,
            b"TL" => run.state.leading = numbers.get(0),
            b"Ts" => run.state.rise = numbers.get(0),
            b"Tf" => {
                if let Some(Token::Name(name)) = operands.first() {
                    run.state.font = self.font(&run.resources, name);
                    run.state.size = numbers.get(0);
                }
            }
            b"Td" => run.next_line(numbers.get(0), numbers.get(1)),
            b"TD" => {
                run.state.leading = -numbers.get(1);
                run.next_line(numbers.get(0), numbers.get(1));
            }
            b"Tm" => {
                if let Some(matrix) = numbers.matrix() {
                    run.place(matrix);
                }
            }
            b"T*" => run.next_line(0.0, -run.state.leading),
            b"Tj" | b"'" | b"\"" => {
                if operator == b"\"" {
                    run.state.word_spacing = numbers.get(0);
                    run.state.letter_spacing = numbers.get(1);
                }
                if operator != b"Tj" {
                    run.next_line(0.0, -run.state.leading);
                }
                if let Some(Token::Text(text)) = operands.last() {
                    self.show(text, run)?;
                }
            }
            b"TJ" => {
                let Some(Token::Array(items)) = operands.last() else { return Ok(()) };
                for item in items {
                    match item {
                        Item::Text(text) => self.show(text, run)?,
                        Item::Number(back) => run.advance(-back / 1000.0 * run.state.size * run.state.scale),
                    }
                }
            }
            b"Do" => {
                if let Some(Token::Name(name)) = operands.first() {
                    self.draw(name, run, depth)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn show(&mut self, bytes: &[u8], run: &mut Run<'d>) -> Result<(), Error> {
        let Some(font) = run.state.font.clone() else { return Ok(()) };
        let count = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let left = self.steps_left.checked_sub(count).filter(|_| run.page.glyphs.len() < MOST_ON_PAGE);
        self.steps_left = left.ok_or(Error::TooLarge { limit: Limit::Steps(self.limits.steps) })?;
        font.letters(bytes, |letter| {
            let state = &run.state;
            let whole = run.text.then(state.ctm);
            let width = letter.width / 1000.0 * state.size * state.scale;
            let spacing = state.letter_spacing + if letter.is_space_code { state.word_spacing } else { 0.0 };
            let start = whole.apply(0.0, state.rise);
            let end = whole.apply(width, state.rise);
            let top = whole.apply(0.0, state.rise + state.size);
            let size = (top.0 - start.0).hypot(top.1 - start.1);
            if letter.text.is_empty() {
                run.page.unknown += 1;
            } else if [start.0, start.1, end.0, end.1, size].iter().all(|length| length.is_finite()) {
                run.page.glyphs.push(Glyph { text: letter.text.to_owned(), start, end, size });
            }
            run.advance(width + spacing * run.state.scale);
        });
        Ok(())
    }

    fn font(&mut self, resources: &[&'d Dictionary], name: &[u8]) -> Option<Rc<Font>> {
        let object = self.resource(resources, b"Font", name)?;
        let id = object.as_reference().ok();
        if let Some(font) = id.and_then(|id| self.fonts.get(&id)) {
            return Some(Rc::clone(font));
        }
        let (_, font) = self.doc.dereference(object).ok()?;
        let font = Rc::new(Font::read(self.doc, font.as_dict().ok()?, self.bytes_left));
        if let Some(id) = id {
            self.fonts.insert(id, Rc::clone(&font));
        }
        Some(font)
    }

    fn resource(&self, resources: &[&'d Dictionary], kind: &[u8], name: &[u8]) -> Option<&'d Object> {
        let doc = self.doc;
        resources.iter().find_map(|all| all.get_deref(kind, doc).ok()?.as_dict().ok()?.get(name).ok())
    }

    /// Draws a picture, which is only noted, or a form, which is content of its own.
    fn draw(&mut self, name: &[u8], run: &mut Run<'d>, depth: usize) -> Result<(), Error> {
        let Some(object) = self.resource(&run.resources, b"XObject", name) else { return Ok(()) };
        let Some(stream) = self.doc.dereference(object).ok().and_then(|(_, object)| object.as_stream().ok())
        else {
            return Ok(());
        };
        match stream.dict.get_deref(b"Subtype", self.doc).and_then(Object::as_name) {
            Ok(b"Image") => run.page.has_pictures = true,
            Ok(b"Form") if depth < DEEPEST_FORM => {
                let Ok(content) = stream.get_plain_content_with_limit(self.bytes_left) else { return Ok(()) };
                // A form that is drawn a thousand times is unpacked a thousand times.
                self.bytes_left = self.bytes_left.saturating_sub(content.len());
                let outer = run.state.clone();
                let outer_text = (run.text, run.line);
                let matrix = stream.dict.get_deref(b"Matrix", self.doc).and_then(Object::as_array).ok();
                if let Some(matrix) = matrix.and_then(|matrix| matrix_of(matrix)) {
                    run.state.ctm = matrix.then(run.state.ctm);
                }
                let own = stream.dict.get_deref(b"Resources", self.doc).and_then(Object::as_dict).ok();
                let outer_resources = own.map(|own| std::mem::replace(&mut run.resources, vec![own]));
                self.run(&content, run, depth + 1)?;
                if let Some(outer) = outer_resources {
                    run.resources = outer;
                }
                run.state = outer;
                (run.text, run.line) = outer_text;
            }
            _ => {}
        }
        Ok(())
    }
}

fn matrix_of(array: &[Object]) -> Option<Matrix> {
    let numbers: Vec<f32> = array.iter().filter_map(|number| number.as_float().ok()).collect();
    <[f32; 6]>::try_from(numbers).ok().map(Matrix)
}

/// The state of a run through a page.
struct Run<'d> {
    page: PageContent,
    state: State,
    saved: Vec<State>,
    resources: Vec<&'d Dictionary>,
    /// Where the next letter goes, and where its line started.
    text: Matrix,
    line: Matrix,
}

impl<'d> Run<'d> {
    fn new(resources: Vec<&'d Dictionary>) -> Self {
        let state = State {
            ctm: Matrix::IDENTITY,
            font: None,
            size: 0.0,
            letter_spacing: 0.0,
            word_spacing: 0.0,
            scale: 1.0,
            leading: 0.0,
            rise: 0.0,
        };
        let (text, line) = (Matrix::IDENTITY, Matrix::IDENTITY);
        Self { page: PageContent::default(), state, saved: Vec::new(), resources, text, line }
    }

    fn place(&mut self, matrix: Matrix) {
        self.line = matrix;
        self.text = matrix;
    }

    fn next_line(&mut self, x: f32, y: f32) {
        self.place(Matrix::shift(x, y).then(self.line));
    }

    fn advance(&mut self, x: f32) {
        self.text = Matrix::shift(x, 0.0).then(self.text);
    }
}

/// The numbers among the operands of an operation, in order.
struct Numbers([f32; 6], usize);

impl Numbers {
    fn of(operands: &[Token]) -> Self {
        let mut numbers = Self([0.0; 6], 0);
        for operand in operands {
            if let Token::Number(number) = operand
                && let Some(place) = numbers.0.get_mut(numbers.1)
            {
                *place = *number;
                numbers.1 += 1;
            }
        }
        numbers
    }

    /// A number by its place; 0 where it is missing.
    fn get(&self, at: usize) -> f32 {
        self.0.get(at).copied().unwrap_or(0.0)
    }

    fn matrix(&self) -> Option<Matrix> {
        (self.1 == 6).then_some(Matrix(self.0))
    }
}
