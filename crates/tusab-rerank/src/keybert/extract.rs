use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use super::cache::{CacheUse, PhraseCache, Vector};
use super::candidates::{phrases, words};
use super::deduce::{deduced, shortlist};
use super::select::{Candidate, dot, select};
use super::{KeyBertOptions, Mode, Selection};
use crate::{Embedder, Embeddings, Error};

/// A phrase of a text and how near it is to the whole.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Keyword {
    /// The words in lower case, with single spaces.
    pub phrase: String,
    /// The cosine between its vector and the text's, from -1 to 1.
    pub similarity: f32,
}

/// Finds key phrases by the vectors of a sentence encoder, as [KeyBERT](https://maartengr.github.io/KeyBERT/) does
/// (Grootendorst 2020).
///
/// May be shared between threads. Vectors of phrases are kept between texts, since few phrases make up most of what
/// texts on one matter say.
pub struct KeyBert {
    embedder: Arc<dyn Embedder>,
    options: KeyBertOptions,
    cache: PhraseCache,
}

impl std::fmt::Debug for KeyBert {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyBert")
            .field("model", &self.embedder.model())
            .field("options", &self.options)
            .field("cache", &self.cache.usage())
            .finish_non_exhaustive()
    }
}

/// Texts whose phrases are read together: enough to fill batches, few enough to hold their vectors.
const TOGETHER: usize = 32;

impl KeyBert {
    /// Nothing is computed yet.
    #[must_use]
    pub fn new(embedder: Arc<dyn Embedder>, options: KeyBertOptions) -> Self {
        let cache = PhraseCache::new(options.cached_phrases);
        Self { embedder, options, cache }
    }

    /// The key phrases of a text; none of a text without words.
    ///
    /// # Errors
    /// When the model cannot be run.
    pub fn keywords(&self, text: &str) -> Result<Vec<Keyword>, Error> {
        Ok(self.keywords_of_each(&[text])?.pop().unwrap_or_default())
    }

    /// The key phrases of each text, in order. Faster than one text after the other: phrases of many texts share runs
    /// of the model.
    ///
    /// # Errors
    /// When the model cannot be run.
    pub fn keywords_of_each(&self, texts: &[&str]) -> Result<Vec<Vec<Keyword>>, Error> {
        let mut all = Vec::with_capacity(texts.len());
        for texts in texts.chunks(TOGETHER) {
            all.extend(self.together(texts)?);
        }
        Ok(all)
    }

    /// What the cache of vectors did so far.
    #[must_use]
    pub fn cache_use(&self) -> CacheUse {
        self.cache.usage()
    }

    /// Writes the kept vectors to a file, for [`KeyBert::load_cache`].
    ///
    /// # Errors
    /// [`Error::File`] when it cannot be written; the file that was there is then still there.
    pub fn save_cache(&self, path: &Path) -> Result<(), Error> {
        self.cache.save(path, &self.embedder.identity()?, self.embedder.dimension()?.get())
    }

    /// Takes in what [`KeyBert::save_cache`] wrote with the same model, and says how many vectors; 0 when they are of
    /// another model.
    ///
    /// # Errors
    /// [`Error::File`] when it cannot be read, [`Error::MalformedFile`] when it is not whole.
    pub fn load_cache(&self, path: &Path) -> Result<usize, Error> {
        self.cache.load(path, &self.embedder.identity()?, self.embedder.dimension()?.get())
    }

    fn together(&self, texts: &[&str]) -> Result<Vec<Vec<Keyword>>, Error> {
        let candidates: Vec<Vec<String>> = texts.iter().map(|text| self.candidates(text)).collect();
        let all = || candidates.iter().flatten().map(String::as_str);
        let (heads, vectors) = match (self.options.mode, texts) {
            // A single text leaves the model's other threads to the phrases.
            (Mode::Exact, [_]) => std::thread::scope(|scope| {
                let heads = scope.spawn(|| self.embedder.embed_heads(texts));
                let vectors = self.vectors(all())?;
                let heads = heads.join().unwrap_or_else(|_| self.embedder.embed_heads(texts))?;
                Ok::<_, Error>((heads, vectors))
            })?,
            (Mode::Exact, _) => (self.embedder.embed_heads(texts)?, self.vectors(all())?),
            (Mode::Shortlist { shortlist }, _) => {
                let heads = self.embedder.embed_heads(texts)?;
                let vectors = self.shortlisted(&candidates, &heads, shortlist.get())?;
                (heads, vectors)
            }
        };
        let each = candidates.iter().zip(heads.rows());
        Ok(each.map(|(candidates, head)| self.choose(candidates, head, &vectors)).collect())
    }

    fn candidates(&self, text: &str) -> Vec<String> {
        let mut phrases = phrases(&words(text), self.options.longest.get());
        phrases.retain(|phrase| self.options.filter.admits(phrase));
        phrases
    }

