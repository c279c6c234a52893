//! What every store must hold, and how the tables come to be.

use std::thread;

use tusab_index::{Batch, ChunkStore, Control, Error, Postgres, PostgresError, Query, Retriever};

use crate::common::{SAMPLE, batch, document, ids};
use crate::conformance::conformance;
use crate::server::{Server, shared};
use crate::sql;

#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn the_store_conforms() {
    let postgres = shared().open();
    conformance(|| Box::new(postgres.project("conformance").unwrap()));
}

#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn any_number_of_programs_make_the_tables_at_once() {
    let server = Server::start("shared_preload_libraries = 'pg_search'");
    // Running: who waits for it does not come with the others.
    assert!(Postgres::open(server.options("postgres")).is_ok());
    for round in 0..3 {
        sql::run(&server, &[&format!("CREATE DATABASE round{round}")]);
        let open = || Postgres::open(server.options(&format!("round{round}"))).unwrap();
        thread::scope(|scope| {
            let opened: Vec<_> = (0..6).map(|_| scope.spawn(open)).collect();
            for opened in opened {
                let store = opened.join().unwrap().project("one").unwrap();
                assert_eq!(store.statistics().unwrap().chunks, 0);
            }
        });
        assert_eq!(open().projects().unwrap(), ["one"]);
    }
}

#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn a_server_without_the_extensions_is_told_from_others() {
    let server = Server::start_without("", &["pg_search", "vector"]);
    let error = Postgres::open(server.options("postgres")).unwrap_err();
    let Error::Postgres(PostgresError::MissingExtensions { names, .. }) = &error else { panic!("{error:?}") };
    assert_eq!(names, &["pg_search", "vector"]);
    assert!(error.to_string().contains("shared_preload_libraries"), "{error}");
    assert!(!error.is_retryable());
    // Nor does it leave half of the tables there.
    let again = Postgres::open(server.options("postgres")).unwrap_err();
    assert!(matches!(again, Error::Postgres(PostgresError::MissingExtensions { .. })), "{again:?}");
}

#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn writers_of_the_same_documents_wait_for_each_other() {
    let postgres = shared().open();
    let store = postgres.project("writers").unwrap();
    thread::scope(|scope| {
        for writer in 0..6 {
            let store = &store;
            scope.spawn(move || {
                for round in 0..5 {
                    let text = format!("texto comum da volta {round} escrito por {writer}");
                    let texts =
                        [("text:a", "Um", &*text), ("text:b", "Dois", &*text), ("text:c", "Três", &*text)];
                    let mut batch = batch(&texts);
                    batch.upsert(document(&format!("text:own{writer}"), "Meu", &text).0, Vec::new());
                    store.apply(&batch, Control::default()).unwrap();
                }
            });
        }
    });
    let statistics = store.statistics().unwrap();
    assert_eq!((statistics.documents, statistics.chunks), (9, 3));
    let found = store.retrieve(&Query::new("comum").with_duplicates()).unwrap();
    assert_eq!((found.hits.len(), found.words[0].passages), (3, 3));
    // The counts are those of what is there: with the last document gone nothing is left of them.
    let mut batch = Batch::new();
    for id in ["text:a", "text:b", "text:c"] {
        batch.delete(id.parse().unwrap());
    }
    store.apply(&batch, Control::default()).unwrap();
    let found = store.retrieve(&Query::new("comum")).unwrap();
    assert_eq!((found.hits.len(), found.words[0].passages), (0, 0));
}

#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn a_project_is_removed_with_all_that_it_holds() {
    let postgres = shared().open();
    let store = postgres.project("removed").unwrap();
    store.apply(&batch(&SAMPLE), Control::default()).unwrap();
    assert!(postgres.remove_project("removed").unwrap());
    assert!(!postgres.remove_project("removed").unwrap());
    assert!(!postgres.projects().unwrap().contains(&"removed".to_owned()));
    let error = store.apply(&batch(&SAMPLE), Control::default()).unwrap_err();
    assert!(matches!(error, Error::Postgres(PostgresError::ProjectRemoved { .. })), "{error:?}");
    assert!(store.retrieve(&Query::new("fubá")).unwrap().hits.is_empty());
    let store = postgres.project("removed").unwrap();
    assert!(store.documents().unwrap().is_empty());
    for name in ["", "a\0b", &"x".repeat(201)] {
        let error = postgres.project(name).unwrap_err();
        assert!(matches!(error, Error::Postgres(PostgresError::ProjectName { .. })), "{error:?}");
    }
}

#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn what_a_text_holds_comes_back_as_it_was() {
    let store = shared().open().project("characters").unwrap();
    let texts = [
        "nulo \0 dentro",
        "barra \\ invertida \\N \\. \t tab \r\n linha",
        "'; DROP TABLE chunks; --",
        "🎉 \u{10FFFF}",
    ];
    let mut all = Batch::new();
    for (number, text) in texts.iter().enumerate() {
        let (record, chunks) = document(&format!("text:{number}"), &format!("Título {text}"), text);
        assert!(!chunks.is_empty());
        all.upsert(record, chunks);
    }
    store.apply(&all, Control::default()).unwrap();
    for (number, text) in texts.iter().enumerate() {
        let (record, chunks) = document(&format!("text:{number}"), &format!("Título {text}"), text);
        assert_eq!(store.chunks(&record.id).unwrap(), chunks);
        assert_eq!(store.document(&record.id).unwrap(), Some(record));
    }
    assert_eq!(ids(&store.retrieve(&Query::new("invertida")).unwrap().hits), ["text:1"]);
}

/// A thread that belongs to a runtime may call it too.
#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn it_may_be_called_from_a_runtime() {
    let server = shared();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let found = runtime.block_on(async {
        let postgres = server.open();
        postgres.project("runtime").unwrap().retrieve(&Query::new("nada")).unwrap()
    });
    assert!(found.hits.is_empty());
}
