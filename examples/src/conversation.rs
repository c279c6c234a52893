//! What the programs that read a chat or a meeting print.

use serde_json::{Value, json};

/// A message or a turn, ready to be printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Local time in ISO 8601, without a zone.
    pub time: Option<String>,
    /// Whole seconds from the start of a recording.
    pub start_s: Option<u64>,
    /// Who; none for a notice of the system.
    pub sender: Option<String>,
    /// What.
    pub text: String,
}

impl Line {
    /// The line in JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let Self { time, start_s, sender, text } = self;
        json!({"time": time, "start_s": start_s, "sender": sender, "text": text})
    }

    /// The line for people.
    #[must_use]
    pub fn show(&self) -> String {
        let recorded = self.start_s.map(|s| format!("{}:{:02}", s / 60, s % 60));
        let when = self.time.clone().or(recorded).map(|when| format!("[{when}] ")).unwrap_or_default();
        let who = self.sender.as_ref().map(|sender| format!("{sender}: ")).unwrap_or_default();
        format!("{when}{who}{}", self.text)
    }
}
