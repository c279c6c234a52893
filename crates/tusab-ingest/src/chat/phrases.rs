//! What `WhatsApp` itself writes, in the languages that were looked at: English, Portuguese, Spanish and German, and for
//! what stands most often in a chat French, Italian, Dutch, Turkish, Arabic, Hindi, Japanese, Russian, Korean and Chinese.
//! What is not known here stays a message like any other.

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
    "as mensagens e as chamadas são encriptadas",
    "les messages et les appels sont chiffrés",
    "i messaggi e le chiamate sono crittografati",
    "berichten en oproepen zijn end-to-end versleuteld",
    "berichten en gesprekken zijn end-to-end versleuteld",
    "mesajlar ve aramalar uçtan uca şifrelidir",
    "الرسائل والمكالمات مشفّرة",
    "الرسائل والمكالمات مشفرة",
    "मैसेज और कॉल एंड-टू-एंड",
    "メッセージと通話はエンドツーエンド",
    "сообщения и звонки защищены",
    "메시지와 통화는 종단간 암호화",
    "訊息和通話經過端對端加密",
    "消息和通话已进行端到端加密",
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
    "<Dit bericht is bewerkt>",
    "<Bu mesaj düzenlendi>",
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
    "esta mensagem foi eliminada",
    "eliminaste esta mensagem",
    "dit bericht is verwijderd",
    "je hebt dit bericht verwijderd",
    "u hebt dit bericht verwijderd",
    "bu mesaj silindi",
    "bu mesajı sildiniz",
    "تم حذف هذه الرسالة",
    "لقد حذفت هذه الرسالة",
    "यह मैसेज मिटाया गया",
    "यह संदेश मिटाया गया",
    "यह मैसेज डिलीट कर दिया गया है",
    "このメッセージは削除されました",
    "данное сообщение удалено",
    "이 메시지는 삭제되었습니다",
    "此訊息已刪除",
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
    "media omesso",
    "media weggelaten",
    "medya dahil edilmedi",
    "medya atlanmış",
    "تم استبعاد الوسائط",
    "मीडिया के बिना",
    "メディアは含まれていません",
    "メディアなし",
    "без медиафайлов",
    "файл пропущен",
    "미디어 파일을 생략한 대화내용",
    "미디어 파일 제외됨",
    "忽略多媒體檔",
    "省略多媒体文件",
];

/// Whole texts in the place of what is left out, where its name does not stand first; and what Android writes for what
/// could be seen once. Small letters.
const OMITTED: &[&str] = &[
    "null",
    "لم يتم إدراج الصورة",
    "لم يتم إدراج الفيديوهات",
    "لم يتم إدراج المقاطع الصوتية",
    "لم يتم إدراج صورة gif",
    "لم يتم إدراج المستند",
    "لم يتم إدراج بطاقة جهة اتصال",
    "تم حذف الملصقات",
    "फ़ोटो हटाई गई",
    "वीडियो छोड़ा गया",
    "ऑडियो हटाई गयी",
    "स्टिकर छोड़ा गया",
    "gif छोड़ा गया",
    "डॉक्यूमेंट छोड़ा गया",
    "कॉन्टैक्ट कार्ड छोड़ा गया",
    "画像は含まれていません",
    "ビデオは含まれていません",
    "音声は含まれていません",
    "スタンプは含まれていません",
    "gifは含まれていません",
    "ドキュメントは含まれていません",
    "連絡先カードを省略",
];

/// Beginnings of what iOS writes in the place of what can be seen once, on the phone alone. Small letters.
const VIEW_ONCE: &[&str] = &[
    "you received a view once ",
    "you sent a view once ",
    "você recebeu uma mensagem de visualização única",
    "você enviou uma mensagem de visualização única",
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
    " não revelado",
    " não revelada",
    " weggelassen",
    " ausgelassen",
    " ausgeschlossen",
    " absente",
    " manquant",
    " manquante",
    " omis",
    " retiré",
    " omesso",
    " omessa",
    " non incluso",
    " esclusa",
    " weggelaten",
    " dahil edilmedi",
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
    "vidéo",
    "immagine",
    "afbeelding",
    "contactkaart",
    "visitekaartje",
    "görüntü",
    "ses",
    "çıkartma",
    "belge",
    "kartı",
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
    "(bestand bijgevoegd)",
    "(الملف مرفق)",
];

