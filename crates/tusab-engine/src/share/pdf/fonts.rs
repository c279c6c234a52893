//! The fonts that the app gave, and which of them shows what.

use krilla::text::Font;
use ttf_parser::Face;
use unicode_segmentation::UnicodeSegmentation;

use crate::Error;

/// Fonts in the order in which they are asked for a character.
pub(super) struct Fonts<'f> {
    fonts: Vec<(Font, Face<'f>)>,
}

/// The number of a font.
pub(super) type FontNumber = usize;

impl<'f> Fonts<'f> {
    pub(super) fn read(fonts: &'f [Vec<u8>]) -> Result<Self, Error> {
        let read = |(number, data): (usize, &'f Vec<u8>)| {
            let unreadable = || Error::Share {
                format: "PDF",
                reason: format!("font {} is neither TrueType nor OpenType: give another", number + 1),
            };
            let face = Face::parse(data, 0).map_err(|_| unreadable())?;
            Ok((Font::new(data.clone().into(), 0).ok_or_else(unreadable)?, face))
        };
        let fonts = fonts.iter().enumerate().map(read).collect::<Result<Vec<_>, Error>>()?;
        if fonts.is_empty() {
            let reason =
                "a PDF holds the letters that it shows: give a font with ShareOptions::with_font".to_owned();
            return Err(Error::Share { format: "PDF", reason });
        }
        Ok(Self { fonts })
    }

    /// The font of that number.
    pub(super) fn get(&self, number: FontNumber) -> Option<Font> {
        self.fonts.get(number).map(|(font, _)| font.clone())
    }

    /// The pieces of a text that are set as one, each with its font and its width at a size of 1.
    pub(super) fn pieces<'t>(&self, text: &'t str) -> impl Iterator<Item = (&'t str, FontNumber, f32)> {
        text.graphemes(true).map(|piece| {
            // What joins or varies the sign before it has no width of its own.
            let main = piece.chars().find(|c| !matches!(c, '\u{fe0f}' | '\u{fe0e}' | '\u{200d}'));
            let (number, width) = main.map_or((0, 0.0), |c| self.find(c));
            (piece, number, width)
        })
    }

    fn find(&self, c: char) -> (FontNumber, f32) {
        let found =
            self.fonts.iter().enumerate().find_map(|(number, (_, face))| {
                face.glyph_index(c).map(|glyph| (number, advance(face, glyph)))
            });
        // Shown as the box that says so.
        let missing = || self.fonts.first().map_or(0.5, |(_, face)| advance(face, ttf_parser::GlyphId(0)));
        found.unwrap_or_else(|| (0, missing()))
    }
}

fn advance(face: &Face<'_>, glyph: ttf_parser::GlyphId) -> f32 {
    f32::from(face.glyph_hor_advance(glyph).unwrap_or(500)) / f32::from(face.units_per_em().max(1))
}
