//! One analysis for what is indexed and for what is asked.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Longest token kept whole, in bytes; a longer one is cut here, so that it is still found by its start.
/// Well under tantivy's limit on a term (65,530).
const MAX_TOKEN: usize = 1024;

/// The words of `text` as the index sees them: lower-case and without accents, in their order.
///
/// ```
/// assert_eq!(tusab_index::tokens("A Informação, já!"), ["a", "informacao", "ja"]);
/// ```
#[must_use]
pub fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut words = Words::new(text);
    while let Some(word) = words.next_word() {
        let mut token = String::new();
        fold(word, &mut token);
        if !token.is_empty() {
            tokens.push(token);
        }
    }
    tokens
}

/// Runs of letters, digits and the marks that combine with them.
struct Words<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Words<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    fn next_word(&mut self) -> Option<&'t str> {
        let rest = self.text.get(self.at..)?;
        let start = rest.find(char::is_alphanumeric)?;
        let word = rest.get(start..)?;
        let is_part = |c: char| c.is_alphanumeric() || is_combining_mark(c) || is_invisible(c);
        let end = word.find(|c: char| !is_part(c)).unwrap_or(word.len());
        self.at += start + end;
        word.get(..end)
    }
}

/// Characters that show nothing and may stand inside a word: the soft hyphen, zero-width spaces and joiners.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}')
}

/// Letters that Unicode does not decompose and that people write without, as they do on a plain keyboard.
fn plain(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'þ' => "th",
        'ı' => "i",
        'ς' => "σ",
        _ => return None,
    })
}

/// Lower-case, compatibility-decomposed, without marks.
fn fold(word: &str, token: &mut String) {
    token.clear();
    if word.is_ascii() {
        token.extend(word.chars().take(MAX_TOKEN).map(|c| c.to_ascii_lowercase()));
        return;
    }
    // Marks go after lower-casing too, which can add one: `İ` gives `i` and a dot above.
    let shown = |c: &char| !is_combining_mark(*c) && !is_invisible(*c);
    for c in word.nfkd().filter(shown).flat_map(char::to_lowercase).filter(shown) {
        let mut buffer = [0; 4];
        let letters = plain(c).unwrap_or_else(|| c.encode_utf8(&mut buffer));
        if token.len() + letters.len() > MAX_TOKEN {
            break;
        }
        token.push_str(letters);
    }
}

/// The same analysis in the form that tantivy asks for.
#[derive(Clone, Default)]
pub(crate) struct FoldingTokenizer {
    token: Token,
}

impl Tokenizer for FoldingTokenizer {
    type TokenStream<'a> = FoldingStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> FoldingStream<'a> {
        self.token.reset();
        FoldingStream { words: Words::new(text), token: &mut self.token }
    }
}

pub(crate) struct FoldingStream<'a> {
    words: Words<'a>,
    token: &'a mut Token,
}

