//! The text of a cue: tags, character references, word times and voices, after
//! <https://www.w3.org/TR/webvtt1/#webvtt-cue-text-parsing-rules>.
//!
//! One rule differs, so that no speech is lost: a `<` that no tag can follow (`2 < 3`, `I <3 you`) is a mere sign.
//!
//! SRT has no specification; its files use the same tags, HTML's `<font>`, and marks of the format ASS (`{\an8}`).

use tusab_chunk::{MediaTime, TimeSpan};

use super::cue::{Cue, TimeMark, VoiceMark};
use super::entities::{Referent, reference};
use super::time::stamp;

/// Longest tag, in bytes: what is longer is no tag, and the bound keeps reading linear.
const LONGEST_TAG: usize = 512;

/// Which tags there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Any name makes a tag, as the specification says.
    WebVtt,
    /// Only the names that are in use make a tag: `<sighs>` is speech. Marks of ASS are no text.
    SubRip,
}

/// A cue from its text as it stands in the file; whether that text ends inside a tag.
pub(crate) fn cue(dialect: Dialect, span: TimeSpan, markup: &str) -> (Cue, bool) {
    let mut reader = Reader {
        dialect,
        span,
        text: String::with_capacity(markup.len()),
        times: Vec::new(),
        voices: Vec::new(),
        waiting: None,
        in_ruby: false,
        in_ruby_text: false,
        underlined: None,
        cut: false,
    };
    // The next `>` and `}`; looked for once, so that many a `<` without one costs nothing.
    let mut close = 0;
    let mut close_brace = 0;
    let mut at = 0;
    let is_special = |byte| match byte {
        b'<' | b'&' => true,
        b'{' => dialect == Dialect::SubRip,
        _ => false,
    };
    while let Some(rest) = markup.get(at..).filter(|rest| !rest.is_empty()) {
        let plain = rest.bytes().position(is_special).unwrap_or(rest.len());
        let (plain, special) = rest.split_at_checked(plain).unwrap_or((rest, ""));
        reader.push(plain);
        at += plain.len();
        if special.starts_with('<') && close <= at {
            close = special.find('>').map_or(usize::MAX, |close| at + close);
        }
        at += match special.bytes().next() {
            Some(b'<') => reader.tag(special, special.get(1..close.saturating_sub(at))),
            Some(b'{') => {
                if close_brace <= at {
                    close_brace = special.find('}').map_or(usize::MAX, |close| at + close);
                }
                reader.ass_mark(special, special.get(1..close_brace.saturating_sub(at)))
            }
            Some(_) => reader.reference(special),
            None => 0,
        };
    }
    let Reader { text, times, voices, underlined, cut, .. } = reader;
    (Cue::new(span, text).with_marks(times, voices).with_underlined(underlined), cut)
}

/// Tags that files of SRT use: those of HTML that players know, and those of WebVTT that converters leave in.
const TAGS: &[&str] = &["b", "i", "u", "s", "font", "span", "br", "c", "v", "lang", "ruby", "rt"];

struct Reader {
    dialect: Dialect,
    span: TimeSpan,
    text: String,
    times: Vec<TimeMark>,
    voices: Vec<VoiceMark>,
    /// A time that waits for its word.
    waiting: Option<MediaTime>,
    in_ruby: bool,
    /// Inside `<rt>`: a reading aid beside the words, which would stand between them.
    in_ruby_text: bool,
    underlined: Option<usize>,
    cut: bool,
}

impl Reader {
    fn push(&mut self, plain: &str) {
        if self.in_ruby_text {
            return;
        }
        if self.waiting.is_some()
            && let Some(word) = plain.find(|c: char| !c.is_whitespace())
            && let Some(start) = self.waiting.take()
        {
            self.times.push(TimeMark { at: self.text.len() + word, start });
        }
        self.text.push_str(plain);
    }

    /// Reads the reference, or the mere `&`, at the start of `text`; gives its length.
    fn reference(&mut self, text: &str) -> usize {
        let mut buffer = [0; 4];
        let (said, len) = match reference(text) {
            Some((Referent::Named(said), len)) => (said, len),
            Some((Referent::Number(char), len)) => (&*char.encode_utf8(&mut buffer), len),
            None => ("&", 1),
        };
        self.push(said);
        len
    }

