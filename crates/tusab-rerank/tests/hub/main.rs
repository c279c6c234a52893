//! Downloads from a look-alike of the hub on this machine, which misbehaves as asked.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::missing_panics_doc,
    clippy::format_collect,
    clippy::case_sensitive_file_extension_comparisons,
    reason = "tests fail by panicking"
)]
#![cfg(feature = "hub")]

#[path = "../common/mod.rs"]
mod common;
mod lookalike;

use std::cell::RefCell;
use std::sync::atomic::Ordering;

use common::tiny;
use lookalike::{Behaviour, Hub};
use tusab_rerank::{DownloadError, Error, KnownModel, ModelStore};

const MODEL: KnownModel = KnownModel::MS_MARCO_L6;

fn never() -> bool {
    false
}

fn store(hub: &Hub, folder: &tempfile::TempDir) -> ModelStore {
    ModelStore::new(folder.path().join("models")).with_endpoint(hub.endpoint())
}

#[test]
fn a_model_is_installed_once_checked_and_usable() {
    let (hub, folder) = (Hub::start(Behaviour::default()), tempfile::tempdir().unwrap());
    let store = store(&hub, &folder);
    let size = store.download_size(&MODEL).unwrap();
    let told = RefCell::new(Vec::new());
    let path = store.install(&MODEL, &|at| told.borrow_mut().push((at.bytes, at.total)), &never).unwrap();
    let told = told.into_inner();
    assert!(told.is_sorted(), "{told:?}");
    assert_eq!((told.last().unwrap().0, told.last().unwrap().1), (size, size));
    for (here, there) in
        [("model.onnx", "model.onnx"), ("tokenizer.json", "tokenizer.json"), ("config.json", "config.json")]
    {
        assert_eq!(std::fs::read(path.join(here)).unwrap(), std::fs::read(tiny().join(there)).unwrap());
    }
    #[cfg(feature = "rten")]
    {
        use tusab_rerank::{CrossEncoder, CrossEncoderOptions, Reranker};
        let encoder = CrossEncoder::new(store.folder(&MODEL), CrossEncoderOptions::default());
        assert!(encoder.scores("a", &["b"]).unwrap()[0].is_finite());
    }
    let asked = hub.requests.load(Ordering::SeqCst);
    assert_eq!(store.install(&MODEL, &|_| (), &never).unwrap(), path);
    assert_eq!(store.download_size(&MODEL).unwrap(), 0);
    assert_eq!(hub.requests.load(Ordering::SeqCst), asked, "asked for what is here");
}

#[test]
fn offline_makes_no_call() {
    let (hub, folder) = (Hub::start(Behaviour::default()), tempfile::tempdir().unwrap());
    let store = store(&hub, &folder).with_offline(true);
    let error = store.install(&MODEL, &|_| (), &never).unwrap_err();
    assert!(
        matches!(&error, Error::Download(DownloadError::Offline { .. })) && !error.is_retryable(),
        "{error:?}"
    );
    assert!(store.download_size(&MODEL).is_err());
    assert_eq!(hub.requests.load(Ordering::SeqCst), 0);
}

#[test]
fn a_connection_that_is_cut_again_and_again_still_brings_the_model() {
    let (hub, folder) = (
        Hub::start(Behaviour { cut_after: Some(20_000), ..Behaviour::default() }),
        tempfile::tempdir().unwrap(),
    );
    let path = store(&hub, &folder).install(&MODEL, &|_| (), &never).unwrap();
    assert_eq!(
        std::fs::read(path.join("model.onnx")).unwrap(),
        std::fs::read(tiny().join("model.onnx")).unwrap()
    );
    // Each attempt went on where the one before was cut: 64 kB in pieces of 20.
    assert_eq!(hub.weights.load(Ordering::SeqCst), 4);
}

#[test]
fn a_server_without_ranges_serves_too() {
    let (hub, folder) =
        (Hub::start(Behaviour { ranges: false, ..Behaviour::default() }), tempfile::tempdir().unwrap());
    assert!(store(&hub, &folder).install(&MODEL, &|_| (), &never).is_ok());
}

/// After a cut it sends all of the file again, not the rest.
#[test]
fn a_server_without_ranges_serves_after_a_cut_too() {
    let behaviour =
        Behaviour { ranges: false, cut_after: Some(20_000), cut_once: true, ..Behaviour::default() };
    let (hub, folder) = (Hub::start(behaviour), tempfile::tempdir().unwrap());
    let path = store(&hub, &folder).install(&MODEL, &|_| (), &never).unwrap();
    let here = std::fs::read(path.join("model.onnx")).unwrap();
    assert!(here == std::fs::read(tiny().join("model.onnx")).unwrap());
    assert_eq!(hub.weights.load(Ordering::SeqCst), 2);
}

