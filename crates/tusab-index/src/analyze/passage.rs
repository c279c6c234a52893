use super::{Analysis, append};

/// The analyses of a passage and of what its document says, made once for the store and for the ranking.
#[derive(Debug, Default)]
pub(crate) struct PassageAnalysis {
    pub(crate) text: Analysis,
    pub(crate) title: Analysis,
    pub(crate) tags: Analysis,
    /// The compounds of all three.
    pub(crate) compounds: String,
}

impl PassageAnalysis {
    /// Takes in what the passages of a document share.
    pub(crate) fn read_document(&mut self, title: &str, tags: &[String]) {
        self.title.read(title);
        self.tags.read(&tags.join("\n"));
    }

    /// Takes in a passage of the document that was taken in last.
    pub(crate) fn read_text(&mut self, text: &str) {
        self.text.read(text);
        self.compounds.clear();
        for part in [&self.text, &self.title, &self.tags] {
            append(&mut self.compounds, &part.compounds);
        }
    }
}
