use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tantivy::columnar::Column;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::{InvertedIndexReader, Searcher, SegmentReader};

use super::{Fields, WordField};
use crate::Error;
use crate::analyze::Morphology;

/// One unchanging state of the index, and the generation of the store that it was made from.
pub(crate) struct Snapshot {
    pub(super) path: PathBuf,
    pub(super) searcher: Searcher,
    pub(super) fields: Fields,
    pub(super) segments: Vec<Segment>,
    generation: u64,
    /// Chunks, those not yet merged away included.
    chunks: u64,
    morphologies: Vec<Morphology>,
    /// The words of all tags, once they were asked for; `None` inside for too many.
    tag_words: OnceLock<Option<HashSet<String>>>,
    /// The literal index of the same generation was seen to know the same passages.
    agrees: OnceLock<()>,
}

/// Tags whose words are kept in memory at most.
const MAX_TAGS: usize = 10_000;

/// The parts of a segment that every search reads.
pub(super) struct Segment {
    pub(super) text: Words,
    pub(super) title: Words,
    pub(super) chunks: Column<u64>,
    pub(super) dates: Column<i64>,
    pub(super) chunk_terms: Arc<InvertedIndexReader>,
}

/// The postings of a field and the lengths of its values.
pub(super) struct Words {
    pub(super) postings: Arc<InvertedIndexReader>,
    pub(super) lengths: FieldNormReader,
}

impl Segment {
    fn of(reader: &SegmentReader, fields: Fields) -> tantivy::Result<Self> {
        let words = |field| {
            Ok::<_, tantivy::TantivyError>(Words {
                postings: reader.inverted_index(field)?,
                lengths: reader.get_fieldnorms_reader(field)?,
            })
        };
        Ok(Self {
            text: words(fields.text)?,
            title: words(fields.title)?,
            chunks: reader.fast_fields().u64("chunk")?,
            dates: reader.fast_fields().i64("date")?,
            chunk_terms: reader.inverted_index(fields.chunk)?,
        })
    }

    pub(super) fn words(&self, field: WordField) -> &Words {
        match field {
            WordField::Text => &self.text,
            WordField::Title => &self.title,
        }
    }
}

impl Snapshot {
    pub(super) fn of(
        path: &Path,
        searcher: &Searcher,
        fields: Fields,
        generation: u64,
    ) -> tantivy::Result<Self> {
        let readers = searcher.segment_readers();
        let segments =
            readers.iter().map(|reader| Segment::of(reader, fields)).collect::<tantivy::Result<_>>()?;
        let mut morphologies = Vec::new();
        for reader in readers {
            let languages = reader.inverted_index(fields.language)?;
            let mut terms = languages.terms().stream()?;
            while terms.advance() {
                let code = std::str::from_utf8(terms.key()).unwrap_or_default();
                morphologies.push(Morphology::of_code(code));
            }
        }
        morphologies.sort_unstable();
        morphologies.dedup();
        Ok(Self {
            path: path.to_owned(),
            searcher: searcher.clone(),
            fields,
            segments,
            generation,
            chunks: readers.iter().map(|reader| u64::from(reader.max_doc())).sum(),
            morphologies,
            tag_words: OnceLock::new(),
            agrees: OnceLock::new(),
        })
    }

    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    pub(super) fn chunks(&self) -> u64 {
        self.chunks
    }

    /// Number of chunks that a search can find.
    pub(crate) fn here(&self) -> u64 {
        self.searcher.num_docs()
    }

    /// True when all of those words stand in tags, maybe each in another one.
    pub(crate) fn may_tag(&self, words: &[&str]) -> bool {
        let known = self.tag_words.get_or_init(|| self.read_tag_words().ok().flatten());
        known.as_ref().is_none_or(|known| words.iter().all(|word| known.contains(*word)))
    }

    /// The words of all tags; `None` when there are many tags.
    fn read_tag_words(&self) -> tantivy::Result<Option<HashSet<String>>> {
        let mut words = HashSet::new();
        let mut tags = 0;
        for reader in self.searcher.segment_readers() {
            let inverted = reader.inverted_index(self.fields.tag)?;
            tags += inverted.terms().num_terms();
            if tags > MAX_TAGS {
                return Ok(None);
            }
            let mut labels = inverted.terms().stream()?;
            while labels.advance() {
                let label = std::str::from_utf8(labels.key()).unwrap_or_default();
                words.extend(label.split(' ').map(str::to_owned));
            }
        }
        Ok(Some(words))
    }

    /// True when the literal index, which is of the same generation, knows as many passages as this: `rows` gives how
    /// many. Asked until it does: what was replaced leaves it later, but within a generation nothing else goes or comes.
    pub(crate) fn agrees(&self, rows: impl FnOnce() -> Result<Option<u64>, Error>) -> Result<bool, Error> {
        if self.agrees.get().is_some() {
            return Ok(true);
        }
        let agrees = rows()? == Some(self.here());
        if agrees {
            self.agrees.get_or_init(|| ());
        }
        Ok(agrees)
    }

    /// How the words of its documents change their endings: a query's words are looked for in each of these ways.
    pub(crate) fn morphologies(&self) -> &[Morphology] {
        &self.morphologies
    }

    pub(super) fn tokens(&self, field: WordField) -> u64 {
        self.segments.iter().map(|segment| segment.words(field).postings.total_num_tokens()).sum()
    }
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot")
            .field("path", &self.path)
            .field("generation", &self.generation)
            .finish_non_exhaustive()
    }
}
