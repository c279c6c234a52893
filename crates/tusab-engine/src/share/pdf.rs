//! A paper set on pages of A4.

mod flow;
mod fonts;
mod pages;

use krilla::Document;
use krilla::action::LinkAction;
use krilla::annotation::{LinkAnnotation, Target};
use krilla::color::rgb;
use krilla::geom::{PathBuilder, Point, Rect};
use krilla::metadata::Metadata;
use krilla::page::PageSettings;
use krilla::paint::{Fill, Stroke};
use krilla::surface::Surface;
use krilla::text::TextDirection;

use self::fonts::Fonts;
use self::pages::{Drawn, HEIGHT, Pages, WIDTH};
use super::ShareOptions;
use super::paper::{Block, Paper};
use crate::Error;

/// Sizes in points: of the title and of the headings below, and of text.
const SIZES: [f32; 4] = [20.0, 15.0, 12.5, 11.5];
pub(super) const TEXT: f32 = 10.0;

pub(super) fn write(paper: &Paper, options: &ShareOptions) -> Result<Vec<u8>, Error> {
    let fonts = Fonts::read(&options.fonts)?;
    let mut pages = Pages::new(&fonts);
    pages.heading(&paper.title, SIZES[0]);
    for block in &paper.blocks {
        match block {
            Block::Heading(level, text) => {
                pages.heading(text, SIZES.get(usize::from(*level)).copied().unwrap_or(TEXT));
            }
            Block::Paragraph(spans) => pages.paragraph(spans),
            Block::Table(table) => pages.table(table),
        }
    }
    let failed = |reason: String| Error::Share { format: "PDF", reason };
    let size = || failed("the size of a page".to_owned());
    let mut document = Document::new();
    document.set_metadata(Metadata::new().title(paper.title.clone()));
    let pages = pages.finish();
    for drawn in pages {
        let mut page = document.start_page_with(PageSettings::from_wh(WIDTH, HEIGHT).ok_or_else(size)?);
        let mut surface = page.surface();
        let mut links = Vec::new();
        for it in drawn {
            match it {
                Drawn::Text { x, y, font, size, text, look } => {
                    let colour =
                        if look.is_link { rgb::Color::new(11, 92, 173) } else { rgb::Color::new(25, 25, 25) };
                    set_colours(&mut surface, colour, look.is_bold.then_some(size / 40.0));
                    if let Some(font) = fonts.get(font) {
                        surface.draw_text(
                            Point::from_xy(x, y),
                            font,
                            size,
                            &text,
                            false,
                            TextDirection::Auto,
                        );
                    }
                }
                Drawn::Rule { x, y, width } => {
                    let mut path = PathBuilder::new();
                    path.move_to(x, y);
                    path.line_to(x + width, y);
                    surface.set_fill(None);
                    let stroke = Stroke {
                        paint: rgb::Color::new(190, 190, 190).into(),
                        width: 0.5,
                        ..Stroke::default()
                    };
                    surface.set_stroke(Some(stroke));
                    if let Some(path) = path.finish() {
                        surface.draw_path(&path);
                    }
                }
                Drawn::Link { x, y, width, height, to } => {
                    links.extend(Rect::from_xywh(x, y, width, height).map(|rect| (rect, to)));
                }
            }
        }
        surface.finish();
        for (rect, to) in links {
            let target = Target::Action(LinkAction::new(to).into());
            page.add_annotation(LinkAnnotation::new(rect, target).into());
        }
        page.finish();
    }
    document.finish().map_err(|error| failed(format!("{error:?}")))
}

/// Bold is a line around the letters: only the fonts that were given can be used.
fn set_colours(surface: &mut Surface<'_>, colour: rgb::Color, bold: Option<f32>) {
    surface.set_fill(Some(Fill { paint: colour.into(), ..Fill::default() }));
    surface.set_stroke(bold.map(|width| Stroke { paint: colour.into(), width, ..Stroke::default() }));
}
