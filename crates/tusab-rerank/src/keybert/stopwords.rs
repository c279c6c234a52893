//! Words that carry no topic, of Portuguese and English, without accents and in lower case. Those of one letter are no
//! candidates anyway.

/// Sorted, for a binary search.
#[rustfmt::skip]
const STOPWORDS: [&str; 408] = [
    "about", "above", "after", "again", "against", "ai", "ainda", "alem", "algo", "alguem", "algum",
    "alguma", "algumas", "alguns", "ali", "all", "also", "am", "an", "and", "ante", "antes", "any", "ao",
    "aos", "apenas", "aquela", "aquelas", "aquele", "aqueles", "aqui", "aquilo", "are", "aren", "as",
    "assim", "at", "ate", "be", "because", "been", "before", "being", "below", "bem", "between", "both",
    "but", "by", "cada", "can", "cannot", "coisa", "com", "como", "contra", "could", "couldn", "cuja",
    "cujo", "da", "dai", "das", "de", "dela", "delas", "dele", "deles", "demais", "depois", "desde",
    "dessa", "dessas", "desse", "desses", "desta", "destas", "deste", "destes", "did", "didn", "disso",
    "disto", "do", "does", "doesn", "doing", "don", "done", "dos", "down", "during", "each", "either",
    "ela", "elas", "ele", "eles", "else", "em", "enquanto", "entao", "entre", "era", "eram", "essa",
    "essas", "esse", "esses", "esta", "estamos", "estao", "estar", "estas", "estava", "estavam", "este",
    "estes", "estou", "eu", "ever", "every", "faz", "fazem", "fazer", "feita", "feito", "few", "foi", "for",
    "foram", "fosse", "from", "fui", "further", "get", "gets", "getting", "go", "goes", "going", "gone",
    "got", "ha", "had", "has", "have", "havia", "having", "he", "her", "here", "hers", "herself", "him",
    "himself", "his", "how", "however", "if", "in", "into", "is", "isn", "isso", "isto", "it", "its",
    "itself", "ja", "just", "la", "let", "lets", "lhe", "lhes", "like", "ll", "logo", "mais", "mas", "may",
    "me", "mesma", "mesmas", "mesmo", "mesmos", "meu", "meus", "might", "minha", "minhas", "more", "most",
    "much", "muita", "muitas", "muito", "muitos", "must", "my", "myself", "na", "nao", "nas", "ne",
    "neither", "nem", "nenhum", "nenhuma", "nessa", "nessas", "nesse", "nesses", "nesta", "nestas", "neste",
    "nestes", "ninguem", "no", "nor", "nos", "nossa", "nossas", "nosso", "nossos", "not", "now", "num",
    "numa", "nunca", "of", "off", "on", "once", "onde", "one", "only", "onto", "or", "os", "other",
    "others", "ou", "our", "ours", "ourselves", "out", "outra", "outras", "outro", "outros", "over", "own",
    "para", "pela", "pelas", "pelo", "pelos", "per", "perante", "pode", "podem", "pois", "por", "porem",
    "porque", "portanto", "pouca", "poucas", "pouco", "poucos", "pra", "pro", "propria", "proprio", "quais",
    "qual", "qualquer", "quando", "quanta", "quantas", "quanto", "quantos", "que", "quem", "quer", "quite",
    "rather", "re", "really", "same", "sao", "se", "sem", "sempre", "sendo", "ser", "sera", "serao",
    "seria", "seu", "seus", "shall", "she", "should", "shouldn", "si", "sido", "so", "sob", "sobre", "some",
    "somos", "sua", "suas", "such", "ta", "tal", "tambem", "tao", "te", "tem", "temos", "tenha", "tenho",
    "ter", "teu", "teus", "teve", "than", "that", "the", "their", "theirs", "them", "themselves", "then",
    "there", "therefore", "these", "they", "thing", "things", "this", "those", "though", "through", "thus",
    "tinha", "tinham", "to", "toda", "todas", "todo", "todos", "too", "tua", "tuas", "tudo", "um", "uma",
    "umas", "under", "uns", "until", "up", "upon", "us", "vai", "vao", "ve", "vem", "very", "voce", "voces",
    "vos", "vou", "was", "wasn", "we", "well", "were", "weren", "what", "when", "where", "whether", "which",
    "while", "who", "whom", "whose", "why", "will", "with", "within", "without", "won", "would", "wouldn",
    "yes", "yet", "you", "your", "yours", "yourself", "yourselves",
];

/// Whether a word, without accents and in lower case, is one.
pub(super) fn is_stopword(word: &str) -> bool {
    STOPWORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_so_that_all_are_found() {
        assert!(STOPWORDS.is_sorted());
        assert!(STOPWORDS.iter().all(|word| is_stopword(word)));
        assert!(["nao", "the", "voce", "of"].into_iter().all(is_stopword));
        assert!(["prova", "proof"].into_iter().all(|word| !is_stopword(word)));
    }
}
