//! A server without the extensions, whose own search serves.

use std::thread;

use tusab_index::{
    Batch, ChunkStore, Control, Error, Postgres, PostgresError, Query, Retriever, TextSearch, Vector,
    VectorOutcome, VectorQuery, VectorSearch, VectorSpace,
};

use crate::common::{batch, chunk, document, ids};
use crate::conformance::conformance;
use crate::server::{Server, plain};
use crate::sql;

fn open(server: &Server) -> Postgres {
    Postgres::open(server.options("postgres").with_built_in_search()).unwrap()
}

#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn the_store_conforms() {
    let postgres = open(plain());
    assert_eq!(postgres.text_search(), TextSearch::BuiltIn);
    conformance(|| Box::new(postgres.project("conformance").unwrap()));
}

/// Who has waited for another to make the tables finds them made.
#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn any_number_of_programs_make_the_tables_at_once() {
    open(plain());
    for round in 0..8 {
        let database = format!("round{round}");
        sql::run(plain(), &[&format!("CREATE DATABASE {database}")]);
        let open = || Postgres::open(plain().options(&database).with_built_in_search()).map(|_| ());
        let opened: Vec<_> = thread::scope(|scope| {
            let opening: Vec<_> = (0..6).map(|_| scope.spawn(open)).collect();
            opening.into_iter().map(|opened| opened.join().unwrap()).collect()
        });
        assert!(opened.iter().all(Result::is_ok), "{opened:?}");
    }
}

/// Whoever did not allow it is told, also where somebody else's tables are there already.
#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn it_is_used_only_where_it_was_allowed() {
    open(plain());
    let error = Postgres::open(plain().options("postgres")).unwrap_err();
    assert!(matches!(error, Error::Postgres(PostgresError::BuiltInTables)), "{error:?}");
    assert!(!error.is_retryable() && error.to_string().contains("with_built_in_search"), "{error}");
    // Where the extensions are there, being allowed changes nothing.
    assert_eq!(open(crate::server::shared()).text_search(), TextSearch::PgSearch);
}

/// What holds a rare word or the whole phrase is found, however many passages rank before it: the words are exact, however
/// long they are and whatever they are made of.
#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn nothing_literal_is_missed() {
    let store = open(plain()).project("literal").unwrap();
    let long = "x".repeat(3_000);
    let other = format!("{}y", "x".repeat(2_999));
    let mut all = Batch::new();
    for number in 0..300 {
        let (record, chunks) =
            document(&format!("text:{number}"), "Milho", &format!("milho milho sol {number}"));
        all.upsert(record, chunks);
    }
    let of_their_own = [
        ("text:long", "Longa", format!("uma palavra {long} entre outras de milho")),
        ("text:other", "Outra", format!("uma palavra {other} entre outras de milho")),
        ("text:phrase", "Frase", format!("{} sol de milho {}", "vento ".repeat(300), "chuva ".repeat(300))),
        ("text:quotes", "Aspas", "it's a \\ d'água C++ de milho".to_owned()),
    ];
    for (id, title, text) in &of_their_own {
        let (record, chunks) = document(id, title, text);
        all.upsert(record, chunks);
    }
    store.apply(&all, Control::default()).unwrap();
    for (asked, wanted) in [
        (long.as_str(), "text:long"),
        (&other, "text:other"),
        ("sol de milho", "text:phrase"),
        ("d'água", "text:quotes"),
    ] {
        let found = store.retrieve(&Query::new(asked)).unwrap();
        assert!(ids(&found.hits).contains(&wanted), "{wanted}: {:?}", ids(&found.hits));
    }
}

/// More of a word, and a rarer word, nominate before less: among more passages than are ranked.
#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn the_better_of_many_passages_are_nominated() {
    let store = open(plain()).project("nominated").unwrap();
    let mut all = Batch::new();
    for number in 0..400 {
        let (record, chunks) =
            document(&format!("text:{number}"), "Um", &format!("o milho cresce devagar no campo {number}"));
        all.upsert(record, chunks);
    }
    for (id, text) in [
        ("text:often", "milho, milho e mais milho: o milho do milharal"),
        ("text:both", "o milho e a cevada crescem devagar"),
    ] {
        let (record, chunks) = document(id, "Um", text);
        all.upsert(record, chunks);
    }
    store.apply(&all, Control::default()).unwrap();
    let first = |text: &str| {
        let found = store.retrieve(&Query::new(text).with_limit(1)).unwrap();
        ids(&found.hits).first().map(ToString::to_string)
    };
    assert_eq!(first("milho").as_deref(), Some("text:often"));
    assert_eq!(first("milho cevada").as_deref(), Some("text:both"));
}

/// Vectors without pgvector: each is looked at.
#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn the_nearest_vectors_are_found() {
    let store = open(plain()).project("vectors").unwrap();
    store
        .apply(
            &batch(&[("text:a", "Um", "sol"), ("text:b", "Dois", "lua"), ("text:c", "Três", "mar")]),
            Control::default(),
        )
        .unwrap();
    let vector = |numbers: [f32; 3]| Vector::new(numbers.to_vec()).unwrap();
    let space = VectorSpace::new("model", vector([1.0, 0.0, 0.0]).dimension());
    let of =
        |id: &str, text: &str, numbers| (id.parse().unwrap(), vec![(chunk(id, text).id(), vector(numbers))]);
    let given = [
        of("text:a", "sol", [1.0, 0.1, 0.0]),
        of("text:b", "lua", [0.0, -2.5e-3, 1.0]),
        of("text:c", "mar", [-1.0, 0.0, 0.0]),
    ];
    assert_eq!(store.set_vectors(&space, &given).unwrap().written, 3);
    let asked = vector([0.9, 0.0, 0.1]);
    let outcome = store.nearest(&VectorQuery::new(&space, &asked).unwrap().with_limit(2)).unwrap();
    let VectorOutcome::Found(hits) = outcome else { panic!("{outcome:?}") };
    let of_hits: Vec<_> = hits.iter().map(|hit| hit.chunk).collect();
    assert_eq!(of_hits, [chunk("text:a", "sol").id(), chunk("text:b", "lua").id()]);
    let cosine = 0.9 / (0.82_f32.sqrt() * 1.01_f32.sqrt());
    assert!((hits[0].score - cosine).abs() < 1e-5, "{} {cosine}", hits[0].score);
    // As they were given, to the last digit.
    let kept = store.vectors(&"text:b".parse().unwrap()).unwrap();
    assert_eq!(kept[0].1, vector([0.0, -2.5e-3, 1.0]));
}
