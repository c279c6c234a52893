use tusab_chunk::ByteOffset;

use crate::{BinaryKind, Format, Limit, OldOffice};

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
    /// The text holds no line of times such as SRT has.
    #[error(
        "this is not SRT: it has not a single line such as 00:00:01,000 --> 00:00:02,000; \
         fetch the captions again, or rename the file if it is a text"
    )]
    NotSrt,
    /// The text is not YouTube's json3.
    #[error("this is not json3, YouTube's captions as JSON: fetch the captions again")]
    NotJson3 {
        /// What the JSON parser says, with line and column.
        #[source]
        source: serde_json::Error,
    },
    /// The text is not YouTube's timed text.
    #[error("this is not YouTube's timed text: it starts with neither <transcript> nor <timedtext>")]
    NotTimedText,
    /// The text is not TTML.
    #[error("this is not TTML: its first element is not <tt>; fetch the captions again")]
    NotTtml,
    /// The text holds no message of a chat.
    #[error(
        "this is not a chat exported from WhatsApp: no line starts with a date and a time, as in \
         `12/03/24, 14:32 - Ana: hi`"
    )]
    NotWhatsApp,
    /// In the text no one is said to speak.
    #[error(
        "this is not a transcript of a meeting: no line says who speaks, as in `Ana Lima  0:12` or `Ana Lima: hi`"
    )]
    NotMeeting,
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
    /// The document is over a limit of [`DocumentLimits`](crate::DocumentLimits).
    #[error("the document is over the limit of {limit}: split it, or raise that limit")]
    TooLarge {
        /// The limit, with its value.
        limit: Limit,
    },
    /// A document cannot be read: it is cut, or not what it says it is.
    #[error(
        "this {format} file is damaged{}: open it in the program that made it, save it again and give that",
        part.as_deref().map(|part| format!(" (in {part})")).unwrap_or_default()
    )]
    Damaged {
        /// What it says it is.
        format: Format,
        /// The part of it that cannot be read, where it has parts.
        part: Option<String>,
        /// What its parser says.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// An Office document whose XML declares entities, by which a small file may grow without end or name other files.
    #[error("this {format} file declares entities (in {part}), as no program of Office does: refused")]
    DeclaredEntities {
        /// What it says it is.
        format: Format,
        /// The part that declares them.
        part: String,
    },
    /// An Office document that opens only with a password.
    #[error("this Office document is protected by a password: save a copy without one and give that")]
    EncryptedOffice,
    /// A PDF that opens only with a password.
    #[error("this PDF is protected by a password: save a copy without one and give that")]
    EncryptedPdf,
    /// An Office document in a format of before 2007, or in Excel's binary one.
    #[error("this is {program}, which cannot be read: {}", program.remedy())]
    OldOffice {
        /// The program that writes such files.
        program: OldOffice,
    },
    /// A PDF whose pages are pictures.
    #[error(
        "the {pages} pages of this PDF are pictures without text, as a scanner makes them: run text recognition (OCR) on it and give the result"
    )]
    ScannedPdf {
        /// How many pages it has.
        pages: usize,
    },
    /// A document in which nothing is written.
    #[error("this {format} file holds no text")]
    NoText {
        /// Its format.
        format: Format,
    },
    /// Pages that do not start one after another.
    #[error("pages must start one after another, the first at 0")]
    BadPages,
    /// This build of the crate cannot read the format.
    #[error(
        "{format} cannot be read: this program was built without the feature `{feature}` of tusab-ingest"
    )]
    NotBuilt {
        /// The format.
        format: Format,
        /// The feature that reads it.
        feature: &'static str,
    },
    /// The text is not the id of a YouTube video.
    #[error("{text:?} is not the id of a YouTube video: expected eleven letters, digits, `-` or `_`")]
    BadVideoId {
        /// The refused text.
        text: String,
    },
    /// The text is not the id of a playlist that can be listed.
    #[error(
        "{text:?} is not the id of a playlist: expected 10 to 50 letters, digits, `-` or `_`; a mix (RD...) has no end, \
         and a channel (UC...) is none"
    )]
    BadPlaylistId {
        /// The refused text.
        text: String,
    },
    /// The address is not one of YouTube that can be taken in.
    #[error("{url:?} is not accepted: {problem}")]
    BadYouTubeUrl {
        /// The refused address, its start at least.
        url: String,
        /// What is wrong with it.
        problem: crate::UrlProblem,
    },
    /// The address of a page cannot be handed to yt-dlp.
    #[error("{url:?} is not accepted: expected http:// or https:// and a host, without a name and password")]
    BadPageUrl {
        /// The refused address, its start at least.
        url: String,
    },
    /// There is no such browser, or yt-dlp cannot read its cookies.
    #[error(
        "{name:?} is no browser that yt-dlp knows: brave, chrome, chromium, edge, firefox, opera, safari, vivaldi or whale"
    )]
    UnknownBrowser {
        /// The refused name.
        name: String,
    },
    /// A program that is needed could not be run to its end.
    #[error(transparent)]
    Command {
        /// Why.
        #[from]
        source: crate::CommandError,
    },
    /// The folder for temporary files cannot be used.
    #[error("the folder for temporary files {} cannot be used: free space, or choose another", path.display())]
    Scratch {
        /// The folder.
        path: std::path::PathBuf,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
}
