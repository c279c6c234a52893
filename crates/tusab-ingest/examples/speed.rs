#![allow(clippy::all, clippy::pedantic, clippy::print_stdout, clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]
use std::time::Instant;
use tusab_ingest::*;
fn main() {
    let bytes = std::fs::read(std::env::args().nth(1).unwrap()).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let body = text.split_once("\n\n").unwrap().1;
    let mut big = text.clone(); while big.len() < 10_000_000 { big.push_str(body); }
    for t in [&text, &big] {
        let mut best = f64::MAX; let mut all = vec![];
        for _ in 0..(if t.len() > 1_000_000 {8} else {60}) {
            let s = Instant::now(); let p = parse_webvtt(t, &CaptionOptions::default()).unwrap(); let d = s.elapsed().as_secs_f64()*1e3; drop(p);
            best = best.min(d); all.push(d);
        }
        all.sort_by(f64::total_cmp);
        println!("{} bytes best {best:.2} ms median {:.2} ms", t.len(), all[all.len()/2]);
    }
}
