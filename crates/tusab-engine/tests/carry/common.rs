//! What the tests here share: small projects, and archives taken apart.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tusab_engine::{Cancel, Engine, Project, Source};
use zip::write::SimpleFileOptions;

pub(crate) fn engine(data: &Path) -> Engine {
    Engine::builder().data_dir(data).build().unwrap()
}

/// A project with a video, a file and a pasted text.
pub(crate) async fn sample(data: &Path, name: &str) -> Project {
    let folder = tempfile::tempdir().unwrap();
    let video = folder.path().join("Juros compostos [dQw4w9WgXcQ].pt.vtt");
    fs::write(&video, "WEBVTT\n\n00:01.000 --> 00:05.000\nA taxa de juros subiu de novo.\n").unwrap();
    let note = folder.path().join("Receita de pão.md");
    fs::write(&note, "# Pão\n\nFarinha, água, sal e fermento natural.\n").unwrap();
    let project = engine(data).project(name).await.unwrap();
    let sources =
        vec![Source::file(&video), Source::file(&note), Source::text("Colado 🎬", "A jabuticaba amadurece.")];
    let report = project.ingest_all(sources, &Cancel::new()).await.unwrap();
    assert_eq!(report.stored(), 3, "{report:?}");
    project
}

/// Titles of what a search finds.
pub(crate) async fn found(project: &Project, words: &str) -> Vec<String> {
    let found = project.search(words).await.unwrap();
    found.hits.iter().map(|hit| hit.document.title.clone()).collect()
}

/// Every file below a folder, by its path in it.
pub(crate) fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    fn walk(folder: &Path, root: &Path, into: &mut Vec<(PathBuf, Vec<u8>)>) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                walk(&path, root, into);
            } else {
                into.push((path.strip_prefix(root).unwrap().to_owned(), fs::read(&path).unwrap()));
            }
        }
    }
    let mut files = Vec::new();
    walk(folder, folder, &mut files);
    files.sort();
    files
}

/// Asserts that an import which failed has left nothing: no project, and no file of one.
pub(crate) fn assert_nothing(data: &Path) {
    let left: Vec<PathBuf> = tree(data).into_iter().map(|(path, _)| path).collect();
    let is_harmless =
        |path: &PathBuf| path.extension().is_some_and(|it| it == "lock") || path.ends_with("README.txt");
    assert!(left.iter().all(is_harmless), "{left:?}");
    let folders = |folder: &str| {
        fs::read_dir(data.join(folder))
            .map_or(0, |entries| entries.filter(|entry| entry.as_ref().unwrap().path().is_dir()).count())
    };
    assert_eq!((folders("neural"), folders("indexes"), folders("temp")), (0, 0, 0));
}

/// The entries of an archive.
pub(crate) fn unzip(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut zip = zip::ZipArchive::new(fs::File::open(path).unwrap()).unwrap();
    let names: Vec<String> = zip.file_names().map(|name| name.unwrap().into_owned()).collect();
    names
        .into_iter()
        .map(|name| {
            let mut bytes = Vec::new();
            zip.by_name(&name).unwrap().read_to_end(&mut bytes).unwrap();
            (name, bytes)
        })
        .collect()
}

pub(crate) fn zip(path: &Path, entries: &[(String, Vec<u8>)]) {
    let mut zip = zip::ZipWriter::new(fs::File::create(path).unwrap());
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    for (name, bytes) in entries {
        zip.start_file(name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

/// Writes an archive whose list agrees with its entries, after `change` has had its way with them and with the list.
pub(crate) fn forge(from: &Path, to: &Path, change: impl FnOnce(&mut Vec<(String, Vec<u8>)>, &mut Value)) {
    let mut entries = unzip(from);
    let (_, list) = entries.pop().unwrap();
    let mut list: Value = serde_json::from_slice(&list).unwrap();
    let before = list.clone();
    change(&mut entries, &mut list);
    if list["files"] == before["files"] {
        list["files"] = entries.iter().map(|(name, bytes)| listed(name, bytes)).collect();
    }
    entries.push(("manifest.json".to_owned(), list.to_string().into_bytes()));
    zip(to, &entries);
}

pub(crate) fn listed(name: &str, bytes: &[u8]) -> Value {
    let hash = blake2b_simd::Params::new().hash_length(32).personal(b"tusab-portable").hash(bytes);
    json!({ "path": name, "size": bytes.len(), "hash": hash.to_hex().as_str() })
}
