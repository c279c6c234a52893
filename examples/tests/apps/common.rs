//! Programs, their data, and the scripts that use them from outside.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use tusab_engine::{Cancel, Engine, Project, Source};

pub(crate) const QUESTION: &str = "Quantas horas de sol a hortelã precisa?";

/// Cargo builds the examples beside the tests, and gives no variable for them.
pub(crate) fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().unwrap().parent().unwrap().join("examples").join(name);
    path.with_extension(std::env::consts::EXE_EXTENSION)
}

/// A command of an example that finds no model of this machine by chance.
pub(crate) fn command(name: &str, data: &Path) -> Command {
    let mut command = Command::new(program(name));
    command.env_remove("TUSAB_MODELS").env_remove("ORT_DYLIB_PATH").arg("--data").arg(data);
    command
}

/// A data directory whose project `Horta` holds the samples, and one more project of that name with that text.
pub(crate) async fn data(other: &str, title: &str, text: &str) -> TempDir {
    let data = tempfile::tempdir().unwrap();
    let engine = Engine::builder().data_dir(data.path()).build().unwrap();
    let samples = examples::samples().unwrap().into_iter().map(Source::file).collect();
    take(&engine.project("Horta").await.unwrap(), samples).await;
    take(&engine.project(other).await.unwrap(), vec![Source::text(title, text)]).await;
    data
}

async fn take(project: &Project, sources: Vec<Source>) {
    let report = project.ingest_all(sources, &Cancel::new()).await.unwrap();
    assert_eq!(report.failed(), 0, "{report:?}");
}

/// Runs a scenario of a script for Node, with the packages that `scripts/assets.sh` names.
pub(crate) fn scenario(script: &str, name: &str, arguments: &[&Path]) {
    let packages = std::env::var_os("TUSAB_NODE_APPS")
        .expect("TUSAB_NODE_APPS is not set: run scripts/test.sh, or eval \"$(scripts/assets.sh)\" first");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/apps").join(script);
    let mut node = Command::new("node");
    node.arg(script).arg(name).args(arguments).env("TUSAB_NODE_APPS", packages);
    node.env_remove("TUSAB_MODELS").env_remove("ORT_DYLIB_PATH");
    let output = node.output().expect("node can be started");
    let (told, failed) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{name}: {told}\n{failed}");
    // A script that does nothing would succeed too.
    assert!(told.ends_with(&format!("{name}: done\n")), "{told}\n{failed}");
}
