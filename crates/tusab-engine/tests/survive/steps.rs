//! Everything that changes a data directory, each as one step from the same state, and what the state looks like.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use tusab_engine::{
    Cancel, ChatSession, Engine, Error, IngestReport, Outcome, Project, Rating, Schedule, ShareFormat,
    ShareOptions, Source,
};

use crate::child::told;
use crate::model::unfinished;

/// What a step is named by, and what may be seen of it when it was refused.
pub(crate) const STEPS: [(&str, Whole); 22] = [
    ("make", Whole::Yes),
    ("ingest", Whole::ByItem),
    ("update", Whole::Yes),
    ("sync", Whole::ByItem),
    ("queue", Whole::Yes),
    ("run", Whole::ByItem),
    ("follow", Whole::Yes),
    ("remove", Whole::Yes),
    ("restore", Whole::Yes),
    ("purge", Whole::ByItem),
    ("rename", Whole::Yes),
    ("delete", Whole::Yes),
    ("revive", Whole::Yes),
    ("empty", Whole::ByItem),
    ("merge", Whole::ByItem),
    ("export", Whole::Yes),
    ("import", Whole::Yes),
    ("share", Whole::Yes),
    ("chat", Whole::Yes),
    ("rate", Whole::Yes),
    ("forget", Whole::Yes),
    ("config", Whole::Yes),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whole {
    /// It is done or it is not.
    Yes,
    /// It consists of things that are done or not, each for itself.
    ByItem,
}

/// Why a step was not done.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) is_retryable: bool,
    pub(crate) words: String,
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self { is_retryable: error.is_retryable(), words: told(&error) }
    }
}

pub(crate) fn engine(data: &Path) -> Engine {
    Engine::builder().data_dir(data).build().unwrap()
}

/// Texts and notes have a word each that is in no other.
fn text(word: &str) -> String {
    format!("O {word} amadurece em dezembro, e a colheita dura três semanas.")
}

fn given(word: &str) -> Source {
    Source::text(word, text(word))
}

/// The state that every step begins with: three projects, one of them in the trash.
pub(crate) async fn begin(root: &Path) {
    let engine = engine(&root.join("data"));
    let project = engine.project("P").await.unwrap();
    let sources = ["umbu", "cajá", "pitanga", "mangaba"].map(given);
    project.ingest_all(sources.to_vec(), &Cancel::new()).await.unwrap();
    project.ingest(Source::bytes("jenipapo.md", text("jenipapo"))).await.unwrap();
    let asked = project.chat("s").ask("Quando amadurece o umbu?").await.unwrap();
    project.chat("s").rate(asked.turn.unwrap(), Some(Rating::Up)).await.unwrap();
    project.chat("s").ask("Quanto dura a colheita do cajá?").await.unwrap();
    remove(&project, "mangaba").await.unwrap();
    project.queue().add(vec![given("graviola")]).await.unwrap();
    engine.config().update(json!({ "vez": 1 })).await.unwrap();

    let other = engine.project("Outro").await.unwrap();
    other.ingest_all(vec![given("bacuri"), given("umbu"), given("sapoti")], &Cancel::new()).await.unwrap();
    other.chat("s").ask("Quando amadurece o bacuri?").await.unwrap();
    other.export(root.join("outro.tusab")).await.unwrap();
    let trashed = engine.project("Fora").await.unwrap();
    trashed.ingest(given("araçá")).await.unwrap();
    engine.delete_project("Fora").await.unwrap();
    fs::write(root.join("p.tusab"), "antes").unwrap();
    fs::write(root.join("p.md"), "antes").unwrap();
}

/// What hands do before a step, where it is for that.
pub(crate) fn prepare(step: &str, root: &Path) {
    if step == "sync" {
        let documents = root.join("data/neural/p/documents");
        fs::write(documents.join("à mão.md"), text("seriguela")).unwrap();
        fs::write(documents.join("outra.md"), text("murici")).unwrap();
        let note = fs::read_dir(&documents).unwrap().map(|entry| entry.unwrap().path());
        let note = note.into_iter().find(|path| path.to_string_lossy().ends_with("jenipapo.md"));
        fs::remove_file(note.unwrap()).unwrap();
    }
}

