use crate::Error;
use crate::documents::office::xml::{Element, Node, Xml};

/// What holds text on a slide.
#[derive(Debug, Default)]
pub(super) struct Shape {
    pub(super) role: Role,
    pub(super) paragraphs: Vec<Paragraph>,
    /// Of a table; else empty.
    pub(super) rows: Vec<Vec<String>>,
    /// The link to the texts of a diagram.
    pub(super) diagram: Option<String>,
}

#[derive(Debug)]
pub(super) struct Paragraph {
    pub(super) text: String,
    /// How deep the item stands in a list, from 0.
    pub(super) level: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Role {
    /// A text box, table or diagram.
    #[default]
    Other,
    Title,
    /// The place of a slide's content, where paragraphs are items.
    Body,
    /// Number, date, header and footer.
    Furniture,
}

impl Shape {
    pub(super) fn is_empty(&self) -> bool {
        self.paragraphs.iter().all(|paragraph| paragraph.text.trim().is_empty())
            && self.rows.iter().flatten().all(|cell| cell.trim().is_empty())
    }

    pub(super) fn text(&self) -> String {
        self.paragraphs.iter().map(|paragraph| paragraph.text.as_str()).collect::<Vec<_>>().join(" ")
    }
}

/// The shapes of a slide, in order. Groups are seen through.
pub(super) fn read(xml: &mut Xml<'_>) -> Result<Vec<Shape>, Error> {
    let mut shapes = Vec::new();
    let mut has_choice = false;
    while let Some(node) = xml.next()? {
        let Node::Open(element) = node else { continue };
        match element.name() {
            "sp" | "cxnSp" | "graphicFrame" | "pic" => shapes.push(shape(xml)?),
            "AlternateContent" => has_choice = false,
            // The same content for older programs.
            "Choice" if !has_choice => has_choice = true,
            "Choice" | "Fallback" if has_choice => xml.skip()?,
            _ => {}
        }
    }
    Ok(shapes)
}

fn shape(xml: &mut Xml<'_>) -> Result<Shape, Error> {
    let mut shape = Shape::default();
    let outside = xml.outside();
    while let Some(node) = xml.next_inside(outside)? {
        let Node::Open(element) = node else { continue };
        match element.name() {
            "ph" => shape.role = role(&element),
            "p" => shape.paragraphs.push(paragraph(xml)?),
            "tr" => shape.rows.push(row(xml)?),
            "relIds" => shape.diagram = element.get("dm"),
            "Fallback" => xml.skip()?,
            _ => {}
        }
    }
    Ok(shape)
}

fn role(placeholder: &Element<'_>) -> Role {
    match placeholder.get("type").as_deref() {
        Some("title" | "ctrTitle") => Role::Title,
        None | Some("body" | "obj") => Role::Body,
        Some("sldNum" | "dt" | "ftr" | "hdr" | "sldImg") => Role::Furniture,
        Some(_) => Role::Other,
    }
}

/// All paragraphs of a part that holds nothing else, such as the texts of a diagram.
pub(super) fn paragraphs(xml: &mut Xml<'_>) -> Result<Vec<Paragraph>, Error> {
    let mut paragraphs = Vec::new();
    while let Some(node) = xml.next()? {
        if let Node::Open(element) = node
            && element.name() == "p"
        {
            paragraphs.push(paragraph(xml)?);
        }
    }
    Ok(paragraphs)
}

fn paragraph(xml: &mut Xml<'_>) -> Result<Paragraph, Error> {
    let mut paragraph = Paragraph { text: String::new(), level: 0 };
    let outside = xml.outside();
    while let Some(node) = xml.next_inside(outside)? {
        let Node::Open(element) = node else { continue };
        match element.name() {
            "pPr" => paragraph.level = element.get("lvl").and_then(|level| level.parse().ok()).unwrap_or(0),
            "t" => paragraph.text.push_str(&xml.inner_text()?),
            "br" => paragraph.text.push('\n'),
            _ => {}
        }
    }
    Ok(paragraph)
}

fn row(xml: &mut Xml<'_>) -> Result<Vec<String>, Error> {
    let mut cells: Vec<String> = Vec::new();
    let outside = xml.outside();
    while let Some(node) = xml.next_inside(outside)? {
        let Node::Open(element) = node else { continue };
        match element.name() {
            "tc" => cells.push(String::new()),
            "p" => {
                let text = paragraph(xml)?.text;
                if let Some(cell) = cells.last_mut() {
                    cell.push('\n');
                    cell.push_str(&text);
                }
            }
            _ => {}
        }
    }
    Ok(cells)
}
