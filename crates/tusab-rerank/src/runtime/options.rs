use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::library;
use crate::Backend;

/// How models are run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuntimeOptions {
    /// The only runtime to use. `None`, the default: ONNX Runtime where one of its libraries can be opened, else rten.
    pub backend: Option<Backend>,
    /// Where the library of ONNX Runtime may lie, tried in order. Empty by default; see
    /// [`RuntimeOptions::from_env`]. The first that opens serves the whole process until it ends.
    pub libraries: Vec<PathBuf>,
    /// How many runs may happen at once, each on one thread; each holds its own copy of the model under ONNX Runtime.
    /// By default the number of processors, 4 at most.
    pub threads: NonZeroUsize,
}

impl Default for RuntimeOptions {
    fn default() -> Self {
        let most = NonZeroUsize::MIN.saturating_add(3);
        let processors = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self { backend: None, libraries: Vec::new(), threads: processors.min(most) }
    }
}

impl RuntimeOptions {
    /// The defaults, with the libraries of ONNX Runtime that this machine seems to have: what `ORT_DYLIB_PATH` names,
    /// what lies in the folder `runtime` of this user's models ([`ModelStore::runtime_folder`]), what the Python package
    /// `onnxruntime` brought, and what the system's folders hold, in this order. Reads the environment and lists folders;
    /// opens nothing.
    ///
    /// [`ModelStore::runtime_folder`]: crate::ModelStore::runtime_folder
    #[must_use]
    pub fn from_env() -> Self {
        Self::default().with_libraries(library::candidates())
    }

    /// With one runtime only.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = Some(backend);
        self
    }

    /// With other places for the library of ONNX Runtime.
    #[must_use]
    pub fn with_libraries(mut self, libraries: impl IntoIterator<Item = PathBuf>) -> Self {
        self.libraries = libraries.into_iter().collect();
        self
    }

    /// With another number of runs at once.
    #[must_use]
    pub fn with_threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = threads;
        self
    }
}
