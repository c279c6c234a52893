use std::path::Path;

use benches::passages::Passage;

/// Passages that are asked for.
pub(crate) const WANTED: usize = 6;

/// What is asked.
#[derive(Debug, Clone)]
pub(crate) enum Asked {
    /// Passages with the best of these words.
    Words(String),
    /// Passages in which these words follow each other.
    Phrase(String),
}

/// Keeps passages in a folder and finds them.
pub(crate) trait Finder {
    const NAME: &'static str;

    fn open(folder: &Path) -> Self;

    /// Adds passages, durable and found when it returns. The first one's number is `from`.
    fn write(&mut self, from: usize, passages: &[Passage]);

    /// What one does after the last of many writes.
    fn settle(&mut self);

    /// The bytes of the best passages' titles and texts, all of which are loaded.
    fn find(&self, asked: &Asked) -> usize;
}
