//! What the pages promise: code that is compiled, links that lead somewhere, commands that can be run.

use std::collections::BTreeSet;

use crate::common::{blocks, docs, page, pages, read, root, rust_files};

/// Where the only block is that is not compiled here: the window system's libraries are not everywhere.
const NOT_COMPILED: &str = "tauri.md";

#[test]
fn every_block_of_rust_is_a_piece_of_what_is_compiled() {
    let mut compiled: Vec<Vec<String>> = Vec::new();
    for folder in ["programs", "tests/guides"] {
        for file in rust_files(&docs().join(folder)) {
            compiled.push(read(&file).lines().map(|line| line.trim().to_owned()).collect());
        }
    }
    let mut count = 0;
    for path in pages(docs()) {
        let name = path.file_name().unwrap().to_str().unwrap();
        for block in blocks(&read(&path)) {
            if !block.kind.starts_with("rust") {
                continue;
            }
            count += 1;
            if block.kind == "rust,ignore" && name == NOT_COMPILED {
                continue;
            }
            let lines: Vec<&str> = block.code.lines().map(str::trim).collect();
            let is_there = compiled.iter().any(|file| file.windows(lines.len()).any(|piece| piece == lines));
            assert!(
                is_there,
                "{name}, line {}: no piece of docs/programs or docs/tests/guides:\n{}",
                block.line, block.code
            );
        }
    }
    assert!(count > 10, "only {count} blocks were found");
}

#[test]
fn every_link_leads_somewhere() {
    let mut all = pages(docs());
    all.extend(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root().join(name)));
    let mut count = 0;
    for path in all {
        let text = without_code(&read(&path));
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if target.contains("://") {
                continue;
            }
            count += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let to = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            assert!(to.exists(), "{}: {target} leads nowhere", path.display());
            if !anchor.is_empty() {
                let known = anchors(&read(&to));
                assert!(known.contains(anchor), "{}: {target} is none of {known:?}", path.display());
            }
        }
    }
    assert!(count > 20, "only {count} links were found");
}

/// A page without its blocks of code, in which brackets are no links.
fn without_code(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

/// What the headings of a page can be linked by.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = without_code(text);
    let headings = headings.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let words = line.trim_start_matches('#').trim().to_lowercase();
            let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

#[test]
fn every_command_names_what_is_there() {
    let mut all = pages(docs());
    all.extend(["README.md", "CONTRIBUTING.md"].map(|name| root().join(name)));
    let mut count = 0;
    for path in all {
        for block in blocks(&read(&path)).iter().filter(|block| block.kind == "sh") {
            let words: Vec<&str> = block.code.split_whitespace().collect();
            for pair in words.windows(2) {
                let is_there = match *pair {
                    ["--example", name] => {
                        let examples = root().join("examples");
                        examples.join(format!("{name}.rs")).is_file()
                            || examples.join(name).join("main.rs").is_file()
                    }
                    ["--bin", name] => docs().join("programs").join(format!("{name}.rs")).is_file(),
                    [script, _] if script.starts_with("scripts/") => root().join(script).is_file(),
                    _ => continue,
                };
                count += 1;
                assert!(is_there, "{}: {pair:?} is not there", path.display());
            }
        }
    }
    assert!(count > 3, "only {count} commands were found");
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let contents = page("README.md");
    for path in pages(docs()) {
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(name == "README.md" || contents.contains(&format!("]({name})")), "{name}");
    }
}

#[test]
fn every_picture_can_be_read_out() {
    for path in pages(docs()) {
        assert!(!read(&path).contains("![]("), "{}: a picture without words", path.display());
    }
    let own = ["ranking.svg", "privacy.svg"];
    for picture in own.map(|name| read(&docs().join(name))) {
        assert!(picture.contains("role=\"img\"") && picture.contains("<title"), "{picture}");
        assert!(picture.contains("prefers-color-scheme: dark"), "{picture}");
    }
}
