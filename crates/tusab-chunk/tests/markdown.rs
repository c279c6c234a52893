//! What must hold of windows of Markdown.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking, helpers of tests too"
)]

mod common;

use common::{check_spans, config, doc, text};
use proptest::prelude::*;
use tusab_chunk::{
    Body, Characters, Chars, Chunk, Chunker, Document, MeasuredWindows, Position, TextSpan, TextWindows,
    Units, Windows,
};
use unicode_segmentation::UnicodeSegmentation;

fn chunks((size, overlap): (usize, usize), text: &str) -> Vec<Chunk> {
    TextWindows::new(Chars(size), Chars(overlap)).unwrap().markdown_chunks(&doc(), text)
}

fn span(chunk: &Chunk) -> TextSpan {
    match chunk.position() {
        Position::Text(span) => span,
        other => panic!("not of a text: {other:?}"),
    }
}

fn spans(chunks: &[Chunk]) -> Vec<TextSpan> {
    chunks.iter().map(span).collect()
}

/// Something that stands between blank lines, and whether it is a block of code or a table.
fn part() -> impl Strategy<Value = String> {
    let words = "([a-zé]{1,8} ){1,30}[a-z]{1,5}\\.";
    prop_oneof![
        4 => words,
        2 => ("#{1,4}", "[A-Z][a-z]{1,8}").prop_map(|(marks, title)| format!("{marks} {title}")),
        2 => ("(`{3}|~{3})", proptest::collection::vec("[a-z ]{0,20}", 1..8))
            .prop_map(|(fence, lines)| format!("{fence}rust\n{}\n{fence}", lines.join("\n"))),
        2 => proptest::collection::vec("[a-z]{1,9} \\| [a-z ]{1,20}", 1..8)
            .prop_map(|rows| format!("| a | b |\n|---|---|\n| {} |", rows.join(" |\n| "))),
        1 => text(),
    ]
}

/// Lines that open and close everything, in any order.
fn wild_markdown() -> impl Strategy<Value = String> {
    let line = proptest::sample::select(vec![
        "# A",
        "## B",
        "===",
        "---",
        "- a",
        "1. ",
        "   ",
        "    x",
        "\t",
        ">",
        "> - ",
        "```",
        "~~~~",
        "- ```",
        "| a | b |",
        "|---|---|",
        "<!--",
        "-->",
        "<pre>",
        "</pre>",
        "***",
        "+++",
        "",
        "",
        "\r",
        "\u{feff}",
        " \u{315}a",
        "um texto que segue",
    ]);
    proptest::collection::vec(line, 0..40).prop_map(|lines| lines.join("\n"))
}

fn markdown() -> impl Strategy<Value = String> {
    proptest::collection::vec(part(), 0..25).prop_map(|parts| parts.join("\n\n"))
}

/// Parts without surprises: what stands in each is known from its first characters.
fn tame_markdown() -> impl Strategy<Value = Vec<String>> {
    let tame = part().prop_filter("of known structure", |part| {
        part.is_ascii()
            && !part.contains(['\r', '\0'])
            && (part.matches("```").count() + part.matches("~~~").count()) % 2 == 0
    });
    proptest::collection::vec(tame, 1..25)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn windows_of_markdown_advance_and_lose_nothing(
        text in prop_oneof![markdown(), wild_markdown()], sizes in common::sizes(),
    ) {
        let chunks = chunks(sizes, &text);
        check_spans(&text, &spans(&chunks))?;
        for chunk in &chunks {
            prop_assert_eq!(Some(chunk.original_text()), span(chunk).slice(&text));
            let part = chunk.original_text();
            prop_assert!(part.chars().count() <= sizes.0 || part.graphemes(true).count() == 1, "{part:?}");
        }
    }

    #[test]
    fn a_block_that_fits_is_whole_in_some_window(parts in tame_markdown(), sizes in (150..400_usize, 0..100_usize)) {
        let text = parts.join("\n\n");
        let chunks = chunks(sizes, &text);
        let mut start = 0;
        for part in &parts {
            let units: Vec<&str> = match part.get(..3) {
                Some("```" | "~~~") => vec![part],
                Some("| a") => part.lines().collect(),
                _ => vec![],
            };
            for unit in units.into_iter().map(str::trim).filter(|unit| unit.chars().count() <= sizes.0) {
                let at = start + text[start..].find(unit).unwrap();
                let whole = |span: TextSpan| span.byte_start().0 <= at && at + unit.len() <= span.byte_end().0;
                prop_assert!(spans(&chunks).into_iter().any(whole), "{unit:?} is cut");
            }
            start += part.len() + 2;
        }
    }

    #[test]
    fn phrases_outside_long_blocks_stand_whole_as_in_plain_text(
        text in "([a-z]{1,9}[ .]{1,2}|\n\n# [a-z]{1,9}\n\n){1,80}", sizes in common::sizes(),
    ) {
        let spans = spans(&chunks(sizes, &text));
        // A heading is a block too, and one that does not leave room for the overlap shortens it.
        let longest = text.lines().filter(|line| line.starts_with('#')).map(str::len).max().unwrap_or(0) + 4;
        if longest + sizes.1 <= sizes.0 {
            for (start, end) in common::Clusters::of(&text).phrases(sizes.1) {
                let whole = spans.iter().any(|span| span.byte_start().0 <= start && end <= span.byte_end().0);
                prop_assert!(whole, "{:?} at {start}", &text[start..end]);
            }
        }
    }

    #[test]
    fn measured_in_characters_it_is_the_same(text in markdown(), sizes in common::sizes()) {
        let measured = MeasuredWindows::new(Characters, Units(sizes.0), Units(sizes.1)).unwrap();
        prop_assert_eq!(measured.markdown_chunks(&doc(), &text).unwrap(), chunks(sizes, &text));
    }
}

