//! From a project to a file.

use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use tusab_index::ChunkStore;
use zip::{CompressionMethod, ZipWriter};

use super::manifest::{Manifest, is_left_out, is_of_conversations};
use super::meter::Meter;
use super::name::{folded, refused};
use super::pack::{Wanted, pack, start};
use super::sink::Sink;
use super::{ExportOptions, ExportReport, Scratch};
use crate::clock::timestamp;
use crate::project::Inner;
use crate::storage::{sync_folder, unfinished};
use crate::{Error, Event};

/// Writes the project into a file, on a thread that may block. Calls no handler of the user's.
pub(super) fn run(
    inner: &Inner,
    path: &Path,
    options: &ExportOptions,
    stop: &dyn Fn() -> bool,
    tell: &dyn Fn(Event),
) -> Result<ExportReport, Error> {
    if path.is_dir() {
        return Err(Error::IsFolder { path: path.to_owned() });
    }
    inner.still(stop, tell, |may_write| {
        let mut sources = Files::by(CompressionMethod::Deflated);
        sources.collect(&inner.dirs.neural, "neural")?;
        let mut index = Files::by(CompressionMethod::Zstd);
        let scratch =
            if may_write { Scratch::make(inner.dirs.temp())? } else { Scratch::beside(&unfinished(path))? };
        let counts = if options.index {
            let copy = scratch.path().join("index");
            let index_of = &inner.index;
            let counts =
                if may_write { index_of.copy_to(&copy)? } else { index_of.read_into(&copy, stop)? };
            index.collect(&copy, "index")?;
            counts
        } else {
            inner.index.statistics()?
        };
        let manifest = Manifest {
            format: Manifest::FORMAT.to_owned(),
            version: Manifest::VERSION,
            project: inner.name(),
            exported_at: timestamp(&*inner.clock),
            engine: env!("CARGO_PKG_VERSION").to_owned(),
            documents: counts.documents,
            chunks: counts.chunks,
            files: Vec::new(),
        };
        let told = |done, total| tell(Event::Exporting { project: inner.name(), done, total });
        let bytes = sources.bytes + index.bytes;
        let files = sources.found.into_iter().chain(index.found).collect();
        let file_bytes = write(path, files, manifest, scratch.path(), &mut Meter::new(bytes, &told, stop))?;
        Ok(ExportReport {
            path: path.to_owned(),
            documents: counts.documents,
            chunks: counts.chunks,
            bytes,
            file_bytes,
            left_out: sources.left_out.into_iter().chain(index.left_out).collect(),
        })
    })
}

/// Files to be written, by their paths in the archive.
struct Files {
    method: CompressionMethod,
    found: Vec<Wanted>,
    bytes: u64,
    left_out: Vec<String>,
    folded: HashSet<String>,
}

impl Files {
    fn by(method: CompressionMethod) -> Self {
        Self { method, found: Vec::new(), bytes: 0, left_out: Vec::new(), folded: HashSet::new() }
    }

    /// Adds the files of a folder and of those in it, in the order of their names.
    fn collect(&mut self, folder: &Path, prefix: &str) -> Result<(), Error> {
        let entries = fs::read_dir(folder).map_err(Error::io("list", folder))?;
        let mut entries = entries.collect::<io::Result<Vec<_>>>().map_err(Error::io("list", folder))?;
        entries.sort_unstable_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let kind = entry.file_type().map_err(Error::io("read", &path))?;
            let Ok(name) = entry.file_name().into_string() else {
                self.leave_out(&path, "its name is not Unicode");
                continue;
            };
            let name = format!("{prefix}/{name}");
            if is_of_conversations(&name) {
                continue;
            }
            if is_left_out(&name) {
                self.leave_out(&path, "it is damaged or unfinished, and may hold what was deleted");
                continue;
            }
            if kind.is_dir() {
                self.collect(&path, &name)?;
            } else if !kind.is_file() {
                self.leave_out(&path, "it is a link or a device");
            } else if let Some(reason) = refused(&name) {
                self.leave_out(&path, reason);
            } else if !self.folded.insert(folded(&name)) {
                self.leave_out(&path, "another file has this name where case does not count");
            } else {
                let size = entry.metadata().map_err(Error::io("read", &path))?.len();
                self.bytes += size;
                self.found.push(Wanted { name, from: path, size, method: self.method });
            }
        }
        Ok(())
    }

    fn leave_out(&mut self, path: &Path, reason: &str) {
        self.left_out.push(format!("{}: {reason}", path.display()));
    }
}

