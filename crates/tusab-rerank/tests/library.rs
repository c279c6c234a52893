//! Libraries of ONNX Runtime that are none: no panic, no waiting, and the reason told (pykeio/ort#560).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::missing_panics_doc,
    reason = "tests fail by panicking"
)]
#![cfg(feature = "onnxruntime")]

mod common;

use std::path::PathBuf;

use common::tiny;
use tusab_rerank::{Backend, CrossEncoder, CrossEncoderOptions, Missing, Reranker, RuntimeOptions};

fn with(runtime: RuntimeOptions) -> CrossEncoder {
    CrossEncoder::new(tiny(), CrossEncoderOptions::default().with_runtime(runtime))
}

#[test]
fn what_is_no_library_is_told_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("libonnxruntime.so");
    std::fs::write(&text, "not a library").unwrap();
    let cut = folder.path().join("cut.so");
    std::fs::write(&cut, b"\x7fELF\x02\x01\x01\0\0\0\0\0").unwrap();
    let mut libraries = vec![
        PathBuf::from("/nowhere/libonnxruntime.so"),
        folder.path().to_owned(),
        text,
        cut,
        PathBuf::new(),
    ];
    // A library that is one, and not this one.
    let other = ["/lib/x86_64-linux-gnu/libm.so.6", "/lib/aarch64-linux-gnu/libm.so.6", "/usr/lib/libm.so.6"];
    libraries.extend(other.iter().map(PathBuf::from).find(|path| path.is_file()));
    #[cfg(unix)]
    {
        // Opening it would wait for somebody who writes.
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        libraries.push(pipe);
    }
    let runtime = RuntimeOptions::default().with_libraries(libraries.clone());
    let error = with(runtime.clone().with_backend(Backend::OnnxRuntime)).scores("a", &["b"]).unwrap_err();
    let Some(missing @ Missing::Runtime { wanted: Some(Backend::OnnxRuntime), attempts, .. }) =
        error.missing()
    else {
        panic!("{error:?}")
    };
    assert_eq!(
        attempts.iter().map(|attempt| &attempt.path).collect::<Vec<_>>(),
        libraries.iter().collect::<Vec<_>>()
    );
    assert!(attempts.iter().all(|attempt| !attempt.reason.is_empty()));
    assert!(missing.remedy().contains("ORT_DYLIB_PATH"));

    #[cfg(feature = "rten")]
    {
        let encoder = with(runtime);
        encoder.scores("a", &["b"]).unwrap();
        assert_eq!(encoder.backend(), Some(Backend::Rten), "the other runtime does not serve in its place");
    }
}
