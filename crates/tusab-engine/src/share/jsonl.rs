use serde_json::{Value, json};
use tusab_chunk::Position;

use super::contents::{Contents, Shared};

/// One object a line.
pub(super) fn write(contents: &Contents) -> Vec<u8> {
    let mut lines = Vec::new();
    let mut put = |value: Value| {
        lines.extend_from_slice(value.to_string().as_bytes());
        lines.push(b'\n');
    };
    match contents {
        Contents::Project { documents, .. } => {
            for Shared { document, chunks } in documents {
                for chunk in chunks {
                    let (start_ms, end_ms) = match chunk.position() {
                        Position::Time(span) => {
                            (Some(span.start().as_millis()), Some(span.end().as_millis()))
                        }
                        _ => (None, None),
                    };
                    put(json!({
                        "doc": document.id.as_str(),
                        "title": document.title,
                        "date": document.date.map(|date| date.to_string()),
                        "link": document.link,
                        "tags": document.tags,
                        "chunk": chunk.ordinal(),
                        "page": chunk.page(),
                        "start_ms": start_ms,
                        "end_ms": end_ms,
                        "text": chunk.original_text(),
                        "key_phrases": chunk.key_phrases(),
                    }));
                }
            }
        }
        Contents::Chat { title, turns } => {
            for turn in turns {
                put(json!({
                    "session": title,
                    "asked_at": turn.asked_at,
                    "question": turn.question,
                    "answer": turn.answer,
                    "sources": turn.sources,
                }));
            }
        }
    }
    lines
}
