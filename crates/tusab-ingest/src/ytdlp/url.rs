mod parts;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use self::parts::Parts;
use super::playlist_id::PlaylistId;
use crate::{Error, VideoId};

/// Something of YouTube that can be taken in: a channel, one of its tabs, a playlist or a video.
///
/// Only addresses of these shapes are accepted. What is handed to yt-dlp is written anew from the parts
/// ([`YouTubeUrl::url`]), never the text that was given.
///
/// ```
/// use tusab_ingest::{ChannelTab, YouTubeUrl};
/// let url: YouTubeUrl = "https://m.youtube.com/@canal/videos?view=0".parse()?;
/// assert_eq!(url.url(), "https://www.youtube.com/@canal/videos");
/// assert!(matches!(url, YouTubeUrl::Channel { tab: Some(ChannelTab::Videos), .. }));
///
/// let url: YouTubeUrl = "https://youtu.be/dQw4w9WgXcQ?si=x&t=42".parse()?;
/// assert_eq!(url.url(), "https://www.youtube.com/watch?v=dQw4w9WgXcQ");
///
/// let refused = "--exec=x".parse::<YouTubeUrl>().unwrap_err();
/// assert!(refused.to_string().contains("https://"));
/// # Ok::<(), tusab_ingest::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum YouTubeUrl {
    /// A channel, or one tab of it.
    Channel {
        /// Which channel.
        channel: ChannelName,
        /// Which tab; none when the address names none.
        tab: Option<ChannelTab>,
    },
    /// A playlist.
    Playlist(PlaylistId),
    /// One video; also when its address stands in a playlist (`watch?v=...&list=...`).
    Video(VideoId),
}

/// The ways in which an address names a channel. Each can only be built by parsing a [`YouTubeUrl`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChannelName {
    /// `/@handle`
    Handle(ChannelPart),
    /// `/channel/UC...`
    Id(ChannelPart),
    /// `/c/name`
    Custom(ChannelPart),
    /// `/user/name`, the oldest way.
    User(ChannelPart),
}

/// The name inside a channel's address, checked, decoded, without the sign `@`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ChannelPart(Box<str>);

impl ChannelPart {
    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The tabs of a channel that hold videos, or playlists of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ChannelTab {
    /// Videos.
    Videos,
    /// Short videos.
    Shorts,
    /// What was or is streamed live.
    Streams,
    /// Podcasts, each a playlist.
    Podcasts,
    /// Courses, each a playlist.
    Courses,
    /// The channel's playlists.
    Playlists,
}

impl ChannelTab {
    /// Every tab.
    pub const ALL: [Self; 6] =
        [Self::Videos, Self::Shorts, Self::Streams, Self::Podcasts, Self::Courses, Self::Playlists];

    /// The tab as it stands in addresses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Videos => "videos",
            Self::Shorts => "shorts",
            Self::Streams => "streams",
            Self::Podcasts => "podcasts",
            Self::Courses => "courses",
            Self::Playlists => "playlists",
        }
    }
}

impl fmt::Display for ChannelTab {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why an address is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum UrlProblem {
    /// It does not start with `https://` or `http://`.
    #[error("an address starts with https://; copy it from the browser")]
    NoScheme,
    /// It holds white space, control characters, backslashes or quotes, or is too long.
    #[error("it holds what no address holds; copy it from the browser")]
    BadCharacter,
    /// It is of another site.
    #[error("it is not on youtube.com or youtu.be")]
    OtherSite,
    /// The channel's name or id cannot be one.
    #[error("it names no channel: expected /@handle, /channel/UC..., /c/name or /user/name")]
    BadChannel,
    /// The channel has no such tab, or one without videos.
    #[error(
        "the page of the channel holds no videos: expected videos, shorts, streams, podcasts, courses or playlists"
    )]
    BadTab,
    /// The id of the playlist cannot be one that can be listed; mixes that YouTube makes up have no end.
    #[error("it names no playlist that can be listed: a mix has no end, and Watch Later is private")]
    BadPlaylist,
    /// The id of the video cannot be one.
    #[error("it names no video: an id has eleven letters, digits, - or _")]
    BadVideo,
    /// It is another page of YouTube.
    #[error(
        "it is neither a channel, nor a playlist, nor a video; the custom name of a channel stands after /c/"
    )]
    OtherPage,
}

