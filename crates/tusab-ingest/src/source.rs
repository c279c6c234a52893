use tusab_chunk::{Body, Chapter, Date, DocId, Document, Language};

use crate::captions::has_webvtt_header;
use crate::documents;
use crate::{
    CaptionFileName, CaptionOptions, Captions, Chat, ChatOptions, DateOrder, DocumentLimits, Error, Format,
    Meeting, Notes, Pages, Parsed, TrackKind, VideoId, VideoInfo, decode, parse_json3, parse_markdown,
    parse_meeting, parse_srt, parse_timed_text, parse_ttml, parse_webvtt, parse_whatsapp,
};

/// A source, read: what it says, and what it and its name tell about it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source {
    /// The format it was read as.
    pub format: Format,
    /// Its title, where it or its name tells.
    pub title: Option<String>,
    /// Its language, where it or its name tells.
    pub language: Option<Language>,
    /// When it was published or written, where it tells.
    pub date: Option<Date>,
    /// Where a person can open it, when it is a video.
    pub link: Option<String>,
    /// Its author's tags.
    pub tags: Vec<String>,
    /// The video of YouTube that it is the captions of.
    pub video: Option<VideoId>,
    /// Where its pages or slides start in [`Content::Text`] or [`Content::Markdown`]; empty for what has none. Take them
    /// before [`Source::into_document`]: with them, the span of a chunk tells the page to cite.
    pub pages: Pages,
    /// What it says.
    pub content: Content,
}

/// What a source says.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content {
    /// Running text.
    Text(String),
    /// Running text in Markdown.
    Markdown(String),
    /// Speech with times.
    Captions {
        /// What is said.
        captions: Captions,
        /// The chapters that the video's author marked; may be empty.
        chapters: Vec<Chapter>,
    },
    /// The messages of a chat.
    Chat(Chat),
    /// The turns of a meeting.
    Meeting(Meeting),
}

impl Source {
    /// A source that tells nothing but what it says.
    #[must_use]
    pub fn new(format: Format, content: Content) -> Self {
        Self {
            format,
            title: None,
            language: None,
            date: None,
            link: None,
            tags: Vec::new(),
            video: None,
            pages: Pages::default(),
            content,
        }
    }

    /// Who made the captions; none for text.
    #[must_use]
    pub fn track_kind(&self) -> Option<TrackKind> {
        match &self.content {
            Content::Captions { captions, .. } => Some(captions.kind),
            Content::Text(_) | Content::Markdown(_) | Content::Chat(_) | Content::Meeting(_) => None,
        }
    }

    /// The document to cut into chunks; `name` is its title when the source has none.
    #[must_use]
    pub fn into_document(self, id: DocId, name: &str) -> Document {
        let body = match self.content {
            Content::Text(text) => Body::Text(text),
            Content::Markdown(text) => Body::Markdown(text),
            Content::Captions { captions, chapters } => {
                Body::Speech { segments: captions.segments(), chapters }
            }
            Content::Chat(chat) => Body::Turns(chat.turns()),
            Content::Meeting(meeting) => Body::Turns(meeting.turns()),
        };
        Document::new(id, self.title.unwrap_or_else(|| name.to_owned()), body)
            .with_language(self.language)
            .with_date(self.date)
            .with_link(self.link)
            .with_tags(self.tags)
    }
}

/// What a caller wants of sources, and knows of one beforehand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// What becomes of `[música]` and `>>` in automatic captions.
    pub notes: Notes,
    /// What the file beside the captions ([`CaptionFileName::info_name`]) tells of the video.
    pub video: Option<VideoInfo>,
    /// The order of day, month and year in a chat, where known; else it is inferred.
    pub date_order: Option<DateOrder>,
    /// How much work a document may make.
    pub limits: DocumentLimits,
}

impl Options {
    /// Sets what becomes of notes.
    #[must_use]
    pub fn with_notes(mut self, notes: Notes) -> Self {
        self.notes = notes;
        self
    }

    /// Sets what is known of the video.
    #[must_use]
    pub fn with_video(mut self, video: Option<VideoInfo>) -> Self {
        self.video = video;
        self
    }

    /// Sets the order of day, month and year in a chat.
    #[must_use]
    pub fn with_date_order(mut self, order: Option<DateOrder>) -> Self {
        self.date_order = order;
        self
    }

    /// Sets how much work a document may make.
    #[must_use]
    pub fn with_limits(mut self, limits: DocumentLimits) -> Self {
        self.limits = limits;
        self
    }
}

