//! An index in a folder that may not be written: on a disk that is read-only, as a real one is.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests fail by panicking"
)]
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tusab_chunk::{Body, Chunker, Document, Windows};
use tusab_index::{Batch, ChunkStore, ContentHash, Control, DocumentRecord, Error, Index, Query, Retriever};

/// A small file system of its own, for as long as this lives.
struct Disk(tempfile::TempDir);

impl Disk {
    /// None where nothing can be mounted, which takes root; the test then says that it skips.
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=32m", "tmpfs"]).arg(folder.path()).stderr(Stdio::null());
        let mounted = mount.status().is_ok_and(|status| status.success());
        if !mounted {
            println!("skipped: a file system of its own cannot be mounted here (it needs root)");
        }
        mounted.then_some(Self(folder))
    }

    fn set(&self, option: &str) {
        let options = format!("remount,{option}");
        assert!(Command::new("mount").args(["-o", &options]).arg(self.0.path()).status().unwrap().success());
    }

    /// A folder with every character that a name may have.
    fn index(&self) -> PathBuf {
        self.0.path().join("índice % de 100?x#y 🎬")
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

fn put(index: &Index, id: &str, text: &str) -> Result<(), Error> {
    let document = Document::new(id.parse().unwrap(), id, Body::Text(text.into()));
    let mut batch = Batch::new();
    let record = DocumentRecord::new(&document, ContentHash::of(1, text.as_bytes()));
    batch.upsert(record, Windows::default().chunks(&document));
    index.apply(&batch, Control::default()).map(drop)
}

fn finds(index: &Index, word: &str) -> usize {
    index.retrieve(&Query::new(word)).unwrap().hits.len()
}

fn copy(from: &Path, to: &Path, without: &str) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() {
            copy(&path, &to.join(name), without);
        } else if !name.to_string_lossy().ends_with(without) {
            fs::copy(path, to.join(name)).unwrap();
        }
    }
}

#[test]
fn it_is_read_however_the_last_writer_ended() {
    let Some(disk) = Disk::mount() else { return };
    let (closed, open, moved) = (disk.index(), disk.0.path().join("open"), disk.0.path().join("moved"));
    let index = Index::open(&closed).unwrap().index;
    put(&index, "text:a", "jabuticaba madura").unwrap();
    put(&index, "text:b", "graviola").unwrap();
    // As a process that is killed leaves it, with the log; and a copy of that, without the file of shared memory.
    copy(&closed, &open, "no file");
    copy(&closed, &moved, "-shm");
    assert!(fs::metadata(moved.join("store.sqlite-wal")).unwrap().len() > 0);
    // And one that has nothing beside the store, as SQLite leaves it when it can.
    index.compact().unwrap();
    drop(index);
    for end in ["-wal", "-shm"] {
        let path = closed.join(format!("store.sqlite{end}"));
        assert!(end == "-shm" || fs::metadata(&path).map_or(0, |metadata| metadata.len()) == 0);
        let _ = fs::remove_file(path);
    }
    disk.set("ro");
    for folder in [&closed, &open, &moved] {
        let opened = Index::open(folder).unwrap();
        assert!(!opened.is_behind && opened.repairs.is_empty(), "{}", folder.display());
        let index = opened.index;
        for _ in 0..2 {
            assert_eq!(
                (finds(&index, "jabuticaba"), finds(&index, "graviola")),
                (1, 1),
                "{}",
                folder.display()
            );
        }
        let refused = put(&index, "text:c", "pitanga").unwrap_err();
        assert!(refused.is_read_only() && !refused.is_locked(), "{refused:?}");
    }
    // One that was open goes on when the disk may be written again, and sees what others write.
    let index = Index::open(&closed).unwrap().index;
    assert_eq!(finds(&index, "pitanga"), 0);
    disk.set("rw");
    put(&Index::open(&closed).unwrap().index, "text:c", "pitanga").unwrap();
    assert_eq!(finds(&index, "pitanga"), 1);
    put(&index, "text:d", "cajá").unwrap();
    assert_eq!((finds(&index, "cajá"), finds(&index, "graviola")), (1, 1));
}

#[test]
fn what_has_to_be_mended_first_is_said() {
    let Some(disk) = Disk::mount() else { return };
    let (index, old) = (disk.index(), disk.0.path().join("old"));
    let open = Index::open(&index).unwrap().index;
    put(&open, "text:a", "jabuticaba madura").unwrap();
    copy(&index.join("bm25"), &old, "lock");
    put(&open, "text:b", "graviola").unwrap();
    drop(open);
    // As after a crash between the two commits.
    fs::remove_dir_all(index.join("bm25")).unwrap();
    fs::rename(old, index.join("bm25")).unwrap();
    disk.set("ro");
    let opened = Index::open(&index).unwrap();
    assert!(opened.is_behind);
    assert_eq!((finds(&opened.index, "jabuticaba"), finds(&opened.index, "graviola")), (1, 0));
    drop(opened);
    disk.set("rw");
    fs::remove_dir_all(index.join("bm25")).unwrap();
    disk.set("ro");
    let error = Index::open(&index).unwrap_err();
    assert!(matches!(&error, Error::NotMended { .. }) && error.is_read_only(), "{error:?}");
    assert!(error.to_string().contains("may be written"), "{error}");
    assert!(Index::open(&disk.0.path().join("none")).unwrap_err().is_read_only());
    disk.set("rw");
    assert_eq!(finds(&Index::open(&index).unwrap().index, "graviola"), 1);
}
