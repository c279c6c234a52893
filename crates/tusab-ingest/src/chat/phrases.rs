//! What `WhatsApp` itself writes, in the languages that were looked at: English, Portuguese, Spanish, German, and for
//! the shortest ones French and Italian. What is not known here stays a message like any other.

use super::MessageKind;

/// Beginnings of the notice of encryption, which nobody writes. Small letters.
const ENCRYPTION: &[&str] = &[
    "messages and calls are end-to-end encrypted",
    "messages to this chat and calls are now secured",
    "messages to this group are now secured",
    "messages you send to this chat and calls are now secured",
    "messages you send to this group are now secured",
    "as mensagens e as chamadas são protegidas",
    "as mensagens e chamadas são protegidas",
    "as mensagens e ligações são protegidas",
    "as mensagens que você enviar para est",
    "los mensajes y las llamadas están cifrados",
    "los mensajes y llamadas están cifrados",
    "los mensajes en este grupo ahora están protegidos",
    "nachrichten und anrufe sind ende-zu-ende",
    "nachrichten in diesem chat sowie anrufe sind",
    "nachrichten an diese gruppe sind jetzt",
];

/// Beginnings of other notices, which people may write too. Small letters.
const NOTICES: &[&str] = &[
    "you were added",
    "you created group",
    "você foi adicionado",
    "você criou o grupo",
    "te añadieron",
    "se te añadió",
    "du wurdest hinzugefügt",
    "your security code with",
    "seu código de segurança",
    "tu código de seguridad",
    "deine sicherheitsnummer",
];

/// What is done to a group, in the middle of a notice: no name holds it. Small letters.
const ACTIONS: &[&str] = &[
    " created group ",
    " created this group",
    " created the group",
    " changed the subject",
    " changed the group",
    " changed this group",
    " changed the settings",
    " changed their phone number",
    " changed to ",
    " turned on disappearing",
    " turned off disappearing",
    " pinned a message",
    " joined using this group",
    "'s security code changed",
    " criou o grupo",
    " criou este grupo",
    " mudou o nome do grupo",
    " mudou o assunto",
    " mudou a descrição",
    " mudou a imagem",
    " mudou as configurações",
    " mudou para ",
    " mudou de número",
    " alterou o nome do grupo",
    " alterou o assunto",
    " alterou a descrição",
    " alterou a imagem",
    " alterou as configurações",
    " ativou as mensagens temporárias",
    " desativou as mensagens temporárias",
    " fixou uma mensagem",
    " entrou usando o link",
    " creó el grupo",
    " creó este grupo",
    " cambió el asunto",
    " cambió el nombre",
    " cambió la descripción",
    " cambió el ícono",
    " cambió la imagen",
    " cambió los ajustes",
    " cambió su número",
    " activó los mensajes temporales",
    " desactivó los mensajes temporales",
    " fijó un mensaje",
    " se unió con el enlace",
    " hat die gruppe ",
    " hat diese gruppe ",
    " hat den betreff",
    " hat den namen der gruppe",
    " hat die gruppenbeschreibung",
    " hat das gruppenbild",
    " hat die gruppeneinstellungen",
    " hat selbstlöschende nachrichten",
    " hat eine neue telefonnummer",
    " ist mithilfe des einladungslinks",
];

/// What is done to people, which people write too: it tells a notice only behind a mark of direction.
const MEMBERSHIP: &[&str] = &[
    " added ",
    " removed ",
    " left",
    " was added",
    " adicionou ",
    " adicionou você",
    " removeu ",
    " saiu",
    " foi adicionado",
    " foi adicionada",
    " añadió a ",
    " añadió ",
    " eliminó a ",
    " salió",
    " hinzugefügt",
    " entfernt",
    " hat die gruppe verlassen",
];

/// Marks at the end of a message that was changed.
const EDITED: &[&str] = &[
    "<This message was edited>",
    "<Mensagem editada>",
    "<Esta mensagem foi editada>",
    "<Se editó este mensaje.>",
    "<Se editó este mensaje>",
    "<Mensaje editado>",
    "<Diese Nachricht wurde bearbeitet.>",
    "<Diese Nachricht wurde bearbeitet>",
    "<Ce message a été modifié>",
    "<Questo messaggio è stato modificato>",
];

