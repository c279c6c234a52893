//! Key phrases and vectors that come after the text.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod common;

use std::fs;
use std::path::Path;

use common::{SAMPLE, batch, document, ids};
use tusab_chunk::{ChunkId, DocId, SourceKind};
use tusab_index::{
    Batch, ChunkStore, ContentHash, Control, Dimension, Enrichment, Error, Filter, Index, MatchedBy, Nearest,
    PageMark, Query, Repair, Retriever, SpaceMismatch, Vector, VectorOutcome, VectorQuery, VectorSearch,
    VectorSpace, VectorsOff,
};

fn open(dir: &Path) -> (Index, Vec<Repair>) {
    let opened = Index::open(dir).unwrap();
    (opened.index, opened.repairs)
}

fn filled() -> (tempfile::TempDir, Index) {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = open(dir.path());
    index.apply(&batch(&SAMPLE), Control::default()).unwrap();
    (dir, index)
}

fn doc(id: &str) -> DocId {
    id.parse().unwrap()
}

fn first_id(index: &Index, id: &str) -> ChunkId {
    index.chunks(&doc(id)).unwrap()[0].id()
}

fn found(index: &Index, text: &str) -> Vec<String> {
    ids(&index.retrieve(&Query::new(text)).unwrap().hits).into_iter().map(str::to_owned).collect()
}

fn space(model: &str) -> VectorSpace {
    VectorSpace::new(model, Dimension::new(3).unwrap())
}

fn vector(numbers: [f32; 3]) -> Vector {
    Vector::new(numbers.to_vec()).unwrap()
}

const AXES: [(&str, [f32; 3]); 3] =
    [("file:juros", [1.0, 0.0, 0.0]), ("file:lei", [0.0, 1.0, 0.0]), ("file:bolo", [0.0, 0.0, 1.0])];

fn set_axes(index: &Index) {
    for (id, numbers) in AXES {
        let vectors = [(first_id(index, id), vector(numbers))];
        assert_eq!(index.set_vectors(&space("m"), &[(doc(id), vectors.to_vec())]).unwrap().written, 1);
    }
}

fn nearest(index: &Index, numbers: [f32; 3], filter: &Filter) -> Vec<ChunkId> {
    let (space, vector) = (space("m"), vector(numbers));
    match index.nearest_within(&VectorQuery::new(&space, &vector).unwrap(), filter).unwrap() {
        VectorOutcome::Found(hits) => hits.into_iter().map(|hit| hit.chunk).collect(),
        outcome @ VectorOutcome::Off(_) => panic!("{outcome:?}"),
        _ => unreachable!(),
    }
}

