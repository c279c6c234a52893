use tusab_chunk::Language;

/// Words of a report, in one language.
#[derive(Debug)]
pub(super) struct Labels {
    pub(super) language: &'static str,
    pub(super) made: &'static str,
    pub(super) documents: &'static str,
    pub(super) videos: &'static str,
    pub(super) passages: &'static str,
    pub(super) characters: &'static str,
    pub(super) over_time: &'static str,
    pub(super) undated: &'static str,
    pub(super) by_source: &'static str,
    pub(super) others: &'static str,
    pub(super) health: &'static str,
    pub(super) indexed: &'static str,
    pub(super) with_phrases: &'static str,
    pub(super) with_vectors: &'static str,
    pub(super) no_vectors: &'static str,
    pub(super) phrases: &'static str,
    pub(super) words: &'static str,
    pub(super) nothing: &'static str,
}

const ENGLISH: Labels = Labels {
    language: "en",
    made: "Made on",
    documents: "sources",
    videos: "videos",
    passages: "passages",
    characters: "characters",
    over_time: "Sources over time",
    undated: "without a date",
    by_source: "Passages by source",
    others: "others together",
    health: "The index",
    indexed: "Sources that can be searched",
    with_phrases: "Passages with key phrases",
    with_vectors: "Passages with a vector",
    no_vectors: "No vectors: Broad Search goes by words alone",
    phrases: "Most frequent key phrases",
    words: "Most frequent words",
    nothing: "Nothing yet.",
};

const PORTUGUESE: Labels = Labels {
    language: "pt",
    made: "Feito em",
    documents: "fontes",
    videos: "vídeos",
    passages: "trechos",
    characters: "caracteres",
    over_time: "Fontes ao longo do tempo",
    undated: "sem data",
    by_source: "Trechos por fonte",
    others: "outras juntas",
    health: "O índice",
    indexed: "Fontes que se podem buscar",
    with_phrases: "Trechos com frases-chave",
    with_vectors: "Trechos com vetor",
    no_vectors: "Sem vetores: a busca ampla usa só as palavras",
    phrases: "Frases-chave mais frequentes",
    words: "Palavras mais frequentes",
    nothing: "Nada ainda.",
};

const SPANISH: Labels = Labels {
    language: "es",
    made: "Hecho el",
    documents: "fuentes",
    videos: "vídeos",
    passages: "pasajes",
    characters: "caracteres",
    over_time: "Fuentes a lo largo del tiempo",
    undated: "sin fecha",
    by_source: "Pasajes por fuente",
    others: "otras juntas",
    health: "El índice",
    indexed: "Fuentes que se pueden buscar",
    with_phrases: "Pasajes con frases clave",
    with_vectors: "Pasajes con vector",
    no_vectors: "Sin vectores: la búsqueda amplia usa solo las palabras",
    phrases: "Frases clave más frecuentes",
    words: "Palabras más frecuentes",
    nothing: "Nada todavía.",
};

pub(super) fn labels(language: Option<&Language>) -> &'static Labels {
    match language.map(Language::primary) {
        Some("pt") => &PORTUGUESE,
        Some("es") => &SPANISH,
        _ => &ENGLISH,
    }
}
