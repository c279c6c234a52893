//! A primary that is written to and a logical replica that is read from, both real.

use std::time::{Duration, Instant};

use tusab_index::{Batch, ChunkStore, Control, Filter, Found, Postgres, PostgresOptions, Query, Retriever};

use crate::common::{SAMPLE, batch, document, ids};
use crate::server::Server;
use crate::sql;

const PRELOAD: &str = "shared_preload_libraries = 'pg_search'";

/// Two servers, the second of which follows the first.
fn pair() -> (Server, Server) {
    let primary = Server::start(&format!("{PRELOAD}\nwal_level = logical"));
    let replica = Server::start(PRELOAD);
    for server in [&primary, &replica] {
        // Its tables.
        drop(server.open());
    }
    sql::run(
        &primary,
        &["CREATE PUBLICATION tusab FOR TABLE \
           tusab.projects, tusab.documents, tusab.chunks, tusab.terms, tusab.vectors, tusab.files"],
    );
    let subscription = format!(
        "CREATE SUBSCRIPTION tusab CONNECTION 'host=127.0.0.1 port={} user=tusab dbname=postgres' PUBLICATION tusab",
        primary.port()
    );
    sql::run(&replica, &[&subscription]);
    (primary, replica)
}

fn options(primary: &Server, replica: &Server, lag: Duration) -> PostgresOptions {
    let reads = replica.options("postgres").address;
    primary.options("postgres").with_reads(reads).with_lag(lag).with_patience(Duration::from_secs(5))
}

fn notes(from: usize, count: usize) -> Batch {
    let mut batch = Batch::new();
    for n in from..from + count {
        let (record, chunks) = document(&format!("text:{n}"), "Nota", &format!("jabuticaba número {n}"));
        batch.upsert(record, chunks);
    }
    batch
}

fn shown(found: &Found) -> Vec<String> {
    found.hits.iter().map(|hit| format!("{} {:.3}", hit.document.id, hit.score)).collect()
}

#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn reads_go_to_the_replica_and_find_what_was_just_written() {
    let (primary, replica) = pair();
    let patient = Duration::from_mins(1);
    let store = Postgres::open(options(&primary, &replica, patient)).unwrap().project("replica").unwrap();
    store.apply(&batch(&SAMPLE), Control::default()).unwrap();
    // At once: the read waits until it is there.
    assert_eq!(ids(&store.retrieve(&Query::new("fubá")).unwrap().hits), ["file:bolo"]);
    for round in 0..5 {
        store.apply(&notes(round * 10, 10), Control::default()).unwrap();
        let found = store.retrieve(&Query::new("jabuticaba")).unwrap();
        assert_eq!(found.words[0].passages, (round as u64 + 1) * 10);
    }
    // The same passages by the same scores as where it was written.
    let there = primary.open().project("replica").unwrap();
    for text in ["jabuticaba 7", "\"erva-doce\"", "juros", "C++"] {
        let query = Query::new(text).with_limit(20);
        assert_eq!(shown(&store.retrieve(&query).unwrap()), shown(&there.retrieve(&query).unwrap()));
    }
    // With the primary gone, what is there is still found.
    drop(primary);
    assert_eq!(ids(&store.retrieve(&Query::new("fubá")).unwrap().hits), ["file:bolo"]);
    let mut filter = Filter::default();
    filter.documents.push("text:3".parse().unwrap());
    let query = Query::new("jabuticaba").with_filter(filter);
    assert_eq!(ids(&store.retrieve(&query).unwrap().hits), ["text:3"]);
    assert_eq!(store.statistics().unwrap().documents, 55);
}

#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn a_replica_that_is_behind_or_gone_is_passed_over() {
    let (primary, replica) = pair();
    let hasty = Duration::from_millis(20);
    let store = Postgres::open(options(&primary, &replica, hasty)).unwrap().project("behind").unwrap();
    store.apply(&notes(0, 5), Control::default()).unwrap();
    sql::run(&replica, &["ALTER SUBSCRIPTION tusab DISABLE"]);
    store.apply(&notes(5, 5), Control::default()).unwrap();
    let found = store.retrieve(&Query::new("jabuticaba")).unwrap();
    assert_eq!(found.words[0].passages, 10);
    // Who has written nothing may be told what was there before.
    let reader = Postgres::open(replica.options("postgres")).unwrap();
    let seen = reader.find_project("behind").unwrap().map(|store| store.statistics().unwrap().documents);
    assert!(seen.is_none_or(|documents| documents <= 5), "{seen:?}");

    replica.signal("-KILL");
    let started = Instant::now();
    for _ in 0..20 {
        assert_eq!(store.retrieve(&Query::new("jabuticaba")).unwrap().words[0].passages, 10);
    }
    // It is not asked anew by each.
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    store.apply(&notes(10, 1), Control::default()).unwrap();
    assert_eq!(store.retrieve(&Query::new("jabuticaba")).unwrap().words[0].passages, 11);
}
