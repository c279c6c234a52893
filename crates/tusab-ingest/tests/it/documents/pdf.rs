use std::fmt::Write as _;

use tusab_chunk::{ByteOffset, Chunker, Position, Windows};
use tusab_ingest::{Content, DocumentLimits, Error, Format, Limit, Options, Problem, parse};

use super::made::{pdf, pdf_with};
use super::{error, source, text};

/// Shows lines of text from a point downwards.
fn lines(x: u32, y: u32, lines: &[&str]) -> String {
    let mut content = format!("BT /F2 10 Tf 12 TL {x} {y} Td ");
    for line in lines {
        write!(content, "({line}) Tj T* ").unwrap();
    }
    content + "ET "
}

#[test]
fn pages_keep_their_numbers_and_words_are_made_whole() {
    let first = lines(
        50,
        700,
        &["A reuni\u{e3}o apro-", "vou o or\u{e7}amento.", "Guarda-chuva e guarda-", "chuva."],
    );
    let second = lines(50, 700, &["Segunda p\u{e1}gina."]);
    let mut source = source("a.pdf", &pdf(&[&first, "", &second]));
    assert_eq!(source.format, Format::Pdf);
    assert_eq!(source.title.as_deref(), Some("Ata de junho"));
    assert_eq!(source.date.map(|date| date.to_string()).as_deref(), Some("2024-02-29"));
    assert_eq!(source.tags, ["ata", "junho"]);
    assert_eq!(source.language.as_ref().map(tusab_chunk::Language::as_str), Some("pt-BR"));
    assert_eq!(
        text(&source),
        "A reunião aprovou o orçamento.\nGuarda-chuva e guardachuva.\n\nSegunda página."
    );
    assert_eq!(source.pages.count(), 3);

    let pages = std::mem::take(&mut source.pages);
    let at = text(&source).find("Segunda").unwrap();
    assert_eq!(pages.at(ByteOffset(at)).unwrap().get(), 3);
    let chunks = Windows::default().chunks(&source.into_document("file:a".parse().unwrap(), ""));
    let Position::Text(span) = chunks[0].position() else { panic!("not of a text") };
    let cited = pages.of(span).unwrap();
    assert_eq!((cited.start().get(), cited.end().get()), (1, 3));
}

#[test]
fn words_are_parted_by_gaps_as_well_as_by_spaces() {
    // Letters moved a little are one word, moved a lot are two; and so are words placed one by one.
    let moved = "BT /F1 10 Tf 50 700 Td [(ju)20(ros)-300(altos)] TJ ET BT /F2 10 Tf 1 0 0 1 50 680 Tm (sedimenta\u{e7}\u{e3}o) Tj \
        1 0 0 1 108 680 Tm (rift) Tj ET BT /F1 10 Tf 0 -660 Td ET q 1 0 0 1 0 660 cm BT /F1 10 Tf 3 Tw 50 0 Td (um dois) Tj ET Q";
    assert_eq!(text(&source("a.pdf", &pdf(&[moved]))), "juros altos\nsedimentação rift\num dois");
}

#[test]
fn columns_are_read_one_after_another_and_tables_row_by_row() {
    let left = [
        "A primeira coluna come\u{e7}a aqui com texto",
        "e segue por linhas cheias que v\u{e3}o de",
        "uma margem at\u{e9} a outra da coluna, e",
        "termina somente nesta linha, a quarta.",
    ];
    let right = [
        "A segunda coluna come\u{e7}a ao lado dela e",
        "deve vir depois de toda a primeira, n\u{e3}o",
        "misturada linha a linha com ela, pois",
        "assim ningu\u{e9}m entenderia o texto lido.",
    ];
    let title = lines(
        50,
        740,
        &["Um t\u{ed}tulo que atravessa as duas colunas da p\u{e1}gina inteira, de ponta a ponta, sem parar"],
    );
    // The right column is a little lower than the left one, as in pages that were scanned.
    let page = [title, lines(50, 700, &left), lines(300, 698, &right)].concat();
    let read = source("a.pdf", &pdf(&[&page]));
    let all: Vec<&str> = text(&read).lines().filter(|line| !line.is_empty()).collect();
    let expected: Vec<String> = left.iter().chain(&right).map(|line| (*line).to_owned()).collect();
    assert_eq!(all[1..], expected);

    let table = [
        lines(50, 700, &["Ano", "2022", "2023", "2024", "2025"]),
        lines(300, 700, &["Taxa", "13,75", "11,75", "12,25", "15,00"]),
    ]
    .concat();
    assert_eq!(text(&source("a.pdf", &pdf(&[&table]))).lines().nth(1), Some("2022 13,75"));
}

