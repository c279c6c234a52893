use serde::{Deserialize, Serialize};

use super::Voice;

/// The language of an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AnswerLanguage {
    /// That of the question.
    #[default]
    Question,
    /// Portuguese, as in Brazil.
    Portuguese,
    /// English.
    English,
    /// Spanish.
    Spanish,
}

impl AnswerLanguage {
    /// What the engine itself says, it says in this language.
    pub(crate) fn voice(self, question: &str) -> Voice {
        self.chosen().unwrap_or_else(|| Voice::of(question))
    }

    /// The language that was chosen whatever the question's is.
    pub(crate) fn chosen(self) -> Option<Voice> {
        match self {
            Self::Question => None,
            Self::Portuguese => Some(Voice::Portuguese),
            Self::English => Some(Voice::English),
            Self::Spanish => Some(Voice::Spanish),
        }
    }

    /// Tells a model in which language to answer.
    pub(crate) fn rule(self, question: &str) -> String {
        match self.chosen().or_else(|| Voice::told(question)) {
            Some(voice) => format!("Answer in {}.", voice.name()),
            None => "Answer in the language of the question.".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chosen_language_goes_before_that_of_the_question() {
        let question = "What is compound interest?";
        assert_eq!(AnswerLanguage::Question.voice(question), Voice::English);
        assert_eq!(AnswerLanguage::Spanish.voice(question), Voice::Spanish);
        for (language, question) in [
            (AnswerLanguage::Portuguese, question),
            (AnswerLanguage::Question, "Quantas horas de sol a hortelã precisa?"),
            (AnswerLanguage::Question, "quem disse?"),
        ] {
            assert_eq!(language.rule(question), "Answer in Brazilian Portuguese.", "{question}");
        }
        for question in
            ["Was kostet das Auto und wie lange fährt es?", "Combien coûte cette voiture neuve ?", "xyz"]
        {
            let rule = AnswerLanguage::Question.rule(question);
            assert_eq!(rule, "Answer in the language of the question.", "{question}");
        }
    }
}
