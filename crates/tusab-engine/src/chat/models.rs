use std::sync::Arc;

use tusab_llm::{ChatModel, Client, Fallback, Purpose, Routes, Tokens};

use crate::{Degradation, Offline};

/// The longest context that is asked of a model on the user's own memory, where the app does not say.
const CONTEXT: Tokens = Tokens::new(8192);

/// The language models of an engine, by what they are for.
#[derive(Debug, Clone)]
pub(crate) struct ChatModels {
    answer: Option<Route>,
    auxiliary: Option<Route>,
    offline: Offline,
    /// How much a model on the user's own memory is given to hold.
    context: Tokens,
}

/// Where a call goes.
#[derive(Debug, Clone)]
struct Route {
    all: Arc<dyn ChatModel>,
    /// The same without what is not on this machine; `None` when nothing is.
    local: Option<Arc<dyn ChatModel>>,
}

impl Route {
    fn one(model: Arc<dyn ChatModel>) -> Self {
        let local = model.is_local().then(|| Arc::clone(&model));
        Self { all: model, local }
    }

    fn of(client: &Client, routes: &Routes, purpose: Purpose) -> Result<Self, tusab_llm::Error> {
        let all = client.route(routes, purpose)?;
        let models = routes.models(purpose).map(|id| client.model(id)).collect::<Result<Vec<_>, _>>()?;
        let mut local = models.into_iter().filter(|model| model.is_local());
        let local = local.next().map(|first| Arc::new(Fallback::new(first, local)) as Arc<dyn ChatModel>);
        Ok(Self { all, local })
    }
}

impl Default for ChatModels {
    fn default() -> Self {
        Self { answer: None, auxiliary: None, offline: Offline::default(), context: CONTEXT }
    }
}

impl ChatModels {
    pub(crate) fn set_answer(&mut self, model: Arc<dyn ChatModel>) {
        self.answer = Some(Route::one(model));
    }

    pub(crate) fn set_auxiliary(&mut self, model: Arc<dyn ChatModel>) {
        self.auxiliary = Some(Route::one(model));
    }

    pub(crate) fn set_routes(&mut self, client: &Client, routes: &Routes) -> Result<(), tusab_llm::Error> {
        let (auxiliary, answer) =
            (Route::of(client, routes, Purpose::Auxiliary)?, Route::of(client, routes, Purpose::Final)?);
        (self.auxiliary, self.answer) = (Some(auxiliary), Some(answer));
        Ok(())
    }

    pub(crate) fn set_offline(&mut self, offline: Offline) {
        self.offline = offline;
    }

    /// Whether nothing may leave this machine now.
    pub(crate) fn is_offline(&self) -> bool {
        self.offline.is_on()
    }

    pub(crate) fn set_context(&mut self, context: Tokens) {
        self.context = context;
    }

    pub(crate) fn context(&self) -> Tokens {
        self.context
    }

    /// The model that writes answers, if there is one and it may be asked.
    pub(crate) fn answering(&self, degraded: &mut Vec<Degradation>) -> Option<Arc<dyn ChatModel>> {
        self.reachable(self.answer.as_ref()?, degraded)
    }

    /// The model for auxiliary calls, if there is one and it may be asked.
    pub(crate) fn helping(&self, degraded: &mut Vec<Degradation>) -> Option<Arc<dyn ChatModel>> {
        self.reachable(self.auxiliary.as_ref()?, degraded)
    }

    fn reachable(&self, route: &Route, degraded: &mut Vec<Degradation>) -> Option<Arc<dyn ChatModel>> {
        if !self.is_offline() {
            return Some(Arc::clone(&route.all));
        }
        if route.local.is_none() {
            let refusal = Degradation::Offline { model: route.all.id().to_string() };
            if !degraded.contains(&refusal) {
                degraded.push(refusal);
            }
        }
        route.local.clone()
    }
}
