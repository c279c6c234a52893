//! What a chunk is in the tables: the words it is found by, and the text that COPY takes.

use std::collections::HashMap;
use std::fmt::Write;

use tantivy::fieldnorm::FieldNormReader;
use tusab_chunk::{Chunk, Language, SourceKind};

use crate::analyze::{
    ACCENT, Analysis, EXACT, Morphology, Piece, Pieces, StemCache, accented, fold, fold_compound,
};
use crate::bm25::{day, label};
use crate::duplicate::Signature;
use crate::{DocumentRecord, title};

/// How often each term stands in a field.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) of: HashMap<String, u32>,
    /// Terms in all.
    pub(super) length: u32,
}

impl Counts {
    fn add(&mut self, term: &str, is_counted: bool) {
        self.length = self.length.saturating_add(1);
        if !is_counted {
            return;
        }
        match self.of.get_mut(term) {
            Some(count) => *count = count.saturating_add(1),
            None => drop(self.of.insert(term.to_owned(), 1)),
        }
    }

    /// The length as BM25 knows it, which keeps one byte of it: the local index ranks by the same.
    pub(super) fn rounded_length(&self) -> u32 {
        FieldNormReader::id_to_fieldnorm(FieldNormReader::fieldnorm_to_id(self.length))
    }
}

/// The fields that are ranked by.
#[derive(Debug, Default)]
pub(super) struct Ranked {
    pub(super) text: Counts,
    pub(super) title: Counts,
}

/// Reads texts into terms.
#[derive(Debug, Default)]
pub(super) struct Reader {
    stems: StemCache,
    term: String,
    folded: String,
    form: String,
}

impl Reader {
    /// The terms of a chunk as the local index has them: title, section and passage with its key phrases in one bag, and
    /// the title for itself.
    pub(super) fn ranked(
        &mut self,
        record: &DocumentRecord,
        spoken: Option<&Language>,
        chunk: &Chunk,
    ) -> Ranked {
        self.counted(record, spoken, chunk, |_| true)
    }

    /// [`Reader::ranked`] where only some terms are asked for: the others count towards the length alone.
    pub(super) fn counted(
        &mut self,
        record: &DocumentRecord,
        spoken: Option<&Language>,
        chunk: &Chunk,
        is_asked: impl Fn(&str) -> bool,
    ) -> Ranked {
        let mut ranked = Ranked::default();
        let morphology = Morphology::of(spoken);
        self.each_term(morphology, &record.title, |term, _| ranked.title.add(term, is_asked(term)));
        for text in [record.title.as_str(), chunk.section().unwrap_or_default(), &chunk.text()] {
            self.each_term(morphology, text, |term, _| ranked.text.add(term, is_asked(term)));
        }
        ranked
    }

    /// The terms that nominate a chunk, in the form of the table.
    pub(super) fn terms(
        &mut self,
        project: i64,
        record: &DocumentRecord,
        spoken: Option<&Language>,
        chunk: &Chunk,
    ) -> String {
        let (mut terms, morphology) = (String::new(), Morphology::of(spoken));
        for text in [record.title.as_str(), chunk.section().unwrap_or_default(), &chunk.text()] {
            self.each_term(morphology, text, |term, nominates| {
                if nominates {
                    append(&mut terms, &of_project(project, term));
                }
            });
        }
        terms
    }

    /// For each word its stem, the word, and the word with its accents if it has any; for each compound the compound.
    /// Passages are nominated by stems and compounds.
    fn each_term(&mut self, morphology: Morphology, text: &str, mut each: impl FnMut(&str, bool)) {
        let Self { stems, term, folded, form } = self;
        let mut marked = |mark: char, text: &str, nominates: bool, each: &mut dyn FnMut(&str, bool)| {
            term.clear();
            term.push(mark);
            term.push_str(text);
            each(term, nominates);
        };
        let mut stem = String::new();
        for piece in Pieces::of(text) {
            match piece {
                Piece::Word(word) => {
                    fold(word, folded);
                    if folded.is_empty() {
                        continue;
                    }
                    accented(word, folded, form);
                    stem.clear();
                    stems.stem(morphology, folded, &mut stem);
                    marked(morphology.mark(), &stem, true, &mut each);
                    marked(EXACT, folded, false, &mut each);
                    if !form.is_empty() {
                        marked(ACCENT, form, false, &mut each);
                    }
                }
                Piece::Compound(compound) => {
                    fold_compound(compound, folded);
                    marked(EXACT, folded, true, &mut each);
                }
            }
        }
    }
}

/// A term behind the number of its project. Terms begin with a mark that is no digit.
pub(super) fn of_project(project: i64, term: &str) -> String {
    format!("{project}{term}")
}

