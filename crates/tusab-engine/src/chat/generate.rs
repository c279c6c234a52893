//! The model's part of an answer.

use tusab_llm::{ChatModel, ChatRequest, Delta, FinishReason, Usage};

use super::stream::Events;
use crate::AnswerEvent;

/// A model that goes on for longer is cut off, in bytes; no answer that was asked for is as long.
const LONGEST: usize = 1 << 20;

/// What a model has written so far.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) text: String,
    pub(super) usage: Usage,
    /// It stopped before it was done.
    pub(super) is_cut: bool,
}

/// Reads a model's answer to its end, passing it on. What was read by then stays in `draft` when this fails or is dropped.
pub(super) async fn write(
    model: &dyn ChatModel,
    request: ChatRequest,
    events: &Events,
    draft: &mut Draft,
) -> Result<(), tusab_llm::Error> {
    let mut stream = model.stream(request).await?;
    while let Some(delta) = stream.next().await {
        match delta? {
            Delta::Text(piece) => {
                draft.text.push_str(&piece);
                events.tell(AnswerEvent::Text(piece));
            }
            Delta::Thinking(piece) => events.tell(AnswerEvent::Thinking(piece)),
            Delta::TextWasThinking => {
                let thought = std::mem::take(&mut draft.text);
                events.tell(AnswerEvent::Withdrawn);
                events.tell(AnswerEvent::Thinking(thought));
            }
            Delta::Usage(so_far) => draft.usage = so_far,
            Delta::Done { finish_reason } => {
                draft.is_cut = matches!(finish_reason, FinishReason::Length | FinishReason::Filtered);
            }
            _ => {}
        }
        if draft.text.len() > LONGEST {
            draft.is_cut = true;
            break;
        }
    }
    Ok(())
}
