//! Documents from one store into another, and tables of an earlier version.

use tusab_chunk::DocId;
use tusab_index::{
    ChunkStore, Control, Dimension, Enrichment, Index, Query, Retriever, Vector, VectorSpace, copy_documents,
};

use crate::common::{SAMPLE, batch, ids};
use crate::server::{Server, shared};
use crate::sql;

fn all(store: &dyn ChunkStore) -> Vec<DocId> {
    store.content_hashes().unwrap().into_iter().map(|(doc, _)| doc).collect()
}

#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn documents_go_to_a_server_and_back_with_all_that_was_given_to_them() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (from, back) = (Index::open(one.path()).unwrap().index, Index::open(two.path()).unwrap().index);
    let there = shared().open().project("moving").unwrap();
    from.apply(&batch(&SAMPLE), Control::default()).unwrap();
    let bolo: DocId = "file:bolo".parse().unwrap();
    let id = from.chunks(&bolo).unwrap()[0].id();
    from.set_key_phrases(&[(bolo.clone(), vec![(id, vec!["sobremesa caipira".into()])])]).unwrap();
    let space = VectorSpace::new("m", Dimension::new(3).unwrap());
    let vector = Vector::new(vec![0.25, -1.5, 3.0]).unwrap();
    from.set_vectors(&space, &[(bolo.clone(), vec![(id, vector.clone())])]).unwrap();
    for (from, to) in [(&from as &dyn ChunkStore, &there as &dyn ChunkStore), (&there, &back)] {
        let documents = all(from);
        // Twice: what is there is not written again.
        copy_documents(from, to, &documents, Control::default()).unwrap();
        copy_documents(from, to, &documents, Control::default()).unwrap();
        assert_eq!(to.documents().unwrap(), from.documents().unwrap());
        for doc in &documents {
            assert_eq!(to.chunks(doc).unwrap(), from.chunks(doc).unwrap());
            assert_eq!(to.vectors(doc).unwrap(), from.vectors(doc).unwrap());
        }
        assert_eq!(to.vectors(&bolo).unwrap(), [(id, vector.clone())]);
        assert_eq!(to.vector_space().unwrap(), Some(space.clone()));
        assert_eq!(to.count_lacking(Enrichment::Vectors).unwrap(), 4);
    }
    for retriever in [&there as &dyn Retriever, &back] {
        assert_eq!(ids(&retriever.retrieve(&Query::new("caipira")).unwrap().hits), ["file:bolo"]);
    }
    let stop = || true;
    let control = Control { stop: &stop, ..Control::default() };
    assert!(copy_documents(&from, &there, &all(&from), control).unwrap_err().is_stopped());
}

#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn tables_of_the_first_version_become_those_of_this_one() {
    let server = Server::start("shared_preload_libraries = 'pg_search'");
    // The first connection of a store waits until the server has started.
    assert!(tusab_index::Postgres::open(server.options("template1")).is_ok());
    sql::run(
        &server,
        &[
            "CREATE EXTENSION pg_search",
            "CREATE EXTENSION vector",
            "CREATE SCHEMA tusab",
            concat!(
                "SET search_path = tusab, public; ",
                concat!(
                    include_str!("../../src/postgres/schema_1.sql"),
                    include_str!("../../src/postgres/schema_1_pg_search.sql")
                )
            ),
            "CREATE TABLE tusab.schema (version bigint NOT NULL); INSERT INTO tusab.schema VALUES (1)",
            "INSERT INTO tusab.projects (name) VALUES ('old')",
        ],
    );
    let postgres = server.open();
    let key = postgres.find_project("old").unwrap().unwrap().key();
    let store = postgres.project_of(key).unwrap().unwrap().with_owner("me");
    store.apply(&batch(&SAMPLE), Control::default()).unwrap();
    assert_eq!(ids(&store.retrieve(&Query::new("fubá")).unwrap().hits), ["file:bolo"]);
    assert!(store.owned_hashes().unwrap().iter().all(|(_, _, is_own)| *is_own));
    assert!(
        postgres.find_project("old").unwrap().unwrap().owned_hashes().unwrap().iter().all(|(_, _, own)| !own)
    );
    let file = store.file("sessions/a").unwrap();
    assert!(store.write_file("sessions/a", &file, Some(b"one")).unwrap());
    // Whoever has read what was there before is told.
    assert!(!store.write_file("sessions/a", &file, Some(b"two")).unwrap());
    let file = store.file("sessions/a").unwrap();
    assert_eq!(file.content.as_deref(), Some(&b"one"[..]));
    assert_eq!(store.files("sessions/").unwrap(), ["sessions/a"]);
    assert!(store.write_file("sessions/a", &file, None).unwrap());
    assert!(store.files("").unwrap().is_empty());
    // Set aside, its name is free; taken back, it is what it was.
    assert!(postgres.set_project_aside(key).unwrap());
    assert!(postgres.projects().unwrap().is_empty());
    let other = postgres.project("old").unwrap();
    assert_ne!(other.key(), key);
    assert!(postgres.take_project_back(key).is_err());
    assert!(postgres.remove_project("old").unwrap());
    assert!(postgres.take_project_back(key).unwrap());
    assert_eq!(postgres.project("old").unwrap().key(), key);
}
