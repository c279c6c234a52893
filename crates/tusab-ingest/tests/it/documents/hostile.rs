use proptest::prelude::*;
use tusab_ingest::{ByteCount, DocumentLimits, Error, Limit, Options, parse};

use super::error;
use super::made::{archive, docx, docx_with, links, pdf};

const TEXT: &str = "<w:p><w:r><w:t>texto</w:t></w:r></w:p>";

#[test]
fn bombs_are_refused_by_what_they_become() {
    let spaces = format!("{TEXT}{}", " ".repeat(20 << 20));
    let refused = error("a.docx", &docx(&spaces, &[]));
    assert!(matches!(refused, Error::TooLarge { limit: Limit::Ratio(300) }), "{refused:?}");
    let limits = DocumentLimits::default().with_unpacked(ByteCount::mib(1)).with_ratio(u32::MAX);
    let options = Options::default().with_limits(limits);
    let refused = parse("a.docx", &docx(&spaces, &[]), &options).unwrap_err();
    assert!(
        matches!(refused, Error::TooLarge { limit: Limit::Unpacked(most) } if most == ByteCount::mib(1)),
        "{refused:?}"
    );
    assert!(refused.to_string().contains("1 MiB once unpacked"), "{refused}");
    // One text that is shown many times.
    let long = "x".repeat(1 << 16);
    let row = format!("<w:p><w:r><w:t>{long}</w:t></w:r></w:p>");
    let limits = DocumentLimits::default().with_text(ByteCount(1 << 20)).with_ratio(u32::MAX);
    let refused =
        parse("a.docx", &docx(&row.repeat(20), &[]), &Options::default().with_limits(limits)).unwrap_err();
    assert!(matches!(refused, Error::TooLarge { limit: Limit::Text(_) }), "{refused:?}");
}

#[test]
fn archives_of_too_many_files_and_files_too_large_are_refused() {
    let names: Vec<String> = (0..20).map(|number| format!("n{number}")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), b"".as_slice())).collect();
    let options = |limits| Options::default().with_limits(limits);
    let refused =
        parse("a.docx", &archive(&files), &options(DocumentLimits::default().with_entries(19))).unwrap_err();
    assert!(matches!(refused, Error::TooLarge { limit: Limit::Entries(19) }), "{refused:?}");
    for (name, bytes) in [
        ("a.docx", docx(TEXT, &[])),
        ("a.pdf", pdf(&[""])),
        ("a.csv", b"a,b\n".repeat(9)),
        ("a.html", b"<html>".repeat(9)),
    ] {
        let refused =
            parse(name, &bytes, &options(DocumentLimits::default().with_file(ByteCount(9)))).unwrap_err();
        assert!(
            matches!(refused, Error::TooLarge { limit: Limit::File(ByteCount(9)) }),
            "{name}: {refused:?}"
        );
    }
}

#[test]
fn declared_entities_are_refused_whatever_they_name() {
    for prolog in [
        "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>",
        "<!DOCTYPE a [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;\">]>",
        "<!DOCTYPE a SYSTEM \"http://127.0.0.1:1/x.dtd\">",
    ] {
        let refused = error("a.docx", &docx_with(prolog, TEXT, &[]));
        assert!(
            matches!(&refused, Error::DeclaredEntities { part, .. } if part == "word/document.xml"),
            "{refused:?}"
        );
    }
    let refused = error("a.docx", &docx("<w:p><w:r><w:t>&x;</w:t></w:r></w:p>", &[]));
    assert!(matches!(refused, Error::DeclaredEntities { .. }), "{refused:?}");
}

#[test]
fn depth_is_refused() {
    for (open, close) in [
        ("<w:a>", "</w:a>"),
        ("<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"),
        ("<w:p><w:r><w:txbxContent>", "</w:txbxContent></w:r></w:p>"),
    ] {
        let deep = format!("{}{TEXT}{}", open.repeat(5000), close.repeat(5000));
        let refused = error("a.docx", &docx(&deep, &[]));
        assert!(
            matches!(refused, Error::TooLarge { limit: Limit::Nesting(256) | Limit::Ratio(_) }),
            "{refused:?}"
        );
    }
}

