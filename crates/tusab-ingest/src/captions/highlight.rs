//! Captions that show a sentence once for each of its words, the word underlined while it is spoken: what Whisper writes
//! with `--highlight_words`. Between two words the sentence may stand there without a line.

use super::cue::Cue;

/// Fewer cues than these are no habit.
const FEW: usize = 3;

/// Puts the cues of each sentence together, with the times of its words, where most cues are of this kind.
pub(crate) fn merged(cues: Vec<Cue>) -> Vec<Cue> {
    let underlined = cues.iter().filter(|cue| cue.underlined().is_some()).count();
    let going_on = cues.iter().zip(cues.iter().skip(1)).filter(|(cue, next)| goes_on(cue, next)).count();
    if going_on < FEW || underlined * 2 < cues.len() || going_on * 2 < cues.len() {
        return cues.into_iter().map(|cue| cue.with_underlined(None)).collect();
    }
    let mut merged: Vec<Cue> = Vec::with_capacity(cues.len() / 4 + 1);
    for cue in cues {
        match merged.last_mut().filter(|open| goes_on(open, &cue)) {
            Some(open) => open.go_on(&cue),
            None => merged.push(cue),
        }
    }
    merged.into_iter().map(|cue| cue.with_underlined(None)).collect()
}

/// Whether the second cue shows the same sentence with a later word underlined. An earlier one is the first word of a
/// sentence that is said again.
fn goes_on(cue: &Cue, next: &Cue) -> bool {
    let is_later = match (cue.underlined(), next.underlined()) {
        (Some(word), Some(later)) => word < later,
        (None, None) => false,
        _ => true,
    };
    is_later && cue.text() == next.text() && cue.span().start() <= next.span().start()
}
