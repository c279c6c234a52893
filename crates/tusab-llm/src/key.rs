use std::error::Error as StdError;
use std::ops::Deref;
use std::sync::Arc;

use zeroize::Zeroizing;

use crate::Error;

/// A secret that a provider asks for.
///
/// It cannot be printed, formatted for debugging, compared or serialised: the type has none of those traits,
/// so that no log, settings file or error can hold it by mistake. Clones share one copy in memory, which is
/// overwritten with zeros when the last of them is dropped. Copies made while a request is sent (the header,
/// the TLS buffers) belong to the HTTP library and are not overwritten.
///
/// ```compile_fail
/// # let key = tusab_llm::ApiKey::new("secret".to_owned())?;
/// println!("{key:?}");
/// # Ok::<(), tusab_llm::Error>(())
/// ```
#[derive(Clone)]
#[expect(missing_debug_implementations, reason = "a key must not reach a log, not even by accident")]
pub struct ApiKey(Kept);

type Ask = dyn Fn() -> Result<String, Box<dyn StdError + Send + Sync>> + Send + Sync;

#[derive(Clone)]
enum Kept {
    Here(Secret),
    Elsewhere(Arc<Ask>),
}

/// The words of a key, while a call needs them.
#[derive(Clone)]
pub(crate) struct Secret(Arc<Zeroizing<String>>);

impl Deref for Secret {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl ApiKey {
    /// Takes the key over; white space around it is dropped.
    ///
    /// # Errors
    /// [`Error::BadKey`] if it is empty or holds anything but visible ASCII characters: such a key cannot
    /// be sent in a header.
    pub fn new(text: String) -> Result<Self, Error> {
        Secret::new(text).map(|secret| Self(Kept::Here(secret)))
    }

    /// Reads the key from the environment variable `variable`, now and once.
    ///
    /// # Errors
    /// [`Error::NoKey`] if the variable is not set, [`Error::BadKey`] if what it holds is not a key.
    pub fn from_env(variable: &str) -> Result<Self, Error> {
        let value =
            std::env::var_os(variable).ok_or_else(|| Error::NoKey { variable: variable.to_owned() })?;
        let text = value
            .into_string()
            .map_err(|_| Error::BadKey { reason: "it holds characters other than visible ASCII" })?;
        Self::new(text)
    }

    /// Asks `give` for the key before every call, so that it can stay in the system's key store, or change. It is
    /// kept for the length of the call. No lock of this crate is held while it runs; it should be quick, since
    /// the call waits for it.
    ///
    /// What it fails with, or a text that is no key, is the error of the call ([`Error::KeyCallback`],
    /// [`Error::BadKey`]).
    pub fn from_callback(
        give: impl Fn() -> Result<String, Box<dyn StdError + Send + Sync>> + Send + Sync + 'static,
    ) -> Self {
        Self(Kept::Elsewhere(Arc::new(give)))
    }

    /// The secret itself, for the header of a request and for nothing else.
    pub(crate) fn secret(&self) -> Result<Secret, Error> {
        match &self.0 {
            Kept::Here(secret) => Ok(secret.clone()),
            Kept::Elsewhere(give) => Secret::new(give().map_err(|source| Error::KeyCallback { source })?),
        }
    }
}

impl Secret {
    fn new(text: String) -> Result<Self, Error> {
        let text = Zeroizing::new(text);
        let key = Zeroizing::new(text.trim().to_owned());
        if key.is_empty() {
            return Err(Error::BadKey { reason: "it is empty" });
        }
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Error::BadKey { reason: "it holds characters other than visible ASCII" });
        }
        Ok(Self(Arc::new(key)))
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::{Debug, Display};

    use super::*;

    /// Fails to compile if `$type` implements `$trait`: then two impls of `Absent` would fit.
    macro_rules! assert_not_impl {
        ($type:ty: $trait:path) => {{
            trait Absent<Marker> {
                fn absent() {}
            }
            impl<T: ?Sized> Absent<()> for T {}
            impl<T: ?Sized + $trait> Absent<u8> for T {}
            <$type as Absent<_>>::absent();
        }};
    }

    #[test]
    fn a_key_has_no_trait_that_shows_it() {
        assert_not_impl!(ApiKey: Debug);
        assert_not_impl!(ApiKey: Display);
        assert_not_impl!(ApiKey: serde::Serialize);
        assert_not_impl!(ApiKey: AsRef<str>);
        assert_not_impl!(ApiKey: PartialEq);
    }

    #[test]
    fn the_one_copy_is_wiped_on_drop() {
        fn wiped<T: zeroize::ZeroizeOnDrop>(_: &T) {}
        let key = ApiKey::new("sk-1".to_owned()).unwrap();
        let (here, clone) = (key.secret().unwrap(), key.clone().secret().unwrap());
        wiped(&*here.0);
        assert!(Arc::ptr_eq(&here.0, &clone.0));
    }

    #[test]
    fn only_what_a_header_can_carry_is_a_key() {
        assert_eq!(
            ApiKey::new(" sk-abc\r\n".to_owned()).map(|key| key.secret().unwrap().to_string()).unwrap(),
            "sk-abc"
        );
        for bad in ["", " \n", "a b", "a\nb", "a\0", "chavé"] {
            let error = ApiKey::new(bad.to_owned()).err().unwrap();
            assert!(matches!(error, Error::BadKey { .. }), "{bad:?}");
        }
    }

    #[test]
    fn a_key_is_read_from_a_variable() {
        // Cargo sets this one for every test that it runs.
        let key = ApiKey::from_env("CARGO_PKG_NAME").map(|key| key.secret().unwrap().to_string());
        assert_eq!(key.unwrap(), "tusab-llm");
    }

    #[test]
    fn a_missing_variable_is_named() {
        for name in ["TUSAB_LLM_NO_SUCH_VARIABLE", "", "a=b", "a\0b"] {
            let error = ApiKey::from_env(name).err().unwrap();
            assert!(matches!(&error, Error::NoKey { variable } if variable == name), "{error}");
        }
    }

    #[test]
    fn a_key_kept_elsewhere_is_asked_for_each_time() {
        use std::sync::atomic::{AtomicU8, Ordering};
        let asked = AtomicU8::new(0);
        let key = ApiKey::from_callback(move || match asked.fetch_add(1, Ordering::SeqCst) {
            0 => Ok("first\n".to_owned()),
            1 => Ok("no key".to_owned()),
            _ => Err("the store is locked".into()),
        });
        assert_eq!(&*key.secret().unwrap(), "first");
        assert!(matches!(key.secret().err().unwrap(), Error::BadKey { .. }));
        let error = key.secret().err().unwrap();
        assert!(
            matches!(&error, Error::KeyCallback { source } if source.to_string() == "the store is locked")
        );
        assert!(!error.to_string().contains("locked"));
    }
}