impl YouTubeUrl {
    /// The address, in the one form that is handed to yt-dlp.
    #[must_use]
    pub fn url(&self) -> String {
        const SITE: &str = "https://www.youtube.com";
        match self {
            Self::Channel { channel, tab } => {
                let (before, name) = match channel {
                    ChannelName::Handle(name) => ("@", name),
                    ChannelName::Id(name) => ("channel/", name),
                    ChannelName::Custom(name) => ("c/", name),
                    ChannelName::User(name) => ("user/", name),
                };
                let name = parts::encode(name.as_str());
                match tab {
                    Some(tab) => format!("{SITE}/{before}{name}/{tab}"),
                    None => format!("{SITE}/{before}{name}"),
                }
            }
            Self::Playlist(id) => format!("{SITE}/playlist?list={id}"),
            Self::Video(id) => id.link(),
        }
    }

    fn read(text: &str) -> Result<Self, UrlProblem> {
        let parts = Parts::split(text)?;
        let segments: Vec<&str> = parts.path.split('/').filter(|segment| !segment.is_empty()).collect();
        if parts.host == "youtu.be" {
            return match segments.as_slice() {
                [id] => video(id),
                _ => Err(UrlProblem::OtherPage),
            };
        }
        if !parts::is_youtube(&parts.host) {
            return Err(UrlProblem::OtherSite);
        }
        match segments.as_slice() {
            ["watch"] => match (parts.query("v"), parts.query("list")) {
                (Some(id), _) => video(id),
                (None, Some(id)) => playlist(id),
                (None, None) => Err(UrlProblem::BadVideo),
            },
            ["playlist"] | ["embed", "videoseries"] => {
                playlist(parts.query("list").ok_or(UrlProblem::BadPlaylist)?)
            }
            ["shorts" | "live" | "embed" | "v", id] => video(id),
            ["channel", id, rest @ ..] => channel(ChannelName::Id(channel_id(id)?), rest),
            ["c", name, rest @ ..] => channel(ChannelName::Custom(name_part(name)?), rest),
            ["user", name, rest @ ..] => channel(ChannelName::User(name_part(name)?), rest),
            [handle, rest @ ..] => match handle.strip_prefix('@').or_else(|| handle.strip_prefix("%40")) {
                Some(handle) => channel(ChannelName::Handle(name_part(handle)?), rest),
                None => Err(UrlProblem::OtherPage),
            },
            [] => Err(UrlProblem::OtherPage),
        }
    }
}

fn video(id: &str) -> Result<YouTubeUrl, UrlProblem> {
    id.parse().map(YouTubeUrl::Video).map_err(|_| UrlProblem::BadVideo)
}

fn playlist(id: &str) -> Result<YouTubeUrl, UrlProblem> {
    id.parse().map(YouTubeUrl::Playlist).map_err(|_| UrlProblem::BadPlaylist)
}

fn channel(channel: ChannelName, rest: &[&str]) -> Result<YouTubeUrl, UrlProblem> {
    let tab = match rest {
        [] | ["featured"] => None,
        [name] => {
            Some(ChannelTab::ALL.into_iter().find(|tab| tab.as_str() == *name).ok_or(UrlProblem::BadTab)?)
        }
        _ => return Err(UrlProblem::BadTab),
    };
    Ok(YouTubeUrl::Channel { channel, tab })
}

fn channel_id(id: &str) -> Result<ChannelPart, UrlProblem> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if id.len() == 24 && id.starts_with("UC") && id.bytes().all(allowed) {
        Ok(ChannelPart(id.into()))
    } else {
        Err(UrlProblem::BadChannel)
    }
}

/// A handle or a custom name: letters and digits of any script, and `.`, `-`, `_`, `·` inside.
fn name_part(name: &str) -> Result<ChannelPart, UrlProblem> {
    let name = parts::decode(name).ok_or(UrlProblem::BadChannel)?;
    let inside = |sign: char| sign.is_alphanumeric() || parts::is_mark(sign) || "._-·".contains(sign);
    let starts_well = name.starts_with(|sign: char| sign.is_alphanumeric() || sign == '_');
    if starts_well && name.chars().all(inside) && name.chars().count() <= 100 {
        Ok(ChannelPart(name.into()))
    } else {
        Err(UrlProblem::BadChannel)
    }
}

impl FromStr for YouTubeUrl {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::read(text)
            .map_err(|problem| Error::BadYouTubeUrl { url: text.chars().take(200).collect(), problem })
    }
}

impl TryFrom<String> for YouTubeUrl {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<YouTubeUrl> for String {
    fn from(url: YouTubeUrl) -> Self {
        url.url()
    }
}

impl fmt::Display for YouTubeUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url())
    }
}
