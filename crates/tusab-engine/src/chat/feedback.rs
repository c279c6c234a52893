//! What people think of answers. It widens and orders what is found, and never becomes a source.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tusab_chunk::DocId;
use tusab_index::tokens;

use super::{ChatSession, TurnId};
use crate::clock::timestamp;
use crate::keep::Keep;
use crate::runtime::blocking;
use crate::{Error, Project};

const FILE: &str = "feedback.json";

/// Held while ratings are written.
pub(crate) const LOCK: &str = "feedback.lock";

/// Ratings kept one by one; older ones are counted.
const KEPT: usize = 5000;

/// How many answers were rated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RatingCounts {
    /// Up.
    pub up: usize,
    /// Down.
    pub down: usize,
}

/// What somebody thinks of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Rating {
    /// It helped: for the same question, its sources come first.
    Up,
    /// It did not: with many of these, the project is searched more widely.
    Down,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Ratings {
    version: u32,
    /// Thumbs down that are no longer among `entries`.
    #[serde(default)]
    older_downs: usize,
    /// Oldest first; one for each turn.
    #[serde(rename = "ratings")]
    entries: Vec<Entry>,
    /// What a later version may have written; kept.
    #[serde(flatten)]
    extra: Map<String, Value>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entry {
    rated_at: String,
    session: String,
    turn: TurnId,
    rating: Rating,
    /// As it was searched for.
    question: String,
    /// The documents that the answer rests on.
    #[serde(default)]
    docs: Vec<DocId>,
    #[serde(flatten)]
    extra: Map<String, Value>,
}

/// A project's ratings, in a file of `management/`.
#[derive(Debug)]
pub(crate) struct Feedback {
    keep: Keep,
    /// As read last; `None` before the first time.
    known: Mutex<Option<Arc<Ratings>>>,
}

impl Feedback {
    pub(crate) fn new(management: Keep) -> Self {
        Self { keep: management, known: Mutex::default() }
    }

    /// How many answers were rated down, for the pool of Broad Search. Blocks while the disk is read, the first time.
    pub(crate) fn disliked(&self) -> usize {
        // Ratings that cannot be read are told by the next one that is written.
        self.ratings().map_or(0, |ratings| ratings.downs())
    }

    /// The documents that answered this very question well.
    pub(super) async fn raised(self: &Arc<Self>, question: &str) -> Result<Vec<DocId>, Error> {
        let (feedback, question) = (Arc::clone(self), tokens(question));
        blocking("reading ratings", move || {
            let Ok(ratings) = feedback.ratings() else { return Ok(Vec::new()) };
            let same = ratings.entries.iter().filter(|entry| tokens(&entry.question) == question);
            let mut raised: Vec<DocId> = Vec::new();
            // In their order, so that a thumb down takes back what an earlier one has raised.
            for entry in same {
                match entry.rating {
                    Rating::Up => raised.extend(entry.docs.iter().cloned()),
                    Rating::Down => raised.retain(|doc| !entry.docs.contains(doc)),
                }
            }
            Ok(raised)
        })
        .await
    }

    fn ratings(&self) -> Result<Arc<Ratings>, Error> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that other machines write to are read each time.
        if let Some(ratings) = known.as_ref().filter(|_| !self.keep.is_shared()) {
            return Ok(Arc::clone(ratings));
        }
        let ratings = Arc::new(Ratings::parse(self.keep.read(FILE)?.as_deref(), &self.keep.path(FILE))?);
        *known = Some(Arc::clone(&ratings));
        Ok(ratings)
    }

    /// Keeps a rating, durably; `None` takes back what was there of its turn.
    fn keep(&self, entry: &Entry, is_given: bool) -> Result<(), Error> {
        let path = self.keep.path(FILE);
        let mut kept = Ratings::default();
        self.keep.change(FILE, LOCK, &mut |read| {
            let mut ratings = Ratings::parse(read.as_deref(), &path)?;
            ratings.version = Ratings::VERSION;
            ratings.entries.retain(|other| other.session != entry.session || other.turn != entry.turn);
            if is_given {
                ratings.entries.push(entry.clone());
            }
            kept = ratings.cut();
            kept.to_bytes(&path).map(Some)
        })?;
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(kept));
        Ok(())
    }
}