/// Does it; whatever says that something was not done is a refusal.
pub(crate) async fn take(step: &str, root: &Path) -> Result<(), Refusal> {
    let engine = engine(&root.join("data"));
    match step {
        "make" => {
            engine.project("Novo").await?;
        }
        "rename" => engine.rename_project("P", "Q").await?,
        "delete" => {
            engine.delete_project("P").await?;
        }
        "revive" => {
            let trash = engine.trash().await?;
            let id = trash.into_iter().find(|it| it.name == "Fora").map_or_else(String::new, |it| it.id);
            engine.restore_project(&id).await?;
        }
        "empty" => {
            engine.empty_trash().await?;
        }
        "import" => {
            engine.import(root.join("outro.tusab"), "Trazido").await?;
        }
        "config" => {
            engine.config().update(json!({ "vez": 2 })).await?;
        }
        "merge" => {
            let report = engine.project("P").await?.merge(&engine.project("Outro").await?).await?;
            assert_eq!(report.failed, Vec::<String>::new(), "of a full disk an error is told");
        }
        _ => take_in(step, root, &engine.project("P").await?).await?,
    }
    Ok(())
}

/// The steps of one project.
async fn take_in(step: &str, root: &Path, project: &Project) -> Result<(), Refusal> {
    let cancel = Cancel::new();
    match step {
        "ingest" => {
            let sources = ["caju", "tamarindo", "cupuaçu"].map(given).to_vec();
            whole(project.ingest_all(sources, &cancel).await?)?;
        }
        "update" => whole(project.ingest(Source::bytes("jenipapo.md", text("ingá-mirim"))).await?)?,
        "sync" => outcomes(project.sync(&cancel).await?.changes.into_iter().map(|item| item.outcome))?,
        "queue" => {
            project.queue().add(vec![given("abiu"), given("ingá")]).await?;
        }
        "run" => {
            let report = project.queue().run(&cancel).await?;
            report.sources.into_iter().try_for_each(|source| whole(source.report))?;
        }
        "follow" => {
            project.follow(Source::folder("/fora"), Schedule::Daily).await?;
        }
        "remove" => remove(project, "cajá").await?,
        "restore" => {
            let removed = project.removed().await?;
            if let Some(removed) = removed.iter().find(|it| it.name == "mangaba") {
                outcomes([project.restore(&removed.doc).await?])?;
            }
        }
        "purge" => {
            project.purge().await?;
        }
        "export" => {
            project.export(root.join("p.tusab")).await?;
        }
        "share" => {
            let options = ShareOptions::default();
            project.share(root.join("p.md"), ShareFormat::Markdown, &options, &cancel).await?;
        }
        "chat" => ask(&project.chat("s")).await?,
        "rate" => {
            let session = project.chat("s");
            session.rate(session.history().await?[1].id, Some(Rating::Down)).await?;
        }
        "forget" => project.chat("s").delete().await?,
        other => panic!("{other}"),
    }
    Ok(())
}

async fn remove(project: &Project, name: &str) -> Result<(), Refusal> {
    if let Some(source) = project.sources().await?.iter().find(|source| source.name == name) {
        project.remove(&source.doc).await?;
    }
    Ok(())
}

/// An answer that is not kept is as good as none here.
async fn ask(session: &ChatSession) -> Result<(), Refusal> {
    let answer = session.ask("Quando amadurece a pitanga?").await?;
    assert!(answer.text.contains("dezembro"), "{answer:?}");
    if answer.turn.is_some() {
        return Ok(());
    }
    let told = answer.degraded.iter().find(|it| it.part() == tusab_engine::Part::History);
    let told = told.expect("an answer that is not kept says so");
    Err(Refusal { is_retryable: true, words: format!("{}: {}", told.reason(), told.remedy()) })
}

fn whole(report: IngestReport) -> Result<(), Refusal> {
    outcomes(report.items.into_iter().map(|item| item.outcome))
}

