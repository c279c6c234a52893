//! What is shared: the sources of a project as they are stored, or a conversation.

#[cfg(feature = "xlsx")]
use tusab_chunk::Position;
use tusab_chunk::{Body, Chunk, Date, DocId, Document, MediaTime, Segment, SourceKind};
use tusab_index::ChunkStore;

use super::label::{Labels, labels};
use super::paper::{Block, Paper, Span, Table};
use super::{Card, ShareFormat, ShareOptions, anki, jsonl, markdown};
use crate::project::Inner;
use crate::{Error, Turn};

/// Speech is shown in paragraphs of about this length, each with a link to its second.
const PARAGRAPH: MediaTime = MediaTime::from_seconds(60);

/// Characters on the back of a card.
const CARD: usize = 400;

/// What is shared.
#[derive(Debug)]
pub(super) enum Contents {
    Project { name: String, documents: Vec<Shared> },
    Chat { title: String, turns: Vec<Turn> },
}

/// A source with its passages.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) document: Document,
    pub(super) chunks: Vec<Chunk>,
}

impl Contents {
    /// Reads a project's sources, the newest last.
    pub(super) fn of_project(inner: &Inner, stop: &dyn Fn() -> bool) -> Result<Self, Error> {
        let mut documents = Vec::new();
        for document in inner.documents()? {
            if stop() {
                return Err(Error::Cancelled);
            }
            let chunks = inner.index.chunks(&document.id)?;
            documents.push(Shared { document, chunks });
        }
        let place = |it: &Shared| (it.document.date, it.document.title.clone(), it.document.id.clone());
        documents.sort_by_cached_key(place);
        Ok(Self::Project { name: inner.name(), documents })
    }

    #[cfg_attr(
        not(any(feature = "docx", feature = "xlsx", feature = "pdf")),
        allow(clippy::unnecessary_wraps, reason = "text can always be written, the other formats cannot")
    )]
    pub(super) fn write(&self, format: ShareFormat, options: &ShareOptions) -> Result<Vec<u8>, Error> {
        let labels = labels(options.language.as_ref());
        match format {
            ShareFormat::Markdown => Ok(markdown::write(&self.paper(labels)).into_bytes()),
            ShareFormat::JsonLines => Ok(jsonl::write(self)),
            ShareFormat::AnkiCsv => Ok(anki::write(&self.cards()).into_bytes()),
            #[cfg(feature = "docx")]
            ShareFormat::Docx => super::docx::write(&self.paper(labels)),
            #[cfg(feature = "xlsx")]
            ShareFormat::Xlsx => super::xlsx::write(self, labels),
            #[cfg(feature = "pdf")]
            ShareFormat::Pdf => super::pdf::write(&self.paper(labels), options),
        }
    }

    fn paper(&self, labels: &Labels) -> Paper {
        match self {
            Self::Project { name, documents } => of_project(name, documents, labels),
            Self::Chat { title, turns } => of_chat(title, turns, labels),
        }
    }

    fn cards(&self) -> Vec<Card> {
        match self {
            Self::Chat { turns, .. } => {
                turns.iter().map(|turn| Card::new(&turn.question, &turn.answer)).collect()
            }
            Self::Project { documents, .. } => {
                let card = |it: &Shared| {
                    let begins: String = plain(&it.document.body).chars().take(CARD).collect();
                    Card::new(&it.document.title, begins.trim()).with_tags(&it.document.tags)
                };
                documents.iter().map(card).collect()
            }
        }
    }
}

fn of_chat(title: &str, turns: &[Turn], labels: &Labels) -> Paper {
    let mut paper = Paper::new(title);
    for turn in turns {
        paper.heading(1, &turn.question);
        paper.paragraph(vec![Span::plain(format!("{}: {}", labels.asked, turn.asked_at))]);
        paper.text(&turn.answer);
        // What the numbers in the answer stand for.
        for (number, source) in (1..).zip(&turn.sources) {
            let place = match (source.start_s, source.page) {
                (Some(start), _) => format!(", {}", MediaTime::from_seconds(start)),
                (None, Some(page)) => format!(", p. {page}"),
                (None, None) => String::new(),
            };
            let shown = format!("{}{place}", source.title);
            let link = Span::link(shown, source.link.as_deref());
            paper.paragraph(vec![Span::plain(format!("[{number}] ")), link]);
        }
    }
    paper
}

