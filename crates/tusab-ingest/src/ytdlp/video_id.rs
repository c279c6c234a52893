use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Error;

/// The id of a YouTube video: eleven letters, digits, `-` and `_`.
///
/// ```
/// use tusab_ingest::VideoId;
/// let id: VideoId = "dQw4w9WgXcQ".parse().unwrap();
/// assert_eq!(id.link(), "https://www.youtube.com/watch?v=dQw4w9WgXcQ");
/// assert!("../../etc/p".parse::<VideoId>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct VideoId(Box<str>);

impl VideoId {
    /// Length of an id, in characters and bytes.
    pub const LEN: usize = 11;

    /// The id as it stands in links.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Where a person can watch the video; `&t=90s` may be added.
    #[must_use]
    pub fn link(&self) -> String {
        format!("https://www.youtube.com/watch?v={self}")
    }
}

impl FromStr for VideoId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if text.len() == Self::LEN && text.bytes().all(allowed) {
            Ok(Self(text.into()))
        } else {
            Err(Error::BadVideoId { text: text.to_owned() })
        }
    }
}

impl TryFrom<String> for VideoId {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<VideoId> for String {
    fn from(id: VideoId) -> Self {
        id.0.into()
    }
}

impl fmt::Display for VideoId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
