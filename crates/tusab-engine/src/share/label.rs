//! The few words that are the engine's own.

use tusab_chunk::Language;

/// Words of a file for people, in one language.
#[derive(Debug)]
#[cfg_attr(not(feature = "xlsx"), allow(dead_code, reason = "workbooks alone have so many columns"))]
pub(super) struct Labels {
    pub(super) sources: &'static str,
    pub(super) title: &'static str,
    pub(super) kind: &'static str,
    pub(super) date: &'static str,
    pub(super) link: &'static str,
    pub(super) tags: &'static str,
    pub(super) passages: &'static str,
    pub(super) place: &'static str,
    pub(super) text: &'static str,
    pub(super) asked: &'static str,
    pub(super) question: &'static str,
    pub(super) answer: &'static str,
    pub(super) video: &'static str,
    pub(super) file: &'static str,
    pub(super) note: &'static str,
}

const ENGLISH: Labels = Labels {
    sources: "Sources",
    title: "Title",
    kind: "Kind",
    date: "Date",
    link: "Link",
    tags: "Tags",
    passages: "Passages",
    place: "Place",
    text: "Text",
    asked: "Asked",
    question: "Question",
    answer: "Answer",
    video: "Video",
    file: "File",
    note: "Text",
};

const PORTUGUESE: Labels = Labels {
    sources: "Fontes",
    title: "Título",
    kind: "Tipo",
    date: "Data",
    link: "Link",
    tags: "Etiquetas",
    passages: "Trechos",
    place: "Lugar",
    text: "Texto",
    asked: "Perguntado em",
    question: "Pergunta",
    answer: "Resposta",
    video: "Vídeo",
    file: "Arquivo",
    note: "Texto",
};

const SPANISH: Labels = Labels {
    sources: "Fuentes",
    title: "Título",
    kind: "Tipo",
    date: "Fecha",
    link: "Enlace",
    tags: "Etiquetas",
    passages: "Pasajes",
    place: "Lugar",
    text: "Texto",
    asked: "Preguntado",
    question: "Pregunta",
    answer: "Respuesta",
    video: "Vídeo",
    file: "Archivo",
    note: "Texto",
};

pub(super) fn labels(language: Option<&Language>) -> &'static Labels {
    match language.map(Language::primary) {
        Some("pt") => &PORTUGUESE,
        Some("es") => &SPANISH,
        _ => &ENGLISH,
    }
}
