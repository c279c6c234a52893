//! The documents as resources: `tusab://FOLDER/DOCUMENT`, by the project's folder, which stays when it is renamed.

use rmcp::ErrorData;
use rmcp::model::{ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use tusab_engine::chunk::DocId;
use tusab_engine::index::DocumentRecord;
use tusab_engine::{Engine, Project};

use crate::refusal::Refusal;

const SCHEME: &str = "tusab://";

/// Resources listed at a time.
const PAGE: usize = 100;

/// Characters of a resource at most; `read_source` reads on where one is longer.
const CHARACTERS: usize = 1_000_000;

/// How a resource is named.
pub(crate) fn template() -> ResourceTemplate {
    ResourceTemplate::new(format!("{SCHEME}{{folder}}/{{document}}"), "document")
        .with_title("A document of a project")
        .with_description("The text of a document, by the folder of its project and its id")
        .with_mime_type("text/plain")
}

/// The documents of all projects, a page at a time. A cursor is the address of the last document listed, so that it holds
/// whatever comes and goes between two pages.
pub(crate) async fn list(engine: &Engine, cursor: Option<&str>) -> Result<ListResourcesResult, ErrorData> {
    let after = cursor.map(parse).transpose()?;
    let mut listed = engine.projects().await.map_err(|error| internal(&error))?.projects;
    listed.sort_unstable_by(|a, b| a.folder.cmp(&b.folder));
    let mut resources = Vec::new();
    let mut is_more = false;
    for info in listed {
        let is_before = |folder: &str| after.as_ref().is_some_and(|(last, _)| folder < last.as_str());
        if is_more || is_before(&info.folder) {
            continue;
        }
        let Some(project) = engine.find_project(&info.name).await.map_err(|error| internal(&error))? else {
            continue;
        };
        let mut documents = project.documents().await.map_err(|error| internal(&error))?;
        documents.sort_unstable_by(|a, b| a.id.as_str().cmp(b.id.as_str()));
        let is_listed = |document: &DocumentRecord| {
            after
                .as_ref()
                .is_some_and(|(folder, doc)| *folder == info.folder && document.id.as_str() <= doc.as_str())
        };
        let mut left = documents.iter().filter(|document| !is_listed(document));
        resources
            .extend(left.by_ref().take(PAGE - resources.len()).map(|document| resource(&project, document)));
        // The next project, which may be empty, is looked at when the next page is asked for.
        is_more = left.next().is_some() || resources.len() == PAGE;
    }
    let next = resources.last().filter(|_| is_more).map(|last| last.uri.clone());
    let mut result = ListResourcesResult::with_all_items(resources);
    result.next_cursor = next;
    Ok(result)
}

/// The text of a document.
pub(crate) async fn read(engine: &Engine, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let (folder, doc) = parse(uri)?;
    let missing = || ErrorData::resource_not_found("there is no such document: list the resources", None);
    let listed = engine.projects().await.map_err(|error| internal(&error))?.projects;
    let info = listed.into_iter().find(|info| info.folder == folder).ok_or_else(missing)?;
    let project =
        engine.find_project(&info.name).await.map_err(|error| internal(&error))?.ok_or_else(missing)?;
    let chunks = project.chunks(&doc).await.map_err(|error| internal(&error))?;
    if chunks.is_empty() {
        return Err(missing());
    }
    let (mut text, mut characters) = (String::new(), 0);
    for chunk in &chunks {
        characters += chunk.original_text().chars().count();
        if characters > CHARACTERS && !text.is_empty() {
            text.push_str("[The document goes on: read it with `read_source`.]");
            break;
        }
        text.push_str(chunk.original_text());
        text.push_str("\n\n");
    }
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text.trim_end(), uri)]))
}

fn resource(project: &Project, document: &DocumentRecord) -> Resource {
    Resource::new(format!("{SCHEME}{}/{}", project.folder(), document.id), document.id.as_str())
        .with_title(document.title.as_str())
        .with_description(format!("In the project {}", project.name()))
        .with_mime_type("text/plain")
}

fn parse(uri: &str) -> Result<(String, DocId), ErrorData> {
    let wrong = || {
        Refusal::new("not the address of a document here: list the resources to see them")
            .into_invalid_params()
    };
    let (folder, doc) = uri.strip_prefix(SCHEME).and_then(|rest| rest.split_once('/')).ok_or_else(wrong)?;
    Ok((folder.to_owned(), doc.parse().map_err(|_| wrong())?))
}

fn internal(error: &tusab_engine::Error) -> ErrorData {
    ErrorData::internal_error(examples::chain(error), None)
}
