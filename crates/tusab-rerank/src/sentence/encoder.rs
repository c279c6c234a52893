use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::vectors::{mean, normalize, pool};
use super::{LongText, SentenceOptions};
use crate::lazy::Lazy;
use crate::model::ModelFolder;
use crate::runtime::{Batch, Cause, Pool, Row, open};
use crate::{Backend, Embedder, Embeddings, Error, Pooling};

/// A sentence encoder in ONNX form, such as all-MiniLM-L6-v2: texts into vectors of length 1, equal to those of
/// sentence-transformers on the same weights.
///
/// It is opened on first use, and may be shared between threads. Passages run one by one, so that a vector does not
/// depend on its neighbours, not even on quantised models; phrases run in batches of equal length.
#[derive(Debug)]
pub struct SentenceEncoder {
    model: Lazy<Opened>,
    name: String,
    long_text: LongText,
}

/// The model once it is in memory.
#[derive(Debug)]
struct Opened {
    folder: ModelFolder,
    pool: Pool,
    pooling: Pooling,
    query_prefix: String,
    passage_prefix: String,
    /// Tokens of a text in one run, without marks.
    window: usize,
    dimension: NonZeroUsize,
}

/// Tokens of a batch of phrases. Larger ones fall out of the processor's caches, smaller ones leave it waiting: on an
/// AVX-512 machine 320 to 640 were fastest, measured for the shape of MiniLM-L6.
const BATCH_TOKENS: usize = 512;

impl SentenceEncoder {
    /// The model in `folder`: `model.onnx` (or one of the usual places under `onnx/`) and `tokenizer.json`, with the
    /// files of sentence-transformers where there are any. Nothing is read before the first use.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>, options: SentenceOptions) -> Self {
        let folder = folder.into();
        let own = || folder.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = options.name.clone().or_else(own).unwrap_or_else(|| folder.display().to_string());
        let (long_text, idle) = (options.long_text, options.unload_after);
        let given = name.clone();
        let model = Lazy::new(name.clone(), idle, move || Opened::open(&folder, &given, &options));
        Self { model, name, long_text }
    }

    /// Opens the model now rather than on first use.
    ///
    /// # Errors
    /// [`Error::Unavailable`] with the reason: files or runtime missing ([`Error::missing`]), or malformed. It is
    /// remembered, and tried again after a while.
    pub fn load(&self) -> Result<Backend, Error> {
        Ok(self.model.get()?.pool.backend)
    }

    /// What runs the model, when it is open.
    #[must_use]
    pub fn backend(&self) -> Option<Backend> {
        self.model.peek().map(|model| model.pool.backend)
    }

    /// Gives the model's memory back and forgets a failure to open it. The next use opens it again.
    pub fn unload(&self) {
        self.model.close();
    }

    fn embed(
        &self,
        texts: &[&str],
        prefix: impl Fn(&Opened) -> &str,
        batch: BatchBy,
        long: LongText,
    ) -> Result<Embeddings, Error> {
        let model = self.model.get()?;
        let prefix = prefix(&model);
        // The rows of each text, all in one list: (text, row).
        let mut rows: Vec<(usize, Row)> = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            let ids = match prefix {
                "" => model.folder.tokenizer.ids(text)?,
                prefix => model.folder.tokenizer.ids(&format!("{prefix}{text}"))?,
            };
            rows.extend(windows(&ids, model.window, long).map(|ids| (at, model.folder.tokenizer.row(ids))));
        }
        let vectors =
            model.run(&rows, batch).map_err(|source| Error::Model { model: self.name.clone(), source })?;
        let mut values = Vec::with_capacity(texts.len() * model.dimension.get());
        // Rows of one text stand side by side.
        let mut parts = rows.iter().map(|(at, _)| *at).zip(&vectors).peekable();
        for at in 0..texts.len() {
            let mut own = Vec::new();
            while let Some((_, vector)) = parts.next_if(|(text, _)| *text == at) {
                own.push(vector.as_slice());
            }
            match own.as_slice() {
                [only] => values.extend_from_slice(only),
                all => {
                    let mut vector = mean(all.iter().copied(), model.dimension.get());
                    normalize(&mut vector);
                    values.extend(vector);
                }
            }
        }
        Embeddings::new(model.dimension, values)
    }
}

