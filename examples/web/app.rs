//! What all requests share.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use tusab_engine::{Engine, Project};

use crate::ending::Ending;
use crate::problem::Problem;

/// What all requests share. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct App {
    pub(crate) engine: Engine,
    /// The project that the page opens first.
    pub(crate) first: Arc<str>,
    pub(crate) ending: Ending,
    /// Projects that were given their vectors since the program began, or are being given them.
    enriched: Arc<Mutex<HashSet<String>>>,
}

impl App {
    pub(crate) fn new(engine: Engine, first: String, ending: Ending) -> Self {
        Self { engine, first: first.into(), ending, enriched: Arc::default() }
    }

    /// The project of that name. None is ever made.
    pub(crate) async fn project(&self, name: &str) -> Result<Project, Problem> {
        self.engine.find_project(name).await?.ok_or(Problem::NoSuchProject)
    }

    /// Gives a project its vectors, once and while others go on. Until they are there, a Broad Search says so.
    pub(crate) fn enrich(&self, project: &Project) {
        let mut enriched = self.enriched.lock().unwrap_or_else(PoisonError::into_inner);
        if enriched.insert(project.folder()) {
            let (project, cancel) = (project.clone(), self.ending.cancel().clone());
            // What fails is told with the next answer.
            tokio::spawn(async move { project.enrich(&cancel).await });
        }
    }
}
