//! The same calls for programs without an async runtime.
//!
//! ```no_run
//! use tusab_llm::{ChatRequest, Client, Delta, Message, blocking};
//!
//! let client = blocking::Client::new(Client::new()?)?;
//! let model = client.model(&"ollama::llama3.2:1b".parse()?)?;
//! for delta in model.stream(ChatRequest::new([Message::user("Olá!")]))? {
//!     if let Delta::Text(words) = delta? {
//!         print!("{words}");
//!     }
//! }
//! # Ok::<(), tusab_llm::Error>(())
//! ```

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use tokio::runtime::{Builder, Handle, Runtime};

use crate::{
    ChatModel, ChatReply, ChatRequest, ChatStream, Delta, EmbedReply, EmbedRequest, Error, ModelId,
    ModelInfo, Provider,
};

/// A [`Client`](crate::Client) whose calls wait. Cheap to clone.
///
/// It runs what it does on one runtime of its own, on the thread that calls. Its calls give [`Error::InsideRuntime`] on a
/// thread of an async runtime, which they would stop; also on those of tokio's `spawn_blocking`, which cannot be told from the
/// others: there, hand the async call to `Handle::block_on`.
#[derive(Debug, Clone)]
pub struct Client {
    client: crate::Client,
    runner: Arc<Runner>,
}

impl Client {
    /// Waits for what `client` does.
    ///
    /// # Errors
    /// [`Error::Setup`] if the system gives no runtime.
    pub fn new(client: crate::Client) -> Result<Self, Error> {
        Ok(Self { client, runner: Runner::new()? })
    }

    /// As [`Client::model`](crate::Client::model).
    ///
    /// # Errors
    /// As there.
    pub fn model(&self, id: &ModelId) -> Result<Model, Error> {
        Ok(Model { model: self.client.model(id)?, runner: Arc::clone(&self.runner) })
    }

    /// As [`Client::embed`](crate::Client::embed).
    ///
    /// # Errors
    /// As there, and [`Error::InsideRuntime`].
    pub fn embed(&self, id: &ModelId, request: &EmbedRequest) -> Result<EmbedReply, Error> {
        self.runner.wait(self.client.embed(id, request))?
    }

    /// As [`Client::list_models`](crate::Client::list_models).
    ///
    /// # Errors
    /// As there, and [`Error::InsideRuntime`].
    pub fn list_models(&self, provider: Provider) -> Result<Vec<ModelInfo>, Error> {
        self.runner.wait(self.client.list_models(provider))?
    }
}

/// A [`ChatModel`] whose calls wait.
#[derive(Debug, Clone)]
pub struct Model {
    model: Arc<dyn ChatModel>,
    runner: Arc<Runner>,
}

impl Model {
    /// Waits for what `model` does.
    ///
    /// # Errors
    /// [`Error::Setup`] if the system gives no runtime.
    pub fn new(model: Arc<dyn ChatModel>) -> Result<Self, Error> {
        Ok(Self { model, runner: Runner::new()? })
    }

    /// Which model answers.
    #[must_use]
    pub fn id(&self) -> &ModelId {
        self.model.id()
    }

    /// Waits for the whole answer.
    ///
    /// # Errors
    /// As [`ChatModel::chat`], and [`Error::InsideRuntime`].
    pub fn chat(&self, request: ChatRequest) -> Result<ChatReply, Error> {
        self.runner.wait(self.model.chat(request))?
    }

    /// Waits for an answer to begin, to be read as it arrives.
    ///
    /// # Errors
    /// As [`ChatModel::stream`], and [`Error::InsideRuntime`].
    pub fn stream(&self, request: ChatRequest) -> Result<Answer, Error> {
        let stream = self.runner.wait(self.model.stream(request))??;
        Ok(Answer { stream, runner: Arc::clone(&self.runner) })
    }
}

/// An answer as it arrives: each step waits for the next delta. Dropping it cancels the request.
#[derive(Debug)]
#[must_use = "an answer does nothing until it is read, and dropping it cancels the request"]
pub struct Answer {
    stream: ChatStream,
    runner: Arc<Runner>,
}

impl Answer {
    /// The stream it reads.
    pub fn get_ref(&self) -> &ChatStream {
        &self.stream
    }
}

impl Iterator for Answer {
    type Item = Result<Delta, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.runner.wait(self.stream.next()) {
            Ok(next) => next,
            Err(error) => Some(Err(error)),
        }
    }
}

/// A runtime for one call at a time on the thread that makes it.
struct Runner {
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
}

impl Runner {
    fn new() -> Result<Arc<Self>, Error> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|source| Error::Setup { source: source.into() })?;
        Ok(Arc::new(Self { runtime: Some(runtime) }))
    }

    fn wait<T>(&self, work: impl Future<Output = T>) -> Result<T, Error> {
        match &self.runtime {
            Some(runtime) if Handle::try_current().is_err() => Ok(runtime.block_on(work)),
            _ => Err(Error::InsideRuntime),
        }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        // To wait for it would panic on a thread of another runtime.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner").finish_non_exhaustive()
    }
}

#[cfg(all(test, feature = "openai-compatible"))]
mod tests {
    use super::*;
    use crate::testing::{Answer as Scripted, Recorded, ReplayServer, ScriptedModel};
    use crate::{BaseUrl, Endpoint, Message};

    fn ask() -> ChatRequest {
        ChatRequest::new([Message::user("oi")])
    }

    #[test]
    fn an_answer_is_read_step_by_step_without_a_runtime() {
        let events = "data: {\"choices\":[{\"delta\":{\"content\":\"Ol\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"á\"},\"finish_reason\":\"stop\"}]}\n\n";
        let models = r#"{"object":"list","data":[{"id":"m"}]}"#;
        let answers = [Recorded::events(events), Recorded::events(events), Recorded::json(200, models)];
        let server = ReplayServer::start(answers).unwrap();
        let provider = Provider::OpenAiCompatible;
        let endpoint = Endpoint::at(BaseUrl::parse(provider, &server.url()).unwrap());
        let client = crate::Client::builder().with_endpoint(provider, endpoint).build().unwrap();
        let client = Client::new(client).unwrap();
        let model = client.model(&"openai-compatible::m".parse().unwrap()).unwrap();
        let words: Vec<Delta> = model.stream(ask()).unwrap().map(Result::unwrap).collect();
        assert_eq!(words[..2], [Delta::Text("Ol".to_owned()), Delta::Text("á".to_owned())]);
        assert_eq!(model.chat(ask()).unwrap().text, "Olá");
        assert_eq!(client.list_models(provider).unwrap().len(), 1);
    }

    #[tokio::test]
    async fn on_a_thread_of_a_runtime_it_is_an_error_and_no_panic() {
        let model = Model::new(Arc::new(ScriptedModel::new().then(Scripted::text("a")))).unwrap();
        assert!(matches!(model.chat(ask()), Err(Error::InsideRuntime)));
        assert!(matches!(model.stream(ask()), Err(Error::InsideRuntime)));
        drop(model);
    }

    #[test]
    fn models_are_shared_between_threads() {
        let script = ScriptedModel::new().with_fallback(|_| Scripted::text("bom dia"));
        let model = Model::new(Arc::new(script)).unwrap();
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let model = model.clone();
                std::thread::spawn(move || model.chat(ask()).unwrap().text)
            })
            .collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), "bom dia");
        }
    }
}
