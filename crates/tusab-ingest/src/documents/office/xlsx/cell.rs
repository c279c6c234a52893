use crate::Error;
use crate::documents::office::xml::{Node, Xml};

/// The texts that cells refer to by number.
pub(super) fn shared_strings(xml: &mut Xml<'_>) -> Result<Vec<String>, Error> {
    let mut strings = Vec::new();
    while let Some(node) = xml.next()? {
        if let Node::Open(element) = node
            && element.name() == "si"
        {
            strings.push(rich_text(xml)?);
        }
    }
    Ok(strings)
}

/// The text of the element that was opened last: its runs, without the reading aid that Japanese has above them.
pub(super) fn rich_text(xml: &mut Xml<'_>) -> Result<String, Error> {
    let mut text = String::new();
    let outside = xml.outside();
    while let Some(node) = xml.next_inside(outside)? {
        let Node::Open(element) = node else { continue };
        match element.name() {
            "t" => text.push_str(&xml.inner_text()?),
            "rPh" => xml.skip()?,
            _ => {}
        }
    }
    Ok(text)
}
