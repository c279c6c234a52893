use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Error;

/// The id of a playlist of YouTube that can be listed to its end.
///
/// ```
/// use tusab_ingest::PlaylistId;
/// assert!("PLrAXtmErZgOeiKm4sgNOknGvNjby9efdf".parse::<PlaylistId>().is_ok());
/// assert!("RDdQw4w9WgXcQ".parse::<PlaylistId>().is_err(), "a mix has no end");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PlaylistId(Box<str>);

impl PlaylistId {
    /// The id as it stands in addresses.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for PlaylistId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let begins = text.starts_with(|sign: char| sign.is_ascii_alphanumeric());
        let plausible = (10..=50).contains(&text.len()) && begins && text.bytes().all(allowed);
        // Mixes have no end, and channels are none.
        if plausible && !text.starts_with("RD") && !text.starts_with("UC") {
            Ok(Self(text.into()))
        } else {
            Err(Error::BadPlaylistId { text: text.chars().take(200).collect() })
        }
    }
}

impl TryFrom<String> for PlaylistId {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<PlaylistId> for String {
    fn from(id: PlaylistId) -> Self {
        id.0.into()
    }
}

impl fmt::Display for PlaylistId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
