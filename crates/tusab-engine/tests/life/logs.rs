//! A log subscriber that calls back into the engine from whatever it is told: no lock may be held then.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::time::Duration;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use tusab_engine::{Cancel, Engine, Project, Search, SearchMode, Source};

use crate::child::{again, folder};
use crate::common::{elsewhere, engine};

/// Longest time that all of it may take; it takes a second.
const LIMIT: Duration = Duration::from_mins(5);

/// Calls from spans; those from events are never left out.
const SPANS: usize = 12;

#[test]
fn a_log_subscriber_may_call_back_into_the_engine() {
    let data = tempfile::tempdir().unwrap();
    let status = again("logs::child_that_calls_back", data.path(), &[]);
    assert!(status.success(), "{status}");
}

/// Calls back from every event and every span that begins.
#[derive(Default)]
struct Caller {
    engine: OnceLock<(Engine, Project)>,
    /// Not from what its own calls tell.
    is_calling: AtomicBool,
    calls: AtomicUsize,
    told: Mutex<BTreeSet<String>>,
}

#[derive(Clone, Default)]
struct Shared(Arc<Caller>);

impl Shared {
    /// As often as it matters: spans are many, and each call writes.
    fn call_from_span(&self) {
        if self.0.calls.load(Ordering::SeqCst) < SPANS {
            self.call();
        }
    }

    fn call(&self) {
        let Some((engine, project)) = self.0.engine.get() else { return };
        if self.0.is_calling.swap(true, Ordering::SeqCst) {
            return;
        }
        let number = self.0.calls.fetch_add(1, Ordering::SeqCst);
        let (engine, project) = (engine.clone(), project.clone());
        let call = async move {
            project.ingest(Source::text(format!("volta {number}"), format!("texto {number}"))).await.unwrap();
            project.search("umbu").await.unwrap();
            project.sources().await.unwrap();
            project.queue().items().await.unwrap();
            engine.config().update(serde_json::json!({ "vezes": number })).await.unwrap();
            engine.projects().await.unwrap();
            // Another list of projects, and another project that has to be opened.
            engine.project(&format!("outro {}", number % 3)).await.unwrap();
            engine.trash().await.unwrap();
        };
        // The thread of the log waits for it, whatever runs on it.
        elsewhere(call);
        self.0.is_calling.store(false, Ordering::SeqCst);
    }
}

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

impl Subscriber for Shared {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("tusab")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        self.call_from_span();
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        self.0.told.lock().unwrap().insert(message.0);
        self.call();
    }

    fn enter(&self, _: &Id) {
        self.call_from_span();
    }

    fn exit(&self, _: &Id) {}
}

/// Leaves the index of words as one that somebody else has damaged.
fn damage(data: &Path) {
    fs::write(data.join("indexes/p/bm25/meta.json"), "{").unwrap();
}

async fn work(data: PathBuf, shared: Shared) {
    let engine = engine(&data);
    let project = engine.project("P").await.unwrap();
    project.ingest(Source::text("umbu", "O umbu é azedo.")).await.unwrap();
    shared.0.engine.set((engine.clone(), project.clone())).unwrap_or_default();

    // Found damaged when it is to be written: while the project's lock is held.
    damage(&data);
    project.ingest(Source::text("cajá", "O cajá é doce.")).await.unwrap();
    damage(&data);
    project.sync(&Cancel::new()).await.unwrap();
    // The same while a project is opened, of which one is opened at a time.
    let second = Engine::builder().data_dir(&data).build().unwrap();
    damage(&data);
    fs::write(data.join("neural/p/texts/à mão.txt"), "O murici é amarelo.").unwrap();
    fs::remove_file(data.join("neural/p/texts/_manifest.json")).unwrap();
    let again = second.project("P").await.unwrap();
    again.search(Search::new("umbu").with_mode(SearchMode::Broad)).await.unwrap();
    again.purge().await.unwrap();
    again.chat("s").ask("Como é o umbu?").await.unwrap();
    // A place of a key that only a later version understands, told while the settings are changed.
    fs::create_dir_all(data.join("config")).unwrap();
    fs::write(data.join("config/agent_config.json"), r#"{"keys": {"groq": {"cloud": "x"}}}"#).unwrap();
    engine.config().update(serde_json::json!({ "a": 1 })).await.unwrap();
    engine.rename_project("outro 0", "outro nome").await.unwrap();
    engine.delete_project("outro nome").await.unwrap();
    engine.empty_trash().await.unwrap();
}

#[test]
#[ignore = "run by a_log_subscriber_may_call_back_into_the_engine"]
fn child_that_calls_back() {
    let Some(data) = folder() else { return };
    let shared = Shared::default();
    tracing::subscriber::set_global_default(shared.clone()).unwrap();
    let (done, ended) = mpsc::channel();
    let working = shared.clone();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
        runtime.block_on(work(data, working));
        done.send(()).unwrap();
    });
    // A deadlock ends here, and with this process.
    ended.recv_timeout(LIMIT).expect("the engine waits for its own log");
    let told = shared.0.told.lock().unwrap().clone();
    for expected in ["index mended before writing", "the place of a key is not understood"] {
        assert!(told.contains(expected), "{expected:?} is not among {told:?}");
    }
    assert!(shared.0.calls.load(Ordering::SeqCst) > SPANS, "it is to have called back");
}
