//! A channel among other sources: taken in, looked at again, kept in step with its folder.

use std::fs;
use std::time::Duration;

use tusab_engine::{Cancel, IngestReport, Outcome, Schedule, Source, YouTubeReport};

use crate::queue::{PLAYLIST, Stage, own};
use crate::{entry, fast, found, list, names, outcomes, url};

fn channel() -> Source {
    Source::youtube(url(PLAYLIST), fast())
}

/// What became of the channel.
fn taken(report: &IngestReport) -> &YouTubeReport {
    for item in &report.items {
        if let Outcome::YouTube(report) = &item.outcome {
            return report;
        }
    }
    panic!("{report:?}");
}

fn now_lists(stage: &Stage, ids: &[&str]) {
    let entries: Vec<String> = ids.iter().map(|id| entry(id, "")).collect();
    stage.put("PL0123456789.out", &list(&entries));
}

#[tokio::test]
async fn a_channel_is_a_source_among_others_and_only_what_is_new_is_taken() {
    let stage = Stage::new(&["video000001", "video000002"]);
    let project = stage.project().await;
    let sources = vec![Source::text("antes", "umbu"), channel(), Source::text("depois", "cajá")];
    let report = project.ingest_all(sources, &Cancel::new()).await.unwrap();
    assert_eq!(taken(&report).stored(), 2);
    let told: Vec<&str> = report.items.iter().map(|item| item.name.as_str()).collect();
    assert_eq!(told, ["antes", PLAYLIST, "depois"]);
    assert_eq!(stage.asked(), own(&["PL0123456789", "video000001", "video000002"]));
    for (word, doc) in [("video000002", "youtube:video000002")] {
        assert_eq!(found(&project, word).await, [doc]);
    }
    assert_eq!((found(&project, "umbu").await.len(), found(&project, "cajá").await.len()), (1, 1));

    // The same again asks for the list alone; with one more in it, for that one.
    let report = project.ingest(channel()).await.unwrap();
    assert_eq!((taken(&report).stored(), report.changes().count()), (0, 0), "{report:?}");
    assert_eq!(stage.asked(), own(&["PL0123456789"]));
    stage.video("video000003");
    now_lists(&stage, &["video000001", "video000002", "video000003"]);
    let report = project.ingest(channel()).await.unwrap();
    assert_eq!((taken(&report).stored(), report.changes().count()), (1, 1));
    assert_eq!(outcomes(taken(&report)).len(), 3);
    assert_eq!(stage.asked(), own(&["PL0123456789", "video000003"]));
    assert_eq!(project.statistics().await.unwrap().documents, 5);
}

#[tokio::test]
async fn a_channel_that_renames_itself_stays_in_its_folder() {
    let stage = Stage::new(&["video000001"]);
    let project = stage.project().await;
    project.ingest(channel()).await.unwrap();
    let shelves = stage.data().join("neural/p/youtube");
    assert_eq!(names(&shelves), ["canal"]);
    stage.video_of("video000002", "Outro nome");
    now_lists(&stage, &["video000001", "video000002"]);
    let report = project.ingest(channel()).await.unwrap();
    assert_eq!(taken(&report).stored(), 1);
    assert_eq!(names(&shelves), ["canal"]);
    assert_eq!(names(&shelves.join("canal")), ["_manifest.json", "video000001.json", "video000002.json"]);
    // Also when all that is left of the folder is its files.
    fs::remove_file(shelves.join("canal/_manifest.json")).unwrap();
    let project = stage.project().await;
    stage.video_of("video000003", "Mais um nome");
    now_lists(&stage, &["video000001", "video000002", "video000003"]);
    project.ingest(channel()).await.unwrap();
    assert_eq!((names(&shelves), names(&shelves.join("canal")).len()), (own(&["canal"]), 4));
}

#[tokio::test]
async fn a_synchronisation_asks_nobody_and_a_refresh_asks_when_it_is_due() {
    let stage = Stage::new(&["video000001", "video000002"]);
    let project = stage.project().await;
    project.follow(channel(), Schedule::Daily).await.unwrap();
    let refresh = async || {
        let report = project.refresh(&Cancel::new()).await.unwrap();
        report.sources.iter().map(|source| taken(&source.report).stored()).sum::<usize>()
    };
    assert_eq!((refresh().await, stage.asked().len()), (2, 3));
    let shelf = stage.data().join("neural/p/youtube/canal");
    let report = project.sync(&Cancel::new()).await.unwrap();
    assert_eq!((report.unchanged, report.changes.len()), (2, 0), "{report:?}");
    // A hand takes one away: it is gone at once, and the next look at the channel brings it back.
    fs::remove_file(shelf.join("video000002.json")).unwrap();
    let report = project.sync(&Cancel::new()).await.unwrap();
    assert!(matches!(report.changes[0].outcome, Outcome::Removed { .. }), "{report:?}");
    assert!(found(&project, "video000002").await.is_empty());
    assert_eq!(
        (refresh().await, stage.asked()),
        (0, Vec::new()),
        "not due, and nobody was asked before either"
    );
    stage.clock.pass(Duration::from_hours(24));
    assert_eq!((refresh().await, stage.asked()), (1, own(&["PL0123456789", "video000002"])));
    assert_eq!(found(&project, "video000002").await, ["youtube:video000002"]);
}
