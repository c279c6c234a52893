//! Questions about the project itself: how much is in it, what is newest, when it was taken in.

mod reply;

use tusab_index::tokens;

use super::pattern::is_said_by;
use crate::answer::Voice;

pub(super) use reply::answer;

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    Count(Kind),
    /// What was published or written last.
    NewestPublished(Kind),
    /// What was taken in last.
    NewestAdded(Kind),
    /// When something was taken in last.
    WhenIndexed,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Videos,
    Documents,
    Texts,
    Passages,
    /// All sources.
    Any,
}

/// The words for what a project holds, folded.
const NOUNS: [(&str, Kind); 29] = [
    ("video", Kind::Videos),
    ("videos", Kind::Videos),
    ("documento", Kind::Documents),
    ("documentos", Kind::Documents),
    ("document", Kind::Documents),
    ("documents", Kind::Documents),
    ("arquivo", Kind::Documents),
    ("arquivos", Kind::Documents),
    ("archivo", Kind::Documents),
    ("archivos", Kind::Documents),
    ("file", Kind::Documents),
    ("files", Kind::Documents),
    ("texto", Kind::Texts),
    ("textos", Kind::Texts),
    ("text", Kind::Texts),
    ("texts", Kind::Texts),
    ("trechos", Kind::Passages),
    ("passages", Kind::Passages),
    ("chunks", Kind::Passages),
    ("fragmentos", Kind::Passages),
    ("fonte", Kind::Any),
    ("fontes", Kind::Any),
    ("source", Kind::Any),
    ("sources", Kind::Any),
    ("fuente", Kind::Any),
    ("fuentes", Kind::Any),
    ("item", Kind::Any),
    ("itens", Kind::Any),
    ("items", Kind::Any),
];

/// Stands for any of [`NOUNS`] in a pattern.
const NOUN: &str = "#";

/// What is asked, how surely and in which words. A question that is not sure could go on from the one before.
const PATTERNS: [(Voice, Ask, bool, &str); 24] = [
    (
        Voice::Portuguese,
        Ask::Count,
        true,
        "(quantos|quantas) # [voce] (tem|temos|tenho|ha|existem|estao) [salvos|salvas|indexados|indexadas|carregados|carregadas] (na base|nesta base|na sua base|na minha base|no projeto|neste projeto|no acervo|aqui|ao todo|no total)",
    ),
    (
        Voice::Portuguese,
        Ask::Count,
        true,
        "(quantos|quantas) # (voce tem|eu tenho|nos temos|temos|tenho|estao indexados|estao indexadas|foram indexados|foram indexadas|indexados|indexadas) [aqui|na base|neste projeto|ao todo|no total]",
    ),
    (
        Voice::Portuguese,
        Ask::Count,
        true,
        "(quantos|quantas) # [ha|existem|tem] (na base|nesta base|no projeto|neste projeto|no acervo|aqui)",
    ),
    (
        Voice::Portuguese,
        Ask::Count,
        true,
        "[qual e|qual] [o] (numero|total) de # (na base|nesta base|no projeto|neste projeto|indexados|indexadas)",
    ),
    (Voice::Portuguese, Ask::Count, false, "(quantos|quantas) # (ha|existem|tem)"),
    (
        Voice::English,
        Ask::Count,
        true,
        "how many # [are] (are there|there are|do you have|do i have|do we have|have you|there|are indexed|were indexed|have been indexed|indexed) (in the base|in this base|in your base|in my base|in the knowledge base|in the project|in this project|in the index|here|in total|indexed)",
    ),
    (
        Voice::English,
        Ask::Count,
        true,
        "how many # (do you have|do i have|do we have|have you got|are indexed|were indexed|have been indexed|are in the base|are in this project|are in the index|are here)",
    ),
    (
        Voice::English,
        Ask::Count,
        true,
        "[what is] [the] (number of|total number of) # (in the base|in this project|in the index)",
    ),
    (Voice::English, Ask::Count, false, "how many # are there"),
    (
        Voice::Spanish,
        Ask::Count,
        true,
        "(cuantos|cuantas) # (hay|tienes|tiene|tengo|tenemos|existen|estan) [indexados|indexadas|guardados] (en la base|en esta base|en tu base|en el proyecto|en este proyecto|aqui|en total|indexados|indexadas)",
    ),
    (Voice::Spanish, Ask::Count, true, "(cuantos|cuantas) # (tienes|tengo|tenemos)"),
    (Voice::Spanish, Ask::Count, false, "(cuantos|cuantas) # (hay|existen)"),
    (
        Voice::Portuguese,
        Ask::Added,
        true,
        "(qual|qual e|qual foi) (o|a) (ultimo|ultima) # (adicionado|adicionada|indexado|indexada|incluido|incluida|carregado|carregada) [na base|nesta base|no projeto|neste projeto|aqui]",
    ),
    (
        Voice::English,
        Ask::Added,
        true,
        "(what is|what s|what was|which is|which was) the (last|latest|newest|most recent) # (added|indexed|ingested) [here|to the base|to this project|to the project]",
    ),
    (
        Voice::Spanish,
        Ask::Added,
        true,
        "(cual es|cual fue) (el|la) (ultimo|ultima) # (anadido|anadida|indexado|indexada|agregado|agregada) [aqui|a la base|al proyecto]",
    ),
    (
        Voice::Portuguese,
        Ask::Published,
        true,
        "(qual|qual e|qual foi) (o|a) (ultimo|ultima) # [publicado|publicada|enviado|postado] [do canal|da base|na base|nesta base|do projeto|no projeto|neste projeto|aqui]",
    ),
    (
        Voice::Portuguese,
        Ask::Published,
        true,
        "(qual|qual e|qual foi) (o|a) # (mais recente|mais novo|mais nova) [do canal|da base|na base|nesta base|do projeto|no projeto|neste projeto|aqui]",
    ),
    (
        Voice::English,
        Ask::Published,
        true,
        "(what is|what s|what was|which is|which) [the] (newest|latest|most recent) # [published|uploaded] [here|in the base|in this base|in the project|in this project|you have]",
    ),
    (
        Voice::Spanish,
        Ask::Published,
        true,
        "(cual es|cual fue) (el|la) (ultimo|ultima) # [publicado|publicada|subido] [del canal|de la base|en la base|del proyecto|aqui]",
    ),
    (
        Voice::Spanish,
        Ask::Published,
        true,
        "(cual es|cual) (el|la) # (mas reciente|mas nuevo|mas nueva) [del canal|de la base|en la base|del proyecto|aqui]",
    ),
    (
        Voice::Portuguese,
        Ask::When,
        true,
        "quando [foi] [que] [foi] (a base|esta base|o projeto|este projeto|o acervo) [foi] (indexada|indexado|atualizada|atualizado) [pela ultima vez]",
    ),
    (
        Voice::Portuguese,
        Ask::When,
        true,
        "quando foi (a ultima indexacao|a ultima atualizacao da base|a ultima atualizacao do projeto|indexada a base|atualizada a base) [da base|do projeto]",
    ),
    (
        Voice::English,
        Ask::When,
        true,
        "when was (the base|this base|the knowledge base|the project|this project|the index) [last] (indexed|updated) [last]",
    ),
    (
        Voice::Spanish,
        Ask::When,
        true,
        "cuando (se indexo|se actualizo|fue indexada|fue actualizada|fue la ultima indexacion de|fue la ultima actualizacion de) (la base|esta base|el proyecto|este proyecto)",
    ),
];

