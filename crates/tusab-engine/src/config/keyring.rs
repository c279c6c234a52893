//! Keys in the system's own store of secrets: the Keychain, the Credential Manager, or a Secret Service.

use std::fmt;

#[cfg(not(feature = "keyring"))]
use crate::Error;

#[cfg(feature = "keyring")]
pub(crate) use self::system::Keyring;

/// In a build without the feature: where it is needed, it says so.
#[cfg(not(feature = "keyring"))]
#[derive(Clone, Default)]
pub(crate) struct Keyring;

#[cfg(not(feature = "keyring"))]
#[allow(clippy::unused_self, reason = "as with the feature")]
impl Keyring {
    fn missing<T>(&self) -> Result<T, Error> {
        Err(Error::Keyring {
            source: "this build has none: build tusab-engine with its feature `keyring`".into(),
        })
    }

    pub(super) fn get(&self, _: &str) -> Result<Option<String>, Error> {
        self.missing()
    }

    pub(super) fn remove(&self, _: &str) -> Result<(), Error> {
        self.missing()
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keyring")
    }
}

#[cfg(feature = "keyring")]
mod system {
    use std::sync::Arc;

    use keyring_core::{CredentialStore, Entry, Error as Refusal};

    use crate::Error;

    /// Under which name the system shows the keys to their owner.
    const SERVICE: &str = "tusab";

    /// The store that an app gave, or else the system's, which is opened for each use: it can come and go.
    #[derive(Clone, Default)]
    pub(crate) struct Keyring {
        given: Option<Arc<CredentialStore>>,
    }

    impl Keyring {
        pub(crate) fn given(store: Arc<CredentialStore>) -> Self {
            Self { given: Some(store) }
        }

        fn store(&self) -> Result<Arc<CredentialStore>, Error> {
            self.given
                .as_ref()
                .map_or_else(|| of_this_system().map_err(refused), |store| Ok(Arc::clone(store)))
        }

        fn entry(&self, provider: &str) -> Result<Entry, Error> {
            self.store()?.build(SERVICE, provider, None).map_err(refused)
        }

        /// What holds the keys, for people, once it has been asked for one.
        pub(crate) fn examine(&self) -> Result<String, Error> {
            let store = self.store()?;
            let nothing = store.build(SERVICE, "-", None).map_err(refused)?;
            match nothing.get_secret() {
                Ok(_) | Err(Refusal::NoEntry) => Ok(store.vendor()),
                Err(error) => Err(refused(error)),
            }
        }

        pub(crate) fn get(&self, provider: &str) -> Result<Option<String>, Error> {
            match self.entry(provider)?.get_secret() {
                Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| unreadable()),
                Err(Refusal::NoEntry) => Ok(None),
                Err(error) => Err(refused(error)),
            }
        }

        pub(crate) fn set(&self, provider: &str, key: &str) -> Result<(), Error> {
            self.entry(provider)?.set_secret(key.as_bytes()).map_err(refused)
        }

        /// What is not there is removed already.
        pub(crate) fn remove(&self, provider: &str) -> Result<(), Error> {
            match self.entry(provider)?.delete_credential() {
                Ok(()) | Err(Refusal::NoEntry) => Ok(()),
                Err(error) => Err(refused(error)),
            }
        }
    }

    #[cfg(target_os = "macos")]
    fn of_this_system() -> keyring_core::Result<Arc<CredentialStore>> {
        Ok(apple_native_keyring_store::keychain::Store::new()?)
    }

    #[cfg(windows)]
    fn of_this_system() -> keyring_core::Result<Arc<CredentialStore>> {
        Ok(windows_native_keyring_store::Store::new()?)
    }

    #[cfg(all(unix, not(target_vendor = "apple")))]
    fn of_this_system() -> keyring_core::Result<Arc<CredentialStore>> {
        Ok(zbus_secret_service_keyring_store::Store::new()?)
    }

    #[cfg(not(any(target_os = "macos", windows, all(unix, not(target_vendor = "apple")))))]
    fn of_this_system() -> keyring_core::Result<Arc<CredentialStore>> {
        Err(Refusal::NoDefaultStore)
    }

    fn refused(error: Refusal) -> Error {
        match error {
            // They hold what was found, which may be a key.
            Refusal::BadEncoding(_) | Refusal::BadDataFormat(..) => unreadable(),
            error => Error::Keyring { source: error.into() },
        }
    }

    fn unreadable() -> Error {
        Error::Keyring { source: "what it holds is no key".into() }
    }
}
