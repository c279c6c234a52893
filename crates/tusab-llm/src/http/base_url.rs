use std::fmt::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::Url;

use crate::{Error, Provider};

/// Where a server listens: a checked `http` or `https` address, with a path if it stands behind one.
///
/// Refused are: plain `http` to anything but this machine, unless it is
/// [allowed](Self::parse_allowing_plain_http); a user name or password (use an [`ApiKey`](crate::ApiKey)); a
/// query or fragment; and the link-local and other addresses where clouds serve their machines' secrets. A name is
/// not resolved here; when it is, to make a connection, addresses of those kinds are left out. `localhost` and names that
/// end in `.localhost` are this machine, and no resolver is asked for them.
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

/// Where two clouds serve the secrets of their machines, and one of them those of its containers, over IPv6; none is
/// link-local.
const METADATA_V6: [Ipv6Addr; 3] = [
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23),
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
];
/// Where three more do over IPv4: Alibaba, Oracle, and Azure the settings and certificates of its machines.
const METADATA_V4: [Ipv4Addr; 3] =
    [Ipv4Addr::new(100, 100, 100, 200), Ipv4Addr::new(192, 0, 0, 192), Ipv4Addr::new(168, 63, 129, 16)];
/// Under which names they do.
const METADATA_NAMES: [&str; 5] =
    ["metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal"];

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
            Reach::LinkLocal => {
                return Err("addresses where clouds keep their machines' secrets are not called");
            }
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

    /// The URL of `path`, which is relative and ours, save what [`encode_segment`] has made of a name.
    pub(super) fn at(&self, path: &str, query: Option<&str>) -> Url {
        let mut url = self.url.clone();
        url.set_path(&format!("{}{path}", self.url.path()));
        url.set_query(query);
        url
    }

    /// The host, without a port.
    pub(crate) fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// The port, the scheme's own where none is named.
    pub(crate) fn port(&self) -> Option<u16> {
        self.url.port_or_known_default()
    }
}

/// `name` as one segment of a path: nothing in it can lead elsewhere.
pub(crate) fn encode_segment(name: &str) -> String {
    let mut segment = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~' | b':' | b'@') {
            segment.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(segment, "%{byte:02X}");
        }
    }
    segment
}

/// Whether an address that a name was resolved to may be called.
pub(super) fn may_be_called(address: IpAddr) -> bool {
    let reach = match address {
        IpAddr::V4(address) => reach_v4(address),
        IpAddr::V6(address) => reach_v6(address),
    };
    !matches!(reach, Reach::LinkLocal | Reach::Nowhere)
}

/// Whether a name is `localhost` or ends in it, which by RFC 6761, section 6.3, are this machine.
pub(super) fn is_this_machine(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

fn reach(url: &Url) -> Reach {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => reach_v4(address),
        Ok(IpAddr::V6(address)) => reach_v6(address),
        Err(_) => {
            if is_this_machine(bare) {
                Reach::Loopback
            } else if METADATA_NAMES.contains(&bare.trim_end_matches('.')) {
                Reach::LinkLocal
            } else {
                Reach::Other
            }
        }
    }
}

fn reach_v4(address: Ipv4Addr) -> Reach {
    if address.is_loopback() {
        Reach::Loopback
    } else if address.is_link_local() || METADATA_V4.contains(&address) {
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
    let carried = carried_v4(address).map(reach_v4);
    if address.is_loopback() {
        Reach::Loopback
    } else if matches!(carried, Some(Reach::LinkLocal))
        || address.is_unicast_link_local()
        || METADATA_V6.contains(&address)
    {
        Reach::LinkLocal
    } else if address.is_unspecified() || address.is_multicast() {
        Reach::Nowhere
    } else {
        Reach::Other
    }
}

/// The IPv4 address to which a translator (RFC 6052, section 2.1; RFC 8215 for one's own network) or a 6to4 router (RFC 3056,
/// section 2) hands on what is sent to `address`, or which it once was another way to write (RFC 4291, section 2.5.5.1).
fn carried_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let bits = match address.segments() {
        [0x64, 0xff9b, 0 | 1, 0, 0, 0, high, low]
        | [0x2002, high, low, ..]
        | [0, 0, 0, 0, 0, 0, high, low] => (u32::from(high) << 16) | u32::from(low),
        _ => return None,
    };
    Some(Ipv4Addr::from(bits))
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
            "[fd00:ec2::23]",
            "[fd20:ce::254]",
            // The same in addresses that lead from IPv6 to IPv4.
            "[64:ff9b::169.254.169.254]",
            "[64:ff9b::100.100.100.200]",
            "[64:ff9b:1::169.254.169.254]",
            "[2002:a9fe:a9fe::1]",
            "[::169.254.169.254]",
            "[0:0:0:0:0:ffff:a9fe:a9fe]",
            "100.100.100.200",
            "192.0.0.192",
            "168.63.129.16",
            "metadata",
            "metadata.google.internal",
            "METADATA.google.internal.",
            // The same address in the other ways to write it.
            "2852039166",
            "0xA9FEA9FE",
            "025177524776",
            "0251.0376.0251.0376",
            "0xa9.0xfe.0xa9.0xfe",
            "169.254.43518",
            "169.16689662",
            "169.254.169.254.",
            "169%2e254%2E169%2e254",
            "１６９.２５４.１６９.２５４",
            "169。254。169。254",
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
    fn a_name_in_a_path_leads_nowhere_else() {
        let base = parse("http://127.0.0.1:1/v1").unwrap();
        for (name, path) in [
            ("gemini-3.5-flash", "/v1/m/gemini-3.5-flash:go"),
            ("../../x", "/v1/m/..%2F..%2Fx:go"),
            ("a?b#c%2e", "/v1/m/a%3Fb%23c%252e:go"),
            ("é", "/v1/m/%C3%A9:go"),
        ] {
            let url = base.at(&format!("m/{}:go", encode_segment(name)), Some("alt=sse"));
            assert_eq!((url.path(), url.query()), (path, Some("alt=sse")));
        }
    }

    #[test]
    fn names_that_lead_to_secrets_are_left_out() {
        for (address, may) in [
            ("169.254.169.254", false),
            ("fe80::1", false),
            ("::ffff:169.254.1.1", false),
            ("64:ff9b::a9fe:a9fe", false),
            ("2002:a9fe:a9fe::", false),
            ("64:ff9b::5db8:d822", true),
            ("2002:5db8:d822::1", true),
            ("64:ff9b:1::a9fe:a9fe", false),
            ("64:ff9b:2::a9fe:a9fe", true),
            ("::a9fe:a9fe", false),
            ("::2", true),
            ("fd20:ce::254", false),
            ("fd20:ce::255", true),
            ("0.0.0.0", false),
            ("127.0.0.1", true),
            ("93.184.216.34", true),
        ] {
            assert_eq!(may_be_called(address.parse().unwrap()), may, "{address}");
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
            assert_eq!(parse(base).unwrap().at("api/chat", None).as_str(), joined);
        }
    }
}
