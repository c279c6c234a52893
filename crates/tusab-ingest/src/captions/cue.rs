use serde::{Deserialize, Serialize};
use tusab_chunk::{MediaTime, TimeSpan};

/// One caption: when it is shown, what it says, and, where the file tells, when each word is spoken and by whom.
///
/// Its text is free of markup; lines that the file breaks are broken by `\n`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cue {
    span: TimeSpan,
    text: String,
    /// Times of places in the text, in the order of the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    times: Vec<TimeMark>,
    /// Where another voice starts to speak, in the order of the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    voices: Vec<VoiceMark>,
    /// Where the part of the text starts that is underlined, while a file is being read.
    #[serde(skip)]
    underlined: Option<usize>,
}

/// From byte `at` of a cue's text on, what is said is said at `start`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TimeMark {
    pub(crate) at: usize,
    pub(crate) start: MediaTime,
}

/// From byte `at` of a cue's text on, `name` speaks; no one that is named when it is empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VoiceMark {
    pub(crate) at: usize,
    pub(crate) name: String,
}

/// A word of a cue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Word<'c> {
    /// The word with its punctuation.
    pub text: &'c str,
    /// When it is spoken; none in a cue without word times. Words without a time of their own have that of the
    /// word before, the first ones that of the cue.
    pub start: Option<MediaTime>,
}

impl Cue {
    /// A cue without word times and voices.
    pub fn new(span: TimeSpan, text: impl Into<String>) -> Self {
        Self { span, text: text.into(), times: Vec::new(), voices: Vec::new(), underlined: None }
    }

    pub(crate) fn with_marks(mut self, times: Vec<TimeMark>, voices: Vec<VoiceMark>) -> Self {
        self.times = times;
        self.voices = voices;
        self
    }

    pub(crate) fn with_underlined(mut self, underlined: Option<usize>) -> Self {
        self.underlined = underlined;
        self
    }

    pub(crate) fn underlined(&self) -> Option<usize> {
        self.underlined
    }

    /// Goes on until the end of another cue, whose underlined word is spoken when that one starts.
    pub(crate) fn go_on(&mut self, next: &Self) {
        self.span = self.span.union(next.span);
        // In the order of the text and of time, whatever other times the file gives.
        let (last, latest) = self.times.last().map_or((0, self.span.start()), |mark| (mark.at, mark.start));
        let word = next.underlined.filter(|at| *at >= last && next.span.start() >= latest);
        self.times.extend(word.map(|at| TimeMark { at, start: next.span.start() }));
        self.underlined = next.underlined.or(self.underlined);
    }

    /// When it is shown.
    #[must_use]
    pub fn span(&self) -> TimeSpan {
        self.span
    }

    /// What it says.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the file tells when its words are spoken.
    #[must_use]
    pub fn has_word_times(&self) -> bool {
        !self.times.is_empty()
    }

    /// Adds the lines of another cue under its own.
    pub(crate) fn append(&mut self, below: &Self) {
        self.text.push('\n');
        let by = self.text.len();
        self.text.push_str(&below.text);
        // As within a cue, a time earlier than the word before is not to be believed.
        let latest = self.times.last().map_or(self.span.start(), |mark| mark.start);
        let times = below.times.iter().filter(|mark| mark.start >= latest);
        self.times.extend(times.map(|mark| TimeMark { at: mark.at + by, ..*mark }));
        let voices = below.voices.iter().map(|mark| VoiceMark { at: mark.at + by, name: mark.name.clone() });
        self.voices.extend(voices);
    }

    /// Takes away blank lines above and below its text.
    pub(crate) fn trim_blank_lines(&mut self) {
        let lines = self.text.split_inclusive('\n');
        let above: usize = lines.take_while(|line| line.trim().is_empty()).map(str::len).sum();
        let above = above.min(self.text.trim_end().len());
        self.text.truncate(self.text.trim_end_matches('\n').len().max(above));
        if above > 0 {
            self.text.drain(..above);
            self.times.iter_mut().for_each(|mark| mark.at = mark.at.saturating_sub(above));
            self.voices.iter_mut().for_each(|mark| mark.at = mark.at.saturating_sub(above));
        }
    }

    /// Gives a cue without word times that of its start.
    pub(crate) fn time_first_word(&mut self) {
        if self.times.is_empty() {
            self.times.push(TimeMark { at: 0, start: self.span.start() });
        }
    }

