//! Which language models the programs that answer ask.

use std::ffi::OsString;

use tusab_engine::EngineBuilder;
use tusab_engine::llm::{
    ApiKey, BaseUrl, Client, Endpoint, ModelId, OllamaOptions, Provider, Purpose, Routes,
};

use crate::{Failure, chain, text};

/// The options that are common to programs with a language model.
pub const USAGE: &str = "
Language model (without one, answers quote the sources):
  --provider NAME   ollama, openai, anthropic, gemini, groq or openai-compatible; its key is read from the environment
  --model NAME      which model of it; by default the provider's usual ones, a fast one for auxiliary calls
  --auxiliary NAME  another model of it for auxiliary calls
  --url URL         where the provider is, for a server of one's own";

/// What the arguments say about language models.
#[derive(Debug, Default)]
pub struct ChatModels {
    provider: Option<Provider>,
    model: Option<String>,
    auxiliary: Option<String>,
    url: Option<String>,
}

impl ChatModels {
    /// Takes a long option that is about language models; false for any other.
    ///
    /// # Errors
    /// [`Failure::Usage`] for a value that is missing or wrong.
    pub fn take(
        &mut self,
        option: &str,
        value: impl FnOnce() -> Result<OsString, lexopt::Error>,
    ) -> Result<bool, Failure> {
        match option {
            "provider" => {
                let name = text(value()?)?;
                self.provider = Some(name.parse().map_err(|error| Failure::Usage(chain(&error)))?);
            }
            "model" => self.model = Some(text(value()?)?),
            "auxiliary" => self.auxiliary = Some(text(value()?)?),
            "url" => self.url = Some(text(value()?)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The engine with these models.
    ///
    /// # Errors
    /// [`Failure::Usage`] for options that do not go together; [`Failure::Failed`] for a provider without its key.
    pub fn give(&self, engine: EngineBuilder) -> Result<EngineBuilder, Failure> {
        let Some(provider) = self.provider else {
            return match (&self.model, &self.auxiliary, &self.url) {
                (None, None, None) => Ok(engine),
                _ => Err(Failure::Usage("name the provider of the model with --provider".to_owned())),
            };
        };
        let id = |name: &String| ModelId::new(provider, name).map_err(|error| Failure::Usage(chain(&error)));
        let mut routes = match &self.model {
            Some(name) => Routes::one(id(name)?),
            None => Routes::of(provider).ok_or_else(|| {
                Failure::Usage(format!("{provider} has no usual model: name one with --model"))
            })?,
        };
        if let Some(name) = &self.auxiliary {
            routes = routes.with_model(Purpose::Auxiliary, id(name)?);
        }
        let client = self.client(provider).map_err(|error| Failure::of(&error))?;
        Ok(engine.routes(&client, &routes)?)
    }

    fn client(&self, provider: Provider) -> Result<Client, tusab_engine::llm::Error> {
        let Some(url) = &self.url else { return Client::from_env() };
        let url = BaseUrl::parse(provider, url)?;
        if provider == Provider::Ollama {
            return Client::builder().with_ollama(OllamaOptions::default().with_base_url(url)).build();
        }
        let key = provider.key_variable().map(ApiKey::from_env).transpose()?;
        let endpoint = match key {
            Some(key) => Endpoint::new(key).with_base_url(url),
            None => Endpoint::at(url),
        };
        Client::builder().with_endpoint(provider, endpoint).build()
    }
}
