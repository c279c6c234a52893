//! How likely it is that the answer to a question is among the passages found.

use serde::{Serialize, Serializer};

use super::evidence::Evidence;
use crate::{Found, NoContext};

/// A probability from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct Confidence(f32);

impl Confidence {
    /// Nothing speaks for it.
    pub const NONE: Self = Self(0.0);

    /// From here on there is context. A little under one half, which is what comes out where nothing can be told: then the
    /// sources are shown.
    pub const ENOUGH: Self = Self(0.48);

    /// From here on there is context where the best passage is of a recording. People ask in other words than were said,
    /// so that the right passage, too, holds few of the question's words and less can be told: the sources are shown
    /// unless more speaks against them.
    pub const ENOUGH_OF_SPEECH: Self = Self(0.38);

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
        let evidence = Evidence::of(question, found);
        if found.hits.is_empty() {
            return Self { confidence: Confidence::NONE, no_context: Some(NoContext::NoMatch), evidence };
        }
        let enough = if evidence.is_speech { Confidence::ENOUGH_OF_SPEECH } else { Confidence::ENOUGH };
        let mut confidence = confidence(&evidence);
        // A retriever that does not say what it searched for gives nothing to judge by.
        if evidence.is_literal || evidence.words == 0 {
            confidence = Confidence(confidence.0.max(Confidence::ENOUGH.0));
        }
        let no_context = (confidence < enough).then_some(NoContext::LowConfidence);
        Self { confidence, no_context, evidence }
    }
}

/// A logistic regression over the evidence.
///
/// Everything that words say is divided by a power of the number of the question's words: of a long letter even the right
/// passage holds only a little, so that what is held tells less the longer the question is. A question of which nothing can
/// be told comes out as likely as not.
struct Policy {
    constant: f32,
    score: f32,
    phrases: f32,
    lead_over_rest: f32,
    held_over_rest: f32,
}

/// How fast what words say loses its weight with the length of the question.
const LENGTH: f32 = 1.5;

/// Fitted to six collections in two languages by `scripts/confidence.py`; see `docs/confidence.md`. The same for Narrow and
/// Broad Search: what a cross-encoder says is on another scale in each language and collection, and a fit that takes it in
/// does worse on a collection that it has not seen.
const POLICY: Policy =
    Policy { constant: -25.20, score: 4.12, phrases: 20.85, lead_over_rest: 19.72, held_over_rest: 28.50 };

impl Policy {
    #[allow(clippy::cast_precision_loss, reason = "words of a question are few")]
    fn logit(&self, evidence: &Evidence) -> f32 {
        let sum = self.constant
            + self.score * evidence.score
            + self.phrases * evidence.phrases
            + self.lead_over_rest * evidence.lead_over_rest
            + self.held_over_rest * evidence.held_over_rest;
        sum / (1.0 + evidence.words as f32).powf(LENGTH)
    }
}

fn confidence(evidence: &Evidence) -> Confidence {
    let logit = POLICY.logit(evidence);
    let probability = 1.0 / (1.0 + (-logit).exp());
    Confidence(if probability.is_finite() { probability.clamp(0.0, 1.0) } else { 0.5 })
}