/// Writes the archive beside its place and puts it there; gives its size.
fn write(
    path: &Path,
    files: Vec<Wanted>,
    mut manifest: Manifest,
    scratch: &Path,
    meter: &mut Meter<'_>,
) -> Result<u64, Error> {
    let beside = Beside::make(path)?;
    let sink = Sink::new(beside.file.try_clone().map_err(Error::io("write", &beside.path))?);
    let failure = Rc::clone(&sink.failure);
    let mut zip = ZipWriter::new(sink);
    let written = || {
        manifest.files = pack(files, &mut zip, &beside.path, scratch, meter)?;
        let json = serde_json::to_vec(&manifest).map_err(io::Error::from);
        let json = json.map_err(Error::io("write", &beside.path))?;
        start(&mut zip, Manifest::NAME, CompressionMethod::Deflated, json.len() as u64)
            .and_then(|()| zip.write_all(&json))
            .map_err(Error::io("write", &beside.path))
    };
    if let Err(error) = written() {
        // What is dropped now writes the end of an archive that nobody wants.
        failure.borrow_mut().give_up();
        return Err(failure.borrow_mut().cause.take().map_or(error, Error::io("write", &beside.path)));
    }
    let finished = zip.finish().map_err(io::Error::from);
    let flushed = finished.and_then(|mut sink| sink.flush());
    match failure.borrow_mut().cause.take() {
        Some(cause) => return Err(Error::io("write", &beside.path)(cause)),
        None => flushed.map_err(Error::io("write", &beside.path))?,
    }
    beside.place(path)
}

/// A file that is being written beside its place; removed if it does not get there.
struct Beside {
    path: PathBuf,
    file: File,
    is_placed: bool,
}

impl Beside {
    fn make(place: &Path) -> Result<Self, Error> {
        let path = unfinished(place);
        let file = File::options().write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(Error::io("write", &path))?;
        // Another export into the same file would write through this one. What a dead one has left is written over.
        if let Err(error @ TryLockError::WouldBlock) = file.try_lock() {
            return Err(Error::io("lock", &path)(error.into()));
        }
        file.set_len(0).map_err(Error::io("write", &path))?;
        Ok(Self { path, file, is_placed: false })
    }

    fn place(mut self, place: &Path) -> Result<u64, Error> {
        let size = self.file.metadata().map_err(Error::io("read", &self.path))?.len();
        self.file.sync_all().map_err(Error::io("write", &self.path))?;
        fs::rename(&self.path, place).map_err(Error::io("put in place", place))?;
        self.is_placed = true;
        sync_folder(place.parent().unwrap_or(Path::new("")))?;
        Ok(size)
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if !self.is_placed {
            // One that stays is written over by the next export into this file.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use zip::ZipArchive;

    use crate::{Engine, Source};

    #[tokio::test]
    async fn what_is_damaged_or_unfinished_stays_behind() {
        let dir = tempfile::tempdir().unwrap();
        let (data, file) = (dir.path().join("data"), dir.path().join("p.tusab"));
        let project = Engine::builder().data_dir(&data).build().unwrap().project("P").await.unwrap();
        project.ingest(Source::text("t", "umbu")).await.unwrap();
        let texts = data.join("neural/p/texts");
        std::fs::write(texts.join("_manifest.damaged-1.json"), "xyzzyplugh").unwrap();
        std::fs::write(data.join("neural/p/notas.md.unfinished"), "xyzzyplugh").unwrap();
        let report = project.export(&file).await.unwrap();
        let left: Vec<_> = report.left_out.iter().filter(|left| left.contains("may hold")).collect();
        assert_eq!(left.len(), 1, "{report:?}");
        let archive = ZipArchive::new(std::fs::File::open(&file).unwrap()).unwrap();
        let names: Vec<String> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
        assert!(names.iter().any(|name| name == "neural/texts/_manifest.json"), "{names:?}");
        assert!(
            !names.iter().any(|name| name.contains("damaged") || name.contains("unfinished")),
            "{names:?}"
        );
    }
}
