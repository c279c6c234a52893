//! Sample material for the benchmarks: written for them, or drawn from a seed, the same at every run.

mod drawn;
pub mod passages;
pub mod prose;
pub mod rolling;