#[test]
fn names_that_climb_out_of_the_archive_name_nothing() {
    let root = links(&[("r", "officeDocument", "../../../../etc/passwd")]);
    let refused =
        error("a.docx", &archive(&[("_rels/.rels", root.as_bytes()), ("../../etc/passwd", b"root")]));
    assert!(matches!(refused, Error::Damaged { .. }), "{refused:?}");
    let refused = error("a.zip", &archive(&[("a.txt", b"texto")]));
    assert!(matches!(refused, Error::Binary { .. }), "{refused:?}");
    assert!(matches!(error("a.docx", &docx("<w:p>", &[])), Error::Damaged { .. }));
    assert!(matches!(error("a.docx", &docx("", &[])), Error::NoText { .. }));
}

#[test]
fn cut_archives_are_damaged() {
    let whole = docx(TEXT, &[]);
    for end in (4..whole.len()).step_by(7) {
        let refused = error("a.docx", &whole[..end]);
        assert!(matches!(refused, Error::Damaged { .. }), "{end}: {refused:?}");
        assert!(refused.to_string().contains("save it again"));
    }
}

/// Pieces of which pages are made, and of which they should not.
const PIECES: &[&str] = &[
    "<html>",
    "<table>",
    "<tr>",
    "<td>",
    "</td>",
    "</table>",
    "<ul>",
    "<ol start=9>",
    "<li>",
    "</ul>",
    "<p>",
    "<h1>",
    "</h1>",
    "<pre>",
    "</pre>",
    "<script>",
    "</script>",
    "<title>",
    "</title>",
    "<main>",
    "</main>",
    "<nav>",
    "<br>",
    "&amp;",
    "&#x110000;",
    "<!--",
    "-->",
    "<",
    "a",
    "\n",
    "<svg>",
    "<blockquote>",
    "<p hidden>",
    "<textarea>",
    "<![CDATA[",
    "<plaintext>",
    "ç",
    "\0",
    "a;b,c\t\"",
    "\"",
];

proptest! {
    #[test]
    fn any_page_and_any_rows(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)) {
        let text = pieces.concat();
        for name in ["a.html", "a.csv"] {
            let _ = parse(name, text.as_bytes(), &Options::default());
        }
    }

    #[test]
    fn any_bytes_after_a_mark(mark in prop::sample::select(vec![&b"%PDF-1.4\n"[..], b"PK\x03\x04", b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", b"<html>"]), bytes: Vec<u8>) {
        let _ = parse("a", &[mark, &bytes].concat(), &Options::default());
    }

    #[test]
    fn changed_bytes(changes in prop::collection::vec((0_usize..4000, any::<u8>()), 1..12)) {
        let page = "BT /F1 10 Tf 50 700 Td [(ab)-300(c)] TJ ET /Im Do";
        for (name, whole) in [("a.docx", docx(TEXT, &[("footnotes", "<w:footnotes/>")])), ("a.pdf", pdf(&[page, page]))] {
            let mut bytes = whole;
            let length = bytes.len();
            for (at, byte) in &changes {
                bytes[at % length] = *byte;
            }
            let _ = parse(name, &bytes, &Options::default());
        }
    }

    /// Changed content, in an archive that is whole.
    #[test]
    fn any_xml(pieces in prop::collection::vec(prop::sample::select(vec![
        "<w:p>", "</w:p>", "<w:r>", "</w:r>", "<w:t>", "</w:t>", "a", "<w:tbl>", "</w:tbl>", "<w:tr>", "</w:tr>", "<w:tc>", "</w:tc>", "<w:pPr>", "</w:pPr>",
        "<w:numPr/>", "<w:del/>", "<w:gridSpan w:val=\"999999\"/>", "<mc:AlternateContent>", "</mc:AlternateContent>", "&lt;", "<w:txbxContent>", "</w:txbxContent>",
    ]), 0..40)) {
        let _ = parse("a.docx", &docx(&pieces.concat(), &[]), &Options::default());
    }
}
