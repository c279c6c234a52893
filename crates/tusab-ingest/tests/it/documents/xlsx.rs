use tusab_ingest::Format;

use super::made::{archive, links};
use super::{source, text};

fn xlsx(sheets: &[(&str, &str)]) -> Vec<u8> {
    let list = sheets
        .iter()
        .enumerate()
        .map(|(at, (name, _))| format!("<sheet name=\"{name}\" r:id=\"s{at}\"/>"))
        .collect::<Vec<_>>()
        .concat();
    let workbook = format!("<workbook><workbookPr/><sheets>{list}</sheets></workbook>");
    let names: Vec<(String, String)> =
        (0..sheets.len()).map(|at| (format!("s{at}"), format!("worksheets/sheet{at}.xml"))).collect();
    let mut own: Vec<(&str, &str, &str)> =
        names.iter().map(|(id, target)| (id.as_str(), "worksheet", target.as_str())).collect();
    own.extend([("t", "sharedStrings", "sharedStrings.xml"), ("f", "styles", "/xl/styles.xml")]);
    let strings = "<sst><si><t>Nome</t></si><si><r><t>Nasci</t></r><r><t>mento</t></r><rPh><t>x</t></rPh></si><si><t>Ana</t></si></sst>";
    let styles = "<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\"dd/mm/yyyy\"/></numFmts>\
        <cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"164\"/><xf numFmtId=\"10\"/><xf numFmtId=\"22\"/></cellXfs>\
        <dxfs><dxf><numFmt numFmtId=\"164\" formatCode=\"0\"/></dxf></dxfs></styleSheet>";
    let (own, root) = (links(&own), links(&[("r", "officeDocument", "xl/workbook.xml")]));
    let parts: Vec<(String, String)> = names
        .iter()
        .zip(sheets)
        .map(|((_, target), (_, data))| {
            (format!("xl/{target}"), format!("<worksheet><sheetData>{data}</sheetData></worksheet>"))
        })
        .collect();
    let mut files: Vec<(&str, &[u8])> = vec![
        ("_rels/.rels", root.as_bytes()),
        ("xl/workbook.xml", workbook.as_bytes()),
        ("xl/_rels/workbook.xml.rels", own.as_bytes()),
        ("xl/sharedStrings.xml", strings.as_bytes()),
        ("xl/styles.xml", styles.as_bytes()),
    ];
    files.extend(parts.iter().map(|(name, xml)| (name.as_str(), xml.as_bytes())));
    archive(&files)
}

#[test]
fn each_row_is_understood_on_its_own() {
    let people = "<row><c r=\"A1\" t=\"inlineStr\"><is><t>Pessoas</t></is></c></row>\
        <row r=\"3\"><c r=\"A3\" t=\"s\"><v>0</v></c><c r=\"B3\" t=\"s\"><v>1</v></c><c r=\"D3\" t=\"str\"><v>Parte</v></c></row>\
        <row><c r=\"A4\" t=\"s\"><v>2</v></c><c r=\"B4\" s=\"1\"><v>45351</v></c><c r=\"D4\" s=\"2\"><f>1/8</f><v>0.125</v></c></row>\
        <row><c r=\"B5\" s=\"3\"><v>45351.5</v></c><c r=\"C5\" t=\"b\"><v>1</v></c><c r=\"D5\" t=\"e\"><v>#DIV/0!</v></c></row>\
        <row><c r=\"A6\" t=\"s\"><v>99</v></c></row>";
    let numbers = "<row><c><v>1</v></c><c><v>0.30000000000000004</v></c></row>";
    let source = source("a.xlsx", &xlsx(&[("Cadastro", people), ("Vazia", ""), ("Números", numbers)]));
    assert_eq!(source.format, Format::Xlsx);
    assert_eq!(
        text(&source),
        "## Cadastro\n\nPessoas\nNome: Ana | Nascimento: 2024-02-29 | Parte: 12.50%\n\
         Nascimento: 2024-02-29 12:00 | TRUE | Parte: #DIV/0!\n\n## Números\n\n1 | 0.3"
    );
}

#[test]
fn two_cells_in_opposite_corners_cost_no_more_than_two() {
    let corners = "<row r=\"1\"><c r=\"A1\"><v>1</v></c></row><row r=\"1048576\"><c r=\"XFD1048576\"><v>2</v></c></row>\
        <row><c r=\"ZZZZZZZ9\"><v>3</v></c></row>";
    assert_eq!(text(&source("a.xlsx", &xlsx(&[("a", corners)]))), "## a\n\n1\n2");
}
