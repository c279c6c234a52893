//! The old settings, without anything that is a secret.

use serde_json::{Map, Value};

/// Parts of names of settings that hold secrets.
const SECRET_NAMES: [&str; 9] =
    ["key", "token", "secret", "senha", "password", "chave", "credential", "credencial", "cookie"];

/// How keys of providers begin, wherever they stand.
const SECRET_STARTS: [&str; 8] = ["sk-", "gsk_", "AIza", "xai-", "Bearer ", "ghp_", "hf_", "__encrypted__"];

/// The settings that are no secrets, and the names of those that are.
pub(super) fn without_secrets(settings: Map<String, Value>) -> (Map<String, Value>, Vec<String>) {
    let mut removed = Vec::new();
    let kept = clean(settings, "", &mut removed);
    (kept, removed)
}

fn clean(settings: Map<String, Value>, above: &str, removed: &mut Vec<String>) -> Map<String, Value> {
    let mut kept = Map::new();
    for (name, value) in settings {
        let path = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
        let lower = name.to_lowercase();
        // A number of tokens is no token; nothing that is not text or made of it can be a secret.
        let can_be = matches!(value, Value::String(_) | Value::Array(_) | Value::Object(_));
        if can_be && SECRET_NAMES.iter().any(|part| lower.contains(part)) {
            removed.push(path);
        } else if let Some(value) = clean_value(value, &path, removed) {
            kept.insert(name, value);
        }
    }
    kept
}

fn clean_value(value: Value, path: &str, removed: &mut Vec<String>) -> Option<Value> {
    match value {
        Value::String(text) if SECRET_STARTS.iter().any(|start| text.trim_start().starts_with(start)) => {
            removed.push(path.to_owned());
            None
        }
        Value::Object(fields) => Some(Value::Object(clean(fields, path, removed))),
        Value::Array(values) => {
            Some(values.into_iter().filter_map(|value| clean_value(value, path, removed)).collect())
        }
        other => Some(other),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_go_wherever_they_are() {
        let settings = json!({
            "provider": "openai", "openai_key": "abc", "api": { "Chave": "x", "modelo": "gpt" },
            "custom": ["sk-123", "ok"], "headers": [{ "Authorization": "Bearer 1" }], "max_tokens": 1500,
            "tema": "gsk_1"
        });
        let Value::Object(settings) = settings else { panic!() };
        let (kept, removed) = without_secrets(settings);
        assert_eq!(
            Value::Object(kept),
            json!({ "provider": "openai", "api": { "modelo": "gpt" }, "custom": ["ok"], "headers": [{}], "max_tokens": 1500 })
        );
        assert_eq!(removed.len(), 5);
    }
}
