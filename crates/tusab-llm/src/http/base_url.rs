use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::Url;

use crate::{Error, Provider};

/// Where a server listens: a checked `http` or `https` address, with a path if it stands behind one.
///
/// Refused are: plain `http` to anything but this machine, unless it is
/// [allowed](Self::parse_allowing_plain_http); a user name or password (use an [`ApiKey`](crate::ApiKey)); a
/// query or fragment; and the link-local addresses, where clouds serve their machines' secrets. A name is not
/// resolved here: only addresses and `localhost` are recognised.
///
/// ```
/// use tusab_llm::{BaseUrl, Provider};
/// let url = BaseUrl::parse(Provider::Ollama, "http://127.0.0.1:11434")?;
/// assert_eq!(url.to_string(), "http://127.0.0.1:11434/");
/// assert!(url.is_loopback());
/// assert!(BaseUrl::parse(Provider::Ollama, "http://192.168.0.7:11434").is_err());
/// # Ok::<(), tusab_llm::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BaseUrl {
    url: Url,
    loopback: bool,
}

/// Where one cloud serves its machines' secrets over IPv6; it is not link-local.
const METADATA_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);

enum Reach {
    Loopback,
    LinkLocal,
    Nowhere,
    Other,
}

impl BaseUrl {
    /// Checks the address of a server of `provider`.
    ///
    /// # Errors
    /// [`Error::BadBaseUrl`], which says what to write instead. It does not repeat the text, in which there
    /// could be a password.
    pub fn parse(provider: Provider, text: &str) -> Result<Self, Error> {
        Self::checked(text, false).map_err(|reason| Error::BadBaseUrl { provider, reason })
    }

    /// The same, but plain `http` to other machines is allowed: what is asked and answered can then be read
    /// and changed on the way.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parse_allowing_plain_http(provider: Provider, text: &str) -> Result<Self, Error> {
        Self::checked(text, true).map_err(|reason| Error::BadBaseUrl { provider, reason })
    }

    fn checked(text: &str, plain_http: bool) -> Result<Self, &'static str> {
        let mut url =
            Url::parse(text).map_err(|_| "it is not a URL: expected one such as `http://127.0.0.1:11434`")?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err("it must begin with `http://` or `https://`");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("it holds a user name or a password: give the key as an API key instead");
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("it must end with its path, without `?` or `#`");
        }
        let reach = reach(&url);
        match reach {
            Reach::Nowhere => return Err("a server can listen there, but no one can call it: use 127.0.0.1"),
            Reach::LinkLocal => return Err("link-local addresses are not called"),
            Reach::Other if url.scheme() == "http" && !plain_http => {
                return Err(
                    "plain http is for this machine only: use https, or allow plain http for this server",
                );
            }
            Reach::Loopback | Reach::Other => {}
        }
        if !url.path().ends_with('/') {
            // Else joining a path to it would replace its last part.
            url.set_path(&format!("{}/", url.path()));
        }
        Ok(Self { url, loopback: matches!(reach, Reach::Loopback) })
    }

    /// Whether the server is on this machine, by its address or as `localhost`.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        self.loopback
    }

    /// Whether the connection is encrypted.
    pub(super) fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// The URL of `path`, which is relative and ours.
    pub(super) fn at(&self, path: &str) -> Url {
        let mut url = self.url.clone();
        url.set_path(&format!("{}{path}", self.url.path()));
        url
    }
}

fn reach(url: &Url) -> Reach {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => reach_v4(address),
        Ok(IpAddr::V6(address)) => reach_v6(address),
        Err(_) => {
            let name = bare.trim_end_matches('.');
            // RFC 6761, section 6.3: these names are this machine.
            if name == "localhost" || name.ends_with(".localhost") { Reach::Loopback } else { Reach::Other }
        }
    }
}

fn reach_v4(address: Ipv4Addr) -> Reach {
    if address.is_loopback() {
        Reach::Loopback
    } else if address.is_link_local() {
        Reach::LinkLocal
    } else if address.is_unspecified() || address.is_broadcast() || address.is_multicast() {
        Reach::Nowhere
    } else {
        Reach::Other
    }
}

fn reach_v6(address: Ipv6Addr) -> Reach {
    if let Some(mapped) = address.to_ipv4_mapped() {
        return reach_v4(mapped);
    }
    if address.is_loopback() {
        Reach::Loopback
    } else if address.is_unicast_link_local() || address == METADATA_V6 {
        Reach::LinkLocal
    } else if address.is_unspecified() || address.is_multicast() {
        Reach::Nowhere
    } else {
        Reach::Other
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.url, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<BaseUrl, Error> {
        BaseUrl::parse(Provider::Ollama, text)
    }

    #[test]
    fn this_machine_is_called_by_any_of_its_names() {
        for text in [
            "http://127.0.0.1:11434",
            "http://127.9.9.9",
            "http://[::1]:8080",
            "http://[::ffff:127.0.0.1]:1",
            "http://localhost",
            "http://LOCALHOST.:80",
            "http://a.localhost",
            // The URL standard reads these as 127.0.0.1, and so does the call.
            "http://127.1",
            "http://2130706433",
        ] {
            assert!(parse(text).unwrap().is_loopback(), "{text}");
        }
    }

    #[test]
    fn plain_http_to_others_must_be_allowed() {
        for text in [
            "http://192.168.0.7:11434",
            "http://example.org",
            "http://localhost.example.org",
            "http://[fd00::1]",
        ] {
            let message = parse(text).unwrap_err().to_string();
            assert!(message.contains("use https"), "{message}");
            assert!(
                !BaseUrl::parse_allowing_plain_http(Provider::Ollama, text).unwrap().is_loopback(),
                "{text}"
            );
            let url = parse(&text.replace("http:", "https:")).unwrap();
            assert!(url.is_https() && !url.is_loopback());
        }
    }

    #[test]
    fn link_local_and_callable_by_no_one_are_always_refused() {
        for host in [
            "169.254.169.254",
            "[fe80::1]",
            "[::ffff:169.254.169.254]",
            "[fd00:ec2::254]",
            "2852039166",
            "0.0.0.0:11434",
            "[::]:11434",
            "255.255.255.255",
            "224.0.0.1",
        ] {
            for scheme in ["http", "https"] {
                let text = format!("{scheme}://{host}");
                assert!(BaseUrl::parse_allowing_plain_http(Provider::Ollama, &text).is_err(), "{text}");
            }
        }
    }

    #[test]
    fn what_is_no_base_url_is_refused_without_repeating_it() {
        for text in [
            "",
            "127.0.0.1:11434",
            "secret",
            "ftp://127.0.0.1",
            "file:///secret",
            "http://user:secret@127.0.0.1",
            "http://secret@127.0.0.1",
            "http://127.0.0.1/?key=secret",
            "http://127.0.0.1/#secret",
            "http://",
            "http://a b",
        ] {
            let error = parse(text).unwrap_err();
            assert!(matches!(error, Error::BadBaseUrl { .. }), "{text:?}");
            assert!(!format!("{error} {error:?}").contains("secret"), "{error}");
        }
    }

    #[test]
    fn paths_are_joined_to_the_base() {
        for (base, joined) in [
            ("http://127.0.0.1:1", "http://127.0.0.1:1/api/chat"),
            ("http://127.0.0.1:1/", "http://127.0.0.1:1/api/chat"),
            ("https://example.org/ollama", "https://example.org/ollama/api/chat"),
            ("https://example.org/ollama/", "https://example.org/ollama/api/chat"),
        ] {
            assert_eq!(parse(base).unwrap().at("api/chat").as_str(), joined);
        }
    }
}
