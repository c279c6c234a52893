//! Where the library of ONNX Runtime may lie.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::ModelStore;

/// The file's usual name on this system.
fn file_name() -> String {
    let name = if cfg!(windows) { "onnxruntime" } else { "libonnxruntime" };
    format!("{name}{}", env::consts::DLL_SUFFIX)
}

/// What this machine seems to have.
pub(super) fn candidates() -> Vec<PathBuf> {
    let stored = ModelStore::from_env().map(|store| store.runtime_folder());
    found(&|name| env::var_os(name).filter(|value| !value.is_empty()), stored.as_deref())
}

/// What there is, the surest first: named by the user, beside the user's models, in a Python environment, in the
/// system's folders.
fn found(variable: &dyn Fn(&str) -> Option<OsString>, stored: Option<&Path>) -> Vec<PathBuf> {
    let named = variable("ORT_DYLIB_PATH").map(PathBuf::from);
    let stored = stored.map(in_folder).unwrap_or_default();
    let path = variable("PATH").unwrap_or_default();
    let home = variable("HOME").map(|home| PathBuf::from(home).join(".local"));
    let environment = variable("VIRTUAL_ENV").map(PathBuf::from);
    // Beside each folder of programs lie the packages of the Python in it.
    let programs = env::split_paths(&path).filter_map(|folder| folder.parent().map(Path::to_path_buf));
    let prefixes = environment.into_iter().chain(programs).chain(home);
    let packaged = prefixes.flat_map(|prefix| in_python(&prefix));
    let search = variable("LD_LIBRARY_PATH").unwrap_or_default();
    let system = ["/usr/local/lib", "/usr/lib", "/usr/lib64", "/opt/homebrew/lib"].map(PathBuf::from);
    let multiarch = PathBuf::from(format!("/usr/lib/{}-linux-gnu", env::consts::ARCH));
    let installed =
        env::split_paths(&search).chain(system).chain([multiarch]).map(|folder| folder.join(file_name()));
    let mut found: Vec<PathBuf> = named.into_iter().collect();
    for path in stored.into_iter().chain(packaged).chain(installed.filter(|path| path.is_file())) {
        if !found.contains(&path) {
            found.push(path);
        }
    }
    found
}

/// The libraries of the Python package `onnxruntime` under the prefix of a Python.
fn in_python(prefix: &Path) -> Vec<PathBuf> {
    let mut packages = vec![prefix.join("Lib/site-packages")];
    for version in listed(&prefix.join("lib")).into_iter().filter(|path| starts_with(path, "python")) {
        packages.extend([version.join("site-packages"), version.join("dist-packages")]);
    }
    let folders = packages.into_iter().map(|package| package.join("onnxruntime").join("capi"));
    folders.flat_map(|folder| in_folder(&folder)).collect()
}

/// The libraries that stand in a folder.
fn in_folder(folder: &Path) -> Vec<PathBuf> {
    listed(folder).into_iter().filter(|path| is_library(path)).collect()
}

/// `libonnxruntime.so.1.31.1`, `libonnxruntime.1.31.1.dylib`, `onnxruntime.dll`; not the libraries of its providers.
fn is_library(path: &Path) -> bool {
    starts_with(path, file_name().split('.').next().unwrap_or_default())
        && !starts_with(path, "libonnxruntime_")
        && !starts_with(path, "onnxruntime_")
        && path.is_file()
}

fn starts_with(path: &Path, prefix: &str) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(prefix))
}

/// What a folder holds, sorted; nothing when it cannot be read.
fn listed(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIBRARY: &str = if cfg!(windows) {
        "onnxruntime.dll"
    } else if cfg!(target_os = "macos") {
        "libonnxruntime.1.31.1.dylib"
    } else {
        "libonnxruntime.so.1.31.1"
    };

    /// A library and those of its providers, which are none, in a new folder.
    fn fill(folder: &Path) -> PathBuf {
        std::fs::create_dir_all(folder).unwrap();
        for name in [LIBRARY, "libonnxruntime_providers_shared.so", "onnxruntime_providers_shared.dll"] {
            std::fs::write(folder.join(name), "").unwrap();
        }
        folder.join(LIBRARY)
    }

    #[test]
    fn the_library_of_a_python_package_is_found_and_its_providers_are_not() {
        let prefix = tempfile::tempdir().unwrap();
        let library = fill(&prefix.path().join("lib/python3.12/site-packages/onnxruntime/capi"));
        assert_eq!(in_python(prefix.path()), [library]);
        assert!(in_python(&prefix.path().join("missing")).is_empty());
    }

    #[test]
    fn what_is_named_comes_first_then_what_lies_beside_the_models_then_python() {
        let folder = tempfile::tempdir().unwrap();
        let stored = folder.path().join("runtime");
        let beside = fill(&stored);
        let active = fill(&folder.path().join("active/lib/python3.12/site-packages/onnxruntime/capi"));
        let programs = fill(&folder.path().join("usr/lib/python3.13/dist-packages/onnxruntime/capi"));
        let variable = |name: &str| match name {
            "ORT_DYLIB_PATH" => Some("named.so".into()),
            "VIRTUAL_ENV" => Some(folder.path().join("active").into()),
            "PATH" => Some(folder.path().join("usr/bin").into()),
            _ => None,
        };
        let all = found(&variable, Some(&stored));
        assert_eq!(all[..4], [PathBuf::from("named.so"), beside, active, programs]);
        assert!(!found(&|_| None, None).iter().any(|path| path.starts_with(folder.path())));
    }
}
