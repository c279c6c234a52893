use std::collections::VecDeque;

use crate::Delta;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";
/// How much white space may stand before the opening mark, in characters.
const MOST_BLANK: usize = 64;

/// Separates what a model thinks from what it answers, where both come as one text.
///
/// Thoughts stand between `<think>` and `</think>` at the start of the answer and nowhere else. What could be a part of a
/// mark is held back until the next piece tells. A mark that closes what was never opened, since the prompt had opened it,
/// makes all text before it thinking, which is said by [`Delta::TextWasThinking`]. It does not where the mark is spoken of,
/// not used: in code, in quotation marks, or after an opening mark in the text that it belongs to.
#[derive(Debug)]
pub(crate) struct Think {
    state: State,
    held: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing but white space, or a part of the opening mark.
    Start,
    /// Between the marks.
    Inside,
    /// After the closing mark: white space before the answer is dropped.
    After,
    /// In an answer that was not opened.
    Unopened(Given),
    /// In an answer whose thoughts are over.
    Answer,
}

impl Think {
    pub(crate) fn new() -> Self {
        Self { state: State::Start, held: String::new() }
    }

    /// Thoughts came in a field of their own: marks in the text are text.
    pub(crate) fn structured(&mut self, deltas: &mut VecDeque<Delta>) {
        if self.state != State::Answer {
            self.flush(deltas);
            self.state = State::Answer;
        }
    }

    /// Takes the next piece of the text.
    pub(crate) fn push(&mut self, text: String, deltas: &mut VecDeque<Delta>) {
        if self.held.is_empty() {
            self.held = text;
        } else {
            self.held.push_str(&text);
        }
        while self.step(deltas, false) {}
    }

    /// The text has ended: gives what was held back.
    pub(crate) fn finish(&mut self, deltas: &mut VecDeque<Delta>) {
        while self.step(deltas, true) {}
        self.flush(deltas);
    }

    fn flush(&mut self, deltas: &mut VecDeque<Delta>) {
        let held = std::mem::take(&mut self.held);
        match self.state {
            State::Inside => give_thinking(held, deltas),
            State::After => {}
            State::Start | State::Unopened(_) | State::Answer => give_text(held, deltas),
        }
    }

    /// Takes one step; whether another may follow. `ended`: no text does.
    fn step(&mut self, deltas: &mut VecDeque<Delta>, ended: bool) -> bool {
        match self.state {
            State::Start => self.start(),
            State::Inside => self.inside(deltas),
            State::After => self.after(),
            State::Unopened(given) => self.unopened(given, deltas, ended),
            State::Answer => {
                give_text(std::mem::take(&mut self.held), deltas);
                false
            }
        }
    }

    fn start(&mut self) -> bool {
        if self.held.chars().take_while(|c| c.is_whitespace()).nth(MOST_BLANK).is_some() {
            self.state = State::Unopened(Given::default());
            return true;
        }
        let trimmed = self.held.trim_start();
        if let Some(rest) = trimmed.strip_prefix(OPEN) {
            self.held = rest.to_owned();
            self.state = State::Inside;
            return true;
        }
        // An empty text is a part of the mark, too.
        if OPEN.starts_with(trimmed) {
            return false;
        }
        self.state = State::Unopened(Given::default());
        true
    }

    fn inside(&mut self, deltas: &mut VecDeque<Delta>) -> bool {
        if let Some((thoughts, rest)) = self.held.split_once(CLOSE) {
            let (thoughts, rest) = (thoughts.to_owned(), rest.to_owned());
            give_thinking(thoughts, deltas);
            self.held = rest;
            self.state = State::After;
            return true;
        }
        let kept = self.held.split_off(self.held.len() - part_at_end(&self.held, CLOSE));
        give_thinking(std::mem::replace(&mut self.held, kept), deltas);
        false
    }

    fn after(&mut self) -> bool {
        self.held = self.held.trim_start().to_owned();
        if self.held.is_empty() {
            return false;
        }
        self.state = State::Answer;
        true
    }

    fn unopened(&mut self, mut given: Given, deltas: &mut VecDeque<Delta>, ended: bool) -> bool {
        let mut rest = self.held.as_str();
        while let Some((text, mark)) = rest.find('<').and_then(|place| rest.split_at_checked(place)) {
            given.read(text);
            rest = mark;
            if mark.starts_with(OPEN) {
                given.opened();
            } else if let Some(after) = mark.strip_prefix(CLOSE) {
                match given.closed(after.chars().next(), ended) {
                    Closing::SpokenOf => {}
                    Closing::Unknown => break,
                    Closing::Thoughts => {
                        let after = after.to_owned();
                        self.close(&after, deltas);
                        self.held = after;
                        return true;
                    }
                }
            } else if OPEN.starts_with(mark) || CLOSE.starts_with(mark) {
                // What follows tells.
                break;
            }
            let Some(after) = mark.strip_prefix('<') else { break };
            given.read("<");
            rest = after;
        }
        if !rest.starts_with('<') {
            given.read(rest);
            rest = "";
        }
        let mut end = self.held.len() - rest.len();
        if self.held.get(..end).is_some_and(|text| text.ends_with('\n')) {
            // It may belong to a mark that follows.
            end -= 1;
        }
        let kept = self.held.split_off(end);
        give_text(std::mem::replace(&mut self.held, kept), deltas);
        self.state = State::Unopened(given);
        false
    }

