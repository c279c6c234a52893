#![allow(clippy::all, clippy::pedantic, clippy::print_stdout, clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]
use std::time::Instant;
use tusab_ingest::*;
fn main() {
    let head = "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n";
    let again = "\n\n00:00:02.000 --> 00:00:02.010\n";
    for piece in [
        "<", "<1", "<v ", "<v a>", "&", "&amp", "[", "[a ", "[a] ", ">> ", "a\n", "\n", "-->\n", "1\n", "[aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb ",
        "00:00:01.000 -->\n", "<00:00:01.500>a ", "00:00:01.000 --> 00:00:01.010\na a a a\n\n", "\r", "\0", "```\n", "<ruby><rt>a</rt>", "</v>", "- ", "# [", "---\na: b\n", "tags:\n- a\n","[a](", "<a b",
    ] {
        for mb in [1usize, 10] {
            let body = piece.repeat(mb * 500_000 / piece.len());
            let text = format!("{head}{body}{again}{body}");
            let t = Instant::now();
            for kind in [TrackKind::Automatic] { let _ = parse_webvtt(&text, &CaptionOptions::default().with_kind(kind)); }
            let a = t.elapsed();
            let t = Instant::now();
            let _ = parse_markdown(&format!("---\n{body}\n---\n{body}"));
            let _ = parse_video_info(body.as_bytes());
            let _ = CaptionFileName::parse(&body);
            print!("{piece:?} {mb}MB vtt {a:?} other {:?}   ", t.elapsed());
        }
        println!();
    }
}
