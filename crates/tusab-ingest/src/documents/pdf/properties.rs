use lopdf::{Dictionary, Document, Object, decode_text_string};
use tusab_chunk::{Date, Language};

/// What programs write where nobody gave a title.
const NO_TITLES: [&str; 4] = ["(anonymous)", "anonymous", "untitled", "(unspecified)"];

/// What a PDF says of itself.
#[derive(Debug, Default)]
pub(super) struct Properties {
    pub(super) title: Option<String>,
    pub(super) language: Option<Language>,
    pub(super) date: Option<Date>,
    pub(super) tags: Vec<String>,
}

impl Properties {
    pub(super) fn read(doc: &Document) -> Self {
        let info = doc.trailer.get_deref(b"Info", doc).and_then(Object::as_dict).ok();
        let field = |name: &[u8]| text(doc, info?, name);
        let title = field(b"Title").map(|title| {
            // What printing from Word leaves.
            title.strip_prefix("Microsoft Word - ").map(str::to_owned).unwrap_or(title)
        });
        let title = title.filter(|title| !NO_TITLES.iter().any(|none| title.eq_ignore_ascii_case(none)));
        let keywords = field(b"Keywords").unwrap_or_default();
        let tags = keywords.split([',', ';']).map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty());
        Self {
            title,
            language: doc.catalog().ok().and_then(|root| text(doc, root, b"Lang")?.parse().ok()),
            date: field(b"ModDate").as_deref().and_then(date).or_else(|| date(&field(b"CreationDate")?)),
            tags: tags.collect(),
        }
    }
}

fn text(doc: &Document, dict: &Dictionary, name: &[u8]) -> Option<String> {
    let value = dict.get_deref(name, doc).ok()?;
    let text = decode_text_string(value).ok()?;
    let text = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let text = text.collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}

/// The day of a date such as `D:20240229134500-03'00'`.
fn date(text: &str) -> Option<Date> {
    let digits = text.trim_start_matches("D:");
    let part = |from: usize, to: usize| digits.get(from..to)?.parse::<u16>().ok();
    let small = |from, to| u8::try_from(part(from, to).unwrap_or(1)).ok();
    Date::new(part(0, 4)?, small(4, 6)?, small(6, 8)?)
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn dates_as_pdf_writes_them() {
        let day = |text| date(text).map(|date| date.to_string());
        assert_eq!(day("D:20240229134500-03'00'").as_deref(), Some("2024-02-29"));
        assert_eq!(day("2024").as_deref(), Some("2024-01-01"));
        assert_eq!(day("D:20240231"), None);
        assert_eq!(day("ontem"), None);
    }
}