impl TokenStream for FoldingStream<'_> {
    fn advance(&mut self) -> bool {
        while let Some(word) = self.words.next_word() {
            fold(word, &mut self.token.text);
            if !self.token.text.is_empty() {
                self.token.offset_to = self.words.at;
                self.token.offset_from = self.words.at - word.len();
                self.token.position = self.token.position.wrapping_add(1);
                return true;
            }
        }
        false
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

/// True for a function word of Portuguese, English or Spanish, given as a [token](tokens): it says nothing about a
/// passage, unless such words are all that was asked.
#[must_use]
pub fn is_stopword(token: &str) -> bool {
    STOPWORDS.binary_search(&token).is_ok()
}

/// Articles, prepositions, pronouns, auxiliaries and question words; sorted, folded.
#[rustfmt::skip]
const STOPWORDS: &[&str] = &[
    "a", "about", "al", "algo", "an", "and", "any", "ao", "aos", "aquela", "aquelas", "aquele", "aqueles",
    "aquilo", "are", "as", "at", "ate", "be", "been", "being", "but", "by", "can", "com", "como", "con",
    "could", "cual", "cuales", "cuando", "cuanto", "da", "das", "de", "del", "dela", "delas", "dele", "deles",
    "depois", "desde", "did", "do", "does", "donde", "dos", "e", "el", "ela", "elas", "ele", "eles", "ella",
    "ellas", "ellos", "em", "en", "entre", "era", "eram", "es", "esa", "esas", "ese", "eso", "esos", "essa",
    "essas", "esse", "esses", "esta", "estao", "estas", "estava", "este", "estes", "esto", "estos", "eu",
    "foi", "for", "foram", "from", "fue", "ha", "had", "han", "has", "have", "hay", "he", "her", "him", "his",
    "how", "i", "if", "in", "into", "is", "isso", "isto", "it", "its", "ja", "la", "las", "le", "les", "lhe",
    "lhes", "lo", "los", "mais", "mas", "me", "mesmo", "meu", "meus", "mi", "minha", "minhas", "mis", "muito",
    "muy", "my", "na", "nao", "nas", "nem", "ni", "no", "nos", "nossa", "nossas", "nosso", "nossos", "num",
    "numa", "o", "of", "on", "onde", "or", "os", "ou", "our", "para", "pela", "pelas", "pelo", "pelos",
    "pero", "pode", "por", "porque", "posso", "quais", "qual", "quando", "quanta", "quantas", "quanto",
    "quantos", "que", "quem", "quien", "sao", "se", "sem", "ser", "sera", "seu", "seus", "she", "should",
    "si", "sin", "so", "sobre", "son", "su", "sua", "suas", "such", "sus", "tambem", "tambien", "te", "tem",
    "ter", "teu", "teus", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "those", "tiene", "tinha", "to", "tu", "tua", "tuas", "um", "uma", "umas", "un", "una", "unas", "uno",
    "unos", "uns", "us", "voce", "voces", "was", "we", "were", "what", "when", "where", "which", "who",
    "whom", "why", "will", "with", "would", "y", "ya", "you", "your",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_case_and_unicode_form_never_matter() {
        let decomposed: String = "Informação".nfd().collect();
        for word in ["informacao", "INFORMAÇÃO", &decomposed] {
            assert_eq!(tokens(word), ["informacao"], "{word:?}");
        }
        assert_eq!(tokens("İstanbul ﬁnal Ⅳ"), ["istanbul", "final", "iv"]);
        assert_eq!(tokens("Łódź cœur Straße ΟΔΟΣ οδος"), ["lodz", "coeur", "strasse", "οδοσ", "οδοσ"]);
        assert_eq!(tokens("infor\u{AD}ma\u{200B}ção"), ["informacao"]);
    }

    #[test]
    fn what_is_no_word_gives_no_token() {
        assert!(tokens("\"*()\0 \u{301}\u{301} 🎉 --").is_empty());
        assert_eq!(tokens("C++ 14.688/2023"), ["c", "14", "688", "2023"]);
    }

    #[test]
    fn a_long_token_is_cut_not_dropped() {
        for letter in ["á", "a"] {
            assert_eq!(tokens(&letter.repeat(5000)), ["a".repeat(MAX_TOKEN)]);
        }
    }

    #[test]
    fn both_forms_of_the_analysis_agree() {
        let text = "Lei nº 14.688: informação, ação — e C++!";
        let mut tokenizer = FoldingTokenizer::default();
        let mut stream = tokenizer.token_stream(text);
        let mut streamed = Vec::new();
        while stream.advance() {
            let token = stream.token();
            assert_eq!(tokens(&text[token.offset_from..token.offset_to]), std::slice::from_ref(&token.text));
            streamed.push(token.text.clone());
        }
        assert_eq!(streamed, tokens(text));
    }

    #[test]
    fn the_stopwords_are_sorted_and_folded() {
        assert!(STOPWORDS.is_sorted_by(|a, b| a < b));
        assert!(STOPWORDS.iter().all(|word| tokens(word) == [*word]));
    }
}
