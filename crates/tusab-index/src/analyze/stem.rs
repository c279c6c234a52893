use frostem::{Algorithm, Stemmer};
use tusab_chunk::Language;

use super::fold;
use crate::duplicate::hash_token;

/// How the words of a document change their endings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Morphology {
    Portuguese,
    English,
    Spanish,
    /// A language whose endings are left as they are.
    Other,
}

impl Morphology {
    pub(crate) fn of(language: Option<&Language>) -> Self {
        language.map_or(Self::Other, |language| Self::of_code(language.primary()))
    }

    /// That of a primary language subtag.
    pub(crate) fn of_code(code: &str) -> Self {
        match code {
            "pt" | "gl" => Self::Portuguese,
            "en" => Self::English,
            "es" => Self::Spanish,
            _ => Self::Other,
        }
    }

    pub(super) fn code(self) -> &'static str {
        match self {
            Self::Portuguese => "pt",
            Self::English => "en",
            Self::Spanish => "es",
            Self::Other => "",
        }
    }

    /// Begins the terms of stems: those of two languages are apart, since one stem can be of two words.
    pub(crate) fn mark(self) -> char {
        match self {
            Self::Portuguese => 'p',
            Self::English => 'e',
            Self::Spanish => 's',
            Self::Other => 'o',
        }
    }

    /// The stem of a folded word, folded itself: the same with and without accents.
    ///
    /// By the Snowball algorithms (Porter 2001), which tell many endings of Portuguese and Spanish by their accents:
    /// these are given back to a folded word first.
    pub(crate) fn stem(self, folded: &str) -> String {
        let algorithm = match self {
            Self::Portuguese => Algorithm::Portuguese,
            Self::English => Algorithm::English,
            Self::Spanish => Algorithm::Spanish,
            Self::Other => return folded.to_owned(),
        };
        // Numbers and codes have no endings.
        if folded.len() < 3 || folded.bytes().any(|byte| byte.is_ascii_digit()) {
            return folded.to_owned();
        }
        let stemmer = Stemmer::new(algorithm);
        let accents = match self {
            Self::Portuguese => PORTUGUESE,
            Self::Spanish => SPANISH,
            Self::English | Self::Other => &[],
        };
        let ending =
            accents.iter().find_map(|(plain, accented)| Some((folded.strip_suffix(plain)?, *accented)));
        // Not of words that are hardly more than the ending, such as `seis` and `dois`.
        let Some((root, ending)) = ending.filter(|(root, _)| root.len() >= 2) else {
            return stemmer.stem(folded).into_owned();
        };
        let mut stem = String::new();
        fold(&stemmer.stem(&format!("{root}{ending}")), &mut stem);
        stem
    }
}

/// Endings that the Portuguese algorithm knows with accents, plurals as singulars where it leaves them apart (Orengo and
/// Huyck 2001, step 1); the first that fits counts.
const PORTUGUESE: &[(&str, &str)] = &[
    ("cao", "ção"),
    ("coes", "ção"),
    ("ao", "ão"),
    ("oes", "ão"),
    ("aes", "ão"),
    ("ancia", "ância"),
    ("ancias", "âncias"),
    ("encia", "ência"),
    ("encias", "ências"),
    ("avel", "ável"),
    ("aveis", "ável"),
    ("ivel", "ível"),
    ("iveis", "ível"),
    ("ais", "al"),
    ("eis", "el"),
    ("ois", "ol"),
];

/// Endings that the Spanish algorithm knows with accents.
const SPANISH: &[(&str, &str)] =
    &[("cion", "ción"), ("sion", "sión"), ("logia", "logía"), ("logias", "logías")];

/// The stems of words seen before: a text repeats most of its words.
///
/// A word has one place, which the last one that belongs there keeps: a text that was made to have all its words in one
/// place costs their stemming, and no more.
#[derive(Debug, Clone, Default)]
pub(crate) struct StemCache {
    places: [Places; 3],
}

/// The places of a language's words, a power of two.
#[derive(Debug, Clone, Default)]
struct Places {
    words: Vec<Known>,
    /// Words that were not in their place since the table had this size.
    missed: usize,
}

