use std::cell::Cell;
use std::fs;

use super::QueueId;
use super::file::QueueFile;
use crate::storage::{ProjectDirs, Stamp};

/// Looks whether another process wants a source to be taken in no more: at the queue on the disk, which is read only when it
/// was written since.
pub(super) struct Watch<'d> {
    dirs: &'d ProjectDirs,
    id: QueueId,
    /// The file as it was when it was read last.
    seen: Cell<Option<Stamp>>,
    is_over: Cell<bool>,
}

impl<'d> Watch<'d> {
    pub(super) fn of(dirs: &'d ProjectDirs, id: QueueId) -> Self {
        Self { dirs, id, seen: Cell::new(None), is_over: Cell::new(false) }
    }

    /// True once the source was cancelled or the queue paused.
    pub(super) fn is_over(&self) -> bool {
        if self.is_over.get() {
            return true;
        }
        let now = fs::metadata(QueueFile::path(self.dirs)).ok().as_ref().and_then(Stamp::of);
        if now.is_some() && now == self.seen.get() {
            return false;
        }
        self.seen.set(now);
        // One that cannot be read is told when it is the next source's turn.
        let over = QueueFile::read(self.dirs)
            .is_ok_and(|queue| queue.is_paused() || !queue.items().iter().any(|item| item.id == self.id));
        self.is_over.set(over);
        over
    }
}
