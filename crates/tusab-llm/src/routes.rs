use crate::{ModelId, Provider, Purpose};

/// The models that are asked where the user has chosen none: one table, checked on [`MODELS_CHECKED`].
///
/// Anthropic has two: Haiku for auxiliary calls, which is faster and cheaper where the words are read by no one, and Sonnet
/// for the answer, where its quality is seen. The others answer both with one model. Checked against the providers'
/// pages of models and deprecations, as far as they could be read; `openai-compatible` has no default.
const DEFAULTS: &[(Provider, &str, &str)] = &[
    (Provider::Ollama, "llama3.2:1b", "llama3.2:1b"),
    (Provider::OpenAi, "gpt-5.4-mini", "gpt-5.4-mini"),
    (Provider::Anthropic, "claude-haiku-4-5", "claude-sonnet-4-6"),
    (Provider::Gemini, "gemini-3.5-flash", "gemini-3.5-flash"),
    (Provider::Groq, "openai/gpt-oss-20b", "openai/gpt-oss-20b"),
];

/// When the default models were last checked: year, month, day.
pub const MODELS_CHECKED: &str = "2026-11-30";

/// Which model is asked for which purpose, and which when that one is down.
///
/// ```
/// use tusab_llm::{Provider, Purpose, Routes};
/// let routes = Routes::of(Provider::Anthropic)
///     .expect("Anthropic has defaults")
///     .with_fallback(Purpose::Final, "ollama::llama3.2:1b".parse()?);
/// let names: Vec<String> = routes.models(Purpose::Final).map(ToString::to_string).collect();
/// assert_eq!(names, ["anthropic::claude-sonnet-4-6", "ollama::llama3.2:1b"]);
/// # Ok::<(), tusab_llm::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routes {
    auxiliary: Route,
    answer: Route,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Route {
    first: ModelId,
    others: Vec<ModelId>,
}

impl Routes {
    /// The default models of `provider`; `None` for [`Provider::OpenAiCompatible`], whose server alone knows what it has.
    #[must_use]
    pub fn of(provider: Provider) -> Option<Self> {
        let (_, auxiliary, answer) = *DEFAULTS.iter().find(|(known, ..)| *known == provider)?;
        Some(Self::new(ModelId::known(provider, auxiliary), ModelId::known(provider, answer)))
    }

    /// `auxiliary` for helper calls and `answer` for what the user reads.
    #[must_use]
    pub fn new(auxiliary: ModelId, answer: ModelId) -> Self {
        let alone = |first| Route { first, others: Vec::new() };
        Self { auxiliary: alone(auxiliary), answer: alone(answer) }
    }

    /// `model` for both purposes.
    #[must_use]
    pub fn one(model: ModelId) -> Self {
        Self::new(model.clone(), model)
    }

    /// Another model for `purpose`.
    #[must_use]
    pub fn with_model(mut self, purpose: Purpose, model: ModelId) -> Self {
        self.route_mut(purpose).first = model;
        self
    }

    /// One more model that is asked for `purpose` when those before are down.
    #[must_use]
    pub fn with_fallback(mut self, purpose: Purpose, model: ModelId) -> Self {
        self.route_mut(purpose).others.push(model);
        self
    }

    /// The models for `purpose`, in the order in which they are asked.
    pub fn models(&self, purpose: Purpose) -> impl Iterator<Item = &ModelId> {
        let route = match purpose {
            Purpose::Auxiliary => &self.auxiliary,
            Purpose::Final => &self.answer,
        };
        std::iter::once(&route.first).chain(&route.others)
    }

    fn route_mut(&mut self, purpose: Purpose) -> &mut Route {
        match purpose {
            Purpose::Auxiliary => &mut self.auxiliary,
            Purpose::Final => &mut self.answer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_provider_but_the_compatible_one_has_defaults_whose_names_are_names() {
        for provider in Provider::ALL {
            let routes = Routes::of(provider);
            assert_eq!(routes.is_none(), provider == Provider::OpenAiCompatible, "{provider}");
            for purpose in [Purpose::Auxiliary, Purpose::Final] {
                for model in routes.iter().flat_map(|routes| routes.models(purpose)) {
                    assert_eq!(model.to_string().parse::<ModelId>().unwrap(), *model);
                }
            }
        }
    }

    #[test]
    fn anthropic_alone_has_two_models() {
        for (provider, auxiliary, answer) in DEFAULTS {
            assert_eq!(auxiliary == answer, *provider != Provider::Anthropic);
        }
        let routes = Routes::of(Provider::Anthropic).unwrap();
        assert!(routes.models(Purpose::Auxiliary).next().unwrap().name().contains("haiku"));
        assert!(routes.models(Purpose::Final).next().unwrap().name().contains("sonnet"));
    }

    #[test]
    fn each_purpose_can_be_changed_alone() {
        let model: ModelId = "groq::x".parse().unwrap();
        let routes = Routes::of(Provider::OpenAi).unwrap().with_model(Purpose::Auxiliary, model.clone());
        assert_eq!(routes.models(Purpose::Auxiliary).collect::<Vec<_>>(), [&model]);
        assert_eq!(routes.models(Purpose::Final).next().unwrap().provider(), Provider::OpenAi);
    }
}