/// How rows share runs of the model.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BatchBy {
    Row,
    EqualLength,
}

/// The windows of a text: none is longer than `room`, all are of nearly one length, and even an empty text has one.
fn windows(ids: &[u32], room: usize, long: LongText) -> impl Iterator<Item = &[u32]> {
    let room = room.max(1);
    let count = match long {
        LongText::Head => 1,
        LongText::Mean => ids.len().div_ceil(room).max(1),
    };
    let width = ids.len().div_ceil(count).min(room);
    (0..count).map(move |at| ids.get(at * width..((at + 1) * width).min(ids.len())).unwrap_or_default())
}

impl Opened {
    fn open(folder: &std::path::Path, name: &str, options: &SentenceOptions) -> Result<Self, Error> {
        let folder = ModelFolder::read(folder, name)?;
        let outputs = ["sentence_embedding", "last_hidden_state", "token_embeddings"];
        let pool = open(name, &folder.weights, &outputs, &options.runtime)?;
        let config = &folder.config;
        let asked = options.tokens.map(NonZeroUsize::get).or(config.sentence_tokens);
        let tokens = asked.map_or(folder.positions(), |tokens| tokens.min(folder.positions()));
        let pooling = options.pooling.or(config.pooling).unwrap_or(Pooling::Mean);
        let prefix = |given: &Option<String>, own: &Option<String>| {
            given.clone().or_else(|| own.clone()).unwrap_or_default()
        };
        let mut opened = Self {
            query_prefix: prefix(&options.query_prefix, &config.query_prefix),
            passage_prefix: prefix(&options.passage_prefix, &config.passage_prefix),
            window: tokens.saturating_sub(folder.tokenizer.marks()).max(1),
            dimension: NonZeroUsize::MIN,
            folder,
            pool,
            pooling,
        };
        // The files need not say it: the model itself does.
        let failed = |source| Error::Model { model: name.to_owned(), source };
        let probe = vec![(0, opened.folder.tokenizer.row(&opened.folder.tokenizer.ids("a")?))];
        let vectors = opened.run(&probe, BatchBy::Row).map_err(failed)?;
        let dimension = vectors.first().and_then(|vector| NonZeroUsize::new(vector.len()));
        opened.dimension = dimension.ok_or_else(|| failed("the model gave no vector".into()))?;
        Ok(opened)
    }

    /// The vector of each row.
    fn run(&self, rows: &[(usize, Row)], by: BatchBy) -> Result<Vec<Vec<f32>>, Cause> {
        let jobs = jobs(rows, by);
        let work = |job: usize, graph: &mut dyn crate::runtime::Graph| {
            let places = jobs.get(job).map(Vec::as_slice).unwrap_or_default();
            let members = places.iter().filter_map(|&at| rows.get(at));
            let length = members.clone().next().map_or(0, |(_, row)| row.ids.len());
            let mut batch = Batch::of_length(length);
            members.for_each(|(_, row)| batch.push(row));
            pool(&graph.run(&batch)?, places.len(), self.pooling)
        };
        let done = self.pool.each(jobs.len(), &|| false, work)?;
        let mut vectors = vec![Vec::new(); rows.len()];
        for (places, given) in jobs.iter().zip(done.into_iter().flatten()) {
            for (&at, vector) in places.iter().zip(given) {
                if let Some(place) = vectors.get_mut(at) {
                    *place = vector;
                }
            }
        }
        Ok(vectors)
    }
}

