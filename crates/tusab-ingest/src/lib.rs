#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod captions;
mod decode;
mod error;
mod format;
mod parsed;
mod source;
mod text;
mod ytdlp;

pub use captions::{CaptionOptions, Captions, Cue, Note, NoteKind, Notes, TrackKind, Word, parse_webvtt};
pub use decode::{BinaryKind, Decoded, Encoding, decode};
pub use error::Error;
pub use format::Format;
pub use parsed::{Parsed, Problem, Warning};
pub use source::{Content, Options, Source, parse};
pub use text::{Markdown, parse_markdown};
pub use ytdlp::{AutomaticTrack, CaptionFileName, VideoId, VideoInfo, parse_video_info};
