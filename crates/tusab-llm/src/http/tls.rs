use std::error::Error as StdError;
use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};
use rustls::{ClientConfig, RootCertStore};

type Failed = Box<dyn StdError + Send + Sync>;

/// The TLS settings of a client, made here because those that the HTTP library would make take their
/// cryptography from a process-wide default, and panic when the program has not installed one.
///
/// Only `https` reads the system's certificates: a machine that has none can still talk to itself.
pub(super) fn config(https: bool) -> Result<ClientConfig, Failed> {
    let provider: Arc<CryptoProvider> = Arc::new(ring::default_provider());
    let builder =
        ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    Ok(if https {
        let verifier = rustls_platform_verifier::Verifier::new(provider)?;
        // "Dangerous" to rustls is any verifier other than its own; this one is the operating system's.
        builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth()
    } else {
        builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth()
    })
}
