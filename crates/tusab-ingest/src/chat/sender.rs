//! Who sent a message: what stands before the first colon, unless it is a notice.

use std::collections::HashMap;

use super::header::{Entry, is_mark};
use super::{MessageKind, phrases};

/// Longest name of a sender, in bytes.
const LONGEST: usize = 200;
/// Messages after which a colon that always follows a name is taken for a part of it.
const ENOUGH: usize = 3;

/// What the whole file tells of its senders, by what stands before the first colon.
#[derive(Debug, Default)]
pub(super) struct Senders<'t> {
    names: HashMap<&'t str, Tally<'t>>,
    /// The notice of encryption with which every export of iOS begins, in any language.
    opening: Option<&'t str>,
}

/// A first message behind a mark of direction is a notice from this length on, in bytes: shorter ones stand for pictures,
/// and those with `•` or an address for documents and places.
const LONG: usize = 60;

/// What is known of a name.
#[derive(Debug, Default)]
struct Tally<'t> {
    count: usize,
    /// Whether it is the beginning of a notice instead.
    is_notice: bool,
    /// The name up to the second colon, as long as all messages have the same.
    longer: Option<&'t str>,
    differs: bool,
    /// Whether it ever says something without a mark before it.
    speaks: bool,
    notices: usize,
}

impl<'t> Tally<'t> {
    fn of(name: &str) -> Self {
        Self { is_notice: phrases::is_no_name(name), ..Self::default() }
    }

    /// Whether it is the beginning of a notice that names a group: `Ana a créé le groupe « Vacances`.
    fn is_quoting(&self, name: &str) -> bool {
        self.count < ENOUGH && name.contains(' ') && phrases::is_inside_quotes(name)
    }

    /// The whole name, when it goes on behind its first colon.
    fn with_colon(&self) -> Option<&'t str> {
        self.longer.filter(|_| !self.differs && self.count >= ENOUGH)
    }

    /// Whether it is that of a group, as which iOS has the system speak.
    fn is_group(&self) -> bool {
        self.notices > 0 && !self.speaks
    }
}

impl<'t> Senders<'t> {
    pub(super) fn of(text: &'t str, entries: &[Entry]) -> Self {
        let mut names: HashMap<&str, Tally<'_>> = HashMap::new();
        let mut opening = None;
        for (number, entry) in entries.iter().enumerate() {
            let line = text.get(entry.body..).and_then(|rest| rest.split('\n').next()).unwrap_or_default();
            let Some((name, said)) = before_colon(line) else { continue };
            let tally = names.entry(name).or_insert_with(|| Tally::of(name));
            tally.count += 1;
            // From the name to the second colon.
            let longer = before_colon(said)
                .and_then(|(_, rest)| line.get(..line.len() - rest.len() - ":".len()))
                .map(|longer| longer.trim_matches(is_edge));
            tally.differs |= longer.is_none() || tally.longer.is_some_and(|known| Some(known) != longer);
            tally.longer = longer;
            // Who ever speaks is no group.
            if tally.speaks {
                continue;
            }
            let said = said.trim_start();
            let is_marked = said.starts_with(is_mark);
            let plain = said.trim_start_matches(is_mark);
            tally.speaks |= !is_marked || phrases::kind_of(plain) != MessageKind::Text;
            let is_opening = number == 0
                && is_marked
                && plain.len() >= LONG
                && !plain.contains(['•', '/'])
                && phrases::kind_of(plain) == MessageKind::Text;
            opening = opening.or(is_opening.then_some(plain));
            tally.notices +=
                usize::from(is_marked && (is_opening || phrases::is_said_by_system(plain, true)));
        }
        Self { names, opening }
    }

    /// The sender of a message and what it says; the sender is none for a notice.
    pub(super) fn split<'b>(&self, body: &'b str) -> (Option<&'b str>, &'b str) {
        let line = body.split('\n').next().unwrap_or_default();
        let Some((name, said)) = before_colon(line) else { return (None, body) };
        let text = body.get(line.len() - said.len()..).unwrap_or_default();
        let known = self.names.get(name);
        if known.is_some_and(|known| known.is_notice || known.is_quoting(name)) {
            return (None, body);
        }
        if let Some(longer) = known.and_then(Tally::with_colon)
            && let Some(rest) = line.trim_start_matches(is_edge).strip_prefix(longer)
            && let Some(rest) = rest.trim_start_matches(is_edge).strip_prefix(':')
        {
            let text = body.get(line.len() - rest.len()..).unwrap_or_default();
            return (line.trim_start_matches(is_edge).get(..longer.len()), text);
        }
        let text_start = text.trim_start();
        let plain = text_start.trim_start_matches(is_mark);
        let is_marked = plain.len() < text_start.len();
        let names_itself = || {
            plain.strip_prefix(name).is_some_and(|rest| is_marked && rest.starts_with(char::is_whitespace))
        };
        let is_opening = is_marked && self.opening.is_some_and(|opening| plain.starts_with(opening));
        let is_group = known.is_some_and(Tally::is_group);
        if is_group || is_opening || names_itself() || phrases::is_said_by_system(plain, is_marked) {
            return (None, text);
        }
        (Some(name), text)
    }
}

