//! The verdict on each sentence.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use tusab_chunk::{Language, TextSpan};
use tusab_index::{StemmedWord, detect_language, is_stopword, stemmed_words};
use tusab_rerank::Reranker;

use super::super::claim::{Sentence, sentences};
use super::super::mark::{Mark, SourceNumber, marks};
use super::super::name::names;
use super::super::number::{Number, numbers};
use super::passages::{Everything, Passage, Window};
use super::{Flag, Quote, SentenceSupport, Spans, Support, Verdict};
use crate::Citation;

/// A sentence of which this part of the content words stands together in a source is said there.
const SUPPORTED: f32 = 0.6;

/// A sentence of which less than this part does is not.
const PARTLY: f32 = 0.35;

/// Another source than the marked ones is named when it holds this much more of the sentence.
const MUCH_MORE: f32 = 0.3;

/// Score of a cross-encoder from which on it takes a passage to answer: a probability of one half.
const RELEVANT: f32 = 0.0;

/// The answer as the check reads it.
struct Answer<'a> {
    text: &'a str,
    language: Option<Language>,
    /// Its words, stemmed in its own language.
    words: Vec<StemmedWord>,
    marks: Vec<Mark>,
    numbers: Vec<Number>,
    /// The stems of its words in the languages of the sources.
    stems: HashMap<String, Vec<StemmedWord>>,
}

pub(super) fn support(text: &str, sources: &[Citation], reranker: Option<&dyn Reranker>) -> Support {
    let mut everything = Everything::default();
    let passages: Vec<Passage<'_>> =
        sources.iter().map(|source| Passage::read(source, &mut everything)).collect();
    let answer = Answer::read(text, &passages);
    let mut spans = Spans::of(text);
    let judged = |sentence: Sentence| {
        let span = spans.span(&sentence.bytes)?;
        Some(answer.judge(&sentence, span, spans, &passages, &everything, reranker))
    };
    let sentences = sentences(text, &answer.marks).into_iter().filter_map(judged).collect();
    let wrong = answer.marks.iter().filter(|mark| mark.is_wrong);
    let wrong_marks = wrong.filter_map(|mark| text.get(mark.bytes.clone())).map(str::to_owned).collect();
    Support { sentences, wrong_marks }
}

