use tusab_chunk::ByteOffset;

use crate::BinaryKind;

/// Why an input cannot be read at all. The caller knows the file's name and adds it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing to read: no bytes, or white space alone.
    #[error("the file is empty")]
    Empty,
    /// The bytes are not text.
    #[error("this is {kind}, not text: {}", kind.remedy())]
    Binary {
        /// What the bytes look like.
        kind: BinaryKind,
    },
    /// The bytes are text in no encoding that can be told for certain.
    #[error("the text is not UTF-8 (byte {}): save it as UTF-8 and try again", offset.0)]
    NotUtf8 {
        /// The first byte that UTF-8 does not allow, from the start of the file.
        offset: ByteOffset,
    },
    /// The byte order mark says UTF-16, the bytes after it are not.
    #[error("the text is marked as UTF-16 and is not (byte {}): save it as UTF-8 and try again", offset.0)]
    NotUtf16 {
        /// The first code unit that UTF-16 does not allow, from the start of the file.
        offset: ByteOffset,
    },
    /// The text has neither a WebVTT header nor a cue.
    #[error(
        "this is not WebVTT: it has neither the first line WEBVTT nor a single cue; \
         fetch the captions again, or rename the file if it is a text"
    )]
    NotWebVtt,
    /// The file describes a video; it is read together with the captions beside it.
    #[error("this file describes a video and says nothing of what is spoken: give the captions beside it")]
    VideoInfo,
    /// A video's metadata is not the JSON object that yt-dlp writes.
    #[error("the video's metadata cannot be read as JSON: fetch it again")]
    NotVideoInfo {
        /// What the JSON parser says, with line and column.
        #[source]
        source: serde_json::Error,
    },
    /// The text is not the id of a YouTube video.
    #[error("{text:?} is not the id of a YouTube video: expected eleven letters, digits, `-` or `_`")]
    BadVideoId {
        /// The refused text.
        text: String,
    },
}
