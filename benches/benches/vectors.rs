//! Search by meaning beside what it cannot be faster than: reading the same bytes once from memory.
//!
//! The bars, for 100,000 vectors of 768 numbers and the best 12: exact rows at most 1.3 times, codes at most 3 times
//! as long as reading what they scan. The ratios are taken in turns, so that what else the machine does falls on both
//! sides, and printed first.

#![allow(missing_docs, reason = "criterion's macros make public items")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot be set up has to stop")]
#![allow(clippy::print_stderr, reason = "the ratios are for whoever runs it")]

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rayon::prelude::*;
use tusab_chunk::ChunkId;
use tusab_index::{
    CodedRows, Dimension, Vector, VectorFiles, VectorGeneration, VectorRows, VectorScan, VectorSpace,
    VectorWriter,
};

const DIMENSION: usize = 768;
const POOL: usize = 12;
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

/// Vectors around a thousand centres, the same at every run.
struct Drawn {
    state: u64,
    centres: Vec<Vec<f32>>,
}

impl Drawn {
    fn new() -> Self {
        let mut drawn = Self { state: 1, centres: Vec::new() };
        drawn.centres = (0..1_000).map(|_| (0..DIMENSION).map(|_| drawn.number()).collect()).collect();
        drawn
    }

    fn next(&mut self) -> u16 {
        // Knuth's multiplier; the high bits are good enough here.
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        u16::try_from(self.state >> 48).unwrap_or_default()
    }

    fn number(&mut self) -> f32 {
        (0..3).map(|_| f32::from(self.next()) / 65_536.0 - 0.5).sum()
    }

    fn vector(&mut self) -> Vector {
        let centre = usize::from(self.next()) % self.centres.len();
        let centre = self.centres.get(centre).cloned().unwrap_or_default();
        Vector::new(centre.into_iter().map(|number| number + self.number()).collect()).expect("a vector")
    }
}

/// Reads every byte once, on all processors, and does next to nothing with it.
fn read(words: &[u64]) -> u64 {
    let xor = |words: &[u64]| {
        let mut sums = [0; 32];
        for chunk in words.chunks_exact(sums.len()) {
            for (sum, word) in sums.iter_mut().zip(chunk) {
                *sum ^= word;
            }
        }
        sums.iter().fold(0, |all, sum| all ^ sum)
    };
    words.par_chunks(1 << 17).map(xor).reduce(|| 0, |a, b| a ^ b)
}

fn write(folder: &Path, values: &[f32]) -> VectorFiles {
    let space = VectorSpace::new("drawn", Dimension::new(DIMENSION).expect("a dimension"));
    let mut writer = VectorWriter::create(folder, space, true).expect("a folder");
    for (key, row) in (0_u64..).zip(values.chunks_exact(DIMENSION)) {
        let mut id = [0; 16];
        id.iter_mut().zip(key.to_be_bytes()).for_each(|(to, from)| *to = from);
        let vector = Vector::new(row.to_vec()).expect("a vector");
        writer.add(key, &ChunkId::from_bytes(id), &vector).expect("a row");
    }
    writer.commit(VectorGeneration::default()).expect("a commit");
    VectorFiles::open(folder).expect("files")
}

fn time(work: &dyn Fn()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// Prints how much longer `work` takes than `floor`: least by least, and median by median.
fn ratio(name: &str, floor: &dyn Fn(), work: &dyn Fn()) {
    let (mut floors, mut works): (Vec<_>, Vec<_>) = (0..41).map(|_| (time(floor), time(work))).unzip();
    floors.sort_unstable();
    works.sort_unstable();
    let of = |place: usize| {
        let (floor, work) = (floors.get(place).copied(), works.get(place).copied());
        let (floor, work) = (floor.unwrap_or_default(), work.unwrap_or_default());
        format!("{:.2} ({work:.2?} to {floor:.2?})", work.as_secs_f64() / floor.as_secs_f64())
    };
    eprintln!("{name}: times reading the same bytes: least {}, median {}", of(0), of(floors.len() / 2));
}

fn vectors(c: &mut Criterion) {
    let mut drawn = Drawn::new();
    let mut values: Vec<f32> = Vec::new();
    let query = drawn.vector();
    let mut group = c.benchmark_group("vectors");
    group.sample_size(20);
    for size in SIZES {
        while values.len() < size * DIMENSION {
            values.extend_from_slice(drawn.vector().as_slice());
        }
        let folder = tempfile::tempdir().expect("a folder");
        let files = write(folder.path(), &values);
        let full_files = files.clone().with_scan(VectorScan::Full);
        let rows = VectorRows::new(&values, DIMENSION).expect("rows");
        let coded = CodedRows::new(rows);
        // Apart from the rows, so that neither is read into the processor's cache for the other.
        let words: Vec<u64> = (0..values.len() / 2).map(|word| word as u64).collect();
        let as_many = words.get(..values.len() / 8).unwrap_or_default();
        let read_rows = || {
            black_box(read(black_box(&words)));
        };
        let read_codes = || {
            black_box(read(black_box(as_many)));
        };
        let search = |found: usize| assert_eq!(black_box(found), POOL);
        let exact = || search(rows.nearest(black_box(&query), POOL, None).expect("rows").len());
        let by_codes = || search(coded.nearest(black_box(&query), POOL, None).expect("rows").len());
        let files_exact = || search(full_files.find(black_box(&query), POOL, None).expect("rows").len());
        let files_codes = || search(files.find(black_box(&query), POOL, None).expect("rows").len());
        eprintln!("{size} x {DIMENSION}: first search of files, with checking: {:?}", time(&files_codes));
        ratio(&format!("{size} rows in memory, exact"), &read_rows, &exact);
        ratio(&format!("{size} rows in memory, codes"), &read_codes, &by_codes);
        ratio(&format!("{size} rows in files, exact"), &read_rows, &files_exact);
        ratio(&format!("{size} rows in files, codes"), &read_codes, &files_codes);
        for (name, bytes, work) in [
            ("reading rows", 4, &read_rows as &dyn Fn()),
            ("exact", 4, &exact),
            ("exact, files", 4, &files_exact),
            ("reading codes", 1, &read_codes),
            ("codes", 1, &by_codes),
            ("codes, files", 1, &files_codes),
        ] {
            group.throughput(Throughput::Bytes((size * DIMENSION * bytes) as u64));
            group.bench_function(BenchmarkId::new(name, size), |b| b.iter(work));
        }
    }
    group.finish();
}

/// What an open costs, and a commit beside many vectors.
fn files(c: &mut Criterion) {
    let mut drawn = Drawn::new();
    let values: Vec<f32> = (0..20_000).flat_map(|_| Vec::from(drawn.vector().as_slice())).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let files = write(folder.path(), &values);
    let mut group = c.benchmark_group("vector files of 20,000");
    group.sample_size(20);
    group.bench_function("open", |b| b.iter(|| VectorFiles::open(black_box(folder.path())).expect("files")));
    group.bench_function("check", |b| b.iter(|| files.check().expect("whole files")));
    let mut writer = VectorWriter::open(folder.path()).expect("a writer");
    let mut key = 1_000_000;
    group.bench_function("durable commit of 10 more", |b| {
        b.iter(|| {
            for _ in 0..10 {
                key += 1;
                let id = ChunkId::from_bytes(u128::from(key).to_be_bytes());
                writer.add(key, &id, &drawn.vector()).expect("a row");
            }
            writer.commit(VectorGeneration::default()).expect("a commit");
        });
    });
    group.finish();
}

criterion_group!(benches, vectors, files);
criterion_main!(benches);
