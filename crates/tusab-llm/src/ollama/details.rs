use serde::Deserialize;
use serde_json::{Map, Value};

use super::wire::not_ollama;
use crate::{Error, Tokens};

/// What an Ollama server knows of one of its models (`/api/show`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelDetails {
    /// The longest context that the model was made for.
    pub context_length: Option<Tokens>,
    /// How long its vectors are.
    pub embedding_length: Option<u32>,
    /// What it can do, in the server's words, such as `completion`, `thinking` or `embedding`.
    pub capabilities: Vec<String>,
    /// How many parameters it has, in the server's words, such as `1.2B`.
    pub parameters: Option<String>,
    /// How its weights are stored, in the server's words, such as `Q8_0`.
    pub quantization: Option<String>,
}

impl ModelDetails {
    /// Whether the server says that the model can do `what`.
    #[must_use]
    pub fn can(&self, what: &str) -> bool {
        self.capabilities.iter().any(|capability| capability == what)
    }
}

#[derive(Deserialize)]
struct Shown {
    details: Option<Details>,
    model_info: Option<Map<String, Value>>,
    capabilities: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Details {
    parameter_size: Option<String>,
    quantization_level: Option<String>,
}

/// What `/api/show` says.
pub(super) fn details(body: &[u8]) -> Result<ModelDetails, Error> {
    let shown: Shown = serde_json::from_slice(body).map_err(|_| not_ollama("a description of a model"))?;
    let info = shown.model_info.unwrap_or_default();
    // The numbers stand under the name of the architecture: `llama.context_length`.
    let architecture = info.get("general.architecture").and_then(Value::as_str).unwrap_or_default();
    let number = |name: &str| {
        let value = info.get(&format!("{architecture}.{name}"))?;
        value.as_u64().and_then(|number| u32::try_from(number).ok())
    };
    let known = |text: Option<String>| text.filter(|text| !text.is_empty());
    let (parameters, quantization) =
        shown.details.map_or((None, None), |details| (details.parameter_size, details.quantization_level));
    Ok(ModelDetails {
        context_length: number("context_length").map(Tokens::new),
        embedding_length: number("embedding_length"),
        capabilities: shown.capabilities.unwrap_or_default(),
        parameters: known(parameters),
        quantization: known(quantization),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_length_of_the_context_stands_under_the_architecture() {
        let body = json!({
            "details": {"parameter_size": "1.2B", "quantization_level": "Q8_0", "family": "llama"},
            "model_info": {"general.architecture": "llama", "llama.context_length": 131_072,
                "llama.embedding_length": 2048, "tokenizer.ggml.tokens": null},
            "capabilities": ["completion", "tools"],
        });
        let details = details(body.to_string().as_bytes()).unwrap();
        assert_eq!(details.context_length, Some(Tokens::new(131_072)));
        assert_eq!(details.embedding_length, Some(2048));
        assert_eq!(details.parameters.as_deref(), Some("1.2B"));
        assert!(details.can("tools") && !details.can("thinking"));
        assert_eq!(super::details(b"{}").unwrap(), ModelDetails::default());
        assert!(super::details(b"[]").is_err());
    }
}