#[test]
fn each_chunk_carries_the_headings_of_its_own_text() {
    let filler = "Uma frase que enche o parágrafo. ".repeat(5);
    let text = format!(
        "Antes de tudo.\n\n# Guia\n\n## Instalar\n\n{filler}\n\n### Linux\n\n{filler}\n\n## Usar\n\n{filler}\n"
    );
    let chunks = chunks((230, 40), &text);
    let sections: Vec<Option<&str>> = chunks.iter().map(Chunk::section).collect();
    assert_eq!(
        sections,
        [Some("Guia > Instalar"), Some("Guia > Instalar > Linux"), Some("Guia > Usar")],
        "{:?}",
        chunks.iter().map(Chunk::original_text).collect::<Vec<_>>()
    );
}

#[test]
fn many_small_sections_are_packed_and_tell_where_the_first_stands() {
    let section = |n| format!("### Termo {n}\n\nO que ele diz, em poucas palavras.\n\n");
    let sections = (0..600).map(section).collect::<Vec<_>>().concat();
    let text = format!("# Guia\n\n## Glossário\n\n{sections}");
    let chunks = TextWindows::default().markdown_chunks(&doc(), &text);
    for chunk in chunks.get(..chunks.len() - 1).unwrap() {
        let chars = chunk.original_text().chars().count();
        assert!(chars > 1_900, "{chars} characters: {:?}", chunk.section());
    }
    assert_eq!(chunks[0].section(), Some("Guia > Glossário > Termo 0"));
    for (before, chunk) in chunks.iter().zip(&chunks[1..]) {
        // Its own text starts where the one before ends: with a heading, which is the one it carries.
        let own = text[span(before).byte_end().0..].trim_start().lines().next().unwrap();
        let title = own.strip_prefix("### ").unwrap();
        assert_eq!(chunk.section(), Some(format!("Guia > Glossário > {title}").as_str()));
    }
}

#[test]
fn text_under_no_heading_has_no_section() {
    let text = format!("{}\n\n# Fim\n\nfim", "palavra ".repeat(60));
    let chunks = chunks((230, 40), &text);
    assert_eq!(chunks.first().unwrap().section(), None);
    assert_eq!(chunks.last().unwrap().section(), Some("Fim"));
}

/// The section of the text after `markdown`.
fn section_after(markdown: &str) -> Option<String> {
    let text = format!("{markdown}\n\n{}", "palavra ".repeat(100));
    chunks((100, 0), &text).last().unwrap().section().map(str::to_owned)
}

#[test]
fn headings_are_told_from_all_that_looks_like_one() {
    for (markdown, section) in [
        ("# A\n\n## B\n\n# C", "C"),
        ("# A\n\n#### D", "A > D"),
        ("# A\n\n#B\n\n\\# C", "A"),
        ("\u{feff}# A", "A"),
        // Of two lines, with and without marks at the end, and in CR LF.
        ("Duas\n  linhas\n===", "Duas linhas"),
        ("A\r\n===\r\n\r\nB\r\n---\r\n", "A > B"),
        ("***\nA\n===", "A"),
        ("```\nx\n```\nA\n===", "A"),
        ("> ```\n> x\nA\n===", "A"),
        // Rules, items, quotes and rows are no paragraphs.
        ("# A\n\n***\n---", "A"),
        ("# A\n\n_ _ _\n---", "A"),
        ("# A\n\n- item\n---", "A"),
        ("# A\n\n> dito\n---", "A"),
        ("# A\n\ntexto\n- item\n---", "A"),
        ("# A\n\n| a | b |\n|---|---|\n| # | x |\n# B", "B"),
        ("# A\n\na | b\n--|--\n1 | 2\n===", "A"),
        // Code: fenced at any depth of lists and quotes, indented, never closed.
        ("# A\n\n~~~\n# no\n~~~", "A"),
        ("# A\n\n~~~\n```\n# no\n~~~", "A"),
        ("1. a\n\n   ```sh\n   # no\n   ```\n\n# A", "A"),
        ("# A\n\n10) a\n    ```\n    # no\n    ```\n\n## B", "A > B"),
        ("# A\n\n- - ```\n    # no\n    ```\n\n## B", "A > B"),
        ("# A\n\n- a\n  - b\n    - c\n\n      ~~~\n      # no\n      ~~~\n\n## B", "A > B"),
        ("# A\n\n> 1. ```\n>    # no\n>    ```\n\n## B", "A > B"),
        ("# A\n\n    ```\n\n## B", "A > B"),
        ("# A\n\n\t```\n\n## B", "A > B"),
        ("# A\n\n- a\n\nfim\n\n    ```\n\n## B", "A > B"),
        ("# A\n\n    # no", "A"),
        ("# A\n\n```\n    ```\n# no\n```", "A"),
        ("# A\n\n```\n> ```\n# no\n```", "A"),
        ("# A\n\n```\n# no", "A"),
        // An item's end is its block's.
        ("- ```\n  # no\n# A", "A"),
        ("- a\n\n  b\n\n  ~~~\n  # no\n\n  # no\n# A", "A"),
        ("    code\nA\n===", "A"),
        ("===\n---", "==="),
        // HTML that is shown as it is, or not at all.
        ("# A\n\n<!--\n\n# no\n-->", "A"),
        ("# A\n\n<!-- x -->\n## B", "A > B"),
        ("# A\n\n<pre>\n# no\n\n# no\n</PRE>\n\n## B", "A > B"),
        ("# A\n\n<prefix>\n\n## B", "A > B"),
        // Metadata.
        ("---\n# no\ntitle: x\n---\n# A", "A"),
        ("\u{feff}---\r\n# no\r\n---\r\n# A", "A"),
        ("+++\n# no\n+++\n\n# A", "A"),
        ("---\n\n# A\n\n---", "A"),
    ] {
        assert_eq!(section_after(markdown).as_deref(), Some(section), "{markdown:?}");
    }
}

