//! How the programs that answer show an answer to a person.

use tusab_engine::{Answer, Citation};

/// The sources of an answer, numbered as in its text, each with where to open it.
#[must_use]
pub fn sources(sources: &[Citation]) -> String {
    let lines = (1..).zip(sources).map(|(number, source)| {
        let section = source.section.as_ref().map(|section| format!(" — {section}")).unwrap_or_default();
        let start = source.start.map(|start| format!(", {start}")).unwrap_or_default();
        let page = source.page.map(|page| format!(", p. {page}")).unwrap_or_default();
        let link = source.link.as_ref().map(|link| format!("\n    {link}")).unwrap_or_default();
        format!("[{number}] {}{section}{start}{page}{link}", source.title)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What is to be known beside an answer: what was missing, and what the model was not shown.
#[must_use]
pub fn notes(answer: &Answer) -> Vec<String> {
    let missing = answer.degraded.iter().map(|what| format!("{}\n      {}", what.reason(), what.remedy()));
    let mut notes: Vec<String> = missing.collect();
    let left_out = &answer.left_out;
    if !left_out.is_empty() {
        notes.push(format!(
            "the model holds too little for all: sources shown in part {:?}, not at all {:?}; earlier turns not shown: {}",
            left_out.shortened, left_out.sources, left_out.turns
        ));
    }
    notes
}
