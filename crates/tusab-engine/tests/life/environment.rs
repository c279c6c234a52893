use std::path::Path;

use tusab_engine::{Engine, Error, Source};

use crate::child::{again, folder};
use crate::common::open;

const VARIABLE: &str = "TUSAB_DATA_DIR";

#[test]
fn the_data_directory_is_what_the_environment_says() {
    let folder = tempfile::tempdir().unwrap();
    let named = folder.path().join("dados de fora");
    let status =
        again("environment::child_of_the_environment", &named, &[(VARIABLE, named.to_str().unwrap())]);
    assert!(status.success(), "{status}");
    // What the child took in is here, and nowhere else.
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let sources = runtime.block_on(async { open(&named, "P").await.sources().await.unwrap() });
    assert_eq!(sources.iter().map(|source| source.name.as_str()).collect::<Vec<_>>(), ["umbu"]);
    // An empty one says nothing: the platform's is taken.
    let home = folder.path().join("casa");
    let platform = [(VARIABLE, ""), ("HOME", home.to_str().unwrap()), ("XDG_DATA_HOME", "")];
    let status = again("environment::child_of_the_platform", &home, &platform);
    assert!(status.success(), "{status}");
}

#[tokio::test]
#[ignore = "run by the_data_directory_is_what_the_environment_says"]
async fn child_of_the_environment() {
    let Some(folder) = folder() else { return };
    let engine = Engine::from_env().unwrap();
    assert_eq!(engine.data_dir(), folder);
    // What the app itself says counts more than the environment.
    let given = Engine::builder().data_dir_from_env().data_dir("outra").build().unwrap();
    assert_eq!(given.data_dir(), Path::new("outra"));
    let project = engine.project("P").await.unwrap();
    project.ingest(Source::text("umbu", "umbu")).await.unwrap();
}

#[test]
#[ignore = "run by the_data_directory_is_what_the_environment_says"]
fn child_of_the_platform() {
    let Some(home) = folder() else { return };
    match Engine::from_env() {
        Ok(engine) => {
            assert!(engine.data_dir().ends_with("tusab") && engine.data_dir() != home);
            assert!(cfg!(windows) || engine.data_dir().starts_with(&home), "{:?}", engine.data_dir());
        }
        Err(error) => assert!(matches!(error, Error::NoDataDir), "{error}"),
    }
}