#[test]
fn a_heading_stays_with_what_it_heads() {
    let text = format!("{}\n\n## Título\n\n{}", "palavra ".repeat(24), "outra ".repeat(40));
    let chunks = chunks((210, 0), &text);
    assert!(!chunks[0].original_text().contains('#'), "{:?}", chunks[0].original_text());
    assert!(chunks[1].original_text().starts_with("## Título\n\noutra"));
}

#[test]
fn headings_stay_with_a_block_that_is_not_split() {
    let words = "palavra ".repeat(18);
    let code = format!("```\n{}```", "let x = f(y);\n".repeat(10));
    let text = format!("{words}\n\n# A\n\n## B\n\n{code}\n");
    let chunks = chunks((210, 0), &text);
    let texts: Vec<&str> = chunks.iter().map(Chunk::original_text).collect();
    assert_eq!(texts, [words.trim_end(), &format!("# A\n\n## B\n\n{code}")]);
    assert_eq!(chunks[1].section(), Some("A > B"));
}

#[test]
fn a_block_longer_than_the_window_is_cut_at_its_lines() {
    let code = (0..60).map(|n| format!("let v{n} = f({n}). g();\n")).collect::<Vec<_>>().concat();
    let text = format!("Texto.\n\n```rust\n{code}```\n");
    let chunks = chunks((300, 30), &text);
    assert!(
        chunks[0].original_text().contains("let v9 "),
        "the window is filled: the block must be cut anyway"
    );
    for chunk in &chunks[..chunks.len() - 1] {
        assert!(chunk.original_text().ends_with(';'), "{chunk:?}");
    }
}

#[test]
fn only_markdown_is_read_as_markdown() {
    let text = "# número um\n\ntexto".to_owned();
    let section = |body| {
        let document = Document::new(doc(), "t", body);
        Windows::default().chunks(&document)[0].section().map(str::to_owned)
    };
    assert_eq!(section(Body::Text(text.clone())), None);
    assert_eq!(section(Body::Markdown(text)).as_deref(), Some("número um"));
}

#[test]
fn hostile_markdown_is_cut_in_linear_time() {
    for piece in [
        "```\n",
        "# a\n",
        "| a | b |\n|---|---|\n",
        "> ```\n",
        "- ",
        "1. ",
        "> ",
        "<!-- ",
        "<pre>\n",
        "#",
        "|",
        "a\n---\n",
        "~~~~~~\n~~~\n",
    ] {
        let text = piece.repeat(1_000_000 / piece.len());
        let chunks = TextWindows::default().markdown_chunks(&doc(), &text);
        assert_eq!(
            chunks.last().map(|chunk| span(chunk).byte_end().0),
            Some(text.trim_end().len()),
            "{piece:?}"
        );
    }
}

/// A space that carries a combining mark is what a paragraph, and so a heading of two lines, may start with.
#[test]
fn no_cluster_is_cut_where_a_line_starts_with_a_marked_space() {
    for text in [
        "%\n-\n-P#\u{b}> \u{315}\u{8}\0 \u{315}\u{8}\0\n\nL\n\n \u{315}\u{8}\0\u{1a}\nL\r\n-",
        "um texto\n\n \u{315}a\nb\n---\n \u{315}\n```\nx \u{315}",
    ] {
        for size in 1..=text.chars().count() {
            let edges =
                |at: usize| at == text.len() || text.grapheme_indices(true).any(|(edge, _)| edge == at);
            for span in spans(&chunks((size, 0), text)) {
                assert!(
                    edges(span.byte_start().0) && edges(span.byte_end().0),
                    "{size}: {span:?} of {text:?}"
                );
            }
        }
    }
}