    /// Reads the tag, or the mere `<`, at the start of `text`; gives its length. `content` is what stands between
    /// the `<` and the next `>`.
    fn tag(&mut self, text: &str, content: Option<&str>) -> usize {
        let content = content.filter(|content| content.len() <= LONGEST_TAG);
        match (content, text.as_bytes().get(1)) {
            (Some(content), Some(b'0'..=b'9')) if !content.contains(char::is_whitespace) => {
                self.time(content);
            }
            (Some(content), Some(b'/')) if self.is_tag(content) => self.end(content),
            (Some(content), Some(b'a'..=b'z' | b'A'..=b'Z')) if self.is_tag(content) => self.start(content),
            // An empty name, which the specification skips.
            (Some(_), Some(b'.' | b'>')) if self.dialect == Dialect::WebVtt => {}
            (None, _) if text.len() <= LONGEST_TAG && is_cut_tag(text) => {
                self.cut = true;
                return text.len();
            }
            _ => {
                self.push("<");
                return 1;
            }
        }
        content.map_or(0, str::len) + 2
    }

    /// Whether the content of angle brackets is a tag of this dialect.
    fn is_tag(&self, content: &str) -> bool {
        let name = content.trim_start_matches('/');
        let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        self.dialect == Dialect::WebVtt || TAGS.iter().any(|tag| name.eq_ignore_ascii_case(tag))
    }

    /// Reads the mark of ASS (`{\an8}`, `{\i1}`), or the mere `{`, at the start of `text`; gives its length.
    /// `content` is what stands between the `{` and the next `}`.
    fn ass_mark(&mut self, text: &str, content: Option<&str>) -> usize {
        if let Some(content) = content
            && text.starts_with("{\\")
            && content.len() <= LONGEST_TAG
        {
            return content.len() + "{}".len();
        }
        self.push("{");
        1
    }

    fn time(&mut self, content: &str) {
        let Some((time, "")) = stamp(content) else { return };
        let latest = self.waiting.or(self.times.last().map(|mark| mark.start)).unwrap_or(self.span.start());
        // A time outside the cue, or earlier than the word before, is not to be believed.
        if (latest..=self.span.end()).contains(&time.time) && !time.negative {
            self.waiting = Some(time.time);
        }
    }

    fn start(&mut self, content: &str) {
        let (tag, annotation) = content.split_once(char::is_whitespace).unwrap_or((content, ""));
        match tag.split('.').next() {
            Some("v") if !annotation.trim().is_empty() => self.voice(annotation),
            Some("ruby") => self.in_ruby = true,
            Some("rt") if self.in_ruby => self.in_ruby_text = true,
            Some("u") => self.underlined = Some(self.text.len()),
            Some("br" | "BR" | "br/" | "BR/") if self.dialect == Dialect::SubRip => self.push("\n"),
            _ => {}
        }
    }

    fn end(&mut self, content: &str) {
        match content.trim_start_matches('/').trim() {
            "v" if self.voices.last().is_some_and(|voice| !voice.name.is_empty()) => {
                self.voices.push(VoiceMark { at: self.text.len(), name: String::new() });
            }
            "ruby" => (self.in_ruby, self.in_ruby_text) = (false, false),
            "rt" => self.in_ruby_text = false,
            _ => {}
        }
    }

    fn voice(&mut self, annotation: &str) {
        let (name, _) = cue(self.dialect, self.span, annotation);
        let name = name.text().split_whitespace().collect::<Vec<_>>().join(" ");
        self.voices.push(VoiceMark { at: self.text.len(), name });
    }
}

