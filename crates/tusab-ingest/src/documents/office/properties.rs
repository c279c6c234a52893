//! What a document says of itself: title, date, keywords, language.

use tusab_chunk::{Date, Language};

use super::package::Package;
use super::xml::Node;
use crate::Error;
use crate::documents::one_line;

#[derive(Debug, Default)]
pub(super) struct Properties {
    pub(super) title: Option<String>,
    pub(super) date: Option<Date>,
    pub(super) tags: Vec<String>,
    pub(super) language: Option<Language>,
}

impl Properties {
    /// The core properties; empty where the document has none.
    pub(super) fn read(package: &mut Package<'_>) -> Result<Self, Error> {
        let Some((name, text)) = package.root_part("core-properties")? else { return Ok(Self::default()) };
        let mut xml = package.xml(&text, &name);
        let mut properties = Self::default();
        let mut created = None;
        while let Some(node) = xml.next()? {
            let Node::Open(element) = node else { continue };
            match element.name() {
                "title" => {
                    properties.title = Some(one_line(&xml.inner_text()?)).filter(|title| !title.is_empty());
                }
                "language" => properties.language = xml.inner_text()?.trim().parse().ok(),
                "created" => created = date(&xml.inner_text()?),
                "modified" => properties.date = date(&xml.inner_text()?),
                "keywords" => {
                    let keywords = xml.inner_text()?;
                    let tags = keywords.split([',', ';']).map(one_line).filter(|tag| !tag.is_empty());
                    properties.tags = tags.collect();
                }
                _ => {}
            }
        }
        properties.date = properties.date.or(created);
        Ok(properties)
    }
}

/// The day of a time such as `2024-02-29T13:45:00Z`.
fn date(text: &str) -> Option<Date> {
    text.trim().get(..10)?.parse().ok()
}
