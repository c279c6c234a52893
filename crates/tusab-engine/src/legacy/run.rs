//! From an old folder or file to projects.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::find::{Old, OldProject, look};
use super::read::{Ready, Sources, Was, read};
use super::report::{LegacyChannel, LegacyFate, LegacyReport};
use super::{archive, settings};
use crate::error::chain;
use crate::portable::{Scratch, move_in, refuse_taken};
use crate::project::Located;
use crate::project::catalog::Description;
use crate::storage::DataDir;
use crate::{Engine, Error, Event, Outcome};

/// Name of the one project in the folder where it is made ready.
const STAGED: &str = "project";

/// What was done, before the projects are opened.
#[derive(Debug, Default)]
pub(super) struct Done {
    pub(super) report: LegacyReport,
    pub(super) projects: Vec<Made>,
}

/// A project that was made.
#[derive(Debug, Default)]
pub(super) struct Made {
    pub(super) name: String,
    pub(super) videos: usize,
    pub(super) documents: usize,
    pub(super) texts: usize,
    pub(super) channels: Vec<LegacyChannel>,
}

/// Takes over what is at `path`, on a thread that may block. Calls no handler of the user's.
pub(super) fn run(
    engine: &Engine,
    path: &Path,
    stop: &dyn Fn() -> bool,
    tell: &dyn Fn(Event),
) -> Result<Done, Error> {
    let mut done = Done::default();
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(Error::NoSuchFile { path: path.to_owned() });
        }
        Err(error) => return Err(Error::io("read", path)(error)),
    };
    // Lives until all was read from it.
    let unpacked;
    let old = if metadata.is_dir() {
        // A link to it is what its owner means; links in it are not followed.
        look(&fs::canonicalize(path).map_err(Error::io("read", path))?, None)?
    } else if metadata.is_file() {
        unpacked = Scratch::make(&engine.data().temp())?;
        let name = archive::unpack(path, unpacked.path(), &mut done.report, stop)?;
        look(unpacked.path(), Some(&name))?
    } else {
        return Err(Error::NotAFile { path: path.to_owned() });
    };
    let Old { root, projects, settings, others } = old;
    for (path, reason) in others {
        done.report.add(path.strip_prefix(&root).unwrap_or(&path), LegacyFate::LeftOut, reason);
    }
    if let Some(path) = settings {
        read_settings(&path, path.strip_prefix(&root).unwrap_or(&path), &mut done.report);
    }
    for project in projects {
        if stop() {
            done.report.cancelled = true;
            break;
        }
        let name = project.name.clone();
        match make(engine, project, &root, &mut done.report, stop, tell) {
            Ok(made) => done.projects.extend(made),
            Err(Error::Cancelled) => {
                done.report.cancelled = true;
                break;
            }
            // Another project may fare better.
            Err(error @ (Error::ProjectExists { .. } | Error::ProjectName { .. })) => {
                done.report.add(Path::new(&name), LegacyFate::Refused, chain(&error));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// Makes one project; none when there is nothing in it.
fn make(
    engine: &Engine,
    old: OldProject,
    root: &Path,
    report: &mut LegacyReport,
    stop: &dyn Fn() -> bool,
    tell: &dyn Fn(Event),
) -> Result<Option<Made>, Error> {
    let data = engine.data();
    let name = old.name.clone();
    refuse_taken(data, &name)?;
    let scratch = Scratch::make(&data.temp())?;
    let Sources { ready: sources, channels } = read(old, root, &scratch.path().join("sources"), report)?;
    if sources.is_empty() {
        return Ok(None);
    }
    let dirs = DataDir::new(scratch.path().to_owned()).project(STAGED);
    let description = Description::adopt(&dirs.description(), &name, engine.clock())?;
    let located = Located { folder: STAGED.to_owned(), description: description.clone() };
    let opened = engine.open_at(located, dirs.clone(), &crate::project::Place::Folders, stop, tell)?;
    let inner = opened.inner;
    let given = sources.iter().map(|ready| ready.source.clone()).collect();
    let taken = inner.take_in(given, stop, tell)?;
    if taken.cancelled || stop() {
        return Err(Error::Cancelled);
    }
    let mut made = Made { name, channels, ..Made::default() };
    for (ready, item) in sources.iter().zip(taken.items) {
        let Ready { path, what, kind, .. } = ready;
        for warning in item.warnings {
            report.add(path, LegacyFate::Repaired, format!("{what}: {warning}"));
        }
        match item.outcome {
            Outcome::Failed(error) => {
                report.add(path, LegacyFate::Refused, format!("{what}: {}", chain(&error)));
            }
            Outcome::Duplicate { of } => {
                report.add(path, LegacyFate::LeftOut, format!("{what}: the same text is here as {of}"));
            }
            _ => {
                report.add(path, LegacyFate::Taken, what.as_str());
                match kind {
                    Was::Video => made.videos += 1,
                    Was::Document => made.documents += 1,
                    Was::Text => made.texts += 1,
                }
            }
        }
    }
    // Its files are moved: nothing may have them open.
    drop(inner);
    move_in(data, &dirs, description)?;
    Ok(Some(made))
}

/// The old settings, without keys; the report says which were left out.
fn read_settings(path: &Path, shown: &Path, report: &mut LegacyReport) {
    let read = fs::read(path).map_err(|error| error.to_string()).and_then(|bytes| {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        serde_json::from_slice(bytes).map_err(|error| error.to_string())
    });
    match read {
        Ok(Value::Object(fields)) => {
            let (kept, removed) = settings::without_secrets(fields);
            for name in removed {
                report.add(shown, LegacyFate::LeftOut, format!("{name}, a key: give it anew"));
            }
            report.settings = kept;
            report.add(shown, LegacyFate::Taken, "settings");
        }
        Ok(_) => report.add(shown, LegacyFate::Refused, "there are no settings in it"),
        Err(error) => report.add(shown, LegacyFate::Refused, format!("it cannot be read: {error}")),
    }
}