impl Feedback {
    /// Adds the ratings of another project, under what its sessions are `called` here; how many are new.
    pub(crate) fn take_from(&self, other: &Self, called: &dyn Fn(&str) -> String) -> Result<usize, Error> {
        let theirs = Ratings::parse(other.keep.read(FILE)?.as_deref(), &other.keep.path(FILE))?;
        if theirs.entries.is_empty() {
            return Ok(0);
        }
        let path = self.keep.path(FILE);
        let (mut kept, mut brought) = (Ratings::default(), 0);
        self.keep.change(FILE, LOCK, &mut |read| {
            let mut ratings = Ratings::parse(read.as_deref(), &path)?;
            brought = 0;
            for entry in &theirs.entries {
                let session = called(&entry.session);
                let same = |known: &&Entry| {
                    known.turn == entry.turn
                        && (known.session == session
                            || (known.question == entry.question && known.rated_at == entry.rated_at))
                };
                if !ratings.entries.iter().any(|known| same(&known)) {
                    ratings.entries.push(Entry { session, ..entry.clone() });
                    brought += 1;
                }
            }
            if brought == 0 {
                kept = ratings;
                return Ok(read);
            }
            ratings.version = Ratings::VERSION;
            // Oldest first, as they are kept; equal ones as they stand.
            ratings.entries.sort_by(|a, b| a.rated_at.cmp(&b.rated_at));
            kept = ratings.cut();
            kept.to_bytes(&path).map(Some)
        })?;
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(kept));
        Ok(brought)
    }
}

impl Ratings {
    const VERSION: u32 = 1;

    fn downs(&self) -> usize {
        self.older_downs + self.entries.iter().filter(|entry| entry.rating == Rating::Down).count()
    }

    /// Without those that are too old to be kept one by one.
    fn cut(mut self) -> Self {
        let surplus = self.entries.len().saturating_sub(KEPT);
        let gone = self.entries.drain(..surplus);
        let downs = gone.filter(|entry| entry.rating == Rating::Down).count();
        self.older_downs += downs;
        self
    }

    fn to_bytes(&self, path: &Path) -> Result<Vec<u8>, Error> {
        let damaged =
            |error: serde_json::Error| Error::Damaged { path: path.to_owned(), reason: error.to_string() };
        serde_json::to_vec_pretty(self).map_err(damaged)
    }

    fn parse(bytes: Option<&[u8]>, path: &Path) -> Result<Self, Error> {
        let Some(bytes) = bytes else { return Ok(Self::default()) };
        let damaged = |reason| Error::Damaged { path: path.to_owned(), reason };
        let ratings: Self = serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()))?;
        if ratings.version > Self::VERSION {
            return Err(Error::Newer { path: path.to_owned(), version: ratings.version });
        }
        Ok(ratings)
    }
}

impl ChatSession {
    /// Keeps what somebody thinks of an answer, named by [`Answer::turn`](crate::Answer::turn); a second rating takes the
    /// place of the first, and `None` takes it back. What it is about is read from the session, not from the caller.
    ///
    /// # Errors
    /// [`Error::NoSuchTurn`]; or when the disk refuses.
    pub async fn rate(&self, turn: TurnId, rating: Option<Rating>) -> Result<(), Error> {
        let (history, feedback) = (Arc::clone(&self.history), Arc::clone(&self.project.feedback));
        let rated_at = timestamp(&*self.project.clock);
        blocking("keeping a rating", move || {
            let session = history.name().to_owned();
            let turns = history.read()?;
            let Some(rated) = turns.into_iter().find(|kept| kept.id == turn) else {
                return Err(Error::NoSuchTurn { session, turn });
            };
            let question = rated.subject().to_owned();
            let mut docs: Vec<DocId> = rated.sources.into_iter().map(|source| source.doc).collect();
            docs.sort_unstable();
            docs.dedup();
            let kept = rating.unwrap_or(Rating::Up);
            let entry = Entry { rated_at, session, turn, rating: kept, question, docs, extra: Map::new() };
            feedback.keep(&entry, rating.is_some())
        })
        .await
    }
}

