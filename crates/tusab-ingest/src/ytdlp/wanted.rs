use serde::{Deserialize, Serialize};
use tusab_chunk::{Date, Language};

use super::outcome::Outcome;

/// Which captions, and of which videos.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Wanted {
    /// The one language of captions; which tracks count as it, and in which order, says
    /// [`Track::choose`](crate::Track::choose).
    pub language: Language,
    /// Only of videos published on this day or later.
    #[serde(default)]
    pub since: Option<Date>,
    /// Only of videos published on this day or earlier.
    #[serde(default)]
    pub until: Option<Date>,
}

impl Wanted {
    /// Captions in one language, whenever they were published.
    #[must_use]
    pub fn new(language: Language) -> Self {
        Self { language, since: None, until: None }
    }

    /// Sets the range of dates; both ends belong to it.
    #[must_use]
    pub fn with_dates(mut self, since: Option<Date>, until: Option<Date>) -> Self {
        (self.since, self.until) = (since, until);
        self
    }

    /// What becomes of a video that was published then, when it is outside the dates. A video without a date is
    /// outside any.
    pub(super) fn out_of_range(&self, published: Option<Date>) -> Option<Outcome> {
        let inside = match published {
            Some(date) => {
                self.since.is_none_or(|since| since <= date) && self.until.is_none_or(|until| date <= until)
            }
            None => self.since.is_none() && self.until.is_none(),
        };
        (!inside).then_some(Outcome::OutOfRange { published })
    }
}
