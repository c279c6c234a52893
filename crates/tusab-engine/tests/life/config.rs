use std::fs;

use serde_json::{Value, json};
use tusab_engine::{Error, KeySource};

use crate::common::engine;

#[tokio::test]
async fn a_partial_update_wipes_nothing_and_what_is_unknown_survives() {
    let data = tempfile::tempdir().unwrap();
    let config = engine(data.path()).config();
    assert!(config.read().await.unwrap().values.is_empty());
    let file = data.path().join("config/agent_config.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let old =
        r#"{"provedor": "groq", "openai_key": "sk-aaaaaaaaaaaaaaaa1234", "do_futuro": {"x": [1, {"y": 2}]}}"#;
    fs::write(&file, format!("\u{feff}{old}")).unwrap();
    config.set_key("groq", KeySource::Env("GROQ_API_KEY".into())).await.unwrap();
    config.update(json!({"modelo": "m", "do_futuro": {"z": 3}})).await.unwrap();
    // What an interface was shown comes back with what it changed.
    let shown = config.read().await.unwrap();
    assert_eq!(shown.values["openai_key"], "••••1234");
    let mut sent = Value::Object(shown.values.clone());
    sent["modelo"] = "n".into();
    config.update(sent).await.unwrap();
    config.update(json!({"provedor": "__keep__", "modelo": null})).await.unwrap();
    let stored: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(
        stored,
        json!({"provedor": "groq", "openai_key": "sk-aaaaaaaaaaaaaaaa1234",
            "do_futuro": {"x": [1, {"y": 2}], "z": 3}, "keys": {"groq": {"env": "GROQ_API_KEY"}}})
    );
    let settings = config.remove_key("groq").await.unwrap();
    assert!(settings.keys.is_empty());
    assert_eq!(settings.get::<String>("provedor").as_deref(), Some("groq"));
    assert_eq!(settings.get::<u32>("provedor"), None);
}

#[tokio::test]
async fn a_key_never_gets_into_the_file() {
    let data = tempfile::tempdir().unwrap();
    let config = engine(data.path()).config();
    let key = "sk-segredo-0123456789";
    for changes in [
        json!({"api_key": key}),
        json!({"a": {"openai_key": key}}),
        json!({"a": [{"token": key}]}),
        json!({"keys": {"groq": {"env": key}}}),
        json!([key]),
    ] {
        let refused = config.update(changes.clone()).await.unwrap_err();
        assert!(matches!(refused, Error::Settings { .. }), "{changes}");
        assert!(!refused.to_string().contains(key), "{refused}");
    }
    let refused = config.set_key("groq", KeySource::Env(key.into())).await.unwrap_err();
    assert!(!format!("{refused:?} {refused}").contains(key));
    config.set_key("groq", KeySource::Env("TUSAB_NO_SUCH_KEY".into())).await.unwrap();
    assert!(crate::common::holding(data.path(), key).is_empty());
    let missing = config.key_from_env("groq").await.map(|_| ()).unwrap_err();
    let reason = std::error::Error::source(&missing).unwrap().to_string();
    assert!(reason.contains("TUSAB_NO_SUCH_KEY"), "{reason}");
    assert!(config.key_from_env("openai").await.unwrap().is_none());
    // Any variable will do to show that it is read.
    config.set_key("path", KeySource::Env("PATH".into())).await.unwrap();
    assert!(config.key_from_env("path").await.unwrap().is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn updates_at_once_are_all_kept() {
    let data = tempfile::tempdir().unwrap();
    let tasks: Vec<_> = (0..12)
        .map(|n| {
            let config = engine(data.path()).config();
            tokio::spawn(async move { config.update(json!({ format!("k{n}"): n })).await.unwrap() })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(engine(data.path()).config().read().await.unwrap().values.len(), 12);
}

#[tokio::test]
async fn a_damaged_file_is_left_as_it_is() {
    let data = tempfile::tempdir().unwrap();
    let config = engine(data.path()).config();
    config.update(json!({"a": 1})).await.unwrap();
    let file = data.path().join("config/agent_config.json");
    fs::write(&file, "{\"a\":").unwrap();
    assert!(matches!(config.update(json!({"b": 2})).await, Err(Error::Damaged { .. })));
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\"a\":");
}

#[tokio::test]
async fn a_build_or_a_system_without_a_keyring_says_what_to_do() {
    let data = tempfile::tempdir().unwrap();
    let config = engine(data.path()).config();
    let file = data.path().join("config/agent_config.json");
    config.set_key("groq", KeySource::Keyring).await.unwrap();
    let stored: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(stored, json!({"keys": {"groq": "keyring"}}));
    if cfg!(not(feature = "keyring")) {
        for error in [
            config.key_from_env("groq").await.map(drop).unwrap_err(),
            config.masked_key("groq").await.map(drop).unwrap_err(),
            config.remove_key("groq").await.map(drop).unwrap_err(),
        ] {
            assert!(matches!(error, Error::Keyring { .. }), "{error:?}");
            assert!(error.to_string().contains("environment variable"), "{error}");
        }
    }
    assert!(
        config.read().await.unwrap().keys.contains_key("groq"),
        "what could not be removed is still named"
    );
}
