//! Greetings and the like: what consists of nothing else, in Portuguese, English and Spanish.

use tusab_index::tokens;

use crate::answer::Voice;

/// What somebody says who asks nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SmallTalk {
    kind: Kind,
    voice: Voice,
}

/// What is answered when several are said; the last goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// Belongs to another, and is nothing by itself.
    Filler,
    Acknowledged,
    Greeting,
    Farewell,
    Thanks,
    HowAreYou,
    WhoAreYou,
}

/// Longest small talk, in words.
const LONGEST: usize = 12;

type Phrases = (Kind, Voice, &'static [&'static str]);

/// Without accents, as the index sees words.
const PHRASES: [Phrases; 21] = [
    (
        Kind::Greeting,
        Voice::Portuguese,
        &["oi", "oie", "ola", "opa", "alo", "bom dia", "boa tarde", "boa noite", "e ai", "saudacoes"],
    ),
    (
        Kind::Greeting,
        Voice::English,
        &["hi", "hello", "hey", "good morning", "good afternoon", "good evening", "greetings"],
    ),
    (
        Kind::Greeting,
        Voice::Spanish,
        &["hola", "buenos dias", "buen dia", "buenas tardes", "buenas noches", "buenas", "saludos"],
    ),
    (
        Kind::HowAreYou,
        Voice::Portuguese,
        &[
            "tudo bem",
            "tudo bom",
            "tudo certo",
            "tudo joia",
            "como vai",
            "como vai voce",
            "como voce vai",
            "como voce esta",
            "como esta voce",
            "como esta",
        ],
    ),
    (
        Kind::HowAreYou,
        Voice::English,
        &[
            "how are you",
            "how are you doing",
            "how are you today",
            "how s it going",
            "how is it going",
            "what s up",
        ],
    ),
    (
        Kind::HowAreYou,
        Voice::Spanish,
        &["que tal", "como estas", "como esta usted", "como te va", "todo bien"],
    ),
    (
        Kind::Thanks,
        Voice::Portuguese,
        &["obrigado", "obrigada", "muito obrigado", "muito obrigada", "valeu", "agradeco", "brigado", "obg"],
    ),
    (
        Kind::Thanks,
        Voice::English,
        &["thanks", "thank you", "thank you very much", "thank you so much", "thanks a lot", "many thanks"],
    ),
    (Kind::Thanks, Voice::Spanish, &["gracias", "muchas gracias", "mil gracias"]),
    (
        Kind::Farewell,
        Voice::Portuguese,
        &["tchau", "ate logo", "ate mais", "ate amanha", "ate breve", "ate a proxima"],
    ),
    (
        Kind::Farewell,
        Voice::English,
        &["bye", "goodbye", "bye bye", "see you", "see you later", "see you soon", "good night"],
    ),
    (
        Kind::Farewell,
        Voice::Spanish,
        &["adios", "hasta luego", "hasta manana", "hasta pronto", "nos vemos", "chau"],
    ),
    (
        Kind::WhoAreYou,
        Voice::Portuguese,
        &[
            "quem e voce",
            "o que voce faz",
            "o que voce pode fazer",
            "o que voce sabe fazer",
            "como voce se chama",
            "qual e o seu nome",
            "qual o seu nome",
            "qual e seu nome",
        ],
    ),
    (
        Kind::WhoAreYou,
        Voice::English,
        &[
            "who are you",
            "what are you",
            "what can you do",
            "what do you do",
            "what is your name",
            "what s your name",
        ],
    ),
    (
        Kind::WhoAreYou,
        Voice::Spanish,
        &["quien eres", "que puedes hacer", "que haces", "como te llamas", "cual es tu nombre"],
    ),
    (Kind::Acknowledged, Voice::Portuguese, &["entendi", "entendido", "de nada"]),
    (Kind::Acknowledged, Voice::English, &["ok", "okay", "got it", "you re welcome"]),
    (Kind::Acknowledged, Voice::Spanish, &["de acuerdo"]),
    (
        Kind::Filler,
        Voice::Portuguese,
        &[
            "assistente",
            "tusab",
            "pessoal",
            "gente",
            "amigo",
            "amiga",
            "amigos",
            "a todos",
            "a todas",
            "pela ajuda",
            "pela resposta",
            "por tudo",
            "e voce",
            "e com voce",
            "e contigo",
            "ai",
            "por favor",
        ],
    ),
    (
        Kind::Filler,
        Voice::English,
        &[
            "assistant",
            "there",
            "everyone",
            "all",
            "friend",
            "friends",
            "for your help",
            "for the help",
            "for everything",
            "and you",
            "please",
        ],
    ),
    (
        Kind::Filler,
        Voice::Spanish,
        &["asistente", "a todos", "por tu ayuda", "por la ayuda", "por todo", "y tu", "y usted"],
    ),
];

