use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Error;

/// The address of a page with one video, on any site that yt-dlp reads or on one's own server.
///
/// ```
/// use tusab_ingest::PageUrl;
/// assert!("http://127.0.0.1:8000/aula/master.m3u8".parse::<PageUrl>().is_ok());
/// for refused in ["ytsearch:x", "file:///etc/passwd", "--exec=x", "https://user:password@site.example/"] {
///     assert!(refused.parse::<PageUrl>().is_err(), "{refused}");
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PageUrl(Box<str>);

impl PageUrl {
    /// The address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for PageUrl {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let text = text.trim();
        let refused = || Error::BadPageUrl { url: text.chars().take(200).collect() };
        let place =
            text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).ok_or_else(refused)?;
        let host = place.split(['/', '?', '#']).next().unwrap_or_default();
        // Printable ASCII only (RFC 3986); a name and password in an address would be seen in the list of processes.
        let plain = text.len() <= 2000 && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
        if plain
            && host.starts_with(|sign: char| sign.is_ascii_alphanumeric() || sign == '[')
            && !host.contains('@')
        {
            Ok(Self(text.into()))
        } else {
            Err(refused())
        }
    }
}

impl TryFrom<String> for PageUrl {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<PageUrl> for String {
    fn from(url: PageUrl) -> Self {
        url.0.into()
    }
}

impl fmt::Display for PageUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
