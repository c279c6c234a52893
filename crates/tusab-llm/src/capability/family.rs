//! Families of models, told by their names.

/// What a model of OpenAI takes, from its API reference (`CreateChatCompletionRequest`, `ReasoningEffort`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OpenAi {
    /// It thinks before it answers, and takes no temperature.
    pub(crate) thinks: bool,
    /// The `reasoning_effort` that comes nearest to none; `None` if it cannot but think.
    pub(crate) effort_off: Option<&'static str>,
    /// The `reasoning_effort` that makes it think; `None` if it thinks unless it is told not to.
    pub(crate) effort_on: Option<&'static str>,
    pub(crate) takes_stop: bool,
}

impl OpenAi {
    pub(crate) fn of(name: &str) -> Self {
        // Fine-tuned models are called `ft:BASE:...`.
        let name = name.strip_prefix("ft:").unwrap_or(name);
        let plain = Self { thinks: false, effort_off: None, effort_on: None, takes_stop: true };
        if is_of_the_o_series(name) {
            let takes_stop = is_or_begins(name, "o1") || is_or_begins(name, "o3-mini");
            return Self { thinks: true, takes_stop, ..plain };
        }
        match version(name.strip_prefix("gpt-").unwrap_or_default()) {
            Some((major, _)) if major < 5 => plain,
            None => plain,
            // The models behind the chat app answer at once.
            Some(_) if name.contains("-chat") => plain,
            Some(_) if name.contains("-pro") => Self { thinks: true, ..plain },
            Some((5, 0)) => Self { thinks: true, effort_off: Some("minimal"), ..plain },
            // The default of those after GPT-5 is not to think.
            Some(_) => Self { thinks: true, effort_off: Some("none"), effort_on: Some("medium"), ..plain },
        }
    }
}

/// What a model of Anthropic takes, from its API reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a row of a table")]
pub(crate) struct Anthropic {
    pub(crate) thinks: bool,
    /// It decides by itself how long to think; else it is given a budget.
    pub(crate) adaptive: bool,
    pub(crate) takes_temperature: bool,
    pub(crate) takes_schema: bool,
}

impl Anthropic {
    pub(crate) fn of(name: &str) -> Self {
        let newest = Self { thinks: true, adaptive: true, takes_temperature: false, takes_schema: true };
        let Some(rest) = name.strip_prefix("claude-") else { return newest };
        // Once `claude-3-5-haiku-DATE`, now `claude-haiku-4-5`.
        let (version, opus) = match version(rest) {
            Some(version) => (version, rest.contains("opus")),
            None => match rest.split_once('-').and_then(|(_, rest)| version(rest)) {
                Some(version) => (version, rest.starts_with("opus")),
                None => return newest,
            },
        };
        Self {
            thinks: version >= (3, 7),
            adaptive: version >= (4, 6),
            takes_temperature: version <= (4, 6),
            takes_schema: version >= (4, 5) || (opus && version >= (4, 1)),
        }
    }
}

/// How a model of Gemini is told to think, from its API reference (`ThinkingConfig`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gemini {
    /// It does not think, and refuses to be told.
    Plain,
    /// By a budget of tokens (2.5); `off`: whether it may be zero.
    Budget { off: bool },
    /// By a level (3 and later); `off`: whether it may be minimal.
    Level { off: bool },
}

impl Gemini {
    pub(crate) fn of(name: &str) -> Self {
        let name = name.strip_prefix("models/").unwrap_or(name);
        let off = !name.contains("pro");
        match name.strip_prefix("gemini-").map(version) {
            // Another maker's model, such as Gemma.
            None => Self::Plain,
            Some(Some((major, minor))) if (major, minor) < (2, 5) => Self::Plain,
            Some(Some((2, _))) => Self::Budget { off },
            Some(_) => Self::Level { off },
        }
    }
}

/// Whether a model at Groq thinks, from its documentation of reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GroqThinking {
    Never,
    Always,
    /// It can be switched (`reasoning_effort` of `none` or `default`).
    Switched,
}

impl GroqThinking {
    pub(crate) fn of(name: &str) -> Self {
        if name.contains("gpt-oss") || name.contains("deepseek-r1") || name.contains("qwq") {
            Self::Always
        } else if name.contains("qwen3") {
            Self::Switched
        } else {
            Self::Never
        }
    }
}

/// Whether a name is that of a model that thinks and says so by an `o` before its number: `o1`, `o3-mini`, `o4-mini`.
fn is_of_the_o_series(name: &str) -> bool {
    let Some(rest) = name.strip_prefix('o') else { return false };
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    (1..=2).contains(&(rest.len() - after.len())) && (after.is_empty() || after.starts_with(['-', ':']))
}

fn is_or_begins(name: &str, series: &str) -> bool {
    name.strip_prefix(series).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', ':']))
}

