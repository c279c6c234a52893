//! What each kind of piece costs on average, in tokens.
//!
//! Each number is a mean, counted piece by piece with the real vocabulary over 28 collections of prose, speech, letters,
//! manuals and dictionaries, all of the same weight. A mean of half of the collections holds for the other half: the
//! README says how well.

use super::pairs::{self, Pairs};
use super::to_f64;

/// The longest word of each bucket, in letters; longer ones are weighed by their letters.
const EDGES: [usize; 7] = [1, 3, 5, 7, 9, 11, LONGEST];

/// The longest word that has a bucket.
pub(super) const LONGEST: usize = 14;

/// What a word costs by its length: one number a bucket.
#[derive(Clone, Copy)]
pub(super) struct ByLength([f64; EDGES.len()]);

impl ByLength {
    /// Of a word of `length` letters, at most [`LONGEST`].
    pub(super) fn at(&self, length: usize) -> f64 {
        let [.., longest] = self.0;
        EDGES.iter().zip(self.0).find(|(edge, _)| length <= **edge).map_or(longest, |(_, cost)| cost)
    }
}

/// What the words of a sentence cost in one language.
pub(super) struct Words {
    pub(super) small: ByLength,
    /// Of a word that begins with a capital, as names do.
    pub(super) capital: ByLength,
}

/// The weights of one vocabulary.
pub(super) struct Weights {
    pub(super) english: Words,
    pub(super) portuguese: Words,
    /// A word with an accent.
    pub(super) accented: ByLength,
    /// One that begins with a capital, as names do.
    pub(super) accented_name: ByLength,
    /// What the letters of a word of a sentence add.
    pub(super) pairs: Pairs,
    /// A word behind a mark, a digit or the end of a line.
    pub(super) behind: ByLength,
    /// A letter of a word in capitals.
    pub(super) capitals: f64,
    /// A word of an identifier: up to nine letters, and longer.
    identifier: (f64, f64),
    /// A letter of a word that is longer than any bucket.
    long: f64,
    /// A letter after the first of a word in Han or Kana, and in another script.
    foreign: (f64, f64),
    /// A mark beyond the basic plane, as most emoji are: the first, and one right after another.
    emoji: (f64, f64),
}

impl Weights {
    pub(super) fn identifier(&self, length: usize) -> f64 {
        if length <= 9 { self.identifier.0 } else { self.identifier.1 }
    }

    /// A word that is longer than any bucket. What no language has as a word is not in vocabularies either.
    pub(super) fn long_word(&self, length: usize) -> f64 {
        const LONGEST_IN_USE: usize = 24;
        const BEYOND: f64 = 0.4;
        let beyond = length.saturating_sub(LONGEST_IN_USE);
        self.long * to_f64(length - beyond) + BEYOND * to_f64(beyond)
    }

    /// A word that is not in Latin letters alone.
    pub(super) fn foreign_word(&self, letters: &str) -> f64 {
        let further = |c| if is_han_or_kana(c) { self.foreign.0 } else { self.foreign.1 };
        1.0 + letters.chars().skip(1).map(further).sum::<f64>()
    }

    /// A run of marks: one token if they are all the same, as most vocabularies hold such lines up to some length;
    /// about two marks a token if not.
    pub(super) fn marks(&self, marks: &str) -> f64 {
        /// Marks of a line that share a token.
        const LINE: f64 = 32.0;
        /// A change from one mark to another.
        const CHANGE: f64 = 0.54;
        /// Others than those on a keyboard, alone; seldom are they together in a vocabulary.
        const FOREIGN: f64 = 0.95;
        const FOREIGN_TOGETHER: f64 = 1.3;
        const FOREIGN_LINE: f64 = 0.1;
        let mut cost = 0.0;
        let mut before = None;
        let mut changes = 0.0;
        for mark in marks.chars() {
            let is_again = before == Some(mark);
            if mark > '\u{ffff}' {
                let follows = before.is_some_and(|before| before > '\u{ffff}');
                cost += if follows { self.emoji.1 } else { self.emoji.0 };
            } else if mark.is_ascii() {
                if is_again {
                    cost += 1.0 / LINE;
                } else {
                    changes += 1.0;
                }
            } else {
                cost += match before {
                    None => FOREIGN,
                    Some(_) if is_again => FOREIGN_LINE,
                    Some(_) => FOREIGN_TOGETHER,
                };
            }
            before = Some(mark);
        }
        cost + if changes > 1.0 { changes * CHANGE } else { changes }
    }
}

fn is_han_or_kana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

pub(super) const WIDE: Weights = Weights {
    english: Words {
        small: ByLength([1.00, 1.00, 1.01, 1.08, 1.15, 1.28, 1.36]),
        capital: ByLength([1.00, 1.01, 1.16, 1.28, 1.91, 1.71, 1.75]),
    },
    portuguese: Words {
        small: ByLength([1.00, 1.00, 1.06, 1.25, 1.46, 1.63, 1.69]),
        capital: ByLength([1.00, 1.01, 1.22, 1.46, 1.96, 2.28, 2.33]),
    },
    accented: ByLength([1.00, 1.03, 1.23, 1.29, 1.65, 1.55, 1.85]),
    accented_name: ByLength([1.00, 1.26, 1.61, 1.94, 2.16, 2.31, 2.40]),
    pairs: pairs::WIDE,
    behind: ByLength([1.04, 1.11, 1.36, 1.71, 2.00, 2.35, 2.76]),
    capitals: 0.43,
    identifier: (1.06, 1.71),
    long: 0.15,
    foreign: (0.60, 0.15),
    emoji: (1.4, 1.8),
};

pub(super) const COMMON: Weights = Weights {
    english: Words {
        small: ByLength([1.00, 1.00, 1.02, 1.09, 1.17, 1.32, 1.42]),
        capital: ByLength([1.00, 1.01, 1.18, 1.30, 2.04, 1.80, 1.75]),
    },
    portuguese: Words {
        small: ByLength([1.00, 1.01, 1.26, 1.64, 1.96, 2.29, 2.47]),
        capital: ByLength([1.00, 1.05, 1.48, 1.72, 2.23, 2.69, 2.75]),
    },
    accented: ByLength([1.00, 1.15, 1.59, 2.08, 2.51, 2.47, 2.71]),
    accented_name: ByLength([1.00, 1.49, 1.99, 2.66, 2.79, 2.82, 2.83]),
    pairs: pairs::COMMON,
    behind: ByLength([1.04, 1.14, 1.44, 1.76, 2.07, 2.41, 2.79]),
    capitals: 0.43,
    identifier: (1.07, 1.85),
    long: 0.18,
    foreign: (0.70, 0.20),
    emoji: (2.2, 2.6),
};
