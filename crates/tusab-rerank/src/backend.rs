use std::path::PathBuf;

/// What runs a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// [ONNX Runtime](https://onnxruntime.ai), a native library that stands outside of the program.
    OnnxRuntime,
    /// [rten](https://github.com/robertknight/rten), pure Rust, inside of the program.
    Rten,
}

impl Backend {
    /// `onnxruntime` or `rten`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OnnxRuntime => "onnxruntime",
            Self::Rten => "rten",
        }
    }
}

impl std::fmt::Display for Backend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A library that was tried and did not serve.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attempt {
    /// The file.
    pub path: PathBuf,
    /// Why it did not serve, in the words of the system.
    pub reason: String,
}

impl std::fmt::Display for Attempt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.reason)
    }
}
