use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Error;

/// A language tag as captions and documents carry it: `pt`, `pt-BR`, `zh-Hans` (BCP 47, RFC 5646).
///
/// ```
/// use tusab_chunk::Language;
/// let language: Language = "pt-br".parse()?;
/// assert_eq!(language.as_str(), "pt-BR");
/// assert_eq!(language.primary(), "pt");
/// # Ok::<(), tusab_chunk::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Language(Box<str>);

impl Language {
    /// The tag in its usual letter case.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The language without region or script: `pt` of `pt-BR`.
    #[must_use]
    pub fn primary(&self) -> &str {
        self.0.split('-').next().unwrap_or_default()
    }
}

impl FromStr for Language {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let bad = || Error::BadLanguage { text: text.to_owned() };
        if text.len() > 35 {
            return Err(bad());
        }
        let mut tag = String::with_capacity(text.len());
        for (index, part) in text.split(['-', '_']).enumerate() {
            let well_formed = match index {
                0 => matches!(part.len(), 2 | 3) && part.bytes().all(|b| b.is_ascii_alphabetic()),
                _ => matches!(part.len(), 1..=8) && part.bytes().all(|b| b.is_ascii_alphanumeric()),
            };
            if !well_formed {
                return Err(bad());
            }
            if index > 0 {
                tag.push('-');
            }
            let mut part = part.to_ascii_lowercase();
            // RFC 5646, section 2.1.1: regions in capitals, scripts with a capital first.
            match (index, part.len()) {
                (1.., 2) => part.make_ascii_uppercase(),
                (1.., 4) => part.get_mut(..1).into_iter().for_each(str::make_ascii_uppercase),
                _ => {}
            }
            tag.push_str(&part);
        }
        Ok(Self(tag.into()))
    }
}

impl TryFrom<String> for Language {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<Language> for String {
    fn from(language: Language) -> Self {
        language.0.into()
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_normalised_and_nonsense_is_refused() {
        for (given, kept) in [("PT", "pt"), ("pt_br", "pt-BR"), ("zh-hans", "zh-Hans"), ("es-419", "es-419")]
        {
            assert_eq!(given.parse::<Language>().unwrap().as_str(), kept);
        }
        for bad in ["", "p", "português", "../x", "pt-", "en--US"] {
            assert!(bad.parse::<Language>().is_err(), "{bad:?}");
        }
    }
}