/// What may stand around a name.
fn is_edge(c: char) -> bool {
    c.is_whitespace() || is_mark(c)
}

/// A name, without marks, and what is said after its colon: `Ana: oi`. A colon without a space ends no name.
fn before_colon(line: &str) -> Option<(&str, &str)> {
    let head = line.get(..line.floor_char_boundary(LONGEST)).unwrap_or(line);
    let colon = head.match_indices(':').map(|(at, _)| at).find(|at| {
        let rest = line.get(at + 1..).unwrap_or_default();
        rest.is_empty() || rest.starts_with(is_edge)
    })?;
    let name = line.get(..colon)?.trim_matches(is_edge);
    (!name.is_empty()).then_some((name, line.get(colon + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::super::header::entries;
    use super::*;

    fn senders(lines: &[&str]) -> Vec<(Option<String>, String)> {
        let text = lines.iter().fold(String::new(), |text, line| text + "12/03/24, 14:32 - " + line + "\n");
        let entries = entries(&text);
        let senders = Senders::of(&text, &entries);
        let split = lines.iter().map(|line| senders.split(line));
        split.map(|(name, said)| (name.map(str::to_owned), said.trim().to_owned())).collect()
    }

    fn one(line: &str) -> (Option<String>, String) {
        senders(&[line]).remove(0)
    }

    #[test]
    fn names_of_every_kind() {
        for (line, name, said) in [
            ("Ana: oi", Some("Ana"), "oi"),
            ("Ana:", Some("Ana"), ""),
            ("+55 11 98765-4321: oi", Some("+55 11 98765-4321"), "oi"),
            ("\u{202a}+55 11 98765-4321\u{202c}: oi", Some("+55 11 98765-4321"), "oi"),
            ("~\u{202f}Ana: oi", Some("~\u{202f}Ana"), "oi"),
            ("Zé 12:30: oi", Some("Zé 12:30"), "oi"),
            ("Ana: veja: isto", Some("Ana"), "veja: isto"),
            ("Ana:.", None, "Ana:."),
            ("Ana saiu", None, "Ana saiu"),
            (
                "Ana changed the subject from \"a: b\" to \"c\"",
                None,
                "Ana changed the subject from \"a: b\" to \"c\"",
            ),
            ("Ana: \u{200e}imagem ocultada", Some("Ana"), "\u{200e}imagem ocultada"),
        ] {
            assert_eq!(one(line), (name.map(str::to_owned), said.to_owned()), "{line:?}");
        }
    }

    #[test]
    fn a_name_with_a_colon_is_told_by_its_repetition() {
        let all = [
            "Ana: Financeiro: oi",
            "Rui: veja: isto",
            "Ana: Financeiro: pago",
            "Ana: Financeiro: tchau",
            "Rui: ok",
        ];
        let names: Vec<_> = senders(&all).into_iter().map(|(name, said)| (name.unwrap(), said)).collect();
        let (ana, rui) = ("Ana: Financeiro".to_owned(), "Rui".to_owned());
        assert_eq!(
            names,
            [
                (ana.clone(), "oi".to_owned()),
                (rui.clone(), "veja: isto".into()),
                (ana.clone(), "pago".into()),
                (ana, "tchau".into()),
                (rui, "ok".into())
            ]
        );
    }

    #[test]
    fn a_group_does_not_speak() {
        let all = [
            "Clube: \u{200e}As mensagens e as chamadas são protegidas com criptografia",
            "Clube: \u{200e}Ana criou este grupo",
            "Clube: \u{200e}algo que ainda não se conhece",
            "Ana: \u{200e}imagem ocultada",
            "Ana: \u{200e}Rui adicionou você",
        ];
        let names: Vec<_> = senders(&all).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, [None, None, None, Some("Ana".to_owned()), None]);
    }
}
