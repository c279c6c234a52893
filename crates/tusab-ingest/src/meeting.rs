//! Transcripts of meetings, as Zoom, Teams, Google Meet and Otter save them: who spoke, when, and what.

mod form;
mod name;
mod plain;
mod vtt;

use serde::{Deserialize, Serialize};
use tusab_chunk::{Segment, TimeSpan, Turn, When};

use crate::{Error, Parsed};

/// A transcript of a meeting, or what was written in its chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Meeting {
    /// The program that the transcript is of, as far as its shape tells.
    pub platform: Platform,
    /// Who spoke, in the order of their first turn.
    pub speakers: Vec<String>,
    /// The turns, in the order of the file; consecutive ones of one speaker are one, save in a chat.
    pub turns: Vec<MeetingTurn>,
}

/// Programs whose transcripts are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Platform {
    /// Zoom, a recording's transcript.
    Zoom,
    /// Zoom, the chat beside a meeting.
    ZoomChat,
    /// Microsoft Teams.
    Teams,
    /// Google Meet.
    GoogleMeet,
    /// Otter.
    Otter,
    /// Another one that writes `[0:12] Name: ...`.
    Other,
}

/// What one person said before another did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MeetingTurn {
    /// Who; none where the file does not say.
    pub speaker: Option<String>,
    /// What was said, in pieces with their own times: at least one. A piece ends when the next one starts where the file
    /// tells no ends.
    pub pieces: Vec<Segment>,
    /// Whether the file tells times.
    pub timed: bool,
}

impl MeetingTurn {
    /// When it was said; none where the file does not tell.
    #[must_use]
    pub fn span(&self) -> Option<TimeSpan> {
        let spans = self.pieces.iter().map(|piece| piece.span);
        spans.reduce(TimeSpan::union).filter(|_| self.timed)
    }

    /// What was said.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&piece.text);
        }
        text
    }
}

impl Meeting {
    /// Most characters that a turn of [`Meeting::turns`] has before a long speech is divided: a chunk is to cite the
    /// time at which something was said, not that at which its speaker began.
    const LONG: usize = 600;

    fn new(platform: Platform, said: Vec<Said>) -> Self {
        let mut turns: Vec<MeetingTurn> = Vec::new();
        let mut speakers: Vec<String> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for Said { speaker, piece, timed } in said {
            if let Some(name) = speaker.as_ref().filter(|name| !seen.contains(*name)) {
                seen.insert(name.clone());
                speakers.push(name.clone());
            }
            match turns.last_mut() {
                Some(last)
                    if last.speaker == speaker && last.timed == timed && platform != Platform::ZoomChat =>
                {
                    last.pieces.push(piece);
                }
                _ => turns.push(MeetingTurn { speaker, pieces: vec![piece], timed }),
            }
        }
        Self { platform, speakers, turns }
    }

    /// The conversation as [`tusab_chunk`] cuts it into windows. Long speeches are several turns with their own times.
    #[must_use]
    pub fn turns(&self) -> Vec<Turn> {
        let mut turns = Vec::with_capacity(self.turns.len());
        for turn in &self.turns {
            let mut open: Option<(TimeSpan, String, usize)> = None;
            let mut close = |span: TimeSpan, text: String| {
                let when = turn.timed.then_some(When::Media(span));
                turns.push(Turn::new(text).with_speaker(turn.speaker.clone()).with_when(when));
            };
            for piece in &turn.pieces {
                let length = piece.text.chars().count();
                open = Some(match open.take() {
                    Some((span, mut text, so_far)) if so_far + length < Self::LONG => {
                        text.push(' ');
                        text.push_str(&piece.text);
                        (span.union(piece.span), text, so_far + length + 1)
                    }
                    Some((span, text, _)) => {
                        close(span, text);
                        (piece.span, piece.text.clone(), length)
                    }
                    None => (piece.span, piece.text.clone(), length),
                });
            }
            if let Some((span, text, _)) = open {
                close(span, text);
            }
        }
        turns
    }
}

/// One cue or paragraph, before those of one speaker are put together.
#[derive(Debug)]
struct Said {
    speaker: Option<String>,
    piece: Segment,
    timed: bool,
}

/// Reads a transcript of Zoom, Teams, Google Meet or Otter, or the chat that Zoom saves.
///
/// WebVTT with speakers (`<v Name>` of Teams, `Name: ` of Zoom; a cue without a name goes on with the one before), and
/// the plain texts: `Name  0:12` above what is said (Otter, Teams), `[Name] 10:00:12` (Zoom), `0:0:1.0 --> 0:0:4.5` above the name (Teams),
/// `00:13:46<TAB>Name:<TAB>text` and `00:13:46 From Name to Everyone:` (Zoom's chat), `Name: text` between lines of
/// times (Google Meet), `[0:12] Name: text`.
///
/// ```
/// use tusab_ingest::{Platform, parse_meeting};
/// let otter = "Ana Lima  0:01\nVamos começar.\n\nRui Costa  0:09\nO prazo é sexta.\n";
/// let meeting = parse_meeting(otter)?.value;
/// assert_eq!(meeting.platform, Platform::Otter);
/// assert_eq!(meeting.speakers, ["Ana Lima", "Rui Costa"]);
/// assert_eq!(meeting.turns[1].span().map(|span| span.start().as_millis()), Some(9000));
/// assert_eq!(meeting.turns[1].text(), "O prazo é sexta.");
/// # Ok::<(), tusab_ingest::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotMeeting`] for a text in which no one is said to speak.
pub fn parse_meeting(text: &str) -> Result<Parsed<Meeting>, Error> {
    if crate::captions::has_webvtt_header(text) {
        return vtt::read(text);
    }
    plain::read(text).ok_or(Error::NotMeeting)
}

/// Whether a text is a transcript of a meeting beyond doubt.
pub(crate) fn is_meeting(text: &str) -> bool {
    if crate::captions::has_webvtt_header(text) {
        return vtt::is_spoken(text);
    }
    // There, too, a line of times stands above a short line.
    !crate::captions::is_srt(text) && plain::is_certain(text)
}
