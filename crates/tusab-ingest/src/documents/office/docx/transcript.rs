use super::block::Block;
use crate::Meeting;
use crate::meeting::{is_meeting, parse_meeting};

/// The lines of a document, for as long as it may be the transcript of a meeting, as Teams saves it: one paragraph a
/// turn, with line breaks in it, or one a line.
#[derive(Debug)]
pub(super) struct Transcript {
    /// None once there was what no transcript has.
    lines: Option<String>,
}

impl Transcript {
    pub(super) fn new() -> Self {
        Self { lines: Some(String::new()) }
    }

    pub(super) fn block(&mut self, block: &Block) {
        match block {
            Block::Paragraph(paragraph) if paragraph.notes.is_empty() && paragraph.number.list.is_none() => {
                if let Some(lines) = &mut self.lines {
                    lines.push_str(&paragraph.text);
                    lines.push_str(if paragraph.joins_next { "" } else { "\n" });
                }
            }
            _ => self.lines = None,
        }
    }

    /// The meeting, where the document is one beyond doubt.
    pub(super) fn finish(self) -> Option<Meeting> {
        let lines = self.lines.filter(|lines| is_meeting(lines))?;
        parse_meeting(&lines).ok().map(|parsed| parsed.value)
    }
}
