//! Drawn vectors, the definition of what is to be found, and folders of files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tusab_chunk::ChunkId;
use tusab_index::{
    Dimension, RowHit, Vector, VectorFiles, VectorGeneration, VectorScan, VectorSpace, VectorWriter,
};

/// A small generator (`SplitMix64`), so that a failure can be run again.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    /// About normal: the sum of four even ones.
    pub(crate) fn number(&mut self) -> f32 {
        (0..4).map(|_| f32::from(u16::try_from(self.next() >> 48).unwrap()) / 65_536.0 - 0.5).sum()
    }

    pub(crate) fn vector(&mut self, dimension: usize) -> Vector {
        // A number in 50,000 is zero, and alone it has no direction.
        std::iter::repeat_with(|| Vector::new((0..dimension).map(|_| self.number()).collect()))
            .find_map(Result::ok)
            .unwrap()
    }

    /// Near another one: `away` is the length of what is added.
    pub(crate) fn near(&mut self, centre: &Vector, away: f32) -> Vector {
        let other = self.vector(centre.as_slice().len());
        let numbers = centre.as_slice().iter().zip(other.as_slice()).map(|(a, b)| a + away * b);
        Vector::new(numbers.collect()).unwrap()
    }
}

pub(crate) fn matrix(vectors: &[Vector]) -> Vec<f32> {
    vectors.iter().flat_map(|vector| vector.as_slice().iter().copied()).collect()
}

/// The definition, in 64 bits: every row's cosine, best first.
pub(crate) fn naive<'v>(vectors: impl IntoIterator<Item = &'v Vector>, query: &Vector) -> Vec<(usize, f64)> {
    let cosine = |vector: &Vector| -> f64 {
        let pairs = vector.as_slice().iter().zip(query.as_slice());
        pairs.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let mut scores: Vec<(usize, f64)> =
        vectors.into_iter().enumerate().map(|(n, v)| (n, cosine(v))).collect();
    scores.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    scores
}

/// Holds when `hits` are the best of `expected`; rows whose scores differ by rounding alone may change places.
pub(crate) fn assert_best(hits: &[RowHit], expected: &[(usize, f64)], k: usize) {
    assert_eq!(hits.len(), k.min(expected.len()));
    let scores: BTreeMap<usize, f64> = expected.iter().copied().collect();
    let mut seen: Vec<usize> = hits.iter().map(|hit| hit.row).collect();
    for (hit, (_, score)) in hits.iter().zip(expected) {
        assert!((f64::from(hit.score) - score).abs() < 1e-5, "{hit:?} {score}");
        assert!((f64::from(hit.score) - scores[&hit.row]).abs() < 1e-5, "{hit:?}");
    }
    assert!(hits.is_sorted_by(|a, b| a.score > b.score || (a.score == b.score && a.row < b.row)), "{hits:?}");
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), hits.len());
}

pub(crate) fn space(dimension: usize) -> VectorSpace {
    VectorSpace::new("test-model", Dimension::new(dimension).unwrap()).with_prefixes("q: ", "p: ")
}

pub(crate) fn generation(number: u64) -> VectorGeneration {
    let mut generation = VectorGeneration::default();
    (generation.store, generation.number) = ("store".to_owned(), number);
    generation
}

/// An id that is not in the order of keys.
pub(crate) fn id(key: u64) -> ChunkId {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&key.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes());
    ChunkId::from_bytes(bytes)
}

/// What has to be found: the model is all vectors that are there, by key.
pub(crate) fn expected(model: &BTreeMap<u64, Vector>, query: &Vector, k: usize) -> Vec<(u64, f64)> {
    let keys: Vec<u64> = model.keys().copied().collect();
    let mut expected: Vec<(u64, f64)> =
        naive(model.values(), query).into_iter().map(|(n, s)| (keys[n], s)).collect();
    expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(id(a.0).cmp(&id(b.0))));
    expected.truncate(k);
    expected
}

pub(crate) fn assert_finds(files: &VectorFiles, model: &BTreeMap<u64, Vector>, query: &Vector, k: usize) {
    assert_eq!(files.len(), model.len());
    let full = files.clone().with_scan(VectorScan::Full).find(query, k, None).unwrap();
    let by_codes = files.clone().with_scan(VectorScan::Codes).find(query, k, None).unwrap();
    assert_eq!(by_codes, full);
    let expected = expected(model, query, k);
    assert_eq!(full.len(), expected.len());
    for (hit, (_, score)) in full.iter().zip(&expected) {
        assert!((f64::from(hit.score) - score).abs() < 1e-5, "{hit:?} {score}");
        assert_eq!(hit.chunk, id(hit.key));
        let own = naive([&model[&hit.key]], query)[0].1;
        assert!((f64::from(hit.score) - own).abs() < 1e-5, "{hit:?} {own}");
    }
    assert!(full.is_sorted_by(|a, b| a.score > b.score || (a.score == b.score && a.chunk < b.chunk)));
}

pub(crate) fn segments(folder: &Path) -> usize {
    names(folder).iter().filter(|name| name.ends_with(".vectors")).count()
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

pub(crate) fn write(folder: &Path, coded: bool, vectors: &BTreeMap<u64, Vector>, number: u64) {
    let dimension = vectors.values().next().map_or(4, |vector| vector.dimension().get());
    let mut writer = VectorWriter::create(folder, space(dimension), coded).unwrap();
    for (key, vector) in vectors {
        writer.add(*key, &id(*key), vector).unwrap();
    }
    writer.commit(generation(number)).unwrap();
}
