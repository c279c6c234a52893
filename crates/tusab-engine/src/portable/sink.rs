//! The file that an archive is written into.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::rc::Rc;

use super::BLOCK;

/// A file that keeps the reason of its first failure, and from then on takes everything without writing it: the writer
/// of the archive ends it when it is dropped, and complains on the standard error if it cannot.
pub(super) struct Sink {
    file: BufWriter<File>,
    position: u64,
    pub(super) failure: Rc<RefCell<Failure>>,
}

/// The first failure of a file.
#[derive(Default)]
pub(super) struct Failure {
    is_over: bool,
    pub(super) cause: Option<io::Error>,
}

impl Failure {
    /// From now on nothing is written any more.
    pub(super) fn give_up(&mut self) {
        self.is_over = true;
    }
}

impl Sink {
    pub(super) fn new(file: File) -> Self {
        Self { file: BufWriter::with_capacity(BLOCK, file), position: 0, failure: Rc::default() }
    }

    fn unless_over<T>(&mut self, idle: T, act: impl FnOnce(&mut Self) -> io::Result<T>) -> io::Result<T> {
        if self.failure.borrow().is_over {
            return Ok(idle);
        }
        act(self).map_err(|cause| {
            let told = io::Error::new(cause.kind(), cause.to_string());
            *self.failure.borrow_mut() = Failure { is_over: true, cause: Some(cause) };
            told
        })
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.unless_over(bytes.len(), |sink| sink.file.write(bytes))?;
        self.position += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_over((), |sink| sink.file.flush())
    }
}

impl Seek for Sink {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        // The writer of the archive asks where it is when it is dropped, and panics when that lies before where it was: also
        // of a file that takes nothing any more it is told what it asked for.
        let asked = match to {
            SeekFrom::Start(position) => position,
            SeekFrom::Current(by) => self.position.saturating_add_signed(by),
            SeekFrom::End(_) => self.position,
        };
        let reached = self.unless_over(asked, |sink| sink.file.seek(to));
        self.position = *reached.as_ref().unwrap_or(&asked);
        reached
    }
}
