//! Real documents, beside the project where they are there: what each must give, written down after reading it.

use std::collections::HashMap;

use tusab_ingest::{Error, Format, OldOffice, Options, parse};

use super::{source, text};
use crate::shared;

/// Name, format, pages, words, title and start of each document.
type Row = (&'static str, Format, usize, usize, &'static str, &'static str);

#[rustfmt::skip]
const READ: &[Row] = &[
    ("en.handbook-apt.html", Format::Html, 0, 3571, "Chapter 6. Maintenance and Updates: The APT Tools", "Download the ebook\n\n# Chapter 6. Mainten"),
    ("en.quati-supplement.pdf", Format::Pdf, 9, 2026, "", "Quati: A Brazilian Portuguese Informatio"),
    ("mammoth.comments.docx", Format::Docx, 0, 1, "", "Ouch."),
    ("mammoth.embedded-style-map.docx", Format::Docx, 0, 4, "", "Walking on imported air"),
    ("mammoth.endnotes.docx", Format::Docx, 0, 10, "", "Ouch[^1].[^2]\n\n[^1]: A tachyon walks int"),
    ("mammoth.footnote-hyperlink.docx", Format::Docx, 0, 3, "", "[^1]\n\n[^1]: Example"),
    ("mammoth.footnotes.docx", Format::Docx, 0, 10, "", "Ouch[^1].[^2]\n\n[^1]: A tachyon walks int"),
    ("mammoth.simple-list.docx", Format::Docx, 0, 4, "", "- Apple\n- Banana"),
    ("mammoth.single-paragraph.docx", Format::Docx, 0, 4, "", "Walking on imported air"),
    ("mammoth.strikethrough.docx", Format::Docx, 0, 5, "", "Today's Special: Salmon Sold out"),
    ("mammoth.tables.docx", Format::Docx, 0, 21, "", "Above\n\n| Top left | Top right |\n| --- | "),
    ("mammoth.underline.docx", Format::Docx, 0, 3, "", "The Sunset Tree"),
    ("mammoth.utf8-bom.docx", Format::Docx, 0, 7, "", "This XML has a byte order mark."),
    ("pandoc.block_quotes.docx", Format::Docx, 0, 91, "Some block quotes, in different ways", "## Some block quotes, in different ways\n"),
    ("pandoc.comments.docx", Format::Docx, 0, 31, "", "I want some text to have a comment on it"),
    ("pandoc.enumerated_headings.docx", Format::Docx, 0, 12, "H1", "# 1 H1\n\n## 1.1 H2\n\n### 1.1.1 H3\n\nAnd som"),
    ("pandoc.headers.docx", Format::Docx, 0, 55, "A Test of Headers", "# A Test of Headers\n\n## Second Level\n\nSo"),
    ("pandoc.i18n_blocks.docx", Format::Docx, 0, 29, "This is Heading 1", "# This is Heading 1\n\n## This is Heading "),
    ("pandoc.inline_images.docx", Format::Docx, 0, 10, "", "This picture  is an identicon.\n\nHere is "),
    ("pandoc.links.docx", Format::Docx, 0, 48, "An internal link and an external link", "## An internal link and an external link"),
    ("pandoc.lists.docx", Format::Docx, 0, 33, "Some nested lists", "## Some nested lists\n\n1. one\n2. two\n  a."),
    ("pandoc.notes.docx", Format::Docx, 0, 21, "A footnote", "## A footnote\n\nTest footnote.[^1] Test e"),
    ("pandoc.sdt_elements.docx", Format::Docx, 0, 24, "", "| col1Header | col2Header | col3Header |"),
    ("pandoc.tables.docx", Format::Docx, 0, 95, "A table, with and without a header row", "## A table, with and without a header ro"),
    ("pandoc.tabs.docx", Format::Docx, 0, 8, "", "Some text separated\tby a tab.\n\nTab-inden"),
    ("pandoc.text_in_shape_format.docx", Format::Docx, 0, 21, "Using Microsoft Word 2007/2010 for Writing Technical Documents", "Last update: May 1, 2017\n\nUsing Microsof"),
    ("pandoc.unicode.docx", Format::Docx, 0, 5, "", "Hello, 世界. This costs €10."),
    ("pt.Fase3_Metodologia_Conclusao_AgroSele.docx", Format::Docx, 0, 2190, "", "PROCESSAMENTO DE LINGUAGEM NATURAL\n\nProf"),
    ("pt.Roteiro_Apresentacao_AgroSele.docx", Format::Docx, 0, 1476, "Roteiro de Apresentação — AgroSele", "# Roteiro de Apresentação — AgroSele\n\nBa"),
    ("pt.debian-faq.pdf", Format::Pdf, 75, 30026, "The Debian GNU/Linux FAQ", "The Debian GNU/Linux FAQ\n31 de maio de 2"),
    ("pt.debian-faq.txt", Format::PlainText, 0, 26241, "", "\n                      The Debian GNU/Li"),
    ("pt.rag-br-datasets.md", Format::Markdown, 0, 786, "🧩 Descrição Geral dos Datasets", "# 🧩 **Descrição Geral dos Datasets**\nAba"),
    ("pt.regis.BR-BG.03839-p1.pdf", Format::Pdf, 1, 572, "", "HAS/TATDO PETROLEO EFRONTEIRAS EXPLORATO"),
    ("pt.regis.BR-BG.03996-p1.pdf", Format::Pdf, 1, 549, "", ", ,"),
    ("pt.tcu-leiame.md", Format::Markdown, 0, 1088, "IndIR - Datasets e outros arquivos preparados", "# IndIR - Datasets e outros arquivos pre"),
    ("pypdf.google-doc-document.pdf", Format::Pdf, 1, 178, "PDF Example Document", "Example document\n\nBeautiful is better th"),
    ("pypdf.imagemagick-images.pdf", Format::Pdf, 6, 4, "imagemagick-images", "Background\n\nBackground\n\nBackground\n\nBack"),
    ("pypdf.mistitled_outlines_example.pdf", Format::Pdf, 4, 1412, "", "Contents\n1 Foo 2\n2 Bar 2\n3 Baz 2\n4 Foo 2"),
    ("pypdf.pdfkit.pdf", Format::Pdf, 1, 5, "", "Header\nFoo: bar\nABC: DEF"),
    ("pypdf.pdflatex-4-pages.pdf", Format::Pdf, 4, 2603, "", "Hello, here is some text without a meani"),
    ("pypdf.pdflatex-outline.pdf", Format::Pdf, 4, 1412, "", "Contents\n1 Foo 2\n2 Bar 2\n3 Baz 2\n4 Foo 2"),
    ("pypdf.with-attachment.pdf", Format::Pdf, 1, 101, "", "Lorem ipsum dolor sit amet, consetetur s"),
    ("terrier.document.docx", Format::Docx, 0, 50, "", "Lorem ipsum dolor sit amet, consetetur s"),
    ("terrier.document.pdf", Format::Pdf, 2, 50, "document", "Lorem ipsum dolor sit amet, consetetur s"),
    ("terrier.document.pptx", Format::Pptx, 2, 55, "Lorem ipsum dolor sit amet, consetetur sadipscing elitr,", "## Lorem ipsum dolor sit amet, consetetu"),
    ("terrier.document.txt", Format::PlainText, 0, 50, "", "Lorem ipsum dolor sit amet, consetetur s"),
];

#[test]
fn every_document_gives_its_text() {
    for (name, format, pages, words, title, start) in READ {
        let Some(bytes) = shared(&format!("documents/{name}")) else { continue };
        let parsed = parse(name, &bytes, &Options::default()).unwrap();
        // One has pages that are pictures alone.
        assert_eq!(parsed.warnings.len(), usize::from(*name == "pypdf.imagemagick-images.pdf"), "{name}");
        let source = parsed.value;
        assert_eq!((source.format, source.pages.count()), (*format, *pages), "{name}");
        assert_eq!(source.title.as_deref().unwrap_or_default(), *title, "{name}");
        assert!(text(&source).starts_with(start), "{name}: {:?}", text(&source).get(..60));
        assert_eq!(text(&source).split_whitespace().count(), *words, "{name}");
    }
}

#[test]
fn what_holds_no_text_or_is_too_old_is_named() {
    let error = |name: &str| {
        Some(parse(name, &shared(&format!("documents/{name}"))?, &Options::default()).unwrap_err())
    };
    for name in ["empty", "external-picture", "tiny-picture", "tiny-picture-target-base-relative"] {
        let Some(error) = error(&format!("mammoth.{name}.docx")) else { continue };
        assert!(matches!(error, Error::NoText { format: Format::Docx }), "{name}: {error:?}");
    }
    for (end, old) in [("doc", OldOffice::Word), ("ppt", OldOffice::PowerPoint)] {
        let Some(error) = error(&format!("terrier.document.{end}")) else { continue };
        assert!(matches!(error, Error::OldOffice { program } if program == old), "{end}: {error:?}");
    }
}

/// Phrases that stand or fall with one thing each: notes, lists, tables, boxes, columns, words cut at a line's end.
#[test]
fn what_each_document_is_for_is_there() {
    for (name, phrase) in [
        ("mammoth.footnotes.docx", "[^1]: A tachyon walks into a bar."),
        ("mammoth.tables.docx", "| Bottom left | Bottom right |"),
        ("pandoc.enumerated_headings.docx", "### 1.1.1 H3"),
        ("pandoc.lists.docx", "1. one\n2. two\n  a. a\n  b. b\n- one\n- two\n  - three\n    - four\n"),
        ("pandoc.tables.docx", "| Ryan Braun | Baseball | Moderate | Steroids |"),
        ("pandoc.sdt_elements.docx", "| col1 content | Body copy | col3 content |"),
        ("pandoc.text_in_shape_format.docx", "for Writing Technical Documents"),
        ("pandoc.links.docx", "An external link to a popular website."),
        ("terrier.document.pptx", "## 2\n\n- At vero eos et accusam et justo duo dolores et ea rebum."),
        ("en.handbook-apt.html", "### 6.1.1. Syntax\n\nEach active line in the /etc/apt/sources.list file"),
        (
            "pt.regis.BR-BG.03839-p1.pdf",
            "de os sedimentos rttt constítuúem. na maioria das\nbacias mesozóico-cenozóicas, a sua seção",
        ),
        (
            "pt.regis.BR-BG.03839-p1.pdf",
            "constituem as acumulações. Procurou-se, também, situar os principais campos dos",
        ),
        ("pypdf.google-doc-document.pdf", "Special cases aren't special enough to break the rules."),
        ("pypdf.pdflatex-4-pages.pdf", "“Huardest gefburn”? Kjift – not at all!"),
        (
            "en.quati-supplement.pdf",
            "Considering query–passage relevance annotation is a subjective task, we argue that",
        ),
    ] {
        let Some(bytes) = shared(&format!("documents/{name}")) else { continue };
        let parsed = parse(name, &bytes, &Options::default()).unwrap().value;
        assert!(text(&parsed).contains(phrase), "{name}: {phrase}");
    }
    if let Some(bytes) = shared("documents/en.handbook-apt.html") {
        let page = source("a.html", &bytes);
        assert!(!text(&page).contains("Coexistence with Other Packaging Systems\n"), "the menu is left out");
    }
}

/// The manual as PDF beside the same manual as text: the words of the text that the PDF has, in order.
///
/// The text prints what the PDF does not: addresses of links a second time, in brackets, and the titles of the sections
/// it refers to. Those are taken out first. It has its notes at the ends of chapters, the PDF at the feet of pages, where
/// they are cited; they are looked for by themselves. Measured: 99.67 % without the notes, and each note on one page; 98.1
/// % with the notes where the text has them; 96.0 % of all that the text prints.
#[test]
fn a_manual_in_pdf_has_the_words_of_the_manual_in_text() {
    let (Some(pdf), Some(plain)) =
        (shared("documents/pt.debian-faq.pdf"), shared("documents/pt.debian-faq.txt"))
    else {
        return;
    };
    let read = source("a.pdf", &pdf);
    let plain = String::from_utf8(plain).unwrap();
    assert!(in_order(&plain, text(&read)) >= 0.959);
    let printed = without_titles(&without_addresses(&plain));
    let share = in_order(&printed, text(&read));
    assert!(share >= 0.98, "{share}");
    let (body, notes) = without_notes(&printed);
    let share = in_order(&body, text(&read));
    assert!(share >= 0.996, "{share}");
    assert_eq!(notes.len(), 7);
    for note in notes {
        let shares = read.pages.texts(text(&read)).map(|page| in_order(&note, page));
        let best = shares.fold(0.0, f64::max);
        // The number of a note touches its first word, which may be one of a dozen.
        assert!(best >= 0.9, "{best}: {note}");
    }
}

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect()
}

