//! Files that are cut short, damaged or made to do harm: nothing of them is imported, and what is wrong is said.

use std::error::Error as _;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::json;
use tusab_engine::{Error, PortableFault};
use zip::write::SimpleFileOptions;

use crate::common::{assert_nothing, engine, forge, found, listed, sample, tree, unzip, zip};

/// A file of a small project.
async fn exported(dir: &Path) -> PathBuf {
    let file = dir.join("base.tusab");
    sample(&dir.join("here"), "P").await.export(&file).await.unwrap();
    file
}

/// What is wrong with a file, of which nothing may be imported.
async fn fault(file: &Path) -> PortableFault {
    let there = tempfile::tempdir().unwrap();
    let error = engine(there.path()).import(file, "P").await.unwrap_err();
    assert_nothing(there.path());
    match error {
        Error::Portable { path, source } => {
            assert_eq!(path, file);
            source
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_file_cut_short_anywhere_imports_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let file = exported(dir.path()).await;
    let (bytes, cut) = (fs::read(&file).unwrap(), dir.path().join("cut.tusab"));
    for part in 0..50 {
        fs::write(&cut, &bytes[..bytes.len() * part / 50]).unwrap();
        let fault = fault(&cut).await;
        assert!(matches!(fault, PortableFault::NotAnArchive { .. }), "{part}/50: {fault:?}");
    }
    fs::write(&cut, &bytes[..bytes.len() - 1]).unwrap();
    fault(&cut).await;
}

#[tokio::test]
async fn a_flipped_bit_is_found_or_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let file = exported(dir.path()).await;
    let (bytes, flipped) = (fs::read(&file).unwrap(), dir.path().join("flipped.tusab"));
    let whole = tempfile::tempdir().unwrap();
    engine(whole.path()).import(&file, "P").await.unwrap();
    let sources = |data: &Path| {
        let mut files = tree(&data.join("neural"));
        files.retain(|(path, _)| !path.ends_with("project.json"));
        files
    };
    let (mut refused, count) = (0, 100);
    for number in 0..count {
        let mut bytes = bytes.clone();
        // Spread over the file, and over the bits of a byte.
        let at = bytes.len() * number / count;
        bytes[at] ^= 1 << (number % 8);
        fs::write(&flipped, &bytes).unwrap();
        let there = tempfile::tempdir().unwrap();
        match engine(there.path()).import(&flipped, "P").await {
            Ok(imported) => {
                // A date or a flag that nobody reads.
                assert_eq!(imported.documents, 3);
                assert_eq!(sources(there.path()), sources(whole.path()), "byte {at}");
                assert_eq!(found(&imported.project, "juros").await, ["Juros compostos"]);
            }
            Err(error) => {
                assert!(matches!(error, Error::Portable { .. }), "{error:?}");
                assert!(error.source().is_some());
                assert_nothing(there.path());
                refused += 1;
            }
        }
    }
    assert!(refused > count * 8 / 10, "{refused}");
}

#[tokio::test]
async fn what_is_no_file_of_a_project_says_what_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.tusab");
    fs::write(&path, "").unwrap();
    assert!(matches!(fault(&path).await, PortableFault::NotAnArchive { .. }));
    fs::write(&path, "não é um arquivo zip").unwrap();
    assert!(matches!(fault(&path).await, PortableFault::NotAnArchive { .. }));
    zip(&path, &[("foto.jpg".to_owned(), vec![1, 2, 3])]);
    assert_eq!(fault(&path).await, PortableFault::NotAProject);
    zip(&path, &[("manifest.json".to_owned(), b"{\"format\": \"tusab-base\", \"version\": 1}".to_vec())]);
    assert_eq!(fault(&path).await, PortableFault::OfPythonApp);
    zip(&path, &[("manifest.json".to_owned(), b"{\"format\": \"tusab-project\", \"version\": 1}".to_vec())]);
    assert!(matches!(fault(&path).await, PortableFault::Damaged { .. }));
    let engine = engine(dir.path());
    assert!(matches!(engine.import(dir.path(), "P").await, Err(Error::IsFolder { .. })));
    assert!(matches!(engine.import(dir.path().join("no"), "P").await, Err(Error::NoSuchFile { .. })));
}

#[tokio::test]
async fn what_a_later_version_wrote_is_refused_as_that() {
    let dir = tempfile::tempdir().unwrap();
    let (file, forged) = (exported(dir.path()).await, dir.path().join("forged.tusab"));
    let there = tempfile::tempdir().unwrap();
    forge(&file, &forged, |_, list| {
        // What else it says may look like nothing that is known today.
        *list = json!({ "format": "tusab-project", "version": 2, "files": "elsewhere" });
    });
    let error = engine(there.path()).import(&forged, "P").await.unwrap_err();
    assert!(matches!(error, Error::Newer { version: 2, .. }), "{error:?}");
    assert_nothing(there.path());
    // The sources are of a later version than their archive.
    forge(&file, &forged, |entries, _| {
        let (_, manifest) =
            entries.iter_mut().find(|(name, _)| name.ends_with("texts/_manifest.json")).unwrap();
        *manifest = b"{\"version\": 7, \"entries\": []}".to_vec();
    });
    let error = engine(there.path()).import(&forged, "P").await.unwrap_err();
    assert!(matches!(error, Error::Newer { version: 7, .. }), "{error:?}");
    assert_nothing(there.path());
}

