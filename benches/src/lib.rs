//! Sample material for the benchmarks: written for them, or drawn from a seed, the same at every run.

pub mod conversations;
mod drawn;
pub mod files;
pub mod passages;
pub mod prose;
pub mod rolling;
pub mod shared;
