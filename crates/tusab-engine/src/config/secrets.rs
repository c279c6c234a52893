//! What among settings is, by its name, a key.

use serde_json::{Map, Value};

/// Takes the place of what is not shown.
const DOTS: &str = "••••";

/// Ends of names, without their separators, under which keys are found.
const ENDS: [&str; 8] =
    ["apikey", "secret", "password", "senha", "accesstoken", "authtoken", "bearertoken", "clientsecret"];

/// Whole names, and names of providers with `_key`, as older apps have them.
fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    let plain: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
    plain == "key"
        || plain == "token"
        || name.ends_with("_key")
        || ENDS.iter().any(|end| plain.ends_with(end))
}

/// The name of the first value that is a key; what leaves one as it is does not count.
pub(super) fn find_secret(settings: &Map<String, Value>) -> Option<String> {
    settings.iter().find_map(|(name, value)| match value {
        Value::String(text) if is_secret(name) && !text.is_empty() => {
            let leaves_it = text == super::KEEP || is_masked(text);
            (!leaves_it).then(|| name.clone())
        }
        Value::Object(inner) => find_secret(inner),
        Value::Array(elements) => elements.iter().filter_map(Value::as_object).find_map(find_secret),
        _ => None,
    })
}

/// Hides every key, but for the last characters of a long one, by which a person tells it from another.
pub(super) fn mask(settings: &mut Map<String, Value>) {
    for (name, value) in settings {
        match value {
            Value::String(text) if is_secret(name) && !text.is_empty() => {
                *text = masked(text);
            }
            Value::Object(inner) => mask(inner),
            Value::Array(elements) => {
                elements.iter_mut().filter_map(Value::as_object_mut).for_each(mask);
            }
            _ => {}
        }
    }
}

/// A key as it may be shown.
pub(super) fn masked(key: &str) -> String {
    let length = key.chars().count();
    let shown: String = key.chars().skip(if length >= 16 { length - 4 } else { length }).collect();
    format!("{DOTS}{shown}")
}

pub(super) fn is_masked(text: &str) -> bool {
    text.starts_with(DOTS)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_are_known_by_their_names() {
        for name in
            ["api_key", "openai_api_key", "apiKey", "anthropic_key", "token", "client-secret", "Senha"]
        {
            assert!(is_secret(name), "{name}");
        }
        for name in ["max_tokens", "keyboard", "provider", "monkey", "key_phrases", "tokens"] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn what_is_masked_shows_at_most_four_characters() {
        let json =
            json!({"a": {"api_key": "sk-abcdefghijklmnop"}, "list": [{"token": "curto"}], "token": ""});
        let Value::Object(mut settings) = json else { unreachable!() };
        assert_eq!(find_secret(&settings).as_deref(), Some("api_key"));
        mask(&mut settings);
        let shown = Value::Object(settings.clone()).to_string();
        assert!(
            shown.contains("••••mnop") && !shown.contains("lmnop") && !shown.contains("curto"),
            "{shown}"
        );
        assert_eq!(find_secret(&settings), None);
    }
}