#[tokio::test]
async fn names_that_lead_elsewhere_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (file, forged) = (exported(dir.path()).await, dir.path().join("forged.tusab"));
    for name in [
        "neural/../../../escaped.txt",
        "../escaped.txt",
        "/tmp/escaped.txt",
        "neural/texts/..\\..\\escaped.txt",
        "neural/C:escaped.txt",
        "neural/texts/con.txt",
        "neural/texts/x.unfinished",
        "neural//x",
        "neural",
        "sessions/p/conversa.json",
        "config/agent_config.json",
        "neural/management/feedback.json",
        "neural/Management/summaries/x.json",
        "index/project.lock",
        "index/bm25/deeper/x",
        "neural/TEXTS/_manifest.json",
        "neural/texts/_manifest.json/x",
    ] {
        forge(&file, &forged, |entries, _| entries.push((name.to_owned(), b"x".to_vec())));
        let fault = fault(&forged).await;
        assert!(matches!(&fault, PortableFault::Refused { .. }), "{name}: {fault:?}");
    }
    assert!(!dir.path().join("escaped.txt").exists());
}

#[tokio::test]
async fn an_entry_beside_the_list_or_a_list_beside_the_entries_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (file, forged) = (exported(dir.path()).await, dir.path().join("forged.tusab"));
    let mut entries = unzip(&file);
    entries.insert(0, ("neural/texts/extra.txt".to_owned(), b"x".to_vec()));
    zip(&forged, &entries);
    assert!(matches!(fault(&forged).await, PortableFault::Refused { .. }));
    entries.remove(0);
    entries.remove(0);
    zip(&forged, &entries);
    assert!(matches!(fault(&forged).await, PortableFault::Damaged { .. }));
    // A size or a hash that is not the entry's.
    for (size, hash) in [(2, None), (0, None), (1, Some("00"))] {
        forge(&file, &forged, |entries, list| {
            entries.push(("neural/texts/x".to_owned(), b"x".to_vec()));
            let mut all: Vec<_> = entries.iter().map(|(name, bytes)| listed(name, bytes)).collect();
            let last = all.last_mut().unwrap();
            last["size"] = size.into();
            if let Some(hash) = hash {
                last["hash"] = hash.into();
            }
            list["files"] = all.into();
        });
        assert!(matches!(fault(&forged).await, PortableFault::Damaged { .. }));
    }
}

#[tokio::test]
async fn links_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (file, forged) = (exported(dir.path()).await, dir.path().join("forged.tusab"));
    let mut entries = unzip(&file);
    let (_, list) = entries.pop().unwrap();
    let mut list: serde_json::Value = serde_json::from_slice(&list).unwrap();
    let files = list["files"].as_array_mut().unwrap();
    files.push(listed("neural/texts/link", b"/etc/passwd"));
    let mut zip = zip::ZipWriter::new(fs::File::create(&forged).unwrap());
    let options = SimpleFileOptions::default();
    zip.add_symlink("neural/texts/link", "/etc/passwd", options).unwrap();
    entries.push(("manifest.json".to_owned(), list.to_string().into_bytes()));
    for (name, bytes) in &entries {
        zip.start_file(name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
    let fault = fault(&forged).await;
    assert!(matches!(&fault, PortableFault::Refused { reason, .. } if reason.contains("link")), "{fault:?}");
}

#[tokio::test]
async fn bombs_are_refused_before_they_fill_the_disk() {
    let dir = tempfile::tempdir().unwrap();
    let (file, forged) = (exported(dir.path()).await, dir.path().join("forged.tusab"));
    // Honest about its size: it is refused before anything of it is unpacked.
    forge(&file, &forged, |entries, list| {
        entries.push(("neural/texts/x".to_owned(), b"x".to_vec()));
        let mut all: Vec<_> = entries.iter().map(|(name, bytes)| listed(name, bytes)).collect();
        all.last_mut().unwrap()["size"] = (300 << 20).into();
        list["files"] = all.into();
    });
    assert!(matches!(fault(&forged).await, PortableFault::TooLarge { .. }));
    // And not: it is left soon after the first byte more than it said.
    forge(&file, &forged, |entries, list| {
        entries.push(("neural/texts/x".to_owned(), vec![0; 4 << 20]));
        let mut all: Vec<_> = entries.iter().map(|(name, bytes)| listed(name, bytes)).collect();
        all.last_mut().unwrap()["size"] = 10.into();
        list["files"] = all.into();
    });
    assert!(matches!(fault(&forged).await, PortableFault::Damaged { .. }));
    // More than can be added up.
    forge(&file, &forged, |entries, list| {
        let mut all: Vec<_> = entries.iter().map(|(name, bytes)| listed(name, bytes)).collect();
        for file in &mut all {
            file["size"] = u64::MAX.into();
        }
        list["files"] = all.into();
    });
    assert!(matches!(fault(&forged).await, PortableFault::TooLarge { .. }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_bytes_make_it_panic_or_leave_something(bytes in proptest::collection::vec(any::<u8>(), 0..400), is_zip: bool) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.tusab");
        if is_zip {
            zip(&path, &[("manifest.json".to_owned(), bytes)]);
        } else {
            fs::write(&path, bytes).unwrap();
        }
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let _ = runtime.block_on(fault(&path));
    }
}
