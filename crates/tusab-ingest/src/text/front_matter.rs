//! Front matter: the lines between `---` (YAML) or `+++` (TOML) at the top of a Markdown file.
//!
//! Only plain values are read; it is a label, not a configuration, and a YAML parser for three fields does not pay.

use tusab_chunk::{Date, Language};

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FrontMatter {
    pub(super) title: Option<String>,
    pub(super) date: Option<Date>,
    pub(super) tags: Vec<String>,
    pub(super) language: Option<Language>,
}

/// The front matter and the text after it, which is the whole text when there is none.
pub(super) fn split(text: &str) -> (FrontMatter, &str) {
    let none = || (FrontMatter::default(), text);
    let mut lines = text.split_inclusive('\n');
    let (fence, separator) = match lines.next().map(str::trim_end) {
        Some("---") => ("---", ':'),
        Some("+++") => ("+++", '='),
        _ => return none(),
    };
    let mut start = text.split_inclusive('\n').next().map_or(0, str::len);
    let mut fields = Vec::new();
    for line in lines {
        start += line.len();
        let line = line.trim_end();
        if line == fence || (line == "..." && separator == ':') {
            return (read(&fields, separator), text.get(start..).unwrap_or_default());
        }
        if !is_plausible(line, separator) {
            // A rule across the page, and text.
            return none();
        }
        fields.push(line);
    }
    none()
}

/// Whether a line can stand in front matter: a field, a comment, or what belongs to the field above it.
fn is_plausible(line: &str, separator: char) -> bool {
    line.is_empty()
        || line.starts_with([' ', '\t', '#', '-', '[', ']'])
        || field(line, separator)
            .is_some_and(|(name, _)| !name.is_empty() && !name.contains(char::is_whitespace))
}

fn field(line: &str, separator: char) -> Option<(&str, &str)> {
    line.split_once(separator).map(|(name, value)| (name.trim_end(), value.trim()))
}

fn read(lines: &[&str], separator: char) -> FrontMatter {
    let mut matter = FrontMatter::default();
    let mut lines = lines.iter().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with([' ', '\t', '#', '-']) {
            continue;
        }
        let Some((name, value)) = field(line, separator) else { continue };
        match name.to_ascii_lowercase().as_str() {
            "title" => matter.title = plain(value),
            "date" => matter.date = plain(value).and_then(|date| date.get(..10)?.parse().ok()),
            "lang" | "language" => matter.language = plain(value).and_then(|tag| tag.parse().ok()),
            "tags" if value.is_empty() => {
                while let Some(item) = lines.next_if(|line| line.trim_start().starts_with('-')) {
                    matter.tags.extend(plain(item.trim_start().trim_start_matches('-').trim()));
                }
            }
            "tags" => {
                let list = value.strip_prefix('[').and_then(|list| list.strip_suffix(']')).unwrap_or(value);
                matter.tags.extend(list.split(',').filter_map(|tag| plain(tag.trim())));
            }
            _ => {}
        }
    }
    matter
}

/// A value without its quotes; none when it is blank, or a shape that is not plain text.
fn plain(value: &str) -> Option<String> {
    let quoted = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
    let value = match quoted {
        Some(quoted) => quoted,
        None if value.starts_with(['|', '>', '{', '[', '&', '*', '!']) => return None,
        None => value.split(" #").next().unwrap_or(value).trim_end(),
    };
    (!value.trim().is_empty()).then(|| value.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_fields_are_read_and_others_passed_over() {
        let text = "---\r\ntitle: \"Ata: junho\"\r\ndate: 2024-06-30T10:00:00Z\r\nlang: pt-br # do Brasil\r\n\
                    author:\r\n  name: Ana\r\ntags:\r\n  - 'a b'\r\n  - c\r\n---\r\ncorpo";
        let (matter, body) = split(text);
        assert_eq!(matter.title.as_deref(), Some("Ata: junho"));
        assert_eq!(matter.date.map(|date| date.to_string()).as_deref(), Some("2024-06-30"));
        assert_eq!(matter.language.map(|tag| tag.to_string()).as_deref(), Some("pt-BR"));
        assert_eq!(matter.tags, ["a b", "c"]);
        assert_eq!(body, "corpo");
        let (matter, body) = split("+++\ntitle = 'X'\ntags = [\"a\", \"b\"]\n+++\n# corpo");
        assert_eq!(
            (matter.title.as_deref(), matter.tags, body),
            (Some("X"), vec!["a".into(), "b".into()], "# corpo")
        );
        let (matter, body) = split("---\ntitle: |\n  longo\ndate: ontem\ntags: a, b\n...\ncorpo");
        assert_eq!((matter.title, matter.date, matter.tags), (None, None, vec!["a".into(), "b".into()]));
        assert_eq!(body, "corpo");
    }

    #[test]
    fn a_rule_across_the_page_is_text() {
        for text in [
            "---\nUm parágrafo.\n---\n",
            "---\ntitle: sem fim\n",
            "---\n",
            "--- \n---x",
            "texto\n---\na: b\n---\n",
        ] {
            assert_eq!(split(text), (FrontMatter::default(), text), "{text:?}");
        }
        assert_eq!(split("---\n---\ncorpo").1, "corpo");
    }
}
