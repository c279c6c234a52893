//! What can be answered without a search. Any doubt means search.

mod about_base;
mod arithmetic;
mod pattern;
mod small_talk;

use tusab_index::{Query, Retriever};

use crate::answer::Voice;
use crate::project::Inner;
use crate::{AnswerKind, AnswerLanguage, Error};

/// Where a question goes.
pub(super) enum Route {
    Direct(Direct),
    Search,
}

/// An answer of the engine's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Direct {
    pub(super) kind: AnswerKind,
    pub(super) text: String,
}

/// Decides; blocks while the disk is read. `is_first` says that no turn before it answered anything.
pub(super) fn route(
    project: &Inner,
    question: &str,
    is_first: bool,
    language: AnswerLanguage,
) -> Result<Route, Error> {
    let direct = |kind, text| Ok(Route::Direct(Direct { kind, text }));
    if let Some(solved) = arithmetic::solve(question) {
        let voice = language.chosen().or(solved.voice).unwrap_or_else(|| Voice::of(question));
        return direct(AnswerKind::Arithmetic, solved.told(voice));
    }
    if let Some(talk) = small_talk::recognise(question) {
        if is_title(project, question)? {
            return Ok(Route::Search);
        }
        return direct(AnswerKind::SmallTalk, talk.reply(language.chosen()).to_owned());
    }
    if let Some((asked, voice)) = about_base::recognise(question, is_first) {
        if is_title(project, question)? {
            return Ok(Route::Search);
        }
        let inventory = project.inventory()?;
        if let Some(text) = about_base::answer(asked, &inventory, language.chosen().unwrap_or(voice)) {
            return direct(AnswerKind::AboutBase, text);
        }
    }
    Ok(Route::Search)
}

/// Whether a document is called so.
fn is_title(project: &Inner, question: &str) -> Result<bool, Error> {
    let found = project.index.retrieve(&Query::new(question).with_limit(3))?;
    Ok(found.hits.iter().any(|hit| hit.explain.is_title))
}
