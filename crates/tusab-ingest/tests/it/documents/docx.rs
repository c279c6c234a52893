use tusab_chunk::{Chunker, Windows};
use tusab_ingest::{Content, Format, Meeting, Options, Platform, parse};

use super::made::docx;
use super::{source, text};

fn paragraph(text: &str) -> String {
    format!("<w:p><w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r></w:p>")
}

fn styled(style: &str, text: &str) -> String {
    format!("<w:p><w:pPr><w:pStyle w:val=\"{style}\"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
}

fn item(list: u32, level: u32, text: &str) -> String {
    format!(
        "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"{list}\"/></w:numPr></w:pPr>\
         <w:r><w:t>{text}</w:t></w:r></w:p>"
    )
}

fn markdown(body: &str, parts: &[(&str, &str)]) -> String {
    text(&source("a.docx", &docx(body, parts))).to_owned()
}

const STYLES: &str = "<w:styles><w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val=\"en-US\"/></w:rPr></w:rPrDefault>\
    </w:docDefaults><w:style w:styleId=\"Ttulo1\"><w:name w:val=\"heading 1\"/></w:style>\
    <w:style w:styleId=\"Meu\"><w:name w:val=\"Meu\"/><w:basedOn w:val=\"Ttulo1\"/><w:pPr><w:outlineLvl w:val=\"2\"/></w:pPr></w:style>\
    <w:style w:styleId=\"Volta\"><w:name w:val=\"Volta\"/><w:basedOn w:val=\"Volta\"/></w:style>\
    <w:style w:styleId=\"Capa\"><w:name w:val=\"Title\"/></w:style></w:styles>";

#[test]
fn headings_come_from_styles_in_any_language() {
    let body = [
        styled("Capa", "Relatório"),
        styled("Ttulo1", "Um"),
        styled("Meu", "Dois"),
        styled("Volta", "Texto"),
        styled("Heading4", "Quatro"),
    ]
    .concat();
    let read = markdown(&body, &[("styles", STYLES)]);
    assert_eq!(read, "# Relatório\n\n# Um\n\n### Dois\n\nTexto\n\n#### Quatro");
}

#[test]
fn what_the_file_says_of_itself_is_kept() {
    let body = "<w:p><w:r><w:rPr><w:lang w:val=\"pt-BR\"/></w:rPr><w:t>A taxa de juros</w:t></w:r><w:r><w:t>ok</w:t></w:r></w:p>";
    let source = source("ata.docx", &docx(body, &[("styles", STYLES)]));
    assert_eq!(source.format, Format::Docx);
    assert_eq!(source.title.as_deref(), Some("Ata"));
    assert_eq!(source.date.map(|date| date.to_string()).as_deref(), Some("2024-02-29"));
    assert_eq!(source.tags, ["ata", "junho"]);
    assert_eq!(source.language.map(|language| language.as_str().to_owned()).as_deref(), Some("pt-BR"));
}

#[test]
fn lists_are_counted_as_word_counts_them() {
    let numbering = "<w:numbering><w:abstractNum w:abstractNumId=\"0\">\
        <w:lvl w:ilvl=\"0\"><w:start w:val=\"1\"/><w:numFmt w:val=\"decimal\"/><w:lvlText w:val=\"%1.\"/></w:lvl>\
        <w:lvl w:ilvl=\"1\"><w:start w:val=\"1\"/><w:numFmt w:val=\"lowerLetter\"/><w:lvlText w:val=\"%1.%2)\"/></w:lvl>\
        </w:abstractNum><w:abstractNum w:abstractNumId=\"1\"><w:lvl w:ilvl=\"0\"><w:numFmt w:val=\"bullet\"/></w:lvl></w:abstractNum>\
        <w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num><w:num w:numId=\"2\"><w:abstractNumId w:val=\"1\"/></w:num>\
        <w:num w:numId=\"3\"><w:abstractNumId w:val=\"0\"/><w:lvlOverride w:ilvl=\"0\"><w:startOverride w:val=\"7\"/></w:lvlOverride></w:num>\
        </w:numbering>";
    let body = [
        item(1, 0, "a"),
        item(1, 1, "b"),
        item(1, 1, "c"),
        item(1, 0, "d"),
        item(1, 1, "e"),
        item(3, 0, "f"),
        item(2, 0, "g"),
        item(9, 0, "h"),
    ];
    let read = markdown(&body.concat(), &[("numbering", numbering)]);
    assert_eq!(read, "1. a\n  1.a) b\n  1.b) c\n2. d\n  2.a) e\n7. f\n- g\n\nh");
}

#[test]
fn tracked_changes_are_taken_as_accepted() {
    let body = format!(
        "<w:p><w:r><w:t>fica</w:t></w:r><w:del><w:r><w:delText> sai</w:delText><w:noBreakHyphen/></w:r></w:del>\
         <w:ins><w:r><w:t xml:space=\"preserve\"> entra</w:t></w:r></w:ins><w:moveFrom><w:r><w:t>foi</w:t></w:r></w:moveFrom></w:p>\
         <w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>uma</w:t></w:r></w:p>{}\
         <w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr><w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr></w:tbl>\
         <w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>última</w:t></w:r></w:p>",
        paragraph(" só"),
        paragraph("x"),
        paragraph("y"),
        paragraph("p"),
        paragraph("q"),
    );
    assert_eq!(markdown(&body, &[]), "fica entra\n\numa só\n\n| p | q |\n| --- | --- |\n\núltima");
}

#[test]
fn notes_follow_the_block_that_refers_to_them() {
    let footnotes = format!(
        "<w:footnotes><w:footnote w:type=\"separator\" w:id=\"0\">{}</w:footnote><w:footnote w:id=\"2\">{}</w:footnote></w:footnotes>",
        paragraph("linha"),
        paragraph("Ver a lei.")
    );
    let endnotes =
        format!("<w:endnotes><w:endnote w:id=\"2\">{}</w:endnote></w:endnotes>", paragraph("Fim."));
    let body = format!(
        "<w:p><w:r><w:t>A</w:t><w:footnoteReference w:id=\"2\"/></w:r><w:r><w:t>, B</w:t><w:endnoteReference w:id=\"2\"/>\
         <w:footnoteReference w:id=\"2\"/><w:footnoteReference w:id=\"99\"/></w:r></w:p>{}",
        paragraph("C")
    );
    let read = markdown(&body, &[("footnotes", &footnotes), ("endnotes", &endnotes)]);
    assert_eq!(read, "A[^1], B[^2][^1]\n\n[^1]: Ver a lei.\n\n[^2]: Fim.\n\nC");
}

#[test]
fn boxes_controls_links_and_alternatives_are_read_once() {
    let inner = paragraph("caixa");
    let body = format!(
        "<w:p><w:hyperlink><w:r><w:t>link</w:t></w:r></w:hyperlink><w:r><w:instrText>HYPERLINK x</w:instrText></w:r>\
         <mc:AlternateContent><mc:Choice><w:drawing><wps:txbx><w:txbxContent>{inner}</w:txbxContent></wps:txbx></w:drawing></mc:Choice>\
         <mc:Fallback><w:pict><v:textbox><w:txbxContent>{inner}</w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent>\
         <w:r><w:rPr><w:vanish/></w:rPr><w:t>oculto</w:t></w:r><w:r><w:t xml:space=\"preserve\"> a</w:t><w:tab/><w:t>b</w:t><w:noBreakHyphen/><w:t>c</w:t><w:br/><w:t>d&amp;&#233;</w:t></w:r></w:p>\
         <w:sdt><w:sdtPr><w:alias w:val=\"x\"/></w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt>",
        paragraph("controle")
    );
    assert_eq!(markdown(&body, &[]), "link a\tb-c\nd&é\n\ncaixa\n\ncontrole");
}

#[test]
fn tables_keep_their_columns() {
    let cell = |properties: &str, text: &str| {
        format!("<w:tc><w:tcPr>{properties}</w:tcPr>{}</w:tc>", paragraph(text))
    };
    let wide = cell("<w:gridSpan w:val=\"2\"/>", "larga");
    let nested = format!(
        "<w:tc><w:tbl><w:tr>{}{}</w:tr></w:tbl>{}</w:tc>",
        cell("", "i"),
        cell("", "j"),
        paragraph("k")
    );
    let body = format!(
        "<w:tbl><w:tr>{wide}{}</w:tr><w:tr>{}{nested}{}</w:tr></w:tbl>",
        cell("", "a|b"),
        cell("", "c"),
        cell("", "d")
    );
    assert_eq!(markdown(&body, &[]), "| larga |  | a\\|b |\n| --- | --- | --- |\n| c | i; j k | d |");
}

#[test]
fn chunks_know_their_section() {
    let body =
        [styled("Ttulo1", "Cláusulas"), paragraph("O prazo é de dez dias."), paragraph("# não é título")]
            .concat();
    let bytes = docx(&body, &[("styles", STYLES)]);
    let document = parse("a.docx", &bytes, &Options::default())
        .unwrap()
        .value
        .into_document("file:a".parse().unwrap(), "");
    let chunks = Windows::default().chunks(&document);
    assert_eq!(chunks.len(), 1);
    assert_eq!(chunks[0].section(), Some("Cláusulas"));
}

/// A turn as Teams writes it today: name, time and speech in one paragraph, with the name in bold.
fn turn(name: &str, time: &str, said: &str) -> String {
    format!(
        "<w:p><w:pPr><w:spacing w:before=\"0\"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t xml:space=\"preserve\">{name}</w:t></w:r>\
         <w:r><w:t xml:space=\"preserve\">   {time}</w:t></w:r><w:r><w:br/></w:r><w:r><w:t>{said}</w:t></w:r></w:p>"
    )
}

fn meeting(body: &str) -> Meeting {
    let read = source("reunião.docx", &docx(body, &[("styles", STYLES)]));
    assert_eq!(read.format, Format::Meeting);
    assert_eq!(read.title.as_deref(), Some("Ata"));
    let Content::Meeting(meeting) = read.content else { panic!("no meeting: {read:?}") };
    meeting
}

#[test]
fn a_transcript_that_teams_saved_is_a_meeting() {
    let body = [
        styled("Capa", "Planejamento-20240312_140533-Transcrição da reunião"),
        paragraph("12 de março de 2024, 02:05PM"),
        paragraph("34m 12s"),
        "<w:p><w:r><w:t>Ana Lima</w:t></w:r><w:r><w:t xml:space=\"preserve\"> started transcription</w:t></w:r></w:p>"
            .to_owned(),
        turn("Ana Lima", "0:03", "Bom dia a todos.<w:br/>Vamos ao orçamento?"),
        turn("Rui Costa (Externo)", "0:09", "Vamos. O teto é de dez mil."),
        turn("Ana Lima", "1:00:12", "Fechado."),
        "<w:p><w:r><w:t>Ana Lima</w:t></w:r><w:r><w:t xml:space=\"preserve\"> stopped transcription</w:t></w:r></w:p>"
            .to_owned(),
    ]
    .concat();
    let body = body.replace("todos.<w:br/>Vamos", "todos.</w:t><w:br/><w:t>Vamos");
    let read = meeting(&body);
    assert_eq!(read.platform, Platform::Teams);
    assert_eq!(read.speakers, ["Ana Lima", "Rui Costa (Externo)"]);
    let turns: Vec<_> = read
        .turns
        .iter()
        .filter(|turn| turn.speaker.is_some())
        .map(|turn| (turn.span().unwrap().start().as_millis(), turn.text()))
        .collect();
    let expected = [
        (3000, "Bom dia a todos. Vamos ao orçamento?".to_owned()),
        (9000, "Vamos. O teto é de dez mil.".to_owned()),
        (3_612_000, "Fechado.".to_owned()),
    ];
    assert_eq!(turns, expected);
    // As Teams wrote it before: a line of times, the name, and what is said, in paragraphs of their own.
    let cue = |times: &str, name: &str, said: &str| [times, name, said].map(paragraph).concat();
    let body = [
        cue("0:0:1.0 --&gt; 0:0:4.510", "Ana Lima", "Bom dia."),
        cue("0:0:5.0 --&gt; 0:0:7.90", "Rui Costa", "Bom dia, Ana."),
        cue("0:0:8.0 --&gt; 0:0:9.0", "Ana Lima", "Começamos."),
    ];
    let read = meeting(&body.concat());
    assert_eq!((read.platform, read.turns.len()), (Platform::Teams, 3));
    assert_eq!(read.turns[1].span().unwrap().end().as_millis(), 7900);
}

#[test]
fn what_only_looks_like_a_transcript_stays_a_document() {
    let turns = [turn("Ana Lima", "0:03", "Bom dia."), turn("Rui Costa", "0:09", "Bom dia.")].concat();
    let table = "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr></w:tbl>";
    for body in [
        // A report that quotes one, with a table; a play; a list of songs with their lengths; prose.
        [turns.as_str(), table].concat(),
        [paragraph("Ana: Bom dia."), paragraph("Rui: Bom dia."), paragraph("Ana: Vamos.")].concat(),
        [paragraph("Samba do avião   3:12"), paragraph("Wave   2:58"), paragraph("Corcovado   4:01")]
            .concat(),
        [paragraph("A reunião das 10:30 foi adiada."), paragraph("Falamos às 11:00.")].concat(),
    ] {
        let read = source("a.docx", &docx(&body, &[]));
        assert_eq!(read.format, Format::Docx, "{body}");
    }
}
