//! From a file to a project.

use std::fs;
use std::path::Path;

use tusab_index::{ChunkStore, Index, Repair, Statistics};

use super::archive::Archive;
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
        Imported { project, original_name, exported_at, documents, chunks, rebuilt, notes }
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
    let mut archive = Archive::open(path, options.largest)?;
    let scratch = Scratch::make(&data.temp())?;
    // The same folders as in the data directory, so that only names change when they are put there.
    let dirs = DataDir::new(scratch.path().to_owned()).project(STAGED);
    let place = |file: &str| match file.split_once('/')? {
        ("index", file) => options.trust_index.then(|| dirs.index.join(file)),
        ("neural", file) => Some(dirs.neural.join(file)),
        _ => None,
    };
    let wanted = archive.manifest.files.iter().filter(|file| place(&file.path).is_some());
    let bytes = wanted.map(|file| file.size).sum();
    let told = |done, total| tell(Event::Importing { project: name.to_owned(), done, total });
    archive.unpack(&place, &mut Meter::new(bytes, &told, stop))?;
    fs::create_dir_all(&dirs.neural).map_err(Error::io("create", &dirs.neural))?;

    let description = Description::adopt(&dirs.description(), name, engine.clock())?;
    let located = Located { folder: STAGED.to_owned(), description };
    let mut ready = make_ready(engine, &located, &dirs, options)?;
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
) -> Result<Ready, Error> {
    let rebuilt = if options.trust_index { unusable(dirs) } else { Some("as it was asked for".to_owned()) };
    if rebuilt.is_some() && dirs.index.exists() {
        fs::remove_dir_all(&dirs.index).map_err(Error::io("remove", &dirs.index))?;
    }
    let (inner, notes) = engine.open_at(located.clone(), dirs.clone(), &Place::Folders)?;
    Ok(Ready { statistics: inner.index.statistics()?, rebuilt, notes })
}

/// Why the index has to be made again from the sources.
fn unusable(dirs: &ProjectDirs) -> Option<String> {
    if !dirs.index.is_dir() {
        return Some("the file has no index".to_owned());
    }
    match Index::open(&dirs.index) {
        Ok(opened) => opened.repairs.iter().find_map(|repair| match repair {
            Repair::Rebuilt { reason, .. } => Some(reason.clone()),
            Repair::StoreBehind { .. } => Some("its parts are of different states".to_owned()),
            _ => None,
        }),
        Err(error) => Some(crate::error::chain(&error)),
    }
}
