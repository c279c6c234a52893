use std::fmt;

use crate::{ChatModel, ChatRequest, ChatStream, Delta, Error, Message, ModelId, Tokens};

/// Which rule of [`ChatModel`] an implementation breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    rule: &'static str,
    found: String,
}

impl Violation {
    /// The broken rule.
    #[must_use]
    pub fn rule(&self) -> &'static str {
        self.rule
    }

    /// What was seen in its place.
    #[must_use]
    pub fn found(&self) -> &str {
        &self.found
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, but {}", self.rule, self.found)
    }
}

impl std::error::Error for Violation {}

/// How many calls [`conformance`] makes that reach the model; a scripted server needs as many answers.
pub const CONFORMANCE_CALLS: usize = 5;

const QUESTION: &str = "Answer with a short greeting of two or more words.";

/// Checks the contract of [`ChatModel`] on a model that is there and answers a short question in one or more
/// words. It makes [`CONFORMANCE_CALLS`] calls, up to two at a time.
///
/// # Errors
/// The first broken rule.
pub async fn conformance(model: &dyn ChatModel) -> Result<(), Violation> {
    names_itself(model)?;
    sends_no_bad_request(model).await?;
    streams_to_one_end(model).await?;
    answers_whole(model).await?;
    lets_go(model).await?;
    keeps_calls_apart(model).await
}

fn question() -> ChatRequest {
    ChatRequest::new([Message::user(QUESTION)]).with_seed(1).with_max_output(Tokens::new(64))
}

fn ensure(holds: bool, rule: &'static str, found: impl FnOnce() -> String) -> Result<(), Violation> {
    if holds { Ok(()) } else { Err(Violation { rule, found: found() }) }
}

fn works<T>(result: Result<T, Error>) -> Result<T, Violation> {
    result.map_err(|error| Violation {
        rule: "a good request is answered",
        found: format!("it failed: {error}"),
    })
}

fn names_itself(model: &dyn ChatModel) -> Result<(), Violation> {
    let read_back = model.id().to_string().parse::<ModelId>();
    ensure(read_back.is_ok_and(|id| id == *model.id()), "the id is read back from its text", || {
        format!("{} is not", model.id())
    })
}

async fn sends_no_bad_request(model: &dyn ChatModel) -> Result<(), Violation> {
    let empty = ChatRequest::default();
    let limitless = question().with_max_output(Tokens::new(0));
    for bad in [empty, limitless, question().with_stop("")] {
        let refused = matches!(model.stream(bad.clone()).await, Err(Error::BadRequest { .. }))
            && matches!(model.chat(bad).await, Err(Error::BadRequest { .. }));
        ensure(refused, "what `ChatRequest::check` refuses is a `BadRequest`", || "it was not".to_owned())?;
    }
    Ok(())
}

async fn streams_to_one_end(model: &dyn ChatModel) -> Result<(), Violation> {
    let mut stream = works(model.stream(question()).await)?;
    ensure(stream.model() == model.id(), "a stream names its model", || {
        format!("it named {}", stream.model())
    })?;
    let mut text = String::new();
    let mut ended = false;
    while let Some(delta) = stream.next().await {
        match works(delta)? {
            Delta::Text(more) => text.push_str(&more),
            Delta::Done { .. } => ended = true,
            Delta::TextWasThinking => text.clear(),
            Delta::Thinking(_) | Delta::Usage(_) => {}
        }
    }
    ensure(ended, "a stream without an error holds `Done`", || "it held none".to_owned())?;
    ensure(!text.trim().is_empty(), "a short question gets words", || format!("it got {text:?}"))?;
    for _ in 0..2 {
        let more = stream.next().await;
        ensure(more.is_none(), "nothing follows `Done`", || format!("{more:?} did"))?;
    }
    Ok(())
}

async fn answers_whole(model: &dyn ChatModel) -> Result<(), Violation> {
    let reply = works(model.chat(question()).await)?;
    ensure(!reply.text.trim().is_empty(), "`chat` gives the words of the stream", || {
        format!("it gave {reply:?}")
    })
}

/// A future that is dropped unpolled has sent nothing, and a stream that is dropped does not harm the next.
async fn lets_go(model: &dyn ChatModel) -> Result<(), Violation> {
    drop(model.stream(question()));
    drop(model.chat(question()));
    let mut stream = works(model.stream(question()).await)?;
    first_words(&mut stream).await
}

async fn keeps_calls_apart(model: &dyn ChatModel) -> Result<(), Violation> {
    let mut one = works(model.stream(question()).await)?;
    let mut two = works(model.stream(question()).await)?;
    first_words(&mut two).await?;
    first_words(&mut one).await?;
    drop(two);
    works(one.collect().await).map(drop)
}

async fn first_words(stream: &mut ChatStream) -> Result<(), Violation> {
    loop {
        match stream.next().await {
            Some(Ok(Delta::Text(_) | Delta::Thinking(_))) => return Ok(()),
            Some(Ok(Delta::Usage(_) | Delta::TextWasThinking)) => {}
            Some(Err(error)) => return works(Err(error)),
            end @ (Some(Ok(Delta::Done { .. })) | None) => {
                return ensure(false, "an answer has words before its end", || format!("it was {end:?}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Answer, ScriptedModel};
    use crate::{BoxFuture, FinishReason};

    async fn broken(model: &dyn ChatModel) -> Violation {
        conformance(model).await.unwrap_err()
    }

    #[tokio::test]
    async fn it_makes_as_many_calls_as_it_says() {
        let model = ScriptedModel::new().with_fallback(|_| Answer::text("bom dia"));
        conformance(&model).await.unwrap();
        assert_eq!(model.requests().len(), CONFORMANCE_CALLS);
    }

    #[tokio::test]
    async fn each_broken_rule_is_found() {
        let mute = ScriptedModel::new().with_fallback(|_| Answer::text(""));
        assert_eq!(broken(&mute).await.rule(), "a short question gets words");

        let cut = ScriptedModel::new().with_fallback(|_| Answer::deltas([Delta::Text("a".to_owned())]));
        assert_eq!(broken(&cut).await.rule(), "a good request is answered");

        let once = ScriptedModel::new().then(Answer::text("bom dia"));
        assert_eq!(broken(&once).await.rule(), "a good request is answered");

        let thinks = ScriptedModel::new()
            .then(Answer::text("a"))
            .then(Answer::text("a"))
            .with_fallback(|_| Answer::deltas([]).then_finish(FinishReason::Stop));
        assert_eq!(broken(&thinks).await.rule(), "an answer has words before its end");
    }

    /// Sends whatever it is asked.
    #[derive(Debug)]
    struct Careless(ScriptedModel);

    impl ChatModel for Careless {
        fn id(&self) -> &ModelId {
            self.0.id()
        }

        fn stream(&self, _: ChatRequest) -> BoxFuture<'_, Result<ChatStream, Error>> {
            self.0.stream(question())
        }
    }

    #[tokio::test]
    async fn a_model_that_sends_bad_requests_is_found() {
        let model = Careless(ScriptedModel::new().with_fallback(|_| Answer::text("bom dia")));
        let violation = broken(&model).await;
        assert!(violation.to_string().contains("`BadRequest`, but it was not"), "{violation}");
    }
}
