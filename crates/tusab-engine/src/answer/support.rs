//! What of an answer stands in its sources.

mod judge;
mod passages;

use std::ops::Range;

use serde::Serialize;
use tusab_chunk::{ByteOffset, CharOffset, TextSpan};
use tusab_rerank::Reranker;

use super::mark::{Mark, marks, without_wrong};
use super::{Citation, SourceNumber};

/// What of an answer stands in its sources, sentence by sentence.
///
/// It is made of the texts alone, so that it is the same for an answer that was streamed and for one that came whole. It
/// says what a person should look at twice; it proves nothing: words that stand in a source can be put together wrongly.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Support {
    /// The sentences of the answer, in their order.
    pub sentences: Vec<SentenceSupport>,
    /// Marks that lead to no source, as they were written; they are taken out of the text.
    pub wrong_marks: Vec<String>,
}

/// What of a sentence stands in the sources.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SentenceSupport {
    /// Where it stands in the answer, its marks included.
    pub span: TextSpan,
    /// How far the sources say it.
    pub verdict: Verdict,
    /// The part of its content words, other forms of them counted, that stand together in a source: 0 to 1.
    pub held: f32,
    /// The sources that its marks name; none when it has no mark.
    pub cited: Vec<SourceNumber>,
    /// Where in the sources it stands, best first: in those that its marks name, or in the one that says it best.
    pub quotes: Vec<Quote>,
    /// What in it stands in no source, or is marked with the wrong one.
    pub flags: Vec<Flag>,
}

/// How far the sources say a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// They say it: most of its words stand together, and all of its numbers and names stand there.
    Supported,
    /// They say a part of it, or say it in other words.
    Partly,
    /// They do not say it.
    Unsupported,
    /// They are in another language, so that words tell nothing; numbers and names are looked for all the same.
    OtherLanguage,
    /// It claims nothing: a heading, a question, the introduction of a list, code.
    NoClaim,
}

/// A part of a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Quote {
    /// Which source.
    pub source: SourceNumber,
    /// Where it stands in the text of the [`Citation`].
    pub span: TextSpan,
    /// What it says, as the source has it.
    pub text: String,
}

/// Something in a sentence that a person should look at twice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Flag {
    /// A number that no source says, in whatever form it is written.
    Number {
        /// Where it stands in the answer.
        span: TextSpan,
        /// As the answer writes it.
        text: String,
    },
    /// A name that no source says.
    Name {
        /// Where it stands in the answer.
        span: TextSpan,
        /// As the answer writes it.
        text: String,
    },
    /// The marked sources do not say it, and another one does.
    OtherSource {
        /// The one that does.
        source: SourceNumber,
    },
}

impl Support {
    /// Checks an answer against its sources, in the order in which its marks count them.
    ///
    /// A `reranker` reads what words alone do not find; it can lift a sentence by one verdict, and what fails in it only
    /// leaves the words to tell.
    #[must_use]
    pub fn of(answer: &str, sources: &[Citation], reranker: Option<&dyn Reranker>) -> Self {
        judge::support(answer, sources, reranker)
    }

    /// True when nothing in the answer asks for a second look.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.wrong_marks.is_empty()
            && self.sentences.iter().all(|sentence| {
                sentence.flags.is_empty()
                    && !matches!(sentence.verdict, Verdict::Unsupported | Verdict::Partly)
            })
    }

    /// Everything flagged, in the order of the answer.
    pub fn flags(&self) -> impl Iterator<Item = &Flag> {
        self.sentences.iter().flat_map(|sentence| &sentence.flags)
    }

    /// The sentences that rest on a source, by their place among [`sentences`](Self::sentences).
    pub(crate) fn resting_on(&self, source: SourceNumber) -> Vec<usize> {
        let rests = |sentence: &SentenceSupport| sentence.quotes.iter().any(|quote| quote.source == source);
        (0..).zip(&self.sentences).filter(|(_, sentence)| rests(sentence)).map(|(at, _)| at).collect()
    }
}

/// An answer without the marks that lead to no source, and what of it stands in its sources. Offsets are those of the
/// returned text; each source learns which sentences rest on it.
pub(crate) fn checked(
    answer: &str,
    sources: &mut [Citation],
    reranker: Option<&dyn Reranker>,
) -> (String, Support) {
    let mut wrong = marks(answer, sources.len());
    wrong.retain(|mark| mark.is_wrong && !is_quoted(answer, mark, sources));
    let (text, removed) = without_wrong(answer, &wrong);
    let mut support = Support::of(&text, sources, reranker);
    support.wrong_marks = removed;
    for (index, source) in sources.iter_mut().enumerate() {
        source.supports = support.resting_on(SourceNumber::of_index(index));
    }
    (text, support)
}

/// True for brackets that the answer has quoted from a source.
fn is_quoted(answer: &str, mark: &Mark, sources: &[Citation]) -> bool {
    let before = answer.get(..mark.bytes.start).unwrap_or_default();
    let opened = before.rfind(['“', '«']);
    let is_open = opened.is_some_and(|at| !before.get(at..).unwrap_or_default().contains(['”', '»']));
    let brackets = answer.get(mark.bytes.clone()).unwrap_or_default();
    is_open && sources.iter().any(|source| source.text.contains(brackets))
}

/// Counts characters up to places of a text that come in their order.
#[derive(Clone, Copy)]
struct Spans<'t> {
    text: &'t str,
    byte: usize,
    char: usize,
}

impl<'t> Spans<'t> {
    fn of(text: &'t str) -> Self {
        Self { text, byte: 0, char: 0 }
    }

    /// The span of some bytes; `None` for what is no part of the text.
    fn span(&mut self, bytes: &Range<usize>) -> Option<TextSpan> {
        if bytes.start < self.byte {
            (self.byte, self.char) = (0, 0);
        }
        let start = self.char + self.text.get(self.byte..bytes.start)?.chars().count();
        let end = start + self.text.get(bytes.clone())?.chars().count();
        (self.byte, self.char) = (bytes.start, start);
        let bytes = (ByteOffset(bytes.start), ByteOffset(bytes.end));
        TextSpan::new(bytes, (CharOffset(start), CharOffset(end))).ok()
    }
}
