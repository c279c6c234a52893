//! How likely it is that the answer to a question is among the passages found.

use serde::{Serialize, Serializer};

use tusab_rerank::Reranker;

use super::evidence::Evidence;
use super::reading::Reading;
use crate::{Found, NoContext};

/// A probability from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct Confidence(f32);

impl Confidence {
    /// Nothing speaks for it.
    pub const NONE: Self = Self(0.0);

    /// A probability; `None` for what is none.
    #[must_use]
    pub fn new(probability: f32) -> Option<Self> {
        (0.0..=1.0).contains(&probability).then_some(Self(probability))
    }

    /// As a number from 0 to 1.
    #[must_use]
    pub fn get(self) -> f32 {
        self.0
    }
}

impl Serialize for Confidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Three digits: no more is known, and an f32 written as an f64 would show sixteen.
        serializer.serialize_f64((f64::from(self.0) * 1e3).round() / 1e3)
    }
}

/// Whether what a search found answers the question.
///
/// ```
/// use tusab_engine::{Assessment, Found, NoContext};
/// let assessment = Assessment::of("quantas horas de sol?", &Found::default());
/// assert_eq!(assessment.no_context, Some(NoContext::NoMatch));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Assessment {
    /// How likely the answer is among the passages, when as many questions have one as have none.
    pub confidence: Confidence,
    /// From here on there is context. The line is a little above one half for a short question; below it for a long one and
    /// for what was said in a recording, where little can be told: then the sources are shown.
    pub enough: Confidence,
    /// Why there is no context; `None` when there is.
    pub no_context: Option<NoContext>,
    /// What the confidence rests on.
    pub evidence: Evidence,
}

impl Assessment {
    /// Judges what a search found for a question. What holds the whole question word for word, or has it for a title, is
    /// always context.
    #[must_use]
    pub fn of(question: &str, found: &Found) -> Self {
        Self::by(Evidence::of(question, found), found)
    }

    /// The same, with a cross-encoder that reads the first passage of a Broad Search once more, a few sentences at a time:
    /// one that has read a passage of the topic is easily pleased, and the sentence that answers stands out. What fails in
    /// it leaves the words to tell.
    #[must_use]
    pub fn read(question: &str, found: &Found, reranker: &dyn Reranker) -> Self {
        let reading = Reading::of(question, found, reranker);
        Self::by(Evidence { reading, ..Evidence::of(question, found) }, found)
    }

    fn by(evidence: Evidence, found: &Found) -> Self {
        let enough = enough(&evidence);
        if found.hits.is_empty() {
            let no_context = Some(NoContext::NoMatch);
            return Self { confidence: Confidence::NONE, enough, no_context, evidence };
        }
        let mut confidence = confidence(&evidence);
        // A retriever that does not say what it searched for gives nothing to judge by.
        if evidence.is_literal || evidence.words == 0 {
            confidence = Confidence(confidence.0.max(enough.0));
        }
        let no_context = (confidence < enough).then_some(NoContext::LowConfidence);
        Self { confidence, enough, no_context, evidence }
    }
}

/// Weights of what words say.
///
/// All of it is divided by a power of the number of the question's words: of a long letter even the right passage holds
/// only a little, so that what is held tells less the longer the question is. A question of which nothing can be told
/// comes out as likely as not.
struct Words {
    constant: f32,
    score: f32,
    phrases: f32,
    lead_over_rest: f32,
}

/// Weights of what a cross-encoder says of a language: its logits mean one thing where it knows the language, and another
/// where it spells the words and sees little but that they are the same.
struct Language {
    constant: f32,
    closely: f32,
}

// Fitted to six judged collections in two languages by `scripts/confidence.py`, the cross-encoder being
// ms-marco-MiniLM-L-12-v2, quantised; how, and how well it holds for collections left out, is in `docs/confidence.md`.

/// Where there are words alone.
const BY_WORDS: Words = Words { constant: -48.77, score: 57.65, phrases: 24.57, lead_over_rest: 11.93 };

/// Weight of how much more of the question the best passage holds than the others, where there are words alone; divided
/// as the other words are.
const HELD_BY_WORDS: f32 = 50.63;

/// Where a cross-encoder has its say too.
const BESIDE_READING: Words = Words { constant: -12.75, score: 21.54, phrases: 8.854, lead_over_rest: 3.893 };

/// Weight of how much more of the question the best passage holds, beside a reading. It is a difference between passages
/// of one question, and so tells as much of one of ten words as of one of three.
const HELD_BESIDE_READING: f32 = 3.069;

const KNOWN: Language = Language { constant: -1.499, closely: 0.181 };
const SPELLED: Language = Language { constant: -3.794, closely: 0.432 };

/// Weight of how far the cross-encoder likes the first passage more than the others: a difference between logits for one
/// question, and so of one weight in any language. Fitted apart for each it told less of a collection left out.
const OVER_REST: f32 = 0.175;

/// How fast what words say loses its weight with the length of the question.
const LENGTH: f32 = 1.5;

/// Of the questions, the part that goes against all that is known of them: the answer is in other words, or another
/// passage has the same ones. So no probability is below this, and none above one less this.
const OUTLIERS: f32 = 0.1;

