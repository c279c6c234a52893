//! Auxiliary calls: short, without chance, and never waited for longer than they are worth.

use std::time::Duration;

use tokio::time::timeout;
use tusab_llm::{ChatModel, ChatRequest, Message, Provider, Temperature, Thinking, Tokens};

use super::ChatModels;
use crate::Degradation;
use crate::answer::Budget;
use crate::error::chain;

/// How long an auxiliary call may take: small models on the user's own machine are slower to begin.
const HOSTED: Duration = Duration::from_secs(8);
const LOCAL: Duration = Duration::from_secs(15);

/// The request of an auxiliary call.
pub(crate) fn request(system: &str, prompt: String, output: u32) -> ChatRequest {
    ChatRequest::new([Message::user(prompt)])
        .with_system(system)
        .with_temperature(Temperature::ZERO)
        .with_thinking(Thinking::Off)
        .with_max_output(Tokens::new(output))
}

/// The request with the context that answers are asked with: another one would make Ollama load the model again.
pub(super) async fn in_context(
    model: &dyn ChatModel,
    models: &ChatModels,
    mut request: ChatRequest,
) -> ChatRequest {
    if model.id().provider() == Provider::Ollama {
        let budget = Budget::new(model.id(), model.context_length().await, models.context());
        request.context_length = budget.asked_context();
    }
    request
}

/// How long is waited for a model.
pub(crate) fn patience(model: &dyn ChatModel) -> Duration {
    if model.is_local() || model.id().provider() == Provider::Ollama { LOCAL } else { HOSTED }
}

/// What the model says, trimmed; why it said nothing in `degraded`.
pub(crate) async fn ask(
    model: &dyn ChatModel,
    request: ChatRequest,
    patience: Duration,
    degraded: &mut Vec<Degradation>,
) -> Option<String> {
    let reason = match timeout(patience, model.chat(request)).await {
        Ok(Ok(reply)) if !reply.text.trim().is_empty() => return Some(reply.text.trim().to_owned()),
        Ok(Ok(_)) => "it wrote nothing".to_owned(),
        Ok(Err(error)) => chain(&error),
        Err(_) => format!("it took longer than {patience:?}"),
    };
    degraded.push(Degradation::HelperFailed { model: model.id().to_string(), reason });
    None
}