fn copy_dir(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[test]
fn a_chunk_is_found_by_words_that_only_its_key_phrases_hold() {
    let (dir, index) = filled();
    let before = index.chunks(&doc("file:bolo")).unwrap();
    let id = before[0].id();
    let stranger = first_id(&index, "file:lei");
    let phrases = [(id, vec!["quitanda mineira".to_owned()]), (stranger, vec!["alheio".to_owned()])];
    let set = index.set_key_phrases(&[(doc("file:bolo"), phrases.to_vec())]).unwrap();
    assert_eq!((set.written, set.unchanged, set.unknown), (1, 0, 1));
    let again = index.set_key_phrases(&[(doc("file:bolo"), phrases.to_vec())]).unwrap();
    assert_eq!((again.written, again.unchanged, again.unknown), (0, 1, 1));
    let unknown = index.set_key_phrases(&[(doc("file:nunca"), phrases.to_vec())]).unwrap();
    assert_eq!((unknown.written, unknown.unknown), (0, 2));
    for index in [index, open(dir.path()).0] {
        let hits = index.retrieve(&Query::new("quitanda")).unwrap().hits;
        assert_eq!(ids(&hits), ["file:bolo"]);
        // It is shown as it was, under the id that it had.
        assert_eq!((hits[0].chunk.id(), hits[0].chunk.original_text()), (id, before[0].original_text()));
        assert_eq!(hits[0].chunk.key_phrases(), ["quitanda mineira"]);
        assert!(found(&index, "alheio").is_empty());
        assert_eq!(found(&index, "fubá"), ["file:bolo"]);
    }
    let (index, _) = open(dir.path());
    index.set_key_phrases(&[(doc("file:bolo"), vec![(id, vec!["outra coisa".to_owned()])])]).unwrap();
    assert!(found(&index, "quitanda").is_empty());
    assert_eq!(found(&index, "outra coisa"), ["file:bolo"]);
}

/// As after a crash between the commit of the store and that of the BM25 index.
#[test]
fn key_phrases_are_caught_up_after_a_crash_between_the_commits() {
    let (dir, index) = filled();
    index.release_writer();
    let (bm25, saved) = (dir.path().join("bm25"), tempfile::tempdir().unwrap());
    copy_dir(&bm25, saved.path());
    let id = first_id(&index, "file:bolo");
    index.set_key_phrases(&[(doc("file:bolo"), vec![(id, vec!["quitanda".to_owned()])])]).unwrap();
    drop(index);
    fs::remove_dir_all(&bm25).unwrap();
    copy_dir(saved.path(), &bm25);
    let (index, repairs) = open(dir.path());
    assert_eq!(repairs, [Repair::CaughtUp { documents: 1 }]);
    assert_eq!(found(&index, "quitanda"), ["file:bolo"]);
    assert_eq!(index.check().unwrap(), []);
}

#[test]
fn vectors_are_found_filtered_and_may_be_missing() {
    let (dir, index) = filled();
    let (model, query) = (space("m"), vector([1.0, 0.1, 0.0]));
    let query = VectorQuery::new(&model, &query).unwrap();
    assert_eq!(index.nearest(&query).unwrap(), VectorOutcome::Off(VectorsOff::Missing));
    assert_eq!(index.vector_space().unwrap(), None);
    set_axes(&index);
    assert_eq!(index.vector_space().unwrap(), Some(space("m")));
    let [juros, lei, bolo] = AXES.map(|(id, _)| first_id(&index, id));
    for index in [index, open(dir.path()).0] {
        assert_eq!(nearest(&index, [1.0, 0.1, 0.0], &Filter::default()), [juros, lei, bolo]);
        let mut filter = Filter::default();
        filter.documents = vec![doc("file:lei"), doc("file:cpp")];
        assert_eq!(nearest(&index, [1.0, 0.1, 0.0], &filter), [lei]);
        filter.kinds = vec![SourceKind::Youtube];
        assert!(nearest(&index, [1.0, 0.1, 0.0], &filter).is_empty());
        let keep = |_: u64, id: &ChunkId| *id != juros;
        match index.nearest(&query.with_keep(&keep)).unwrap() {
            VectorOutcome::Found(hits) => assert_eq!(hits[0].chunk, lei),
            outcome => panic!("{outcome:?}"),
        }
    }
    // The same vectors again cost nothing; others take their place.
    let (index, repairs) = open(dir.path());
    assert_eq!(repairs, []);
    let again = index.set_vectors(&space("m"), &[(doc("file:lei"), vec![(lei, vector(AXES[1].1))])]).unwrap();
    assert_eq!((again.written, again.unchanged), (0, 1));
    index.set_vectors(&space("m"), &[(doc("file:lei"), vec![(lei, vector([1.0, 0.0, 0.0]))])]).unwrap();
    assert_eq!(nearest(&index, [0.0, 0.0, 1.0], &Filter::default())[0], bolo);
    assert_eq!(nearest(&index, [0.0, 1.0, 0.0], &Filter::default()).len(), 3);
}

#[test]
fn spaces_are_never_mixed() {
    let (dir, index) = filled();
    set_axes(&index);
    let (lei, id) = (doc("file:lei"), first_id(&index, "file:lei"));
    let error = index
        .set_vectors(&space("other"), &[(lei.clone(), vec![(id, vector([1.0, 0.0, 0.0]))])])
        .unwrap_err();
    assert!(matches!(error, Error::OtherSpace { source: SpaceMismatch::Model { .. }, .. }), "{error}");
    let long = Vector::new(vec![1.0; 4]).unwrap();
    let error = index.set_vectors(&space("m"), &[(lei.clone(), vec![(id, long)])]).unwrap_err();
    assert!(matches!(error, Error::Vector { chunk, .. } if chunk == id), "{error}");
    assert_eq!(nearest(&index, [0.0, 1.0, 0.0], &Filter::default()).len(), 3);
    // Nothing happens where it is the space already; another one begins anew, when asked for.
    index.set_vector_space(&space("m")).unwrap();
    assert_eq!(nearest(&index, [0.0, 1.0, 0.0], &Filter::default()).len(), 3);
    index.set_vector_space(&space("other")).unwrap();
    let asked = space("m");
    let query = vector([0.0, 1.0, 0.0]);
    let outcome = index.nearest(&VectorQuery::new(&asked, &query).unwrap()).unwrap();
    assert!(matches!(outcome, VectorOutcome::Off(VectorsOff::OtherSpace(_))), "{outcome:?}");
    let asked = space("other");
    let query = VectorQuery::new(&asked, &query).unwrap();
    assert_eq!(index.nearest(&query).unwrap(), VectorOutcome::Off(VectorsOff::Missing));
    index.set_vectors(&asked, &[(lei.clone(), vec![(id, vector([0.0, 1.0, 0.0]))])]).unwrap();
    for index in [index, open(dir.path()).0] {
        match index.nearest(&query).unwrap() {
            VectorOutcome::Found(hits) => assert_eq!(hits.iter().map(|h| h.chunk).collect::<Vec<_>>(), [id]),
            outcome => panic!("{outcome:?}"),
        }
    }
}

/// As after a crash between the commit of the store and that of the files; and files that are gone or broken.
#[test]
fn vector_files_are_caught_up_or_made_again() {
    let (dir, index) = filled();
    set_axes(&index);
    let saved = tempfile::tempdir().unwrap();
    let folder = dir.path().join("vectors");
    copy_dir(&folder, saved.path());
    let cpp = first_id(&index, "file:cpp");
    index.set_vectors(&space("m"), &[(doc("file:cpp"), vec![(cpp, vector([1.0, 1.0, 1.0]))])]).unwrap();
    let mut deletion = Batch::new();
    deletion.delete(doc("file:juros"));
    index.apply(&deletion, Control::default()).unwrap();
    let (lei, bolo) = (first_id(&index, "file:lei"), first_id(&index, "file:bolo"));
    let expected = [lei, cpp, bolo];
    assert_eq!(nearest(&index, [0.0, 1.0, 0.1], &Filter::default()), expected);
    drop(index);

    fs::remove_dir_all(&folder).unwrap();
    copy_dir(saved.path(), &folder);
    let (index, repairs) = open(dir.path());
    assert_eq!(repairs, [Repair::VectorsCaughtUp { vectors: 1 }]);
    assert_eq!(nearest(&index, [0.0, 1.0, 0.1], &Filter::default()), expected);
    // Once what was deleted has been swept away, files of before know more than the store: they are made again.
    index.set_key_phrases(&[(doc("file:lei"), vec![])]).unwrap();
    index.release_writer();
    drop(index);
    fs::remove_dir_all(&folder).unwrap();
    copy_dir(saved.path(), &folder);
    let (index, repairs) = open(dir.path());
    assert!(matches!(repairs[..], [Repair::VectorsRebuilt { vectors: 3, .. }]), "{repairs:?}");
    assert_eq!(nearest(&index, [0.0, 1.0, 0.1], &Filter::default()), expected);
    drop(index);

    let damages: [fn(&Path); 3] = [
        |folder| fs::remove_dir_all(folder).unwrap(),
        |folder| fs::write(folder.join("vectors.json"), "{}").unwrap(),
        |folder| {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_some_and(|extension| extension == "vectors") {
                    fs::remove_file(path).unwrap();
                }
            }
        },
    ];
    for (number, damage) in damages.iter().enumerate() {
        damage(&folder);
        let (index, repairs) = open(dir.path());
        assert!(matches!(repairs[..], [Repair::VectorsRebuilt { vectors: 3, .. }]), "{number}: {repairs:?}");
        assert_eq!(nearest(&index, [0.0, 1.0, 0.1], &Filter::default()), expected, "{number}");
        drop(index);
        assert_eq!(open(dir.path()).1, [], "{number}");
    }
}

