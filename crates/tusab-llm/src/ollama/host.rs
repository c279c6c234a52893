//! The variable `OLLAMA_HOST`, read as Ollama's server and its official clients read it.

use std::borrow::Cow;
use std::ffi::OsString;
use std::net::IpAddr;

use crate::{BaseUrl, Error, Provider};

/// Where Ollama listens where no port is named. With a scheme, it is the scheme's own port.
const PORT: u16 = 11434;

/// The base URL that `value` names; `None` if it names nothing.
///
/// It is a host with or without scheme, port and path, in quotes or not. An IPv6 address needs brackets only before a port. A
/// port that is none is read as if it were missing. Where a server is told to listen everywhere, a client calls this machine.
pub(super) fn base_url(value: OsString) -> Result<Option<BaseUrl>, Error> {
    let provider = Provider::Ollama;
    let Ok(value) = value.into_string() else {
        return Err(Error::BadBaseUrl { provider, reason: "what `OLLAMA_HOST` holds is not UTF-8" });
    };
    let value = value.trim().trim_matches(['"', '\'']).trim();
    if value.is_empty() {
        return Ok(None);
    }
    let (scheme, rest, default_port) = match value.split_once("://") {
        // The one host for which no scheme means https.
        None if value == "ollama.com" => ("https", value, 443),
        None => ("http", value, PORT),
        Some(("http", rest)) => ("http", rest, 80),
        Some(("https", rest)) => ("https", rest, 443),
        Some((other, rest)) => (other, rest, PORT),
    };
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (host, port) = match split_port(authority) {
        Some((host, port)) => (host, port.parse().unwrap_or(default_port)),
        None => (authority.trim_matches(['[', ']']), default_port),
    };
    BaseUrl::parse(provider, &format!("{scheme}://{}:{port}/{path}", called(host))).map(Some)
}

/// Host and port of what names both; the brackets of an IPv6 address are taken off.
fn split_port(authority: &str) -> Option<(&str, &str)> {
    if let Some(bracketed) = authority.strip_prefix('[') {
        let (host, after) = bracketed.split_once(']')?;
        return Some((host, after.strip_prefix(':')?));
    }
    // With more than one colon it is an IPv6 address without brackets.
    authority.split_once(':').filter(|(_, port)| !port.contains(':'))
}

/// How a client calls what listens at `host`.
fn called(host: &str) -> Cow<'_, str> {
    match host.parse::<IpAddr>() {
        _ if host.is_empty() => "127.0.0.1".into(),
        Ok(IpAddr::V4(address)) if address.is_unspecified() => "127.0.0.1".into(),
        Ok(IpAddr::V6(address)) if address.is_unspecified() => "[::1]".into(),
        Ok(IpAddr::V6(address)) => format!("[{address}]").into(),
        Ok(IpAddr::V4(_)) | Err(_) => host.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> Result<Option<String>, Error> {
        base_url(value.into()).map(|url| url.map(|url| url.to_string()))
    }

    #[test]
    fn a_host_is_read_as_ollama_reads_it() {
        for (value, url) in [
            ("127.0.0.1", "http://127.0.0.1:11434/"),
            ("127.0.0.1:8080", "http://127.0.0.1:8080/"),
            (":5678", "http://127.0.0.1:5678/"),
            ("localhost", "http://localhost:11434/"),
            ("localhost:", "http://localhost:11434/"),
            // With a scheme, the port is the scheme's.
            ("http://localhost", "http://localhost/"),
            ("http://localhost:11434", "http://localhost:11434/"),
            ("https://ollama.example.org", "https://ollama.example.org/"),
            ("https://ollama.example.org:8443", "https://ollama.example.org:8443/"),
            ("ollama.com", "https://ollama.com/"),
            // Behind a path.
            ("http://localhost/sub", "http://localhost/sub/"),
            ("localhost:9000/a/b/", "http://localhost:9000/a/b/"),
            ("localhost/", "http://localhost:11434/"),
            // IPv6.
            ("::1", "http://[::1]:11434/"),
            ("[::1]", "http://[::1]:11434/"),
            ("[::1]:1337", "http://[::1]:1337/"),
            ("http://[::1]", "http://[::1]/"),
            ("https://[2001:db8:0::7]/x", "https://[2001:db8::7]/x/"),
            // Where a server listens everywhere.
            ("0.0.0.0", "http://127.0.0.1:11434/"),
            ("0.0.0.0:4321", "http://127.0.0.1:4321/"),
            ("::", "http://[::1]:11434/"),
            ("[::]:1234", "http://[::1]:1234/"),
            // A port that is none.
            ("127.0.0.1:66000", "http://127.0.0.1:11434/"),
            ("127.0.0.1:-1", "http://127.0.0.1:11434/"),
            ("http://127.0.0.1:x", "http://127.0.0.1/"),
            // Quotes and spaces, as files of settings leave them.
            (" 127.0.0.1 \n", "http://127.0.0.1:11434/"),
            ("\"127.0.0.1\"", "http://127.0.0.1:11434/"),
            ("' 127.0.0.1:7 '", "http://127.0.0.1:7/"),
        ] {
            assert_eq!(read(value).unwrap().as_deref(), Some(url), "{value}");
        }
        for nothing in ["", "  ", "\"\"", "' '"] {
            assert_eq!(read(nothing).unwrap(), None, "{nothing:?}");
        }
    }

    #[test]
    fn what_names_no_server_that_may_be_called_is_refused() {
        for value in [
            "192.168.0.7",
            "http://example.org",
            "ftp://127.0.0.1",
            "a b",
            "1:2:3",
            "user@127.0.0.1:1",
            "user:word@127.0.0.1:1",
            "127.0.0.1/?key=1",
            "169.254.169.254:80",
        ] {
            assert!(matches!(read(value), Err(Error::BadBaseUrl { .. })), "{value}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_text_is_not_read_as_nothing() {
        use std::os::unix::ffi::OsStringExt;
        let value = OsString::from_vec(b"127.0.0.1\xff".to_vec());
        assert!(matches!(base_url(value), Err(Error::BadBaseUrl { .. })));
    }
}
