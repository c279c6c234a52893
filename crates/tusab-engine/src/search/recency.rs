//! Questions that ask for what is new.

use tusab_chunk::Date;
use tusab_index::{Recency, tokens};

use crate::Clock;

/// Words that ask for what is new, folded. Words, never parts of words: "nova" is in "renovar". Those that mean
/// something else more often ("last name", "novo" of a thing) are left out.
const WORDS: [&str; 27] = [
    "atual",
    "atuais",
    "atualmente",
    "atualizado",
    "atualizada",
    "hoje",
    "ontem",
    "recente",
    "recentes",
    "recentemente",
    "ultimamente",
    "actual",
    "actuales",
    "actualmente",
    "hoy",
    "ayer",
    "reciente",
    "recientes",
    "recientemente",
    "current",
    "currently",
    "latest",
    "newest",
    "recent",
    "recently",
    "today",
    "nowadays",
];

/// Days after which the addition for new documents is half of what it is on the first day.
const HALF_LIFE_DAYS: f32 = 90.0;

/// A document of today scores this much more: enough to win among equals, not to bury what fits better.
const WEIGHT: f32 = 0.5;

/// How much newer documents rank higher for this question; not at all for most.
pub(super) fn asked(question: &str, clock: &dyn Clock) -> Option<Recency> {
    let asks = tokens(question).iter().any(|word| WORDS.contains(&word.as_str()));
    let today = asks.then(|| today(clock)).flatten()?;
    Some(Recency { today, half_life_days: HALF_LIFE_DAYS, weight: WEIGHT })
}

fn today(clock: &dyn Clock) -> Option<Date> {
    crate::clock::timestamp(clock).get(..10)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_ask_for_what_is_new() {
        let clock = crate::SystemClock;
        for question in
            ["o que há de mais recente?", "the LATEST release", "¿qué se dijo ayer?", "preço atual"]
        {
            assert!(asked(question, &clock).is_some(), "{question}");
        }
        for question in ["renovar a recém-nascida", "o atualismo", "newestern", "juros", "hojerizah", ""] {
            assert!(asked(question, &clock).is_none(), "{question}");
        }
    }
}