#[test]
fn what_an_install_of_another_revision_left_is_not_taken() {
    let (hub, folder) = (Hub::start(Behaviour::default()), tempfile::tempdir().unwrap());
    let own = folder.path().join("models/cross-encoder--ms-marco-MiniLM-L6-v2");
    let part = own.with_added_extension("part");
    std::fs::create_dir_all(&part).unwrap();
    let whole = std::fs::read(tiny().join("tokenizer.json")).unwrap();
    // Of the right length, and older.
    std::fs::write(part.join("tokenizer.json"), vec![b' '; whole.len()]).unwrap();
    // Half a model stands where the whole one belongs.
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("tokenizer.json"), "{}").unwrap();
    let path = store(&hub, &folder).install(&MODEL, &|_| (), &never).unwrap();
    assert_eq!(path, own);
    assert!(std::fs::read(path.join("tokenizer.json")).unwrap() == whole);
    assert!(!part.exists());
}

#[test]
fn whoever_waits_for_another_download_can_stop() {
    let (hub, folder) = (Hub::start(Behaviour::default()), tempfile::tempdir().unwrap());
    let models = folder.path().join("models");
    std::fs::create_dir_all(&models).unwrap();
    let lock = std::fs::File::create(models.join("cross-encoder--ms-marco-MiniLM-L6-v2.lock")).unwrap();
    lock.lock().unwrap();
    let error = store(&hub, &folder).install(&MODEL, &|_| (), &|| true).unwrap_err();
    assert!(matches!(error, Error::Stopped), "{error:?}");
    assert_eq!(hub.requests.load(Ordering::SeqCst), 0, "it did not wait");
}

#[test]
fn a_connection_that_brings_nothing_fails_and_can_be_tried_again() {
    let hub = Hub::start(Behaviour { cut_after: Some(0), ..Behaviour::default() });
    let folder = tempfile::tempdir().unwrap();
    let error = store(&hub, &folder).install(&MODEL, &|_| (), &never).unwrap_err();
    assert!(
        matches!(&error, Error::Download(DownloadError::Connection { .. })) && error.is_retryable(),
        "{error:?}"
    );
    let healthy = Hub::start(Behaviour::default());
    assert!(store(&healthy, &folder).install(&MODEL, &|_| (), &never).is_ok());
}

#[test]
fn what_is_not_what_the_hub_lists_is_thrown_away() {
    for file in ["onnx/model.onnx", "tokenizer.json"] {
        let hub = Hub::start(Behaviour { damaged: Some(file), ..Behaviour::default() });
        let folder = tempfile::tempdir().unwrap();
        let store = store(&hub, &folder);
        let error = store.install(&MODEL, &|_| (), &never).unwrap_err();
        let Error::Download(DownloadError::Damaged { file: named, listed, got }) = &error else {
            panic!("{error:?}")
        };
        assert_eq!(named, file);
        assert_ne!(listed, got);
        assert!(error.is_retryable());
        assert!(store.find(&MODEL).is_err(), "a damaged model is found");
        let healthy = Hub::start(Behaviour::default());
        store.with_endpoint(healthy.endpoint()).install(&MODEL, &|_| (), &never).unwrap();
    }
}

#[test]
fn a_missing_repository_a_missing_file_and_a_strange_list_are_told() {
    let install = |behaviour: Behaviour| {
        let (hub, folder) = (Hub::start(behaviour), tempfile::tempdir().unwrap());
        store(&hub, &folder).install(&MODEL, &|_| (), &never).unwrap_err()
    };
    let missing = install(Behaviour { missing: Some("revision/main"), ..Behaviour::default() });
    assert!(matches!(&missing, Error::Download(DownloadError::Status { status: 404, .. })), "{missing:?}");
    assert!(!missing.is_retryable());
    let file = install(Behaviour { missing: Some("tokenizer.json"), ..Behaviour::default() });
    assert!(
        matches!(&file, Error::Download(DownloadError::Status { status: 404, url }) if url.ends_with("tokenizer.json"))
    );
    for list in ["", "{}", "[]", "[{\"path\": \"tokenizer.json\"}]", "<html>"] {
        let error = install(Behaviour { list: Some(list), ..Behaviour::default() });
        assert!(matches!(&error, Error::Download(DownloadError::Listing { .. })), "{list}: {error:?}");
    }
}

#[test]
fn a_stop_keeps_what_has_come_and_the_next_call_goes_on_from_there() {
    let (hub, folder) = (
        Hub::start(Behaviour { cut_after: Some(20_000), ..Behaviour::default() }),
        tempfile::tempdir().unwrap(),
    );
    let store = store(&hub, &folder);
    let far = std::cell::Cell::new(0);
    let error = store.install(&MODEL, &|at| far.set(at.bytes), &|| far.get() > 30_000).unwrap_err();
    assert!(matches!(error, Error::Stopped), "{error:?}");
    let asked = hub.weights.load(Ordering::SeqCst);
    let first = std::cell::Cell::new(None);
    store.install(&MODEL, &|at| first.set(first.get().or(Some(at.bytes))), &never).unwrap();
    assert!(hub.weights.load(Ordering::SeqCst) < asked + 4, "it began again");
    assert!(far.get() >= 30_000);
}

#[test]
fn of_many_one_downloads_and_the_others_wait() {
    let (hub, folder) = (Hub::start(Behaviour::default()), tempfile::tempdir().unwrap());
    std::thread::scope(|scope| {
        for _ in 0..5 {
            scope.spawn(|| assert!(store(&hub, &folder).install(&MODEL, &|_| (), &never).is_ok()));
        }
    });
    assert_eq!(hub.weights.load(Ordering::SeqCst), 1);
}