impl<'a> Answer<'a> {
    fn read(text: &'a str, passages: &[Passage<'_>]) -> Self {
        let language = detect_language(text);
        let words = stemmed_words(text, language.as_ref());
        let mut stems = HashMap::new();
        for passage in passages {
            let code = code(passage.language.as_ref());
            stems.entry(code.to_owned()).or_insert_with(|| stemmed_words(text, passage.language.as_ref()));
        }
        let numbers = numbers(text, &words, code(language.as_ref()));
        Self { text, marks: marks(text, passages.len()), language, words, numbers, stems }
    }

    fn judge(
        &self,
        sentence: &Sentence,
        span: TextSpan,
        spans: Spans<'_>,
        passages: &[Passage<'_>],
        everything: &Everything,
        reranker: Option<&dyn Reranker>,
    ) -> SentenceSupport {
        let cited = self.cited(&sentence.bytes);
        if !sentence.is_claim {
            return SentenceSupport {
                span,
                verdict: Verdict::NoClaim,
                held: 0.0,
                cited,
                quotes: Vec::new(),
                flags: Vec::new(),
            };
        }
        let windows: Vec<Option<(Window, f32)>> =
            passages.iter().map(|passage| self.window(&sentence.bytes, passage)).collect();
        let mut resting: Vec<SourceNumber> = cited.clone();
        let best = best(&windows);
        if resting.is_empty() {
            resting.extend(best);
        }
        let held = self.held(&sentence.bytes, &resting, &windows);
        let mut verdict = match held {
            held if held >= SUPPORTED => Verdict::Supported,
            held if held >= PARTLY => Verdict::Partly,
            _ => Verdict::Unsupported,
        };
        let mut flags = self.flags(&sentence.bytes, spans, passages, everything);
        if let Some(other) = best.filter(|best| !resting.contains(best))
            && share(&windows, other) >= SUPPORTED.max(held + MUCH_MORE)
        {
            flags.push(Flag::OtherSource { source: other });
        }
        if verdict != Verdict::Supported {
            let is_other_language = resting.iter().any(|source| self.is_other_language(*source, passages))
                || (resting.is_empty() && self.are_all_other_languages(passages));
            if is_other_language {
                verdict = Verdict::OtherLanguage;
            } else if let Some(reranker) = reranker
                && self.reads_as_answered(&sentence.bytes, &resting, passages, &windows, reranker)
            {
                verdict = if verdict == Verdict::Partly { Verdict::Supported } else { Verdict::Partly };
            }
        }
        // What stands nowhere is not supported by the words around it.
        if verdict == Verdict::Supported && !flags.is_empty() {
            verdict = Verdict::Partly;
        }
        let mut quotes: Vec<(f32, Quote)> =
            resting.iter().filter_map(|source| quote(*source, passages, &windows)).collect();
        quotes.sort_by(|a, b| b.0.total_cmp(&a.0));
        let quotes = quotes.into_iter().map(|(_, quote)| quote).collect();
        SentenceSupport { span, verdict, held, cited, quotes, flags }
    }

    /// The sources that the marks of a sentence name.
    fn cited(&self, sentence: &Range<usize>) -> Vec<SourceNumber> {
        let mut cited = Vec::new();
        for mark in inside(&self.marks, sentence, |mark| &mark.bytes) {
            for source in &mark.sources {
                if !cited.contains(source) {
                    cited.push(*source);
                }
            }
        }
        cited
    }

    /// The words of a sentence that say something, by the language in which they are stemmed; those of marks are left out.
    fn content<'w>(&self, words: &'w [StemmedWord], sentence: &Range<usize>) -> Vec<&'w str> {
        let mut stems: Vec<&str> = inside(words, sentence, |word| &word.bytes)
            .filter(|word| !is_stopword(&word.token) && !self.is_in_mark(&word.bytes))
            .map(|word| word.stem.as_str())
            .collect();
        stems.sort_unstable();
        stems.dedup();
        stems
    }

    fn is_in_mark(&self, bytes: &Range<usize>) -> bool {
        let at = self.marks.partition_point(|mark| mark.bytes.end <= bytes.start);
        self.marks.get(at).is_some_and(|mark| mark.bytes.start <= bytes.start)
    }

    /// Where a passage says most of a sentence, and the part of its words that it says there.
    #[allow(clippy::cast_precision_loss, reason = "counts of words are small")]
    fn window(&self, sentence: &Range<usize>, passage: &Passage<'_>) -> Option<(Window, f32)> {
        let words = self.stems.get(code(passage.language.as_ref()))?;
        let stems = self.content(words, sentence);
        let window = passage.best_window(&stems)?;
        let share = window.words.len() as f32 / stems.len() as f32;
        Some((window, share))
    }

    /// The part of a sentence's words that some sources say together. Those of one language are put together; sources in
    /// several are looked at one by one.
    #[allow(clippy::cast_precision_loss, reason = "counts of words are small")]
    fn held(
        &self,
        sentence: &Range<usize>,
        sources: &[SourceNumber],
        windows: &[Option<(Window, f32)>],
    ) -> f32 {
        let mut together: BTreeSet<usize> = BTreeSet::new();
        let mut most: f32 = 0.0;
        for (window, share) in sources.iter().filter_map(|source| windows.get(source.index())?.as_ref()) {
            most = most.max(*share);
            together.extend(window.words.iter().copied());
        }
        let is_one_language = self.stems.len() == 1;
        let count = self.stems.values().next().map_or(0, |words| self.content(words, sentence).len());
        if is_one_language && count > 0 { together.len() as f32 / count as f32 } else { most }
    }

    fn is_other_language(&self, source: SourceNumber, passages: &[Passage<'_>]) -> bool {
        let source = passages.get(source.index()).and_then(|passage| passage.language.as_ref());
        source
            .zip(self.language.as_ref())
            .is_some_and(|(source, answer)| source.primary() != answer.primary())
    }

    fn are_all_other_languages(&self, passages: &[Passage<'_>]) -> bool {
        let mut sources = (0..passages.len()).map(SourceNumber::of_index);
        !passages.is_empty() && sources.all(|source| self.is_other_language(source, passages))
    }

    /// True when the cross-encoder takes what the sources say for an answer to the sentence.
    fn reads_as_answered(
        &self,
        sentence: &Range<usize>,
        sources: &[SourceNumber],
        passages: &[Passage<'_>],
        windows: &[Option<(Window, f32)>],
        reranker: &dyn Reranker,
    ) -> bool {
        let text = self.text.get(sentence.clone()).unwrap_or_default();
        let said: Vec<&str> = sources
            .iter()
            .filter_map(|source| {
                let (window, _) = windows.get(source.index())?.as_ref()?;
                passages.get(source.index())?.text.get(window.bytes.clone())
            })
            .collect();
        !said.is_empty()
            && reranker.scores(text, &said).is_ok_and(|scores| scores.iter().any(|score| *score >= RELEVANT))
    }

    /// The numbers and names of a sentence that no source says.
    fn flags(
        &self,
        sentence: &Range<usize>,
        spans: Spans<'_>,
        passages: &[Passage<'_>],
        everything: &Everything,
    ) -> Vec<Flag> {
        let mut flags = Vec::new();
        let shown = |mut spans: Spans<'_>, bytes: &Range<usize>| {
            Some((spans.span(bytes)?, self.text.get(bytes.clone())?.to_owned()))
        };
        for number in inside(&self.numbers, sentence, |number| &number.bytes) {
            if !self.is_in_mark(&number.bytes)
                && !everything.numbers.holds(number)
                && let Some((span, text)) = shown(spans, &number.bytes)
            {
                flags.push(Flag::Number { span, text });
            }
        }
        let is_other_language = self.are_all_other_languages(passages);
        let first = self.words.partition_point(|word| word.bytes.start < sentence.start);
        let last = self.words.partition_point(|word| word.bytes.start < sentence.end);
        for name in names(self.text, &self.words, first..last, code(self.language.as_ref())) {
            let is_said = |word: &usize| {
                self.words.get(*word).is_none_or(|word| everything.says(word, is_other_language))
            };
            if !self.is_in_mark(&name.bytes)
                && !name.words.iter().all(is_said)
                && let Some((span, text)) = shown(spans, &name.bytes)
            {
                flags.push(Flag::Name { span, text });
            }
        }
        flags
    }
}

/// Those of some parts of a text, in its order, that begin in a range.
fn inside<'p, T>(
    parts: &'p [T],
    range: &Range<usize>,
    bytes: impl Fn(&T) -> &Range<usize> + Copy,
) -> impl Iterator<Item = &'p T> {
    let from = parts.partition_point(|part| bytes(part).start < range.start);
    let to = parts.partition_point(|part| bytes(part).start < range.end);
    parts.get(from..to).unwrap_or_default().iter()
}

/// The source that says most; of several, the first.
fn best(windows: &[Option<(Window, f32)>]) -> Option<SourceNumber> {
    let mut best: Option<(usize, f32)> = None;
    for (index, window) in windows.iter().enumerate() {
        if let Some((_, share)) = window
            && best.is_none_or(|(_, most)| *share > most)
        {
            best = Some((index, *share));
        }
    }
    best.map(|(index, _)| SourceNumber::of_index(index))
}

fn share(windows: &[Option<(Window, f32)>], source: SourceNumber) -> f32 {
    windows.get(source.index()).and_then(Option::as_ref).map_or(0.0, |(_, share)| *share)
}

fn quote(
    source: SourceNumber,
    passages: &[Passage<'_>],
    windows: &[Option<(Window, f32)>],
) -> Option<(f32, Quote)> {
    let (window, share) = windows.get(source.index())?.as_ref()?;
    let text = passages.get(source.index())?.text;
    let span = Spans::of(text).span(&window.bytes)?;
    Some((*share, Quote { source, span, text: span.slice(text)?.to_owned() }))
}

fn code(language: Option<&Language>) -> &str {
    language.map_or("", Language::primary)
}
