//! Documents written part by part.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// A zip archive of these files.
pub(super) fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in files {
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The part with the links of another: id, kind and target of each.
pub(super) fn links(links: &[(&str, &str, &str)]) -> String {
    let mut xml = String::from("<Relationships>");
    for (id, kind, target) in links {
        write!(xml, "<Relationship Id=\"{id}\" Type=\"{RELATIONS}/{kind}\" Target=\"{target}\"/>").unwrap();
    }
    xml + "</Relationships>"
}

/// A Word document: the inside of its body, and further parts with what they are linked as.
pub(super) fn docx(body: &str, parts: &[(&str, &str)]) -> Vec<u8> {
    docx_with("", body, parts)
}

/// As [`docx`], with something before its outermost element.
pub(super) fn docx_with(prolog: &str, body: &str, parts: &[(&str, &str)]) -> Vec<u8> {
    let root = links(&[
        ("r1", "officeDocument", "word/document.xml"),
        ("r2", "x/core-properties", "docProps/core.xml"),
    ]);
    let names: Vec<String> = parts.iter().map(|(kind, _)| format!("{kind}.xml")).collect();
    let own: Vec<(&str, &str, &str)> =
        parts.iter().zip(&names).map(|((kind, _), name)| (*kind, *kind, name.as_str())).collect();
    let (own, document) = (links(&own), format!("{prolog}<w:document><w:body>{body}</w:body></w:document>"));
    let core = "<cp:coreProperties><dc:title> Ata </dc:title><dcterms:created>2024-01-02T00:00:00Z</dcterms:created>\
                <dcterms:modified>2024-02-29T10:00:00Z</dcterms:modified><cp:keywords>ata; junho</cp:keywords></cp:coreProperties>";
    let paths: Vec<String> = names.iter().map(|name| format!("word/{name}")).collect();
    let mut files: Vec<(&str, &[u8])> = vec![
        ("_rels/.rels", root.as_bytes()),
        ("docProps/core.xml", core.as_bytes()),
        ("word/document.xml", document.as_bytes()),
        ("word/_rels/document.xml.rels", own.as_bytes()),
    ];
    files.extend(paths.iter().map(String::as_str).zip(parts.iter().map(|(_, xml)| xml.as_bytes())));
    archive(&files)
}

/// A PDF with one stream of drawing operations for each page, and two fonts: `/F1` Helvetica, `/F2` Times.
pub(super) fn pdf(pages: &[&str]) -> Vec<u8> {
    pdf_with(pages, "", "")
}

/// As [`pdf`], with entries added to the trailer, and to the drawings that pages may use.
pub(super) fn pdf_with(pages: &[&str], trailer: &str, drawings: &str) -> Vec<u8> {
    let kids = (0..pages.len()).map(|page| format!("{} 0 R ", 10 + 2 * page)).collect::<Vec<_>>().concat();
    let mut objects = vec![
        (1, "<</Type/Catalog/Pages 2 0 R/Lang(pt-BR)>>".to_owned()),
        (2, format!("<</Type/Pages/Count {}/Kids[{kids}]>>", pages.len())),
        (3, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned()),
        (4, "<</Type/Font/Subtype/Type1/BaseFont/Times-Roman/Encoding/WinAnsiEncoding>>".to_owned()),
        (5, "<</Title(Ata de junho)/ModDate(D:20240229)/Keywords(ata, junho)>>".to_owned()),
        (6, "<</Type/XObject/Subtype/Image/Width 1/Height 1/Length 1>>\nstream\n0\nendstream".to_owned()),
    ];
    for (page, content) in pages.iter().enumerate() {
        let (id, length) = (10 + 2 * page, content.len());
        let resources = format!("<</Font<</F1 3 0 R/F2 4 0 R>>/XObject<</Im 6 0 R{drawings}>>>>");
        objects.push((
            id,
            format!(
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources{resources}/Contents {} 0 R>>",
                id + 1
            ),
        ));
        objects.push((id + 1, format!("<</Length {length}>>\nstream\n{content}\nendstream")));
    }
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut table = String::from("0 1\n0000000000 65535 f \n");
    for (id, object) in &objects {
        write!(table, "{id} 1\n{:010} 00000 n \n", file.len()).unwrap();
        // Strings in PDF are of bytes: accents are written as Latin-1.
        file.extend(format!("{id} 0 obj\n").bytes());
        file.extend(object.chars().map(|c| u8::try_from(u32::from(c)).unwrap()));
        file.extend(b"\nendobj\n");
    }
    let start = file.len();
    let size = 12 + 2 * pages.len();
    write!(
        table,
        "trailer\n<</Size {size}/Root 1 0 R/Info 5 0 R/ID[<00><00>]{trailer}>>\nstartxref\n{start}\n%%EOF\n"
    )
    .unwrap();
    file.extend(b"xref\n");
    file.extend(table.bytes());
    file
}
