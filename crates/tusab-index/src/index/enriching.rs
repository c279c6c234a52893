//! Writing key phrases and vectors of chunks that are there.

use std::collections::HashSet;

use super::notes::Note;
use super::vectors;
use super::writing::IndexWriter;
use crate::analyze::PassageAnalysis;
use crate::store::KnownDocument;
use crate::{Control, Enriched, Error, InvalidVector, OfDocument, Vector, VectorSpace, VectorWriter};

impl IndexWriter {
    pub(super) fn set_key_phrases(&mut self, of: &[OfDocument<Vec<String>>]) -> Result<Enriched, Error> {
        self.commit_both(|writer| writer.write_key_phrases(of))
    }

    fn write_key_phrases(&mut self, of: &[OfDocument<Vec<String>>]) -> Result<(Enriched, bool), Error> {
        self.store.sweep()?;
        let transaction = self.store.begin()?;
        let mut analysis = PassageAnalysis::default();
        let mut enriched = Enriched::default();
        for (doc, phrases) in of {
            let Some(KnownDocument { key: document, is_here: true, .. }) = transaction.find(doc)? else {
                enriched.unknown += phrases.len();
                continue;
            };
            let (keys, mut changed) = (transaction.chunk_keys(document)?, HashSet::new());
            for (id, phrases) in phrases {
                match keys.get(id) {
                    None => enriched.unknown += 1,
                    Some(key) if transaction.put_key_phrases(*key, phrases)? => {
                        enriched.written += 1;
                        changed.insert(*key);
                    }
                    Some(_) => enriched.unchanged += 1,
                }
            }
            if changed.is_empty() {
                continue;
            }
            transaction.touch(document)?;
            transaction.each_chunk(document, |entry, key, chunk| {
                if changed.contains(&key) {
                    self.bm25_writer.remove_chunk(key);
                    analysis.read_document(&entry.record.title, &entry.record.tags);
                    analysis.read_text(chunk.original_text());
                    self.bm25_writer.add(entry, key, chunk, &analysis)?;
                }
                Ok(())
            })?;
        }
        let is_changed = enriched.written > 0;
        if is_changed {
            self.bm25_writer.commit_after(&self.store_name, || transaction.commit(false))?;
        }
        Ok((enriched, is_changed))
    }

    pub(super) fn set_vectors(
        &mut self,
        space: &VectorSpace,
        of: &[OfDocument<Vector>],
    ) -> Result<Enriched, Error> {
        let (expected, path) = (space.dimension().get(), self.store.path().to_owned());
        for (chunk, vector) in of.iter().flat_map(|(_, vectors)| vectors) {
            let found = vector.dimension().get();
            if found != expected {
                return Err(Error::Vector {
                    chunk: *chunk,
                    source: InvalidVector::Dimension { expected, found },
                });
            }
        }
        self.store.sweep()?;
        let transaction = self.store.begin()?;
        match transaction.vector_space()? {
            None => transaction.begin_space(space)?,
            Some(stored) => {
                if let Some(source) = stored.mismatch(space) {
                    return Err(Error::OtherSpace { path, source });
                }
            }
        }
        let mut enriched = Enriched::default();
        for (doc, vectors) in of {
            let Some(KnownDocument { key: document, is_here: true, .. }) = transaction.find(doc)? else {
                enriched.unknown += vectors.len();
                continue;
            };
            let keys = transaction.chunk_keys(document)?;
            for (id, vector) in vectors {
                match keys.get(id) {
                    None => enriched.unknown += 1,
                    Some(key) if transaction.put_vector(*key, vector)? => enriched.written += 1,
                    Some(_) => enriched.unchanged += 1,
                }
            }
        }
        if enriched.written > 0 {
            transaction.commit_vectors()?;
            self.bring_vectors_up()?;
        }
        Ok(enriched)
    }

    pub(super) fn set_vector_space(&mut self, space: &VectorSpace) -> Result<(), Error> {
        self.store.sweep()?;
        let transaction = self.store.begin()?;
        if transaction.vector_space()?.is_none_or(|stored| stored != *space) {
            transaction.begin_space(space)?;
            transaction.commit_vectors()?;
            self.bring_vectors_up()?;
        }
        Ok(())
    }

    /// Writes to the files what the store has that they have not.
    pub(super) fn bring_vectors_up(&mut self) -> Result<(), Error> {
        let reader = self.reads.reader()?;
        let Some(state) = reader.vector_state()? else { return Ok(()) };
        let folder = self.vectors.folder();
        let failed = Error::vectors(folder);
        let now = vectors::generation(&reader, &state);
        if let Some((writer, at)) = &mut self.vector_writer
            && *writer.space() == state.space
            && *at >= state.swept
        {
            if *at < now.number {
                vectors::write(writer, &reader, *at, Control::default())?;
            }
            *at = now.number;
        } else {
            // The first vectors, or those of another space: beside what is there, and then in its place.
            let (files, _) = vectors::mend(&reader, folder, false, Control::default())?;
            drop(files);
            self.vector_writer = Some((VectorWriter::open(folder).map_err(&failed)?, now.number));
        }
        if let Err(reason) = self.vectors.at(&now) {
            self.notes.add([Note::VectorsLater(reason)]);
        }
        Ok(())
    }

    /// Writes the files of vectors anew when they hold rows that no longer count.
    pub(super) fn compact_vectors(&mut self) -> Result<(), Error> {
        let reader = self.reads.reader()?;
        let Some(state) = reader.vector_state()? else { return Ok(()) };
        let now = vectors::generation(&reader, &state);
        if self.vectors.at(&now).is_ok_and(|files| files.is_compact()) {
            return Ok(());
        }
        self.vector_writer = None;
        let folder = self.vectors.folder();
        vectors::rebuild(&reader, folder, Control::default())?;
        // Takes the old files away.
        let writer = VectorWriter::open(folder).map_err(Error::vectors(folder))?;
        self.vector_writer = Some((writer, now.number));
        self.vectors.set(None);
        Ok(())
    }
}
