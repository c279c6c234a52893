//! `security.md`: every test that it names exists.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::common::{docs, page, read, root, rust_files};

/// Names of the tests of a folder, each with the files they are in.
fn tests_in(folder: &Path) -> BTreeMap<String, Vec<String>> {
    let mut tests: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in rust_files(folder) {
        let path = file.strip_prefix(folder).unwrap().with_extension("");
        let path = path.to_string_lossy().replace('\\', "/");
        let text = read(&file);
        // What brings its own `main` names its tests there.
        let has_main = text.contains("\nfn main() ");
        let mut is_test = false;
        for line in text.lines().map(str::trim) {
            if line.starts_with("#[") {
                is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
            } else if let Some(rest) = line.strip_prefix("async fn ").or_else(|| line.strip_prefix("fn ")) {
                if is_test || has_main {
                    let name = rest.split(['(', '<']).next().unwrap_or_default();
                    tests.entry(name.to_owned()).or_default().push(path.clone());
                }
                is_test = false;
            }
        }
    }
    tests
}

#[test]
fn every_test_that_the_page_names_is_there() {
    let page = page("security.md");
    let mut crates: BTreeMap<&str, BTreeMap<String, Vec<String>>> = BTreeMap::new();
    let (mut named, mut missing) = (BTreeSet::new(), Vec::new());
    // `tusab-index narrow::any_text_can_be_asked`: the crate, the end of the file's path, the test.
    for quoted in page.split('`').skip(1).step_by(2) {
        let Some((owner, path)) = quoted.split_once(' ').filter(|(_, path)| path.contains("::")) else {
            continue;
        };
        let folder = match owner {
            "guides" => docs().to_owned(),
            "examples" => root().join(owner),
            of_crate if of_crate.starts_with("tusab-") => root().join("crates").join(of_crate),
            _ => continue,
        };
        let tests = crates.entry(owner).or_insert_with(|| tests_in(&folder));
        let (module, test) = path.rsplit_once("::").unwrap();
        let module = module.replace("::", "/");
        let is_there = tests.get(test).is_some_and(|files| {
            files.iter().any(|file| {
                let file = file.strip_suffix("/main").unwrap_or(file);
                file == module || file.ends_with(&format!("/{module}"))
            })
        });
        named.insert(quoted);
        if !is_there {
            missing.push((quoted, tests.get(test).cloned()));
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(named.len() > 60, "only {} tests are named", named.len());
}

#[test]
fn every_threat_has_a_test_or_is_open() {
    let page = page("security.md");
    let mut threats = 0;
    let tables = page.split("\n## Fuzz").next().unwrap();
    for line in tables.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| threat")) {
        threats += 1;
        assert!(line.contains("::") || line.contains("open"), "{line}");
    }
    assert!(threats > 30, "only {threats} threats were found");
}

#[test]
fn every_fuzz_target_is_in_the_table() {
    let page = page("security.md");
    for file in rust_files(&root().join("fuzz/fuzz_targets")) {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
}
