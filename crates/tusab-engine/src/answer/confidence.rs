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
    held_over_rest: f32,
}

/// Weights of what a cross-encoder says of a language: its logits mean one thing where it knows the language, and another
/// where it spells the words and sees little but that they are the same.
struct Language {
    constant: f32,
    closely: f32,
}

// Fitted to six collections in two languages by `scripts/confidence.py`; see `docs/confidence.md`.

/// Where there are words alone.
const BY_WORDS: Words =
    Words { constant: -48.77, score: 57.65, phrases: 24.57, lead_over_rest: 11.93, held_over_rest: 50.63 };

/// Where a cross-encoder has its say too.
const BESIDE_READING: Words =
    Words { constant: -20.49, score: 13.24, phrases: 10.63, lead_over_rest: 33.18, held_over_rest: 19.53 };

const KNOWN: Language = Language { constant: -0.678, closely: 0.306 };
const SPELLED: Language = Language { constant: -3.430, closely: 0.541 };

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

/// Words up to which all can be told of a question that can be.
const TELLING: f32 = 7.0;

#[allow(clippy::cast_precision_loss, reason = "words of a question are few")]
impl Words {
    fn logit(&self, evidence: &Evidence) -> f32 {
        let sum = self.constant
            + self.score * evidence.score
            + self.phrases * evidence.phrases
            + self.lead_over_rest * evidence.lead_over_rest
            + self.held_over_rest * evidence.held_over_rest;
        sum / (1.0 + evidence.words as f32).powf(LENGTH)
    }
}

impl Language {
    fn logit(&self, reading: &Reading) -> f32 {
        self.constant + self.closely * reading.closely
    }
}

/// How much can be told of a question, from 0 to 1.
#[allow(clippy::cast_precision_loss, reason = "words of a question are few")]
fn telling(evidence: &Evidence) -> f32 {
    ((1.0 + TELLING) / (1.0 + evidence.words as f32)).min(1.0).powi(2)
}

fn enough(evidence: &Evidence) -> Confidence {
    let line = ENOUGH_OF_LONG + (ENOUGH - ENOUGH_OF_LONG) * telling(evidence);
    Confidence(if evidence.is_speech { line.min(ENOUGH_OF_SPEECH) } else { line })
}

fn confidence(evidence: &Evidence) -> Confidence {
    let logit = match &evidence.reading {
        None => BY_WORDS.logit(evidence),
        Some(reading) => {
            let known = reading.known() * telling(evidence);
            let spelled = reading.spelled() * (telling(evidence) - known);
            BESIDE_READING.logit(evidence) + known * KNOWN.logit(reading) + spelled * SPELLED.logit(reading)
        }
    };
    let probability = OUTLIERS + (1.0 - 2.0 * OUTLIERS) / (1.0 + (-logit).exp());
    Confidence(if probability.is_finite() { probability.clamp(0.0, 1.0) } else { 0.5 })
}
