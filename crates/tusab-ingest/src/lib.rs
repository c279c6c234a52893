#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(test)]
mod api;
mod captions;
mod chat;
mod decode;
mod documents;
mod error;
mod format;
mod meeting;
mod parsed;
mod process;
mod source;
mod text;
mod ytdlp;

pub use captions::{
    CaptionOptions, Captions, Cue, Note, NoteKind, Notes, TrackKind, Word, parse_json3, parse_srt,
    parse_timed_text, parse_ttml, parse_webvtt,
};
pub use chat::{Chat, ChatOptions, DateEvidence, DateOrder, Message, MessageKind, parse_whatsapp};
pub use decode::{BinaryKind, Decoded, Encoding, decode};
pub use documents::{ByteCount, DocumentLimits, Limit, OldOffice, PageNumber, Pages};
pub use error::Error;
pub use format::Format;
pub use meeting::{Meeting, MeetingTurn, Platform, parse_meeting};
pub use parsed::{Parsed, Problem, Warning};
pub use process::{CommandError, CommandLine, CommandRunner, Exit, Output, SystemRunner};
pub use source::{Content, Options, Source, parse};
pub use text::{Markdown, parse_markdown};
pub use ytdlp::{
    AutomaticTrack, Browser, CaptionFile, CaptionFileName, ChannelName, ChannelPart, ChannelTab, Cookies,
    Doctor, Fetched, Job, JobList, JobOptions, JobVideo, ListOutcome, ListState, ListedVideo, Listing, Next,
    Outcome, Pace, Pacing, PageUrl, PlaylistId, Probe, ProbeState, Progress, Retry, RuntimeKind, Step, Stop,
    Track, UnixTime, UrlProblem, VideoId, VideoInfo, Wanted, YouTubeUrl, YtDlp, YtDlpOptions,
    parse_video_info, probe_runtime, probe_yt_dlp,
};
