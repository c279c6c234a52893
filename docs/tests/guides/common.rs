//! What the other modules share.

use std::fs;
use std::path::{Path, PathBuf};

use tusab_engine::{Engine, EngineBuilder};

/// The folder of the guides.
pub(crate) fn docs() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The root of the project.
pub(crate) fn root() -> PathBuf {
    docs().join("..")
}

/// What a page of the guides says.
pub(crate) fn page(name: &str) -> String {
    read(&docs().join(name))
}

/// The pages of a folder, by name.
pub(crate) fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut pages = files(folder, &|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.retain(|path| path.parent() == Some(folder));
    pages
}

/// The files of a folder and of those in it, by name.
pub(crate) fn files(folder: &Path, wanted: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, wanted));
        } else if wanted(&path) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The files of Rust of a folder and of those in it.
pub(crate) fn rust_files(folder: &Path) -> Vec<PathBuf> {
    files(folder, &|path| path.extension().is_some_and(|extension| extension == "rs"))
}

/// A text, with the ends of its lines as they are on Unix.
pub(crate) fn read(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.replace("\r\n", "\n")
}

/// A block of code in a page.
#[derive(Debug)]
pub(crate) struct Block {
    /// What stands behind the fence, such as `rust`.
    pub(crate) kind: String,
    pub(crate) code: String,
    /// The line of the fence, from 1.
    pub(crate) line: usize,
}

/// The blocks of code of a page.
pub(crate) fn blocks(page: &str) -> Vec<Block> {
    let (mut blocks, mut open): (Vec<Block>, Option<Block>) = (Vec::new(), None);
    for (line, text) in (1..).zip(page.lines()) {
        match (&mut open, text.trim_start().strip_prefix("```")) {
            (None, Some(kind)) => {
                open = Some(Block { kind: kind.trim().to_owned(), code: String::new(), line });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => {
                block.code.push_str(text);
                block.code.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block of code is not closed: {open:?}");
    blocks
}

/// An engine over a folder of the test.
pub(crate) fn engine(data: &Path) -> EngineBuilder {
    Engine::builder().data_dir(data)
}
