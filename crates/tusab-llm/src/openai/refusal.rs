//! What an error of OpenAI's, or of one of the servers that speak its API, says.

use serde_json::Value;

use crate::ChatOption;
use crate::http::{Concession, Fault, Said, context_length, context_size, named_status};

/// What the body of an error says.
pub(super) fn said(body: &[u8]) -> Said {
    serde_json::from_slice::<Value>(body).map(|page| of_page(&page)).unwrap_or_default()
}

fn of_page(page: &Value) -> Said {
    match page.get("error") {
        Some(error) => of_error(error),
        // vLLM once, and servers made with `FastAPI`.
        None if page.get("object").and_then(Value::as_str) == Some("error") => of_error(page),
        None => match page.get("detail").and_then(Value::as_str) {
            Some(detail) => Said { message: Some(detail.to_owned()), ..Said::default() },
            None => Said::default(),
        },
    }
}

/// What an `error` object says; it may be a bare text.
pub(super) fn of_error(error: &Value) -> Said {
    let text = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
    let message = error.as_str().unwrap_or_else(|| text("message"));
    let (code, kind, param) = (text("code"), text("type"), text("param"));
    let refuses_option = matches!(code, "unsupported_parameter" | "unsupported_value");
    let concession = match param {
        _ if !refuses_option => None,
        "temperature" => Some(Concession::Drop(ChatOption::Temperature)),
        "seed" => Some(Concession::Drop(ChatOption::Seed)),
        "max_tokens" | "max_completion_tokens" => Some(Concession::OtherLimitName),
        _ => None,
    };
    let message = Some(message).filter(|message| !message.trim().is_empty()).map(str::to_owned);
    // An error is one even without words.
    let message = message.or_else(|| Some("it gave no reason".to_owned()));
    let fault = fault(error, code, kind, message.as_deref().unwrap_or_default());
    Said { message, status: named_status(error.get("code")), fault, retry_after: None, concession }
}