/// From this on there is context for a short question.
const ENOUGH: f32 = 0.52;

/// And for one of which nothing can be told, so that it comes out near one half: then the sources are shown.
const ENOUGH_OF_LONG: f32 = 0.44;

/// And where the best passage is of a recording. People ask in other words than were said, so that the right passage, too,
/// holds few of the question's words and less can be told: the sources are shown unless more speaks against them.
const ENOUGH_OF_SPEECH: f32 = 0.34;

/// Up to how many words all can be told of a question, and how fast less can be told of a longer one.
struct Telling {
    words: f32,
    power: i32,
}

const TELLING_BY_WORDS: Telling = Telling { words: 7.0, power: 2 };
const TELLING_BY_READING: Telling = Telling { words: 10.0, power: 3 };

impl Words {
    fn logit(&self, evidence: &Evidence) -> f32 {
        let sum = self.constant
            + self.score * evidence.score
            + self.phrases * evidence.phrases
            + self.lead_over_rest * evidence.lead_over_rest;
        sum * per_word(evidence)
    }
}

impl Language {
    fn logit(&self, reading: &Reading) -> f32 {
        self.constant + self.closely * reading.closely
    }
}

#[allow(clippy::cast_precision_loss, reason = "words of a question are few")]
fn per_word(evidence: &Evidence) -> f32 {
    (1.0 + evidence.words as f32).powf(-LENGTH)
}

/// How much can be told of a question, from 0 to 1.
#[allow(clippy::cast_precision_loss, reason = "words of a question are few")]
fn telling(evidence: &Evidence) -> f32 {
    let Telling { words, power } =
        if evidence.reading.is_some() { TELLING_BY_READING } else { TELLING_BY_WORDS };
    ((1.0 + words) / (1.0 + evidence.words as f32)).min(1.0).powi(power)
}

fn enough(evidence: &Evidence) -> Confidence {
    let line = ENOUGH_OF_LONG + (ENOUGH - ENOUGH_OF_LONG) * telling(evidence);
    Confidence(if evidence.is_speech { line.min(ENOUGH_OF_SPEECH) } else { line })
}

fn confidence(evidence: &Evidence) -> Confidence {
    let logit = match &evidence.reading {
        None => BY_WORDS.logit(evidence) + HELD_BY_WORDS * evidence.held_over_rest * per_word(evidence),
        Some(reading) => {
            let telling = telling(evidence);
            let known = reading.known() * telling;
            let spelled = reading.spelled() * (telling - known);
            BESIDE_READING.logit(evidence)
                + telling * HELD_BESIDE_READING * evidence.held_over_rest
                + known * KNOWN.logit(reading)
                + spelled * SPELLED.logit(reading)
                + (known + spelled) * OVER_REST * reading.over_rest
        }
    };
    let probability = OUTLIERS + (1.0 - 2.0 * OUTLIERS) / (1.0 + (-logit).exp());
    Confidence(if probability.is_finite() { probability.clamp(0.0, 1.0) } else { 0.5 })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Evidence = Evidence {
        words: 4,
        score: 0.45,
        held: 0.8,
        phrases: 0.3,
        lead_over_rest: 0.4,
        held_over_rest: 0.35,
        is_literal: false,
        is_speech: false,
        reading: None,
    };
    const LONG: Evidence =
        Evidence { words: 29, score: 0.3, phrases: 0.2, lead_over_rest: 0.3, held_over_rest: 0.2, ..SHORT };

    /// The values are from `scripts/confidence.py`'s formula, worked out apart from this code.
    #[test]
    fn the_policy_is_the_one_that_was_fitted() {
        let close = |evidence: Evidence, expected: f32| {
            let confidence = confidence(&evidence).get();
            assert!((confidence - expected).abs() < 2e-4, "{evidence:?}: {confidence}, not {expected}");
        };
        close(SHORT, 0.6219);
        close(LONG, 0.4844);
        for (trust, words, closely, over_rest, expected) in [
            (1.0, SHORT, 5.0, 4.0, 0.7264),
            (1.0, SHORT, 5.0, 0.0, 0.6135),
            (1.0, SHORT, -2.0, 4.0, 0.5033),
            (1.0, LONG, 5.0, 4.0, 0.5030),
            (0.6, SHORT, 5.0, 4.0, 0.6457),
            (0.2, SHORT, 5.0, 4.0, 0.5485),
            (0.2, SHORT, 5.0, 0.0, 0.4103),
            (0.2, LONG, -2.0, 4.0, 0.4631),
            // A model that spells, and has read half of the question, has no say.
            (0.1, SHORT, 5.0, 4.0, 0.7116),
            (0.1, SHORT, -2.0, 0.0, 0.7116),
        ] {
            let reading = Some(Reading { first: closely, closely, over_rest, trust });
            close(Evidence { reading, ..words }, expected);
        }
    }

    #[test]
    fn what_is_no_number_leaves_nothing_told() {
        for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let reading = Some(Reading { first: odd, closely: odd, over_rest: odd, trust: 1.0 });
            let confidence = confidence(&Evidence { reading, ..SHORT }).get();
            assert!((0.1..=0.9).contains(&confidence), "{odd}: {confidence}");
        }
    }
}