/// The rows of each run, the heaviest run first so that the threads end together.
fn jobs(rows: &[(usize, Row)], by: BatchBy) -> Vec<Vec<usize>> {
    let length = |at: usize| rows.get(at).map_or(0, |(_, row)| row.ids.len());
    let mut jobs: Vec<Vec<usize>> = match by {
        BatchBy::Row => (0..rows.len()).map(|at| vec![at]).collect(),
        BatchBy::EqualLength => {
            let mut lengths: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for at in 0..rows.len() {
                lengths.entry(length(at)).or_default().push(at);
            }
            let batches = lengths.iter().flat_map(|(length, rows)| {
                rows.chunks((BATCH_TOKENS / (*length).max(1)).max(1)).map(<[usize]>::to_vec)
            });
            batches.collect()
        }
    };
    let weight = |job: &Vec<usize>| job.len() * job.first().map_or(0, |&at| length(at));
    jobs.sort_by_key(|job| std::cmp::Reverse(weight(job)));
    jobs
}

impl Embedder for SentenceEncoder {
    fn model(&self) -> &str {
        &self.name
    }

    fn identity(&self) -> Result<String, Error> {
        let model = self.model.get()?;
        let Opened { pooling, query_prefix, passage_prefix, window, .. } = &*model;
        let long = self.long_text;
        Ok(format!(
            "{} {pooling:?} {window} {long:?} {query_prefix:?} {passage_prefix:?}",
            model.folder.identity
        ))
    }

    fn dimension(&self) -> Result<NonZeroUsize, Error> {
        Ok(self.model.get()?.dimension)
    }

    fn pieces_per_word(&self, text: &str) -> Option<f32> {
        self.model.get().ok()?.folder.tokenizer.pieces_per_word(text)
    }

    fn embed_passages(&self, passages: &[&str]) -> Result<Embeddings, Error> {
        self.embed(passages, |model| &model.passage_prefix, BatchBy::Row, self.long_text)
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, Error> {
        let embeddings = self.embed(&[query], |model| &model.query_prefix, BatchBy::Row, LongText::Head)?;
        Ok(embeddings.rows().next().unwrap_or_default().to_vec())
    }

    fn embed_phrases(&self, phrases: &[&str]) -> Result<Embeddings, Error> {
        self.embed(phrases, |_| "", BatchBy::EqualLength, LongText::Head)
    }

    fn embed_heads(&self, texts: &[&str]) -> Result<Embeddings, Error> {
        self.embed(texts, |_| "", BatchBy::Row, LongText::Head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_read_whole_in_windows_of_nearly_one_length() {
        let ids: Vec<u32> = (0..25).collect();
        let all: Vec<&[u32]> = windows(&ids, 10, LongText::Mean).collect();
        assert_eq!(all.iter().map(|window| window.len()).collect::<Vec<_>>(), [9, 9, 7]);
        assert_eq!(all.concat(), ids);
        assert_eq!(windows(&ids, 10, LongText::Head).collect::<Vec<_>>(), [&ids[..10]]);
        assert_eq!(windows(&[], 10, LongText::Mean).collect::<Vec<_>>(), [&[] as &[u32]]);
        assert_eq!(windows(&ids, 30, LongText::Mean).collect::<Vec<_>>(), [&ids[..]]);
    }

    #[test]
    fn phrases_share_runs_with_those_of_their_length_only() {
        let row = |length: usize| (0, Row { ids: vec![0; length], types: vec![0; length] });
        let rows: Vec<_> = [3, 4, 3, 4, 4, 600].into_iter().map(row).collect();
        assert_eq!(jobs(&rows, BatchBy::EqualLength), [vec![5], vec![1, 3, 4], vec![0, 2]]);
        assert_eq!(jobs(&rows, BatchBy::Row).len(), 6);
        let many = vec![row(4); 300];
        assert_eq!(
            jobs(&many, BatchBy::EqualLength).iter().map(Vec::len).collect::<Vec<_>>(),
            [128, 128, 44]
        );
    }
}