/// Whether a `<` that is never closed and the rest of the cue are a tag cut short, with which no speech is lost.
fn is_cut_tag(text: &str) -> bool {
    let content = text.trim_start_matches(['<', '/']);
    let (name, annotation) = content.split_once(char::is_whitespace).unwrap_or((content, ""));
    let may_hold_words = match name.split('.').next() {
        Some("v" | "lang") => !annotation.contains('\n'),
        Some("c" | "i" | "b" | "u" | "ruby" | "rt") => !annotation.contains(char::is_alphanumeric),
        _ => false,
    };
    let is_time = content.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b':' | b'.'));
    may_hold_words || is_time || !content.contains(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(markup: &str) -> Cue {
        let span = TimeSpan::between(MediaTime::from_millis(1000), MediaTime::from_millis(9000));
        cue(Dialect::WebVtt, span, markup).0
    }

    fn words(cue: &Cue) -> Vec<(&str, Option<u64>)> {
        cue.words().map(|word| (word.text, word.start.map(MediaTime::as_millis))).collect()
    }

    #[test]
    fn each_word_has_its_time() {
        let cue = read("Sim,<00:00:02.960><c> sim,</c><00:00:03.280><c> [limpando a garganta]</c> fim");
        assert_eq!(cue.text(), "Sim, sim, [limpando a garganta] fim");
        let timed = ["Sim,", "sim,", "[limpando", "a", "garganta]", "fim"]
            .into_iter()
            .zip([1000, 2960, 3280, 3280, 3280, 3280].map(Some));
        assert_eq!(words(&cue), timed.collect::<Vec<_>>());
        assert_eq!(words(&read("sem tempos")), [("sem", None), ("tempos", None)]);
        let old =
            read("<c.colorE5E5E5>sky<00:00:02.880><c> is</c></c><c.colorCCCCCC><00:00:03.150><c> up</c></c>");
        assert_eq!(words(&old), [("sky", Some(1000)), ("is", Some(2880)), ("up", Some(3150))]);
    }

    #[test]
    fn times_that_cannot_be_are_not_believed() {
        let cue = read("a <00:10.000>b <00:03.000>c <00:02.000>d <00:0x.000>e <00:09.000>f<00:09.000>");
        let expected = [1000, 1000, 3000, 3000, 3000, 9000].map(Some);
        assert_eq!(cue.words().map(|w| w.start.map(MediaTime::as_millis)).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn voices_are_data_and_not_words() {
        let cue = read("<v.loud  Maria   Ant&ocirc;nia>Bom dia.</v>\n<v João>Boa <i>noite</i>.");
        assert_eq!(cue.text(), "Bom dia.\nBoa noite.");
        assert_eq!(cue.voice(), Some("Maria Antônia"));
        let said: Vec<_> = cue.voices().collect();
        assert_eq!(said, [(Some("Maria Antônia"), "Bom dia."), (Some("João"), "Boa noite.")]);
        assert_eq!(
            read("um <v Ana>dois</v> três").voices().map(|(name, _)| name).collect::<Vec<_>>(),
            [None, Some("Ana"), None]
        );
        assert_eq!(read("<v>ninguém").voice(), None);
    }

    #[test]
    fn tags_go_and_speech_stays() {
        for (markup, text) in [
            ("<i>a</i><b.x>b</b><font color=\"#fff\">c</font><lang pt>d</lang>", "abcd"),
            ("<ruby>漢<rt>kan</rt>字<rt>ji</rt></ruby>です", "漢字です"),
            ("<rt>fora de ruby", "fora de ruby"),
            ("<c></\nc>x", "x"),
            ("<>a</>b<.c>c", "abc"),
            ("2 < 3 e 5 > 4", "2 < 3 e 5 > 4"),
            ("I <3 you", "I <3 you"),
            ("I <3 you > all", "I <3 you > all"),
            ("a <b", "a "),
            ("a <b c d", "a <b c d"),
            ("a <c.colorE5", "a "),
            ("a </", "a "),
            ("a <v Mar", "a "),
            ("a <00:00:0", "a "),
            ("a <", "a "),
            ("if a<b then\nc", "if a<b then\nc"),
            ("&lt;i>", "<i>"),
            ("&amp;nbsp;", "&nbsp;"),
            ("AT&T & R&D", "AT&T & R&D"),
        ] {
            assert_eq!(read(markup).text(), text, "{markup:?}");
        }
    }

    #[test]
    fn the_tags_of_srt() {
        let span = TimeSpan::between(MediaTime::from_millis(1000), MediaTime::from_millis(9000));
        for (markup, text) in [
            ("<font face=\"Georgia\" color=\"#fefcff\"><B>{\\an8}Além</B></font>", "Além"),
            ("{\\pos(192,210)\\fad(1,2)}placa {\\i1}aqui{\\i0}", "placa aqui"),
            ("{nota} e {\\sem fim", "{nota} e {\\sem fim"),
            ("<suspira> <i>não</i> <Ana@casa>", "<suspira> não <Ana@casa>"),
            ("um<br/>dois<BR>três</br>", "um\ndois\ntrês"),
            ("<3 <> </> </x>", "<3 <> </> </x>"),
            ("Tom &amp; Jerry &lt;3", "Tom & Jerry <3"),
            ("a <i", "a "),
        ] {
            assert_eq!(cue(Dialect::SubRip, span, markup).0.text(), text, "{markup:?}");
        }
        let timed = cue(Dialect::SubRip, span, "a<00:00:02.000><c> b</c>").0;
        assert_eq!(words(&timed), [("a", Some(1000)), ("b", Some(2000))]);
        assert_eq!(cue(Dialect::SubRip, span, &"{\\".repeat(200_000)).0.text().len(), 400_000);
    }

    #[test]
    fn ten_thousand_open_brackets_cost_no_more_than_their_number() {
        let hostile = "<".repeat(200_000) + &"<1".repeat(200_000) + ">";
        assert_eq!(read(&hostile).text().len(), hostile.len() - "<1>".len() - (LONGEST_TAG / 2 - 1) * 2);
    }
}
