//! What the page is told when a request comes to nothing: a line of text for whoever sits before it.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

/// Why a request comes to nothing.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The page is open from before the project was renamed or deleted, or its address was changed by hand.
    NoSuchProject,
    /// The engine could not do it.
    Engine(tusab_engine::Error),
}

impl From<tusab_engine::Error> for Problem {
    fn from(error: tusab_engine::Error) -> Self {
        Self::Engine(error)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        match self {
            Self::NoSuchProject => {
                (StatusCode::NOT_FOUND, "there is no such project: choose another").into_response()
            }
            Self::Engine(error) => {
                (StatusCode::INTERNAL_SERVER_ERROR, examples::chain(&error)).into_response()
            }
        }
    }
}