#[derive(Debug, Clone, Default)]
struct Known {
    word: String,
    stem: String,
}

/// Places of a table at first: a passage's.
const FEW_PLACES: usize = 1 << 8;

/// Places of a table at most, about a megabyte.
const MANY_PLACES: usize = 1 << 14;

impl Places {
    /// The place of a word, which another one may have.
    fn place(&mut self, word: &str) -> Option<&mut Known> {
        if self.missed >= self.words.len() && self.words.len() < MANY_PLACES {
            let places = (self.words.len() * 4).max(FEW_PLACES);
            self.words.clear();
            self.words.resize_with(places, Known::default);
            self.missed = 0;
        }
        #[allow(
            clippy::cast_possible_truncation,
            reason = "the high bits are spread no worse than the low ones"
        )]
        let place = (hash_token(word) >> 32) as usize & (self.words.len() - 1);
        let known = self.words.get_mut(place)?;
        self.missed += usize::from(known.word != word);
        Some(known)
    }
}

impl StemCache {
    /// Adds the stem of a folded word.
    pub(crate) fn stem(&mut self, morphology: Morphology, folded: &str, stem: &mut String) {
        let [portuguese, english, spanish] = &mut self.places;
        let places = match morphology {
            Morphology::Portuguese => portuguese,
            Morphology::English => english,
            Morphology::Spanish => spanish,
            Morphology::Other => return stem.push_str(folded),
        };
        let Some(known) = places.place(folded) else { return stem.push_str(&morphology.stem(folded)) };
        if known.word != folded {
            folded.clone_into(&mut known.word);
            known.stem = morphology.stem(folded);
        }
        stem.push_str(&known.stem);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_share_a_stem_with_and_without_accents() {
        for (morphology, forms) in [
            (Morphology::Portuguese, ["informação", "informacao", "informações", "informar"].as_slice()),
            (Morphology::Portuguese, &["ciência", "ciencia", "ciencias"]),
            (Morphology::Portuguese, &["sustentável", "sustentaveis"]),
            (Morphology::Portuguese, &["avião", "aviões", "aviao"]),
            (Morphology::Portuguese, &["jornal", "jornais"]),
            (Morphology::Portuguese, &["papel", "papéis"]),
            (Morphology::English, &["retrieve", "retrieved", "retrieving"]),
            (Morphology::Spanish, &["canción", "canciones", "cancion"]),
        ] {
            let stems: Vec<String> =
                forms.iter().map(|form| morphology.stem(&super::super::folded(form))).collect();
            assert!(stems.windows(2).all(|pair| pair.first() == pair.last()), "{forms:?} gives {stems:?}");
        }
    }

    #[test]
    fn codes_and_other_languages_stay_as_they_are() {
        for (morphology, word) in
            [(Morphology::English, "s1s"), (Morphology::English, "is"), (Morphology::Other, "ações")]
        {
            assert_eq!(morphology.stem(word), word);
        }
    }

    #[test]
    fn the_cache_says_what_the_stemmer_says() {
        let mut cache = StemCache::default();
        let mut stem = String::new();
        for _ in 0..2 {
            for word in ["cats", "gatos"] {
                for morphology in [Morphology::English, Morphology::Portuguese, Morphology::Other] {
                    stem.clear();
                    cache.stem(morphology, word, &mut stem);
                    assert_eq!(stem, morphology.stem(word));
                }
            }
        }
    }

    #[test]
    fn more_words_than_places_have_their_stems_too() {
        let letter = |number: usize| char::from(b'a' + u8::try_from(number % 26).unwrap());
        let words: Vec<String> = (0..2 * MANY_PLACES)
            .map(|number| format!("{}{}{}ing", letter(number / 676), letter(number / 26), letter(number)))
            .map(|word| format!("{word}{word}"))
            .collect();
        let mut cache = StemCache::default();
        for word in words.iter().chain(&words) {
            let mut stem = String::new();
            cache.stem(Morphology::English, word, &mut stem);
            assert_eq!(stem, Morphology::English.stem(word));
        }
        let [_, english, _] = &cache.places;
        assert_eq!(english.words.len(), MANY_PLACES);
    }
}
