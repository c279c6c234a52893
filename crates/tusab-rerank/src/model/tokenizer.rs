use std::path::Path;

use tokenizers::{Encoding, Tokenizer};

use crate::Error;
use crate::runtime::Row;

/// Texts into token ids, and ids into rows for the model.
///
/// The marks around texts (`[CLS]`, `</s>`...) are learned once from the tokenizer's own template; afterwards rows are
/// put together from ids, so that windows of a text cost no second tokenising. Padding and truncation that stand in
/// `tokenizer.json` are switched off: padding is waste, and truncation is decided here.
#[derive(Debug)]
pub(crate) struct TextTokenizer {
    tokenizer: Tokenizer,
    single: Template<1>,
    pair: Template<2>,
}

impl TextTokenizer {
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let malformed = |reason: String| Error::MalformedFile { path: path.to_owned(), reason };
        let bytes = std::fs::read(path).map_err(Error::file("read", path))?;
        let mut tokenizer = Tokenizer::from_bytes(bytes).map_err(|error| malformed(error.to_string()))?;
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(|error| malformed(error.to_string()))?;
        let single = tokenizer.encode("a", true).map_err(|error| malformed(error.to_string()))?;
        let pair = tokenizer.encode(("a", "a"), true).map_err(|error| malformed(error.to_string()))?;
        let unknown = || malformed("its template for texts and pairs is of an unknown kind".to_owned());
        let single = Template::learn(&single).ok_or_else(unknown)?;
        let pair = Template::learn(&pair).ok_or_else(unknown)?;
        Ok(Self { tokenizer, single, pair })
    }

    /// The ids of all tokens of a text, without marks.
    pub(crate) fn ids(&self, text: &str) -> Result<Vec<u32>, Error> {
        let encoding = self.tokenizer.encode_fast(text, false);
        let failed = |source| Error::Model { model: "tokenizer".to_owned(), source };
        Ok(encoding.map_err(failed)?.get_ids().to_vec())
    }

    /// Tokens that a word falls into on average; `None` for a text without words. Only words count: a full stop or a
    /// number says nothing about a language.
    pub(crate) fn pieces_per_word(&self, text: &str) -> Option<f32> {
        let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
        let mut count = 0_u16;
        let mut joined = String::with_capacity(text.len());
        for word in words.take(usize::from(u16::MAX)) {
            count += 1;
            joined.push_str(word);
            joined.push(' ');
        }
        let pieces = u16::try_from(self.ids(joined.trim_end()).ok()?.len()).unwrap_or(u16::MAX);
        (count > 0).then(|| f32::from(pieces) / f32::from(count))
    }

    /// Marks that stand around a single text.
    pub(crate) fn marks(&self) -> usize {
        self.single.marks()
    }

    /// Marks that stand around a pair.
    pub(crate) fn pair_marks(&self) -> usize {
        self.pair.marks()
    }

    pub(crate) fn row(&self, text: &[u32]) -> Row {
        self.single.row([text])
    }

    pub(crate) fn pair_row(&self, first: &[u32], second: &[u32]) -> Row {
        self.pair.row([first, second])
    }
}

/// The marks before each text and after the last, as (id, type).
#[derive(Debug, Clone, PartialEq, Eq)]
struct Template<const TEXTS: usize> {
    before: [Vec<(u32, u32)>; TEXTS],
    after: Vec<(u32, u32)>,
    /// The type of each text's own tokens.
    types: [u32; TEXTS],
}

impl<const TEXTS: usize> Template<TEXTS> {
    /// Reads the template off an encoding of texts that are not empty.
    fn learn(encoding: &Encoding) -> Option<Self> {
        let mut before = std::array::from_fn(|_| Vec::new());
        let mut types = [0; TEXTS];
        let mut marks = Vec::new();
        let mut seen = 0;
        let tokens = encoding.get_ids().iter().zip(encoding.get_type_ids()).zip(encoding.get_sequence_ids());
        for ((&id, &kind), text) in tokens {
            match text {
                None => marks.push((id, kind)),
                Some(text) if text == seen => {
                    *before.get_mut(text)? = std::mem::take(&mut marks);
                    *types.get_mut(text)? = kind;
                    seen += 1;
                }
                // A further token of the same text.
                Some(text) if text + 1 == seen && marks.is_empty() => {}
                Some(_) => return None,
            }
        }
        (seen == TEXTS).then_some(Self { before, after: marks, types })
    }

    fn marks(&self) -> usize {
        self.before.iter().map(Vec::len).sum::<usize>() + self.after.len()
    }

    fn row(&self, texts: [&[u32]; TEXTS]) -> Row {
        let mut row = Row::default();
        let mark = |row: &mut Row, marks: &[(u32, u32)]| {
            row.ids.extend(marks.iter().map(|(id, _)| id));
            row.types.extend(marks.iter().map(|(_, kind)| kind));
        };
        for ((marks, text), &kind) in self.before.iter().zip(texts).zip(&self.types) {
            mark(&mut row, marks);
            row.ids.extend_from_slice(text);
            row.types.extend(std::iter::repeat_n(kind, text.len()));
        }
        mark(&mut row, &self.after);
        row
    }
}
