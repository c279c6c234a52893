//! Automatic captions that roll up the screen: each line is shown twice and more, first as it is spoken, then above
//! the next one.
//!
//! YouTube writes a line of speech as two cues, which no specification describes; so they stand in its files:
//!
//! ```text
//! 00:00:07.520 --> 00:00:09.350      the line before, or a space, above the new line with its word times
//! the line before
//! the<00:00:07.960><c> new</c><00:00:08.280><c> line</c>
//!
//! 00:00:09.350 --> 00:00:09.360      a bridge of 10 ms: the new line above a space
//! the new line
//!  
//! ```
//!
//! Other programs strip the spaces, the bridges or the word times. What tells a line that is only carried over from
//! one that is spoken again is its place: above what is new, or in a bridge.

use tusab_chunk::MediaTime;

use super::cue::{Cue, words_of};

/// A cue no longer than this is a bridge between two others: nobody speaks that fast.
const BRIDGE: MediaTime = MediaTime::from_millis(20);
/// No screen of captions holds more lines and words than these; what is beyond is not compared.
const SCREEN_LINES: usize = 8;
const SCREEN_WORDS: usize = 64;
/// Fewer words in common than these may be chance, unless they are all that was shown.
const TELLING_WORDS: usize = 3;

/// Whether cues roll: whether they are shaped as no one would write them by hand.
pub(crate) fn is_rolling(cues: &[Cue]) -> bool {
    let (mut timed, mut bridges, mut carried, mut carried_above_new, mut grown) = (0, 0, 0, 0, 0);
    let mut before = Lines::default();
    for cue in cues {
        let lines = Lines::of(cue);
        let is_bridge = is_bridge(cue);
        bridges += usize::from(is_bridge);
        timed += usize::from(cue.has_word_times() && !is_bridge);
        let above = lines.carried(&before, lines.first_spoken());
        if let Some(last) = above.checked_sub(1).and_then(|last| lines.said.get(last)) {
            let below = lines.said.get(above);
            carried += usize::from(below.is_some() || is_bridge || lines.blank_below);
            carried_above_new += usize::from(below.is_some_and(|below| !same(below.text, last.text)));
        } else {
            grown += usize::from(lines.goes_on(&before));
        }
        before = lines;
    }
    let most = |count: usize| count * 2 >= cues.len();
    let many = |count: usize| count > 0 && count * 4 >= cues.len();
    let by_machine = bridges > 0 && timed + bridges > 1 && most(timed + bridges);
    let with_marks = many(carried) && many(timed + bridges);
    let by_habit = carried_above_new + grown >= 3 && most(carried_above_new + grown);
    by_machine || with_marks || by_habit
}

/// Leaves of rolling cues what is new in each, so that every word spoken stands once, at its own time. Cues that
/// show nothing new go. `cut`: the file may end in the middle of the last cue.
pub(crate) fn collapse(cues: &[Cue], cut: bool) -> Vec<Cue> {
    let timed = cues.iter().any(Cue::has_word_times);
    let mut collapsed = Vec::with_capacity(cues.len() / 2 + 1);
    let mut screen = Lines::default();
    // Where lines of spaces are written, a last cue without one may be the upper line of two.
    let mut cut = cut;
    for (number, cue) in (1..).zip(cues) {
        let lines = Lines::of(cue);
        let is_bridge = is_bridge(cue);
        let fragment = cut && number == cues.len() && lines.is_start_of(&screen);
        if !fragment && let Some(from) = lines.new_from(&screen, is_bridge) {
            let mut new = cue.retain(|at, _| at >= from);
            if timed {
                // A line of one word has no word time in the file: it is spoken when the cue starts.
                new.time_first_word();
            }
            collapsed.push(new);
        }
        cut |= lines.blank_above;
        screen = lines;
    }
    collapsed
}

/// One without any length is none, but a cue whose times are at fault.
fn is_bridge(cue: &Cue) -> bool {
    let length = cue.span().length();
    MediaTime::ZERO < length && length <= BRIDGE
}

/// What a cue shows.
#[derive(Debug, Default)]
struct Lines<'c> {
    text: &'c str,
    /// The lines with something on them.
    said: Vec<Line<'c>>,
    /// A line of spaces stands above the first of them.
    blank_above: bool,
    /// A line of spaces stands below the last of them.
    blank_below: bool,
}

#[derive(Debug, Clone, Copy)]
struct Line<'c> {
    text: &'c str,
    /// Where it starts in the cue's text, in bytes.
    at: usize,
    /// Whether its words have times.
    timed: bool,
}