/// Damage inside of a file is seen when a search reads it, and mended there and then; or by `check`.
#[test]
fn a_damaged_row_is_never_compared() {
    for by_check in [true, false] {
        let (dir, index) = filled();
        set_axes(&index);
        drop(index);
        let folder = dir.path().join("vectors");
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "vectors") {
                let mut bytes = fs::read(&path).unwrap();
                let number = 1.0_f32.to_le_bytes();
                let at = bytes.windows(4).rposition(|window| window == number).unwrap();
                bytes[at + 1] ^= 0x40;
                fs::write(&path, bytes).unwrap();
            }
        }
        let (index, _) = open(dir.path());
        if by_check {
            let repairs = index.check().unwrap();
            assert!(matches!(repairs[..], [Repair::VectorsRebuilt { vectors: 3, .. }]), "{repairs:?}");
        }
        for (id, numbers) in AXES {
            let hits = nearest(&index, numbers, &Filter::default());
            assert_eq!(hits[0], first_id(&index, id));
        }
        assert_eq!(index.check().unwrap(), []);
    }
}

#[test]
fn a_chunk_that_stays_keeps_its_key_phrases_and_vector() {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = open(dir.path());
    // Two windows of which the first stays the same when the end of the text changes.
    let opening = "A mandioca espera na terra até que alguém a queira. ".repeat(60);
    let text = |end: &str| format!("{opening}{end}");
    index.apply(&batch(&[("file:m", "M", &text("fim"))]), Control::default()).unwrap();
    let before = index.chunks(&doc("file:m")).unwrap();
    assert!(before.len() > 1);
    let phrases: Vec<_> = before.iter().map(|chunk| (chunk.id(), vec!["aipim".to_owned()])).collect();
    let vectors: Vec<_> = before.iter().map(|chunk| (chunk.id(), vector([1.0, 0.0, 0.0]))).collect();
    index.set_key_phrases(&[(doc("file:m"), phrases.clone())]).unwrap();
    index.set_vectors(&space("m"), &[(doc("file:m"), vectors.clone())]).unwrap();

    index.apply(&batch(&[("file:m", "Outro título", &text("outro fim"))]), Control::default()).unwrap();
    let after = index.chunks(&doc("file:m")).unwrap();
    let kept: Vec<ChunkId> =
        after.iter().map(tusab_chunk::Chunk::id).filter(|id| before.iter().any(|c| c.id() == *id)).collect();
    assert!(!kept.is_empty() && kept.len() < after.len(), "the test needs some of each");
    for index in [index, open(dir.path()).0] {
        for chunk in index.chunks(&doc("file:m")).unwrap() {
            assert_eq!(chunk.key_phrases() == ["aipim"], kept.contains(&chunk.id()), "{}", chunk.ordinal());
        }
        let found = index.retrieve(&Query::new("aipim").with_duplicates()).unwrap().hits;
        assert_eq!(found.len(), kept.len());
        let mut near = nearest(&index, [1.0, 0.0, 0.0], &Filter::default());
        near.sort();
        let mut expected = kept.clone();
        expected.sort();
        assert_eq!(near, expected);
        let lacking = index.lacking(Enrichment::Vectors, PageMark::default(), 100).unwrap().chunks;
        assert_eq!(lacking.len(), after.len() - kept.len());
        assert_eq!(index.check().unwrap(), []);
    }
}

