use serde::{Deserialize, Serialize};
use tusab_chunk::{Date, DocId, Language, SourceKind};

use crate::DocumentRecord;
use crate::bm25::label;

/// Which documents a search looks at; by default all.
///
/// Each list lets through what equals any of its members, and an empty list everything; what is found has passed all of
/// them.
///
/// ```
/// use tusab_chunk::SourceKind;
/// use tusab_index::Filter;
/// let mut filter = Filter::default();
/// filter.kinds.push(SourceKind::Youtube);
/// filter.tags.push("economia".to_owned());
/// assert!(!filter.is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Filter {
    /// Kinds of source.
    pub kinds: Vec<SourceKind>,
    /// Documents, such as those that a person has pinned.
    pub documents: Vec<DocId>,
    /// Tags, compared as wholes apart from case and accents.
    pub tags: Vec<String>,
    /// Languages, given or detected; regions are not told apart.
    pub languages: Vec<Language>,
    /// The earliest date; documents without a date are left out.
    pub since: Option<Date>,
    /// The latest date; documents without a date are left out.
    pub until: Option<Date>,
}

impl Filter {
    /// True when every document passes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// True when a document passes. `language` is the one it is in, given or detected.
    #[must_use]
    pub fn accepts(&self, document: &DocumentRecord, language: Option<&Language>) -> bool {
        let is_in = |list_is_empty: bool, is_in: &dyn Fn() -> bool| list_is_empty || is_in();
        is_in(self.kinds.is_empty(), &|| self.kinds.contains(&document.id.kind()))
            && is_in(self.documents.is_empty(), &|| self.documents.contains(&document.id))
            && is_in(self.tags.is_empty(), &|| {
                let tags: Vec<String> = document.tags.iter().map(|tag| label(tag)).collect();
                self.tags.iter().any(|tag| tags.contains(&label(tag)))
            })
            && is_in(self.languages.is_empty(), &|| {
                language
                    .is_some_and(|is| self.languages.iter().any(|wanted| wanted.primary() == is.primary()))
            })
            && self.since.is_none_or(|since| document.date.is_some_and(|date| date >= since))
            && self.until.is_none_or(|until| document.date.is_some_and(|date| date <= until))
    }
}
