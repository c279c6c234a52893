//! Files that are damaged, half written, or cannot be written.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tusab_index::{
    InvalidVector, Vector, VectorFileError, VectorFiles, VectorHit, VectorOutcome, VectorQuery, VectorScan,
    VectorSearch, VectorWriter, VectorsOff,
};

use crate::material::{Random, assert_finds, generation, id, names, space, write};

fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir(to).unwrap();
    for name in names(from) {
        fs::copy(from.join(&name), to.join(&name)).unwrap();
    }
}

/// Opens and searches: the right answer, or an error that calls for a rebuild.
fn right_or_typed(folder: &Path, queries: &[Vector], right: &[Vec<VectorHit>], what: &str) {
    let damaged = |error: VectorFileError| assert!(error.needs_rebuild(), "{what}: {error}");
    for scan in [VectorScan::Codes, VectorScan::Full] {
        match VectorFiles::open(folder) {
            Ok(files) => {
                let files = files.with_scan(scan);
                for (query, right) in queries.iter().zip(right) {
                    match files.find(query, 6, None) {
                        Ok(hits) => assert_eq!(&hits, right, "{what}"),
                        Err(error) => damaged(error),
                    }
                }
            }
            Err(error) => damaged(error),
        }
    }
}

/// True when reading everything finds nothing wrong.
fn is_whole(folder: &Path) -> bool {
    VectorFiles::open(folder).and_then(|files| files.check()).is_ok()
}

fn two_segments(folder: &Path, random: &mut Random) -> BTreeMap<u64, Vector> {
    let mut model: BTreeMap<u64, Vector> = (0..60).map(|key| (key, random.vector(20))).collect();
    write(folder, true, &model, 1);
    let mut writer = VectorWriter::open(folder).unwrap();
    for key in 55..70 {
        let vector = random.vector(20);
        writer.add(key, &id(key), &vector).unwrap();
        model.insert(key, vector);
    }
    writer.remove(3);
    model.remove(&3);
    writer.commit(generation(2)).unwrap();
    assert_eq!(names(folder).len(), 3, "two segments and a manifest");
    model
}

#[test]
fn no_flipped_byte_goes_unseen() {
    let mut random = Random(5);
    let whole = tempfile::tempdir().unwrap();
    let model = two_segments(whole.path(), &mut random);
    let queries: Vec<Vector> = (0..4).map(|_| random.vector(20)).collect();
    let files = VectorFiles::open(whole.path()).unwrap();
    let right: Vec<_> = queries.iter().map(|query| files.find(query, 6, None).unwrap()).collect();
    assert_finds(&files, &model, &queries[0], 6);
    drop(files);
    let scratch = tempfile::tempdir().unwrap();
    for name in names(whole.path()) {
        let bytes = fs::read(whole.path().join(&name)).unwrap();
        copy(whole.path(), scratch.path());
        let file = scratch.path().join(&name);
        // Every byte of the headers and tables, and some hundreds of the rest.
        let ends = (0..bytes.len()).filter(|at| *at < 70 || *at + 70 > bytes.len());
        let some: Vec<usize> = (0..300).map(|_| random.below(bytes.len())).collect();
        for at in ends.chain(some) {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << random.below(8);
            fs::write(&file, &changed).unwrap();
            let what = format!("{name}, byte {at}");
            right_or_typed(scratch.path(), &queries, &right, &what);
            assert!(!is_whole(scratch.path()), "{what}");
        }
        // Cut short, made longer, emptied, and taken away.
        for length in [0, 1, 63, 64, bytes.len() / 2, bytes.len() - 1, bytes.len() + 1] {
            let mut changed = bytes.clone();
            changed.resize(length, 0);
            fs::write(&file, &changed).unwrap();
            right_or_typed(scratch.path(), &queries, &right, &format!("{name}, {length} bytes"));
            assert!(!is_whole(scratch.path()), "{name}, {length} bytes");
        }
        fs::remove_file(&file).unwrap();
        let error = VectorFiles::open(scratch.path()).unwrap_err();
        assert!(error.needs_rebuild(), "{error}");
    }
}

#[test]
fn damage_is_found_by_the_writer_and_mended_by_a_new_set() {
    let mut random = Random(6);
    let folder = tempfile::tempdir().unwrap();
    let model = two_segments(folder.path(), &mut random);
    // The keys of the larger segment, which every commit that removes something reads.
    let file = folder.path().join(&names(folder.path())[0]);
    let mut bytes = fs::read(&file).unwrap();
    bytes[70] ^= 1;
    // Beside and renamed, since a file that is mapped must not be written.
    fs::write(file.with_extension("new"), &bytes).unwrap();
    fs::rename(file.with_extension("new"), &file).unwrap();
    let mut writer = VectorWriter::open(folder.path()).unwrap();
    writer.remove(1);
    let error = writer.commit(generation(3)).unwrap_err();
    assert!(matches!(&error, VectorFileError::Damaged { path, .. } if *path == file), "{error}");
    drop(writer);
    // The seam says it as an outcome.
    let files = VectorFiles::open(folder.path()).unwrap();
    let (space, query) = (space(20), random.vector(20));
    let outcome = files.nearest(&VectorQuery::new(&space, &query).unwrap()).unwrap();
    assert!(matches!(outcome, VectorOutcome::Off(VectorsOff::Unreadable { .. })), "{outcome:?}");
    write(folder.path(), true, &model, 4);
    assert_finds(&VectorFiles::open(folder.path()).unwrap(), &model, &query, 12);
    assert_eq!(names(folder.path()).len(), 2, "the old files are gone");
}

