//! What `WhatsApp` itself writes, in the languages that were looked at: English, Portuguese, Spanish and German, and for
//! what stands most often in a chat French, Italian, Dutch, Turkish, Arabic, Hindi, Japanese, Russian, Korean and Chinese.
//! What is not known here stays a message like any other.

use super::MessageKind;

mod words;

use words::{
    ACTIONS, ATTACHED, DELETED, EDITED, ENCRYPTION, MEMBERSHIP, NOTICES, OMITTED, OMITTED_AT_END,
    OMITTED_IN_BRACKETS, OMITTED_THINGS, POLLS, VIEW_ONCE,
};

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