const POLLS: &[&str] =
    &["poll", "enquete", "sondagem", "encuesta", "umfrage", "sondage", "sondaggio", "peiling", "anket"];

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

/// Whether a text breaks off inside quotation marks: the name of a group, in a notice of any language.
pub(super) fn is_inside_quotes(text: &str) -> bool {
    let count = |sign: char| text.matches(sign).count();
    // The sign that opens in English closes in German.
    let (low, middle, high) = (count('„'), count('“'), count('”'));
    count('"') % 2 == 1 || count('«') > count('»') || if low > 0 { low > middle } else { middle > high }
}

/// Whether what a sender seems to say is a notice: one that nobody writes, or one behind a mark of direction, as they
/// are on iOS.
pub(super) fn is_said_by_system(text: &str, is_marked: bool) -> bool {
    // The notice of encryption is longer than this.
    if !is_marked && text.len() < 30 {
        return false;
    }
    let text = small(text);
    if starts(&text, VIEW_ONCE) {
        return false;
    }
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

/// The text before such a mark as iOS writes it, in any language: behind a mark of direction.
pub(super) fn without_marked_edit(text: &str) -> Option<&str> {
    let (before, mark) = text.trim_end().strip_suffix('>')?.rsplit_once("\u{200e}<")?;
    // A colon comes before the name of a file.
    (!mark.contains([':', '<', '>', '\n']) && !before.trim_matches(super::header::is_mark).trim().is_empty())
        .then_some(before)
}

pub(super) fn kind_of(text: &str) -> MessageKind {
    // Hardly any message is one of these: most are told by a glance.
    let last = text.trim_end_matches(['.', '。', '।', '\u{200e}']);
    let small = if text.len() <= HEAD || text.starts_with('<') { small(last) } else { String::new() };
    let first_line = small.split('\n').next().unwrap_or_default();
    if DELETED.contains(&small.as_str()) {
        MessageKind::Deleted
    } else if is_omitted(&small) {
        MessageKind::Omitted
    } else if first_line.contains(['<', '(']) && is_attached(first_line) {
        MessageKind::Attached
    } else if is_poll(first_line) {
        MessageKind::Poll
    } else {
        MessageKind::Text
    }
}

/// `<attached: 00000042-PHOTO.jpg>` in any language, or one of the known ones.
fn is_attached(line: &str) -> bool {
    let numbered =
        line.rsplit_once('<').and_then(|(_, rest)| rest.split_once(':')).is_some_and(|(_, file)| {
            let digits = file.trim_start().bytes().take_while(u8::is_ascii_digit).count();
            digits == 8
                && file.trim_start().get(digits..).is_some_and(|rest| rest.starts_with('-'))
                && file.ends_with('>')
        });
    numbered || ATTACHED.iter().any(|part| line.contains(part))
}

/// `Poll:`; in French a space stands before the colon.
fn is_poll(line: &str) -> bool {
    let word = line.split_once(':').map(|(word, _)| word.trim_end());
    word.is_some_and(|word| POLLS.contains(&word))
}

fn is_omitted(small: &str) -> bool {
    if let Some(inside) = small.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
        return OMITTED_IN_BRACKETS.contains(&inside) || names_what_is_omitted(inside).is_some();
    }
    // `report.pdf • 3 pages document omitted` names the file; it says something.
    OMITTED.contains(&small)
        || starts(small, VIEW_ONCE)
        || names_what_is_omitted(small)
            .is_some_and(|thing| !thing.contains('•') && thing.split_whitespace().count() <= 3)
}

/// What stands before the word for "omitted", when its last word is a thing that can be left out.
fn names_what_is_omitted(small: &str) -> Option<&str> {
    let thing = OMITTED_AT_END.iter().find_map(|end| small.strip_suffix(end))?;
    let last = thing.rsplit([' ', '\u{a0}']).next().unwrap_or_default();
    OMITTED_THINGS.contains(&last).then_some(thing)
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