/// What `text` says, if it says nothing else.
pub(super) fn recognise(text: &str) -> Option<SmallTalk> {
    let marks = |c: char| {
        matches!(c, ',' | '.' | '!' | '?' | '…' | '\'' | '’' | '¡' | '¿' | ')' | '(' | ':' | '-' | '~')
    };
    // Digits, quotes and the like make it something else; a smile does not.
    let is_plain = |c: char| {
        c.is_alphabetic()
            || c.is_whitespace()
            || marks(c)
            || (!c.is_ascii() && !c.is_alphanumeric() && !is_quote(c))
    };
    if !text.chars().all(is_plain) {
        return None;
    }
    let words: Vec<String> = tokens(text).iter().map(|word| squeezed(word)).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if words.len() > LONGEST {
        return None;
    }
    let mut said: Vec<SmallTalk> = Vec::new();
    let mut left = words.as_slice();
    while !left.is_empty() {
        let (phrase, length) = longest(left)?;
        said.push(phrase);
        left = left.get(length..).unwrap_or_default();
    }
    let talk = said.iter().copied().filter(|talk| talk.kind != Kind::Filler).max_by_key(|talk| talk.kind)?;
    // "Bom dia?" asks for something, and who knows for what.
    let may_ask = matches!(talk.kind, Kind::HowAreYou | Kind::WhoAreYou);
    (may_ask || !text.contains('?')).then_some(talk)
}

/// The longest phrase that the words begin with.
fn longest(words: &[&str]) -> Option<(SmallTalk, usize)> {
    let mut best: Option<(SmallTalk, usize)> = None;
    for (kind, voice, phrases) in &PHRASES {
        for phrase in *phrases {
            let length = phrase.split(' ').count();
            let begins = words.get(..length).is_some_and(|start| {
                start
                    .iter()
                    .zip(phrase.split(' '))
                    .all(|(typed, word)| *typed == word || (*kind != Kind::Filler && is_meant(typed, word)))
            });
            if begins && best.is_none_or(|(_, longest)| length > longest) {
                best = Some((SmallTalk { kind: *kind, voice: *voice }, length));
            }
        }
    }
    best
}

/// Letters from which on two that have changed places are a slip of the fingers and no other word.
const SWAPPED: usize = 5;

/// Letters from which on one that is missing inside is. "tanks" are not "thanks", and a "brigão" thanks nobody.
const MISSING: usize = 8;

/// Whether somebody typed a word, be it drawn out at its end ("oii") or with a slip ("obirgado", "obrigdo").
fn is_meant(typed: &str, word: &str) -> bool {
    if without_drawl(typed) == without_drawl(word) {
        return true;
    }
    let (typed, word): (Vec<char>, Vec<char>) = (typed.chars().collect(), word.chars().collect());
    // People get the beginning right; "Garcias" is a name, and no thanks.
    let same = typed.iter().zip(&word).take_while(|(a, b)| a == b).count();
    if same < 2 {
        return false;
    }
    let (Some(typed_rest), Some(word_rest)) = (typed.get(same..), word.get(same..)) else { return false };
    let is_swapped = || match (typed_rest, word_rest) {
        ([a, b, typed_end @ ..], [c, d, word_end @ ..]) => a == d && b == c && typed_end == word_end,
        _ => false,
    };
    let is_missing = || !typed_rest.is_empty() && word_rest.get(1..) == Some(typed_rest);
    (word.len() >= SWAPPED && is_swapped()) || (word.len() >= MISSING && is_missing())
}

