//! The search beside the local index, which is the measure of it.

use std::sync::OnceLock;

use proptest::prelude::*;
use proptest::sample::select;
use tusab_chunk::{Date, SourceKind};
use tusab_index::{
    AdvancedQuery, Batch, ChunkStore, Control, Filter, Found, Index, PgStore, Postgres, Query, Recency,
    Retriever,
};

use crate::common::{SAMPLE, document};
use crate::server::{plain, shared};

/// A pool that every passage is in: which are nominated is then no matter of rounding.
const ALL: usize = 150;

/// The same documents in all of them.
struct Twins {
    store: PgStore,
    /// On a server without the extensions.
    plain: PgStore,
    index: Index,
    _dir: tempfile::TempDir,
}

const WORDS: [&str; 24] = [
    "café",
    "cafe",
    "de",
    "Água",
    "milho",
    "milhos",
    "rádio",
    "14.688",
    "C++",
    "self-rag",
    "sol",
    "são",
    "que",
    "o",
    "preço",
    "ÁGUA",
    "informações",
    "informação",
    "installations",
    "houses",
    "vecino",
    "東京",
    "R$",
    "@fulana",
];

/// Texts of a few words in an order that never changes.
fn texts() -> impl Iterator<Item = (String, String, String)> {
    let mut seed = 7_u32;
    let mut next = move || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 16) as usize
    };
    (0..120).map(move |n| {
        let mut some =
            |count: usize| (0..count).map(|_| WORDS[next() % WORDS.len()]).collect::<Vec<_>>().join(" ");
        (format!("text:{n}"), some(2), some(4 + n % 9))
    })
}

fn twins() -> &'static Twins {
    static TWINS: OnceLock<Twins> = OnceLock::new();
    TWINS.get_or_init(|| {
        let postgres = shared().open();
        let plain = Postgres::open(plain().options("postgres").with_built_in_search()).unwrap();
        // Others in the same tables: they count for nothing here.
        let mut batch = Batch::new();
        for (id, title, text) in texts().take(40) {
            let (record, chunks) = document(&id, &title, &format!("{text} milho sol"));
            batch.upsert(record, chunks);
        }
        for postgres in [&postgres, &plain] {
            let others = postgres.project("ranking others").unwrap();
            others.apply(&batch, Control::default()).unwrap();
        }
        let dir = tempfile::tempdir().unwrap();
        let twins = Twins {
            store: postgres.project("ranking").unwrap(),
            plain: plain.project("ranking").unwrap(),
            index: Index::open(dir.path()).unwrap().index,
            _dir: dir,
        };
        let sample = SAMPLE.map(|(id, title, text)| (id.to_owned(), title.to_owned(), text.to_owned()));
        let mut all = Batch::new();
        for (number, (id, title, text)) in texts().chain(sample).enumerate() {
            let (mut record, chunks) = document(&id, &title, &text);
            if number % 4 == 0 {
                record.tags = vec!["Política Monetária".to_owned()];
                record.date = Some(Date::new(2026, 1 + u8::try_from(number % 12).unwrap(), 5).unwrap());
            }
            if number % 5 == 0 {
                record.language = Some("pt-BR".parse().unwrap());
            }
            all.upsert(record, chunks);
        }
        twins.store.apply(&all, Control::default()).unwrap();
        twins.plain.apply(&all, Control::default()).unwrap();
        twins.index.apply(&all, Control::default()).unwrap();
        twins
    })
}

/// The ids, scores and reasons of what was found; scores to four digits.
fn shown(found: &Found) -> Vec<String> {
    let show = |hit: &tusab_index::Hit| {
        let explain = &hit.explain;
        format!(
            "{} {:.3} {:?} {} {}",
            hit.document.id, hit.score, explain.literal, explain.is_quoted, explain.is_title
        )
    };
    found.hits.iter().map(show).collect()
}

