//! Two projects become one.

use std::sync::Arc;

use super::group::{Bytes, Group};
use super::library::Library;
use super::sources::mended;
use super::stored::{Prepared, reread};
use super::{Inner, Outcome, Project};
use crate::chat::{History, SESSIONS_LOCK};
use crate::{Cancel, Error, Event};
use serde_json::Value;

/// What a merge brought.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MergeReport {
    /// Sources that are new here.
    pub added: usize,
    /// Sources that were here, older, and are now as the other project had them.
    pub updated: usize,
    /// Sources that were here already: the same, or newer.
    pub already_here: usize,
    /// Conversations that were brought.
    pub sessions: usize,
    /// Why sources could not be brought, for people; none after a whole merge.
    pub failed: Vec<String>,
}

impl Project {
    /// Brings the sources and conversations of another project into this one. The other stays as it is: delete it when
    /// all was brought. After a crash, the same call again brings the rest.
    ///
    /// A source of both is kept as it was taken in last. A conversation of both by the same name is brought under another.
    ///
    /// # Errors
    /// When one of them is being written by another process, or the disk refuses.
    pub async fn merge(&self, other: &Self) -> Result<MergeReport, Error> {
        let from = Arc::clone(&other.inner);
        self.work(&Cancel::new(), "a merge", move |inner, _, tell| run(inner, &from, tell)).await
    }
}

fn run(into: &Inner, from: &Inner, tell: &dyn Fn(Event)) -> Result<MergeReport, Error> {
    let mut report = MergeReport::default();
    if into.id() == from.id() && into.dirs.neural == from.dirs.neural {
        return Ok(report);
    }
    from.still_here()?;
    // Without its lock: manifests and files are written whole, and two merges the other way round would wait for each
    // other.
    let library = Library::peek(&from.dirs.neural)?.ok_or_else(|| Error::NotMended { name: from.name() })?;
    let _writing = into.write()?;
    let mut group = Group::new(into, mended(into, tell)?, tell);
    for (shelf, entry) in library.entries() {
        let Some(doc) = shelf.document_id(entry) else { continue };
        if let Some((_, here)) = group.library.find(&doc)
            && (here.content_hash == entry.content_hash || here.ingested_at >= entry.ingested_at)
        {
            report.already_here += 1;
            continue;
        }
        let prepared = library.read(shelf, entry).and_then(|bytes| reread(shelf, entry, bytes));
        match prepared.and_then(|prepared| group.add(own_place(prepared), Bytes::ToWrite)) {
            Ok(Outcome::Added { .. }) => report.added += 1,
            Ok(Outcome::Updated { .. }) => report.updated += 1,
            Ok(_) => report.already_here += 1,
            Err(error) => report.failed.push(format!("{}: {error}", entry.original_name)),
        }
        if group.is_full() {
            group.commit()?;
        }
    }
    group.finish()?;
    report.sessions = sessions(into, from)?;
    Ok(report)
}

/// A file that was put in by hand has a name that another file here may have: its id is put in front of it.
fn own_place(mut prepared: Prepared) -> Prepared {
    let entry = &mut prepared.entry;
    let is_video = matches!(prepared.shelf, super::shelf::Shelf::Youtube(_));
    if !is_video && !entry.stored_name.starts_with(&entry.id) {
        entry.stored_name = format!("{}_{}", entry.id, entry.stored_name);
    }
    entry.stored = None;
    prepared
}

/// Copies conversations. One whose name another has here is brought under a name of its own, once.
fn sessions(into: &Inner, from: &Inner) -> Result<usize, Error> {
    let (source, target) = (from.kept_sessions(), into.kept_sessions());
    let mut brought = 0;
    let mut put = |file: &str, bytes: &[u8]| {
        let mut here = None;
        target.change(file, SESSIONS_LOCK, &mut |read| {
            here.clone_from(&read);
            Ok(Some(read.unwrap_or_else(|| bytes.to_vec())))
        })?;
        brought += usize::from(here.is_none());
        Ok::<_, Error>(here)
    };
    for file in source.names_of_json()? {
        let Some(bytes) = source.read(&file)? else { continue };
        if put(&file, &bytes)?.is_some_and(|here| here != bytes)
            && let Some((name, bytes)) = renamed(&bytes, &from.name())
        {
            put(History::new(target.clone(), &name).file(), &bytes)?;
        }
    }
    Ok(brought)
}

/// A conversation under a name that says which project it is from; `None` for what is none.
fn renamed(bytes: &[u8], project: &str) -> Option<(String, Vec<u8>)> {
    let mut session: Value = serde_json::from_slice(bytes).ok()?;
    let name = format!("{} ({project})", session.get("name")?.as_str()?);
    *session.get_mut("name")? = name.clone().into();
    Some((name, serde_json::to_vec_pretty(&session).ok()?))
}
