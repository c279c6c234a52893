use tusab_chunk::{Date, Language};

use super::front_matter::{self, FrontMatter};

/// A Markdown document: what its front matter tells, and its text as its author wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Markdown {
    /// `title` of the front matter, else the first heading, without its marks.
    pub title: Option<String>,
    /// `date` of the front matter.
    pub date: Option<Date>,
    /// `tags` of the front matter.
    pub tags: Vec<String>,
    /// `lang` or `language` of the front matter.
    pub language: Option<Language>,
    /// The text after the front matter, unchanged.
    pub text: String,
}

/// Reads Markdown. Every text is Markdown, so nothing can fail; front matter that is not plain is read as far as it
/// is, and stays out of the text.
///
/// ```
/// let note = "---\ntitle: Juros\ndate: 2024-02-29\ntags: [bc, selic]\n---\n# Outro título\n\nTexto.\n";
/// let note = tusab_ingest::parse_markdown(note);
/// assert_eq!(note.title.as_deref(), Some("Juros"));
/// assert_eq!(note.tags, ["bc", "selic"]);
/// assert_eq!(note.text, "# Outro título\n\nTexto.\n");
/// ```
#[must_use]
pub fn parse_markdown(text: &str) -> Markdown {
    let (FrontMatter { title, date, tags, language }, body) = front_matter::split(text);
    let title = title.or_else(|| first_heading(body));
    Markdown { title, date, tags, language, text: body.to_owned() }
}

/// The first heading outside code (`CommonMark` 0.31, sections 4.2, 4.3 and 4.5), as plain text.
fn first_heading(text: &str) -> Option<String> {
    let mut fence: Option<&str> = None;
    let mut paragraph: Option<&str> = None;
    for line in text.lines() {
        let indented = line.starts_with("    ") || line.starts_with('\t');
        let line = line.trim();
        if let Some(open) = fence {
            if line.starts_with(open) && line.trim_start_matches(['`', '~']).is_empty() {
                fence = None;
            }
        } else if indented || line.is_empty() {
            paragraph = None;
        } else if let Some(opening) = fence_of(line) {
            (fence, paragraph) = (Some(opening), None);
        } else if let Some(title) = atx_heading(line).or_else(|| paragraph.filter(|_| is_underline(line))) {
            let title = plain(title);
            if !title.is_empty() {
                return Some(title);
            }
            paragraph = None;
        } else {
            // Only a heading of one line is one; lists, quotes and tables are none.
            let can_be_heading =
                paragraph.is_none() && !line.starts_with(['-', '*', '+', '>', '|', '<', '=']);
            paragraph = can_be_heading.then_some(line);
        }
    }
    None
}

/// The marks that open a block of code.
fn fence_of(line: &str) -> Option<&str> {
    ['`', '~'].into_iter().find_map(|mark| {
        let len = line.len() - line.trim_start_matches(mark).len();
        line.get(..len).filter(|_| len >= 3)
    })
}

fn atx_heading(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    if !(1..=6).contains(&(line.len() - rest.len())) || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let title = rest.trim();
    let unclosed = title.trim_end_matches('#');
    // `# C#` is not closed, `# C #` is.
    Some(if unclosed.is_empty() || unclosed.ends_with([' ', '\t']) { unclosed.trim_end() } else { title })
}

fn is_underline(line: &str) -> bool {
    ['=', '-'].iter().any(|mark| line.len() >= 2 && line.chars().all(|c| c == *mark))
}

/// A heading without emphasis, code marks, link targets and `{#anchor}`; its first 300 bytes, if it is longer.
fn plain(heading: &str) -> String {
    const LONGEST: usize = 300;
    let heading = heading.get(..heading.floor_char_boundary(LONGEST)).unwrap_or(heading);
    let heading = match heading.rsplit_once('{') {
        Some((before, anchor)) if anchor.starts_with('#') && anchor.ends_with('}') => before,
        _ => heading,
    };
    let mut plain = String::with_capacity(heading.len());
    let mut rest = heading;
    while let Some(at) = rest.find(['[', '*', '`']) {
        let (before, mark) = rest.split_at_checked(at).unwrap_or((rest, ""));
        plain.push_str(before);
        let link = mark.strip_prefix('[').and_then(|inside| {
            let (text, after) = inside.split_once("](")?;
            let (_, after) = after.split_once(')')?;
            (!text.contains(['[', ']'])).then_some((text, after))
        });
        rest = mark.get(1..).unwrap_or_default();
        if let Some((text, after)) = link {
            plain.push_str(&text.replace(['*', '`'], ""));
            rest = after;
        } else if mark.starts_with('[') {
            plain.push('[');
        }
    }
    plain.push_str(rest);
    plain.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_heading_is_the_title() {
        for (text, title) in [
            ("# Título\n\ncorpo", Some("Título")),
            ("\n\ntexto\n\n## Só _este_ #\n# Depois", Some("Só _este_")),
            ("# **Negrito** e `código`", Some("Negrito e código")),
            ("# Ver [a **lei**](http://localhost/x) [1]", Some("Ver a lei [1]")),
            ("# Com âncora {#ancora}", Some("Com âncora")),
            ("# C#\r\n", Some("C#")),
            ("Título\r\n======\r\n", Some("Título")),
            ("Título\n---\n", Some("Título")),
            ("#hashtag não é\n#\n####### nem este\n\n#\t Este", Some("Este")),
            ("```sh\n# comentário\n```\n# Título", Some("Título")),
            ("~~~~\n~~~\n# não\n~~~~\n# Título", Some("Título")),
            ("    # código\n\n# Título", Some("Título")),
            ("duas linhas\nde texto\n---\n", None),
            ("- item\n---\n", None),
            ("só texto", None),
            ("", None),
        ] {
            let parsed = parse_markdown(text);
            assert_eq!(parsed.title.as_deref(), title, "{text:?}");
            assert_eq!(parsed.text, text, "the text stays as written");
        }
    }

    #[test]
    fn an_endless_heading_is_cut_between_characters() {
        let hostile = format!("# ab{}", "ç[".repeat(1_000_000));
        assert_eq!(parse_markdown(&hostile).title.map(|title| title.len()), Some(299));
    }
}
