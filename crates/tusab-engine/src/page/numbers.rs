//! What a report shows.

use std::collections::{BTreeMap, HashMap};

use tusab_chunk::{Date, SourceKind};
use tusab_index::{ChunkStore, Enrichment, is_stopword};
use unicode_segmentation::UnicodeSegmentation;

use crate::Error;
use crate::project::Inner;

/// Most months that are shown one by one; of longer times, years.
const MONTHS: usize = 36;

/// Most bars of a chart.
const BARS: usize = 20;

/// Phrases that are kept while they are counted: beyond, the rarest go, so that a project of any size fits.
const COUNTED: usize = 200_000;

/// The numbers of a project.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    pub(super) documents: usize,
    pub(super) chunks: usize,
    pub(super) characters: usize,
    pub(super) videos: usize,
    pub(super) first: Option<Date>,
    pub(super) last: Option<Date>,
    /// Documents by month or year, in order, with none left out between.
    pub(super) over_time: Vec<(String, usize)>,
    pub(super) undated: usize,
    /// Sources with most chunks, most first; and what all others have together.
    pub(super) sources: Vec<Bar>,
    pub(super) other_sources: Option<(usize, usize)>,
    /// What is said most: key phrases, or words where there are none.
    pub(super) phrases: Vec<(String, usize)>,
    pub(super) are_words: bool,
    pub(super) health: Health,
}

/// A bar of a chart.
#[derive(Debug)]
pub(super) struct Bar {
    pub(super) name: String,
    pub(super) link: Option<String>,
    pub(super) value: usize,
}

/// How whole the index is.
#[derive(Debug, Default)]
pub(super) struct Health {
    /// Sources that are stored and not in the index.
    pub(super) unindexed: usize,
    /// Chunks that were never given key phrases.
    pub(super) without_phrases: usize,
    /// Chunks without a vector; none when the project has no vectors at all.
    pub(super) without_vectors: Option<usize>,
}

impl Numbers {
    pub(super) fn of(inner: &Inner, stop: &dyn Fn() -> bool) -> Result<Self, Error> {
        let mut numbers = Self::default();
        let (mut phrases, mut words) = (Counts::default(), Counts::default());
        let mut dates = Vec::new();
        let mut bars = Vec::new();
        let documents = inner.index.documents()?;
        numbers.documents = documents.len();
        for document in documents {
            if stop() {
                return Err(Error::Cancelled);
            }
            let chunks = inner.index.chunks(&document.id)?;
            numbers.chunks += chunks.len();
            numbers.videos += usize::from(document.id.kind() == SourceKind::Youtube);
            for chunk in &chunks {
                numbers.characters += chunk.original_text().chars().count();
                chunk.key_phrases().iter().for_each(|phrase| phrases.add(phrase.trim().to_lowercase()));
                if phrases.is_empty() {
                    let said = chunk.original_text().unicode_words().map(str::to_lowercase);
                    let is_telling = |word: &String| word.chars().count() >= 4 && !is_stopword(word);
                    said.filter(is_telling).for_each(|word| words.add(word));
                }
            }
            match document.date {
                Some(date) => dates.push(date),
                None => numbers.undated += 1,
            }
            bars.push(Bar { name: document.title, link: document.link, value: chunks.len() });
        }
        (numbers.first, numbers.last) = (dates.iter().min().copied(), dates.iter().max().copied());
        numbers.over_time = over_time(&dates);
        bars.sort_by(|a, b| b.value.cmp(&a.value).then_with(|| a.name.cmp(&b.name)));
        let others = bars.split_off(bars.len().min(BARS));
        numbers.other_sources =
            (!others.is_empty()).then(|| (others.len(), others.iter().map(|bar| bar.value).sum()));
        numbers.sources = bars;
        numbers.are_words = phrases.is_empty();
        numbers.phrases = if phrases.is_empty() { words.most() } else { phrases.most() };
        numbers.health = health(inner, numbers.documents)?;
        Ok(numbers)
    }
}

fn health(inner: &Inner, indexed: usize) -> Result<Health, Error> {
    let lacking = |what| inner.index.count_lacking(what);
    let has_vectors = inner.index.vector_space()?.is_some();
    Ok(Health {
        unindexed: inner.count_sources()?.saturating_sub(indexed),
        without_phrases: lacking(Enrichment::KeyPhrases)?,
        without_vectors: if has_vectors { Some(lacking(Enrichment::Vectors)?) } else { None },
    })
}

fn over_time(dates: &[Date]) -> Vec<(String, usize)> {
    let month = |date: &Date| usize::from(date.year()) * 12 + usize::from(date.month()) - 1;
    let mut months: BTreeMap<usize, usize> = BTreeMap::new();
    for date in dates {
        *months.entry(month(date)).or_default() += 1;
    }
    let (Some((first, _)), Some((last, _))) = (months.first_key_value(), months.last_key_value()) else {
        return Vec::new();
    };
    let (first, last) = (*first, *last);
    if last - first < MONTHS {
        let of =
            |month: usize| (format!("{:04}-{:02}", month / 12, month % 12 + 1), months.get(&month).copied());
        return (first..=last).map(of).map(|(name, count)| (name, count.unwrap_or(0))).collect();
    }
    let in_year = |year: usize| months.range(year * 12..year * 12 + 12).map(|(_, count)| count).sum();
    (first / 12..=last / 12).map(|year| (year.to_string(), in_year(year))).collect()
}

/// How often what was said.
#[derive(Debug, Default)]
struct Counts(HashMap<String, usize>);

impl Counts {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn add(&mut self, what: String) {
        if what.is_empty() {
            return;
        }
        *self.0.entry(what).or_default() += 1;
        if self.0.len() > COUNTED {
            self.0.retain(|_, count| *count > 1);
        }
    }

    /// The most frequent, those equally so by the alphabet.
    fn most(self) -> Vec<(String, usize)> {
        let mut all: Vec<(String, usize)> = self.0.into_iter().collect();
        all.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        all.truncate(BARS);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_without_documents_are_shown_and_long_times_by_years() {
        let date = |year, month| Date::new(year, month, 1).unwrap();
        let shown = over_time(&[date(2024, 1), date(2023, 11), date(2024, 1)]);
        let expected = [("2023-11", 1), ("2023-12", 0), ("2024-01", 2)];
        assert_eq!(shown, expected.map(|(name, count)| (name.to_owned(), count)));
        let shown = over_time(&[date(2010, 6), date(2014, 1)]);
        assert_eq!(shown.len(), 5);
        assert_eq!(shown[1], ("2011".to_owned(), 0));
        assert!(over_time(&[]).is_empty());
    }
}
