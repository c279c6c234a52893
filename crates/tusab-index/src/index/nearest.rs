//! Search by meaning in the files of vectors, as the store stands now.

use std::collections::HashMap;

use super::notes::Note;
use super::writing::Wait;
use super::{Index, lock_path, vectors};
use crate::lock::WriterLock;
use crate::store::{ChunkKey, StoredChunk};
use crate::{
    Control, Error, Explain, Filter, Hit, VectorHit, VectorOutcome, VectorQuery, VectorSearch, VectorsOff,
};

impl Index {
    /// The nearest passages to a query among those that the filter lets through, and that `query.keep` accepts.
    ///
    /// # Errors
    /// When the store cannot be read. What only concerns the vectors is an outcome.
    pub fn nearest_within(&self, query: &VectorQuery<'_>, filter: &Filter) -> Result<VectorOutcome, Error> {
        let outcome = self.nearest_now(query, filter)?;
        let is_broken = match &outcome {
            VectorOutcome::Off(VectorsOff::Unreadable { .. }) => true,
            // The store has some; their files are gone.
            VectorOutcome::Off(VectorsOff::Missing) => self.has_vectors()?,
            _ => false,
        };
        // Damage is seen only where a search reads: mended at once, unless somebody is writing.
        if is_broken && self.mend_vectors() { self.nearest_now(query, filter) } else { Ok(outcome) }
    }

    /// The passages that a search by meaning found, with their texts, in its order. Those that are gone meanwhile are
    /// left out.
    pub(super) fn passages(&self, nearest: &[VectorHit]) -> Result<Vec<Hit>, Error> {
        let reader = self.store.reader()?;
        let keys: Vec<ChunkKey> = nearest.iter().map(|hit| ChunkKey(hit.key)).collect();
        let mut loaded: HashMap<ChunkKey, StoredChunk> =
            reader.load(&keys, reader.generation().number)?.into_iter().collect();
        let hits = (1..).zip(nearest).filter_map(|(rank, hit)| {
            let stored = loaded.remove(&ChunkKey(hit.key)).filter(|stored| stored.chunk.id() == hit.chunk)?;
            let explain = Explain { vector_rank: Some(rank), cosine: Some(hit.score), ..Explain::default() };
            Some(Hit::new(0, stored, 0.0, explain))
        });
        Ok(hits.collect())
    }

    fn nearest_now(&self, query: &VectorQuery<'_>, filter: &Filter) -> Result<VectorOutcome, Error> {
        let reader = self.store.reader()?;
        let Some(state) = reader.vector_state()? else {
            return Ok(VectorOutcome::Off(VectorsOff::Missing));
        };
        if let Some(mismatch) = state.space.mismatch(query.space) {
            return Ok(VectorOutcome::Off(mismatch.into()));
        }
        let now = vectors::generation(&reader, &state);
        let files = match self.vectors.at(&now) {
            Ok(files) => files,
            Err(reason) => return Ok(VectorOutcome::Off(reason)),
        };
        // Files of another moment may have passages that are gone.
        if filter.is_empty() && *files.generation() == now {
            return files.nearest(query);
        }
        let within = reader.chunks_within(filter)?;
        let keep = |key: u64, id: &tusab_chunk::ChunkId| {
            within.contains(&key) && query.keep.is_none_or(|keep| keep(key, id))
        };
        files.nearest(&query.with_keep(&keep))
    }

    fn has_vectors(&self) -> Result<bool, Error> {
        self.store.reader()?.any_vector()
    }

    /// Makes the files again where they are damaged; false when that cannot be done now.
    fn mend_vectors(&self) -> bool {
        let _telling = self.notes.telling(&self.dir);
        let mend = || {
            let lock = WriterLock::acquire(&lock_path(&self.dir))?;
            let (files, repair) =
                vectors::mend(&self.store.reader()?, self.vectors.folder(), true, Control::default())?;
            drop(lock);
            self.vectors.set(files);
            self.notes.add(repair.into_iter().map(Note::VectorsMended));
            Ok(())
        };
        match self.writer.without(mend, Wait::Never) {
            Ok(()) => true,
            Err(error) => {
                self.notes.add([Note::VectorsDamaged(error)]);
                false
            }
        }
    }
}

impl VectorSearch for Index {
    fn nearest(&self, query: &VectorQuery<'_>) -> Result<VectorOutcome, Error> {
        self.nearest_within(query, &Filter::default())
    }
}