/// A word of the literal field behind the number of its project.
pub(super) fn literal_of_project(project: i64, word: &str) -> String {
    format!("{project}:{word}")
}

/// The literal field and the sketch of a chunk.
#[derive(Debug, Default)]
pub(super) struct Literal {
    text: Analysis,
    title: Analysis,
    tags: Analysis,
}

impl Literal {
    pub(super) fn read(
        &mut self,
        project: i64,
        record: &DocumentRecord,
        chunk: &Chunk,
    ) -> (String, Option<[u8; Signature::BYTES]>) {
        self.text.read(chunk.original_text());
        self.title.read(&record.title);
        self.tags.read(&record.tags.join("\n"));
        let Self { text, title, tags } = self;
        let mut literal = String::new();
        let compounds = [&text.compounds, &title.compounds, &tags.compounds];
        for part in [&text.words, &title.words, &tags.words].into_iter().chain(compounds) {
            for word in part.split(' ').filter(|word| !word.is_empty()) {
                append(&mut literal, &literal_of_project(project, word));
            }
            // No phrase runs from one part into the next.
            append(&mut literal, "|");
        }
        let words = text.words.split(' ').filter(|word| !word.is_empty());
        (literal, Signature::of(words).map(Signature::to_bytes))
    }
}

fn append(list: &mut String, word: &str) {
    if !list.is_empty() {
        list.push(' ');
    }
    list.push_str(word);
}

/// What filters look at, as words without spaces.
pub(super) fn labels(record: &DocumentRecord, spoken: Option<&Language>) -> Vec<String> {
    let mut labels = vec![kind_label(record.id.kind())];
    labels.extend(spoken.map(language_label));
    labels.extend(record.tags.iter().map(|tag| tag_label(tag)));
    labels.extend(title::words(&record.title).map(|words| title_label(&words)));
    labels
}

pub(super) fn kind_label(kind: SourceKind) -> String {
    format!("k:{}", kind.as_str())
}

pub(super) fn language_label(language: &Language) -> String {
    format!("l:{}", language.primary())
}

pub(super) fn tag_label(tag: &str) -> String {
    format!("g:{}", digest(&label(tag)))
}

pub(super) fn title_label(words: &str) -> String {
    format!("t:{}", digest(words))
}

pub(super) fn document_label(key: i64) -> String {
    format!("d:{key}")
}

/// A short name of a text of any length: BLAKE2b-128 in hexadecimal digits.
fn digest(text: &str) -> String {
    let hash = blake2b_simd::Params::new().hash_length(16).personal(b"tusab-label").hash(text.as_bytes());
    hash.to_hex().to_string()
}

pub(super) fn date(record: &DocumentRecord) -> Option<i32> {
    record.date.and_then(|date| i32::try_from(day(date)).ok())
}

/// Rows in COPY's text form.
#[derive(Debug, Default)]
pub(super) struct CopyText {
    pieces: Vec<Vec<u8>>,
    row: String,
}

/// Bytes that are handed to the connection in one piece.
const PIECE: usize = 1 << 18;

impl CopyText {
    /// Adds a row; `None` is NULL.
    pub(super) fn row(&mut self, values: &[Option<&str>]) {
        self.row.clear();
        for (number, value) in values.iter().enumerate() {
            if number > 0 {
                self.row.push('\t');
            }
            let Some(value) = value else {
                self.row.push_str("\\N");
                continue;
            };
            for c in value.chars() {
                match c {
                    '\\' => self.row.push_str("\\\\"),
                    '\n' => self.row.push_str("\\n"),
                    '\r' => self.row.push_str("\\r"),
                    '\t' => self.row.push_str("\\t"),
                    c => self.row.push(c),
                }
            }
        }
        self.row.push('\n');
        match self.pieces.last_mut() {
            Some(piece) if piece.len() < PIECE => piece.extend_from_slice(self.row.as_bytes()),
            _ => self.pieces.push(self.row.clone().into_bytes()),
        }
    }

    pub(super) fn into_pieces(self) -> Vec<Vec<u8>> {
        self.pieces
    }
}

/// Bytes as PostgreSQL writes them.
pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 + 2 * bytes.len());
    text.push_str("\\x");
    for byte in bytes {
        // A String takes everything.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_escaped_as_copy_reads_it() {
        let mut copy = CopyText::default();
        copy.row(&[Some("a\tb\\c\nd\re"), None, Some("")]);
        assert_eq!(copy.into_pieces(), [b"a\\tb\\\\c\\nd\\re\t\\N\t\n".to_vec()]);
    }

    #[test]
    fn bytes_are_written_in_hexadecimal() {
        assert_eq!(hex(&[0, 255, 16]), "\\x00ff10");
    }
}