fn assert_alike(query: &Query) {
    let twins = twins();
    let query = &query.clone().with_pool(ALL);
    let words = |found: &Found| {
        found.words.iter().map(|word| (word.token.clone(), word.count, word.passages)).collect::<Vec<_>>()
    };
    let theirs = twins.index.retrieve(query).unwrap();
    // Once all are nominated, it is no matter by whom.
    for store in [&twins.store, &twins.plain] {
        let (ours, by) = (store.retrieve(query).unwrap(), store.text_search());
        assert_eq!(shown(&ours), shown(&theirs), "{by:?} {query:?}");
        assert_eq!(ours.is_literal_capped, theirs.is_literal_capped, "{by:?} {query:?}");
        assert!((ours.best_score - theirs.best_score).abs() < 1e-3 * theirs.best_score.max(1.0));
        assert_eq!(words(&ours), words(&theirs), "{by:?} {query:?}");
    }
}

#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn it_finds_what_the_local_index_finds() {
    for text in [
        "café",
        "cafe",
        "informacao",
        "installation of a house",
        "vecinos",
        "14.688",
        "C++",
        "self-rag",
        "self rag",
        "\"milho sol\"",
        "o que",
        "preço do milho e do sol",
        "東京",
        "R$ preço",
        "juros compostos",
        "bolo de fubá",
        "lei 14.688",
        "erva-doce",
        "palavraquenaoexiste café",
    ] {
        for limit in [1, 6, 40] {
            assert_alike(&Query::new(text).with_limit(limit));
            assert_alike(&Query::new(text).with_limit(limit).with_duplicates());
        }
        assert_alike(&Query::new(text).with_whole_pool());
        assert_alike(&Query::new(text).with_title_weight(0.0));
        assert_alike(&Query::new(text).with_title_weight(2.5));
    }
}

#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn filters_let_through_what_they_do_locally() {
    let filters: [fn(&mut Filter); 8] = [
        |filter| filter.kinds.push(SourceKind::File),
        |filter| filter.kinds.push(SourceKind::Youtube),
        |filter| filter.tags.push("politica monetaria".to_owned()),
        |filter| filter.tags.push("politica".to_owned()),
        |filter| filter.languages.push("pt".parse().unwrap()),
        |filter| filter.documents.extend(["text:3".parse().unwrap(), "text:nowhere".parse().unwrap()]),
        |filter| filter.documents.push("text:nowhere".parse().unwrap()),
        |filter| {
            filter.since = Some(Date::new(2026, 3, 1).unwrap());
            filter.until = Some(Date::new(2026, 9, 5).unwrap());
        },
    ];
    for set in filters {
        let mut filter = Filter::default();
        set(&mut filter);
        for text in ["milho", "preço sol", "juros", "C++", "\"o tempo\""] {
            assert_alike(&Query::new(text).with_filter(filter.clone()).with_limit(20).with_duplicates());
        }
    }
    let today = Date::new(2026, 12, 31).unwrap();
    let recency = Recency { today, half_life_days: 60.0, weight: 2.0 };
    assert_alike(&Query::new("milho").with_recency(recency).with_duplicates());
}

#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn the_advanced_syntax_finds_what_it_does_locally() {
    let twins = twins();
    for text in [
        "milho",
        "milho -sol",
        "\"milho sol\"",
        "\"milho\" preço",
        "milho -\"preço\" -C++",
        "title:milho",
        "title:juros tempo",
        "sol -title:milho",
        "tag:política sol",
        "tag:\"política monetária\"",
        "sol -tag:monetária",
        "\"C++\" title:rust",
        "title:self-rag",
        "\"palavraquenaoexiste\" milho",
        "tag:milho",
    ] {
        let advanced: AdvancedQuery = text.parse().unwrap();
        for limit in [1, 6, 40] {
            let query = Query::new("").with_limit(limit).with_pool(ALL).with_duplicates();
            let theirs = twins.index.retrieve_advanced(&advanced, &query).unwrap();
            for store in [&twins.store, &twins.plain] {
                let ours = store.retrieve_advanced(&advanced, &query).unwrap();
                assert_eq!(shown(&ours), shown(&theirs), "{:?} {text} {limit}", store.text_search());
            }
        }
    }
}