/// A commit is one rename: every state that a kill can leave is the state before it or the one after it.
#[test]
fn a_writer_that_dies_leaves_the_state_before_or_after() {
    let mut random = Random(8);
    let (before, after) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let old: BTreeMap<u64, Vector> = (0..30).map(|key| (key, random.vector(8))).collect();
    write(before.path(), true, &old, 1);
    copy(before.path(), after.path());
    let mut new = old.clone();
    let mut writer = VectorWriter::open(after.path()).unwrap();
    for key in 20..60 {
        new.insert(key, random.vector(8));
        writer.add(key, &id(key), &new[&key]).unwrap();
    }
    writer.commit(generation(2)).unwrap();
    drop(writer);
    let fresh: Vec<String> =
        names(after.path()).into_iter().filter(|name| !before.path().join(name).exists()).collect();
    assert!(!fresh.is_empty());
    let query = random.vector(8);
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("vectors");
    let mut states = 0;
    let mut holds = |model: &BTreeMap<u64, Vector>, number: u64, prepare: &dyn Fn(&Path)| {
        copy(before.path(), &folder);
        prepare(&folder);
        let files = VectorFiles::open(&folder).unwrap();
        assert_eq!(files.generation(), &generation(number));
        assert_finds(&files, model, &query, 12);
        // The next writer clears up, and goes on.
        let mut writer = VectorWriter::open(&folder).unwrap();
        let files = if number == 1 { names(before.path()) } else { names(after.path()) };
        assert_eq!(names(&folder), files);
        writer.add(1_000, &id(1_000), &query).unwrap();
        writer.commit(generation(9)).unwrap();
        let mut model = model.clone();
        model.insert(1_000, query.clone());
        assert_finds(&VectorFiles::open(&folder).unwrap(), &model, &query, 12);
        states += 1;
    };
    for name in &fresh {
        let bytes = fs::read(after.path().join(name)).unwrap();
        let unfinished = format!("{name}.unfinished");
        for length in [0, 64, bytes.len() / 2, bytes.len()] {
            holds(&old, 1, &|folder| fs::write(folder.join(&unfinished), &bytes[..length]).unwrap());
        }
        holds(&old, 1, &|folder| fs::write(folder.join(name), &bytes).unwrap());
    }
    let manifest = fs::read(after.path().join("vectors.json")).unwrap();
    let segments = |folder: &Path| {
        for name in &fresh {
            fs::copy(after.path().join(name), folder.join(name)).unwrap();
        }
    };
    for length in [0, 10, manifest.len()] {
        holds(&old, 1, &|folder| {
            segments(folder);
            fs::write(folder.join("vectors.json.unfinished"), &manifest[..length]).unwrap();
        });
    }
    holds(&new, 2, &|folder| {
        segments(folder);
        fs::write(folder.join("vectors.json"), &manifest).unwrap();
    });
    assert!(states >= 9);
}

#[test]
fn a_disk_that_refuses_leaves_the_last_state() {
    let mut random = Random(9);
    let folder = tempfile::tempdir().unwrap();
    let model: BTreeMap<u64, Vector> = (0..10).map(|key| (key, random.vector(8))).collect();
    write(folder.path(), true, &model, 1);
    let query = random.vector(8);
    // A folder stands where the manifest would be written.
    let obstacle = folder.path().join("vectors.json.unfinished");
    let mut writer = VectorWriter::open(folder.path()).unwrap();
    fs::create_dir(&obstacle).unwrap();
    writer.add(77, &id(77), &query).unwrap();
    let error = writer.commit(generation(2)).unwrap_err();
    assert!(matches!(error, VectorFileError::Io { .. }) && !error.needs_rebuild(), "{error}");
    drop(writer);
    assert_finds(&VectorFiles::open(folder.path()).unwrap(), &model, &query, 12);
    fs::remove_dir(&obstacle).unwrap();
    let mut writer = VectorWriter::open(folder.path()).unwrap();
    assert_eq!(names(folder.path()).len(), 2, "what the failed commit wrote is gone");
    // Nor does a writer that gives up leave anything.
    writer.add(77, &id(77), &query).unwrap();
    assert_eq!(names(folder.path()).len(), 3);
    drop(writer);
    assert_eq!(names(folder.path()).len(), 2);
    // A vector of another length is refused, and the writer goes on.
    let mut writer = VectorWriter::open(folder.path()).unwrap();
    let error = writer.add(78, &id(78), &random.vector(9)).unwrap_err();
    let expected = InvalidVector::Dimension { expected: 8, found: 9 };
    assert!(matches!(error, VectorFileError::Vector { source } if source == expected));
    writer.add(77, &id(77), &query).unwrap();
    writer.commit(generation(2)).unwrap();
    assert_eq!(VectorFiles::open(folder.path()).unwrap().len(), 11);
}

#[test]
fn what_is_not_there_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("nowhere");
    for path in [folder.path(), &nowhere] {
        let error = VectorFiles::open(path).unwrap_err();
        assert!(matches!(error, VectorFileError::Missing { .. }) && error.needs_rebuild(), "{error}");
    }
}
