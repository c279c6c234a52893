use tusab_chunk::Language;
use whichlang::{Lang, detect_language as guess};

use super::stopwords::count;
use super::tokens;

/// Bytes of a text that are looked at.
const SAMPLE: usize = 320;

/// The language that a text is most likely in; `None` when it has no words.
///
/// Told by its letter sequences (`whichlang`, sixteen languages); Portuguese, English and Spanish, which it takes for
/// others in short texts, by their function words too. A text of a few words can be taken for a neighbouring language.
///
/// ```
/// let language = tusab_index::detect_language("Em que dia chega a encomenda que fizemos?");
/// assert_eq!(language.unwrap().as_str(), "pt");
/// ```
#[must_use]
pub fn detect_language(text: &str) -> Option<Language> {
    let sample = text.get(..text.floor_char_boundary(SAMPLE))?;
    if !sample.contains(char::is_alphabetic) {
        return None;
    }
    let code = match guess(sample) {
        Lang::Por => "pt",
        Lang::Eng => "en",
        Lang::Spa => "es",
        other => {
            let counts = count(&tokens(sample));
            let most = counts.into_iter().max_by_key(|(_, count)| *count)?;
            if most.1 >= 2 { most.0 } else { code(other) }
        }
    };
    code.parse().ok()
}

fn code(language: Lang) -> &'static str {
    match language {
        Lang::Ara => "ar",
        Lang::Cmn => "zh",
        Lang::Deu => "de",
        Lang::Eng => "en",
        Lang::Fra => "fr",
        Lang::Hin => "hi",
        Lang::Ita => "it",
        Lang::Jpn => "ja",
        Lang::Kor => "ko",
        Lang::Nld => "nl",
        Lang::Por => "pt",
        Lang::Rus => "ru",
        Lang::Spa => "es",
        Lang::Swe => "sv",
        Lang::Tur => "tr",
        Lang::Vie => "vi",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_languages_and_others_are_told_apart() {
        for (text, expected) in [
            ("O prazo para pedir a devolução é de sete dias depois da entrega.", "pt"),
            ("The deadline for returns is seven days after the delivery.", "en"),
            ("El plazo para pedir la devolución es de siete días después de la entrega.", "es"),
            ("Der Termin für die Rückgabe ist sieben Tage nach der Lieferung.", "de"),
            ("Срок возврата составляет семь дней после доставки.", "ru"),
        ] {
            assert_eq!(detect_language(text).unwrap().as_str(), expected, "{text:?}");
        }
    }

    #[test]
    fn what_has_no_words_has_no_language() {
        for text in ["", "123 456", "🎉 --"] {
            assert_eq!(detect_language(text), None, "{text:?}");
        }
    }
}
