//! What works on disk works on a server, and several installations share it.

use tusab_engine::chunk::SourceKind;
use tusab_engine::index::{Filter, Postgres};
use tusab_engine::{Cancel, Degradation, Engine, Error, Rating, Search, SearchMode};

use super::models::Opinions;
use super::{found, on_server, samples, take_in};

const QUESTIONS: [&str; 6] = [
    "Quantas horas de sol a hortelã precisa?",
    "How should the liquid from the lowest tray be diluted?",
    "criptomoedas blockchain?",
    "quantos documentos há?",
    "manjericão",
    "oi",
];

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
async fn answers_are_those_that_the_disk_gives() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let opinions = || std::sync::Arc::new(Opinions::new(&[("hortelã", 3.0), ("sol", 1.0)]));
    let disk = Engine::builder().data_dir(here.path()).reranker(opinions()).build().unwrap();
    let server = on_server(there.path()).reranker(opinions()).build().unwrap();
    let (disk, server) =
        (disk.project("Horta igual").await.unwrap(), server.project("Horta igual").await.unwrap());
    for project in [&disk, &server] {
        let report = project.ingest_all(samples(), &Cancel::new()).await.unwrap();
        assert_eq!(report.failed(), 0, "{report:?}");
    }
    assert_eq!(disk.statistics().await.unwrap(), server.statistics().await.unwrap());
    for mode in [SearchMode::Narrow, SearchMode::Broad] {
        for question in QUESTIONS {
            let (ours, theirs) = (
                server.chat("s").with_mode(mode).ask(question).await.unwrap(),
                disk.chat("s").with_mode(mode).ask(question).await.unwrap(),
            );
            assert_eq!(ours.text, theirs.text, "{question}");
            assert_eq!(ours.no_context, theirs.no_context, "{question}");
            let docs = |answer: &tusab_engine::Answer| {
                answer.sources.iter().map(|source| (source.doc.clone(), source.start)).collect::<Vec<_>>()
            };
            assert_eq!(docs(&ours), docs(&theirs), "{question}");
        }
        let mut filter = Filter::default();
        filter.kinds.push(SourceKind::Youtube);
        let search = || Search::new("sol").with_mode(mode).with_filter(filter.clone());
        let ids =
            |found: tusab_engine::Found| found.hits.iter().map(|hit| hit.chunk.id()).collect::<Vec<_>>();
        let (ours, theirs) = (server.search(search()).await.unwrap(), disk.search(search()).await.unwrap());
        let (ours, theirs) = (ids(ours), ids(theirs));
        assert!(!ours.is_empty());
        assert_eq!(ours, theirs);
    }
    // Nothing of the index is in the data directory, and no conversation.
    let index = there.path().join("indexes").join(server.folder());
    let left: Vec<_> = std::fs::read_dir(index).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["server.json"]);
    assert!(!there.path().join("sessions").join(server.folder()).exists());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
