//! From a file to a project.

use std::fs;
use std::path::Path;

use tusab_index::{ChunkStore, Control, Index, Repair, Statistics};

use super::archive::Archive;
use super::manifest::is_left_out;
use super::meter::Meter;
use super::{ImportOptions, Imported, Scratch, stage};
use crate::project::catalog::Description;
use crate::project::{Located, Place};
use crate::storage::{DataDir, ProjectDirs};
use crate::{Engine, Error, Event, Project};

/// Name of the one project in the folder where it is made ready.
const STAGED: &str = "project";

/// What was imported, before the project is opened.
pub(super) struct Done {
    original_name: String,
    exported_at: String,
    statistics: Statistics,
    rebuilt: Option<String>,
    notes: Vec<String>,
}

impl Done {
    pub(super) fn into_imported(self, project: Project) -> Imported {
        let Self { original_name, exported_at, statistics, rebuilt, notes } = self;
        let Statistics { documents, chunks, .. } = statistics;
        Imported {
            project,
            original_name,
            exported_at,
            documents,
            chunks,
            rebuilt,
            notes,
            degraded: Vec::new(),
        }
    }
}

/// Makes a project of a file, on a thread that may block. Calls no handler of the user's.
pub(super) fn run(
    engine: &Engine,
    path: &Path,
    name: &str,
    options: &ImportOptions,
    stop: &dyn Fn() -> bool,
    tell: &dyn Fn(Event),
) -> Result<Done, Error> {
    let data = engine.data();
    stage::refuse_taken(data, name)?;
    let archive = Archive::open(path, options.largest)?;
    let scratch = Scratch::make(&data.temp())?;
    // The same folders as in the data directory, so that only names change when they are put there.
    let dirs = DataDir::new(scratch.path().to_owned()).project(STAGED);
    let place = |file: &str| match file.split_once('/')? {
        ("index", file) => options.trust_index.then(|| dirs.index.join(file)),
        ("neural", of_source) => (!is_left_out(file)).then(|| dirs.neural.join(of_source)),
        _ => None,
    };
    let wanted = archive.manifest.files.iter().filter(|file| place(&file.path).is_some());
    let bytes = wanted.map(|file| file.size).sum();
    let told = |done, total| tell(Event::Importing { project: name.to_owned(), done, total });
    archive.unpack(&place, &mut Meter::new(bytes, &told, stop))?;
    fs::create_dir_all(&dirs.neural).map_err(Error::io("create", &dirs.neural))?;

    let description = Description::adopt(&dirs.description(), name, engine.clock())?;
    let located = Located { folder: STAGED.to_owned(), description };
    let mut ready = make_ready(engine, &located, &dirs, options, stop, tell)?;
    if stop() {
        return Err(Error::Cancelled);
    }
    ready.notes.extend(stage::place(data, &dirs, located.description)?);
    let manifest = archive.manifest;
    Ok(Done {
        original_name: manifest.project,
        exported_at: manifest.exported_at,
        statistics: ready.statistics,
        rebuilt: ready.rebuilt,
        notes: ready.notes,
    })
}

struct Ready {
    statistics: Statistics,
    rebuilt: Option<String>,
    notes: Vec<String>,
}

/// Opens the project where it was unpacked, with an index that says what its sources say.
fn make_ready(
    engine: &Engine,
    located: &Located,
    dirs: &ProjectDirs,
    options: &ImportOptions,
    stop: &dyn Fn() -> bool,
    tell: &dyn Fn(Event),
) -> Result<Ready, Error> {
    let rebuilt =
        if options.trust_index { unusable(dirs, stop)? } else { Some("as it was asked for".to_owned()) };
    if rebuilt.is_some() && dirs.index.exists() {
        fs::remove_dir_all(&dirs.index).map_err(Error::io("remove", &dirs.index))?;
    }
    let opened = engine.open_at(located.clone(), dirs.clone(), &Place::Folders, stop, tell)?;
    let (inner, notes) = (opened.inner, opened.told);
    Ok(Ready { statistics: inner.index.statistics()?, rebuilt, notes })
}

/// Why the index has to be made again from the sources.
fn unusable(dirs: &ProjectDirs, stop: &dyn Fn() -> bool) -> Result<Option<String>, Error> {
    if !dirs.index.is_dir() {
        return Ok(Some("the file has no index".to_owned()));
    }
    Ok(match Index::open_with(&dirs.index, Control { stop, ..Control::default() }) {
        Ok(opened) => opened.repairs.iter().find_map(|repair| match repair {
            Repair::Rebuilt { reason, .. } => Some(reason.clone()),
            Repair::StoreBehind { .. } => Some("its parts are of different states".to_owned()),
            _ => None,
        }),
        Err(tusab_index::Error::Stopped) => return Err(Error::Cancelled),
        Err(error) => Some(crate::error::chain(&error)),
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::{Cancel, Source};

    const DOCUMENTS: usize = 30;

    /// Every path below a folder, save those of locks.
    fn paths(folder: &Path) -> Vec<std::path::PathBuf> {
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        let mut found = Vec::new();
        for path in entries.map(|entry| entry.unwrap().path()) {
            found.extend(paths(&path));
            if path.extension().is_none_or(|extension| extension != "lock") {
                found.push(path);
            }
        }
        found
    }

    #[tokio::test]
    async fn a_cancel_while_the_index_is_made_again_takes_effect_within_a_document() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("p.tusab");
        let project =
            Engine::builder().data_dir(dir.path().join("here")).build().unwrap().project("P").await.unwrap();
        let texts = (0..DOCUMENTS).map(|n| Source::text(format!("t{n}"), format!("texto {n}"))).collect();
        project.ingest_all(texts, &Cancel::new()).await.unwrap();
        project.export(&file).await.unwrap();

        let data = dir.path().join("there");
        let engine = Engine::builder().data_dir(&data).build().unwrap();
        let options = ImportOptions::default().with_trust_index(false);
        let asked = Cell::new(0);
        let import = |name: &str, at: usize| {
            asked.set(0);
            let stop = || asked.replace(asked.get() + 1) >= at;
            run(&engine, &file, name, &options, &stop, &|_| {})
        };
        import("Q", usize::MAX).unwrap();
        let (all, before) = (asked.get(), paths(&data));
        // Once for each that is read again, and once for each that is indexed.
        assert!(all >= 3 * DOCUMENTS, "{all}");
        for at in (0..all).step_by(7).chain([all - 1]) {
            assert!(matches!(import("R", at), Err(Error::Cancelled)), "{at}");
            assert_eq!(asked.get(), at + 1, "it went on after it was told to stop");
            assert_eq!(paths(&data), before, "{at}");
        }
        assert_eq!(import("R", usize::MAX).unwrap().statistics.documents, DOCUMENTS);
    }
}