impl Project {
    /// How many answers were rated, up and down.
    ///
    /// # Errors
    /// When the ratings cannot be read.
    pub async fn ratings(&self) -> Result<RatingCounts, Error> {
        let feedback = Arc::clone(&self.inner().feedback);
        blocking("counting ratings", move || {
            let ratings = feedback.ratings()?;
            let up = ratings.entries.iter().filter(|entry| entry.rating == Rating::Up).count();
            Ok(RatingCounts { up, down: ratings.downs() })
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn at(folder: &Path) -> Feedback {
        Feedback::new(Keep::folder(folder.to_owned()))
    }

    fn entry(turn: u64, rating: Rating, question: &str, doc: &str) -> Entry {
        Entry {
            rated_at: "t".to_owned(),
            session: "s".to_owned(),
            turn: TurnId::new(turn),
            rating,
            question: question.to_owned(),
            docs: vec![doc.parse().unwrap()],
            extra: Map::new(),
        }
    }

    #[test]
    fn a_turn_has_one_rating_and_the_last_one_counts() {
        let dir = tempfile::tempdir().unwrap();
        let feedback = at(dir.path());
        for turn in 1..=45 {
            feedback.keep(&entry(turn, Rating::Down, "q", "text:a"), true).unwrap();
            assert_eq!(feedback.disliked() as u64, turn);
        }
        for turn in 1..=40 {
            feedback.keep(&entry(turn, Rating::Up, "q", "text:a"), true).unwrap();
        }
        assert_eq!((feedback.disliked(), at(dir.path()).disliked()), (5, 5));
        assert_eq!(at(dir.path()).ratings().unwrap().entries.len(), 45);
    }

    #[tokio::test]
    async fn the_same_question_raises_what_answered_it() {
        let dir = tempfile::tempdir().unwrap();
        let feedback = Arc::new(at(dir.path()));
        feedback.keep(&entry(1, Rating::Up, "Quanto sol?", "text:a"), true).unwrap();
        feedback.keep(&entry(2, Rating::Up, "quanto SOL", "text:b"), true).unwrap();
        let raised = |question: &'static str| {
            let feedback = Arc::clone(&feedback);
            async move {
                feedback.raised(question).await.unwrap().iter().map(ToString::to_string).collect::<Vec<_>>()
            }
        };
        assert_eq!(raised("quanto sol").await, ["text:a", "text:b"]);
        assert!(raised("quanta água").await.is_empty());
        feedback.keep(&entry(3, Rating::Down, "quanto sol", "text:a"), true).unwrap();
        assert_eq!(raised("quanto sol").await, ["text:b"]);
        feedback.keep(&entry(2, Rating::Up, "", "text:b"), false).unwrap();
        assert!(raised("quanto sol").await.is_empty());
    }

    #[test]
    fn damaged_ratings_are_left_as_they_are_and_hinder_no_search() {
        let dir = tempfile::tempdir().unwrap();
        let feedback = at(dir.path());
        fs::write(feedback.keep.path(FILE), "{").unwrap();
        assert_eq!(feedback.disliked(), 0);
        assert!(matches!(
            feedback.keep(&entry(1, Rating::Up, "q", "text:a"), true),
            Err(Error::Damaged { .. })
        ));
        assert_eq!(fs::read_to_string(feedback.keep.path(FILE)).unwrap(), "{");
    }
}
