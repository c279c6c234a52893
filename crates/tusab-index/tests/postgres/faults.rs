//! What goes wrong between us and a server.

use std::path::Path;
use std::thread;
use std::time::Duration;

use tusab_index::{Batch, ChunkStore, Control, Error, Postgres, PostgresError, Query, Retriever};

use crate::common::{SAMPLE, batch, document, ids};
use crate::server::Server;

const PRELOAD: &str = "shared_preload_libraries = 'pg_search'";

fn postgres(error: &Error) -> &PostgresError {
    let Error::Postgres(error) = error else { panic!("{error:?}") };
    error
}

#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn a_server_that_is_killed_in_the_middle_of_a_batch_has_nothing_of_it() {
    let mut server = Server::start(PRELOAD);
    let store = server.open().project("killed").unwrap();
    store.apply(&batch(&SAMPLE), Control::default()).unwrap();
    let mut more = Batch::new();
    for n in 0..50 {
        let (record, chunks) = document(&format!("text:{n}"), "Título", &format!("jabuticaba número {n}"));
        more.upsert(record, chunks);
    }
    more.delete("file:bolo".parse().unwrap());
    let impatient =
        Postgres::open(server.options("postgres").with_patience(Duration::from_millis(200))).unwrap();
    let killed = impatient.project("killed").unwrap();
    let progress = |done: usize, _: usize| {
        if done == 30 {
            server.signal("-KILL");
        }
    };
    let error = killed.apply(&more, Control { progress: &progress, ..Control::default() }).unwrap_err();
    assert!(error.is_retryable(), "{error:?}");
    server.run();
    // The first connection to see that the server is back waits until it has recovered.
    let statistics = store.statistics().unwrap();
    assert_eq!((statistics.documents, statistics.chunks), (5, 5));
    assert!(store.retrieve(&Query::new("jabuticaba")).unwrap().hits.is_empty());
    assert_eq!(ids(&store.retrieve(&Query::new("fubá")).unwrap().hits), ["file:bolo"]);
    let applied = store.apply(&more, Control::default()).unwrap();
    assert_eq!((applied.written, applied.deleted), (50, 1));
    assert_eq!(store.retrieve(&Query::new("jabuticaba")).unwrap().words[0].passages, 50);
}

#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn a_restart_between_two_queries_is_not_noticed() {
    let mut server = Server::start(PRELOAD);
    let store = server.open().project("restarted").unwrap();
    store.apply(&batch(&SAMPLE), Control::default()).unwrap();
    assert_eq!(ids(&store.retrieve(&Query::new("fubá")).unwrap().hits), ["file:bolo"]);
    server.signal("-INT");
    thread::scope(|scope| {
        // Asked while the server is away.
        let asked = scope.spawn(|| store.retrieve(&Query::new("fubá")).unwrap());
        server.run_when_ended();
        assert_eq!(ids(&asked.join().unwrap().hits), ["file:bolo"]);
    });
}

#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn limits_are_errors_that_say_so() {
    let server = Server::start(&format!(
        "{PRELOAD}\nmax_connections = 6\nsuperuser_reserved_connections = 0\nreserved_connections = 0"
    ));
    let brief = |options: tusab_index::PostgresOptions| options.with_patience(Duration::from_millis(300));
    let store = server.open().project("limits").unwrap();
    store.apply(&batch(&SAMPLE), Control::default()).unwrap();

    // All connections that the options allow are in use.
    let one = Postgres::open(brief(server.options("postgres")).with_connections(1)).unwrap();
    let one = one.project("limits").unwrap();
    let mut busy = None;
    let asked = std::cell::RefCell::new(&mut busy);
    let progress = |_: usize, _: usize| **asked.borrow_mut() = Some(one.statistics().unwrap_err());
    one.apply(&batch(&[("text:x", "X", "mais um")]), Control { progress: &progress, ..Control::default() })
        .unwrap();
    let error = busy.unwrap();
    assert!(matches!(postgres(&error), PostgresError::Busy { connections: 1, .. }), "{error:?}");
    assert!(error.is_retryable());

    // All that the server allows are.
    let stores: Vec<Postgres> =
        std::iter::from_fn(|| Postgres::open(brief(server.options("postgres"))).ok()).take(20).collect();
    assert!(stores.len() < 6, "{}", stores.len());
    let error = Postgres::open(brief(server.options("postgres"))).unwrap_err();
    assert!(matches!(postgres(&error), PostgresError::Connect { .. }) && error.is_retryable(), "{error:?}");
    drop(stores);

    // A request takes longer than it may.
    let hasty = server.options("postgres").with_statement_timeout(Duration::from_millis(1));
    let mut many = Batch::new();
    for n in 0..400 {
        let (record, chunks) =
            document(&format!("text:{n}"), "Título", &format!("texto longo {n} ").repeat(200));
        many.upsert(record, chunks);
    }
    let slow = Postgres::open(hasty)
        .and_then(|hasty| hasty.project("limits"))
        .and_then(|store| store.apply(&many, Control::default()));
    let error = slow.unwrap_err();
    assert!(postgres(&error).is_statement_timeout() && error.is_retryable(), "{error:?}");
    assert_eq!(store.statistics().unwrap().documents, 6);
}

