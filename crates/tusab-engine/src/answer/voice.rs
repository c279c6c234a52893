use tusab_chunk::Language;
use tusab_index::{detect_language, tokens};

/// The language in which the engine itself speaks to a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Voice {
    Portuguese,
    English,
    Spanish,
}

/// Function words that one of the three languages has and the others have not, folded.
const PORTUGUESE: [&str; 30] = [
    "ao", "com", "da", "das", "dele", "dela", "do", "dos", "e", "em", "foi", "isso", "mais", "meu", "na",
    "nao", "nas", "no", "nos", "o", "os", "ou", "pela", "pelo", "qual", "quais", "quem", "quando", "sao",
    "um",
];
const ENGLISH: [&str; 30] = [
    "an", "and", "are", "can", "did", "do", "does", "for", "from", "how", "in", "is", "it", "my", "of", "on",
    "or", "the", "their", "there", "to", "was", "what", "when", "where", "which", "who", "why", "with",
    "you",
];
const SPANISH: [&str; 26] = [
    "con", "cual", "cuales", "cuando", "cuanto", "del", "donde", "el", "ella", "en", "eso", "fue", "hay",
    "la", "las", "lo", "los", "mas", "mi", "por", "que", "quien", "son", "una", "y", "ya",
];

impl Voice {
    /// The language of a question, told by its function words; Portuguese where they do not tell.
    pub(crate) fn of(question: &str) -> Self {
        Self::counted(question).0
    }

    /// The same; `None` where nothing tells, or another language is likelier.
    pub(crate) fn told(question: &str) -> Option<Self> {
        // Letters alone tell little of two or three words.
        const ENOUGH: usize = 4;
        let (voice, words) = Self::counted(question);
        let guess = Self::guessed(question);
        match words {
            0 => guess.filter(|_| tokens(question).len() >= ENOUGH),
            1 => guess.map(|_| voice),
            _ => Some(voice),
        }
    }

    /// The language that the letters of a text are likeliest to be in, if it is one of these.
    pub(crate) fn guessed(text: &str) -> Option<Self> {
        Self::of_language(&detect_language(text)?)
    }

    /// The voice of a language.
    pub(crate) fn of_language(language: &Language) -> Option<Self> {
        [Self::Portuguese, Self::English, Self::Spanish]
            .into_iter()
            .find(|voice| voice.primary() == language.primary())
    }

    /// The language with the most function words, and how many these are.
    fn counted(question: &str) -> (Self, usize) {
        let words = tokens(question);
        let count = |list: &[&str]| words.iter().filter(|word| list.contains(&word.as_str())).count();
        let (portuguese, english, spanish) = (count(&PORTUGUESE), count(&ENGLISH), count(&SPANISH));
        if english > portuguese && english >= spanish {
            (Self::English, english)
        } else if spanish > portuguese {
            (Self::Spanish, spanish)
        } else {
            (Self::Portuguese, portuguese)
        }
    }

    /// Introduces quotes, and says that nobody has rephrased them.
    pub(crate) fn quotes(self) -> &'static str {
        match self {
            Self::Portuguese => {
                "Trechos das fontes, citados como estão (resposta extrativa, sem modelo de linguagem):"
            }
            Self::English => {
                "Passages from the sources, quoted as they are (extractive answer, no language model):"
            }
            Self::Spanish => {
                "Pasajes de las fuentes, citados tal cual (respuesta extractiva, sin modelo de lenguaje):"
            }
        }
    }

    /// Says that the project is empty.
    pub(crate) fn nothing_indexed(self) -> &'static str {
        match self {
            Self::Portuguese => "Ainda não há nada indexado neste projeto.",
            Self::English => "Nothing is indexed in this project yet.",
            Self::Spanish => "Todavía no hay nada indexado en este proyecto.",
        }
    }

    /// Says that the sources do not speak of the question.
    pub(crate) fn no_match(self) -> &'static str {
        match self {
            Self::Portuguese => "Não encontrei esse tema nas fontes deste projeto.",
            Self::English => "I did not find this in the sources of this project.",
            Self::Spanish => "No encontré ese tema en las fuentes de este proyecto.",
        }
    }

    /// Its tag, as documents carry it.
    pub(crate) fn primary(self) -> &'static str {
        match self {
            Self::Portuguese => "pt",
            Self::English => "en",
            Self::Spanish => "es",
        }
    }

    /// Names the language to a model.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Portuguese => "Brazilian Portuguese",
            Self::English => "English",
            Self::Spanish => "Spanish",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_answered_in_its_language() {
        for (question, voice) in [
            ("O que são juros compostos?", Voice::Portuguese),
            ("What is compound interest?", Voice::English),
            ("¿Qué es el interés compuesto y cuándo se paga?", Voice::Spanish),
            ("quem fundou a empresa", Voice::Portuguese),
            ("how do I bake it", Voice::English),
            ("juros", Voice::Portuguese),
            ("", Voice::Portuguese),
        ] {
            assert_eq!(Voice::of(question), voice, "{question:?}");
        }
    }
}
