//! What a subscriber sees of a search.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::FmtSpan;

use super::models::Opinions;
use super::{broad, with_both};

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'w> MakeWriter<'w> for Lines {
    type Writer = Self;

    fn make_writer(&'w self) -> Self {
        self.clone()
    }
}

#[test]
fn each_stage_of_a_search_is_a_span_within_the_search_s() {
    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_span_events(FmtSpan::NEW)
        .with_writer(lines.clone())
        .with_ansi(false)
        .finish();
    // For every thread of this program, which the runner gives this test alone.
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let data = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let project = with_both(data.path(), Opinions::new(&[])).await;
        broad(&project, "segredo car oil").await;
    });
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    for span in [
        "stage{what=\"an ingest\"}",
        "enriching",
        ":search{mode=Broad limit=6}:words",
        ":meaning",
        ":reranking{model=\"opinions\"",
    ] {
        assert!(text.contains(span), "{span} in {text}");
    }
    // What a person asks or keeps is nobody's to log.
    assert!(!text.contains("segredo") && !text.contains("garage behind"), "{text}");
}
