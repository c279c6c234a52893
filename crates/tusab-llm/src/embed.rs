use std::time::Duration;

use tracing::Instrument;

use crate::http::Answer;
use crate::{BaseUrl, Error, ModelId, Provider, ResponseHead, RetryPolicy, Tokens, Usage, trace};

/// What is to be turned into vectors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EmbedRequest {
    /// The texts; each not empty.
    pub texts: Vec<String>,
    /// How long the vectors are to be, where the model can be told; else as long as its maker set.
    pub dimensions: Option<u32>,
    /// How long a text the model is to be able to read, where the server has to be told (Ollama); else as long as it sets.
    pub context_length: Option<Tokens>,
    /// What the vectors are for, where the model is told apart from the text (Gemini). Other models want a prefix in
    /// the text itself, which is the caller's to write.
    pub task: Option<EmbedTask>,
    /// How long to wait for the vectors of one call, each for up to a hundred of the texts; else
    /// [`Timeouts::first_byte`](crate::Timeouts) of the provider.
    pub timeout: Option<Duration>,
}

/// What vectors are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EmbedTask {
    /// A question, to find documents with.
    Query,
    /// A document, to be found.
    Document,
}

impl EmbedRequest {
    /// Asks for a vector of each of `texts`.
    #[must_use]
    pub fn new<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self {
            texts: texts.into_iter().map(Into::into).collect(),
            dimensions: None,
            context_length: None,
            task: None,
            timeout: None,
        }
    }

    /// How long the vectors are to be; more than zero.
    #[must_use]
    pub fn with_dimensions(mut self, dimensions: u32) -> Self {
        self.dimensions = Some(dimensions);
        self
    }

    /// How long a text the model is to be able to read.
    #[must_use]
    pub fn with_context_length(mut self, length: Tokens) -> Self {
        self.context_length = Some(length);
        self
    }

    /// What the vectors are for.
    #[must_use]
    pub fn with_task(mut self, task: EmbedTask) -> Self {
        self.task = Some(task);
        self
    }

    /// How long to wait for the vectors of one call, whatever the provider's [`Timeouts`](crate::Timeouts) say.
    #[must_use]
    pub fn with_timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let reason = if self.texts.iter().any(String::is_empty) {
            "an empty text has no vector"
        } else if self.dimensions == Some(0) {
            "a vector of 0 dimensions says nothing"
        } else {
            return Ok(());
        };
        Err(Error::BadRequest { reason })
    }
}

/// Vectors of texts.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct EmbedReply {
    /// One vector for each text, in their order; all of one length, all numbers finite.
    pub vectors: Vec<Vec<f32>>,
    /// What the call cost.
    pub usage: Usage,
}

/// What came for some of the texts.
pub(crate) struct Batch {
    vectors: Vec<Vec<f32>>,
    usage: Usage,
    head: ResponseHead,
}

impl Batch {
    /// What `read` finds in an answer. One in which it finds no vectors comes back.
    pub(crate) fn read(
        answer: Answer,
        read: impl FnOnce(&[u8]) -> Option<(Vec<Vec<f32>>, Usage)>,
    ) -> Result<Self, Answer> {
        match read(&answer.body) {
            Some((vectors, usage)) => Ok(Self { vectors, usage, head: answer.into_head() }),
            None => Err(answer),
        }
    }
}

/// Asks for vectors of all texts of `request`, `most` at a time, as `call` asks for some of them. A call that fails is made
/// again as `retry` says, and only that.
pub(crate) async fn in_batches<'r, F>(
    model: &ModelId,
    base: &BaseUrl,
    request: &'r EmbedRequest,
    most: usize,
    retry: &RetryPolicy,
    call: impl Fn(&'r [String]) -> F,
) -> Result<EmbedReply, Error>
where
    F: Future<Output = Result<Batch, Error>>,
{
    let span = trace::embeddings(model, base, request.texts.len());
    let made = async {
        let mut reply = EmbedReply::default();
        for texts in request.texts.chunks(most) {
            reply.add(model.provider(), texts.len(), retry.run(|| call(texts)).await?)?;
        }
        Ok(reply)
    };
    let reply = made.instrument(span.clone()).await;
    trace::embedded(&span, &reply);
    reply
}

impl EmbedReply {
    /// Adds what came for the next `texts` texts.
    fn add(&mut self, provider: Provider, texts: usize, batch: Batch) -> Result<(), Error> {
        let Batch { vectors, usage, head } = batch;
        let protocol =
            |reason: String| Err(Error::Protocol { provider, reason, response: Some(Box::new(head)) });
        if vectors.len() != texts {
            return protocol(format!("it gave {} vectors for {texts} texts", vectors.len()));
        }
        let dimensions = self.vectors.first().or(vectors.first()).map(Vec::len).unwrap_or_default();
        if dimensions == 0 && texts > 0 || vectors.iter().any(|vector| vector.len() != dimensions) {
            return protocol("its vectors are not of one length".to_owned());
        }
        if vectors.iter().flatten().any(|number| !number.is_finite()) {
            return protocol("a number in its vectors is not finite".to_owned());
        }
        self.vectors.extend(vectors);
        self.usage.add(usage);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_sets_of_equal_finite_vectors_are_taken() {
        let add = |reply: &mut EmbedReply, texts, vectors: &[&[f32]]| {
            let vectors = vectors.iter().map(|vector| vector.to_vec()).collect();
            let head = ResponseHead::new(200, [("x-request-id", "req_1")]);
            reply.add(Provider::OpenAi, texts, Batch { vectors, usage: Usage::default(), head })
        };
        let mut reply = EmbedReply::default();
        add(&mut reply, 2, &[&[1.0, 2.0], &[3.0, 4.0]]).unwrap();
        add(&mut reply, 0, &[]).unwrap();
        for (texts, vectors) in [
            (2, &[&[1.0, 2.0][..]][..]),
            (1, &[&[1.0]]),
            (1, &[&[1.0, f32::NAN]]),
            (2, &[&[1.0, 2.0], &[1.0]]),
        ] {
            let error = add(&mut reply, texts, vectors).unwrap_err();
            assert!(matches!(error, Error::Protocol { .. }), "{vectors:?}");
            assert_eq!((error.status(), error.request_id()), (Some(200), Some("req_1")));
        }
        assert!(add(&mut EmbedReply::default(), 1, &[&[]]).is_err());
        assert_eq!(reply.vectors.len(), 2);
    }
}
