//! Vectors of phrases, kept between texts and, if the caller wants, between runs of the program.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::generations::Generations;
use crate::{Error, lock, whole};

/// A vector that several texts may hold at once.
pub(super) type Vector = Arc<[f32]>;

/// What a cache of phrases did so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CacheUse {
    /// Vectors that were wanted and were there.
    pub hits: u64,
    /// Vectors that were wanted and had to be computed.
    pub misses: u64,
    /// Vectors that are kept now.
    pub phrases: usize,
}

impl CacheUse {
    /// Hits among all that was wanted; 0 when nothing was.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "a share")]
    pub fn hit_rate(&self) -> f64 {
        let wanted = self.hits + self.misses;
        if wanted == 0 { 0.0 } else { self.hits as f64 / wanted as f64 }
    }
}

#[derive(Debug)]
pub(super) struct PhraseCache {
    vectors: Mutex<Generations<String, Vector>>,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// The first bytes of a file of vectors; the digit is the version of its layout.
const MAGIC: &[u8; 8] = b"TUSABKB1";

/// Bytes of the hash at the end.
const HASH: usize = 16;

impl PhraseCache {
    pub(super) fn new(bound: usize) -> Self {
        Self {
            vectors: Mutex::new(Generations::new(bound)),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    /// The vectors of those phrases that are kept.
    pub(super) fn find<'p>(&self, phrases: impl IntoIterator<Item = &'p str>) -> HashMap<&'p str, Vector> {
        let mut vectors = lock(&self.vectors);
        let kept = phrases.into_iter().filter_map(|phrase| Some((phrase, Arc::clone(vectors.get(phrase)?))));
        kept.collect()
    }

    /// Notes what was wanted: that much was there, that much was not.
    pub(super) fn count(&self, hits: usize, misses: usize) {
        self.hits.fetch_add(hits as u64, Ordering::Relaxed);
        self.misses.fetch_add(misses as u64, Ordering::Relaxed);
    }

    pub(super) fn put<'p>(&self, phrases: impl IntoIterator<Item = (&'p str, Vector)>) {
        let mut vectors = lock(&self.vectors);
        for (phrase, vector) in phrases {
            vectors.put(phrase.to_owned(), vector);
        }
    }

    pub(super) fn usage(&self) -> CacheUse {
        let phrases = lock(&self.vectors).len();
        CacheUse {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            phrases,
        }
    }

    /// Writes everything kept: magic, length and text of the identity, numbers a vector, then length and text of each
    /// phrase with its numbers, and a hash over all. Integers are of 32 bits, all little-endian.
    pub(super) fn save(&self, path: &Path, identity: &str, dimension: usize) -> Result<(), Error> {
        let mut bytes = MAGIC.to_vec();
        let text = |bytes: &mut Vec<u8>, text: &str| {
            bytes.extend(u32::try_from(text.len()).unwrap_or(0).to_le_bytes());
            bytes.extend(text.as_bytes());
        };
        text(&mut bytes, identity);
        bytes.extend(u32::try_from(dimension).unwrap_or(0).to_le_bytes());
        for (phrase, vector) in lock(&self.vectors).iter() {
            text(&mut bytes, phrase);
            bytes.extend(vector.iter().flat_map(|number| number.to_le_bytes()));
        }
        let hash = hash(&bytes);
        whole::write(path, |file| {
            file.write_all(&bytes)?;
            file.write_all(&hash)
        })
    }

    /// Takes in what was saved under this identity and says how many; none of another model's. The whole file is
    /// checked before anything of it is taken.
    pub(super) fn load(&self, path: &Path, identity: &str, dimension: usize) -> Result<usize, Error> {
        let bytes = std::fs::read(path).map_err(Error::file("read", path))?;
        let malformed = || Error::MalformedFile {
            path: path.to_owned(),
            reason: "not a whole file of phrases".to_owned(),
        };
        let (content, end) = bytes.split_last_chunk::<HASH>().ok_or_else(malformed)?;
        if hash(content) != *end {
            return Err(malformed());
        }
        let mut rest = content.strip_prefix(MAGIC).ok_or_else(malformed)?;
        let of_model = text(&mut rest).ok_or_else(malformed)?;
        let numbers = integer(&mut rest).ok_or_else(malformed)?;
        if of_model != identity || numbers != dimension {
            tracing::info!(path = %path.display(), "phrases of another model are not taken");
            return Ok(0);
        }
        let mut read = Vec::new();
        while !rest.is_empty() {
            let phrase = text(&mut rest).ok_or_else(malformed)?;
            read.push((phrase, vector(&mut rest, dimension).ok_or_else(malformed)?));
        }
        let count = read.len();
        self.put(read);
        Ok(count)
    }
}