#[test]
fn what_lacks_something_comes_in_pages() {
    let (_dir, index) = filled();
    let none: &[String] = &[];
    index.set_key_phrases(&[(doc("file:lei"), vec![(first_id(&index, "file:lei"), none.to_vec())])]).unwrap();
    let (record, chunks) = document("file:com", "Com", "já vem com elas");
    let mut more = Batch::new();
    more.upsert(
        record,
        chunks.into_iter().map(|chunk| chunk.with_key_phrases(vec!["pronta".into()])).collect(),
    );
    index.apply(&more, Control::default()).unwrap();
    set_axes(&index);
    for (what, expected) in [
        (Enrichment::KeyPhrases, vec!["file:juros", "file:rag", "file:bolo", "file:cpp"]),
        (Enrichment::Vectors, vec!["file:rag", "file:cpp", "file:com"]),
    ] {
        for limit in [1, 2, 100] {
            let (mut lacking, mut from) = (Vec::new(), Some(PageMark::default()));
            while let Some(mark) = from {
                let page = index.lacking(what, mark, limit).unwrap();
                assert!(page.chunks.len() <= limit);
                lacking.extend(page.chunks.iter().map(|chunk| chunk.doc().to_string()));
                from = page.next;
            }
            assert_eq!(lacking, expected, "{what:?} {limit}");
        }
    }
    let all = index.lacking(Enrichment::Vectors, PageMark::default(), usize::MAX).unwrap().chunks.len();
    assert_eq!(index.count_lacking(Enrichment::Vectors).unwrap(), all);
    let nothing = index.lacking(Enrichment::Vectors, PageMark::default(), 0).unwrap();
    assert_eq!((nothing.chunks.len(), nothing.next), (0, Some(PageMark::default())));
}