/// Projects that are searched as one rank as folders do that are searched as one.
#[test]
#[ignore = "needs PostgreSQL: scripts/assets.sh"]
fn several_projects_are_searched_as_one() {
    let postgres = shared().open();
    let (mut stores, mut indexes, mut dirs) = (Vec::new(), Vec::new(), Vec::new());
    for part in 0..3 {
        let mut batch = Batch::new();
        for (number, (id, title, text)) in texts().enumerate() {
            // Parts of unequal size, whose words are not equally rare.
            if number % 6 >= part && number % 3 == part {
                let (record, chunks) = document(&id, &title, &text);
                batch.upsert(record, chunks);
            }
        }
        let dir = tempfile::tempdir().unwrap();
        let (store, index) =
            (postgres.project(&format!("several {part}")).unwrap(), Index::open(dir.path()).unwrap().index);
        store.apply(&batch, Control::default()).unwrap();
        index.apply(&batch, Control::default()).unwrap();
        stores.push(store);
        indexes.push(index);
        dirs.push(dir);
    }
    for text in ["milho", "preço sol", "informações", "\"milho sol\"", "C++"] {
        let query = Query::new(text).with_limit(20).with_pool(ALL).with_duplicates();
        let ours = PgStore::retrieve_all(&stores.iter().collect::<Vec<_>>(), &query).unwrap();
        let theirs = Index::retrieve_all(&indexes.iter().collect::<Vec<_>>(), &query).unwrap();
        assert_eq!(shown(&ours), shown(&theirs), "{text}");
        let from = |found: &Found| found.hits.iter().map(|hit| hit.index).collect::<Vec<_>>();
        assert_eq!(from(&ours), from(&theirs), "{text}");
    }
    assert!(PgStore::retrieve_all(&[], &Query::new("milho")).unwrap().hits.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "needs PostgreSQL: scripts/assets.sh"]
    fn words_in_any_order_are_found_alike(
        words in prop::collection::vec(select(&WORDS[..]), 1..8),
        is_quoted in any::<bool>(),
        limit in 1_usize..20,
    ) {
        let text = words.join(" ");
        let text = if is_quoted { format!("\"{text}\"") } else { text };
        assert_alike(&Query::new(text).with_limit(limit).with_duplicates());
    }

    /// No text is a query language: not that of SQL, of JSON or of the index.
    #[test]
    #[ignore = "needs PostgreSQL: scripts/assets.sh"]
    fn no_text_makes_it_fail(text in any::<String>(), hostile in select(HOSTILE)) {
        let twins = twins();
        for text in [format!("{text}{hostile}"), format!("{hostile} {text} milho"), format!("milho {hostile}")] {
            assert_alike(&Query::new(&*text));
            let mut filter = Filter::default();
            filter.tags.push(text);
            for store in [&twins.store, &twins.plain] {
                let found = store.retrieve(&Query::new("milho").with_filter(filter.clone())).unwrap();
                prop_assert!(found.hits.is_empty());
            }
        }
    }
}

const HOSTILE: &[&str] = &[
    "'; DROP TABLE chunks; --",
    "\\",
    "\0",
    "\"",
    "' OR '1'='1",
    "terms:milho",
    "*:*",
    "milho~2 OR sol^9",
    "{\"all\":null}",
    "$1",
    "1=milho",
    "2:milho",
    "|",
    "%00",
    "a:b",
    "(((",
    "[* TO *]",
    "k:text l:pt",
    "\u{FEFF}",
    "/.*/",
    "AND NOT",
    "tusab.chunks",
    "::regclass",
];
