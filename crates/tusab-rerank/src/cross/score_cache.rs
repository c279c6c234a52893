use std::sync::Mutex;

use crate::generations::Generations;
use crate::lock;

/// Logits by what they are the logit of.
#[derive(Debug)]
pub(super) struct ScoreCache(Mutex<Generations<[u8; 16], f32>>);

impl ScoreCache {
    pub(super) fn new(bound: usize) -> Self {
        // A bound of one would hold none: see `Generations`.
        Self(Mutex::new(Generations::new(if bound == 0 { 0 } else { bound.max(2) })))
    }

    pub(super) fn get(&self, key: &[u8; 16]) -> Option<f32> {
        lock(&self.0).get(key).copied()
    }

    pub(super) fn put(&self, key: [u8; 16], logit: f32) {
        lock(&self.0).put(key, logit);
    }
}

/// The keys of one question: collision-resistant, since a wrong score would never be noticed. `identity` names the
/// model and all options that change its logits.
pub(super) fn keys<'p>(identity: &str, query: &str, passages: &[&'p str]) -> Vec<[u8; 16]> {
    let mut prefix = blake2b_simd::Params::new().hash_length(16).to_state();
    for part in [identity, query] {
        prefix.update(&(part.len() as u64).to_le_bytes());
        prefix.update(part.as_bytes());
    }
    let key = |passage: &&'p str| {
        let hash = prefix.clone().update(passage.as_bytes()).finalize();
        hash.as_bytes().try_into().unwrap_or_default()
    };
    passages.iter().map(key).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_apart_all_that_counts() {
        let key = |identity, query, passage| keys(identity, query, &[passage])[0];
        let all = [
            key("m", "q", "p"),
            key("m", "q", "other"),
            key("m", "qp", ""),
            key("mq", "", "p"),
            key("n", "q", "p"),
        ];
        for (at, one) in all.iter().enumerate() {
            assert!(!all[at + 1..].contains(one), "{at}");
        }
        assert_eq!(key("m", "q", "p"), all[0]);
        assert_ne!(all[0], [0; 16]);
    }
}
