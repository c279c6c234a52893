/// A card for learning.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Card {
    /// What is asked.
    pub front: String,
    /// What is to be known.
    pub back: String,
    /// Tags; spaces in them become `_`, since Anki has none.
    pub tags: Vec<String>,
}

impl Card {
    /// A card without tags.
    pub fn new(front: impl Into<String>, back: impl Into<String>) -> Self {
        Self { front: front.into(), back: back.into(), tags: Vec::new() }
    }

    /// Adds tags.
    #[must_use]
    pub fn with_tags<T: Into<String>>(mut self, tags: impl IntoIterator<Item = T>) -> Self {
        self.tags.extend(tags.into_iter().map(Into::into));
        self
    }
}

/// The file's own lines say how it is to be read (Anki manual, "Text Files").
const HEAD: &str = "#separator:Semicolon\n#html:true\n#columns:Front;Back;Tags\n#tags column:3\n";

pub(super) fn write(cards: &[Card]) -> String {
    let mut text = HEAD.to_owned();
    for Card { front, back, tags } in cards {
        let tags: Vec<String> =
            tags.iter().map(|tag| tag.split_whitespace().collect::<Vec<_>>().join("_")).collect();
        let line = [field(&html(front)), field(&html(back)), field(&tags.join(" "))].join(";");
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// Text as Anki shows it.
fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in super::paper::visible(text.trim()).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\n' => out.push_str("<br>"),
            c => out.push(c),
        }
    }
    out
}

/// A field, in quotes where it needs them (RFC 4180, with `;`). A `#` at the start of a line would be a comment.
fn field(text: &str) -> String {
    if text.contains([';', '"', '\n', '\t']) || text.starts_with('#') {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_they_were() {
        let cards = [
            Card::new("O que é \"juro\"; e por quê?", "1 < 2 & 3\nfim").with_tags(["duas palavras", "b"]),
            Card::new("# não é comentário", ""),
        ];
        assert_eq!(
            write(&cards).strip_prefix(HEAD).unwrap(),
            "\"O que é \"\"juro\"\"; e por quê?\";1 &lt; 2 &amp; 3<br>fim;duas_palavras b\n\
             \"# não é comentário\";;\n"
                .replace("1 &lt; 2 &amp; 3<br>fim;", "\"1 &lt; 2 &amp; 3<br>fim\";")
        );
    }
}
