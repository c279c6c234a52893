//! Two projects become one.

mod carry;

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};
use tusab_chunk::DocId;

use self::carry::carry;
use super::group::{Bytes, Group};
use super::library::Library;
use super::sources::mended;
use super::stored::{Prepared, reread};
use super::{Inner, Outcome, Project};
use crate::chat::{History, SESSIONS_LOCK, take_summaries};
use crate::progress::Pulse;
use crate::{Cancel, Error, Event, Stage};

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
    /// Passages that were given the key phrases that they have there.
    pub key_phrases: usize,
    /// Passages that were given the vectors that they have there.
    pub vectors: usize,
    /// Ratings of answers that were brought.
    pub ratings: usize,
    /// Summaries of documents that were brought.
    pub summaries: usize,
    /// Why sources could not be brought, for people; none after a whole merge.
    pub failed: Vec<String>,
    /// What else stays behind, for people: vectors of another model.
    pub left: Vec<String>,
    /// True when the caller asked to stop; the same call again brings the rest.
    pub cancelled: bool,
}

impl Project {
    /// Brings what another project holds into this one. See [`merge_with`](Self::merge_with).
    ///
    /// # Errors
    /// As [`merge_with`](Self::merge_with).
    pub async fn merge(&self, other: &Self) -> Result<MergeReport, Error> {
        self.merge_with(other, &Cancel::new()).await
    }

    /// Brings the sources and conversations of another project into this one, and with them what its passages were given
    /// (key phrases, vectors), what people think of its answers, and summaries. The other stays as it is: delete it when
    /// all was brought. After a crash or a cancel, the same call again brings the rest. Dropping the future is a cancel.
    ///
    /// A source of both is kept as it was taken in last, and a passage of both with the key phrases and the vector that it
    /// has here. A conversation of both by the same name is brought under another. Vectors of another model than the one
    /// here stay behind, as [`MergeReport::left`] says. So does what is a project's own: what waits in its queue, what it
    /// follows, what was removed from it and not purged, and thumbs down that are so old that only their number is known.
    ///
    /// # Errors
    /// When one of them is being written by another process, or the disk refuses.
    pub async fn merge_with(&self, other: &Self, cancel: &Cancel) -> Result<MergeReport, Error> {
        let from = Arc::clone(&other.inner);
        self.work(cancel, "a merge", move |inner, stop, tell| run(inner, &from, stop, tell)).await
    }
}

fn run(
    into: &Inner,
    from: &Inner,
    stop: &dyn Fn() -> bool,
    tell: &dyn Fn(Event),
) -> Result<MergeReport, Error> {
    let mut report = MergeReport::default();
    if into.id() == from.id() && into.dirs.neural == from.dirs.neural {
        return Ok(report);
    }
    from.still_here()?;
    // Without its lock: manifests and files are written whole, and two merges the other way round would wait for each
    // other.
    let library = Library::peek(&from.dirs.neural)?.ok_or_else(|| Error::NotMended { name: from.name() })?;
    let _writing = into.write()?;
    let ours = match mended(into, stop, tell) {
        Err(error) if error.is_cancelled() => {
            report.cancelled = true;
            return Ok(report);
        }
        ours => ours?,
    };
    let mut group = Group::new(into, ours, tell);
    sources(into, &library, &mut group, &mut report, stop, tell)?;
    group.finish()?;
    if report.cancelled {
        return Ok(report);
    }
    let mut docs: Vec<DocId> = library
        .entries()
        .filter_map(|(shelf, entry)| shelf.document_id(entry))
        .filter(|doc| group.library.find(doc).is_some())
        .collect();
    docs.sort_unstable();
    let told = |stage, progress| tell(Event::Progress { project: into.name(), stage, progress });
    let carried = carry(&into.index, &from.index, &into.models, &docs, stop, &told);
    into.index.release_writer();
    let carried = carried?;
    (report.key_phrases, report.vectors) = (carried.key_phrases, carried.vectors);
    report.left.extend(carried.left);
    report.cancelled = carried.cancelled || stop();
    if report.cancelled {
        return Ok(report);
    }
    let Conversations { brought, names } = sessions(into, from)?;
    report.sessions = brought;
    let called = |session: &str| names.get(session).cloned().unwrap_or_else(|| beside(session, &from.name()));
    report.ratings = into.feedback.take_from(&from.feedback, &called)?;
    let is_here = |doc: &DocId| docs.binary_search(doc).is_ok();
    report.summaries = take_summaries(&into.kept_management(), &from.kept_management(), &is_here)?;
    Ok(report)
}

/// Brings the sources.
fn sources(
    into: &Inner,
    library: &Library,
    group: &mut Group<'_>,
    report: &mut MergeReport,
    stop: &dyn Fn() -> bool,
    tell: &dyn Fn(Event),
) -> Result<(), Error> {
    let (pulse, total) = (Pulse::start(), library.entries().count());
    for (done, (shelf, entry)) in (1..).zip(library.entries()) {
        if stop() {
            report.cancelled = true;
            break;
        }
        if let Some(progress) = pulse.beat(done, total) {
            tell(Event::Progress { project: into.name(), stage: Stage::Reading, progress });
        }
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
    Ok(())
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

/// What became of conversations.
#[derive(Default)]
struct Conversations {
    brought: usize,
    /// What each is called here.
    names: HashMap<String, String>,
}

/// Copies conversations. One whose name another has here is brought under a name of its own, once.
fn sessions(into: &Inner, from: &Inner) -> Result<Conversations, Error> {
    let (source, target) = (from.kept_sessions(), into.kept_sessions());
    let mut conversations = Conversations::default();
    let mut put = |file: &str, bytes: &[u8]| {
        let mut here = None;
        target.change(file, SESSIONS_LOCK, &mut |read| {
            here.clone_from(&read);
            Ok(Some(read.unwrap_or_else(|| bytes.to_vec())))
        })?;
        conversations.brought += usize::from(here.is_none());
        Ok::<_, Error>(here)
    };
    for file in source.names_of_json()? {
        let Some(bytes) = source.read(&file)? else { continue };
        let Some(session) = Conversation::parse(&bytes) else {
            put(&file, &bytes)?;
            continue;
        };
        let name = if put(&file, &bytes)?.is_some_and(|here| here != bytes) {
            let name = beside(&session.name, &from.name());
            put(History::new(target.clone(), &name).file(), &session.renamed(&name))?;
            name
        } else {
            session.name.clone()
        };
        conversations.names.insert(session.name, name);
    }
    Ok(conversations)
}

/// What a conversation is called here when its own name is another's.
fn beside(session: &str, project: &str) -> String {
    format!("{session} ({project})")
}

/// A conversation in its file.
struct Conversation {
    name: String,
    fields: Map<String, Value>,
}

impl Conversation {
    /// `None` for a file that is none.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let fields: Map<String, Value> = serde_json::from_slice(bytes).ok()?;
        Some(Self { name: fields.get("name")?.as_str()?.to_owned(), fields })
    }

    fn renamed(&self, name: &str) -> Vec<u8> {
        let mut fields = self.fields.clone();
        fields.insert("name".to_owned(), name.into());
        // Maps with text keys and plain values always serialise.
        serde_json::to_vec_pretty(&fields).unwrap_or_default()
    }
}
