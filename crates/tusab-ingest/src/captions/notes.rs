//! What automatic captions say besides words: `[música]`, and `>>` where another speaker starts.

use serde::{Deserialize, Serialize};
use tusab_chunk::MediaTime;

use super::cue::{Cue, words_of};

/// What becomes of notes such as `[música]` and of the marks `>>` in automatic captions.
///
/// In captions made by people they are the author's words and always stay.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Notes {
    /// Taken out of the text and listed in [`Captions::notes`](super::Captions::notes), so that a search for music
    /// finds talk of music, and phrases are not cut in two by laughter.
    #[default]
    Apart,
    /// Left in the text.
    Kept,
}

/// Something in automatic captions that is not a spoken word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Note {
    /// When it is heard.
    pub at: MediaTime,
    /// What kind of note it is.
    pub kind: NoteKind,
    /// As it stands in the file: `[música]`, `>>`.
    pub text: String,
}

/// Kinds of [`Note`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoteKind {
    /// A sound that is described in brackets.
    Sound,
    /// From here on someone else speaks.
    SpeakerChange,
}

/// Longest description of a sound, in bytes; more in brackets is no note.
const LONGEST: usize = 80;

/// Takes the notes out of cues; a cue of nothing else goes.
pub(crate) fn set_apart(cues: Vec<Cue>) -> (Vec<Cue>, Vec<Note>) {
    let mut notes = Vec::new();
    let mut clean = Vec::with_capacity(cues.len());
    for cue in cues {
        if !cue.text().contains(['[', '>']) {
            clean.push(cue);
            continue;
        }
        let found = notes_of(&cue);
        let mut ahead = found.iter().peekable();
        let rest = cue.retain(|at, _| {
            while ahead.next_if(|note| note.end <= at).is_some() {}
            ahead.peek().is_none_or(|note| at < note.start)
        });
        notes.extend(found.into_iter().map(|found| found.note));
        if !rest.text().is_empty() {
            clean.push(rest);
        }
    }
    (clean, notes)
}

/// A note and where it stands in a cue's text, in bytes.
struct Found {
    start: usize,
    end: usize,
    note: Note,
}

fn notes_of(cue: &Cue) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for ((start, text), word) in words_of(cue.text()).zip(cue.words()) {
        if found.last().is_some_and(|last| start < last.end) {
            continue;
        }
        let rest = cue.text().get(start..).unwrap_or_default();
        let (kind, len) = if text.len() > 1 && text.bytes().all(|byte| byte == b'>') {
            (NoteKind::SpeakerChange, text.len())
        } else if let Some(len) = sound(rest) {
            (NoteKind::Sound, len)
        } else {
            continue;
        };
        let at = word.start.unwrap_or(cue.span().start());
        let text = rest.get(..len).unwrap_or_default().to_owned();
        found.push(Found { start, end: start + len, note: Note { at, kind, text } });
    }
    found
}

/// Length of the description of a sound at the start of `text`, with the punctuation after it.
///
/// `[ __ ]` is none: there YouTube hides a word that was spoken.
fn sound(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('[')?;
    let close = inside.bytes().take(LONGEST).position(|byte| byte == b']')?;
    let said = inside.get(..close)?;
    let after = inside.get(close + 1..)?.split(char::is_whitespace).next()?;
    let is_sound = said.contains(char::is_alphabetic) && !said.contains('[');
    (is_sound && !after.contains(char::is_alphanumeric)).then(|| "[".len() + close + "]".len() + after.len())
}

#[cfg(test)]
mod tests {
    use tusab_chunk::TimeSpan;

    use super::*;

    fn apart(text: &str) -> (Option<String>, Vec<String>) {
        let cue = Cue::new(TimeSpan::between(MediaTime::ZERO, MediaTime::from_seconds(5)), text);
        let (cues, notes) = set_apart(vec![cue]);
        (cues.first().map(|cue| cue.text().to_owned()), notes.into_iter().map(|note| note.text).collect())
    }

    #[test]
    fn notes_go_and_words_stay() {
        for (text, said, notes) in [
            ("[música]", None, vec!["[música]"]),
            ("estão, [risadas] eles", Some("estão, eles"), vec!["[risadas]"]),
            ("[limpando a garganta] bem", Some("bem"), vec!["[limpando a garganta]"]),
            (">> Próximo jogo >> sim", Some("Próximo jogo sim"), vec![">>", ">>"]),
            ("foi. [risadas]. [Music] E", Some("foi. E"), vec!["[risadas].", "[Music]"]),
            ("a [\u{a0}__\u{a0}] b", Some("a [ __ ] b"), vec![]),
            ("x[1] = y [2] e [3a]b", Some("x[1] = y [2] e [3a]b"), vec![]),
            ("[sem fim", Some("[sem fim"), vec![]),
            ("a > b >= c -> d", Some("a > b >= c -> d"), vec![]),
            ("[a[b]", Some("[a[b]"), vec![]),
        ] {
            let expected = (said.map(str::to_owned), notes.into_iter().map(str::to_owned).collect());
            assert_eq!(apart(text), expected, "{text:?}");
        }
    }
}
