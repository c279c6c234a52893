use tusab_llm::{ChatRequest, ModelId, Provider, Tokens};

/// What is taken of a context that nobody tells: a local server may have loaded a short one, hosted models hold far more.
const LOCAL: Tokens = Tokens::new(4096);
const HOSTED: Tokens = Tokens::new(8192);

/// Longest answer asked for.
const MAX_OUTPUT: u32 = 1500;

/// How much of the room our estimate may take, in hundredths: it lies up to a tenth under the truth on prose, and further
/// on what is no prose.
const ESTIMATE: u64 = 85;

/// How much a model is given to read and to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Budget {
    pub(crate) model: ModelId,
    /// Prompt and answer together.
    context: Tokens,
}

impl Budget {
    /// The budget of a model that can hold `told`, if it tells. `most` is what the app gives a model that runs on the
    /// user's own memory.
    pub(crate) fn new(model: &ModelId, told: Option<Tokens>, most: Tokens) -> Self {
        let context = match model.provider() {
            // Asked for with each call, so that what is told is had; always the same, or the model would be loaded again.
            Provider::Ollama => told.unwrap_or(LOCAL).min(most),
            Provider::OpenAiCompatible => told.unwrap_or(LOCAL),
            _ => told.unwrap_or(HOSTED),
        };
        Self { model: model.clone(), context }
    }

    /// Prompt and answer together.
    pub(crate) fn context(&self) -> Tokens {
        self.context
    }

    /// How long the answer may be: a quarter of a short context.
    pub(crate) fn output(&self) -> Tokens {
        Tokens::new((self.context.get() / 4).clamp(1, MAX_OUTPUT))
    }

    /// How long the prompt may be, as we estimate it.
    pub(crate) fn room(&self) -> usize {
        let left = u64::from(self.context.get().saturating_sub(self.output().get()));
        usize::try_from(left * ESTIMATE / 100).unwrap_or(usize::MAX)
    }

    /// What has to be asked for, where the server would else choose a context by itself.
    pub(crate) fn asked_context(&self) -> Option<Tokens> {
        (self.model.provider() == Provider::Ollama).then_some(self.context)
    }

    /// What a text costs.
    pub(crate) fn cost(&self, text: &str) -> usize {
        whole(tusab_llm::estimate_tokens(&self.model, text))
    }

    /// What a request costs.
    pub(crate) fn cost_of(&self, request: &ChatRequest) -> usize {
        whole(request.estimated_tokens(&self.model))
    }

    /// The context that has room for a prompt of that cost.
    pub(crate) fn context_for(cost: usize) -> Tokens {
        let prompt = (cost as u64).saturating_mul(100).div_ceil(ESTIMATE);
        // A quarter of a short context is for the answer.
        let context = prompt.saturating_add((prompt / 3 + 2).min(u64::from(MAX_OUTPUT)));
        Tokens::new(u32::try_from(context).unwrap_or(u32::MAX))
    }
}

fn whole(tokens: Tokens) -> usize {
    usize::try_from(tokens.get()).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(model: &str, told: Option<u32>) -> Budget {
        Budget::new(&model.parse().unwrap(), told.map(Tokens::new), Tokens::new(8192))
    }

    #[test]
    fn a_context_is_what_is_told_and_on_the_users_memory_no_more_than_given() {
        for (model, told, context) in [
            ("ollama::m", Some(131_072), 8192),
            ("ollama::m", Some(2048), 2048),
            ("ollama::m", None, 4096),
            ("openai-compatible::m", Some(131_072), 131_072),
            ("openai-compatible::m", None, 4096),
            ("anthropic::m", None, 8192),
        ] {
            assert_eq!(budget(model, told).context().get(), context, "{model} {told:?}");
        }
        assert_eq!(budget("ollama::m", Some(2048)).asked_context(), Some(Tokens::new(2048)));
        assert_eq!(budget("openai::m", None).asked_context(), None);
    }

    #[test]
    fn prompt_and_answer_share_the_context() {
        let short = budget("ollama::m", Some(2048));
        assert_eq!((short.output().get(), short.room()), (512, 1305));
        let long = budget("anthropic::m", None);
        assert_eq!((long.output().get(), long.room()), (1500, 5688));
        assert_eq!(budget("ollama::m", Some(0)).room(), 0);
        for cost in [0, 1, 100, 3000, 100_000] {
            let context = Budget::context_for(cost).get();
            assert!(budget("openai::m", Some(context)).room() >= cost, "{cost}");
        }
    }
}
