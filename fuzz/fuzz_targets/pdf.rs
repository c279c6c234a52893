#![no_main]

use libfuzzer_sys::fuzz_target;
use tusab_fuzz::documents::{check, limits};
use tusab_ingest::parse;

// The bytes as a whole file, and as the drawing operations of the one page of a sound file.
fuzz_target!(|bytes: &[u8]| {
    check(parse("a.pdf", &[b"%PDF-1.4\n", bytes].concat(), &limits()));
    let head = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj\n\
        3 0 obj<</Type/Page/Parent 2 0 R/Resources<</Font<</F 5 0 R>>/XObject<</X 4 0 R>>>>/Contents 4 0 R>>endobj\n\
        5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Times-Roman/Encoding/WinAnsiEncoding>>endobj\n";
    let stream = format!("4 0 obj<</Type/XObject/Subtype/Form/Length {}>>stream\n", bytes.len());
    let tail = b"\nendstream endobj\ntrailer<</Size 6/Root 1 0 R>>\n%%EOF\n";
    check(parse("a.pdf", &[head.as_bytes(), stream.as_bytes(), bytes, tail].concat(), &limits()));
});