/// The version at the start of `text`: `5`, `5.4` or `4-5`; a date is none.
fn version(text: &str) -> Option<(u32, u32)> {
    let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = |text: &str| {
        let length = digits(text);
        // Three digits or more are the start of a date.
        text.get(..length).filter(|number| (1..=2).contains(&number.len()))?.parse::<u32>().ok()
    };
    let major = number(text)?;
    let rest = text.get(digits(text)..).unwrap_or_default();
    let minor = rest.strip_prefix(['.', '-']).and_then(number).unwrap_or(0);
    Some((major, minor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_dates_are_not() {
        for (text, expected) in [
            ("5", Some((5, 0))),
            ("5.4-mini", Some((5, 4))),
            ("4-5-20251001", Some((4, 5))),
            ("4-20250514", Some((4, 0))),
            ("3-5-haiku-20241022", Some((3, 5))),
            ("4o-mini", Some((4, 0))),
            ("4.1-nano", Some((4, 1))),
            ("2025", None),
            ("haiku-4-5", None),
            ("", None),
        ] {
            assert_eq!(version(text), expected, "{text}");
        }
    }

    #[test]
    fn families_of_openai_are_told_by_name() {
        let seen = |name| {
            let OpenAi { thinks, effort_off, effort_on, takes_stop } = OpenAi::of(name);
            assert_eq!(effort_on, (effort_off == Some("none")).then_some("medium"), "{name}");
            (thinks, effort_off, takes_stop)
        };
        for name in [
            "gpt-4o-mini",
            "gpt-4.1",
            "gpt-3.5-turbo",
            "chatgpt-4o-latest",
            "gpt-5-chat-latest",
            "olmo",
            "o",
            "o3x",
            "o123",
        ] {
            assert_eq!(seen(name), (false, None, true), "{name}");
        }
        for name in [
            "o3",
            "o3-2025-04-16",
            "o4-mini",
            "o4-mini-deep-research",
            "ft:o4-mini-2025-04-16:me::id",
            "o5",
            "o10-mini",
        ] {
            assert_eq!(seen(name), (true, None, false), "{name}");
        }
        for name in ["o1", "o1-preview", "o3-mini", "ft:o1:me", "gpt-5.2-pro"] {
            assert_eq!(seen(name), (true, None, true), "{name}");
        }
        assert_eq!(seen("gpt-5-nano-2025-08-07"), (true, Some("minimal"), true));
        for name in ["gpt-5.1", "gpt-5.4-mini-2026-03-17", "gpt-6-luna", "gpt-10"] {
            assert_eq!(seen(name), (true, Some("none"), true), "{name}");
        }
    }

    #[test]
    fn families_of_anthropic_are_told_by_name() {
        let seen = |name| {
            let Anthropic { thinks, adaptive, takes_temperature, takes_schema } = Anthropic::of(name);
            (thinks, adaptive, takes_temperature, takes_schema)
        };
        for (name, expected) in [
            ("claude-3-5-haiku-20241022", (false, false, true, false)),
            ("claude-3-7-sonnet-20250219", (true, false, true, false)),
            ("claude-sonnet-4-20250514", (true, false, true, false)),
            ("claude-3-opus-20240229", (false, false, true, false)),
            ("claude-opus-4-20250514", (true, false, true, false)),
            ("claude-opus-4-1", (true, false, true, true)),
            ("claude-haiku-4-5-20251001", (true, false, true, true)),
            ("claude-sonnet-4-6", (true, true, true, true)),
            ("claude-opus-4-7", (true, true, false, true)),
            ("claude-sonnet-5-5", (true, true, false, true)),
            ("claude-mythos-preview", (true, true, false, true)),
        ] {
            assert_eq!(seen(name), expected, "{name}");
        }
    }

    #[test]
    fn families_of_gemini_and_groq_are_told_by_name() {
        for (name, expected) in [
            ("gemini-1.5-flash", Gemini::Plain),
            ("gemini-2.0-flash-lite", Gemini::Plain),
            ("gemma-3-27b-it", Gemini::Plain),
            ("gemini-2.5-flash", Gemini::Budget { off: true }),
            ("models/gemini-2.5-pro", Gemini::Budget { off: false }),
            ("gemini-3.5-flash", Gemini::Level { off: true }),
            ("gemini-3.1-pro-preview", Gemini::Level { off: false }),
            ("gemini-flash-latest", Gemini::Level { off: true }),
        ] {
            assert_eq!(Gemini::of(name), expected, "{name}");
        }
        assert_eq!(GroqThinking::of("openai/gpt-oss-20b"), GroqThinking::Always);
        assert_eq!(GroqThinking::of("qwen/qwen3-32b"), GroqThinking::Switched);
        assert_eq!(GroqThinking::of("llama-3.1-8b-instant"), GroqThinking::Never);
    }
}
