use std::collections::HashMap;

use crate::analyze::{ACCENT, EXACT, Morphology, Piece, Pieces, accented, fold, fold_compound, is_stopword};
use crate::bm25::{Rank, RankedTerm, WordField};
use crate::{Error, QueryWord};

/// Distinct words of a query that are ranked by; of more, the rarest count. A pasted page stays fast that way.
const MAX_WORDS: usize = 256;

/// Words whose chunks are looked up one by one in the literal index; of more, the rarest count.
const MAX_RARE_WORDS: usize = 32;

/// Weight of a word as it stands, beside its stem's 1: it prefers the form that was asked for. Chosen on judged
/// collections in both languages; .1 to .3 differ little.
const EXACT_WEIGHT: f32 = 0.2;

/// Weight of a compound, whose words count beside it. Chosen like the others.
const COMPOUND_WEIGHT: f32 = 0.5;

/// Weight of a word with the accents that were typed.
const ACCENT_WEIGHT: f32 = 0.1;

/// What a ranking knows of how rare terms are.
pub(crate) trait Rarity {
    /// Number of chunks whose text holds a term of the query, in any of its forms; 0 for one that was not asked.
    fn frequency(&self, term: &str) -> u64;

    /// How rare what stands in that many chunks is.
    fn idf(&self, frequency: u64) -> f32;
}

impl Rarity for Rank {
    fn frequency(&self, term: &str) -> u64 {
        self.frequency(term)
    }

    fn idf(&self, frequency: u64) -> f32 {
        self.idf(frequency)
    }
}

/// A query's distinct words and its compounds.
pub(crate) struct Words {
    distinct: Vec<Word>,
    /// There were more than are ranked by.
    is_cut: bool,
    compounds: HashMap<String, u16>,
    accented: HashMap<String, u16>,
}

struct Word {
    token: String,
    /// How often the query says it: what a user repeats counts more.
    count: u16,
    /// Number of chunks that hold it, apart from case and accents.
    frequency: u64,
    /// Number of chunks that hold any form of it.
    passages: u64,
    /// The terms of its stems in the languages of what is searched.
    stems: Vec<String>,
}

impl Words {
    /// The words of a text. `frequencies` says in how many chunks each of those terms stands; it is asked for long texts
    /// alone.
    pub(crate) fn of(
        text: &str,
        frequencies: impl FnOnce(&[String]) -> Result<Vec<u64>, Error>,
    ) -> Result<Self, Error> {
        let mut counts: HashMap<String, u16> = HashMap::new();
        let (mut compounds, mut accents) = (HashMap::new(), HashMap::new());
        let (mut token, mut form) = (String::new(), String::new());
        for piece in Pieces::of(text) {
            match piece {
                Piece::Word(word) => {
                    fold(word, &mut token);
                    accented(word, &token, &mut form);
                    if !token.is_empty() {
                        tally(&mut counts, &token);
                    }
                    if !form.is_empty() && !is_stopword(&token) {
                        tally(&mut accents, &form);
                    }
                }
                Piece::Compound(compound) => {
                    fold_compound(compound, &mut token);
                    tally(&mut compounds, &token);
                }
            }
        }
        // Function words only when there is nothing else: `o que é isso` must still find.
        if counts.keys().any(|token| !is_stopword(token)) {
            counts.retain(|token, _| !is_stopword(token));
        }
        let word = |(token, count)| Word { token, count, frequency: 0, passages: 0, stems: Vec::new() };
        let mut words: Vec<Word> = counts.into_iter().map(word).collect();
        let is_cut = words.len() > MAX_WORDS;
        if is_cut {
            let terms: Vec<String> = words.iter().map(|word| exact(&word.token)).collect();
            for (word, frequency) in words.iter_mut().zip(frequencies(&terms)?) {
                word.frequency = frequency;
            }
            // Those that stand nowhere rank nothing.
            words.sort_unstable_by(|a, b| a.rarity().cmp(&b.rarity()));
            words.truncate(MAX_WORDS);
        }
        words.sort_unstable_by(|a, b| a.token.cmp(&b.token));
        Ok(Self { distinct: words, is_cut, compounds, accented: accents })
    }