fn outcomes(outcomes: impl IntoIterator<Item = Outcome>) -> Result<(), Refusal> {
    outcomes.into_iter().try_for_each(|outcome| match outcome {
        Outcome::Failed(error) => Err(error.into()),
        _ => Ok(()),
    })
}

/// What there is, thing by thing, as whoever opens the data directory anew sees it. Everything that is there is whole.
pub(crate) async fn picture(root: &Path) -> BTreeSet<String> {
    let engine = engine(&root.join("data"));
    let mut seen = BTreeSet::new();
    let listed = engine.projects().await.unwrap();
    assert!(listed.unreadable.is_empty(), "{:?}", listed.unreadable);
    for info in &listed.projects {
        seen.insert(format!("project {}", info.name));
        look_at(&engine.project(&info.name).await.unwrap(), &mut seen).await;
    }
    for trashed in engine.trash().await.unwrap() {
        seen.insert(format!("trashed {}", trashed.name));
    }
    let settings = engine.config().read().await.unwrap();
    seen.insert(format!("vez {:?}", settings.get::<u64>("vez")));
    for name in ["p.tusab", "p.md"] {
        seen.insert(format!("{name} {}", content(&root.join(name)).await));
    }
    assert_nothing_half(root);
    seen
}

async fn look_at(project: &Project, seen: &mut BTreeSet<String>) {
    let name = project.name();
    let sources = project.sources().await.unwrap();
    for source in &sources {
        let chunks = project.chunks(&source.doc).await.unwrap();
        let text: Vec<_> = chunks.iter().map(|chunk| chunk.text()).collect();
        let found = project.search(source.name.as_str()).await.unwrap();
        let times = found.hits.iter().filter(|hit| hit.document.id == source.doc).count();
        let file = source.path.exists();
        seen.insert(format!("{name}: {}, file {file}, found {times} times: {text:?}", source.name));
    }
    let documents = project.documents().await.unwrap().len();
    assert_eq!((documents, sources.len()), (sources.len(), documents), "documents that are no source's");
    for removed in project.removed().await.unwrap() {
        seen.insert(format!("{name}: removed {}", removed.name));
    }
    for waiting in project.queue().items().await.unwrap() {
        seen.insert(format!("{name}: waiting {}", waiting.name));
    }
    for followed in project.followed().await.unwrap() {
        seen.insert(format!("{name}: followed {}", followed.name));
    }
    let sessions = project.sessions().await.unwrap();
    assert!(sessions.unreadable.is_empty(), "{:?}", sessions.unreadable);
    for session in sessions.sessions {
        for turn in project.chat(&session.name).history().await.unwrap() {
            seen.insert(format!("{name}: {}: {} {:?}", session.name, turn.question, turn.state));
        }
    }
    let ratings = project.ratings().await.unwrap();
    seen.insert(format!("{name}: {ratings:?}"));
}

/// What is in a file that was written for elsewhere.
async fn content(path: &Path) -> String {
    let bytes = fs::read(path).unwrap();
    if bytes == b"antes" {
        return "as before".to_owned();
    }
    if path.extension().is_some_and(|it| it == "md") {
        return String::from_utf8(bytes).unwrap();
    }
    let there = tempfile::tempdir().unwrap();
    let imported = engine(there.path()).import(path, "Outra").await.unwrap();
    assert_eq!(imported.rebuilt, None);
    format!("{} documents", imported.documents)
}

/// What is written beside its place, and folders of exports and imports that came to nothing, are gone once all was opened.
fn assert_nothing_half(root: &Path) {
    let data = root.join("data");
    let left: Vec<PathBuf> = ["neural", "sessions", "queue", "config", "trash"]
        .iter()
        .flat_map(|folder| unfinished(&data.join(folder)))
        .chain(unfinished(root).into_iter().filter(|path| path.parent() == Some(root)))
        .collect();
    assert_eq!(left, Vec::<PathBuf>::new(), "half written");
    let carried: Vec<PathBuf> = fs::read_dir(data.join("temp"))
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    assert_eq!(carried, Vec::<PathBuf>::new(), "left by an export or an import");
}
