//! Compressing by several threads: each packs files into a part of the archive, and the caller's thread puts the parts
//! together as they come. The archive is the same as one thread would write, save for the order of its files.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::manifest::FileEntry;
use super::meter::Meter;
use super::sink::Sink;
use super::{BLOCK, hash};
use crate::Error;

/// Level of both compressors: text gains little from a higher one, and the time of an export is theirs.
const LEVEL: i64 = 1;

/// Files from this size on are written in the form for more than 4 GiB, into which they may grow by compressing.
const LARGE: u64 = 2 << 30;

/// Threads that compress, at most: more would wait for the disk.
const THREADS: usize = 4;

/// Small files are packed together until they have so many bytes; a file of twice as many has a part of its own, which
/// is packed on the disk, and not in the memory.
const PART: u64 = 4 << 20;

/// A file to be packed.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    /// Its path in the archive.
    pub(super) name: String,
    pub(super) from: PathBuf,
    pub(super) size: u64,
    pub(super) method: CompressionMethod,
}

/// What is packed into one part.
#[derive(Debug, Default)]
struct Task {
    files: Vec<(usize, Wanted)>,
    size: u64,
}

/// A part of the archive: a whole one by itself.
struct Part {
    entries: Vec<(usize, FileEntry)>,
    archive: Packed,
}

enum Packed {
    InMemory(Vec<u8>),
    OnDisk(File),
}

/// Packs files into the archive, in no particular order; gives what its list says of them, in theirs. Large ones are
/// packed in `scratch` first.
pub(super) fn pack(
    wanted: Vec<Wanted>,
    zip: &mut ZipWriter<Sink>,
    archive: &Path,
    scratch: &Path,
    meter: &mut Meter<'_>,
) -> Result<Vec<FileEntry>, Error> {
    let tasks = tasks(wanted);
    let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS).min(tasks.len()).max(1);
    let shared = Shared {
        tasks: Mutex::new(tasks),
        done: AtomicUsize::new(0),
        is_over: AtomicBool::new(false),
        scratch: scratch.to_owned(),
    };
    thread::scope(|scope| {
        let (parts, packed) = sync_channel(threads);
        let (beats, ticks) = channel();
        for number in 0..threads {
            let (shared, parts, beats) = (&shared, parts.clone(), beats.clone());
            let worker = move || shared.work(&parts, &beats);
            // Fewer threads do as well, and one has to be there.
            if let Err(source) = thread::Builder::new().spawn_scoped(scope, worker)
                && number == 0
            {
                return Err(Error::io("compress", archive)(source));
            }
        }
        drop((parts, beats));
        let gathered = gather(&shared, &packed, &ticks, zip, archive, meter);
        shared.is_over.store(true, Ordering::Relaxed);
        gathered
    })
}

/// The files in parts, the largest first, so that no thread is left with it at the end.
fn tasks(wanted: Vec<Wanted>) -> VecDeque<Task> {
    let (mut tasks, mut small) = (Vec::new(), Task::default());
    for (number, file) in wanted.into_iter().enumerate() {
        let size = file.size;
        if size >= 2 * PART {
            tasks.push(Task { files: vec![(number, file)], size });
            continue;
        }
        small.size += size;
        small.files.push((number, file));
        if small.size >= PART {
            tasks.push(std::mem::take(&mut small));
        }
    }
    tasks.push(small);
    tasks.sort_by_key(|task| std::cmp::Reverse(task.size));
    tasks.into()
}

/// Puts parts into the archive until there are no more.
fn gather(
    shared: &Shared,
    packed: &Receiver<Result<Part, Error>>,
    ticks: &Receiver<()>,
    zip: &mut ZipWriter<Sink>,
    archive: &Path,
    meter: &mut Meter<'_>,
) -> Result<Vec<FileEntry>, Error> {
    let mut entries = Vec::new();
    let mut is_on = true;
    while is_on {
        // Ends when the last thread does, which may have left something.
        is_on = ticks.recv().is_ok();
        meter.add(shared.done.swap(0, Ordering::Relaxed))?;
        while let Ok(part) = packed.try_recv() {
            let part = part?;
            entries.extend(part.entries);
            let merged = match part.archive {
                Packed::InMemory(bytes) => merge(zip, Cursor::new(bytes)),
                Packed::OnDisk(file) => merge(zip, file),
            };
            merged.map_err(Error::io("write", archive))?;
        }
    }
    entries.sort_unstable_by_key(|(number, _)| *number);
    Ok(entries.into_iter().map(|(_, entry)| entry).collect())
}

fn merge(zip: &mut ZipWriter<Sink>, part: impl Read + Seek) -> io::Result<()> {
    Ok(zip.merge_archive(ZipArchive::new(part)?)?)
}