#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn who_cannot_be_reached_is_told() {
    let server = Server::start(PRELOAD);
    drop(server.open());
    let brief = |options: tusab_index::PostgresOptions| options.with_patience(Duration::from_millis(100));
    let error = Postgres::open(brief(server.options("nowhere"))).unwrap_err();
    assert!(matches!(postgres(&error), PostgresError::Connect { .. }) && !error.is_retryable(), "{error:?}");
    let address = format!("postgresql://tusab:hush@127.0.0.1:{}/postgres?sslmode=require", server.port());
    let error = Postgres::open(brief(tusab_index::PostgresOptions::new(address))).unwrap_err();
    assert!(matches!(postgres(&error), PostgresError::Connect { .. }), "{error:?}");
    let error =
        Postgres::open(tusab_index::PostgresOptions::new("postgresql://tusab:hush@host:port/")).unwrap_err();
    assert!(matches!(postgres(&error), PostgresError::Address { .. }), "{error:?}");
    assert!(!format!("{error} {error:?}").contains("hush"));
}

/// True when this process, and so what it starts, ignores the signal of that number.
fn is_ignored(number: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap() >> (number - 1) & 1 == 1
}

/// Nothing of a server outlives the tests, however they are ended.
#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn a_server_ends_with_what_watches_it() {
    for (signal, number) in [("-TERM", 15), ("-INT", 2), ("-HUP", 1)] {
        // A shell that is started with a signal ignored, as in the background of another, cannot listen to it: then nobody
        // ends the tests by it either.
        if is_ignored(number) {
            assert_ne!(signal, "-TERM");
            println!("{signal} is ignored here");
            continue;
        }
        let mut server = Server::start(PRELOAD);
        drop(server.open());
        let process = server.process();
        server.end_by(signal);
        assert!(!Path::new(&format!("/proc/{process}")).exists(), "{signal}");
        assert!(!server.folder().exists(), "{signal}");
    }
}

#[test]
#[ignore = "needs PostgreSQL, and root for a small file system: scripts/assets.sh"]
fn a_full_disk_is_told_and_nothing_half_is_there() {
    let server = Server::start_with_room(PRELOAD, 300);
    let store = server.open().project("full").unwrap();
    store.apply(&batch(&SAMPLE), Control::default()).unwrap();
    let mut more = Batch::new();
    for n in 0..2000 {
        let text = format!("jabuticaba número {n} {}", "palavras que enchem o disco ".repeat(60));
        let (record, chunks) = document(&format!("text:{n}"), "Título", &text);
        more.upsert(record, chunks);
    }
    // All but a megabyte is taken by somebody else.
    let filler = server.folder().join("data/filler");
    let mut file = std::fs::File::create(&filler).unwrap();
    let block = vec![0_u8; 1 << 20];
    while std::io::Write::write_all(&mut file, &block).is_ok() {}
    file.set_len(file.metadata().unwrap().len().saturating_sub(1 << 20)).unwrap();
    let error = store.apply(&more, Control::default()).unwrap_err();
    assert!(postgres(&error).is_disk_full(), "{error:?}");
    assert_eq!(store.statistics().unwrap().documents, 5);
    assert_eq!(ids(&store.retrieve(&Query::new("fubá")).unwrap().hits), ["file:bolo"]);
    drop(file);
    std::fs::remove_file(filler).unwrap();
    assert_eq!(store.apply(&more, Control::default()).unwrap().written, 2000);
    assert_eq!(store.retrieve(&Query::new("jabuticaba")).unwrap().words[0].passages, 2000);
}
