//! The tool `search_knowledge`.

use schemars::JsonSchema;
use serde::Serialize;
use tusab_engine::{Assessment, Degradation, NoContext, Project, Search};

use crate::arguments::SearchArguments;
use crate::passage::Passage;
use crate::refusal::Refusal;
use crate::schema::plain;

/// What a search found.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(transform = plain)]
pub(crate) struct SearchResult {
    /// The project that was searched.
    project: String,
    /// The passages, best first.
    passages: Vec<Passage>,
    /// How likely the passages hold the answer, from 0 to 1.
    confidence: f32,
    /// Why the passages do not answer the query, where they do not: then say so rather than answer from them.
    no_context: Option<String>,
    /// What was missing, so that less was found than could be.
    degraded: Vec<Missing>,
}

/// Something that was missing.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Missing {
    /// What is wrong.
    reason: String,
    /// What a person can do about it.
    remedy: String,
}

impl Missing {
    fn of(degradation: &Degradation) -> Self {
        Self { reason: degradation.reason(), remedy: degradation.remedy().to_owned() }
    }
}

pub(crate) async fn search(project: &Project, asked: &SearchArguments) -> Result<SearchResult, Refusal> {
    let query = asked.query()?;
    let search = Search::new(query).with_limit(asked.limit()?).with_mode(asked.mode());
    let found = project.search(search).await?;
    let assessment = Assessment::of(query, &found);
    let is_empty = found.hits.is_empty() && project.statistics().await?.chunks == 0;
    let no_context = if is_empty { Some(NoContext::NothingIndexed) } else { assessment.no_context };
    let cited = found.citations(query).into_iter().zip(&found.hits);
    Ok(SearchResult {
        project: project.name(),
        passages: cited.map(|(citation, hit)| Passage::new(citation, &hit.chunk)).collect(),
        confidence: assessment.confidence.get(),
        no_context: no_context.map(told),
        degraded: found.degraded.iter().map(Missing::of).collect(),
    })
}

fn told(reason: NoContext) -> String {
    match reason {
        NoContext::NothingIndexed => "the project holds no passage yet: take sources in first",
        NoContext::NoMatch => "no passage holds any of the words: try others, or mode `broad`",
        _ => "what was found is far from the query: it may not be in the project",
    }
    .to_owned()
}
