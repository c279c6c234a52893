//! Every word by which a vendor says why an answer ended, a prompt was blocked or a call failed, and what it is to us. A new one
//! in the published specifications or in the SDKs' types is a test that fails.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tusab_llm::testing::decode;
use tusab_llm::{Error, FinishReason, ModelId, Provider};

use super::child::{Part, python};
use super::responses::MODELS;

/// Every reason to stop, and what it is in our words; `None` for one that is kept as it is.
pub(super) fn reasons(provider: Provider) -> Vec<(&'static str, Option<FinishReason>)> {
    use FinishReason::{Filtered, Length, Stop};
    let (stop, length, filters, others): (&[_], &[_], &[_], &[_]) = match provider {
        Provider::Anthropic => (
            &["end_turn", "stop_sequence"],
            &["max_tokens", "model_context_window_exceeded"],
            &["refusal"],
            &["pause_turn", "tool_use", "compaction"],
        ),
        Provider::Gemini => (
            &["STOP"],
            &["MAX_TOKENS", "CONTINUATION"],
            &[
                "SAFETY",
                "RECITATION",
                "LANGUAGE",
                "BLOCKLIST",
                "PROHIBITED_CONTENT",
                "SPII",
                "IMAGE_SAFETY",
                "IMAGE_PROHIBITED_CONTENT",
                "IMAGE_RECITATION",
                "MODEL_ARMOR",
                "ESCALATION",
                "PUP_LIMITED_DISABLED",
            ],
            &[
                "OTHER",
                "MALFORMED_FUNCTION_CALL",
                "UNEXPECTED_TOOL_CALL",
                "TOO_MANY_TOOL_CALLS",
                "MISSING_THOUGHT_SIGNATURE",
                "MALFORMED_RESPONSE",
                "IMAGE_OTHER",
                "NO_IMAGE",
            ],
        ),
        Provider::Ollama => (&["stop"], &["length"], &[], &["load", "unload"]),
        _ => (&["stop"], &["length"], &["content_filter"], &["tool_calls", "function_call"]),
    };
    let all = [(stop, Some(Stop)), (length, Some(Length)), (filters, Some(Filtered)), (others, None)];
    all.iter().flat_map(|(words, ours)| words.iter().map(|word| (*word, ours.clone()))).collect()
}

/// Why Gemini, and Vertex with the same API, block a prompt.
pub(super) const BLOCKS: [&str; 7] =
    ["SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "IMAGE_SAFETY", "MODEL_ARMOR", "JAILBREAK"];

/// The types of Anthropic's errors, and the errors that they are.
const FAULTS: [(&str, &str); 9] = [
    ("invalid_request_error", "Rejected"),
    ("authentication_error", "Auth"),
    ("permission_error", "Auth"),
    ("billing_error", "OutOfCredit"),
    ("not_found_error", "ModelNotFound"),
    ("rate_limit_error", "RateLimited"),
    ("timeout_error", "Rejected, may pass"),
    ("api_error", "Rejected, may pass"),
    ("overloaded_error", "Overloaded"),
];

fn published(said: &Value, kind: &str) -> BTreeSet<String> {
    said[kind].as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
}

fn ours<'w>(words: impl IntoIterator<Item = &'w str>) -> BTreeSet<String> {
    words.into_iter().map(str::to_owned).collect()
}

#[test]
#[ignore = "needs the vendors' specifications and SDKs: run scripts/test.sh"]
fn every_word_that_a_vendor_publishes_is_known() {
    let mut lists = Part::start(python("list_words.py"));
    for (model, _) in MODELS {
        let provider = model.parse::<ModelId>().unwrap().provider();
        // Ollama has no list of them.
        if provider == Provider::Ollama {
            continue;
        }
        let said = lists.ask(&json!(provider));
        let known = reasons(provider);
        assert_eq!(published(&said, "finish"), ours(known.iter().map(|(word, _)| *word)), "{model}");
        let blocks = if provider == Provider::Gemini { &BLOCKS[..] } else { &[] };
        assert_eq!(published(&said, "block"), ours(blocks.iter().copied()), "{model}");
        let faults = if provider == Provider::Anthropic { &FAULTS[..] } else { &[] };
        assert_eq!(published(&said, "error"), ours(faults.iter().map(|(word, _)| *word)), "{model}");
    }
}

#[test]
fn every_type_of_anthropics_errors_is_an_error_of_ours() {
    for (word, expected) in FAULTS {
        let event = json!({"type": "error", "error": {"type": word, "message": "model: m"}});
        let stream = format!("event: error\ndata: {event}\n\n");
        let (_, error) = decode(&"anthropic::m".parse().unwrap(), [stream.as_bytes()]);
        let found = match error.unwrap() {
            Error::Rejected { transient: true, .. } => "Rejected, may pass",
            Error::Rejected { .. } => "Rejected",
            Error::Auth { .. } => "Auth",
            Error::OutOfCredit { .. } => "OutOfCredit",
            Error::ModelNotFound { .. } => "ModelNotFound",
            Error::RateLimited { .. } => "RateLimited",
            Error::Overloaded { .. } => "Overloaded",
            other => panic!("{word}: {other:?}"),
        };
        assert_eq!(found, expected, "{word}");
    }
}