async fn installations_share_passages_conversations_and_ratings() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (ours, theirs) = (on_server(one.path()).build().unwrap(), on_server(two.path()).build().unwrap());
    let ana = ours.project("Equipe").await.unwrap();
    take_in(&ana, &[("Caldo", "Caldo verde leva couve e batata."), ("Bolo", "Bolo de fubá com erva-doce.")])
        .await;
    // Known by its name, although no source is there.
    let listed = theirs.projects().await.unwrap().projects;
    assert!(listed.iter().any(|project| project.name == "Equipe" && project.folder.is_empty()));
    let rui = theirs.find_project("Equipe").await.unwrap().unwrap();
    assert_eq!(found(&rui, "fubá").await, ["Bolo"]);
    take_in(&rui, &[("Pão", "Pão de queijo assa em forno quente.")]).await;
    assert_eq!(found(&ana, "pão de queijo").await, ["Pão"]);

    let answer = ana.chat("receitas").ask("O que leva o caldo verde?").await.unwrap();
    assert_eq!(answer.sources[0].title, "Caldo");
    ana.chat("receitas").rate(answer.turn.unwrap(), Some(Rating::Up)).await.unwrap();
    let heard = rui.chat("receitas").history().await.unwrap();
    assert_eq!((heard.len(), &*heard[0].question), (1, "O que leva o caldo verde?"));
    assert_eq!(rui.sessions().await.unwrap().sessions.len(), 1);
    assert_eq!(rui.ratings().await.unwrap().up, 1);
    // Both at once, and neither is lost.
    let (a, b) = (ana.chat("juntos"), rui.chat("juntos"));
    let both = async {
        let (one, two) = tokio::join!(a.ask("fubá?"), b.ask("couve?"));
        (one.unwrap(), two.unwrap())
    };
    both.await;
    assert_eq!(ana.chat("juntos").history().await.unwrap().len(), 2);

    // Each opens the project without touching what the other has taken in.
    drop((ana, rui, ours, theirs));
    let (ours, theirs) = (on_server(one.path()).build().unwrap(), on_server(two.path()).build().unwrap());
    let (ana, rui) = (ours.project("Equipe").await.unwrap(), theirs.project("Equipe").await.unwrap());
    assert_eq!(ana.statistics().await.unwrap().documents, 3);
    assert_eq!(rui.statistics().await.unwrap().documents, 3);
    // A source is removed where it was taken in.
    let caldo = ana.sources().await.unwrap().into_iter().find(|source| source.name == "Caldo").unwrap();
    assert!(!rui.remove(&caldo.doc).await.unwrap());
    assert!(ana.remove(&caldo.doc).await.unwrap());
    assert!(found(&rui, "couve").await.is_empty());
    // Its purge takes the conversation that quotes it along.
    ana.purge().await.unwrap();
    let quoted = rui.chat("receitas").history().await.unwrap();
    assert!(quoted.iter().all(|turn| !turn.answer.contains("couve")), "{quoted:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
async fn a_project_is_renamed_deleted_and_restored_for_all() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (ours, theirs) = (on_server(one.path()).build().unwrap(), on_server(two.path()).build().unwrap());
    let project = ours.project("Nome velho").await.unwrap();
    take_in(&project, &[("Caldo", "Caldo verde leva couve e batata.")]).await;
    let other = theirs.project("Nome velho").await.unwrap();
    ours.rename_project("Nome velho", "Nome novo").await.unwrap();
    assert!(theirs.projects().await.unwrap().projects.iter().any(|project| project.name == "Nome novo"));
    // Whoever has it open under its old name goes on.
    assert_eq!(found(&other, "couve").await, ["Caldo"]);
    take_in(&project, &[("Bolo", "Bolo de fubá com erva-doce.")]).await;
    assert_eq!(found(&other, "fubá").await, ["Bolo"]);

    let trashed = ours.delete_project("Nome novo").await.unwrap();
    assert!(matches!(project.search("couve").await, Err(Error::NoSuchProject { .. })));
    assert!(!theirs.projects().await.unwrap().projects.iter().any(|project| project.name == "Nome novo"));
    let back = ours.restore_project(&trashed.id).await.unwrap();
    assert_eq!(found(&back, "couve").await, ["Caldo"]);
    let trashed = ours.delete_project("Nome novo").await.unwrap();
    ours.erase_from_trash(&trashed.id).await.unwrap();
    let postgres = super::server::shared().open();
    assert!(!postgres.projects().unwrap().contains(&"Nome novo".to_owned()));
}

/// Whoever has sources of it finds a project under the name that others gave it, as the one that it was.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
async fn a_name_that_others_gave_is_taken_over() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (ours, theirs) = (on_server(one.path()).build().unwrap(), on_server(two.path()).build().unwrap());
    take_in(&ours.project("Antigo").await.unwrap(), &[("Caldo", "Caldo verde leva couve e batata.")]).await;
    let other = theirs.project("Antigo").await.unwrap();
    take_in(&other, &[("Bolo", "Bolo de fubá com erva-doce.")]).await;
    let folder = other.folder();
    ours.rename_project("Antigo", "Renomeado").await.unwrap();

    let listed = theirs.projects().await.unwrap().projects;
    let of_it: Vec<_> = listed.iter().filter(|it| ["Antigo", "Renomeado"].contains(&&*it.name)).collect();
    assert_eq!(
        of_it.iter().map(|it| (&*it.name, &*it.folder)).collect::<Vec<_>>(),
        [("Renomeado", &*folder)]
    );
    let renamed = theirs.project("Renomeado").await.unwrap();
    assert_eq!((renamed.folder(), &*renamed.name()), (folder, "Renomeado"));
    assert_eq!(renamed.sources().await.unwrap().len(), 1);
    // The old name is free, for a project of its own.
    let fresh = theirs.project("Antigo").await.unwrap();
    assert_eq!(fresh.statistics().await.unwrap().documents, 0);
}