    /// Learns from the ranking of [`terms`](Self::terms) how rare the words are.
    pub(crate) fn sort_by_rarity(&mut self, rank: &impl Rarity) {
        for word in &mut self.distinct {
            word.frequency = rank.frequency(&exact(&word.token));
            // All forms of a word have one frequency; those that stand nowhere are not known to the ranking.
            let known = word.stems.iter().map(|stem| rank.frequency(stem));
            word.passages = known.max().unwrap_or_default();
        }
        self.distinct.sort_by(|a, b| a.rarity().cmp(&b.rarity()));
    }

    /// The words with what the ranking knows of them; a word that stands nowhere is the rarest of all.
    pub(crate) fn into_query_words(self, rank: &impl Rarity) -> Vec<QueryWord> {
        let known = |Word { token, count, passages, .. }| QueryWord {
            token,
            count,
            passages,
            idf: rank.idf(passages),
        };
        let mut words: Vec<QueryWord> = self.distinct.into_iter().map(known).collect();
        words.sort_by(|a, b| a.passages.cmp(&b.passages).then_with(|| a.token.cmp(&b.token)));
        words
    }

    /// What the query's words ask of the ranking, in a fixed order.
    pub(crate) fn terms(&mut self, morphologies: &[Morphology], title_weight: f32) -> Vec<RankedTerm> {
        let mut terms = Vec::new();
        let mut ask = |forms: Vec<String>, weight: f32, nominates: bool| {
            let title = (title_weight > 0.0).then(|| forms.clone());
            terms.push(RankedTerm { field: WordField::Text, forms, weight, nominates });
            if let Some(forms) = title {
                let (field, weight) = (WordField::Title, weight * title_weight);
                terms.push(RankedTerm { field, forms, weight, nominates: false });
            }
        };
        for word in &mut self.distinct {
            let count = f32::from(word.count);
            word.stems = morphologies.iter().map(|morphology| stem(*morphology, &word.token)).collect();
            ask(word.stems.clone(), count, true);
            ask(vec![exact(&word.token)], count * EXACT_WEIGHT, false);
        }
        for (compound, count) in sorted(&self.compounds) {
            ask(vec![exact(compound)], f32::from(count) * COMPOUND_WEIGHT, true);
        }
        for (form, count) in sorted(&self.accented) {
            ask(vec![format!("{ACCENT}{form}")], f32::from(count) * ACCENT_WEIGHT, false);
        }
        terms
    }

    /// Words that at most `pool` chunks hold: all of those chunks belong in the pool.
    pub(crate) fn rare(&self, pool: usize) -> impl Iterator<Item = &str> {
        self.all_rare(pool).take(MAX_RARE_WORDS)
    }

    /// True of a word, given folded, that was asked of the ranking.
    pub(crate) fn asks(&self, token: &str) -> bool {
        self.distinct.iter().any(|word| word.token == token)
    }

    /// True when there are more rare words than are looked up, or more words than are ranked by.
    pub(crate) fn is_capped(&self, pool: usize) -> bool {
        self.is_cut || self.all_rare(pool).nth(MAX_RARE_WORDS).is_some()
    }

    fn all_rare(&self, pool: usize) -> impl Iterator<Item = &str> {
        let is_rare =
            move |word: &&Word| usize::try_from(word.frequency).is_ok_and(|frequency| frequency <= pool);
        self.distinct.iter().filter(is_rare).map(|word| word.token.as_str())
    }
}

impl Word {
    /// Sorts words, the rarest first; those that BM25 has never seen last: they are looked up only in case it is behind.
    fn rarity(&self) -> (bool, u64, &str) {
        (self.frequency == 0, self.frequency, &self.token)
    }
}

fn stem(morphology: Morphology, token: &str) -> String {
    format!("{}{}", morphology.mark(), morphology.stem(token))
}

fn exact(token: &str) -> String {
    format!("{EXACT}{token}")
}

fn tally(counts: &mut HashMap<String, u16>, token: &str) {
    if let Some(count) = counts.get_mut(token) {
        *count = count.saturating_add(1);
    } else {
        counts.insert(token.to_owned(), 1);
    }
}

fn sorted(counts: &HashMap<String, u16>) -> Vec<(&str, u16)> {
    let mut sorted: Vec<(&str, u16)> = counts.iter().map(|(token, count)| (token.as_str(), *count)).collect();
    sorted.sort_unstable();
    sorted.truncate(MAX_WORDS);
    sorted
}
