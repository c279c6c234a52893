#![allow(
    clippy::all,
    clippy::pedantic,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs
)]
use std::time::Instant;
fn main() {
    let full = std::env::var("FULL").is_ok();
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap();
        let name = path.rsplit('/').next().unwrap();
        let t = Instant::now();
        let r = tusab_ingest::parse(name, &bytes, &Default::default());
        let dt = t.elapsed();
        match r {
            Err(e) => println!("{name}: ERROR {e}"),
            Ok(p) => {
                print!(
                    "=== {name} {} {:?} lang={:?} title={:?}",
                    p.value.format, dt, p.value.language, p.value.title
                );
                if let tusab_ingest::Content::Captions { captions, .. } = &p.value.content {
                    println!(
                        " kind={:?} rolling={} cues={} notes={}",
                        captions.kind,
                        captions.rolling,
                        captions.cues.len(),
                        captions.notes.len()
                    );
                    let n = captions.cues.len();
                    for (i, c) in captions.cues.iter().enumerate() {
                        if full || n <= 30 || i < 12 || i + 3 > n {
                            println!(
                                "  {:>7}-{:<7} {:?} {:?}",
                                c.span().start().as_millis(),
                                c.span().end().as_millis(),
                                c.voice().unwrap_or(""),
                                c.text()
                            );
                        }
                    }
                } else {
                    println!();
                }
                for w in &p.warnings {
                    println!("  ! {w}");
                }
            }
        }
    }
}
