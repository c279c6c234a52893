//! Ollama, as its API documentation describes it. What is its own is tested in the module of its name.

use tusab_llm::{Tokens, Usage};

use super::subject::Subject;
use crate::server::{DONE, line};

pub(crate) fn subject() -> Subject {
    Subject {
        model: "ollama::llama3.2:1b",
        target: "POST /api/chat",
        auth: "authorization: bearer sk-verysecret",
        content_type: "application/x-ndjson",
        stream: [
            line("<think>Hm, "),
            line("não…</think>"),
            line("\nA ação é boa: "),
            line("👩‍🚀 ok\n"),
            DONE.to_owned(),
        ]
        .concat(),
        thinking: "Hm, não…",
        text: "A ação é boa: 👩‍🚀 ok\n",
        usage: Usage::new(Tokens::new(26), Tokens::new(7)),
        first_word: line("Ol"),
        error_inside: ("{\"error\":\"runner failed on 'meu segredo é 12345'\"}\n".to_owned(), "Rejected"),
        refusals: vec![
            ("404 Not Found", "", r#"{"error":"model 'llama3.2:1b' not found"}"#, "ModelNotFound"),
            ("404 Not Found", "", "404 page not found", "Protocol"),
            (
                "400 Bad Request",
                "",
                r#"{"error":"\"llama3.2:1b\" does not support thinking"}"#,
                "Unsupported",
            ),
            (
                "400 Bad Request",
                "",
                concat!(
                    r#"{"error":{"code":400,"message":"request (42947 tokens) exceeds the available context size "#,
                    r#"(8192 tokens), try increasing it","type":"exceed_context_size_error","#,
                    r#""n_prompt_tokens":42947,"n_ctx":8192}}"#
                ),
                "ContextLengthExceeded",
            ),
            (
                "503 Service Unavailable",
                "",
                r#"{"error":"server busy, please try again.  maximum pending requests exceeded"}"#,
                "Overloaded",
            ),
            ("500 Internal Server Error", "", r#"{"error":"failed on 'meu segredo é 12345'"}"#, "Rejected"),
        ],
    }
}

#[tokio::test]
async fn it_passes_the_suite() {
    subject().passes("\"done_reason\"").await;
}

#[tokio::test]
async fn it_is_read_however_the_network_cuts_it() {
    subject().is_read_however_the_network_cuts_it().await;
}
