use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::score_cache::{ScoreCache, keys};
use super::{CrossEncoderOptions, EarlyStop};
use crate::lazy::Lazy;
use crate::model::ModelFolder;
use crate::runtime::{Batch, Cause, Pool, Row, open};
use crate::{Backend, End, Error, Limits, Reranker, Scored, lock};

/// A cross-encoder in ONNX form, such as ms-marco-MiniLM-L-6-v2.
///
/// It is opened on first use, and may be shared between threads. Each pair of question and passage is a run of its own:
/// nothing is padded, and a passage's score does not depend on its neighbours, not even on quantised models.
#[derive(Debug)]
pub struct CrossEncoder {
    model: Lazy<Opened>,
    options: CrossEncoderOptions,
    name: String,
    cache: ScoreCache,
}

/// The model once it is in memory.
#[derive(Debug)]
struct Opened {
    folder: ModelFolder,
    pool: Pool,
}

impl CrossEncoder {
    /// The model in `folder`: `model.onnx` (or one of the usual places under `onnx/`) and `tokenizer.json`, with
    /// `config.json` and `tokenizer_config.json` where there are any. Nothing is read before the first use.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>, options: CrossEncoderOptions) -> Self {
        let folder = folder.into();
        let own = || folder.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = options.name.clone().or_else(own).unwrap_or_else(|| folder.display().to_string());
        let (runtime, given) = (options.runtime.clone(), name.clone());
        let open = move || {
            let folder = ModelFolder::read(&folder, &given)?;
            let pool = open(&given, &folder.weights, &["logits"], &runtime)?;
            Ok(Opened { folder, pool })
        };
        let model = Lazy::new(name.clone(), options.unload_after, open);
        let cache = ScoreCache::new(options.cached_scores);
        Self { model, options, name, cache }
    }

    /// Opens the model now rather than on first use.
    ///
    /// # Errors
    /// [`Error::Unavailable`] with the reason: files or runtime missing ([`Error::missing`]), or malformed. It is
    /// remembered, and tried again after a while.
    pub fn load(&self) -> Result<Backend, Error> {
        Ok(self.model.get()?.pool.backend)
    }

    /// Gives the model's memory back and forgets a failure to open it. The next use opens it again.
    pub fn unload(&self) {
        self.model.close();
    }

    fn score(
        &self,
        query: &str,
        passages: &[&str],
        limits: &Limits<'_>,
        early: Option<EarlyStop>,
    ) -> Result<Scored, Error> {
        if passages.is_empty() {
            return Ok(Scored::complete(Vec::new()));
        }
        if let Some(end) = limits.reached() {
            return Ok(Scored { scores: vec![None; passages.len()], end });
        }
        let model = self.model.get()?;
        let keys = keys(&self.identity(&model), query, passages);
        let known: Vec<Option<f32>> = keys.iter().map(|key| self.cache.get(key)).collect();
        let query = model.query(query, &self.options)?;
        // Given order where the end may come early, else the long ones first, so that the threads end together.
        let mut order: Vec<usize> =
            (0..passages.len()).filter(|&at| known.get(at).is_some_and(Option::is_none)).collect();
        if limits.deadline.is_none() && limits.stop.is_none() && early.is_none() {
            order.sort_by_key(|&at| std::cmp::Reverse(passages.get(at).map(|passage| passage.len())));
        }
        let progress = Mutex::new(Progress { logits: known, decided: None });
        let over = Mutex::new(None);
        let all = AtomicBool::new(false);
        let stop = || {
            let reached = limits.reached();
            if reached.is_some() {
                lock(&over).get_or_insert(reached);
            }
            reached.is_some() || all.load(Ordering::Relaxed)
        };
        let work = |job: usize, graph: &mut dyn crate::runtime::Graph| -> Result<(), Cause> {
            let Some((&at, key)) = order.get(job).and_then(|at| Some((at, keys.get(*at)?))) else {
                return Ok(());
            };
            let Some(passage) = passages.get(at) else { return Ok(()) };
            let Some(logit) = model.logit(&query, passage, &self.options, graph, &stop)? else {
                return Ok(());
            };
            self.cache.put(*key, logit);
            let mut progress = lock(&progress);
            if let Some(place) = progress.logits.get_mut(at) {
                *place = Some(logit);
            }
            if let Some(early) = early
                && progress.decide(early)
            {
                all.store(true, Ordering::Relaxed);
            }
            Ok(())
        };
        let failed = |source| Error::Model { model: self.name.clone(), source };
        model.pool.each(order.len(), &stop, work).map_err(failed)?;
        let Progress { mut logits, decided } =
            progress.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(count) = decided {
            // What a second thread scored beyond is dropped: the outcome must not depend on threads.
            logits.iter_mut().skip(count).for_each(|logit| *logit = None);
        }
        let end = match lock(&over).flatten() {
            _ if decided.is_some() => End::Decided,
            Some(end) if logits.iter().any(Option::is_none) => end,
            _ => End::Complete,
        };
        let apply = |logit: Option<f32>| logit.map(|logit| self.options.activation.apply(logit));
        Ok(Scored { scores: logits.into_iter().map(apply).collect(), end })
    }

    /// Names the model and all that changes its logits.
    fn identity(&self, model: &Opened) -> String {
        let CrossEncoderOptions { query_tokens, windows, .. } = &self.options;
        format!("{} {} {query_tokens} {windows:?}", model.folder.identity, model.pool.backend)
    }
}