/// What one has removed for all does not come back by itself because another still has sources of it, and does when asked to.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
async fn a_project_that_others_removed_comes_back_only_when_asked_to() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (ours, theirs) = (on_server(one.path()).build().unwrap(), on_server(two.path()).build().unwrap());
    take_in(&ours.project("Comum").await.unwrap(), &[("Caldo", "Caldo verde leva couve e batata.")]).await;
    take_in(&theirs.project("Comum").await.unwrap(), &[("Bolo", "Bolo de fubá com erva-doce.")]).await;
    let mut trashed = ours.delete_project("Comum").await.unwrap();
    for can_be_restored in [true, false] {
        if !can_be_restored {
            trashed = ours.delete_project("Comum").await.unwrap();
            ours.erase_from_trash(&trashed.id).await.unwrap();
        }
        let theirs = on_server(two.path()).build().unwrap();
        let error = theirs.project("Comum").await.unwrap_err();
        assert!(
            matches!(&error, Error::RemovedElsewhere { can_be_restored: said, .. } if *said == can_be_restored),
            "{error:?}"
        );
        assert!(!super::server::shared().open().projects().unwrap().contains(&"Comum".to_owned()));
        let listed = theirs.projects().await.unwrap();
        assert!(listed.projects.iter().all(|project| project.name != "Comum"));
        assert!(matches!(&listed.unreadable[..], [Error::RemovedElsewhere { name, .. }] if name == "Comum"));
        let again = theirs.share_again("Comum").await.unwrap();
        assert_eq!(found(&again, "fubá").await, ["Bolo"]);
        // What was set aside comes back whole; what was erased, as far as there are sources.
        let caldo = if can_be_restored { vec!["Caldo"] } else { Vec::new() };
        assert_eq!(found(&again, "couve").await, caldo);
        if can_be_restored {
            ours.restore_project(&trashed.id).await.unwrap();
        }
    }
    // Whoever agrees deletes it, without a trace on the server of others' doing.
    assert!(ours.find_project("Comum").await.unwrap().is_some());
}

/// A binding of a later version is left alone.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
async fn what_a_later_version_wrote_is_left_as_it_is() {
    let data = tempfile::tempdir().unwrap();
    let engine = on_server(data.path()).build().unwrap();
    let project = engine.project("Futuro").await.unwrap();
    let path = data.path().join("indexes").join(project.folder()).join("server.json");
    let later = std::fs::read_to_string(&path).unwrap().replace("\"version\":1", "\"version\":9");
    assert!(later.contains(":9"), "{later}");
    std::fs::write(&path, &later).unwrap();
    drop((project, engine));
    let error = on_server(data.path()).build().unwrap().project("Futuro").await.unwrap_err();
    assert!(matches!(error, Error::Newer { version: 9, .. }), "{error:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), later);
}

/// Without the extensions everything goes on, and every search says what it is less by.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
async fn a_server_without_the_extensions_serves_and_says_so() {
    let data = tempfile::tempdir().unwrap();
    let options = super::server::plain().options("postgres").with_built_in_search();
    let engine =
        Engine::builder().data_dir(data.path()).store(Postgres::open(options).unwrap()).build().unwrap();
    let project = engine.project("Simples").await.unwrap();
    take_in(
        &project,
        &[("Caldo", "Caldo verde leva couve e batata."), ("Bolo", "Bolo de fubá com erva-doce.")],
    )
    .await;
    let answered = project.search("fubá").await.unwrap();
    assert_eq!(answered.hits[0].document.title, "Bolo");
    assert_eq!(answered.degraded, [Degradation::BuiltInSearch]);
    let several = engine.search(std::slice::from_ref(&project), "couve").await.unwrap();
    assert_eq!(several.degraded, [Degradation::BuiltInSearch]);
    let answer = project.chat("receitas").ask("O que leva o caldo verde?").await.unwrap();
    assert!(answer.degraded.contains(&Degradation::BuiltInSearch), "{:?}", answer.degraded);
    assert_eq!(answer.sources[0].title, "Caldo");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
async fn several_projects_are_searched_as_one() {
    let data = tempfile::tempdir().unwrap();
    let engine = on_server(data.path()).build().unwrap();
    let (a, b) = (engine.project("Parte A").await.unwrap(), engine.project("Parte B").await.unwrap());
    take_in(&a, &[("Caldo", "Caldo verde leva couve e batata.")]).await;
    take_in(&b, &[("Bolo", "Bolo de couve, que ninguém pediu.")]).await;
    let found = engine.search(&[a, b], "couve").await.unwrap();
    let mut places: Vec<_> = found.hits.iter().map(|hit| (hit.index, hit.document.title.as_str())).collect();
    places.sort_unstable();
    assert_eq!(places, [(0, "Caldo"), (1, "Bolo")]);
}
