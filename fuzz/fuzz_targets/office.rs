#![no_main]

use libfuzzer_sys::fuzz_target;
use tusab_fuzz::documents::{archive, check, limits};
use tusab_ingest::parse;

// The bytes as an archive, and as parts of one that is sound, split where they say.
fuzz_target!(|input: (u8, u16, &[u8])| {
    let (which, at, bytes) = input;
    check(parse("a.docx", &[b"PK\x03\x04", bytes].concat(), &limits()));
    let (main, other) = bytes.split_at(usize::from(at).min(bytes.len()));
    let (folder, file, root, link) = match which % 3 {
        0 => ("word", "document", "document", ["numbering", "styles", "footnotes"]),
        1 => ("ppt", "presentation", "presentation", ["slide", "slide", "slide"]),
        _ => ("xl", "workbook", "workbook", ["worksheet", "sharedStrings", "styles"]),
    };
    let link = link[usize::from(which / 3) % 3];
    let main = [format!("<{root}>").as_bytes(), main, format!("</{root}>").as_bytes()].concat();
    let links = format!(
        "<Relationships><Relationship Id=\"r\" Type=\"x/{link}\" Target=\"other.xml\"/></Relationships>"
    );
    let bytes = archive(&[
        (&format!("{folder}/{file}.xml"), &main),
        (&format!("{folder}/_rels/{file}.xml.rels"), links.as_bytes()),
        (&format!("{folder}/other.xml"), other),
    ]);
    check(parse("a", &bytes, &limits()));
});
