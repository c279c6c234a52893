mod front_matter;
mod markdown;

pub use markdown::{Markdown, parse_markdown};