    /// All text up to the mark was thinking; `after` stands behind it.
    fn close(&mut self, after: &str, deltas: &mut VecDeque<Delta>) {
        self.held.truncate(self.held.len() - after.len() - CLOSE.len());
        // The line end belongs to the mark.
        if self.held.ends_with('\n') {
            self.held.pop();
        }
        give_text(std::mem::take(&mut self.held), deltas);
        deltas.push_back(Delta::TextWasThinking);
        self.state = State::After;
    }
}

/// What is known of a text that was not opened, up to some place in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Given {
    last: Option<char>,
    /// Inside a stretch of code in this line: an odd number of backticks came before.
    in_code: bool,
    /// How many opening marks wait for their closing ones.
    open: u32,
}

/// What a closing mark does.
enum Closing {
    Thoughts,
    SpokenOf,
    /// Only what follows tells.
    Unknown,
}

impl Given {
    fn read(&mut self, text: &str) {
        let line = match text.rsplit_once('\n') {
            Some((_, line)) => {
                self.in_code = false;
                line
            }
            None => text,
        };
        self.in_code ^= line.matches('`').count() % 2 == 1;
        self.last = text.chars().next_back().or(self.last);
    }

    fn opened(&mut self) {
        if !self.in_code {
            self.open = self.open.saturating_add(1);
        }
    }

    /// Meets a closing mark before `next`, if that has come.
    fn closed(&mut self, next: Option<char>, ended: bool) -> Closing {
        if self.in_code {
            return Closing::SpokenOf;
        }
        if self.open > 0 {
            self.open -= 1;
            return Closing::SpokenOf;
        }
        match (self.last.and_then(closing_quote), next) {
            (Some(_), None) if !ended => Closing::Unknown,
            (Some(quote), Some(next)) if quote == next => Closing::SpokenOf,
            _ => Closing::Thoughts,
        }
    }
}

/// What ends what `open` begins.
fn closing_quote(open: char) -> Option<char> {
    match open {
        '"' | '\'' => Some(open),
        '“' => Some('”'),
        '‘' => Some('’'),
        '«' => Some('»'),
        '(' => Some(')'),
        '[' => Some(']'),
        _ => None,
    }
}

/// How many bytes at the end of `text` could be the start of `mark`.
fn part_at_end(text: &str, mark: &str) -> usize {
    let longest = mark.len().saturating_sub(1).min(text.len());
    (1..=longest)
        .rev()
        .find(|length| mark.get(..*length).is_some_and(|part| text.ends_with(part)))
        .unwrap_or_default()
}

fn give_text(text: String, deltas: &mut VecDeque<Delta>) {
    if !text.is_empty() {
        deltas.push_back(Delta::Text(text));
    }
}