    pub(crate) fn times(&self) -> &[TimeMark] {
        &self.times
    }

    /// Its words, in order: what stands between white space.
    pub fn words(&self) -> impl Iterator<Item = Word<'_>> {
        let mut marks = self.times.iter().peekable();
        let mut start = self.has_word_times().then(|| self.span.start());
        words_of(&self.text).map(move |(at, text)| {
            while let Some(mark) = marks.next_if(|mark| mark.at <= at) {
                start = Some(mark.start);
            }
            Word { text, start }
        })
    }

    /// Who speaks first, where the file names the speaker (`<v Name>`).
    #[must_use]
    pub fn voice(&self) -> Option<&str> {
        self.voices().find_map(|(name, _)| name)
    }

    /// What is said by whom, in order: the pieces of the text between changes of voice.
    pub fn voices(&self) -> impl Iterator<Item = (Option<&str>, &str)> {
        let starts =
            std::iter::once((None, 0)).chain(self.voices.iter().map(|v| (Some(v.name.as_str()), v.at)));
        let ends = self.voices.iter().map(|voice| voice.at).chain([self.text.len()]);
        starts.zip(ends).filter_map(|((name, from), to)| {
            let said = self.text.get(from..to).filter(|said| !said.trim().is_empty())?;
            Some((name.filter(|name| !name.is_empty()), said))
        })
    }

    /// The cue with only those words that `keep` keeps, joined by single spaces, their times and voices with them.
    ///
    /// `keep` is given each word with its place in the text.
    pub(crate) fn retain(&self, mut keep: impl FnMut(usize, &str) -> bool) -> Self {
        let mut kept = Self::new(self.span, String::with_capacity(self.text.len()));
        let mut times = self.times.iter().peekable();
        let mut voices = self.voices.iter().peekable();
        // What is marked at a word left out holds for the next word that stays.
        let (mut start, mut voice) = (None, None);
        for (at, word) in words_of(&self.text) {
            while let Some(mark) = times.next_if(|mark| mark.at <= at) {
                start = Some(mark.start);
            }
            while let Some(mark) = voices.next_if(|mark| mark.at <= at) {
                voice = Some(&mark.name);
            }
            if !keep(at, word) {
                continue;
            }
            if !kept.text.is_empty() {
                kept.text.push(' ');
            }
            let new_at = kept.text.len();
            if let Some(start) = start.take() {
                kept.times.push(TimeMark { at: new_at, start });
            }
            if let Some(name) = voice.take() {
                kept.voices.push(VoiceMark { at: new_at, name: name.clone() });
            }
            kept.text.push_str(word);
            while let Some(mark) = times.next_if(|mark| mark.at < at + word.len()) {
                kept.times.push(TimeMark { at: new_at + (mark.at - at), start: mark.start });
            }
        }
        kept
    }
}

/// The words of a text with their places in bytes.
pub(crate) fn words_of(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let word = rest.trim_start();
        let start = at + (rest.len() - word.len());
        let word = word.split(char::is_whitespace).next().filter(|word| !word.is_empty())?;
        at = start + word.len();
        Some((start, word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_words_left_out_hold_for_the_next_word() {
        let at = |ms| MediaTime::from_millis(ms);
        let mark = |at: usize, ms| TimeMark { at, start: MediaTime::from_millis(ms) };
        let voice = |at: usize, name: &str| VoiceMark { at, name: name.into() };
        let cue = Cue::new(TimeSpan::between(at(0), at(9)), "um\n [dois]  três quatro").with_marks(
            vec![mark(4, 2), mark(12, 3), mark(20, 5)],
            vec![voice(0, "Ana"), voice(4, "Rui"), voice(18, "")],
        );
        let kept = cue.retain(|_, word| word != "[dois]");
        assert_eq!(kept.text(), "um três quatro");
        let starts: Vec<_> = kept.words().map(|word| word.start.map(MediaTime::as_millis)).collect();
        assert_eq!(starts, [Some(0), Some(3), Some(3)]);
        // A time inside a word stays inside it.
        assert_eq!(kept.times().last().map(|mark| &kept.text()[mark.at..]), Some("atro"));
        let said: Vec<_> = kept.voices().collect();
        assert_eq!(said, [(Some("Ana"), "um "), (Some("Rui"), "três "), (None, "quatro")]);
        assert_eq!(cue.retain(|_, word| word == "três").voice(), Some("Rui"));
    }
}
