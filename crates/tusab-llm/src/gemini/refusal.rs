//! What an error of Gemini's says.

use std::time::Duration;

use serde_json::Value;

use crate::http::{Fault, Said, context_length, named_status};

/// What the body of an error says. Before a stream, it may stand in an array.
pub(super) fn said(body: &[u8]) -> Said {
    let page = serde_json::from_slice::<Value>(body).ok();
    let page = page.as_ref().map(|page| page.get(0).unwrap_or(page));
    page.and_then(|page| page.get("error")).map(of_error).unwrap_or_default()
}

/// What it says of calls from a country that it does not serve, or not for free.
const FOREIGN: [&str; 2] = ["location is not supported", "not available in your country"];

/// What an `error` object says.
pub(super) fn of_error(error: &Value) -> Said {
    let text =
        |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (status, message) = (text(error, "status"), text(error, "message"));
    let details: &[Value] =
        error.get("details").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let reason = details.iter().map(|detail| text(detail, "reason")).find(|reason| !reason.is_empty());
    let fault = match status.as_str() {
        _ if reason.as_deref() == Some("API_KEY_INVALID") => Some(Fault::Auth),
        "UNAUTHENTICATED" | "PERMISSION_DENIED" => Some(Fault::Auth),
        "NOT_FOUND" if message.starts_with("models/") => Some(Fault::ModelMissing),
        "RESOURCE_EXHAUSTED" => Some(Fault::RateLimited),
        "UNAVAILABLE" => Some(Fault::Overloaded),
        "INTERNAL" | "DEADLINE_EXCEEDED" | "UNKNOWN" => Some(Fault::Transient),
        "INVALID_ARGUMENT" if message.contains("exceeds the maximum number of tokens") => {
            Some(context_length(&message))
        }
        "FAILED_PRECONDITION" if FOREIGN.iter().any(|words| message.contains(words)) => Some(Fault::Region),
        _ => None,
    };
    let retry_after = details.iter().find_map(|detail| seconds(&text(detail, "retryDelay")));
    let message = if message.trim().is_empty() { "it gave no reason".to_owned() } else { message };
    let status = named_status(error.get("code"));
    Said { message: Some(message), status, fault, retry_after, concession: None }
}

/// A duration as Protocol Buffers write it in JSON, such as `34.5s`.
fn seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tokens;
    use serde_json::json;

    fn of(status: &str, message: &str, details: &Value) -> Said {
        let page = json!({"error": {"code": 400, "message": message, "status": status, "details": details}});
        let said = said(page.to_string().as_bytes());
        assert_eq!(super::said(json!([page]).to_string().as_bytes()), said);
        said
    }

    #[test]
    fn statuses_are_told_apart() {
        let missing =
            "models/x is not found for API version v1beta, or is not supported for generateContent.";
        let long = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).";
        let lengths =
            Fault::ContextLength { limit: Some(Tokens::new(1_048_575)), asked: Some(Tokens::new(1_200_000)) };
        for (status, message, expected) in [
            ("PERMISSION_DENIED", "m", Some(Fault::Auth)),
            ("NOT_FOUND", missing, Some(Fault::ModelMissing)),
            ("NOT_FOUND", "m", None),
            ("UNAVAILABLE", "The model is overloaded.", Some(Fault::Overloaded)),
            ("INTERNAL", "m", Some(Fault::Transient)),
            ("INVALID_ARGUMENT", long, Some(lengths)),
            ("INVALID_ARGUMENT", "m", None),
            ("FAILED_PRECONDITION", "User location is not supported for the API use.", Some(Fault::Region)),
            ("FAILED_PRECONDITION", "m", None),
        ] {
            assert_eq!(of(status, message, &json!([])).fault, expected, "{status}: {message}");
        }
        let info =
            json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]);
        assert_eq!(of("INVALID_ARGUMENT", "API key not valid.", &info).fault, Some(Fault::Auth));
    }

    #[test]
    fn the_wait_stands_in_the_details() {
        let wait = |delay: &str| {
            let details = json!([{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": []},
                {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}]);
            of("RESOURCE_EXHAUSTED", "m", &details).retry_after
        };
        assert_eq!(wait("34s"), Some(Duration::from_secs(34)));
        assert_eq!(wait("1.5s"), Some(Duration::from_millis(1500)));
        for nonsense in ["", "s", "soon", "-1s", "1e300s", "NaNs"] {
            assert_eq!(wait(nonsense), None, "{nonsense}");
        }
        for nothing in ["", "<html>", "[]", "{}", "7"] {
            assert_eq!(said(nothing.as_bytes()), Said::default(), "{nothing}");
        }
    }
}