    /// The model's vectors of all single words and of those phrases that a deduced vector speaks for.
    fn shortlisted<'p>(
        &self,
        candidates: &'p [Vec<String>],
        heads: &Embeddings,
        count: usize,
    ) -> Result<HashMap<&'p str, Vector>, Error> {
        let is_word = |phrase: &&str| !phrase.contains(' ');
        let all = || candidates.iter().flatten().map(String::as_str);
        let parts = all().flat_map(|phrase| phrase.split(' '));
        let mut vectors = self.vectors(parts)?;
        let kept = self.cache.find(all().filter(|phrase| !is_word(phrase)).collect::<BTreeSet<_>>());
        let diversity = match self.options.selection {
            Selection::MarginalRelevance { diversity } => diversity,
            Selection::MaxSum { .. } => 0.0,
        };
        let mut wanted = BTreeSet::new();
        for (candidates, head) in candidates.iter().zip(heads.rows()) {
            let guesses: Vec<(&str, Vector)> = candidates
                .iter()
                .map(|phrase| {
                    let known = vectors.get(phrase.as_str()).or_else(|| kept.get(phrase.as_str()));
                    let words = phrase.split(' ').filter_map(|word| vectors.get(word).map(AsRef::as_ref));
                    (phrase.as_str(), known.cloned().unwrap_or_else(|| deduced(words).into()))
                })
                .collect();
            let judged: Vec<Candidate<'_>> = guesses
                .iter()
                .map(|(_, vector)| Candidate { vector, similarity: dot(vector, head) })
                .collect();
            let chosen = shortlist(&judged, count, diversity);
            wanted.extend(chosen.into_iter().filter_map(|at| guesses.get(at)).map(|(phrase, _)| *phrase));
        }
        wanted.retain(|phrase| !is_word(phrase));
        let read = wanted.len();
        wanted.retain(|phrase| !kept.contains_key(phrase));
        self.cache.count(read - wanted.len(), wanted.len());
        let computed = self.compute(wanted.into_iter().collect())?;
        vectors.extend(kept);
        vectors.extend(computed);
        Ok(vectors)
    }

    /// The vectors of phrases, from the cache or from the model.
    fn vectors<'p>(&self, phrases: impl Iterator<Item = &'p str>) -> Result<HashMap<&'p str, Vector>, Error> {
        let phrases: BTreeSet<&str> = phrases.collect();
        let mut vectors = self.cache.find(phrases.iter().copied());
        let missing: Vec<&str> = phrases.into_iter().filter(|phrase| !vectors.contains_key(phrase)).collect();
        self.cache.count(vectors.len(), missing.len());
        vectors.extend(self.compute(missing)?);
        Ok(vectors)
    }

    /// The model's vectors of phrases that are not kept; now they are.
    fn compute<'p>(&self, phrases: Vec<&'p str>) -> Result<Vec<(&'p str, Vector)>, Error> {
        let embeddings = self.embedder.embed_phrases(&phrases)?;
        let computed: Vec<(&str, Vector)> =
            phrases.into_iter().zip(embeddings.rows().map(Vector::from)).collect();
        self.cache.put(computed.iter().map(|(phrase, vector)| (*phrase, Arc::clone(vector))));
        Ok(computed)
    }

    fn choose(&self, candidates: &[String], head: &[f32], vectors: &HashMap<&str, Vector>) -> Vec<Keyword> {
        let known = candidates.iter().filter_map(|phrase| Some((phrase, vectors.get(phrase.as_str())?)));
        let mut judged: Vec<(&String, Candidate<'_>)> = known
            .map(|(phrase, vector)| (phrase, Candidate { vector, similarity: dot(vector, head) }))
            .collect();
        self.drop_doubles(&mut judged);
        let only: Vec<Candidate<'_>> = judged.iter().map(|(_, candidate)| *candidate).collect();
        let chosen = select(&only, self.options.top.get(), self.options.selection);
        let keyword = |(phrase, candidate): &(&String, Candidate<'_>)| Keyword {
            phrase: (*phrase).clone(),
            similarity: candidate.similarity,
        };
        chosen.into_iter().filter_map(|at| judged.get(at)).map(keyword).collect()
    }

    /// Leaves of nearly equal phrases only the one nearest to the text.
    fn drop_doubles(&self, judged: &mut Vec<(&String, Candidate<'_>)>) {
        let mut best: HashMap<Vec<String>, f32> = HashMap::new();
        for (phrase, candidate) in judged.iter() {
            if let Some(gist) = self.options.filter.gist(phrase) {
                let nearest = best.entry(gist).or_insert(f32::NEG_INFINITY);
                *nearest = nearest.max(candidate.similarity);
            }
        }
        judged.retain(|(phrase, candidate)| match self.options.filter.gist(phrase) {
            Some(gist) => best.remove(&gist).is_some_and(|nearest| {
                let is_nearest = candidate.similarity >= nearest;
                if !is_nearest {
                    best.insert(gist, nearest);
                }
                is_nearest
            }),
            None => true,
        });
    }
}
