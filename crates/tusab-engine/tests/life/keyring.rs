//! Keys in a store: the kernel's own, which needs no desktop; and in memory, since some machines keep the kernel's from their
//! users, and what the engine does with a store is to be seen there too.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use keyring_core::{CredentialStore, api::CredentialStoreApi};
use tusab_engine::{Config, Engine, Error, KeySource};

use crate::common::holding;

/// The kernel's store. Keys have a name of their own, so that none of the user's is touched.
fn kernel() -> Option<Arc<CredentialStore>> {
    let store: Arc<CredentialStore> = linux_keyutils_keyring_store::Store::new().ok()?;
    let probe = store.build("tusab", "tusab-test-probe", None).ok()?;
    let works = probe.set_secret(b"x").is_ok() && probe.delete_credential().is_ok();
    if !works {
        println!("skipped: the kernel keeps no keys for this process");
    }
    works.then_some(store)
}

fn config(data: &Path, store: &Arc<CredentialStore>) -> Config {
    Engine::builder().data_dir(data).keyring(Arc::clone(store)).build().unwrap().config()
}

#[tokio::test]
async fn a_key_is_kept_shown_masked_and_removed() {
    let memory: Arc<CredentialStore> = keyring_core::mock::Store::new().unwrap();
    keeps(&memory).await;
    if let Some(store) = kernel() {
        keeps(&store).await;
    }
}

async fn keeps(store: &Arc<CredentialStore>) {
    let data = tempfile::tempdir().unwrap();
    let provider = format!("tusab-test-{}", std::process::id());
    let key = "sk-segredo-0123456789abcd";
    let config = config(data.path(), store);
    config.examine_keyring().await.unwrap();
    let settings = config.keep_key(&provider, format!(" {key}\n")).await.unwrap();
    assert_eq!(settings.keys.get(&provider), Some(&KeySource::Keyring));
    let file = fs::read_to_string(data.path().join("config/agent_config.json")).unwrap();
    assert!(file.contains("\"keyring\"") && holding(data.path(), key).is_empty(), "{file}");
    // Another process finds it by the settings.
    let config = self::config(data.path(), store);
    assert_eq!(config.masked_key(&provider).await.unwrap().as_deref(), Some("••••abcd"));
    assert!(config.key_from_env(&provider).await.unwrap().is_some());
    assert_eq!(store.build("tusab", &provider, None).unwrap().get_secret().unwrap(), key.as_bytes());
    assert!(!config.remove_key(&provider).await.unwrap().keys.contains_key(&provider));
    let gone = store.build("tusab", &provider, None).unwrap().get_secret();
    assert!(matches!(gone, Err(keyring_core::Error::NoEntry)), "{gone:?}");
    assert!(config.key_from_env(&provider).await.unwrap().is_none());
    // One that somebody else took out of the store is said to be missing.
    config.set_key(&provider, KeySource::Keyring).await.unwrap();
    let missing = config.key_from_env(&provider).await.map(drop).unwrap_err();
    assert!(matches!(&missing, Error::KeyNotKept { provider: of } if *of == provider), "{missing:?}");
    assert!(matches!(config.keep_key(&provider, "não é".into()).await, Err(Error::Key { .. })));
}

/// A store that is not there, as on a server without a desktop.
#[derive(Debug)]
struct Away;

impl CredentialStoreApi for Away {
    fn vendor(&self) -> String {
        "away".to_owned()
    }

    fn id(&self) -> String {
        "away".to_owned()
    }

    fn build(
        &self,
        _: &str,
        _: &str,
        _: Option<&HashMap<&str, &str>>,
    ) -> keyring_core::Result<keyring_core::Entry> {
        Err(keyring_core::Error::NoStorageAccess("no service".into()))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

#[tokio::test]
async fn without_a_service_nothing_is_said_to_be_kept() {
    let data = tempfile::tempdir().unwrap();
    let store: Arc<CredentialStore> = Arc::new(Away);
    let config = config(data.path(), &store);
    for error in [
        config.keep_key("groq", "sk-segredo-0123456789".into()).await.map(drop).unwrap_err(),
        config.examine_keyring().await.map(drop).unwrap_err(),
    ] {
        assert!(
            matches!(error, Error::Keyring { .. }) && error.to_string().contains("start its service"),
            "{error}"
        );
        assert!(!format!("{error:?}").contains("segredo"));
    }
    assert!(config.read().await.unwrap().keys.is_empty());
}
