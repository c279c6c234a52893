//! What an error of Anthropic's says.

use serde_json::Value;

use crate::ChatOption;
use crate::http::{Concession, Fault, Said, context_length, context_size};

/// What the body of an error says.
pub(super) fn said(body: &[u8]) -> Said {
    let page = serde_json::from_slice::<Value>(body).ok();
    page.as_ref().and_then(|page| page.get("error")).map(of_error).unwrap_or_default()
}

/// What an `error` object says.
pub(super) fn of_error(error: &Value) -> Said {
    let text = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
    let (kind, message) = (text("type"), text("message"));
    let fault = match kind {
        "authentication_error" | "permission_error" => Some(Fault::Auth),
        "billing_error" => Some(Fault::OutOfCredit),
        "rate_limit_error" => Some(Fault::RateLimited),
        "overloaded_error" => Some(Fault::Overloaded),
        "request_too_large" => Some(context_length(message)),
        // Of llama.cpp, which speaks this API too.
        "exceed_context_size_error" => Some(context_size(error, message)),
        "api_error" | "timeout_error" => Some(Fault::Transient),
        // The same type stands for a path that is not there.
        "not_found_error" if message.starts_with("model:") => Some(Fault::ModelMissing),
        "invalid_request_error" => invalid(message),
        _ => None,
    };
    let refuses_temperature = kind == "invalid_request_error"
        && message.contains("temperature")
        && ["not support", "deprecated", "not accept"].iter().any(|words| message.contains(words));
    let message = if message.trim().is_empty() { "it gave no reason" } else { message };
    Said {
        message: Some(message.to_owned()),
        status: None,
        fault,
        retry_after: None,
        concession: refuses_temperature.then_some(Concession::Drop(ChatOption::Temperature)),
    }
}

fn invalid(message: &str) -> Option<Fault> {
    if message.starts_with("prompt is too long") || message.contains("exceed context limit") {
        Some(context_length(message))
    } else if message.contains("credit balance is too low") {
        Some(Fault::OutOfCredit)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tokens;
    use serde_json::json;

    fn of(kind: &str, message: &str) -> Said {
        let page =
            json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"});
        said(page.to_string().as_bytes())
    }

    #[test]
    fn types_are_told_apart() {
        for (kind, message, expected) in [
            ("authentication_error", "invalid x-api-key", Some(Fault::Auth)),
            ("permission_error", "m", Some(Fault::Auth)),
            ("billing_error", "m", Some(Fault::OutOfCredit)),
            ("rate_limit_error", "m", Some(Fault::RateLimited)),
            ("overloaded_error", "Overloaded", Some(Fault::Overloaded)),
            ("api_error", "Internal server error", Some(Fault::Transient)),
            ("not_found_error", "model: claude-x", Some(Fault::ModelMissing)),
            ("not_found_error", "Not Found", None),
            ("invalid_request_error", "max_tokens: Field required", None),
            (
                "invalid_request_error",
                "Your credit balance is too low to access the API.",
                Some(Fault::OutOfCredit),
            ),
            ("some_new_error", "m", None),
        ] {
            assert_eq!(of(kind, message).fault, expected, "{kind}: {message}");
        }
        let long = of("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum").fault;
        let (limit, asked) = (Some(Tokens::new(200_000)), Some(Tokens::new(210_000)));
        assert_eq!(long, Some(Fault::ContextLength { limit, asked }));
    }

    #[test]
    fn a_refused_temperature_can_be_given_up() {
        let drop = Some(Concession::Drop(ChatOption::Temperature));
        let kind = "invalid_request_error";
        assert_eq!(of(kind, "`temperature` is deprecated for this model.").concession, drop);
        assert_eq!(of(kind, "temperature: Input should be less than or equal to 1").concession, None);
        for nothing in ["", "<html>", "[]", "{}"] {
            assert_eq!(said(nothing.as_bytes()), Said::default(), "{nothing}");
        }
    }
}
