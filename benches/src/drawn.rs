/// A generator of numbers that look drawn (xorshift, Marsaglia 2003) and are the same at every run.
#[derive(Debug, Clone)]
pub(crate) struct Drawn(u64);

impl Drawn {
    pub(crate) fn new() -> Self {
        Self(0x5EED)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    /// A number from 0 to 1.
    #[allow(clippy::cast_precision_loss, reason = "53 bits are what a float holds")]
    pub(crate) fn unit(&mut self) -> f64 {
        self.below(1 << 53) as f64 / (1_u64 << 53) as f64
    }
}