fn give_thinking(text: String, deltas: &mut VecDeque<Delta>) {
    if !text.is_empty() {
        deltas.push_back(Delta::Thinking(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The thoughts and the answer in `pieces`, put together as a reader would.
    fn read<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (String, String) {
        let (mut think, mut deltas) = (Think::new(), VecDeque::new());
        for piece in pieces {
            think.push(piece.to_owned(), &mut deltas);
        }
        think.finish(&mut deltas);
        let (mut thinking, mut text) = (String::new(), String::new());
        for delta in deltas {
            match delta {
                Delta::Text(more) => text.push_str(&more),
                Delta::Thinking(more) => thinking.push_str(&more),
                Delta::TextWasThinking => thinking.push_str(&std::mem::take(&mut text)),
                other => panic!("{other:?}"),
            }
        }
        (thinking, text)
    }

    /// The same, cut at every pair of places.
    fn cut_anywhere(text: &str, expected: (&str, &str)) {
        let places: Vec<usize> = (0..=text.len()).filter(|place| text.is_char_boundary(*place)).collect();
        for first in &places {
            for second in places.iter().filter(|second| *second >= first) {
                let pieces = [&text[..*first], &text[*first..*second], &text[*second..]];
                let (thinking, answer) = read(pieces);
                assert_eq!((thinking.as_str(), answer.as_str()), expected, "{pieces:?}");
            }
        }
        let mut buffer = [0; 4];
        let single: Vec<String> = text.chars().map(|c| c.encode_utf8(&mut buffer).to_owned()).collect();
        let (thinking, answer) = read(single.iter().map(String::as_str));
        assert_eq!((thinking.as_str(), answer.as_str()), expected);
    }

    #[test]
    fn thoughts_between_marks_are_apart_wherever_the_text_is_cut() {
        cut_anywhere("<think>Hm, não…</think>\n\nOlá!", ("Hm, não…", "Olá!"));
        cut_anywhere(" \n<think>\na < b </thin </think>Olá", ("\na < b </thin ", "Olá"));
        cut_anywhere("<think></think>Olá", ("", "Olá"));
        cut_anywhere("<think>cut short", ("cut short", ""));
    }

    #[test]
    fn a_mark_that_was_never_opened_closes_all_before_it() {
        cut_anywhere("Hm, não…\n</think>\n\nOlá!", ("Hm, não…", "Olá!"));
        cut_anywhere("</think>\n\nOlá!", ("", "Olá!"));
        cut_anywhere("a\n\n</think>\r\nb", ("a\n", "b"));
        cut_anywhere("Hm\n</think>", ("Hm", ""));
        // An edge of a line on one side is enough.
        cut_anywhere("Hm, não…</think>\n\nOlá!", ("Hm, não…", "Olá!"));
        cut_anywhere("Hm</think>\r\nOlá!", ("Hm", "Olá!"));
        cut_anywhere("Hm\n</think>Olá!", ("Hm", "Olá!"));
        cut_anywhere("</think>Olá!", ("", "Olá!"));
        cut_anywhere("I close `</think>` with:\n</think> Olá", ("I close `</think>` with:", "Olá"));
        // And none at all, as DeepSeek writes it.
        cut_anywhere("Hm, não…</think>Olá!", ("Hm, não…", "Olá!"));
        cut_anywhere("Hm </think> Olá!", ("Hm ", "Olá!"));
        cut_anywhere("Hm</think>", ("Hm", ""));
        cut_anywhere("He says \"hi\"</think>Olá!", ("He says \"hi\"", "Olá!"));
        cut_anywhere("It is `x`</think>`y`", ("It is `x`", "`y`"));
        cut_anywhere("It is \"</think>", ("It is \"", ""));
        cut_anywhere("Not `a\nb</think>c", ("Not `a\nb", "c"));
        cut_anywhere("I write <think>x</think>.\n</think>Olá", ("I write <think>x</think>.", "Olá"));
        cut_anywhere("a < b <thin</think>Olá", ("a < b <thin", "Olá"));
        // Only the first counts.
        cut_anywhere("a</think>b</think>c", ("a", "b</think>c"));
    }

    #[test]
    fn a_text_that_speaks_of_the_marks_keeps_them() {
        for text in [
            "The mark `<think>` opens and `</think>` closes.",
            "End with `</think>\nand a line end",
            "End with `</think>",
            "text.split(\"</think>\")[1]",
            "The mark (</think>), or “</think>”, '</think>', ‘</think>’, «</think>», [</think>]",
            "x<think>y</think>z",
            "x<think>\ny\n</think>\nz",
            "x<think><think></think></think>",
            "The marks `<think>` and <think></think>",
            "<thinking>x</thinking>",
            "< think>",
            "a\n</thin",
        ] {
            cut_anywhere(text, ("", text));
        }
        cut_anywhere("<think>a</think>b\n</think>\nc<think>d", ("a", "b\n</think>\nc<think>d"));
    }

    #[test]
    fn a_field_of_its_own_makes_marks_text() {
        let (mut think, mut deltas) = (Think::new(), VecDeque::new());
        think.structured(&mut deltas);
        think.push("<think>a</think>".to_owned(), &mut deltas);
        think.finish(&mut deltas);
        assert_eq!(deltas, [Delta::Text("<think>a</think>".to_owned())]);
    }

    #[test]
    fn white_space_is_held_back_up_to_a_bound() {
        for (blank, expected) in
            [(64, ("x", "y".to_owned())), (65, ("", " ".repeat(65) + "<think>x</think>y"))]
        {
            let text = " ".repeat(blank) + "<think>x</think>y";
            cut_anywhere(&text, (expected.0, &expected.1));
        }
        let (mut think, mut deltas) = (Think::new(), VecDeque::new());
        for _ in 0..100 {
            think.push("\n".to_owned(), &mut deltas);
        }
        assert!(think.held.len() <= 1 && !deltas.is_empty(), "{think:?}");
    }

    #[test]
    fn many_marks_that_are_spoken_of_cost_one_reading() {
        let text = "a`</think>`(</think>)<think></think>".repeat(100_000) + "b";
        assert_eq!(read([text.as_str()]), (String::new(), text));
    }

    #[test]
    fn words_are_not_held_back() {
        let (mut think, mut deltas) = (Think::new(), VecDeque::new());
        think.push("Olá".to_owned(), &mut deltas);
        assert_eq!(deltas, [Delta::Text("Olá".to_owned())]);
    }

    proptest! {
        #[test]
        fn no_word_is_lost(pieces in prop::collection::vec(r"(<think>|</think>|<|/|th|\n|a|é| ){0,4}", 0..8)) {
            let (thinking, text) = read(pieces.iter().map(String::as_str));
            let letters = |text: &str| text.chars().filter(|c| matches!(c, 'a' | 'é')).count();
            prop_assert_eq!(letters(&thinking) + letters(&text), letters(&pieces.concat()));
            // And any other cut reads the same.
            prop_assert_eq!(read([pieces.concat().as_str()]), (thinking, text));
        }
    }
}
