use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Why the engine could not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused a file operation.
    #[error("cannot {action} {path}: check that it exists, that it may be written and that the disk has room", path = path.display())]
    Io {
        /// What was tried, as a verb: `read`, `write`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// There is no such file.
    #[error("{path} does not exist: check the name", path = path.display())]
    NoSuchFile {
        /// The path as given.
        path: PathBuf,
    },
    /// A folder was given where a file is needed.
    #[error("{path} is a folder: name the files in it", path = path.display())]
    IsFolder {
        /// The path as given.
        path: PathBuf,
    },
    /// The path is neither a file nor a folder.
    #[error("{path} is not a regular file: give a file", path = path.display())]
    NotAFile {
        /// The path as given.
        path: PathBuf,
    },
    /// A source is larger than is taken.
    #[error("{name} has {bytes} bytes, more than the {limit} that are taken: split it")]
    TooLarge {
        /// The source.
        name: String,
        /// Its size.
        bytes: u64,
        /// The largest size that is taken.
        limit: u64,
    },
    /// A source was read but not understood.
    #[error("{name} could not be taken in")]
    Source {
        /// The source.
        name: String,
        /// What is wrong with it, and what to do.
        #[source]
        source: tusab_ingest::Error,
    },
    /// A path that is no text cannot be kept for later.
    #[error("the name of {path} is no text, so that it cannot be kept for later: take it in at once, or rename it", path = path.display())]
    PathNotText {
        /// The path.
        path: PathBuf,
    },
    /// A text or bytes were to be looked at again, and are nowhere to be found.
    #[error("{name} cannot be followed: it came from memory; follow a file, a folder or a channel")]
    CannotFollow {
        /// The source.
        name: String,
    },
    /// The project holds no such source.
    #[error("the project holds no pasted text {doc}: list its sources to see what it holds")]
    NoSuchSource {
        /// Which.
        doc: tusab_chunk::DocId,
    },
    /// A source holds no words: captions of music alone, or a file cut off at its start.
    #[error("{name} says nothing: there is no word in it to search")]
    NothingSaid {
        /// The source.
        name: String,
    },
    /// The user's yt-dlp cannot be used, so that no video can be asked for.
    #[error("yt-dlp cannot be used: see that it is installed and up to date")]
    YtDlp {
        /// Why.
        #[source]
        source: tusab_ingest::Error,
    },
    /// The index failed.
    #[error(transparent)]
    Index(tusab_index::Error),
    /// The data directory may not be written: its disk is read-only, or its user has not the right to.
    #[error(
        "{path} may not be written, so nothing here can be changed; searching goes on: to change it, copy the data directory to where it may be written, or get the right to write it",
        path = path.display()
    )]
    ReadOnly {
        /// The file or folder that would have been written.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// A file of the data directory was written by a later version of the engine.
    #[error("{path} has format {version}, which a later version wrote: update tusab", path = path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        version: u32,
    },
    /// A project of the Python app is where one of this engine would be.
    #[error(
        "{path} holds {name:?}, a project of the Python app, which is not read in place: take it over with `Engine::import_tusab`, which changes nothing there",
        path = path.display()
    )]
    OfPythonApp {
        /// What that app called it.
        name: String,
        /// The folder.
        path: PathBuf,
    },
    /// The captions are of a video that is here in another language, and a video is kept in one.
    #[error("{name} is in {given}, and {doc} is here in {here}: take in one language of a video")]
    OtherLanguage {
        /// The source.
        name: String,
        /// The video.
        doc: tusab_chunk::DocId,
        /// The language of the captions given.
        given: tusab_chunk::Language,
        /// The language of those that are here.
        here: tusab_chunk::Language,
    },
    /// A file of the data directory is not what the engine wrote.
    #[error("{path} is damaged: {reason}; it is left as it is, mend it or put it away", path = path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A project needs a name that people can read.
    #[error(
        "{name:?} cannot name a project: give 1 to 120 characters, not all of them spaces or control characters"
    )]
    ProjectName {
        /// The refused name.
        name: String,
    },
    /// There is no project of this name, or it was deleted.
    #[error("there is no project {name:?}: it was deleted, or never made")]
    NoSuchProject {
        /// The name.
        name: String,
    },
    /// The project was removed on the server by somebody else. Its sources are here, as they were.
    #[error(
        "project {name:?} was removed on the server{}: delete it here too, or put it there again with Engine::share_again",
        if *can_be_restored { ", where it can be restored" } else { "" }
    )]
    RemovedElsewhere {
        /// The name.
        name: String,
        /// It is in the trash of whoever removed it.
        can_be_restored: bool,
    },
    /// Another project has this name.
    #[error("there is a project {name:?} already: choose another name, or rename that one first")]
    ProjectExists {
        /// The name.
        name: String,
    },
    /// A file that was to be imported cannot be; nothing of it was.
    #[error("{path} was not imported", path = path.display())]
    Portable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: crate::PortableFault,
    },
    /// A file for people cannot be written in that format.
    #[error("the {format} cannot be written: {reason}")]
    Share {
        /// The format.
        format: &'static str,
        /// Why, and what to do.
        reason: String,
    },
    /// The caller asked to stop, and nothing was written.
    #[error("stopped as asked: nothing was written")]
    Cancelled,
    /// The project has to be opened first, so that what a crash has left undone is mended.
    #[error("{name:?} has to be mended before it can be read: open it again, and see that nothing writes it")]
    NotMended {
        /// The project.
        name: String,
    },
    /// The trash holds nothing of this id.
    #[error("the trash holds no {id:?}: list it to see what it holds")]
    NotInTrash {
        /// The id.
        id: String,
    },
    /// Settings were refused.
    #[error("the settings were not changed: {reason}")]
    Settings {
        /// Why, and what to do.
        reason: String,
    },
    /// A key is not where the settings say that it is.
    #[error("a key is not where the settings say that it is")]
    Key {
        /// What was found instead, and what to do.
        #[source]
        source: tusab_llm::Error,
    },
    /// The system's keyring cannot be used.
    #[error(
        "the keyring cannot be used: unlock it, or start its service (such as GNOME Keyring or KWallet), or name an environment variable for the key instead"
    )]
    Keyring {
        /// What it said.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The settings say that a key is in the keyring, and it is not there.
    #[error("the keyring holds no key of {provider}: give it again")]
    KeyNotKept {
        /// Whose key.
        provider: String,
    },
    /// The app is offline, and what was asked for is not on this machine.
    #[error("the app is offline, and {what} is not on this machine: go online first")]
    Offline {
        /// What would have been asked.
        what: &'static str,
    },
    /// A language model cannot be asked.
    #[error("a language model cannot be asked")]
    Model {
        /// Why, and what to do.
        #[source]
        source: tusab_llm::Error,
    },
    /// What was asked for is written by the auxiliary model, and there is none that may be asked.
    #[error(
        "there is no auxiliary model {}: give one to the builder{}",
        if *is_offline { "on this machine, and the app is offline" } else { "yet" },
        if *is_offline { " that runs on this machine, or go online" } else { "" }
    )]
    NoAuxiliaryModel {
        /// There is one, and it is not on this machine.
        is_offline: bool,
    },
    /// The auxiliary model gave no summary.
    #[error("{doc} could not be summed up: {reason}")]
    Summary {
        /// The document.
        doc: tusab_chunk::DocId,
        /// What the model or its server said, and what is done without.
        reason: String,
    },
    /// There is no such document in the project.
    #[error("{doc} is not in this project: take it in first")]
    NoSuchDocument {
        /// The document.
        doc: tusab_chunk::DocId,
    },
    /// The session does not have this turn, or has it no longer.
    #[error("the session {session:?} has no turn {turn}: it may be older than those that are kept")]
    NoSuchTurn {
        /// The session.
        session: String,
        /// The turn.
        turn: crate::TurnId,
    },
    /// A question is longer than is taken.
    #[error(
        "the question has {characters} characters, more than the {limit} that are taken: take it in as a source and ask about it"
    )]
    QuestionTooLong {
        /// Its length.
        characters: usize,
        /// The longest that is taken.
        limit: usize,
    },
    /// A style in one's own words is empty or too long.
    #[error("a persona has 1 to {limit} characters, not {characters}: say it in other words")]
    Persona {
        /// Its length, with its white space folded.
        characters: usize,
        /// The longest that is taken.
        limit: usize,
    },
    /// No data directory was given, and the platform names none.
    #[error("no data directory: give one to the builder")]
    NoDataDir,
    /// The async methods run on tokio, and were called outside of it.
    #[error("there is no tokio runtime here: call this inside one, such as `#[tokio::main]`")]
    NoRuntime,
    /// The system gives no runtime for calls that wait.
    #[error("calls that wait cannot be made: the system gives no thread for them")]
    Runtime {
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// A call that waits was made on a thread of an async runtime, which it would stop.
    #[error(
        "this is a thread of an async runtime: call the async methods here, or the blocking ones elsewhere"
    )]
    InsideRuntime,
    /// A part of the engine ended without an answer, which is a defect of the engine.
    #[error("{what} ended without a result; please report this")]
    Internal {
        /// The part.
        what: &'static str,
    },
}