#[test]
fn turned_text_and_bold_by_double_printing_are_read_once() {
    let page = "BT /F1 10 Tf 50 700 Td (forte) Tj ET BT /F1 10 Tf 50.3 700 Td (forte) Tj ET BT /F1 10 Tf 0 1 -1 0 20 400 Tm (de lado) Tj ET";
    assert_eq!(text(&source("a.pdf", &pdf(&[page]))), "forte\n\nde lado");
}

#[test]
fn pictures_and_passwords_are_named() {
    let scanned = error("a.pdf", &pdf(&["/Im Do", "q BI /W 1 /H 1 ID 0 EI Q"]));
    assert!(matches!(scanned, Error::ScannedPdf { pages: 2 }), "{scanned:?}");
    assert!(scanned.to_string().contains("OCR"));
    assert!(matches!(error("a.pdf", &pdf(&["", ""])), Error::NoText { format: Format::Pdf }));
    let mixed = parse("a.pdf", &pdf(&["/Im Do", &lines(50, 700, &["texto"])]), &Options::default()).unwrap();
    let [warning] = mixed.warnings.as_slice() else { panic!("{:?}", mixed.warnings) };
    assert_eq!(warning.problem, Problem::ScannedPages { pages: 1, of: 2 });
    assert_eq!(mixed.value.content, Content::Text("texto".into()));
    // RC4 with 40 bits, and keys that no empty password fits.
    let key = "00".repeat(32);
    let encrypted = format!("/Encrypt<</Filter/Standard/V 1/R 2/O<{key}>/U<{key}>/P -4>>");
    let error = error("a.pdf", &pdf_with(&[&lines(50, 700, &["segredo"])], &encrypted, ""));
    assert!(matches!(error, Error::EncryptedPdf), "{error:?}");
}

#[test]
fn the_mark_may_come_late_and_cut_files_are_an_error_or_what_is_whole() {
    let whole = pdf(&[&lines(50, 700, &["texto"])]);
    let late = [b"lixo do servidor\r\n".as_slice(), &whole].concat();
    assert_eq!(text(&source("a.pdf", &late)), "texto");
    for end in (0..whole.len()).step_by(37) {
        if let Ok(parsed) = parse("a.pdf", &whole[..end], &Options::default()) {
            assert!(
                matches!(parsed.value.content, Content::Text(text) if "texto".starts_with(text.trim())),
                "{end}"
            );
        }
    }
}

#[test]
fn work_without_end_is_refused() {
    // A form that draws itself, and one that draws another many times.
    let limits = DocumentLimits::default().with_steps(10_000);
    let options = Options::default().with_limits(limits);
    let many = "/Im Do ".repeat(20_000);
    let refused = parse("a.pdf", &pdf(&[&many]), &options).unwrap_err();
    assert!(matches!(refused, Error::TooLarge { limit: Limit::Steps(10_000) }), "{refused:?}");
    let own = pdf_with(&[&lines(50, 700, &["texto"]).replace("ET", "ET /Eu Do")], "", "/Eu 11 0 R");
    assert!(parse("a.pdf", &own, &options).is_ok());
    let pages = Options::default().with_limits(DocumentLimits::default().with_pages(1));
    let refused = parse("a.pdf", &pdf(&["", ""]), &pages).unwrap_err();
    assert!(matches!(refused, Error::TooLarge { limit: Limit::Pages(1) }), "{refused:?}");
}