fn of_project(name: &str, documents: &[Shared], labels: &Labels) -> Paper {
    let mut paper = Paper::new(name);
    paper.heading(1, labels.sources);
    let row = |Shared { document, chunks }: &Shared| {
        vec![
            Span::link(&document.title, document.link.as_deref()),
            Span::plain(kind(&document.id, labels)),
            Span::plain(document.date.map(|date| date.to_string()).unwrap_or_default()),
            Span::plain(chunks.len().to_string()),
        ]
    };
    paper.blocks.push(Block::Table(Table {
        head: [labels.title, labels.kind, labels.date, labels.passages].map(str::to_owned).to_vec(),
        widths: vec![12, 3, 4, 3],
        rows: documents.iter().map(row).collect(),
    }));
    for Shared { document, .. } in documents {
        paper.heading(1, &document.title);
        paper.paragraph(about(document, labels));
        body(&mut paper, document);
    }
    paper
}

/// What is known of a source, on one line.
fn about(document: &Document, labels: &Labels) -> Vec<Span> {
    let mut spans = vec![Span::plain(kind(&document.id, labels))];
    spans.extend(document.date.map(|date: Date| Span::plain(format!(" · {date}"))));
    if let Some(link) = &document.link {
        spans.push(Span::plain(" · "));
        spans.push(Span::link(link, Some(link)));
    }
    if !document.tags.is_empty() {
        spans.push(Span::plain(format!(" · {}", document.tags.join(", "))));
    }
    spans
}

pub(super) fn kind(id: &DocId, labels: &Labels) -> &'static str {
    match id.kind() {
        SourceKind::Youtube => labels.video,
        SourceKind::Text => labels.note,
        _ => labels.file,
    }
}

fn body(paper: &mut Paper, document: &Document) {
    match &document.body {
        Body::Text(text) | Body::Markdown(text) => paper.text(text),
        Body::Speech { segments, chapters } => {
            let mut chapters = chapters.iter().peekable();
            for (start, said) in paragraphs(segments) {
                while let Some(chapter) = chapters.next_if(|chapter| chapter.start <= start) {
                    paper.heading(2, &chapter.title);
                }
                let link = document.link.as_deref().map(|link| at_second(link, start));
                let time = Span::link(clock(start), link.as_deref());
                paper.paragraph(vec![time, Span::plain(format!(" {said}"))]);
            }
        }
        Body::Turns(turns) => {
            for turn in turns {
                let speaker = turn.speaker.as_deref().map(|speaker| Span::bold(format!("{speaker}: ")));
                paper.paragraph(speaker.into_iter().chain([Span::plain(&turn.text)]).collect());
            }
        }
        _ => {}
    }
}

/// What is said, a minute at a time, with when it begins.
fn paragraphs(segments: &[Segment]) -> Vec<(MediaTime, String)> {
    let mut paragraphs: Vec<(MediaTime, String)> = Vec::new();
    for segment in segments {
        let start = segment.span.start();
        match paragraphs.last_mut() {
            Some((first, said)) if start < first.saturating_add(PARAGRAPH) => {
                said.push(' ');
                said.push_str(segment.text.trim());
            }
            _ => paragraphs.push((start, segment.text.trim().to_owned())),
        }
    }
    paragraphs
}

fn at_second(link: &str, start: MediaTime) -> String {
    let sign = if link.contains('?') { '&' } else { '?' };
    format!("{link}{sign}t={}s", start.whole_seconds())
}

/// `1:02:03`, without hours where there are none.
pub(super) fn clock(time: MediaTime) -> String {
    let seconds = time.whole_seconds();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// Where a passage is in its source, for people.
#[cfg(feature = "xlsx")]
pub(super) fn place(chunk: &Chunk) -> String {
    let page = || chunk.page().map(|page| format!("p. {page}")).unwrap_or_default();
    match chunk.position() {
        Position::Time(span) => format!("{}–{}", clock(span.start()), clock(span.end())),
        _ => page(),
    }
}

fn plain(body: &Body) -> String {
    match body {
        Body::Text(text) | Body::Markdown(text) => text.clone(),
        Body::Speech { segments, .. } => {
            segments.iter().map(|segment| segment.text.trim()).collect::<Vec<_>>().join(" ")
        }
        Body::Turns(turns) => turns.iter().map(|turn| turn.text.as_str()).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}
