//! Which projects there are, and which one is meant.

use schemars::JsonSchema;
use serde::Serialize;
use tusab_engine::{Engine, Project};

use crate::refusal::Refusal;
use crate::schema::plain;

/// Names that a refusal lists at most.
const NAMED: usize = 20;

/// The projects of the data directory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProjectList {
    /// Those that can be searched, by name.
    projects: Vec<ListedProject>,
    /// Why others cannot.
    unreadable: Vec<String>,
}

/// A project.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(transform = plain)]
pub(crate) struct ListedProject {
    /// Its name, for the other tools.
    name: String,
    /// Number of documents in it.
    documents: usize,
    /// Number of passages in them.
    passages: usize,
    /// When it was made, in UTC (RFC 3339).
    created_at: String,
}

/// The projects, each with how much is in it.
pub(crate) async fn list(engine: &Engine) -> Result<ProjectList, Refusal> {
    let listed = engine.projects().await?;
    let mut unreadable: Vec<String> = listed.unreadable.iter().map(|error| examples::chain(error)).collect();
    let mut projects = Vec::new();
    for info in listed.projects {
        let statistics = async {
            let project = engine.find_project(&info.name).await?;
            match project {
                Some(project) => project.statistics().await.map(Some),
                // Deleted since.
                None => Ok(None),
            }
        };
        match statistics.await {
            Ok(Some(statistics)) => projects.push(ListedProject {
                name: info.name,
                documents: statistics.documents,
                passages: statistics.chunks,
                created_at: info.created_at,
            }),
            Ok(None) => {}
            Err(error) => unreadable.push(format!("{}: {}", info.name, examples::chain(&error))),
        }
    }
    Ok(ProjectList { projects, unreadable })
}

/// The project of that name; the only one, where none is named. None is ever made.
pub(crate) async fn find(engine: &Engine, name: Option<&str>) -> Result<Project, Refusal> {
    let names = || async {
        let listed = engine.projects().await?;
        Ok::<_, Refusal>(listed.projects.into_iter().map(|info| info.name).collect::<Vec<String>>())
    };
    let Some(name) = name else {
        let names = names().await?;
        return match names.as_slice() {
            [only] => match engine.find_project(only).await? {
                Some(project) => Ok(project),
                None => Err(Refusal::new(format!("{only:?} was deleted just now"))),
            },
            [] => Err(Refusal::new("there is no project in the data directory yet: take sources in first")),
            names => Err(Refusal::new(format!("say which `project`: {}", listed(names)))),
        };
    };
    if let Some(project) = engine.find_project(name).await? {
        return Ok(project);
    }
    let here = match names().await?.as_slice() {
        [] => "there is none in the data directory yet".to_owned(),
        names => format!("there are {}", listed(names)),
    };
    Err(Refusal::new(format!("there is no project {:?}; {here}", shortened(name))))
}

fn listed(names: &[String]) -> String {
    let mut listed: Vec<String> = names.iter().take(NAMED).map(|name| format!("{name:?}")).collect();
    if names.len() > NAMED {
        listed.push(format!("and {} more: see `list_projects`", names.len() - NAMED));
    }
    listed.join(", ")
}

/// A name that is told back, which may be of any length.
fn shortened(name: &str) -> String {
    let mut characters = name.chars();
    let start: String = characters.by_ref().take(120).collect();
    if characters.next().is_some() { format!("{start}…") } else { start }
}
