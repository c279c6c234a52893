//! Function words: articles, prepositions, pronouns, auxiliaries and question words; sorted, folded.

/// True for a function word of Portuguese, English or Spanish, given as a [token](crate::tokens): it says nothing about
/// a passage, unless such words are all that was asked.
#[must_use]
pub fn is_stopword(token: &str) -> bool {
    token.len() <= LONGEST && LISTS.iter().any(|(_, words)| words.binary_search(&token).is_ok())
}

/// How many of the tokens are function words of each language. Those of several languages count for each.
pub(super) fn count(tokens: &[String]) -> [(&'static str, usize); 3] {
    LISTS.map(|(code, words)| {
        (code, tokens.iter().filter(|token| words.binary_search(&token.as_str()).is_ok()).count())
    })
}

/// Bytes of the longest one: most words of a text are told by their length.
const LONGEST: usize = 7;

const LISTS: [(&str, &[&str]); 3] = [("pt", PORTUGUESE), ("en", ENGLISH), ("es", SPANISH)];

/// Of Portuguese.
#[rustfmt::skip]
const PORTUGUESE: &[&str] = &[
    "a", "ao", "aos", "aquela", "aquelas", "aquele", "aqueles", "aquilo", "as", "ate", "com", "como", "da",
    "das", "de", "dela", "delas", "dele", "deles", "depois", "desde", "do", "dos", "e", "ela", "elas", "ele",
    "eles", "em", "entre", "era", "eram", "essa", "essas", "esse", "esses", "esta", "estao", "estas",
    "estava", "este", "estes", "eu", "foi", "foram", "ha", "isso", "isto", "ja", "la", "lhe", "lhes", "lo",
    "mais", "mas", "me", "mesmo", "meu", "meus", "minha", "minhas", "muito", "na", "nao", "nas", "nem", "no",
    "nos", "nossa", "nossas", "nosso", "nossos", "num", "numa", "o", "onde", "os", "ou", "para", "pela",
    "pelas", "pelo", "pelos", "pode", "por", "porque", "posso", "quais", "qual", "quando", "quanta",
    "quantas", "quanto", "quantos", "que", "quem", "sao", "se", "sem", "ser", "sera", "seu", "seus", "so",
    "sobre", "sua", "suas", "tambem", "te", "tem", "ter", "teu", "teus", "tinha", "tu", "tua", "tuas", "um",
    "uma", "umas", "uns", "voce", "voces",
];

/// Of English.
#[rustfmt::skip]
const ENGLISH: &[&str] = &[
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "been", "being", "but", "by", "can", "could",
    "did", "do", "does", "for", "from", "had", "has", "have", "he", "her", "him", "his", "how", "i", "if",
    "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "our", "she", "should", "so", "such",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "us",
    "was", "we", "were", "what", "when", "where", "which", "who", "whom", "why", "will", "with", "would",
    "you", "your",
];

/// Of Spanish.
#[rustfmt::skip]
const SPANISH: &[&str] = &[
    "a", "al", "algo", "como", "con", "cual", "cuales", "cuando", "cuanto", "de", "del", "desde", "donde",
    "e", "el", "ella", "ellas", "ellos", "en", "entre", "era", "es", "esa", "esas", "ese", "eso", "esos",
    "esta", "este", "esto", "estos", "fue", "ha", "han", "hay", "la", "las", "le", "les", "lo", "los", "mas",
    "me", "mi", "mis", "muy", "ni", "no", "nos", "o", "os", "para", "pero", "por", "porque", "que", "quien",
    "se", "ser", "si", "sin", "sobre", "son", "su", "sus", "tambien", "te", "tiene", "tu", "un", "una",
    "unas", "uno", "unos", "y", "ya",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_and_folded() {
        for (_, words) in LISTS {
            assert!(words.is_sorted_by(|a, b| a < b));
            assert!(words.iter().all(|word| crate::tokens(word) == [*word] && is_stopword(word)));
        }
    }
}
