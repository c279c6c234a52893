//! PPTX (`PresentationML`): slide by slide, each with its title as heading, then its shapes in the order in which they
//! stand in the file, which is the one that screen readers follow; then the speaker's notes, as a quotation.

mod shape;

use super::Read;
use super::package::Package;
use super::xml::Node;
use crate::documents::Limit;
use crate::documents::markdown::MarkdownWriter;
use crate::documents::one_line;
use crate::{Error, Pages};
use shape::{Role, Shape};

pub(super) fn read(package: &mut Package<'_>) -> Result<Read, Error> {
    let (name, text) = package.take_main();
    let links = package.relationships(&name)?;
    let mut xml = package.xml(&text, &name);
    let mut slides = Vec::new();
    while let Some(node) = xml.next()? {
        let Node::Open(element) = node else { continue };
        if element.name() == "sldId"
            && let Some(id) = element.get_prefixed("id")
        {
            slides.push(id);
        }
    }
    let most = package.limits().pages;
    if slides.len() > usize::try_from(most).unwrap_or(usize::MAX) {
        return Err(Error::TooLarge { limit: Limit::Pages(most) });
    }
    let mut deck = Deck { out: MarkdownWriter::new(package.limits()), pages: Pages::default(), title: None };
    for (index, id) in slides.iter().enumerate() {
        let part = links.iter().find(|link| link.id == *id).map(|link| link.target.as_str());
        deck.slide(package, part, index + 1)?;
    }
    Ok(Read {
        markdown: deck.out.finish(),
        meeting: None,
        pages: deck.pages,
        title: deck.title,
        language: None,
    })
}

struct Deck {
    out: MarkdownWriter,
    pages: Pages,
    /// Of the first slide that has one.
    title: Option<String>,
}

impl Deck {
    /// A slide that is listed and missing is an empty page, so that those after it keep their numbers.
    fn slide(&mut self, package: &mut Package<'_>, part: Option<&str>, number: usize) -> Result<(), Error> {
        let start = self.out.written();
        self.pages.start(start);
        let Some(part) = part else { return Ok(()) };
        let Some(text) = package.part(part)? else { return Ok(()) };
        let links = package.relationships(part)?;
        let mut shapes = shape::read(&mut package.xml(&text, part))?;
        for shape in &mut shapes {
            // The texts of a diagram are kept in a part of their own.
            let Some(id) = &shape.diagram else { continue };
            let Some(target) = links.iter().find(|link| link.id == *id).map(|link| link.target.as_str())
            else {
                continue;
            };
            if let Some(text) = package.part(target)? {
                shape.paragraphs = shape::paragraphs(&mut package.xml(&text, target))?;
            }
        }
        let notes = match package.linked(&links, "notesSlide")? {
            Some((name, text)) => shape::read(&mut package.xml(&text, &name))?,
            None => Vec::new(),
        };
        self.write(&shapes, &notes, number)
    }

    fn write(&mut self, shapes: &[Shape], notes: &[Shape], number: usize) -> Result<(), Error> {
        let notes: Vec<&Shape> =
            notes.iter().filter(|shape| shape.role == Role::Body && !shape.is_empty()).collect();
        let has_text = |shape: &&Shape| shape.role != Role::Furniture && !shape.is_empty();
        let mut shown: Vec<&Shape> = shapes.iter().filter(has_text).collect();
        if shown.is_empty() && notes.is_empty() {
            return Ok(());
        }
        let title =
            shown.iter().position(|shape| shape.role == Role::Title).map(|at| shown.remove(at).text());
        match title {
            Some(title) => {
                self.out.heading(2, &title)?;
                self.title.get_or_insert_with(|| one_line(&title));
            }
            // Without a heading of its own, its text would stand under that of the slide before.
            None => self.out.heading(2, &number.to_string())?,
        }
        for shape in shown {
            if !shape.rows.is_empty() {
                self.out.table(&shape.rows)?;
            }
            for paragraph in &shape.paragraphs {
                if shape.role == Role::Body {
                    self.out.item(paragraph.level, "-", &paragraph.text)?;
                } else {
                    self.out.paragraph(&paragraph.text)?;
                }
            }
        }
        notes.iter().flat_map(|shape| &shape.paragraphs).try_for_each(|note| self.out.quote(&note.text))
    }
}