/// Reads a source from the bytes of a file and its name, which may be empty for a pasted text.
///
/// ```
/// use tusab_ingest::{Format, Options, parse};
/// let captions = b"WEBVTT\n\n00:01.000 --> 00:04.000\nA taxa de juros subiu.\n";
/// let source = parse("Juros [dQw4w9WgXcQ].pt.vtt", captions, &Options::default())?.value;
/// assert_eq!(source.format, Format::WebVtt);
///
/// let document = source.into_document("youtube:dQw4w9WgXcQ".parse()?, "sem título");
/// assert_eq!(document.title, "Juros");
/// assert_eq!(document.link.as_deref(), Some("https://www.youtube.com/watch?v=dQw4w9WgXcQ"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of [`decode`] for what is no text; [`Error::NotWebVtt`] for a `.vtt` file of something else;
/// [`Error::VideoInfo`] for the description of a video. They do not name the file, which the caller knows.
pub fn parse(name: &str, bytes: &[u8], options: &Options) -> Result<Parsed<Source>, Error> {
    if let Some(read) = documents::read_binary(name, bytes, &options.limits) {
        return read;
    }
    let page = documents::decode_html(name, bytes);
    let decoded = decode(page.as_ref().map_or(bytes, String::as_bytes))?;
    let input = Input { name, text: &decoded.value.text, options };
    let mut parsed = Format::detect(name, input.text).read(&input)?;
    parsed.warnings.extend(decoded.warnings);
    Ok(parsed)
}

/// What the reader of a format is given.
pub(crate) struct Input<'i> {
    name: &'i str,
    text: &'i str,
    options: &'i Options,
}

impl<'i> Input<'i> {
    pub(crate) fn text(&self) -> &'i str {
        self.text
    }

    pub(crate) fn options(&self) -> &'i Options {
        self.options
    }
}

pub(crate) fn webvtt(input: &Input<'_>) -> Result<Parsed<Source>, Error> {
    captions(input, Format::WebVtt, parse_webvtt)
}

pub(crate) fn srt(input: &Input<'_>) -> Result<Parsed<Source>, Error> {
    captions(input, Format::Srt, parse_srt)
}

pub(crate) fn json3(input: &Input<'_>) -> Result<Parsed<Source>, Error> {
    captions(input, Format::Json3, parse_json3)
}

pub(crate) fn timed_text(input: &Input<'_>) -> Result<Parsed<Source>, Error> {
    captions(input, Format::TimedText, parse_timed_text)
}

pub(crate) fn ttml(input: &Input<'_>) -> Result<Parsed<Source>, Error> {
    captions(input, Format::Ttml, parse_ttml)
}

pub(crate) fn whatsapp(input: &Input<'_>) -> Result<Parsed<Source>, Error> {
    let options = ChatOptions::default().with_date_order(input.options.date_order);
    let chat = parse_whatsapp(input.text, &options)?;
    Ok(chat.map(|chat| Source::new(Format::WhatsApp, Content::Chat(chat))))
}

pub(crate) fn meeting(input: &Input<'_>) -> Result<Parsed<Source>, Error> {
    match parse_meeting(input.text) {
        Ok(meeting) => Ok(meeting.map(|meeting| Source::new(Format::Meeting, Content::Meeting(meeting)))),
        // Names, and not a word that anyone says.
        Err(Error::NotMeeting) if has_webvtt_header(input.text) => webvtt(input),
        Err(Error::NotMeeting) => plain_text(input),
        Err(error) => Err(error),
    }
}

fn captions(
    input: &Input<'_>,
    format: Format,
    parse: fn(&str, &CaptionOptions) -> Result<Parsed<Captions>, Error>,
) -> Result<Parsed<Source>, Error> {
    let name = CaptionFileName::parse(input.name);
    let info = input.options.video.as_ref();
    let listed =
        info.zip(name.track.as_deref()).map_or(TrackKind::Unknown, |(info, track)| info.track_kind(track));
    let kind = if listed == TrackKind::Unknown { name.kind } else { listed };
    let spoken = info.and_then(|info| info.language.clone()).filter(|_| kind != TrackKind::Translated);
    let options = CaptionOptions::default()
        .with_kind(kind)
        .with_language(name.language.clone().or(spoken))
        .with_notes(input.options.notes);
    Ok(parse(input.text, &options)?.map(|captions| of_video(format, captions, name, info)))
}

/// Captions with what is known of their video: the description beside them counts before the file's name.
fn of_video(format: Format, captions: Captions, name: CaptionFileName, info: Option<&VideoInfo>) -> Source {
    let info = info.cloned().unwrap_or_default();
    let video = info.video.or(name.video);
    let language = captions.language.clone();
    let content = Content::Captions { captions, chapters: info.chapters };
    Source {
        title: info.title.or(name.title),
        language,
        date: info.upload_date,
        link: video.as_ref().map(VideoId::link).or(info.webpage_url),
        tags: info.tags,
        video,
        ..Source::new(format, content)
    }
}

pub(crate) fn video_info(_: &Input<'_>) -> Result<Parsed<Source>, Error> {
    Err(Error::VideoInfo)
}

#[expect(clippy::unnecessary_wraps, reason = "one signature for every reader in the table of formats")]
pub(crate) fn markdown(input: &Input<'_>) -> Result<Parsed<Source>, Error> {
    let note = parse_markdown(input.text);
    Ok(Parsed::sound(Source {
        title: note.title,
        language: note.language,
        date: note.date,
        tags: note.tags,
        ..Source::new(Format::Markdown, Content::Markdown(note.text))
    }))
}

#[expect(clippy::unnecessary_wraps, reason = "one signature for every reader in the table of formats")]
pub(crate) fn plain_text(input: &Input<'_>) -> Result<Parsed<Source>, Error> {
    Ok(Parsed::sound(Source::new(Format::PlainText, Content::Text(input.text.to_owned()))))
}
