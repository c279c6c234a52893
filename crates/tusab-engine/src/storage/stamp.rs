use std::fs::Metadata;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

/// File systems tell two times apart that lie further apart than this; FAT is the coarsest.
const GRAIN: Duration = Duration::from_secs(3);

/// Size and time of change of a file: equal ones say that it was not written since, without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    /// In bytes.
    size: u64,
    /// In nanoseconds since 1970.
    modified: i64,
}

impl Stamp {
    /// The stamp of a file; none where the file system does not say when it was changed.
    pub(crate) fn of(metadata: &Metadata) -> Option<Self> {
        let modified = metadata.modified().ok()?;
        let nanoseconds = match modified.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_nanos()).ok()?,
            Err(before) => -i64::try_from(before.duration().as_nanos()).ok()?,
        };
        Some(Self { size: metadata.len(), modified: nanoseconds })
    }

    /// The stamp of a file that was read after `metadata` was; none when it could be written again at the same time by
    /// the file system's clock, so that the stamp would not show it. Nor is there one while the clock is behind.
    pub(crate) fn settled(metadata: &Metadata) -> Option<Self> {
        let age = SystemTime::now().duration_since(metadata.modified().ok()?).ok()?;
        if age > GRAIN { Self::of(metadata) } else { None }
    }
}