impl<'c> Lines<'c> {
    fn of(cue: &'c Cue) -> Self {
        let mut lines = Self { text: cue.text(), ..Self::default() };
        let mut marks = cue.times().iter().peekable();
        let mut at = 0;
        for text in cue.text().split('\n') {
            let end = at + text.len();
            let mut timed = false;
            while marks.next_if(|mark| mark.at < end).is_some() {
                timed = true;
            }
            let blank = text.trim().is_empty();
            lines.blank_above |= blank && lines.said.is_empty();
            lines.blank_below = blank;
            if !blank {
                lines.said.push(Line { text, at, timed });
            }
            at = end + 1;
        }
        lines
    }

    /// Where in the cue's text that begins which was not on the screen before; none when all of it was.
    fn new_from(&self, screen: &Self, is_bridge: bool) -> Option<usize> {
        let first = self.said.first()?;
        if self.blank_above {
            return Some(first.at);
        }
        let spoken = self.first_spoken();
        let none_spoken = spoken == self.said.len();
        let limit = if none_spoken && !is_bridge && !self.blank_below { spoken - 1 } else { spoken };
        match self.carried(screen, limit) {
            0 if none_spoken && self.holds(screen) => None,
            0 => self.after_shared_words(screen, spoken),
            carried => self.said.get(carried).map(|line| line.at),
        }
    }

    /// The number of the first line with word times, or of lines. It is being spoken, whatever it says: only lines
    /// above it may be carried over.
    fn first_spoken(&self) -> usize {
        self.said.iter().position(|line| line.timed).unwrap_or(self.said.len())
    }

    /// How many of the first `limit` lines are the last ones of the screen before.
    fn carried(&self, screen: &Self, limit: usize) -> usize {
        (1..=limit.min(screen.said.len()).min(SCREEN_LINES))
            .rev()
            .find(|count| {
                let was = screen.said.iter().skip(screen.said.len() - count);
                was.zip(&self.said).all(|(was, now)| same(was.text, now.text))
            })
            .unwrap_or(0)
    }

    /// Whether the cue says what the one before said and goes on: captions that grow as they are recognised.
    fn goes_on(&self, before: &Self) -> bool {
        let mut words = self.text.split_whitespace();
        let mut was = before.text.split_whitespace().peekable();
        was.peek().is_some() && was.all(|word| words.next() == Some(word)) && words.next().is_some()
    }

    /// Whether the cue only keeps lines of the screen before in place. A single line that was not spoken in the cue
    /// before is rather said again: `[Music]` twice, or "yes" twice.
    fn holds(&self, screen: &Self) -> bool {
        let was_spoken = screen.said.last().is_some_and(|line| line.timed);
        (self.said.len() > 1 || was_spoken) && self.carried(screen, self.said.len()) == self.said.len()
    }

    /// Where the text goes on after the words with which the screen before ended: lines broken anew, or a line that
    /// grows. The whole text again is not shared but said again. `spoken`: the line from which on all is new.
    fn after_shared_words(&self, screen: &Self, spoken: usize) -> Option<usize> {
        let spoken = self.said.get(spoken).map(|line| line.at);
        let end = spoken.unwrap_or(self.text.len());
        let now: Vec<_> =
            words_of(self.text).take_while(|(at, _)| *at < end).take(SCREEN_WORDS + 1).collect();
        let mut was: Vec<_> = screen.text.split_whitespace().rev().take(SCREEN_WORDS).collect();
        was.reverse();
        let shared = (1..=was.len().min(now.len())).rev().find(|count| {
            let is_telling = *count >= TELLING_WORDS || *count == was.len();
            let is_whole = *count == was.len() && *count == now.len();
            let tail = was.iter().skip(was.len() - count);
            is_telling && !is_whole && tail.eq(now.iter().take(*count).map(|(_, word)| word))
        });
        let new = now.get(shared.unwrap_or(0)).map(|(at, _)| *at);
        new.or(spoken)
    }

    /// Whether the cue is a mere piece of the screen before, broken off where the file ends.
    fn is_start_of(&self, screen: &Self) -> bool {
        let ([piece], Some(was)) = (self.said.as_slice(), screen.said.last()) else { return false };
        let whole_signs = match piece.text.rsplit_once('&') {
            // The cut fell inside `&gt;` or the like.
            Some((before, name)) if ["gt", "lt", "amp", "nbsp"].iter().any(|all| all.starts_with(name)) => {
                before
            }
            _ => piece.text,
        };
        !self.blank_above && !piece.timed && was.text.trim().starts_with(whole_signs.trim())
    }
}

/// Whether two lines say the same; white space does not count.
fn same(a: &str, b: &str) -> bool {
    a == b || a.split_whitespace().eq(b.split_whitespace())
}
