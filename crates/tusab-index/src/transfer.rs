//! Documents from one store into another.

use tusab_chunk::DocId;

use crate::{Batch, ChunkStore, Control, Error};

/// Documents that go together.
const GROUP: usize = 500;

/// Copies documents with their chunks, key phrases and vectors from one store into another, of whatever kind: those of
/// `documents` that are in `from`. What is there by the same content hash is left as it is. Vectors go along where the other
/// store has none, or has those of the same space.
///
/// Both can be read and written meanwhile. It can be repeated, after a failure too: what has arrived is not sent again.
///
/// # Errors
/// When one of the two cannot be read or written, or `control` asks to stop. What was copied until then stays.
pub fn copy_documents(
    from: &dyn ChunkStore,
    to: &dyn ChunkStore,
    documents: &[DocId],
    control: Control<'_>,
) -> Result<(), Error> {
    let space = from.vector_space()?;
    let mut done = 0;
    for group in documents.chunks(GROUP) {
        if (control.stop)() {
            return Err(Error::Stopped);
        }
        let (mut batch, mut vectors) = (Batch::new(), Vec::new());
        for doc in group {
            let Some(record) = from.document(doc)? else { continue };
            batch.upsert(record, from.chunks(doc)?);
            if space.is_some() {
                vectors.push((doc.clone(), from.vectors(doc)?));
            }
        }
        to.apply(&batch, Control { stop: control.stop, ..Control::default() })?;
        if let Some(space) = &space
            && vectors.iter().any(|(_, vectors)| !vectors.is_empty())
        {
            match to.set_vectors(space, &vectors) {
                // Those of another model: its passages are embedded there, by the model that is used there.
                Err(Error::OtherSpace { .. }) => {}
                other => drop(other?),
            }
        }
        done += group.len();
        (control.progress)(done, documents.len());
    }
    Ok(())
}
