//! Documents of any length, in the formats that are not text.

use std::fmt::Write;
use std::io::{self, Cursor, Write as _};

use zip::ZipWriter;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;

use crate::prose::{Tongue, text};

/// Largest number of characters on a line of [`pdf`].
const LINE: usize = 90;

/// A web page with a menu, headings and paragraphs, of at least `bytes` of prose.
#[must_use]
pub fn html(bytes: usize) -> String {
    let mut page = String::from(
        "<!doctype html><html lang=pt><head><meta charset=utf-8><title>Manual</title></head><body><nav>",
    );
    for number in 0..50 {
        // Writing into a text does not fail.
        let _ = write!(page, "<a href=\"/{number}\">Capítulo {number}</a> ");
    }
    page.push_str("</nav><main>");
    for (number, paragraph) in text(Tongue::Portuguese, bytes).split("\n\n").enumerate() {
        if number % 8 == 0 {
            let _ = write!(page, "<h2 id=s{number}>Seção {number}</h2>");
        }
        let _ = writeln!(
            page,
            "<p class=\"corpo\">{}</p>",
            paragraph.replace("https", "<a href=\"https://x.example\">https</a>")
        );
    }
    page + "</main></body></html>"
}

/// Rows of five values, of at least `bytes`.
#[must_use]
pub fn csv(bytes: usize) -> String {
    let mut rows = String::from("nome;data;valor;cidade;observação\n");
    let mut number = 0_u32;
    while rows.len() < bytes {
        let _ = writeln!(
            rows,
            "Cliente {number};{:02}/03/2024;{},{:02};São Paulo;\"paga; em dia\"",
            number % 28 + 1,
            number * 7 % 10_000,
            number % 100
        );
        number += 1;
    }
    rows
}

/// A document of Word, of at least `bytes` of prose.
///
/// # Errors
/// None in practice: it is written into memory.
pub fn docx(bytes: usize) -> Result<Vec<u8>, ZipError> {
    let mut body = String::from("<w:document><w:body>");
    for (number, paragraph) in text(Tongue::Portuguese, bytes).split("\n\n").enumerate() {
        let style = if number % 8 == 0 { "<w:pPr><w:pStyle w:val=\"Heading2\"/></w:pPr>" } else { "" };
        let _ = write!(body, "<w:p>{style}");
        // Word cuts a paragraph into runs wherever it was edited.
        for run in paragraph.split_inclusive(". ") {
            let _ = write!(
                body,
                "<w:r><w:rPr><w:lang w:val=\"pt-BR\"/></w:rPr><w:t xml:space=\"preserve\">{run}</w:t></w:r>"
            );
        }
        body.push_str("</w:p>");
    }
    body.push_str("</w:body></w:document>");
    let root = "<Relationships><Relationship Id=\"r1\" Target=\"word/document.xml\" \
                Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\"/></Relationships>";
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in [("_rels/.rels", root), ("word/document.xml", &body)] {
        zip.start_file(name, SimpleFileOptions::default())?;
        zip.write_all(content.as_bytes()).map_err(ZipError::Io)?;
    }
    Ok(zip.finish()?.into_inner())
}

/// A PDF of one column in Helvetica, of at least `bytes` of prose, with streams that are not packed.
///
/// # Errors
/// None in practice: it is written into memory.
pub fn pdf(bytes: usize) -> io::Result<Vec<u8>> {
    let prose = text(Tongue::English, bytes);
    let mut lines = Vec::new();
    for paragraph in prose.split("\n\n") {
        let mut line = String::new();
        for word in paragraph.split(' ') {
            if line.len() + word.len() >= LINE {
                lines.push(std::mem::take(&mut line));
            }
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(&word.replace(['(', ')', '\\'], ""));
        }
        lines.push(line);
    }
    let pages: Vec<&[String]> = lines.chunks(50).collect();
    let mut file = Cursor::new(Vec::new());
    let mut offsets = Vec::new();
    file.write_all(b"%PDF-1.4\n")?;
    let mut object = |file: &mut Cursor<Vec<u8>>, content: &str| {
        offsets.push(file.position());
        write!(file, "{} 0 obj\n{content}\nendobj\n", offsets.len())
    };
    object(&mut file, "<</Type/Catalog/Pages 2 0 R>>")?;
    let kids: String =
        (0..pages.len()).fold(String::new(), |kids, page| format!("{kids}{} 0 R ", 4 + 2 * page));
    object(&mut file, &format!("<</Type/Pages/Count {}/Kids[{kids}]>>", pages.len()))?;
    object(&mut file, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")?;
    for (number, page) in pages.iter().enumerate() {
        let mut content = String::from("BT /F1 10 Tf 14 TL 60 780 Td\n");
        for line in *page {
            let _ = writeln!(content, "({line}) Tj T*");
        }
        content.push_str("ET");
        let stream = 5 + 2 * number;
        object(
            &mut file,
            &format!(
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {stream} 0 R/Resources<</Font<</F1 3 0 R>>>>>>"
            ),
        )?;
        object(&mut file, &format!("<</Length {}>>stream\n{content}\nendstream", content.len()))?;
    }
    let start = file.position();
    write!(file, "xref\n0 {}\n0000000000 65535 f \n", offsets.len() + 1)?;
    for offset in &offsets {
        writeln!(file, "{offset:010} 00000 n ")?;
    }
    write!(file, "trailer<</Size {}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n", offsets.len() + 1)?;
    Ok(file.into_inner())
}