/// A word whose last letter stands once.
fn without_drawl(word: &str) -> &str {
    let Some(last) = word.chars().next_back() else { return word };
    let rest = word.trim_end_matches(last);
    word.get(..rest.len() + last.len_utf8()).unwrap_or(word)
}

/// A word without what is drawn out: "oiii".
fn squeezed(word: &str) -> String {
    let chars: Vec<char> = word.chars().collect();
    let mut squeezed = String::new();
    let mut rest = chars.as_slice();
    while let Some(first) = rest.first() {
        let run = rest.iter().take_while(|c| *c == first).count();
        squeezed.extend(std::iter::repeat_n(*first, if run > 2 { 1 } else { run }));
        rest = rest.get(run..).unwrap_or_default();
    }
    squeezed
}

fn is_quote(c: char) -> bool {
    matches!(c, '“' | '”' | '«' | '»' | '‘' | '„')
}

impl SmallTalk {
    /// What is said back, in the language that was chosen or else spoken.
    pub(super) fn reply(self, chosen: Option<Voice>) -> &'static str {
        match (self.kind, chosen.unwrap_or(self.voice)) {
            (Kind::Greeting, Voice::Portuguese) => {
                "Olá! Pergunte o que quiser sobre as fontes deste projeto."
            }
            (Kind::Greeting, Voice::English) => "Hello! Ask me anything about the sources of this project.",
            (Kind::Greeting, Voice::Spanish) => {
                "¡Hola! Pregunta lo que quieras sobre las fuentes de este proyecto."
            }
            (Kind::HowAreYou, Voice::Portuguese) => {
                "Tudo certo por aqui! O que quer saber sobre as fontes deste projeto?"
            }
            (Kind::HowAreYou, Voice::English) => {
                "All well here! What would you like to know about the sources of this project?"
            }
            (Kind::HowAreYou, Voice::Spanish) => {
                "¡Todo bien por aquí! ¿Qué quieres saber sobre las fuentes de este proyecto?"
            }
            (Kind::Thanks, Voice::Portuguese) => "De nada! Se quiser saber mais, é só perguntar.",
            (Kind::Thanks, Voice::English) => "You are welcome! Just ask if you want to know more.",
            (Kind::Thanks, Voice::Spanish) => "¡De nada! Si quieres saber más, solo pregunta.",
            (Kind::Farewell, Voice::Portuguese) => "Até logo!",
            (Kind::Farewell, Voice::English) => "See you!",
            (Kind::Farewell, Voice::Spanish) => "¡Hasta luego!",
            (Kind::WhoAreYou, Voice::Portuguese) => {
                "Sou o assistente deste projeto: respondo perguntas a partir das fontes que estão nele, e mostro onde cada coisa está dita."
            }
            (Kind::WhoAreYou, Voice::English) => {
                "I am the assistant of this project: I answer questions from the sources that are in it, and show where each thing is said."
            }
            (Kind::WhoAreYou, Voice::Spanish) => {
                "Soy el asistente de este proyecto: respondo preguntas a partir de las fuentes que hay en él, y muestro dónde se dice cada cosa."
            }
            (Kind::Acknowledged | Kind::Filler, Voice::Portuguese) => "Certo. O que mais quer saber?",
            (Kind::Acknowledged | Kind::Filler, Voice::English) => {
                "All right. What else would you like to know?"
            }
            (Kind::Acknowledged | Kind::Filler, Voice::Spanish) => "De acuerdo. ¿Qué más quieres saber?",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_nothing_else_is_small_talk() {
        for (text, kind, voice) in [
            ("Oi", Kind::Greeting, Voice::Portuguese),
            ("Oiii!!", Kind::Greeting, Voice::Portuguese),
            ("Olá, bom dia!", Kind::Greeting, Voice::Portuguese),
            ("bom dia a todos 😊", Kind::Greeting, Voice::Portuguese),
            ("Boa noite, pessoal.", Kind::Greeting, Voice::Portuguese),
            ("oi, tudo bem?", Kind::HowAreYou, Voice::Portuguese),
            ("Tudo bem e você?", Kind::HowAreYou, Voice::Portuguese),
            ("Muito obrigada pela ajuda!", Kind::Thanks, Voice::Portuguese),
            ("valeu, até logo", Kind::Thanks, Voice::Portuguese),
            ("tchau", Kind::Farewell, Voice::Portuguese),
            ("Olá! Quem é você?", Kind::WhoAreYou, Voice::Portuguese),
            ("entendi, obrigado", Kind::Thanks, Voice::Portuguese),
            ("Hello there", Kind::Greeting, Voice::English),
            ("Good morning, everyone!", Kind::Greeting, Voice::English),
            ("Hi, how are you?", Kind::HowAreYou, Voice::English),
            ("What's up?", Kind::HowAreYou, Voice::English),
            ("thank you very much for your help", Kind::Thanks, Voice::English),
            ("Bye bye", Kind::Farewell, Voice::English),
            ("What can you do?", Kind::WhoAreYou, Voice::English),
            ("ok", Kind::Acknowledged, Voice::English),
            ("oii", Kind::Greeting, Voice::Portuguese),
            ("Bom diaa, tudo bemm??", Kind::HowAreYou, Voice::Portuguese),
            ("boa tadre", Kind::Greeting, Voice::Portuguese),
            ("obirgado!", Kind::Thanks, Voice::Portuguese),
            ("muito obrigdo", Kind::Thanks, Voice::Portuguese),
            ("heyy", Kind::Greeting, Voice::English),
            ("helloo there", Kind::Greeting, Voice::English),
            ("good monring", Kind::Greeting, Voice::English),
            ("graicas", Kind::Thanks, Voice::Spanish),
            ("¡Hola!", Kind::Greeting, Voice::Spanish),
            ("Buenos días, ¿qué tal?", Kind::HowAreYou, Voice::Spanish),
            ("muchas gracias por tu ayuda", Kind::Thanks, Voice::Spanish),
            ("Adiós, hasta luego", Kind::Farewell, Voice::Spanish),
            ("¿Quién eres?", Kind::WhoAreYou, Voice::Spanish),
        ] {
            assert_eq!(recognise(text), Some(SmallTalk { kind, voice }), "{text:?}");
        }
    }

    #[test]
    fn what_only_looks_like_it_is_searched_for() {
        for text in [
            "bom dia é uma saudação?",
            "Bom dia?",
            "\"bom dia\"",
            "“boa noite”",
            "O que significa bom dia?",
            "quem disse boa noite?",
            "Bom dia Brasil",
            "tanks",
            "Garcias",
            "gracia",
            "brigão",
            "obrigad",
            "ok three",
            "hlelo",
            "boa tarte",
            "boa tarte de maçã",
            "olla",
            "bom di",
            "god",
            "evenig class",
            "Boa noite Cinderela",
            "Oi Telecom",
            "oi fibra 500",
            "valeu a pena?",
            "tudo bem com o manjericão?",
            "como vai a inflação?",
            "obrigado a pagar imposto",
            "quem é você na fila do pão",
            "até logo, e obrigado pelos peixes",
            "e aí, quanto sol a hortelã quer?",
            "gente",
            "por favor",
            "hello world",
            "Hi-Fi",
            "hey jude",
            "good morning vietnam",
            "how are you supposed to prune basil?",
            "what is up with the economy",
            "thanksgiving",
            "bye bye birdie cast",
            "who are you calling",
            "what can you do about mould?",
            "ok google",
            "hola mundo",
            "¿Qué tal funciona el riego?",
            "gracias a la vida letra",
            "adiós muchachos",
            "¿cómo estás usando el compost?",
            "buenos aires",
            "",
            "?!",
            "ok 2",
        ] {
            assert_eq!(recognise(text), None, "{text:?}");
        }
        assert_eq!(recognise(&"oi ".repeat(13)), None);
    }

    #[test]
    fn a_chosen_language_is_spoken() {
        assert_eq!(recognise("oi").unwrap().reply(Some(Voice::Spanish)).chars().next(), Some('¡'));
        for (kind, voice, _) in PHRASES {
            assert!(!SmallTalk { kind, voice }.reply(None).is_empty());
        }
    }
}