/// A document that is given again unchanged is not touched, whatever it has been given meanwhile.
#[test]
fn an_unchanged_document_keeps_all() {
    let (_dir, index) = filled();
    set_axes(&index);
    let id = first_id(&index, "file:bolo");
    index.set_key_phrases(&[(doc("file:bolo"), vec![(id, vec!["quitanda".to_owned()])])]).unwrap();
    let applied = index.apply(&batch(&SAMPLE), Control::default()).unwrap();
    assert_eq!((applied.written, applied.unchanged), (0, 5));
    assert_eq!(found(&index, "quitanda"), ["file:bolo"]);
    assert_eq!(nearest(&index, [0.0, 0.0, 1.0], &Filter::default())[0], id);
    let record = index.document(&doc("file:bolo")).unwrap().unwrap();
    assert_ne!(record.content_hash, ContentHash::of(1, b""));
}

#[test]
fn passages_found_by_meaning_come_with_their_texts() {
    let (_dir, index) = filled();
    let of: Vec<_> =
        AXES.map(|(id, numbers)| (doc(id), vec![(first_id(&index, id), vector(numbers))])).to_vec();
    // All in one call, with a document that is not there.
    let unknown = (doc("file:nunca"), vec![(first_id(&index, "file:lei"), vector([1.0, 1.0, 1.0]))]);
    let set = index.set_vectors(&space("m"), &[of, vec![unknown]].concat()).unwrap();
    assert_eq!((set.written, set.unknown), (3, 1));

    let (model, query) = (space("m"), vector([0.1, 1.0, 0.2]));
    let nearest = VectorQuery::new(&model, &query).unwrap();
    let passages = |filter: &Filter| match index.retrieve_nearest(&nearest, filter).unwrap() {
        Nearest::Found(hits) => hits,
        outcome => panic!("{outcome:?}"),
    };
    let all = passages(&Filter::default());
    assert_eq!(ids(&all), ["file:lei", "file:bolo", "file:juros"]);
    let ranks: Vec<_> = all.iter().map(|hit| hit.explain.vector_rank).collect();
    assert_eq!(ranks, [Some(1), Some(2), Some(3)]);
    assert!(all.iter().all(|hit| hit.matched_by() == [MatchedBy::Vector]));
    assert_eq!(all[0].chunk, index.chunks(&doc("file:lei")).unwrap()[0]);
    let mut two = Filter::default();
    two.documents = vec![doc("file:bolo"), doc("file:juros")];
    assert_eq!(ids(&passages(&two)), ["file:bolo", "file:juros"]);

    let mut gone = Batch::new();
    gone.delete(doc("file:bolo"));
    index.apply(&gone, Control::default()).unwrap();
    assert_eq!(ids(&passages(&Filter::default())), ["file:lei", "file:juros"]);
}
