//! What each provider and family of models takes of a request: one table, read before anything is sent.

mod family;

pub(crate) use family::{Anthropic, Gemini, GroqThinking, OpenAi};

use crate::{ChatRequest, Error, ModelId, Provider, Temperature, Thinking, Tokens, Warning};

/// A part of a [`ChatRequest`] that not every model takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChatOption {
    /// [`ChatRequest::temperature`].
    Temperature,
    /// [`ChatRequest::max_output`].
    MaxOutput,
    /// [`ChatRequest::stop`].
    Stop,
    /// [`ChatRequest::seed`].
    Seed,
    /// [`ChatRequest::context_length`].
    ContextLength,
    /// [`ChatRequest::schema`].
    JsonSchema,
    /// [`ChatRequest::thinking`], switched on.
    ThinkingOn,
    /// [`ChatRequest::thinking`], switched off.
    ThinkingOff,
    /// A system message that does not stand first.
    LaterSystemMessage,
}

impl ChatOption {
    /// A short name, in lower case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Temperature => "temperature",
            Self::MaxOutput => "max_output",
            Self::Stop => "stop",
            Self::Seed => "seed",
            Self::ContextLength => "context_length",
            Self::JsonSchema => "json_schema",
            Self::ThinkingOn => "thinking on",
            Self::ThinkingOff => "thinking off",
            Self::LaterSystemMessage => "later system message",
        }
    }
}