impl Reranker for CrossEncoder {
    fn model(&self) -> &str {
        &self.name
    }

    fn backend(&self) -> Option<Backend> {
        self.model.peek().map(|model| model.pool.backend)
    }

    fn pieces_per_word(&self, text: &str) -> Option<f32> {
        self.model.get().ok()?.folder.tokenizer.pieces_per_word(text)
    }

    #[allow(clippy::cast_precision_loss, reason = "tokens of a question are few")]
    fn question_read(&self, query: &str) -> f32 {
        let share = || {
            let model = self.model.get().ok()?;
            let all = model.folder.tokenizer.ids(query).ok()?.len();
            let read = model.query(query, &self.options).ok()?.len();
            (all > 0).then(|| read as f32 / all as f32)
        };
        share().unwrap_or(1.0)
    }

    fn scores(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>, Error> {
        let scored = self.score(query, passages, &Limits::default(), None)?;
        let missing = || Error::Model { model: self.name.clone(), source: "a passage was not scored".into() };
        scored.all().ok_or_else(missing)
    }

    fn scores_within(&self, query: &str, passages: &[&str], limits: &Limits<'_>) -> Result<Scored, Error> {
        self.score(query, passages, limits, self.options.early_stop)
    }
}

impl Opened {
    /// The tokens of a question that are read.
    fn query(&self, query: &str, options: &CrossEncoderOptions) -> Result<Vec<u32>, Error> {
        let mut ids = self.folder.tokenizer.ids(query)?;
        let room = self.folder.positions().saturating_sub(self.folder.tokenizer.pair_marks());
        ids.truncate(options.query_tokens.get().min(room / 2));
        Ok(ids)
    }

    /// The best logit of a passage's windows; `None` when stopped before all are read.
    fn logit(
        &self,
        query: &[u32],
        passage: &str,
        options: &CrossEncoderOptions,
        graph: &mut dyn crate::runtime::Graph,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<f32>, Cause> {
        let passage = self.folder.tokenizer.ids(passage)?;
        let around = query.len() + self.folder.tokenizer.pair_marks();
        let room = self.folder.positions().saturating_sub(around);
        let mut best: Option<f32> = None;
        for (at, window) in options.windows.of(query, &passage, room, around).into_iter().enumerate() {
            if at > 0 && stop() {
                return Ok(None);
            }
            let parts = window.into_iter().filter_map(|part| passage.get(part));
            let logit =
                run(graph, &self.folder.tokenizer.pair_row(query, &parts.collect::<Vec<_>>().concat()))?;
            best = Some(best.map_or(logit, |best| best.max(logit)));
        }
        Ok(best)
    }
}

fn run(graph: &mut dyn crate::runtime::Graph, row: &Row) -> Result<f32, Cause> {
    let mut batch = Batch::of_length(row.ids.len());
    batch.push(row);
    let output = graph.run(&batch)?;
    match output.per_row(1)?.next() {
        Some([logit]) if logit.is_finite() => Ok(*logit),
        Some([_]) => Err("the model gave a number that is not finite".into()),
        _ => {
            Err(format!("a cross-encoder gives one number a pair; this model gave {:?}", output.shape).into())
        }
    }
}

/// What is scored so far.
struct Progress {
    logits: Vec<Option<f32>>,
    /// How many passages it took to decide the first places.
    decided: Option<usize>,
}

impl Progress {
    /// Whether the first places are decided. Looks only at the passages before the first one without a score, so that
    /// the answer is the same however many threads score.
    fn decide(&mut self, early: EarlyStop) -> bool {
        let mut top: Vec<f32> = Vec::with_capacity(early.top.get());
        let mut misses = 0;
        for (at, logit) in self.logits.iter().enumerate() {
            let Some(logit) = *logit else { break };
            let place = top.partition_point(|&better| better >= logit);
            if place < early.top.get() {
                top.insert(place, logit);
                top.truncate(early.top.get());
                misses = 0;
            } else {
                misses += 1;
            }
            if misses >= early.misses.get() && at + 1 < self.logits.len() {
                self.decided = Some(at + 1);
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    fn decided(logits: &[f32], known: usize, top: usize, misses: usize) -> Option<usize> {
        let number = |number| NonZeroUsize::new(number).unwrap();
        let logits = logits.iter().enumerate().map(|(at, &logit)| (at < known).then_some(logit)).collect();
        let mut progress = Progress { logits, decided: None };
        let early = EarlyStop { top: number(top), misses: number(misses) };
        assert_eq!(progress.decide(early), progress.decided.is_some());
        progress.decided
    }

    #[test]
    fn the_first_places_are_decided_after_enough_misses_in_a_row() {
        let logits = [3.0, 2.0, 1.0, 0.5, 9.0, 0.4, 0.3, 0.2, 0.1];
        assert_eq!(decided(&logits, 9, 2, 3), Some(8));
        assert_eq!(decided(&logits, 9, 2, 2), Some(4));
        assert_eq!(decided(&logits, 3, 2, 2), None);
        assert_eq!(decided(&logits, 9, 9, 1), None);
    }
}
