use std::fmt;
use std::sync::Arc;

use crate::retry::begun;
use crate::{BoxFuture, ChatModel, ChatRequest, ChatStream, Error, ModelId, Tokens};

/// Asks the next model when one is down.
///
/// The first model is asked; if it cannot be had ([`Error::is_unavailable`]) before a word was given, the second is, and so
/// on. An error that the request itself is to blame for is given at once, since the next model would be asked the same.
/// The stream names the model that answers ([`ChatStream::model`]). Like that of [`Retrying`](crate::Retrying), its
/// `stream` resolves with the first word.
#[derive(Clone)]
pub struct Fallback {
    first: Arc<dyn ChatModel>,
    others: Vec<Arc<dyn ChatModel>>,
}

impl Fallback {
    /// Asks `first`, and `others` in their order when those before are down.
    #[must_use]
    pub fn new(first: Arc<dyn ChatModel>, others: impl IntoIterator<Item = Arc<dyn ChatModel>>) -> Self {
        Self { first, others: others.into_iter().collect() }
    }

    fn models(&self) -> impl Iterator<Item = &Arc<dyn ChatModel>> {
        std::iter::once(&self.first).chain(&self.others)
    }

    async fn start(&self, request: ChatRequest) -> Result<ChatStream, Error> {
        let mut errors = Vec::new();
        for model in self.models() {
            match begun(&**model, request.clone()).await {
                Err(error) if error.is_unavailable() => {
                    tracing::warn!(model = %model.id(), reason = error.kind(), "a model cannot be had");
                    errors.push((model.id().clone(), error));
                }
                done => return done,
            }
        }
        Err(Error::NoneAnswered { errors })
    }
}

impl ChatModel for Fallback {
    fn id(&self) -> &ModelId {
        self.first.id()
    }

    fn stream(&self, request: ChatRequest) -> BoxFuture<'_, Result<ChatStream, Error>> {
        Box::pin(self.start(request))
    }

    /// The shortest that is told: whichever answers is to hold the prompt.
    fn context_length(&self) -> BoxFuture<'_, Option<Tokens>> {
        Box::pin(async {
            let mut shortest: Option<Tokens> = None;
            for model in self.models() {
                if let Some(length) = model.context_length().await {
                    shortest = Some(shortest.map_or(length, |known| known.min(length)));
                }
            }
            shortest
        })
    }

    fn is_local(&self) -> bool {
        self.models().all(|model| model.is_local())
    }
}

impl fmt::Debug for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fallback").field("first", &self.first).field("others", &self.others).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Answer, ScriptedModel, conformance};
    use crate::{Delta, Message, Provider};

    fn model(name: &str) -> ScriptedModel {
        ScriptedModel::new().with_id(ModelId::new(Provider::OpenAiCompatible, name).unwrap())
    }

    fn down() -> Answer {
        Answer::refuse(Error::Overloaded {
            provider: Provider::Groq,
            status: 503,
            retry_after: None,
            response: None,
        })
    }

    fn chain(models: &[&ScriptedModel]) -> Fallback {
        let mut models = models.iter().map(|model| Arc::new((*model).clone()) as Arc<dyn ChatModel>);
        Fallback::new(models.next().unwrap(), models)
    }

    async fn asked(chain: &Fallback) -> Result<(String, String), Error> {
        let stream = chain.stream(ChatRequest::new([Message::user("oi")])).await?;
        let name = stream.model().name().to_owned();
        Ok((name, stream.collect().await?.text))
    }

    #[tokio::test]
    async fn the_next_is_asked_when_one_is_down_and_named_as_the_one_that_answers() {
        let (a, b, c) = (model("a").then(down()), model("b").then(Answer::text("Olá")), model("c"));
        assert_eq!(asked(&chain(&[&a, &b, &c])).await.unwrap(), ("b".to_owned(), "Olá".to_owned()));
        assert_eq!(c.requests().len(), 0);
    }

    #[tokio::test]
    async fn what_the_request_is_to_blame_for_is_not_asked_again() {
        let blocked =
            Error::Blocked { provider: Provider::Gemini, reason: "SAFETY".to_owned(), response: None };
        let (a, b) = (model("a").then(Answer::refuse(blocked)), model("b").then(Answer::text("Olá")));
        assert!(matches!(asked(&chain(&[&a, &b])).await, Err(Error::Blocked { .. })));
        assert_eq!(b.requests().len(), 0);
    }

    #[tokio::test]
    async fn after_the_first_word_there_is_no_other_model() {
        let error = Error::EndedEarly { provider: Provider::Groq, response: None };
        let (a, b) = (
            model("a").then(Answer::deltas([Delta::Text("Ol".to_owned())]).then_fail(error)),
            model("b").then(Answer::text("Olá")),
        );
        assert_eq!(asked(&chain(&[&a, &b])).await.unwrap_err().partial(), Some("Ol"));
        assert_eq!(b.requests().len(), 0);
    }

    #[tokio::test]
    async fn when_none_answers_each_says_why() {
        let (a, b) = (model("a").then(down()), model("b").then(down()));
        let error = asked(&chain(&[&a, &b])).await.unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains("none of 2 models") && message.contains("openai-compatible::b: "),
            "{message}"
        );
        assert!(error.is_retryable());
    }

    #[tokio::test]
    async fn it_holds_what_the_shortest_holds_and_is_local_when_all_are() {
        let (short, long) = (Tokens::new(2048), Tokens::new(8192));
        let (a, b) = (model("a").with_context_length(long), model("b").with_context_length(short));
        assert_eq!(chain(&[&a, &b]).context_length().await, Some(short));
        assert_eq!(chain(&[&model("c"), &a]).context_length().await, Some(long));
        assert_eq!(chain(&[&model("c")]).context_length().await, None);
        assert!(!chain(&[&a.clone().on_this_machine(), &b]).is_local());
        assert!(chain(&[&a.on_this_machine(), &b.on_this_machine()]).is_local());
    }

    #[tokio::test]
    async fn it_keeps_the_contract_of_a_chat_model() {
        let a = model("a").with_fallback(|_| Answer::text("bom dia"));
        conformance(&chain(&[&a, &model("b")])).await.unwrap();
    }
}
