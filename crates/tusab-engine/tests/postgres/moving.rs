//! From the disk to a server and back.

use std::sync::Arc;

use tusab_engine::index::Enrichment;
use tusab_engine::rerank::{KeyBert, KeyBertOptions};
use tusab_engine::{Cancel, Engine, EngineBuilder, SearchMode};

use super::models::Meanings;
use super::{found, on_server, take_in};

const NOTES: [(&str, &str); 3] = [
    ("Motores", "The engine of the car needs oil before every long trip."),
    ("Pão", "The dough of the bread rests for an hour before it is baked."),
    ("Estradas", "The road to the coast is closed in winter because of the snow."),
];

fn with_models(builder: EngineBuilder) -> Engine {
    let keybert = Arc::new(KeyBert::new(Arc::new(Meanings::new()), KeyBertOptions::default()));
    builder.embedder(Arc::new(Meanings::new())).key_phrases(keybert).build().unwrap()
}

/// A local project becomes one of the server when an engine with a store opens its data directory.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
async fn a_data_directory_is_moved_to_the_server_when_it_is_opened() {
    let data = tempfile::tempdir().unwrap();
    let engine = with_models(Engine::builder().data_dir(data.path()));
    let project = engine.project("Mudança").await.unwrap();
    take_in(&project, &NOTES).await;
    project.enrich(&Cancel::new()).await.unwrap();
    project.chat("s").ask("dough?").await.unwrap();
    let before = found(&project, "bread").await;
    drop((project, engine));

    let engine = with_models(on_server(data.path()));
    let project = engine.project("Mudança").await.unwrap();
    assert_eq!(found(&project, "bread").await, before);
    assert_eq!(project.chat("s").history().await.unwrap().len(), 1);
    // Neither key phrases nor vectors have to be made again.
    let report = project.enrich(&Cancel::new()).await.unwrap();
    assert_eq!((report.vectors, report.key_phrases, report.left), (0, 0, 0));
    let store = super::server::shared().open().project("Mudança").unwrap();
    let lacking = tusab_engine::index::ChunkStore::count_lacking(&store, Enrichment::Vectors).unwrap();
    assert_eq!(lacking, 0);
    drop((project, engine));

    // Cut short after the move: what is left of the index goes when the project is opened next.
    let index = data
        .path()
        .join("indexes")
        .read_dir()
        .unwrap()
        .flatten()
        .find(|it| it.path().is_dir())
        .unwrap()
        .path();
    std::fs::create_dir(index.join("bm25")).unwrap();
    std::fs::write(index.join("bm25/left"), "x").unwrap();
    with_models(on_server(data.path())).project("Mudança").await.unwrap();
    let left: Vec<_> = index.read_dir().unwrap().flatten().map(|it| it.file_name()).collect();
    assert_eq!(left, ["server.json"]);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
async fn a_file_carries_a_project_to_the_server_and_back() {
    let (disk, there, again) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let files = tempfile::tempdir().unwrap();
    let engine = with_models(Engine::builder().data_dir(disk.path()));
    let project = engine.project("Levado").await.unwrap();
    take_in(&project, &NOTES).await;
    project.enrich(&Cancel::new()).await.unwrap();
    let wanted = found(&project, "car").await;
    project.export(files.path().join("a.tusab")).await.unwrap();

    let server = with_models(on_server(there.path()));
    let imported = server.import(files.path().join("a.tusab"), "Levado").await.unwrap();
    assert_eq!((imported.documents, imported.rebuilt), (3, None));
    assert_eq!(found(&imported.project, "car").await, wanted);
    let report = imported.project.enrich(&Cancel::new()).await.unwrap();
    assert_eq!((report.vectors, report.key_phrases), (0, 0));

    // Others go on searching meanwhile.
    let (exported, searched) =
        tokio::join!(imported.project.export(files.path().join("b.tusab")), imported.project.search("car"));
    assert_eq!((exported.unwrap().documents, searched.unwrap().hits.is_empty()), (3, false));
    let engine = with_models(Engine::builder().data_dir(again.path()));
    let back = engine.import(files.path().join("b.tusab"), "De volta").await.unwrap();
    assert_eq!((back.documents, back.rebuilt), (3, None));
    assert_eq!(found(&back.project, "car").await, wanted);
    let report = back.project.enrich(&Cancel::new()).await.unwrap();
    assert_eq!((report.vectors, report.key_phrases), (0, 0));
    let search = tusab_engine::Search::new("car").with_mode(SearchMode::Broad);
    assert_eq!(back.project.search(search).await.unwrap().hits[0].document.title, "Motores");
}