/// What the threads share.
struct Shared {
    tasks: Mutex<VecDeque<Task>>,
    /// Bytes that were read since somebody looked.
    done: AtomicUsize,
    is_over: AtomicBool,
    scratch: PathBuf,
}

impl Shared {
    /// Packs parts until none is left, or nobody wants them any more.
    fn work(&self, parts: &SyncSender<Result<Part, Error>>, beats: &Sender<()>) {
        let mut block = vec![0; BLOCK];
        loop {
            let task = self.tasks.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(task) = task else { return };
            let part = if task.size >= 2 * PART {
                self.on_disk(task, &mut block, beats)
            } else {
                self.in_memory(task, &mut block, beats)
            };
            let is_last = part.is_err();
            // Whoever has gone wants no more.
            if parts.send(part).is_err() || beats.send(()).is_err() || is_last {
                return;
            }
        }
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    fn in_memory(&self, task: Task, block: &mut [u8], beats: &Sender<()>) -> Result<Part, Error> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let entries = self.add_all(task, &mut zip, &self.scratch, block, beats)?;
        let whole = zip.finish().map_err(io::Error::from).map_err(Error::io("compress", &self.scratch))?;
        Ok(Part { entries, archive: Packed::InMemory(whole.into_inner()) })
    }

    fn on_disk(&self, task: Task, block: &mut [u8], beats: &Sender<()>) -> Result<Part, Error> {
        let number = task.files.first().map_or(0, |(number, _)| *number);
        let path = self.scratch.join(format!("part-{number}"));
        let file = File::options().read(true).write(true).create_new(true).open(&path);
        let file = file.map_err(Error::io("write", &path))?;
        let sink = Sink::new(file.try_clone().map_err(Error::io("write", &path))?);
        let failure = Rc::clone(&sink.failure);
        let mut zip = ZipWriter::new(sink);
        let added = self.add_all(task, &mut zip, &path, block, beats);
        if added.is_err() {
            failure.borrow_mut().give_up();
        }
        let flushed = zip.finish().map_err(io::Error::from).and_then(|mut sink| sink.flush());
        if let Some(cause) = failure.borrow_mut().cause.take() {
            return Err(Error::io("write", &path)(cause));
        }
        let entries = added?;
        flushed.map_err(Error::io("write", &path))?;
        Ok(Part { entries, archive: Packed::OnDisk(file) })
    }

    fn add_all<W: Write + Seek>(
        &self,
        task: Task,
        zip: &mut ZipWriter<W>,
        place: &Path,
        block: &mut [u8],
        beats: &Sender<()>,
    ) -> Result<Vec<(usize, FileEntry)>, Error> {
        let add = |(number, wanted)| Ok((number, self.add(wanted, zip, place, block, beats)?));
        task.files.into_iter().map(add).collect()
    }

    fn add<W: Write + Seek>(
        &self,
        wanted: Wanted,
        zip: &mut ZipWriter<W>,
        place: &Path,
        block: &mut [u8],
        beats: &Sender<()>,
    ) -> Result<FileEntry, Error> {
        let Wanted { name, from, size: expected, method } = wanted;
        let mut file = File::open(&from).map_err(Error::io("read", &from))?;
        start(zip, &name, method, expected).map_err(Error::io("write", place))?;
        let (mut size, mut hash) = (0, hash());
        loop {
            let read = file.read(block).map_err(Error::io("read", &from))?;
            let Some(bytes) = block.get(..read).filter(|bytes| !bytes.is_empty()) else { break };
            if self.is_over() {
                return Err(Error::Cancelled);
            }
            hash.update(bytes);
            zip.write_all(bytes).map_err(Error::io("write", place))?;
            size += read as u64;
            self.done.fetch_add(read, Ordering::Relaxed);
            // Nobody listens when all is over.
            let _ = beats.send(());
        }
        Ok(FileEntry { path: name, size, hash: hash.finalize().to_hex().to_string() })
    }
}

