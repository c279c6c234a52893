#![allow(
    clippy::format_push_string,
    reason = "reads as what it writes; the time goes into reading the project"
)]

use super::paper::{Block, Paper, Span, Table};

pub(super) fn write(paper: &Paper) -> String {
    let mut text = format!("# {}\n", escaped(&paper.title));
    for block in &paper.blocks {
        text.push('\n');
        match block {
            Block::Heading(level, heading) => {
                let marks = "#".repeat(usize::from(level.saturating_add(1).min(6)));
                text.push_str(&format!("{marks} {}\n", escaped(heading)));
            }
            Block::Paragraph(spans) => {
                let line: String = spans.iter().map(span).collect();
                text.push_str(&start_escaped(&line));
                text.push('\n');
            }
            Block::Table(it) => table(it, &mut text),
        }
    }
    text
}

fn table(table: &Table, text: &mut String) {
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    text.push_str(&row(table.head.iter().map(|cell| in_cell(&escaped(cell))).collect()));
    text.push_str(&row(table.head.iter().map(|_| "---".to_owned()).collect()));
    for cells in &table.rows {
        text.push_str(&row(cells.iter().map(|cell| in_cell(&span(cell))).collect()));
    }
}

/// `|` is escaped with the other signs.
fn in_cell(cell: &str) -> String {
    cell.replace('\n', " ")
}

fn span(span: &Span) -> String {
    let text = escaped(&span.text);
    match &span.link {
        // In angle brackets anything but these and line ends may stand.
        Some(link) => format!("[{text}](<{}>)", link.replace('<', "%3C").replace('>', "%3E")),
        None if span.is_bold && !text.trim().is_empty() => {
            let inner = text.trim();
            text.replacen(inner, &format!("**{inner}**"), 1)
        }
        None => text,
    }
}

/// Text that no sign of which means anything (`CommonMark` 0.31, section 2.4).
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '&') {
            out.push('\\');
        }
        out.push(if c == '\n' { ' ' } else { c });
    }
    out
}

/// A line that would begin a list, a heading or a rule.
fn start_escaped(line: &str) -> String {
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if line.starts_with(['#', '-', '+', '=']) {
        return format!("\\{line}");
    }
    match line.get(digits..) {
        Some(rest) if digits > 0 && rest.starts_with(['.', ')']) => {
            format!("{}\\{rest}", line.get(..digits).unwrap_or_default())
        }
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_source_says_is_never_markup() {
        let mut paper = Paper::new("a *b* <script>");
        paper.text("# não é título\n- nem lista\n1. nem isto\n[x](javascript:1) | y");
        paper.paragraph(vec![
            Span::bold("Ana: "),
            Span::link("vê", Some("https://a.b/<c>?d=e")),
            Span::link("x", Some("javascript:alert(1)")),
        ]);
        paper.blocks.push(Block::Table(Table {
            head: vec!["A|B".into()],
            widths: vec![1],
            rows: vec![vec![Span::plain("c|d\ne")]],
        }));
        assert_eq!(
            write(&paper),
            "# a \\*b\\* \\<script\\>\n\n\\# não é título\n\n\\- nem lista\n\n1\\. nem isto\n\n\\[x\\](javascript:1) \\| y\n\n\
             **Ana:** [vê](<https://a.b/%3Cc%3E?d=e>)x\n\n| A\\|B |\n| --- |\n| c\\|d e |\n"
        );
    }
}
