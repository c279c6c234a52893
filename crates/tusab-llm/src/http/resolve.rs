use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::base_url::{is_this_machine, may_be_called};

/// The system's own resolving of names, less the addresses that are never called.
///
/// `localhost` and the names that end in it are this machine by definition (RFC 6761, section 6.3), and plain `http` to them is
/// allowed for that. Not every system keeps to it and some ask the network, whose answer may be any machine: so no one is
/// asked, and they lead to the two loopback addresses.
#[derive(Debug)]
pub(super) struct Resolver;

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let host = name.as_str().to_owned();
        Box::pin(async move {
            // The system's resolver blocks.
            let found = tokio::task::spawn_blocking(move || lookup(&host)).await??;
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

fn lookup(host: &str) -> io::Result<Vec<SocketAddr>> {
    if is_this_machine(host) {
        // Most servers listen at the first alone; where no one does, the second is tried.
        return Ok([IpAddr::from(Ipv4Addr::LOCALHOST), Ipv6Addr::LOCALHOST.into()]
            .map(|address| SocketAddr::new(address, 0))
            .to_vec());
    }
    let found: Vec<_> = (host, 0).to_socket_addrs()?.filter(|address| may_be_called(address.ip())).collect();
    if found.is_empty() {
        return Err(io::Error::other("the name leads to no address that may be called"));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_resolved_and_addresses_that_are_not_called_are_left_out() {
        // No system knows the last two; each answer is this machine all the same.
        for name in ["localhost", "localhost.", "LocalHost", "no-such-name.localhost", "a.b.localhost."] {
            let found = lookup(name).unwrap();
            assert!(!found.is_empty() && found.iter().all(|address| address.ip().is_loopback()), "{name}");
        }
        assert!(lookup("169.254.169.254").unwrap_err().to_string().contains("no address that may be called"));
    }
}
