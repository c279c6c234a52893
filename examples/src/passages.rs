//! Files of passages, `{text}` a line.

use std::path::Path;

use serde_json::Value;

use crate::Failure;

/// The texts of a file with one JSON object a line, each with its `text`. Empty lines are left out.
///
/// # Errors
/// [`Failure::Failed`] for a file that cannot be read, and for a line without a text, which is named.
pub fn read(path: &Path) -> Result<Vec<String>, Failure> {
    let failed = |reason: String| Failure::Failed(format!("{}: {reason}", path.display()));
    let all = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    let all = all.strip_prefix('\u{feff}').unwrap_or(&all);
    let lines = all.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let text = |(line, number): (&str, usize)| {
        let value: Value =
            serde_json::from_str(line).map_err(|error| failed(format!("line {number}: {error}")))?;
        let text = value.get("text").and_then(Value::as_str).map(str::to_owned);
        text.ok_or_else(|| failed(format!("line {number} has no text")))
    };
    lines.map(text).collect()
}