/// What becomes of a part of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Support {
    /// It is sent.
    Sent,
    /// It is not sent, or otherwise; the answer does without, and a [`Warning`] says so.
    Dropped(&'static str),
    /// The answer would not be what was asked for: [`Error::Unsupported`] before anything is sent.
    Refused(&'static str),
}

const HOSTED_CONTEXT: Support = Support::Dropped("the model's context is always as long as it is");
const SYSTEM_FIRST: Support = Support::Dropped("it is sent with the instructions before the conversation");
const CANNOT_THINK: Support =
    Support::Refused("this model cannot think first: choose one that can, or ask without");
const ALWAYS_THINKS: Support = Support::Dropped("this model always thinks");

/// What becomes of `option` when it is sent to `model`.
///
/// Families of models are told by their names. One that is not known is taken for one of the newest if it is of Anthropic or
/// called `gemini-` or `gpt-` with a later version, and else for one that does not think. Where a provider then refuses an
/// option by name, the call is made once more without it, with a [`Warning`].
///
/// ```
/// use tusab_llm::{ChatOption, ModelId, Support, support};
/// let model: ModelId = "openai::o3".parse()?;
/// assert!(matches!(support(&model, ChatOption::Temperature), Support::Dropped(_)));
/// assert_eq!(support(&model, ChatOption::JsonSchema), Support::Sent);
/// # Ok::<(), tusab_llm::Error>(())
/// ```
#[must_use]
pub fn support(model: &ModelId, option: ChatOption) -> Support {
    match model.provider() {
        Provider::OpenAi => openai(model.name(), option),
        Provider::Anthropic => anthropic(model.name(), option),
        Provider::Gemini => gemini(model.name(), option),
        Provider::Groq => groq(model.name(), option),
        // Their servers decide by model, and say so.
        Provider::Ollama => Support::Sent,
        Provider::OpenAiCompatible => match option {
            ChatOption::ContextLength => HOSTED_CONTEXT,
            _ => Support::Sent,
        },
    }
}

fn openai(name: &str, option: ChatOption) -> Support {
    let family = OpenAi::of(name);
    match option {
        ChatOption::Temperature if family.thinks => {
            Support::Dropped("models that think take no temperature but their own")
        }
        ChatOption::Stop if !family.takes_stop => Support::Refused("o3 and o4-mini take no stop texts"),
        ChatOption::ThinkingOn if !family.thinks => CANNOT_THINK,
        ChatOption::ThinkingOff if family.thinks && family.effort_off.is_none() => ALWAYS_THINKS,
        ChatOption::ContextLength => HOSTED_CONTEXT,
        _ => Support::Sent,
    }
}

fn anthropic(name: &str, option: ChatOption) -> Support {
    let family = Anthropic::of(name);
    match option {
        ChatOption::Temperature if !family.takes_temperature => {
            Support::Dropped("models after Claude Opus 4.6 take no temperature")
        }
        ChatOption::Seed => Support::Dropped("Anthropic has no seed"),
        ChatOption::JsonSchema if !family.takes_schema => {
            Support::Refused("this model takes no JSON schema: choose one from Claude 4.5 on")
        }
        ChatOption::ThinkingOn if !family.thinks => CANNOT_THINK,
        ChatOption::LaterSystemMessage => SYSTEM_FIRST,
        ChatOption::ContextLength => HOSTED_CONTEXT,
        _ => Support::Sent,
    }
}

fn gemini(name: &str, option: ChatOption) -> Support {
    let family = Gemini::of(name);
    match option {
        ChatOption::ThinkingOn if family == Gemini::Plain => CANNOT_THINK,
        ChatOption::ThinkingOff
            if matches!(family, Gemini::Budget { off: false } | Gemini::Level { off: false }) =>
        {
            ALWAYS_THINKS
        }
        ChatOption::LaterSystemMessage => SYSTEM_FIRST,
        ChatOption::ContextLength => HOSTED_CONTEXT,
        _ => Support::Sent,
    }
}

fn groq(name: &str, option: ChatOption) -> Support {
    match (option, GroqThinking::of(name)) {
        (ChatOption::ThinkingOn, GroqThinking::Never) => CANNOT_THINK,
        (ChatOption::ThinkingOff, GroqThinking::Always) => ALWAYS_THINKS,
        (ChatOption::ContextLength, _) => HOSTED_CONTEXT,
        _ => Support::Sent,
    }
}

/// Most stop texts that a provider takes, and what to say of more.
fn most_stops(provider: Provider) -> Option<(usize, &'static str)> {
    match provider {
        Provider::OpenAi | Provider::Groq => Some((4, "at most four stop texts are taken")),
        Provider::Gemini => Some((5, "at most five stop texts are taken")),
        Provider::Anthropic | Provider::Ollama | Provider::OpenAiCompatible => None,
    }
}

/// Which parts of `request` are there to be taken or not.
fn used(request: &ChatRequest) -> impl Iterator<Item = ChatOption> {
    let later_system = request
        .messages
        .iter()
        .enumerate()
        .any(|(at, message)| message.role == crate::Role::System && (at > 0 || request.system.is_some()));
    [
        (request.temperature.is_some(), ChatOption::Temperature),
        (request.max_output.is_some(), ChatOption::MaxOutput),
        (!request.stop.is_empty(), ChatOption::Stop),
        (request.seed.is_some(), ChatOption::Seed),
        (request.context_length.is_some(), ChatOption::ContextLength),
        (request.schema.is_some(), ChatOption::JsonSchema),
        (request.thinking == Some(Thinking::On), ChatOption::ThinkingOn),
        (request.thinking == Some(Thinking::Off), ChatOption::ThinkingOff),
        (later_system, ChatOption::LaterSystemMessage),
    ]
    .into_iter()
    .filter_map(|(used, option)| used.then_some(option))
}

/// `request` as `model` takes it, and what was left out for that.
pub(crate) fn fit(model: &ModelId, mut request: ChatRequest) -> Result<(ChatRequest, Vec<Warning>), Error> {
    request.check()?;
    let provider = model.provider();
    let unsupported = |what| Error::Unsupported { provider, what, response: None };
    let mut warnings = Vec::new();
    let options: Vec<ChatOption> = used(&request).collect();
    for option in options {
        match support(model, option) {
            Support::Sent => {}
            Support::Refused(what) => return Err(unsupported(what)),
            Support::Dropped(reason) => {
                warnings.push(Warning::new(model, option, reason));
                drop_option(&mut request, option);
            }
        }
    }
    if let Some((most, what)) = most_stops(provider)
        && request.stop.len() > most
    {
        return Err(unsupported(what));
    }
    // Where instructions are no messages, there must be another message.
    let apart = matches!(provider, Provider::Anthropic | Provider::Gemini);
    if apart && request.turns().next().is_none() {
        let reason = "it holds no message but instructions: add one of the user";
        return Err(Error::BadRequest { reason });
    }
    if provider == Provider::Anthropic {
        fit_anthropic(model, &mut request, &mut warnings)?;
    }
    Ok((request, warnings))
}

fn fit_anthropic(
    model: &ModelId,
    request: &mut ChatRequest,
    warnings: &mut Vec<Warning>,
) -> Result<(), Error> {
    let provider = Provider::Anthropic;
    let unsupported = |what| Error::Unsupported { provider, what, response: None };
    if request.temperature.is_some_and(|temperature| temperature > Temperature::ONE) {
        return Err(unsupported("its temperatures end at 1"));
    }
    if request.stop.iter().any(|stop| stop.trim().is_empty()) {
        return Err(unsupported("its stop texts cannot be white space alone"));
    }
    if request.thinking == Some(Thinking::On) && request.temperature.is_some() {
        let reason = "with thinking there is no temperature but the model's own";
        warnings.push(Warning::new(model, ChatOption::Temperature, reason));
        request.temperature = None;
    }
    Ok(())
}

/// Takes `option` out of `request`.
pub(crate) fn drop_option(request: &mut ChatRequest, option: ChatOption) {
    match option {
        ChatOption::Temperature => request.temperature = None,
        ChatOption::MaxOutput => request.max_output = None::<Tokens>,
        ChatOption::Stop => request.stop.clear(),
        ChatOption::Seed => request.seed = None,
        ChatOption::ContextLength => request.context_length = None,
        ChatOption::JsonSchema => request.schema = None,
        ChatOption::ThinkingOn | ChatOption::ThinkingOff => request.thinking = None,
        // It is moved, not left out.
        ChatOption::LaterSystemMessage => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JsonSchema, Message};
    use serde_json::json;

    fn everything() -> ChatRequest {
        ChatRequest::new([Message::user("a")])
            .with_temperature(Temperature::ZERO)
            .with_max_output(Tokens::new(9))
            .with_seed(1)
            .with_context_length(Tokens::new(2048))
    }

    fn dropped(model: &str, request: ChatRequest) -> Result<Vec<ChatOption>, Error> {
        let model: ModelId = model.parse().unwrap();
        fit(&model, request).map(|(_, warnings)| warnings.iter().map(|warning| warning.option).collect())
    }

    #[test]
    fn what_does_without_is_dropped_with_a_warning() {
        use ChatOption::{ContextLength, Seed, Temperature, ThinkingOff};
        for (model, expected) in [
            ("openai::gpt-4o-mini", &[ContextLength][..]),
            ("openai::o3-mini", &[Temperature, ContextLength]),
            ("openai::gpt-5.4-mini", &[Temperature, ContextLength]),
            ("anthropic::claude-sonnet-4-6", &[Seed, ContextLength]),
            ("anthropic::claude-opus-4-8", &[Temperature, Seed, ContextLength]),
            ("gemini::gemini-3.5-flash", &[ContextLength]),
            ("groq::openai/gpt-oss-20b", &[ContextLength]),
            ("openai-compatible::x", &[ContextLength]),
            ("ollama::x", &[]),
        ] {
            assert_eq!(dropped(model, everything()).unwrap(), expected, "{model}");
        }
        let off = ChatRequest::new([Message::user("a")]).with_thinking(Thinking::Off);
        for (model, always) in [
            ("openai::o3", true),
            ("openai::gpt-5", false),
            ("openai::gpt-4o", false),
            ("gemini::gemini-2.5-pro", true),
            ("gemini::gemini-2.5-flash", false),
            ("gemini::gemini-3.1-pro-preview", true),
            ("groq::openai/gpt-oss-120b", true),
            ("groq::qwen/qwen3-32b", false),
        ] {
            let expected: &[ChatOption] = if always { &[ThinkingOff] } else { &[] };
            assert_eq!(dropped(model, off.clone()).unwrap(), expected, "{model}");
        }
    }

    #[test]
    fn what_would_change_the_answer_is_refused_before_it_is_sent() {
        let ask = || ChatRequest::new([Message::user("a")]);
        let think = || ask().with_thinking(Thinking::On);
        let form = || ask().with_json_schema(JsonSchema::new("f", json!({"type": "object"})).unwrap());
        let stops = |count: usize| (0..count).fold(ask(), |request, n| request.with_stop(n.to_string()));
        for (model, request) in [
            ("openai::gpt-4o-mini", think()),
            ("openai::o3", stops(1)),
            ("openai::gpt-4o-mini", stops(5)),
            ("groq::llama-3.1-8b-instant", think()),
            ("gemini::gemini-2.0-flash", think()),
            ("gemini::gemini-2.5-flash", stops(6)),
            ("anthropic::claude-3-5-haiku-20241022", think()),
            ("anthropic::claude-3-7-sonnet-20250219", form()),
            ("anthropic::claude-sonnet-4-6", ask().with_temperature(Temperature::new(1.5).unwrap())),
            ("anthropic::claude-sonnet-4-6", ask().with_stop("\n")),
        ] {
            let error = dropped(model, request).unwrap_err();
            assert!(matches!(error, Error::Unsupported { .. }), "{model}: {error}");
        }
        for (model, request) in [
            ("openai::gpt-4o-mini", stops(4)),
            ("openai::o3", think()),
            ("openai::gpt-5.4-mini", think()),
            ("gemini::gemini-2.5-flash", think()),
            ("groq::qwen/qwen3-32b", think()),
            ("anthropic::claude-haiku-4-5", form()),
            ("anthropic::claude-haiku-4-5", think()),
            ("ollama::x", stops(9)),
        ] {
            assert_eq!(dropped(model, request).unwrap(), [], "{model}");
        }
    }

    #[test]
    fn each_option_goes_by_its_own_name_in_a_warning() {
        use ChatOption::{ContextLength, JsonSchema, LaterSystemMessage, MaxOutput, Seed, Stop};
        use ChatOption::{ThinkingOff, ThinkingOn};
        let all = [
            (ChatOption::Temperature, "temperature"),
            (MaxOutput, "max_output"),
            (Stop, "stop"),
            (Seed, "seed"),
            (ContextLength, "context_length"),
            (JsonSchema, "json_schema"),
            (ThinkingOn, "thinking on"),
            (ThinkingOff, "thinking off"),
            (LaterSystemMessage, "later system message"),
        ];
        for (option, name) in all {
            assert_eq!(option.as_str(), name);
        }
        let model = "anthropic::m".parse().unwrap();
        assert_eq!(Warning::new(&model, Seed, "it has none").to_string(), "anthropic::m: seed: it has none");
    }

    #[test]
    fn thinking_and_a_temperature_do_not_go_together_at_anthropic() {
        let request = everything().with_thinking(Thinking::On);
        let (sent, warnings) = fit(&"anthropic::claude-sonnet-4-6".parse().unwrap(), request).unwrap();
        assert_eq!((sent.temperature, sent.thinking), (None, Some(Thinking::On)));
        assert!(warnings.iter().any(|warning| warning.to_string().contains("with thinking")), "{warnings:?}");
    }

    #[test]
    fn instructions_alone_are_no_conversation_where_they_stand_apart() {
        let request = ChatRequest::new([Message::system("a")]);
        for (model, fits) in [("anthropic::m", false), ("gemini::m", false), ("openai::gpt-4o", true)] {
            assert_eq!(dropped(model, request.clone()).is_ok(), fits, "{model}");
        }
    }

    #[test]
    fn a_later_system_message_is_said_to_be_moved() {
        let request = ChatRequest::new([Message::user("a"), Message::system("b")]);
        assert_eq!(
            dropped("anthropic::claude-haiku-4-5", request.clone()).unwrap(),
            [ChatOption::LaterSystemMessage]
        );
        assert_eq!(dropped("openai::gpt-4o", request).unwrap(), []);
        // One that stands first stands where it is sent to.
        let first = ChatRequest::new([Message::system("a"), Message::user("b")]);
        assert_eq!(dropped("gemini::gemini-3.5-flash", first.clone()).unwrap(), []);
        let second = first.with_system("c");
        assert_eq!(dropped("gemini::gemini-3.5-flash", second).unwrap(), [ChatOption::LaterSystemMessage]);
    }
}
