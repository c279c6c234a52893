use tusab_chunk::{Date, Language};

use crate::documents::one_line;

/// What the head of a page says of it.
#[derive(Debug, Default)]
pub(super) struct Metadata {
    pub(super) title: Option<String>,
    pub(super) language: Option<Language>,
    pub(super) date: Option<Date>,
    pub(super) link: Option<String>,
    pub(super) tags: Vec<String>,
}

impl Metadata {
    pub(super) fn meta(&mut self, name: &str, content: &str) {
        match name.to_ascii_lowercase().as_str() {
            "og:title" if self.title.is_none() => self.title = Some(one_line(content)),
            "keywords" => {
                let tags = content.split([',', ';']).map(one_line).filter(|tag| !tag.is_empty());
                self.tags = tags.collect();
            }
            "article:published_time"
            | "date"
            | "dc.date"
            | "dcterms.date"
            | "citation_publication_date"
            | "datepublished" => {
                self.date = self.date.or_else(|| content.trim().get(..10)?.replace('/', "-").parse().ok());
            }
            _ => {}
        }
    }

    pub(super) fn canonical(&mut self, address: &str) {
        let address = address.trim();
        if address.starts_with("https://") || address.starts_with("http://") {
            self.link = Some(address.to_owned());
        }
    }

    pub(super) fn language(&mut self, tag: &str) {
        self.language = self.language.take().or_else(|| tag.trim().parse().ok());
    }
}