/// Whole texts of messages that were taken back. Small letters, without the point at the end.
const DELETED: &[&str] = &[
    "this message was deleted",
    "you deleted this message",
    "this message was deleted by admin",
    "mensagem apagada",
    "esta mensagem foi apagada",
    "você apagou esta mensagem",
    "apagou esta mensagem",
    "se eliminó este mensaje",
    "este mensaje fue eliminado",
    "eliminaste este mensaje",
    "diese nachricht wurde gelöscht",
    "du hast diese nachricht gelöscht",
    "ce message a été supprimé",
    "vous avez supprimé ce message",
    "questo messaggio è stato eliminato",
    "hai eliminato questo messaggio",
];

/// Whole texts in angle brackets, in the place of a picture or a recording. Small letters.
const OMITTED_IN_BRACKETS: &[&str] = &[
    "media omitted",
    "mídia oculta",
    "mídia omitida",
    "arquivo de mídia oculto",
    "ficheiro multimédia omitido",
    "ficheiro não revelado",
    "multimedia omitido",
    "archivo omitido",
    "archivo multimedia omitido",
    "medien ausgeschlossen",
    "medien weggelassen",
    "médias omis",
    "fichier omis",
    "media omessi",
    "media weggelaten",
];

/// Last words of the line in the place of what is left out on iOS, with what can be left out. Small letters.
const OMITTED_AT_END: &[&str] = &[
    " omitted",
    " ocultado",
    " ocultada",
    " oculto",
    " oculta",
    " omitido",
    " omitida",
    " weggelassen",
    " ausgeschlossen",
];
const OMITTED_THINGS: &[&str] = &[
    "image",
    "video",
    "gif",
    "sticker",
    "audio",
    "document",
    "card",
    "note",
    "message",
    "imagem",
    "vídeo",
    "figurinha",
    "áudio",
    "documento",
    "contato",
    "contacto",
    "imagen",
    "tarjeta",
    "bild",
    "dokument",
    "kontaktkarte",
    "animado",
    "voz",
];

/// Parts of a line that names a file of the export. Small letters.
const ATTACHED: &[&str] = &[
    "<attached: ",
    "<anexado: ",
    "<anexo: ",
    "<adjunto: ",
    "<anhang: ",
    "(file attached)",
    "(arquivo anexado)",
    "(ficheiro anexado)",
    "(archivo adjunto)",
    "(datei angehängt)",
    "(fichier joint)",
    "(file allegato)",
];

const POLLS: &[&str] = &["poll:", "enquete:", "sondagem:", "encuesta:", "umfrage:", "sondage:", "sondaggio:"];

/// Longest beginning in which phrases are looked for, in bytes.
const HEAD: usize = 400;

fn small(text: &str) -> String {
    text.get(..text.floor_char_boundary(HEAD)).unwrap_or(text).to_lowercase()
}

/// Whether what would be a sender's name is the beginning of a notice, as in `Ana changed the subject to "a: b"`.
pub(super) fn is_no_name(name: &str) -> bool {
    if !name.contains(' ') {
        return false;
    }
    let name = small(name);
    starts(&name, ENCRYPTION) || starts(&name, NOTICES) || does(&name, ACTIONS)
}

/// Whether what a sender seems to say is a notice: one that nobody writes, or one behind a mark of direction, as they
/// are on iOS.
pub(super) fn is_said_by_system(text: &str, is_marked: bool) -> bool {
    // The notice of encryption is longer than this.
    if !is_marked && text.len() < 30 {
        return false;
    }
    let text = small(text);
    starts(&text, ENCRYPTION)
        || (is_marked && (starts(&text, NOTICES) || does(&text, ACTIONS) || does(&text, MEMBERSHIP)))
}

fn starts(text: &str, notices: &[&str]) -> bool {
    notices.iter().any(|notice| text.starts_with(notice))
}