fn hash(bytes: &[u8]) -> [u8; HASH] {
    let hash = blake2b_simd::Params::new().hash_length(HASH).hash(bytes);
    hash.as_bytes().try_into().unwrap_or_default()
}

fn integer(rest: &mut &[u8]) -> Option<usize> {
    let (number, after) = rest.split_first_chunk::<4>()?;
    *rest = after;
    usize::try_from(u32::from_le_bytes(*number)).ok()
}

fn text<'b>(rest: &mut &'b [u8]) -> Option<&'b str> {
    let length = integer(rest)?;
    let (text, after) = rest.split_at_checked(length)?;
    *rest = after;
    std::str::from_utf8(text).ok()
}

fn vector(rest: &mut &[u8], dimension: usize) -> Option<Vector> {
    let (numbers, after) = rest.split_at_checked(dimension.checked_mul(4)?)?;
    *rest = after;
    let (numbers, _) = numbers.as_chunks::<4>();
    let vector: Vector = numbers.iter().map(|number| f32::from_le_bytes(*number)).collect();
    vector.iter().all(|number| number.is_finite()).then_some(vector)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filled(phrases: &[&str]) -> PhraseCache {
        let cache = PhraseCache::new(100);
        cache.put(
            phrases
                .iter()
                .zip(1_u8..)
                .map(|(&phrase, number)| (phrase, Vector::from([f32::from(number), 0.5]))),
        );
        cache
    }

    #[test]
    fn what_was_saved_is_there_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("phrases");
        filled(&["prova", "ação rápida"]).save(&path, "model", 2).unwrap();
        let cache = PhraseCache::new(100);
        assert_eq!(cache.load(&path, "model", 2).unwrap(), 2);
        let found = cache.find(["ação rápida", "missing"]);
        cache.count(found.len(), 1);
        assert_eq!(found.get("ação rápida").unwrap()[..], [2.0, 0.5]);
        let usage = cache.usage();
        assert_eq!((usage.hits, usage.misses, usage.phrases), (1, 1, 2));
        assert!((usage.hit_rate() - 0.5).abs() < 1e-9);
    }

    #[test]
    fn vectors_of_another_model_are_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("phrases");
        filled(&["prova"]).save(&path, "model", 2).unwrap();
        for (identity, dimension) in [("other", 2), ("model", 1)] {
            let cache = PhraseCache::new(100);
            assert_eq!(cache.load(&path, identity, dimension).unwrap(), 0);
            assert_eq!(cache.usage().phrases, 0);
        }
    }

    #[test]
    fn a_cut_or_changed_file_is_an_error_and_nothing_of_it_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("phrases");
        filled(&["prova", "proof"]).save(&path, "model", 2).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let cache = PhraseCache::new(100);
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            assert!(
                matches!(cache.load(&path, "model", 2), Err(Error::MalformedFile { .. })),
                "cut at {cut}"
            );
            let mut changed = whole.clone();
            changed[cut] ^= 1;
            std::fs::write(&path, changed).unwrap();
            assert!(
                matches!(cache.load(&path, "model", 2), Err(Error::MalformedFile { .. })),
                "changed at {cut}"
            );
        }
        assert_eq!(cache.usage().phrases, 0);
        assert!(matches!(cache.load(&folder.path().join("missing"), "m", 2), Err(Error::File { .. })));
    }

    proptest! {
        // A right hash does not make the rest right.
        #[test]
        fn any_content_with_a_right_hash_is_read_without_panic(content in prop::collection::vec(any::<u8>(), 0..60)) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("phrases");
            let mut bytes = [MAGIC.as_slice(), &5_u32.to_le_bytes(), b"model", &2_u32.to_le_bytes(), &content].concat();
            bytes.extend(hash(&bytes));
            std::fs::write(&path, bytes).unwrap();
            let _ = PhraseCache::new(100).load(&path, "model", 2);
        }
    }
}
