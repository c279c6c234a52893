use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::Tokens;

/// A number of tokens in a provider's answer. One that is no number must not cost the answer that stands beside it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count(pub(crate) Option<Tokens>);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let count = Value::deserialize(deserializer)?.as_u64();
        Ok(Self(count.and_then(|count| u32::try_from(count).ok()).map(Tokens::new)))
    }
}

/// The sum of the counts that are there; `None` if there is none.
pub(crate) fn sum(counts: impl IntoIterator<Item = Count>) -> Option<Tokens> {
    let add = |sum: Tokens, count: Tokens| Tokens::new(sum.get().saturating_add(count.get()));
    counts.into_iter().filter_map(|Count(count)| count).reduce(add)
}
