//! Several projects in one search.

use std::sync::Arc;

use tusab_index::{ChunkStore, Error, Filter, Hit, Nearest, Query, Retriever, VectorQuery};

use super::{Found, Search, Searcher};
use crate::project::Held;
use crate::runtime::blocking;
use crate::{Cancel, Engine, Project};

impl Engine {
    /// Searches several projects as one: their words count together, so that scores compare. A hit's
    /// [`index`](tusab_index::Hit::index) says which of `projects` it is from. Vectors take part where all of them have some.
    ///
    /// # Errors
    /// When one of the indexes cannot be read.
    pub async fn search(
        &self,
        projects: &[Project],
        search: impl Into<Search>,
    ) -> Result<Found, crate::Error> {
        let search = search.into();
        let Some(first) = projects.first().map(Project::inner) else { return Ok(Found::default()) };
        let (models, clock) = (first.models.clone(), Arc::clone(&first.clock));
        let indexes: Vec<Arc<Held>> =
            projects.iter().map(|project| Arc::clone(&project.inner().index)).collect();
        let dropped = Cancel::new();
        let (gone, _guard) = (dropped.clone(), dropped.on_drop());
        // All are on one server, or none is.
        let built_in = first.index.degradation();
        let behind = projects.iter().find_map(|project| project.inner().told_behind());
        let _permit = first.searches.acquire().await;
        let mut found = blocking("a search", move || {
            let mut passages = 0;
            for index in &indexes {
                passages += index.statistics()?.chunks;
            }
            Searcher::new(Arc::new(Several(indexes)))
                .with_models(models)
                .with_clock(clock)
                .with_passages(passages)
                .search_until(&search, &[], &|| gone.is_cancelled())
        })
        .await?;
        found.degraded.extend(behind);
        found.degraded.extend(built_in);
        Ok(found)
    }
}

/// Indexes that are searched as one: how rare a word is counts over all of them, so that scores compare.
#[derive(Debug)]
struct Several(Vec<Arc<Held>>);

impl Retriever for Several {
    fn retrieve(&self, query: &Query) -> Result<tusab_index::Found, Error> {
        let indexes: Vec<&Held> = self.0.iter().map(|index| &**index).collect();
        Held::retrieve_all(&indexes, query)
    }

    fn following(&self, hit: &Hit) -> Result<Option<Hit>, Error> {
        let Some(index) = self.0.get(hit.index) else { return Ok(None) };
        index.following(hit)
    }

    fn retrieve_nearest(&self, query: &VectorQuery<'_>, filter: &Filter) -> Result<Nearest, Error> {
        let mut all: Vec<Hit> = Vec::new();
        for (number, index) in self.0.iter().enumerate() {
            match index.retrieve_nearest(query, filter)? {
                Nearest::Found(hits) => {
                    all.extend(hits.into_iter().map(|mut hit| {
                        hit.index = number;
                        hit
                    }));
                }
                // One that has no vectors would be heard less than the others: then words alone bring candidates.
                off => return Ok(off),
            }
        }
        let cosine = |hit: &Hit| hit.explain.cosine.unwrap_or(-1.0);
        all.sort_by(|a, b| cosine(b).total_cmp(&cosine(a)).then_with(|| a.chunk.id().cmp(&b.chunk.id())));
        all.truncate(query.limit);
        for (rank, hit) in (1..).zip(&mut all) {
            hit.explain.vector_rank = Some(rank);
        }
        Ok(Nearest::Found(all))
    }
}
