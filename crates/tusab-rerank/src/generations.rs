use std::collections::HashMap;
use std::hash::Hash;

/// A bounded map that forgets what was not asked for lately: two generations of at most half the bound each. What is
/// found in the old generation moves to the young one; when that is full it becomes the old one, and the old one goes.
#[derive(Debug)]
pub(crate) struct Generations<K, V> {
    bound: usize,
    young: HashMap<K, V>,
    old: HashMap<K, V>,
}

impl<K: Hash + Eq, V> Generations<K, V> {
    /// Holds at most `bound` entries; with 0 or 1 none.
    pub(crate) fn new(bound: usize) -> Self {
        Self { bound, young: HashMap::new(), old: HashMap::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }

    pub(crate) fn get<Q>(&mut self, key: &Q) -> Option<&V>
    where
        K: std::borrow::Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        if let Some((key, value)) = self.old.remove_entry(key) {
            self.put(key, value);
        }
        self.young.get(key)
    }

    /// Keeps the entry; an older one with the same key goes.
    pub(crate) fn put(&mut self, key: K, value: V) {
        let half = self.bound / 2;
        if half == 0 {
            return;
        }
        self.old.remove(&key);
        if self.young.len() >= half && !self.young.contains_key(&key) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.old.iter().chain(&self.young)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_used_stays_and_what_is_not_goes() {
        let mut cache = Generations::new(8);
        for key in 0..100 {
            cache.put(key, key);
            assert_eq!(cache.get(&0), Some(&0), "after {key}");
        }
        assert_eq!(cache.get(&1), None);
        assert_eq!(cache.get(&99), Some(&99));
    }

    proptest! {
        #[test]
        fn never_more_than_the_bound_and_never_a_wrong_value(
            bound in 0_usize..20,
            steps in prop::collection::vec((0_u8..30, any::<bool>()), 0..200),
        ) {
            let mut cache = Generations::new(bound);
            let mut truth = HashMap::new();
            for (step, (key, put)) in steps.into_iter().enumerate() {
                if put {
                    cache.put(key, step);
                    truth.insert(key, step);
                }
                if let Some(value) = cache.get(&key) {
                    prop_assert_eq!(Some(value), truth.get(&key));
                }
                prop_assert!(cache.len() <= bound);
                prop_assert_eq!(cache.iter().count(), cache.len());
            }
        }
    }
}