/// The share of the words of one text that stand in another in the same order: the longest common subsequence, found
/// as Hunt and Szymanski do (Communications of the ACM 20(5), 1977).
#[expect(clippy::cast_precision_loss, reason = "some ten thousand words")]
fn in_order(expected: &str, found: &str) -> f64 {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, word) in words(found).into_iter().enumerate() {
        places.entry(word).or_default().push(place);
    }
    let expected = words(expected);
    // The least place in which a common subsequence of each length can end.
    let mut ends: Vec<usize> = Vec::new();
    for word in &expected {
        for place in places.get(word).into_iter().flatten().rev() {
            let at = ends.partition_point(|end| end < place);
            match ends.get_mut(at) {
                Some(end) => *end = *place,
                None => ends.push(*place),
            }
        }
    }
    ends.len() as f64 / expected.len() as f64
}

/// Without `(https://...)`.
fn without_addresses(text: &str) -> String {
    let mut parts = text.split('(');
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_address =
            ["http:", "https:", "ftp:", "mailto:"].iter().any(|scheme| part.trim_start().starts_with(scheme));
        kept.push_str(match part.split_once(')') {
            Some((_, rest)) if is_address => rest,
            _ => part,
        });
        kept.push(' ');
    }
    kept
}

/// Without the title in `Secção 2.1, “title”`.
fn without_titles(text: &str) -> String {
    let mut parts = text.split("Secção\u{a0}");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let title =
            part.split_once('“').filter(|(number, _)| number.trim().ends_with(',') && number.len() < 12);
        match title.and_then(|(number, title)| Some((number, title.split_once('”')?.1))) {
            Some((number, rest)) => kept.extend(["Secção ", number, rest]),
            None => kept.extend(["Secção ", part]),
        }
    }
    kept
}

/// The text and, by themselves, the notes that stand below a line at the ends of chapters.
fn without_notes(text: &str) -> (String, Vec<String>) {
    let (mut body, mut notes) = (String::new(), String::new());
    let mut lines = text.lines().peekable();
    let mut in_notes = false;
    while let Some(line) = lines.next() {
        if line.starts_with("-----") {
            while lines.next_if(|line| line.trim().is_empty()).is_some() {}
            in_notes = lines.peek().is_some_and(|line| line.trim().starts_with("^["));
            continue;
        }
        in_notes &= !line.starts_with("Capítulo");
        let part = if in_notes { &mut notes } else { &mut body };
        part.push_str(line);
        part.push('\n');
    }
    let notes = notes.split("^[").filter_map(|note| Some(note.split_once(']')?.1.to_owned()));
    (body, notes.collect())
}