fn fault(error: &Value, code: &str, kind: &str, message: &str) -> Option<Fault> {
    match code {
        "context_length_exceeded" | "string_above_max_length" => return Some(context_length(message)),
        // Groq: more than a minute's allowance at once, which waiting does not change.
        "rate_limit_exceeded" if message.starts_with("Request too large") => {
            return Some(context_length(message));
        }
        "rate_limit_exceeded" => return Some(Fault::RateLimited),
        "insufficient_quota" | "billing_hard_limit_reached" | "billing_not_active" => {
            return Some(Fault::OutOfCredit);
        }
        // OpenAI gives some models to organizations only that it has verified.
        "model_not_found" if message.contains("must be verified") => return Some(Fault::ModelClosed),
        "model_not_found" | "model_decommissioned" => return Some(Fault::ModelMissing),
        // Groq: the organization has to accept the terms of the model's maker, or to switch the model on.
        "model_terms_required" | "model_permission_blocked_org" | "model_permission_blocked_project" => {
            return Some(Fault::ModelClosed);
        }
        "unsupported_country_region_territory" => return Some(Fault::Region),
        "invalid_api_key" | "account_deactivated" => return Some(Fault::Auth),
        "content_filter" | "content_policy_violation" => return Some(Fault::Blocked(code.to_owned())),
        _ => {}
    }
    match kind {
        "exceed_context_size_error" => return Some(context_size(error, message)),
        "insufficient_quota" => return Some(Fault::OutOfCredit),
        "authentication_error" => return Some(Fault::Auth),
        "rate_limit_error" => return Some(Fault::RateLimited),
        "overloaded_error" | "unavailable_error" => return Some(Fault::Overloaded),
        "server_error" | "internal_server_error" | "api_error" => return Some(Fault::Transient),
        _ => {}
    }
    // Servers that give no code, such as vLLM.
    message.contains("maximum context length").then(|| context_length(message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tokens;
    use serde_json::json;

    fn fault_of(error: &Value) -> Option<Fault> {
        said(json!({ "error": error }).to_string().as_bytes()).fault
    }

    #[test]
    fn codes_and_types_are_told_apart() {
        for (error, expected) in [
            (
                json!({"message": "m", "type": "insufficient_quota", "param": null, "code": "insufficient_quota"}),
                Some(Fault::OutOfCredit),
            ),
            (json!({"message": "m", "code": "insufficient_quota"}), Some(Fault::OutOfCredit)),
            (
                json!({"message": "m", "type": "requests", "code": "rate_limit_exceeded"}),
                Some(Fault::RateLimited),
            ),
            (
                json!({"message": "m", "type": "invalid_request_error", "code": "model_not_found"}),
                Some(Fault::ModelMissing),
            ),
            (
                json!({"message": "m", "type": "invalid_request_error", "code": "invalid_api_key"}),
                Some(Fault::Auth),
            ),
            (json!({"message": "m", "type": "server_error", "code": null}), Some(Fault::Transient)),
            (json!({"message": "m", "type": "invalid_request_error", "code": null}), None),
            (
                json!({"message": "m", "code": "content_filter"}),
                Some(Fault::Blocked("content_filter".to_owned())),
            ),
            (json!({"message": "m", "code": 400}), None),
            (json!({"message": "m", "code": "model_decommissioned"}), Some(Fault::ModelMissing)),
            (json!({"message": "m", "code": "model_terms_required"}), Some(Fault::ModelClosed)),
            (json!({"message": "m", "code": "model_permission_blocked_org"}), Some(Fault::ModelClosed)),
            (
                json!({"message": "Your organization must be verified to use the model `x`.", "code": "model_not_found"}),
                Some(Fault::ModelClosed),
            ),
            (
                json!({"message": "m", "type": "request_forbidden", "code": "unsupported_country_region_territory"}),
                Some(Fault::Region),
            ),
        ] {
            assert_eq!(fault_of(&error), expected, "{error}");
        }
    }

    #[test]
    fn a_prompt_that_is_too_long_is_told_with_its_length() {
        let tokens = |limit, asked| {
            Some(Fault::ContextLength { limit: Some(Tokens::new(limit)), asked: Some(Tokens::new(asked)) })
        };
        let message = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.";
        assert_eq!(
            fault_of(&json!({"message": message, "code": "context_length_exceeded"})),
            tokens(8192, 9001)
        );
        assert_eq!(
            fault_of(&json!({"message": message, "type": "BadRequestError", "code": 400})),
            tokens(8192, 9001)
        );
        let llama = json!({"code": 400, "message": "the request exceeds the available context size",
            "type": "exceed_context_size_error", "n_prompt_tokens": 7000, "n_ctx": 4096});
        assert_eq!(fault_of(&llama), tokens(4096, 7000));
        let groq = json!({"message": "Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 8000",
            "type": "tokens", "code": "rate_limit_exceeded"});
        assert_eq!(fault_of(&groq), tokens(6000, 8000));
    }

    #[test]
    fn an_option_refused_by_name_can_be_given_up() {
        let refused = |code: &str, param: &str| {
            let error =
                json!({"message": "m", "type": "invalid_request_error", "param": param, "code": code});
            said(json!({ "error": error }).to_string().as_bytes()).concession
        };
        assert_eq!(refused("unsupported_parameter", "max_tokens"), Some(Concession::OtherLimitName));
        assert_eq!(
            refused("unsupported_value", "temperature"),
            Some(Concession::Drop(ChatOption::Temperature))
        );
        assert_eq!(refused("unsupported_parameter", "messages"), None);
        assert_eq!(refused("invalid_value", "temperature"), None);
    }

    #[test]
    fn every_form_of_page_is_read() {
        let message = |page: &str| said(page.as_bytes()).message;
        assert_eq!(message(r#"{"error":"busy"}"#).as_deref(), Some("busy"));
        assert_eq!(message(r#"{"object":"error","message":"m","type":"x"}"#).as_deref(), Some("m"));
        assert_eq!(message(r#"{"detail":"Not Found"}"#).as_deref(), Some("Not Found"));
        assert_eq!(message(r#"{"error":{}}"#).as_deref(), Some("it gave no reason"));
        for nothing in ["", "<html>", "[]", "{}", "7"] {
            assert_eq!(said(nothing.as_bytes()), Said::default(), "{nothing}");
        }
    }
}
