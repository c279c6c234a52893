use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use super::runtime::RuntimeKind;
use crate::Error;

/// How yt-dlp is run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct YtDlpOptions {
    /// The program: a path, or a name on the search path. By default `yt-dlp`.
    pub program: PathBuf,
    /// What the site is shown of the user's session. By default nothing.
    pub cookies: Option<Cookies>,
    /// The JavaScript runtime that yt-dlp uses for YouTube. By default it looks for deno.
    pub javascript: Option<(RuntimeKind, Option<PathBuf>)>,
    /// Further folders in which yt-dlp looks for folders of plugins, such as one that brings PO tokens.
    pub plugins: Vec<PathBuf>,
    /// Pause before each request that yt-dlp makes while it looks at one video. By default 1 s.
    pub pause: Duration,
    /// The longest that listing a tab or a playlist may take. By default 10 minutes.
    pub list_deadline: Duration,
    /// The longest that looking at a video, or fetching its captions, may take. By default 2 minutes.
    pub video_deadline: Duration,
}

impl Default for YtDlpOptions {
    fn default() -> Self {
        Self {
            program: PathBuf::from("yt-dlp"),
            cookies: None,
            javascript: None,
            plugins: Vec::new(),
            pause: Duration::from_secs(1),
            list_deadline: Duration::from_mins(10),
            video_deadline: Duration::from_mins(2),
        }
    }
}

impl YtDlpOptions {
    /// Sets the program.
    #[must_use]
    pub fn with_program(mut self, program: impl Into<PathBuf>) -> Self {
        self.program = program.into();
        self
    }

    /// Sets what the site is shown of the user's session.
    #[must_use]
    pub fn with_cookies(mut self, cookies: Option<Cookies>) -> Self {
        self.cookies = cookies;
        self
    }

    /// Sets the JavaScript runtime and, unless it is on the search path, where it is.
    #[must_use]
    pub fn with_javascript(mut self, kind: RuntimeKind, path: Option<PathBuf>) -> Self {
        self.javascript = Some((kind, path));
        self
    }

    /// Adds a folder of plugins.
    #[must_use]
    pub fn with_plugins(mut self, folder: impl Into<PathBuf>) -> Self {
        self.plugins.push(folder.into());
        self
    }

    /// Sets the pause before each of yt-dlp's requests.
    #[must_use]
    pub fn with_pause(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    /// Sets how long a listing, and how long a video may take.
    #[must_use]
    pub fn with_deadlines(mut self, list: Duration, video: Duration) -> Self {
        (self.list_deadline, self.video_deadline) = (list, video);
        self
    }
}

/// What of the user's own session yt-dlp may show to the site; never read by this crate.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cookies {
    /// Those of a browser on this machine.
    OfBrowser(Browser),
    /// Those in a file of Netscape's format.
    File(PathBuf),
}

/// A browser whose cookies yt-dlp can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[expect(missing_docs, reason = "names of products")]
pub enum Browser {
    Brave,
    Chrome,
    Chromium,
    Edge,
    Firefox,
    Opera,
    Safari,
    Vivaldi,
    Whale,
}

impl Browser {
    const ALL: [Self; 9] = [
        Self::Brave,
        Self::Chrome,
        Self::Chromium,
        Self::Edge,
        Self::Firefox,
        Self::Opera,
        Self::Safari,
        Self::Vivaldi,
        Self::Whale,
    ];

    /// The browser's name as yt-dlp spells it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Brave => "brave",
            Self::Chrome => "chrome",
            Self::Chromium => "chromium",
            Self::Edge => "edge",
            Self::Firefox => "firefox",
            Self::Opera => "opera",
            Self::Safari => "safari",
            Self::Vivaldi => "vivaldi",
            Self::Whale => "whale",
        }
    }
}

impl FromStr for Browser {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let named = |browser: &Self| browser.as_str().eq_ignore_ascii_case(text);
        Self::ALL.into_iter().find(named).ok_or_else(|| Error::UnknownBrowser { name: text.to_owned() })
    }
}

impl fmt::Display for Browser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
