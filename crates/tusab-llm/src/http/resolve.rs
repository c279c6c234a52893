use std::io;
use std::net::{SocketAddr, ToSocketAddrs};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::base_url::may_be_called;

/// The system's own resolving of names, less the addresses that are never called.
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
        assert!(lookup("localhost").unwrap().iter().all(|address| address.ip().is_loopback()));
        assert!(lookup("169.254.169.254").unwrap_err().to_string().contains("no address that may be called"));
    }
}
