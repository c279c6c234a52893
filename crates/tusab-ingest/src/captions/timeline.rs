//! YouTube's own timed text, of which json3 and srv3 are two spellings: events on a time line, each with pieces of
//! text that may have times of their own.
//!
//! Automatic captions are a window of two lines. Every line is one event; a second event that appends a line break
//! marks when it moves up. Nothing is repeated, so there is nothing to collapse.

use tusab_chunk::{MediaTime, TimeSpan};

use super::cue::{Cue, TimeMark};

/// One event, as it is spelled in the file.
#[derive(Debug, Default)]
pub(crate) struct Event {
    pub(crate) start: MediaTime,
    pub(crate) duration: MediaTime,
    /// The window on the screen in which it is shown.
    pub(crate) window: Option<u64>,
    /// Whether it adds to what its window shows already.
    pub(crate) appends: bool,
    pub(crate) pieces: Vec<Piece>,
}

/// A piece of an event's text.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    pub(crate) text: String,
    /// When it is spoken, from the start of the event.
    pub(crate) offset: Option<MediaTime>,
    /// Whether it says how sure the machine was.
    pub(crate) has_confidence: bool,
}

/// Cues from events.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    drafts: Vec<Draft>,
    /// Whether speech recognition made them: people give no times to words.
    pub(crate) by_machine: bool,
}

#[derive(Debug)]
struct Draft {
    start: MediaTime,
    end: MediaTime,
    window: Option<u64>,
    text: String,
    times: Vec<TimeMark>,
}

impl Timeline {
    pub(crate) fn push(&mut self, event: Event) {
        let is_blank = event.pieces.iter().all(|piece| piece.text.trim().is_empty());
        let end = event.start.saturating_add(event.duration);
        let own = if event.appends {
            self.drafts.last_mut().filter(|draft| draft.window == event.window)
        } else {
            None
        };
        match own {
            // The line moves up: what is said next is the next line.
            Some(line) if is_blank && event.pieces.iter().any(|piece| piece.text.contains('\n')) => {
                line.end = line.end.min(event.start).max(line.start);
            }
            Some(line) => {
                line.end = line.end.max(end);
                line.add(event.start, event.pieces);
                // People write a line at once.
                self.by_machine = true;
            }
            None if is_blank => {}
            None => {
                let mut line = Draft {
                    start: event.start,
                    end,
                    window: event.window,
                    text: String::new(),
                    times: Vec::new(),
                };
                self.by_machine |= line.add(event.start, event.pieces);
                self.drafts.push(line);
            }
        }
    }

    pub(crate) fn into_cues(self) -> Vec<Cue> {
        let by_machine = self.by_machine;
        self.drafts.into_iter().map(|draft| draft.into_cue(by_machine)).collect()
    }
}

impl Draft {
    /// Adds pieces of an event that starts at `start`; whether a machine made them.
    fn add(&mut self, start: MediaTime, pieces: Vec<Piece>) -> bool {
        let mut by_machine = false;
        for piece in pieces {
            by_machine |= piece.offset.is_some() || piece.has_confidence;
            let word = piece.text.find(|c: char| !c.is_whitespace());
            let said = start.saturating_add(piece.offset.unwrap_or_default());
            let latest = self.times.last().map_or(self.start, |mark| mark.start);
            // A time earlier than the word before is not to be believed.
            if let Some(word) = word
                && said > self.start
                && said >= latest
            {
                self.times.push(TimeMark { at: self.text.len() + word, start: said });
            }
            self.text.push_str(&piece.text);
        }
        by_machine
    }

    fn into_cue(self, by_machine: bool) -> Cue {
        let latest = self.times.last().map_or(self.start, |mark| mark.start);
        let cue = Cue::new(TimeSpan::between(self.start, self.end.max(latest)), self.text);
        if !by_machine {
            return cue;
        }
        let mut cue = cue.with_marks(self.times, Vec::new());
        cue.time_first_word();
        cue
    }
}
