use std::path::PathBuf;

use crate::{Attempt, Backend};

/// A part outside of the program that is not there, and how to get it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// Nothing that could run a model.
    Runtime {
        /// The only runtime that was asked for; `None` when any would have done.
        wanted: Option<Backend>,
        /// The libraries that were tried, and why each did not serve.
        attempts: Vec<Attempt>,
    },
    /// A model, or a file of it.
    Model {
        /// The model's name.
        name: String,
        /// The file or folder that should be there.
        path: PathBuf,
    },
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Runtime { wanted, attempts } => {
                match wanted {
                    Some(wanted) => write!(f, "the runtime {wanted} is not to be had")?,
                    None => f.write_str("there is no runtime for models")?,
                }
                let mut lead = " (tried ";
                for attempt in attempts {
                    write!(f, "{lead}{attempt}")?;
                    lead = "; ";
                }
                f.write_str(if attempts.is_empty() { "" } else { ")" })
            }
            Self::Model { name, path } => write!(f, "the model {name} is not there: no {}", path.display()),
        }
    }
}

impl Missing {
    /// What to do about it.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Runtime { wanted: Some(Backend::Rten), .. } => "build with the feature `rten`",
            Self::Runtime { .. } => {
                "install the Python package `onnxruntime`, or name the library (1.24 or later) in ORT_DYLIB_PATH, or \
                 build with the feature `rten`, which needs none"
            }
            Self::Model { .. } => {
                "install it with `ModelStore::install` (feature `hub`), or name a folder that holds it"
            }
        }
    }
}
