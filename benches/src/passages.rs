//! Passages of made-up words that are as frequent as words are in real texts.

use crate::drawn::Drawn;

/// Number of different words.
const VOCABULARY: u32 = 50_000;

const SYLLABLES: [&str; 16] =
    ["ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "zo", "xa", "lho"];

/// A passage and the title of what it is from, which may be empty.
#[derive(Debug, Clone)]
pub struct Passage {
    /// Its title.
    pub title: String,
    /// What it says.
    pub text: String,
}

/// Draws passages; the same ones at every run.
#[derive(Debug, Clone)]
pub struct Passages(Drawn);

impl Passages {
    /// The first passage comes next.
    #[must_use]
    pub fn new() -> Self {
        Self(Drawn::new())
    }

    /// A passage of 45 words with a title of four.
    pub fn passage(&mut self) -> Passage {
        let text = self.words(45);
        Passage { title: self.words(4), text }
    }

    /// So many words as they come: common ones often.
    pub fn words(&mut self, words: usize) -> String {
        let words: Vec<String> = (0..words).map(|_| word(self.rank())).collect();
        words.join(" ")
    }

    /// A query of three words of middling frequency.
    pub fn query(&mut self) -> String {
        let words: Vec<String> = (0..3).map(|_| word(100 + self.below(2000))).collect();
        words.join(" ")
    }

    fn below(&mut self, bound: u32) -> u32 {
        u32::try_from(self.0.below(u64::from(bound))).unwrap_or_default()
    }

    /// The rank of a word, drawn so that a word's frequency is about one over its rank (Zipf 1949): the logarithm of
    /// the rank is then evenly spread.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and the vocabulary"
    )]
    fn rank(&mut self) -> u32 {
        (f64::from(VOCABULARY).powf(self.0.unit()) as u32).min(VOCABULARY - 1)
    }
}

impl Default for Passages {
    fn default() -> Self {
        Self::new()
    }
}

/// The word of a rank: its digits to the base 16 as syllables.
fn word(rank: u32) -> String {
    let digits = (0..5).map(|place| (rank >> (4 * place)) % 16);
    let last = (0..5).rfind(|place| rank >> (4 * place) > 0).unwrap_or(0);
    digits.take(last + 1).filter_map(|digit| SYLLABLES.get(digit as usize)).copied().collect()
}
