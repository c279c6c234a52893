//! What runs a model: ONNX Runtime or `rten`, behind one private seam.

mod batch;
mod library;
#[cfg(feature = "onnxruntime")]
mod onnx;
mod open;
mod options;
mod pool;
#[cfg(feature = "rten")]
mod rten;

pub use options::RuntimeOptions;

pub(crate) use batch::{Batch, Output, Row};
pub(crate) use open::open;
pub(crate) use pool::Pool;

/// Why a runtime failed, in its own words.
pub(crate) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// One copy of a model, ready to run.
pub(crate) trait Graph: Send {
    /// Runs one batch and gives the output that the graph was opened for.
    fn run(&mut self, batch: &Batch) -> Result<Output, Cause>;
}

/// Runs what may panic inside of a foreign runtime and makes an error of it.
fn guarded<T>(work: impl FnOnce() -> Result<T, Cause>) -> Result<T, Cause> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Err(format!("the runtime panicked: {text}").into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_inside_of_a_runtime_becomes_an_error() {
        let error = guarded::<()>(|| panic!("index {} out of range", 7)).unwrap_err();
        assert_eq!(error.to_string(), "the runtime panicked: index 7 out of range");
        assert!(guarded(|| Ok(3)).is_ok_and(|value| value == 3));
    }
}
