//! Sample material for the benchmarks: prose and cues written for them, the same at every run.

pub mod prose;