/// What a pattern asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ask {
    Count,
    Published,
    Added,
    When,
}

/// What `question` asks about the project, if it asks nothing else, and in which language.
pub(super) fn recognise(question: &str, is_first: bool) -> Option<(Asked, Voice)> {
    if question.contains(['"', '“', '«']) {
        return None;
    }
    let words = tokens(question);
    let mut kind = Kind::Any;
    let mut nouns = 0;
    let words: Vec<&str> = words
        .iter()
        .map(|word| match NOUNS.iter().find(|(noun, _)| noun == word) {
            Some((_, named)) => {
                (kind, nouns) = (*named, nouns + 1);
                NOUN
            }
            None => word.as_str(),
        })
        .collect();
    if nouns > 1 {
        return None;
    }
    let said = |(_, _, is_sure, pattern): &&(Voice, Ask, bool, &str)| {
        (*is_sure || is_first) && is_said_by(&words, pattern)
    };
    let (voice, ask, ..) = PATTERNS.iter().find(said)?;
    let asked = match ask {
        Ask::Count => Asked::Count(kind),
        Ask::Published => Asked::NewestPublished(kind),
        Ask::Added => Asked::NewestAdded(kind),
        Ask::When => Asked::WhenIndexed,
    };
    // "The newest passage" is no question about the project.
    let is_odd = matches!(asked, Asked::NewestPublished(Kind::Passages) | Asked::NewestAdded(Kind::Passages));
    (!is_odd).then_some((asked, *voice))
}

#[cfg(test)]
mod tests {
    use tusab_chunk::SourceKind;

    use super::*;
    use crate::project::{Inventory, Item};

