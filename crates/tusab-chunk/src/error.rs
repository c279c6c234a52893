use crate::{Chars, ChunkList, DateTime, MediaTime, Units};

/// What can be wrong in what a caller builds; windowing itself cannot fail.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A window must be longer than its overlap, or it would never advance.
    #[error("overlap of {overlap} is not shorter than the window of {size}: choose a smaller overlap")]
    OverlapTooLong {
        /// Asked size of a window.
        size: Chars,
        /// Asked overlap.
        overlap: Chars,
    },
    /// A window must measure more than its overlap, or it would never advance.
    #[error("overlap of {overlap} is not shorter than the window of {size}: choose a smaller overlap")]
    UnitOverlapTooLong {
        /// Asked size of a window.
        size: Units,
        /// Asked overlap.
        overlap: Units,
    },
    /// A time window must be longer than its overlap, or it would never advance.
    #[error("overlap of {overlap} is not shorter than the window of {length}: choose a smaller overlap")]
    TimeOverlapTooLong {
        /// Asked length of a window.
        length: MediaTime,
        /// Asked overlap.
        overlap: MediaTime,
    },
    /// A bound of zero would hold nothing.
    #[error("a chunk must be allowed at least one character or unit: choose a greater size")]
    ZeroBound,
    /// A span ends before it starts.
    #[error("time span ends at {end}, before its start at {start}")]
    ReversedSpan {
        /// Start of the refused span.
        start: MediaTime,
        /// End of the refused span.
        end: MediaTime,
    },
    /// A stretch of local time ends before it starts.
    #[error("stretch of time ends at {end}, before its start at {start}")]
    ReversedDates {
        /// Start of the refused stretch.
        start: DateTime,
        /// End of the refused stretch.
        end: DateTime,
    },
    /// The text is not a document id.
    #[error(
        "{text:?} is not a document id: expected `youtube:`, `file:` or `text:` and 1 to 64 letters, digits, `-` or `_`"
    )]
    BadDocId {
        /// The refused text.
        text: String,
    },
    /// The text is not a chunk id.
    #[error("{text:?} is not a chunk id: expected 32 hexadecimal digits")]
    BadChunkId {
        /// The refused text.
        text: String,
    },
    /// The text is not a language tag.
    #[error("{text:?} is not a language tag: expected one such as `pt`, `pt-BR` or `en-US`")]
    BadLanguage {
        /// The refused text.
        text: String,
    },
    /// The text is not a calendar date.
    #[error("{text:?} is not a date: expected YYYY-MM-DD")]
    BadDate {
        /// The refused text.
        text: String,
    },
    /// The text is not a date with a time of day.
    #[error("{text:?} is not a date and time: expected YYYY-MM-DDTHH:MM:SS")]
    BadDateTime {
        /// The refused text.
        text: String,
    },
    /// What was read is no list of chunks.
    #[error("{format:?} is not a list of chunks: expected the format `{}`", ChunkList::FORMAT)]
    UnknownFormat {
        /// The format that it says it has.
        format: String,
    },
    /// A list of chunks is of a version that this release does not read.
    #[error(
        "a list of chunks of version {version} cannot be read, only versions 1 to {latest}: update, or make the list again"
    )]
    UnknownVersion {
        /// The version that the list says it has.
        version: u32,
        /// The latest version that can be read.
        latest: u32,
    },
    /// Offsets of a span contradict each other.
    #[error("text span is inconsistent: {reason}")]
    BadTextSpan {
        /// Which rule is broken.
        reason: &'static str,
    },
}
