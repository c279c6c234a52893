//! Random numbers that are the same for the same seed.

/// A small generator (`SplitMix64`, Steele, Lea and Flood 2014).
#[derive(Debug, Clone)]
pub struct Draw(u64);

impl Draw {
    /// Begins at a seed; any will do.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number under `bound`; 0 for a bound of 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % (bound as u64).max(1)).unwrap_or_default()
    }

    /// `count` of the items, in a drawn order; all of them when there are fewer.
    pub fn sample<T>(&mut self, mut items: Vec<T>, count: usize) -> Vec<T> {
        let mut drawn = Vec::with_capacity(count.min(items.len()));
        while drawn.len() < count && !items.is_empty() {
            let at = self.below(items.len());
            drawn.push(items.swap_remove(at));
        }
        drawn
    }
}
