//! What every run of yt-dlp is told.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use super::options::{Cookies, YtDlpOptions};
use crate::process::absolute;

/// The program, so that it is found from any folder.
pub(super) fn program(options: &YtDlpOptions) -> PathBuf {
    absolute(&options.program)
}

/// The arguments of every run.
pub(super) fn common(options: &YtDlpOptions) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = [
        // First, and always: a configuration could bring a proxy, a command to run, other files to write.
        "--ignore-config",
        "--color",
        "never",
        "--no-progress",
        "--socket-timeout",
        "20",
        // Asking again at once is what a site answers with 429.
        "--retries",
        "1",
        "--extractor-retries",
        "1",
        "--fragment-retries",
        "1",
    ]
    .map(OsString::from)
    .into();
    let mut add = |name: &str, value: &OsStr| {
        arguments.push(name.into());
        arguments.push(value.to_owned());
    };
    if !options.pause.is_zero() {
        add("--sleep-requests", options.pause.as_secs_f64().to_string().as_ref());
    }
    match &options.cookies {
        Some(Cookies::OfBrowser(browser)) => add("--cookies-from-browser", browser.as_str().as_ref()),
        Some(Cookies::File(path)) => add("--cookies", absolute(path).as_os_str()),
        None => {}
    }
    if let Some((kind, path)) = &options.javascript {
        let mut runtime = OsString::from(kind.as_str());
        if let Some(path) = path {
            runtime.push(":");
            runtime.push(absolute(path));
        }
        add("--js-runtimes", &runtime);
    }
    for folder in &options.plugins {
        add("--plugin-dirs", absolute(folder).as_os_str());
    }
    arguments
}
