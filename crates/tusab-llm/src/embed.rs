use crate::{Error, Provider, Tokens, Usage};

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

impl EmbedReply {
    /// Adds what came for the next `texts` texts.
    pub(crate) fn add(
        &mut self,
        provider: Provider,
        texts: usize,
        vectors: Vec<Vec<f32>>,
        usage: Usage,
    ) -> Result<(), Error> {
        let protocol = |reason: String| Err(Error::Protocol { provider, reason });
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
            reply.add(Provider::OpenAi, texts, vectors, Usage::default())
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
            assert!(matches!(add(&mut reply, texts, vectors), Err(Error::Protocol { .. })), "{vectors:?}");
        }
        assert!(add(&mut EmbedReply::default(), 1, &[&[]]).is_err());
        assert_eq!(reply.vectors.len(), 2);
    }
}
