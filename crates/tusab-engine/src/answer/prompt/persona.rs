use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::escape::push_line;
use crate::Error;

/// How an answer is worded. It changes the style and nothing else: what was found, and what is shown of it, is the same.
///
/// ```
/// use tusab_engine::Persona;
/// assert_eq!("didactic".parse::<Persona>()?, Persona::Didactic);
/// let persona = Persona::custom("As an old sailor.\nBriefly.")?;
/// assert_eq!(persona.to_string(), "As an old sailor. Briefly.");
/// # Ok::<(), tusab_engine::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Persona {
    /// Short and to the point.
    #[default]
    Objective,
    /// Exact terms and details, for those who know the field.
    Technical,
    /// Step by step, with plain words, for those who learn.
    Didactic,
    /// As one talks to a friend.
    Relaxed,
    /// The answer, and a question that leads on.
    Socratic,
    /// In the user's own words.
    Custom(CustomPersona),
}

/// A style in the user's own words: 1 to 300 characters on one line.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CustomPersona(String);

impl CustomPersona {
    /// Longest, in characters.
    pub const LIMIT: usize = 300;

    /// A style in those words. Line breaks and other runs of white space become single spaces, control characters go.
    ///
    /// # Errors
    /// [`Error::Persona`] unless 1 to 300 characters are left.
    pub fn new(text: &str) -> Result<Self, Error> {
        let shown: String = text.chars().filter(|c| c.is_whitespace() || !c.is_control()).collect();
        let folded = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        let characters = folded.chars().count();
        if (1..=Self::LIMIT).contains(&characters) {
            Ok(Self(folded))
        } else {
            Err(Error::Persona { characters, limit: Self::LIMIT })
        }
    }

    /// The words.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for CustomPersona {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        Self::new(&text)
    }
}

impl From<CustomPersona> for String {
    fn from(persona: CustomPersona) -> Self {
        persona.0
    }
}

impl Persona {
    /// Those that have a name.
    pub const NAMED: [Self; 5] =
        [Self::Objective, Self::Technical, Self::Didactic, Self::Relaxed, Self::Socratic];

    /// A style in the user's own words; see [`CustomPersona::new`].
    ///
    /// # Errors
    /// [`Error::Persona`] unless it has 1 to 300 characters.
    pub fn custom(text: &str) -> Result<Self, Error> {
        CustomPersona::new(text).map(Self::Custom)
    }

    /// The line that says it to a model: the last of the prompt.
    pub(crate) fn line(&self) -> String {
        let style = match self {
            Self::Objective => "objective: short and direct, without digressions.",
            Self::Technical => {
                "technical: the exact terms and the details, for a reader who knows the field."
            }
            Self::Didactic => "didactic: step by step and in plain words, for a reader who is learning.",
            Self::Relaxed => "relaxed: light and friendly, as one talks to a friend.",
            Self::Socratic => "Socratic: answer, then end with one question that leads the reader further.",
            Self::Custom(words) => {
                let mut line = String::from("Style: ");
                push_line(&mut line, words.as_str());
                return line;
            }
        };
        format!("Style: {style}")
    }
}

impl fmt::Display for Persona {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Objective => "objective",
            Self::Technical => "technical",
            Self::Didactic => "didactic",
            Self::Relaxed => "relaxed",
            Self::Socratic => "socratic",
            Self::Custom(words) => words.as_str(),
        })
    }
}

/// A name is that persona; anything else is a style in the user's own words.
impl FromStr for Persona {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let name = text.trim();
        match Self::NAMED.into_iter().find(|persona| persona.to_string().eq_ignore_ascii_case(name)) {
            Some(persona) => Ok(persona),
            None => Self::custom(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_that_is_empty_or_too_long_cannot_be_made_anywhere() {
        for bad in ["", " \n\t", "\u{0}\u{7}", &"a".repeat(301)] {
            assert!(matches!(Persona::custom(bad), Err(Error::Persona { .. })), "{bad:?}");
            assert!(serde_json::from_value::<CustomPersona>(bad.into()).is_err(), "{bad:?}");
        }
        // What is folded away does not count.
        let long = format!("{}\n\n\n{}", "á".repeat(150), "é".repeat(149));
        assert_eq!(CustomPersona::new(&long).unwrap().as_str().chars().count(), 300);
    }

    #[test]
    fn it_is_read_back_from_what_it_is_stored_as() {
        for persona in Persona::NAMED.into_iter().chain([Persona::custom("Como um\ncapitão").unwrap()]) {
            let json = serde_json::to_value(&persona).unwrap();
            assert_eq!(serde_json::from_value::<Persona>(json).unwrap(), persona);
            assert_eq!(persona.to_string().parse::<Persona>().unwrap(), persona);
        }
    }

    proptest! {
        #[test]
        fn a_custom_one_is_one_line_and_no_delimiter(text in "(?s).{1,200}|[\n<>\u{2028}\u{85}a]{1,60}") {
            let Ok(persona) = Persona::custom(&text) else { return Ok(()) };
            let line = persona.line();
            prop_assert_eq!(line.lines().count(), 1);
            let breaks = ['\n', '\r', '\u{2028}', '\u{2029}', '\u{85}', '<', '>'];
            prop_assert!(!line.contains(breaks));
        }
    }
}
