//! A file that several threads read at once, each at a place of its own.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;

/// A reader of an open file. Clones read the same file, whatever has its name by now, and do not disturb each other.
#[derive(Debug)]
pub(super) struct Reading(BufReader<At>);

impl Reading {
    pub(super) fn of(file: File) -> Self {
        Self(BufReader::new(At { file: Arc::new(file), position: 0 }))
    }
}

impl Clone for Reading {
    /// A reader that begins at the start of the file.
    fn clone(&self) -> Self {
        Self(BufReader::new(At { file: Arc::clone(&self.0.get_ref().file), position: 0 }))
    }
}

impl Read for Reading {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into)
    }
}

impl Seek for Reading {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

/// A place in a file; the file's own is the same for all who read it.
#[derive(Debug)]
struct At {
    file: Arc<File>,
    position: u64,
}

impl Read for At {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = read_at(&self.file, into, self.position)?;
        self.position += read as u64;
        Ok(read)
    }
}

impl Seek for At {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let reached = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
            SeekFrom::End(by) => self.file.metadata()?.len().checked_add_signed(by),
        };
        self.position = reached.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

#[cfg(unix)]
fn read_at(file: &File, into: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, into, position)
}

#[cfg(windows)]
fn read_at(file: &File, into: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, into, position)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn clones_do_not_move_each_other_and_outlast_the_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        File::create(&path).unwrap().write_all(b"0123456789").unwrap();
        let mut one = Reading::of(File::open(&path).unwrap());
        let mut two = one.clone();
        std::fs::remove_file(&path).unwrap();
        let mut byte = [0];
        one.seek(SeekFrom::End(-2)).unwrap();
        for expected in [b"80", b"91"] {
            for (reader, expected) in [&mut one, &mut two].into_iter().zip(expected) {
                reader.read_exact(&mut byte).unwrap();
                assert_eq!(byte[0], *expected);
            }
        }
        assert_eq!(one.read(&mut byte).unwrap(), 0);
        assert!(one.seek(SeekFrom::Current(-11)).is_err());
    }
}
