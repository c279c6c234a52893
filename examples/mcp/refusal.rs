//! Why a tool gives nothing, in words that help whoever asked to ask better.

use rmcp::ErrorData;
use rmcp::handler::server::tool::IntoCallToolResult;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock};

/// Told as the result of the tool, not as a fault of the protocol: hosts show those to the model.
#[derive(Debug)]
pub(crate) struct Refusal(String);

impl Refusal {
    pub(crate) fn new(told: impl Into<String>) -> Self {
        Self(told.into())
    }

    /// The same as a fault of the protocol, for requests that have no other way to fail.
    pub(crate) fn into_invalid_params(self) -> ErrorData {
        ErrorData::invalid_params(self.0, None)
    }
}

impl From<tusab_engine::Error> for Refusal {
    fn from(error: tusab_engine::Error) -> Self {
        Self(examples::chain(&error))
    }
}

impl IntoCallToolResult for Refusal {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        Ok(CallToolResult::error(vec![ContentBlock::text(self.0)]).into())
    }
}
