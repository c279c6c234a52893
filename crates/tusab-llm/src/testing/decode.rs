use std::collections::VecDeque;

use crate::http::Decoder;
use crate::redact::Redactor;
use crate::{ChatRequest, Delta, Error, ModelId};

/// Reads `pieces` as the body of an answer of `model`, in the form of its provider, and gives what a stream would: the
/// deltas, and the error that ended them, if one did. Nothing is sent; a recorded answer can be looked at without a server.
///
/// ```
/// use tusab_llm::Delta;
/// use tusab_llm::testing::decode;
/// let recorded = b"data: {\"choices\":[{\"delta\":{\"content\":\"Ol\xc3\xa1\"}}]}\n\ndata: [DONE]\n\n";
/// let (deltas, error) = decode(&"openai::gpt-5.4-mini".parse()?, recorded.chunks(7));
/// assert_eq!(deltas[0], Delta::Text("Olá".to_owned()));
/// assert!(error.is_none());
/// # Ok::<(), tusab_llm::Error>(())
/// ```
pub fn decode<'a>(
    model: &ModelId,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Vec<Delta>, Option<Error>) {
    let mut decoder = match decoder(model) {
        Ok(decoder) => decoder,
        Err(error) => return (Vec::new(), Some(error)),
    };
    let mut deltas = VecDeque::new();
    let pushed = pieces.into_iter().try_for_each(|piece| decoder.push(piece, &mut deltas));
    let result = pushed.and_then(|()| decoder.finish(&mut deltas));
    (deltas.into(), result.err())
}

fn decoder(model: &ModelId) -> Result<Box<dyn Decoder>, Error> {
    let redactor = Redactor::new(ChatRequest::default(), None);
    #[cfg(feature = "ollama")]
    if model.provider() == crate::Provider::Ollama {
        return Ok(crate::ollama::decoder(model, redactor));
    }
    crate::client::decoder(model, redactor)
}
