//! The documents and texts of the Python app: the text that it had read from a file, under a short header.

use serde::Deserialize;
use serde_json::Value;
use tusab_chunk::Date;
use unicode_normalization::UnicodeNormalization;

use super::transcript::read_date;

/// A document or a pasted text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct OldText {
    pub(crate) title: Option<String>,
    pub(super) source: Option<String>,
    pub(crate) date: Option<Date>,
    pub(crate) link: Option<String>,
    pub(super) quality: Option<String>,
    pub(crate) body: String,
    pub(crate) has_header: bool,
}

/// Reads the header, where there is one, and what is below.
fn parse(text: &str) -> OldText {
    let text = text.replace('\u{feff}', "");
    let lines: Vec<&str> = text.lines().map(|line| line.trim_end_matches('\r')).collect();
    let is_rule = |line: &&str| line.trim().len() >= 50 && line.trim().chars().all(|c| c == '-');
    // The header is short: a rule further down is the text's own.
    let rule = lines.iter().take(12).position(is_rule).filter(|rule| {
        lines.get(..*rule).is_some_and(|head| head.iter().any(|line| line.starts_with("TITULO:")))
    });
    let mut read = OldText::default();
    let Some(rule) = rule else {
        lines.join("\n").trim().clone_into(&mut read.body);
        return read;
    };
    read.has_header = true;
    for line in lines.get(..rule).unwrap_or_default() {
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = Some(value.trim()).filter(|value| !value.is_empty()).map(str::to_owned);
        match name.trim() {
            "TITULO" => read.title = value,
            "FONTE" => read.source = value,
            "DATA" => read.date = value.and_then(|value| read_date(&value)),
            "URL_ORIGEM" => read.link = value,
            "QUALIDADE_PDF" => read.quality = value,
            _ => {}
        }
    }
    let body = lines.get(rule + 1..).unwrap_or_default().join("\n");
    let body = body.trim();
    body.strip_prefix("CONTEUDO:").unwrap_or(body).trim().clone_into(&mut read.body);
    read
}

impl OldText {
    /// Reads the header, where there is one, and what is below.
    pub(crate) fn parse(text: &str) -> Self {
        parse(text)
    }

    /// The same as Markdown, with what is known of it in front.
    pub(super) fn to_markdown(&self, original: Option<&str>) -> String {
        let date = self.date.map(|date| date.to_string());
        let fields = [
            ("title", self.title.as_deref()),
            ("date", date.as_deref()),
            ("original", original),
            ("source", self.source.as_deref()),
            ("url", self.link.as_deref()),
            ("quality", self.quality.as_deref()),
        ];
        let fields: String = fields
            .iter()
            .filter_map(|(name, value)| Some(format!("{name}: {}\n", quoted((*value)?))))
            .collect();
        format!("---\n{fields}---\n\n{}\n", self.body)
    }
}

/// A value on one line, in the quotes that it does not hold itself.
fn quoted(value: &str) -> String {
    let value: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if !value.contains(['"', '\\']) {
        format!("\"{value}\"")
    } else if !value.contains('\'') {
        format!("'{value}'")
    } else {
        format!("'{}'", value.replace('\'', "’"))
    }
}

/// What the Python app's list of a folder says of a file.
#[derive(Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(default)]
pub(crate) struct OldEntry {
    #[serde(deserialize_with = "lenient")]
    pub(crate) nome_original: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub(crate) titulo: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub(crate) nome_txt: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub(crate) data: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub(crate) fonte_externa: Option<String>,
}

impl OldEntry {
    /// True for what the list says of a file; systems compose the accents of names otherwise.
    pub(crate) fn is_of(&self, file: &str) -> bool {
        self.nome_txt.as_deref().is_some_and(|name| name == file || name.nfc().eq(file.nfc()))
    }
}

/// Text, whatever else stands there: a field of another kind must not cost the list.
fn lenient<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::String(text) if !text.trim().is_empty() => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

/// The entries of a list, or why it cannot be read.
pub(crate) fn parse_manifest(bytes: &[u8]) -> Result<Vec<OldEntry>, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let values: Vec<Value> = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    // One entry that is none costs itself alone.
    Ok(values.into_iter().filter_map(|value| serde_json::from_value(value).ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_not_part_of_the_text() {
        let rule = "-".repeat(70);
        let text = format!(
            "\u{feff}TITULO: Relatório\r\nFONTE: relatorio.pdf\r\nDATA: 02/01/2023\r\nURL_ORIGEM: https://a.b/c\r\n\
             QUALIDADE_PDF: texto_nativo\r\n{rule}\r\n\r\nCorpo.\r\n{rule}\r\nmais\r\n"
        );
        let read = parse(&text);
        assert_eq!(read.body, format!("Corpo.\n{rule}\nmais"));
        assert_eq!((read.title.as_deref(), read.date), (Some("Relatório"), Date::new(2023, 1, 2)));
        let markdown = read.to_markdown(Some("relatorio.pdf"));
        let again = tusab_ingest::parse_markdown(&markdown);
        assert_eq!((again.title.as_deref(), again.date), (Some("Relatório"), read.date));
        assert_eq!(again.text.trim(), read.body);
        assert_eq!(parse("só texto\n\n").body, "só texto");
        assert_eq!(parse(&format!("um parágrafo\n{rule}\noutro")).title, None);
    }

    #[test]
    fn titles_survive_their_quotes() {
        for title in ["Um: dois", "diz \"sim\"", "d'água", "# a [b] {c}", "- x"] {
            let text = OldText { title: Some(title.to_owned()), body: "x".to_owned(), ..OldText::default() };
            let again = tusab_ingest::parse_markdown(&text.to_markdown(None));
            assert_eq!(again.title.as_deref(), Some(title));
        }
    }

    #[test]
    fn a_list_with_odd_entries_gives_the_others() {
        let list = r#"[{"nome_txt": "a.txt", "chars": "muitos"}, 7, {"nome_txt": 12, "titulo": null}]"#;
        let read = parse_manifest(list.as_bytes()).unwrap();
        assert_eq!(read.len(), 2);
        assert_eq!((read[0].nome_txt.as_deref(), read[1].nome_txt.as_deref()), (Some("a.txt"), Some("12")));
        assert!(parse_manifest(b"[{").is_err());
    }
}