impl Error {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }

    /// True when the reason lies outside of what was asked for, so that the same again can succeed later: a drive that is
    /// not there, a full disk, another process that writes, a yt-dlp that has to be updated.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Io { .. }
            | Self::NoSuchFile { .. }
            | Self::ReadOnly { .. }
            | Self::YtDlp { .. }
            | Self::Offline { .. } => true,
            Self::Index(error) => error.is_retryable(),
            _ => false,
        }
    }

    /// True when the caller asked to stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Cancelled)
    }

    /// True when the data directory may not be written: what is in it can be searched, and no more.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        match self {
            Self::ReadOnly { .. } => true,
            Self::Index(error) => error.is_read_only(),
            _ => false,
        }
    }

    /// True when the system refuses to write for want of the right to.
    pub(crate) fn is_denied(error: &std::io::Error) -> bool {
        matches!(error.kind(), ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied)
    }

    /// True when another process is writing the project and trying again later can succeed.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        matches!(self, Self::Index(error) if error.is_locked())
    }
}

impl From<tusab_index::Error> for Error {
    fn from(error: tusab_index::Error) -> Self {
        match error {
            tusab_index::Error::Io { path, source, .. } if Self::is_denied(&source) => {
                Self::ReadOnly { path, source }
            }
            tusab_index::Error::Stopped => Self::Cancelled,
            error => Self::Index(error),
        }
    }
}

/// An error with its causes, on one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
