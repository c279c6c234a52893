//! Whether a text quotes what is to be forgotten.

use std::cell::RefCell;
use std::collections::HashSet;
use std::collections::hash_map::{DefaultHasher, HashMap};
use std::hash::{Hash, Hasher};

use serde_json::Value;
use tusab_chunk::{Body, DocId, Document};
use tusab_index::{Query, Retriever, is_stopword, tokens};

use crate::Error;
use crate::project::Held;
use crate::storage::slug;

/// Words in a row that are no coincidence.
const RUN: usize = 6;

/// Shortest word that can give a source away by itself, in characters.
const TELLING: usize = 4;

/// What is to be forgotten, as hashes of its words.
pub(super) struct Quotes<'i> {
    index: &'i Held,
    ids: Vec<String>,
    /// Runs of words, and the whole of texts that are shorter.
    runs: HashSet<u64>,
    lengths: HashSet<usize>,
    words: HashSet<u64>,
    /// Whether words, or runs of them, are in sources that are still here.
    remaining: RefCell<HashMap<String, bool>>,
}

impl<'i> Quotes<'i> {
    pub(super) fn new(index: &'i Held) -> Self {
        Self {
            index,
            ids: Vec::new(),
            runs: HashSet::new(),
            lengths: HashSet::new(),
            words: HashSet::new(),
            remaining: RefCell::default(),
        }
    }

    pub(super) fn forget_id(&mut self, doc: &DocId) {
        self.ids.push(doc.to_string());
    }

    pub(super) fn forget_document(&mut self, document: &Document) {
        self.forget_text(&document.title);
        match &document.body {
            Body::Text(text) | Body::Markdown(text) => self.forget_text(text),
            Body::Speech { segments, .. } => {
                let text: Vec<&str> = segments.iter().map(|segment| segment.text.as_str()).collect();
                self.forget_text(&text.join(" "));
            }
            Body::Turns(turns) => turns.iter().for_each(|turn| self.forget_text(&turn.text)),
            _ => {}
        }
    }

    pub(super) fn forget_text(&mut self, text: &str) {
        let words = tokens(text);
        self.words.extend(words.iter().map(hash));
        let length = words.len().min(RUN);
        // A title of a word or two is no quote by itself; its words tell when they are its own.
        if length > 2 {
            self.lengths.insert(length);
            self.runs.extend(words.windows(length).map(hash));
        }
    }

    /// True when a text names a source by its id.
    pub(super) fn names_one(&self, text: &str) -> bool {
        self.ids.iter().any(|id| {
            let local = id.split_once(':').map_or(id.as_str(), |(_, local)| local);
            text.contains(local)
        })
    }

    /// True when a file bears the name of a source.
    pub(super) fn name_its_file(&self, file_name: &str) -> bool {
        self.ids.iter().any(|id| file_name.starts_with(&slug(id)))
    }

    /// True when a text quotes what is to be forgotten, or rather may.
    pub(super) fn are_in(&self, text: &str) -> Result<bool, Error> {
        if self.names_one(text) {
            return Ok(true);
        }
        let words = tokens(text);
        for length in &self.lengths {
            for run in words.windows(*length).filter(|run| self.runs.contains(&hash(run))) {
                if !self.remains(&run.join(" "))? {
                    return Ok(true);
                }
            }
        }
        for word in &words {
            let is_telling = word.chars().count() >= TELLING && !is_stopword(word);
            if is_telling && self.words.contains(&hash(word)) && !self.remains(word)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// True when a source that is still here has the words, in this order.
    fn remains(&self, words: &str) -> Result<bool, Error> {
        if let Some(known) = self.remaining.borrow().get(words) {
            return Ok(*known);
        }
        let phrase = Query::new(format!("\"{words}\"")).with_limit(1);
        // A hit that has the words apart from each other is not one that says them.
        let found = self.index.retrieve(&phrase)?.hits;
        let says = |text: &str| tokens(text).join(" ").contains(words);
        let found = found.iter().any(|hit| says(hit.chunk.original_text()) || says(&hit.document.title));
        self.remaining.borrow_mut().insert(words.to_owned(), found);
        Ok(found)
    }

    /// Takes the parts of a value out that quote: of a list the elements, else the fields. How many were taken out.
    pub(super) fn prune(&self, value: &mut Value) -> Result<usize, Error> {
        let mut taken = 0;
        match value {
            Value::Array(elements) => {
                let mut kept = Vec::new();
                for element in std::mem::take(elements) {
                    if self.are_in_value(&element)? { taken += 1 } else { kept.push(element) }
                }
                *elements = kept;
            }
            Value::Object(fields) => {
                let mut doomed = Vec::new();
                for (name, field) in fields.iter_mut() {
                    match field {
                        Value::Array(_) | Value::Object(_) => taken += self.prune(field)?,
                        // What the user called a conversation is the user's.
                        _ if name != "name" && self.are_in_value(field)? => doomed.push(name.clone()),
                        _ => {}
                    }
                }
                taken += doomed.len();
                for name in doomed {
                    fields.remove(&name);
                }
            }
            _ => {}
        }
        Ok(taken)
    }

    fn are_in_value(&self, value: &Value) -> Result<bool, Error> {
        match value {
            Value::String(text) => self.are_in(text),
            Value::Array(elements) => any(elements.iter(), |element| self.are_in_value(element)),
            Value::Object(fields) => any(fields.values(), |field| self.are_in_value(field)),
            _ => Ok(false),
        }
    }
}

fn any<'v>(
    mut values: impl Iterator<Item = &'v Value>,
    is: impl Fn(&Value) -> Result<bool, Error>,
) -> Result<bool, Error> {
    values.try_fold(false, |found, value| if found { Ok(true) } else { is(value) })
}

/// Of this process alone: nothing of it is stored.
fn hash(of: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}