    #[test]
    fn what_is_asked_about_the_base_is_told() {
        for (question, asked, voice) in [
            ("Quantos vídeos há na base?", Asked::Count(Kind::Videos), Voice::Portuguese),
            ("quantos videos você tem", Asked::Count(Kind::Videos), Voice::Portuguese),
            ("Quantos documentos existem neste projeto?", Asked::Count(Kind::Documents), Voice::Portuguese),
            ("Quantas fontes existem?", Asked::Count(Kind::Any), Voice::Portuguese),
            ("quantos trechos estão indexados?", Asked::Count(Kind::Passages), Voice::Portuguese),
            ("Qual é o vídeo mais recente?", Asked::NewestPublished(Kind::Videos), Voice::Portuguese),
            ("Qual foi o último vídeo publicado?", Asked::NewestPublished(Kind::Videos), Voice::Portuguese),
            (
                "qual foi o último documento adicionado?",
                Asked::NewestAdded(Kind::Documents),
                Voice::Portuguese,
            ),
            ("Quando a base foi indexada?", Asked::WhenIndexed, Voice::Portuguese),
            ("quando foi a última indexação", Asked::WhenIndexed, Voice::Portuguese),
            ("How many videos are there in the base?", Asked::Count(Kind::Videos), Voice::English),
            ("How many documents do you have?", Asked::Count(Kind::Documents), Voice::English),
            ("How many sources are there?", Asked::Count(Kind::Any), Voice::English),
            ("What is the newest video?", Asked::NewestPublished(Kind::Videos), Voice::English),
            ("What was the last file added?", Asked::NewestAdded(Kind::Documents), Voice::English),
            ("When was the base last indexed?", Asked::WhenIndexed, Voice::English),
            ("When was this project updated?", Asked::WhenIndexed, Voice::English),
            ("¿Cuántos videos hay en la base?", Asked::Count(Kind::Videos), Voice::Spanish),
            ("¿Cuántos documentos tienes?", Asked::Count(Kind::Documents), Voice::Spanish),
            ("¿Cuál es el video más reciente?", Asked::NewestPublished(Kind::Videos), Voice::Spanish),
            ("¿Cuándo se indexó la base?", Asked::WhenIndexed, Voice::Spanish),
        ] {
            assert_eq!(recognise(question, true), Some((asked, voice)), "{question:?}");
        }
    }

    #[test]
    fn what_only_looks_like_it_is_searched_for() {
        for question in [
            "Quantos vídeos ele gravou sobre juros?",
            "Quantos documentos são necessários para o visto?",
            "Quantos documentos preciso ter?",
            "quantos vídeos",
            "Quantas fontes de renda você tem?",
            "Quantos arquivos cabem em um pendrive?",
            "Qual é o vídeo mais recente sobre hortelã?",
            "Qual foi o último documento assinado pelo presidente?",
            "Quando foi a última atualização da lei?",
            "Quando a empresa foi fundada?",
            "quantos textos o autor escreveu neste projeto de lei?",
            "How many videos mention basil?",
            "How many documents do you have to sign?",
            "how many files are there in a chess board",
            "What is the newest video codec?",
            "When was the project approved?",
            "When was the last war?",
            "\"how many videos are there\"",
            "¿Cuántos documentos hay que presentar?",
            "¿Cuál es el video más visto?",
            "¿Cuándo se fundó la base naval?",
            "",
        ] {
            assert_eq!(recognise(question, true), None, "{question:?}");
        }
        // After another question it could go on from that.
        assert_eq!(recognise("Quantos vídeos existem?", false), None);
        assert!(recognise("Quantos vídeos existem na base?", false).is_some());
    }

    fn inventory() -> Inventory {
        let item = |kind, title: &str, date: Option<&str>, added: &str| Item {
            kind,
            title: title.to_owned(),
            date: date.map(|date| date.parse().unwrap()),
            added_at: Some(added.to_owned()),
        };
        let items = vec![
            item(SourceKind::Youtube, "Poda", Some("2026-05-02"), "2026-07-01T12:30:00Z"),
            item(SourceKind::Youtube, "Rega", Some("2026-06-09"), "2026-06-30T08:00:00Z"),
            item(SourceKind::File, "Manual", None, "2026-07-02T09:05:00Z"),
        ];
        Inventory { items, passages: 41 }
    }

    #[test]
    fn answers_come_from_what_is_there() {
        let told = |asked, voice| answer(asked, &inventory(), voice);
        let (pt, en, es) = (Voice::Portuguese, Voice::English, Voice::Spanish);
        for (asked, voice, expected) in [
            (Asked::Count(Kind::Videos), pt, "Há 2 vídeos neste projeto (3 fontes ao todo)."),
            (Asked::Count(Kind::Documents), en, "There is 1 document in this project (3 sources in all)."),
            (Asked::Count(Kind::Any), es, "Hay 3 fuentes en este proyecto."),
            (Asked::Count(Kind::Passages), pt, "Há 41 trechos neste projeto (3 fontes ao todo)."),
            (Asked::NewestPublished(Kind::Videos), pt, "O mais recente é “Rega”, de 09/06/2026."),
            (Asked::NewestPublished(Kind::Any), en, "The most recent is “Rega”, of 2026-06-09."),
            (
                Asked::NewestAdded(Kind::Videos),
                es,
                "El último añadido fue “Poda”, el 01/07/2026 12:30 (UTC).",
            ),
            (Asked::WhenIndexed, pt, "A base foi indexada pela última vez em 02/07/2026 09:05 (UTC)."),
        ] {
            assert_eq!(told(asked, voice).as_deref(), Some(expected));
        }
        // Nothing is known of when documents were written: the search may find it.
        assert_eq!(told(Asked::NewestPublished(Kind::Documents), pt), None);
        assert_eq!(answer(Asked::WhenIndexed, &Inventory::default(), pt), None);
    }
}
