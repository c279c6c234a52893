use std::num::NonZeroUsize;

/// How phrases are chosen among the candidates, given each one's similarity to the text.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Selection {
    /// Maximal marginal relevance (Carbonell and Goldstein 1998): one after the other, the phrase with the most of
    /// `(1 - diversity) × similarity to the text - diversity × similarity to the nearest one chosen before`.
    MarginalRelevance {
        /// From 0, the most similar ones, to 1, the most different ones.
        diversity: f32,
    },
    /// Max Sum: of the `pool` most similar ones, those that are the least similar to each other in sum. The work grows
    /// with the number of ways to choose; where those are more than a million, the pool is taken smaller.
    MaxSum {
        /// How many candidates take part.
        pool: NonZeroUsize,
    },
}

/// Which candidates for key phrases are left out before any is compared with the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum PhraseFilter {
    /// None, as in KeyBERT with `stop_words=None`.
    #[default]
    Off,
    /// Phrases that begin or end in a stopword of Portuguese or English, and all but the most similar one of phrases
    /// that are nearly equal: the same words in the singular or the plural, with or without accents, in any order.
    PortugueseEnglish,
}

/// How much [`KeyBert`](crate::KeyBert) computes for a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mode {
    /// Every candidate is read by the model: the phrases of KeyBERT.
    Exact,
    /// Phrases of several words are first judged by a vector deduced from those of their words, and only the
    /// `shortlist` best are read by the model. What is told is always the model's own vector.
    Shortlist {
        /// How many candidates of a text are read, single words among them.
        shortlist: NonZeroUsize,
    },
}

/// How [`KeyBert`](crate::KeyBert) works.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct KeyBertOptions {
    /// How many phrases are chosen: 8.
    pub top: NonZeroUsize,
    /// Words of the longest phrase: 2. Single words are always candidates.
    pub longest: NonZeroUsize,
    /// How they are chosen: marginal relevance with a diversity of 0.5.
    pub selection: Selection,
    /// Which are left out beforehand: none.
    pub filter: PhraseFilter,
    /// How much is computed: a shortlist of 140, which keeps about nine in ten of exact mode's phrases of a text of 1,000 to
    /// 1,500 characters.
    pub mode: Mode,
    /// Vectors of phrases that are kept for further texts: 20,000, about 1.5 kB each with 384 numbers.
    pub cached_phrases: usize,
}

impl Default for KeyBertOptions {
    fn default() -> Self {
        Self {
            top: const { NonZeroUsize::new(8).unwrap() },
            longest: const { NonZeroUsize::new(2).unwrap() },
            selection: Selection::MarginalRelevance { diversity: 0.5 },
            filter: PhraseFilter::Off,
            mode: Mode::Shortlist { shortlist: const { NonZeroUsize::new(140).unwrap() } },
            cached_phrases: 20_000,
        }
    }
}

impl KeyBertOptions {
    /// With another number of phrases.
    #[must_use]
    pub fn with_top(mut self, top: NonZeroUsize) -> Self {
        self.top = top;
        self
    }

    /// With longer or shorter phrases.
    #[must_use]
    pub fn with_longest(mut self, words: NonZeroUsize) -> Self {
        self.longest = words;
        self
    }

    /// With another way to choose.
    #[must_use]
    pub fn with_selection(mut self, selection: Selection) -> Self {
        self.selection = selection;
        self
    }

    /// With candidates left out beforehand.
    #[must_use]
    pub fn with_filter(mut self, filter: PhraseFilter) -> Self {
        self.filter = filter;
        self
    }

    /// With more or less computed.
    #[must_use]
    pub fn with_mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// With more or fewer vectors kept.
    #[must_use]
    pub fn with_cached_phrases(mut self, phrases: usize) -> Self {
        self.cached_phrases = phrases;
        self
    }
}
