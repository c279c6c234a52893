//! The page, which is part of the program.

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::{MethodRouter, get};

use crate::app::App;

pub(crate) fn routes() -> Router<App> {
    const SCRIPT: &str = "text/javascript; charset=utf-8";
    Router::new()
        .route("/", file("text/html; charset=utf-8", include_str!("page/index.html")))
        .route("/style.css", file("text/css; charset=utf-8", include_str!("page/style.css")))
        .route("/icon.svg", file("image/svg+xml", include_str!("page/icon.svg")))
        .route("/main.js", file(SCRIPT, include_str!("page/main.js")))
        .route("/server.js", file(SCRIPT, include_str!("page/server.js")))
        .route("/text.js", file(SCRIPT, include_str!("page/text.js")))
        .route("/turn.js", file(SCRIPT, include_str!("page/turn.js")))
        .route("/source.js", file(SCRIPT, include_str!("page/source.js")))
}

fn file(kind: &'static str, text: &'static str) -> MethodRouter<App> {
    get(move || async move { ([(CONTENT_TYPE, kind)], text) })
}