fn does(text: &str, actions: &[&str]) -> bool {
    actions.iter().any(|action| text.contains(action))
}

/// The text before a mark that says it was changed.
pub(super) fn without_edit_mark(text: &str) -> Option<&str> {
    if !text.ends_with('>') {
        return None;
    }
    EDITED.iter().find_map(|mark| text.strip_suffix(mark)).map(str::trim_end)
}

pub(super) fn kind_of(text: &str) -> MessageKind {
    // Hardly any message is one of these: most are told by a glance.
    let last = text.trim_end_matches(['.', '\u{200e}']);
    let small = if text.len() <= HEAD || text.starts_with('<') { small(last) } else { String::new() };
    let first_line = small.split('\n').next().unwrap_or_default();
    if DELETED.contains(&small.as_str()) {
        MessageKind::Deleted
    } else if is_omitted(&small) {
        MessageKind::Omitted
    } else if first_line.contains(['<', '(']) && ATTACHED.iter().any(|part| first_line.contains(part)) {
        MessageKind::Attached
    } else if POLLS.iter().any(|poll| small.starts_with(poll)) {
        MessageKind::Poll
    } else {
        MessageKind::Text
    }
}

fn is_omitted(small: &str) -> bool {
    if let Some(inside) = small.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
        return OMITTED_IN_BRACKETS.contains(&inside);
    }
    let Some(thing) = OMITTED_AT_END.iter().find_map(|end| small.strip_suffix(end)) else { return false };
    let last = thing.rsplit([' ', '\u{a0}']).next().unwrap_or_default();
    // `report.pdf • 3 pages document omitted` names the file; it says something.
    !thing.contains('•') && thing.split_whitespace().count() <= 3 && OMITTED_THINGS.contains(&last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_in_four_languages() {
        use MessageKind::{Attached, Deleted, Omitted, Poll, Text};
        for (text, kind) in [
            ("<Media omitted>", Omitted),
            ("<media omitted>", Omitted),
            ("<Mídia oculta>", Omitted),
            ("<Multimedia omitido>", Omitted),
            ("<Medien ausgeschlossen>", Omitted),
            ("GIF omitted", Omitted),
            ("contact card omitted", Omitted),
            ("imagem ocultada", Omitted),
            ("figurinha omitida", Omitted),
            ("Bild weggelassen", Omitted),
            ("This message was deleted.", Deleted),
            ("Mensagem apagada", Deleted),
            ("Se eliminó este mensaje.", Deleted),
            ("Diese Nachricht wurde gelöscht.", Deleted),
            ("IMG-20240312-WA0001.jpg (arquivo anexado)\nveja só", Attached),
            ("<attached: 00000042-PHOTO.jpg>", Attached),
            ("ENQUETE:\nQue dia?\nOPÇÃO: sábado (2 votos)", Poll),
            ("report.pdf • 3 pages document omitted", Text),
            ("the image you sent was omitted", Text),
            ("esta mensagem foi apagada por engano", Text),
            ("<risos>", Text),
            ("oi", Text),
            ("", Text),
        ] {
            assert_eq!(kind_of(text), kind, "{text:?}");
        }
        assert_eq!(without_edit_mark("oi <Mensagem editada>"), Some("oi"));
        assert_eq!(without_edit_mark("oi <3>"), None);
    }

    #[test]
    fn notices_and_names() {
        assert!(is_no_name("Ana changed the subject from \"a"));
        assert!(is_no_name("Ana criou o grupo \"Plano B"));
        assert!(is_no_name("Messages and calls are end-to-end encrypted"));
        assert!(!is_no_name("Ana (trabalho)") && !is_no_name("+55 11 98765-4321") && !is_no_name("Você"));
        assert!(is_said_by_system("Rui added Ana", true) && !is_said_by_system("Rui added Ana", false));
        assert!(is_said_by_system("As mensagens e as chamadas são protegidas com a criptografia", false));
        assert!(
            is_said_by_system("You were added", true)
                && !is_said_by_system("You were added to the list", false)
        );
    }
}
