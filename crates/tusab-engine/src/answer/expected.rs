//! What kind of thing a question asks for, as its question words tell it.

use tusab_index::tokens;

/// What the answer to a question has in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    /// A number: how many, when, how old.
    Number,
    /// A name: who, where.
    Name,
    /// A reason.
    Reason,
    /// Nothing that shows.
    Anything,
}

const NUMBER: [&str; 12] = [
    "quantos", "quantas", "quanto", "quanta", "quando", "when", "cuantos", "cuantas", "cuanto", "cuanta",
    "cuando", "ano",
];
const NAME: [&str; 8] = ["quem", "who", "whom", "whose", "quien", "quienes", "onde", "where"];

/// Words that give a reason, folded.
const BECAUSE: [&str; 12] = [
    "porque",
    "pois",
    "devido",
    "because",
    "since",
    "therefore",
    "porquanto",
    "causa",
    "motivo",
    "razao",
    "due",
    "debido",
];

impl Expected {
    pub(super) fn of(question: &str) -> Self {
        let words = tokens(question);
        let asks = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        let pair = |one: &str, next: &str| {
            words.windows(2).any(|pair| matches!(pair, [first, second] if first == one && second == next))
        };
        if asks(&NUMBER)
            || pair("how", "many")
            || pair("how", "much")
            || pair("how", "long")
            || pair("how", "old")
        {
            Self::Number
        } else if asks(&NAME) {
            Self::Name
        } else if asks(&["why"]) || pair("por", "que") || words.first().is_some_and(|word| word == "porque") {
            Self::Reason
        } else {
            Self::Anything
        }
    }

    /// True when a sentence has what is asked for.
    pub(super) fn is_met(self, sentence: &str) -> bool {
        match self {
            Self::Number => sentence.contains(|c: char| c.is_ascii_digit()),
            // Beyond the word that begins the sentence.
            Self::Name => {
                sentence.split_whitespace().skip(1).any(|word| word.starts_with(char::is_uppercase))
            }
            Self::Reason => tokens(sentence).iter().any(|word| BECAUSE.contains(&word.as_str())),
            Self::Anything => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn question_words_tell_what_is_asked_for() {
        for (question, expected) in [
            ("Quantas horas de sol a hortelã precisa?", Expected::Number),
            ("Em que ano foi fundada?", Expected::Number),
            ("How many trays are there?", Expected::Number),
            ("Quem fundou a empresa?", Expected::Name),
            ("Where is the index kept?", Expected::Name),
            ("Por que a coleta cresce?", Expected::Reason),
            ("Why does it fail?", Expected::Reason),
            ("Como regar?", Expected::Anything),
            ("", Expected::Anything),
        ] {
            assert_eq!(Expected::of(question), expected, "{question}");
        }
    }

    #[test]
    fn sentences_show_what_they_have() {
        for (expected, has, lacks) in [
            (Expected::Number, "Foi em 1998.", "Foi há muito tempo."),
            (Expected::Name, "Quem fundou foi Ana.", "Fundou e saiu."),
            (Expected::Reason, "Murcha porque falta água.", "Murcha no verão."),
        ] {
            assert!(expected.is_met(has) && !expected.is_met(lacks), "{expected:?}");
        }
    }
}