/// Begins a file of the archive.
pub(super) fn start<W: Write + Seek>(
    zip: &mut ZipWriter<W>,
    name: &str,
    method: CompressionMethod,
    size: u64,
) -> io::Result<()> {
    let options = SimpleFileOptions::default()
        .compression_method(method)
        .compression_level(Some(LEVEL))
        .last_modified_time(zip::DateTime::default())
        .unix_permissions(0o644)
        .large_file(size >= LARGE);
    zip.start_file(name, options).map_err(io::Error::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(sizes: &[u64]) -> Vec<Wanted> {
        let file = |(number, size): (usize, &u64)| Wanted {
            name: format!("neural/{number}"),
            from: PathBuf::new(),
            size: *size,
            method: CompressionMethod::Deflated,
        };
        sizes.iter().enumerate().map(file).collect()
    }

    #[test]
    fn every_file_is_in_one_part_and_the_largest_come_first() {
        let sizes = [1, 3 * PART, PART / 2, PART / 2, 0, 20 * PART, PART + 1, 7];
        let tasks = tasks(wanted(&sizes));
        let mut seen: Vec<usize> = tasks.iter().flat_map(|it| &it.files).map(|(number, _)| *number).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..sizes.len()).collect::<Vec<_>>());
        assert!(tasks.iter().zip(tasks.iter().skip(1)).all(|(one, next)| one.size >= next.size));
        // What is packed in the memory is bounded.
        for task in &tasks {
            assert!(task.files.len() == 1 || task.size < 3 * PART, "{task:?}");
        }
    }

    #[test]
    fn the_parts_make_one_archive_with_every_byte() {
        let dir = tempfile::tempdir().unwrap();
        let file = |number: usize, size: usize| {
            let from = dir.path().join(format!("f{number}"));
            let pattern: Vec<u8> = (0..=250).map(|byte| byte ^ u8::try_from(number).unwrap()).collect();
            let bytes: Vec<u8> = pattern.iter().copied().cycle().take(size).collect();
            std::fs::write(&from, &bytes).unwrap();
            let method =
                if number.is_multiple_of(2) { CompressionMethod::Deflated } else { CompressionMethod::Zstd };
            (Wanted { name: format!("neural/f{number}"), from, size: size as u64, method }, bytes)
        };
        let part = usize::try_from(PART).unwrap();
        let sizes = [10, 2 * part, 2 * part + 1, 0, part / 2, part - 1, 99];
        let files: Vec<_> = sizes.iter().enumerate().map(|(number, size)| file(number, *size)).collect();
        let path = dir.path().join("archive");
        let sink = Sink::new(File::create(&path).unwrap());
        let mut zip = ZipWriter::new(sink);
        let total = sizes.iter().map(|size| *size as u64).sum();
        let told = std::cell::Cell::new(0);
        let tell = |done, _| told.set(done);
        let mut meter = Meter::new(total, &tell, &|| false);
        let wanted: Vec<Wanted> = files.iter().map(|(wanted, _)| wanted.clone()).collect();
        let entries = pack(wanted, &mut zip, &path, dir.path(), &mut meter).unwrap();
        // A file of its own goes on after them, as the list does.
        start(&mut zip, "last", CompressionMethod::Deflated, 4).unwrap();
        zip.write_all(b"fim!").unwrap();
        zip.finish().unwrap().flush().unwrap();
        assert_eq!(told.get(), total);
        let mut archive = ZipArchive::new(File::open(&path).unwrap()).unwrap();
        assert_eq!(archive.len(), sizes.len() + 1);
        for (entry, (wanted, bytes)) in entries.iter().zip(&files) {
            assert_eq!((&entry.path, entry.size), (&wanted.name, bytes.len() as u64));
            let mut read = Vec::new();
            archive.by_name(&entry.path).unwrap().read_to_end(&mut read).unwrap();
            assert!(read == *bytes, "{}", entry.path);
            let mut hash = hash();
            hash.update(bytes);
            assert_eq!(hash.finalize().to_hex().as_str(), entry.hash);
        }
        let mut last = String::new();
        archive.by_name("last").unwrap().read_to_string(&mut last).unwrap();
        assert_eq!(last, "fim!");
    }

    #[test]
    fn a_stop_or_a_file_that_is_gone_ends_all_threads() {
        let dir = tempfile::tempdir().unwrap();
        let from = dir.path().join("f");
        std::fs::write(&from, vec![7; 5 << 20]).unwrap();
        let files = |from: &Path| -> Vec<Wanted> {
            let mut files = wanted(&[5 << 20; 40]);
            for file in &mut files {
                from.clone_into(&mut file.from);
            }
            files
        };
        let run = |from: &Path, stop: &dyn Fn() -> bool| {
            let path = dir.path().join("archive");
            let mut zip = ZipWriter::new(Sink::new(File::create(&path).unwrap()));
            let mut meter = Meter::new(200 << 20, &|_, _| {}, stop);
            pack(files(from), &mut zip, &path, dir.path(), &mut meter)
        };
        let asked = std::cell::Cell::new(0);
        let stopped = run(&from, &|| asked.replace(asked.get() + 1) == 5);
        assert!(matches!(stopped, Err(Error::Cancelled)), "{stopped:?}");
        let gone = run(&dir.path().join("gone"), &|| false);
        assert!(matches!(&gone, Err(Error::Io { action: "read", .. })), "{gone:?}");
    }
}
