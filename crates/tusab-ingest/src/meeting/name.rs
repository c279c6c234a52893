//! What may be the name of a speaker.

/// Longest name, in bytes and in words.
const LONGEST: usize = 80;
const WORDS: usize = 7;

/// Levels of logs, which stand where names do.
const NO_NAMES: [&str; 14] = [
    "TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "CRITICAL", "FATAL", "ALERT", "NOTE",
    "TODO", "HTTP", "HTTPS",
];

/// Whether a text can be a name: short, of letters, and not a sentence.
pub(super) fn is_name(text: &str) -> bool {
    let text = text.trim();
    let words = text.split_whitespace().count();
    (1..=LONGEST).contains(&text.len())
        && words <= WORDS
        && text.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '+' | '~' | '@' | '(' | '['))
        && !text.contains(['?', '!', ';', '"', '“', '”', '<', '>', '{', '}', '=', '\t'])
        && !text.contains(", ")
        && !text.ends_with(['.', ',', ':'])
        && !NO_NAMES.iter().any(|level| text.eq_ignore_ascii_case(level))
}

/// Whether a text is written as names are: every word with a capital, save the small ones between.
pub(super) fn is_capitalised(name: &str) -> bool {
    name.split_whitespace().all(|word| {
        let word = word.trim_start_matches(['(', '[', '@', '~']);
        word.starts_with(|c: char| !c.is_lowercase())
            || matches!(
                word,
                "de" | "da"
                    | "do"
                    | "dos"
                    | "das"
                    | "e"
                    | "van"
                    | "von"
                    | "der"
                    | "del"
                    | "la"
                    | "bin"
                    | "al"
            )
    })
}

/// `Name: text` in its two parts.
pub(super) fn before_colon(line: &str) -> Option<(&str, &str)> {
    let head = line.get(..line.floor_char_boundary(LONGEST + 2)).unwrap_or(line);
    let colon = head
        .find(": ")
        .or_else(|| line.strip_suffix(':').filter(|name| head.starts_with(name)).map(str::len))?;
    let (name, said) = line.split_at_checked(colon)?;
    let name = name.trim();
    is_name(name).then_some((name, said.get(1..).unwrap_or_default().trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sentences() {
        for name in [
            "Ana",
            "Justin Florentine (Besu)",
            "stokes",
            "donnoh | L2BEAT",
            "José da Silva",
            "+55 11 98765-4321",
            "Speaker 1",
            "D'Ávila",
            "李明",
        ] {
            assert!(is_name(name), "{name}");
            assert_eq!(before_colon(&format!("{name}: oi: tudo?")), Some((name, "oi: tudo?")));
        }
        for text in [
            "",
            "é isso?",
            "bem, vamos lá",
            "WARN",
            "um dois três quatro cinco seis sete oito",
            "a = b",
            "fim.",
        ] {
            assert!(!is_name(text), "{text}");
        }
        assert_eq!(before_colon("às 10:30 começa"), None);
        assert_eq!(before_colon("Ana:"), Some(("Ana", "")));
        assert!(is_capitalised("José da Silva (Besu)") && !is_capitalised("e o resultado"));
    }
}
