use std::fmt;

use serde::{Deserialize, Serialize};

use crate::captions::{is_json3, is_srt, is_timed_text, is_ttml, is_webvtt};
use crate::chat::is_whatsapp;
use crate::documents;
use crate::meeting::is_meeting;
use crate::source::{self, Input};
use crate::{Error, Parsed, Source};

/// The kinds of text that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Format {
    /// Captions in WebVTT.
    WebVtt,
    /// Captions in SRT.
    Srt,
    /// Captions in json3, as `YouTube` keeps them.
    Json3,
    /// Captions in YouTube's timed text, as XML.
    TimedText,
    /// Captions in TTML.
    Ttml,
    /// A chat exported from WhatsApp.
    WhatsApp,
    /// A transcript of a meeting.
    Meeting,
    /// A document in Markdown.
    Markdown,
    /// yt-dlp's description of a video, to be read together with the captions beside it.
    VideoInfo,
    /// A web page, as a file.
    Html,
    /// Rows of values in CSV, whatever separates them.
    Csv,
    /// A document of Word.
    Docx,
    /// A presentation of `PowerPoint`.
    Pptx,
    /// A workbook of Excel.
    Xlsx,
    /// A PDF.
    Pdf,
    /// Any other text.
    PlainText,
}

/// All there is to know of a format from outside.
struct Entry {
    format: Format,
    name: &'static str,
    /// Ends of file names, in small letters, without the first point.
    extensions: &'static [&'static str],
    /// Whether a text is in this format beyond doubt, whatever its name.
    is_certain: fn(&str) -> bool,
    read: fn(&Input<'_>) -> Result<Parsed<Source>, Error>,
}

/// Every format. To add one: a variant above, a line here, and its reader.
///
/// Content is asked first, in this order; then the name; what nothing claims is read by the last.
const FORMATS: [Entry; 16] = [
    Entry {
        format: Format::Meeting,
        name: "meeting transcript",
        extensions: &[],
        is_certain: is_meeting,
        read: source::meeting,
    },
    Entry {
        format: Format::WebVtt,
        name: "WebVTT",
        extensions: &["vtt", "webvtt"],
        is_certain: is_webvtt,
        read: source::webvtt,
    },
    Entry {
        format: Format::Json3,
        name: "json3",
        extensions: &["json3"],
        is_certain: is_json3,
        read: source::json3,
    },
    Entry {
        format: Format::TimedText,
        name: "timed text",
        extensions: &["srv1", "srv2", "srv3"],
        is_certain: is_timed_text,
        read: source::timed_text,
    },
    Entry {
        format: Format::Ttml,
        name: "TTML",
        extensions: &["ttml", "dfxp"],
        is_certain: is_ttml,
        read: source::ttml,
    },
    Entry { format: Format::Srt, name: "SRT", extensions: &["srt"], is_certain: is_srt, read: source::srt },
    Entry {
        format: Format::WhatsApp,
        name: "WhatsApp chat",
        extensions: &[],
        is_certain: is_whatsapp,
        read: source::whatsapp,
    },
    Entry {
        format: Format::VideoInfo,
        name: "video description",
        extensions: &["info.json"],
        is_certain: never,
        read: source::video_info,
    },
    Entry {
        format: Format::Markdown,
        name: "Markdown",
        extensions: &["md", "markdown", "mdown", "mkd"],
        is_certain: never,
        read: source::markdown,
    },
    Entry {
        format: Format::Html,
        name: "HTML",
        extensions: &["html", "htm", "xhtml", "xht"],
        is_certain: documents::is_html,
        read: documents::html,
    },
    Entry {
        format: Format::Csv,
        name: "CSV",
        extensions: &["csv", "tsv", "tab"],
        is_certain: never,
        read: documents::csv,
    },
    // Told by their first bytes and read before there is any text: what comes here under their names is text.
    Entry {
        format: Format::Docx,
        name: "DOCX",
        extensions: &[],
        is_certain: never,
        read: source::plain_text,
    },
    Entry {
        format: Format::Pptx,
        name: "PPTX",
        extensions: &[],
        is_certain: never,
        read: source::plain_text,
    },
    Entry {
        format: Format::Xlsx,
        name: "XLSX",
        extensions: &[],
        is_certain: never,
        read: source::plain_text,
    },
    Entry { format: Format::Pdf, name: "PDF", extensions: &[], is_certain: never, read: source::plain_text },
    Entry {
        format: Format::PlainText,
        name: "plain text",
        extensions: &["txt", "text"],
        is_certain: never,
        read: source::plain_text,
    },
];

fn never(_: &str) -> bool {
    false
}

impl Format {
    /// The format of a text: by what it says, else by its file's name, else plain text.
    ///
    /// ```
    /// use tusab_ingest::Format;
    /// assert_eq!(Format::detect("ata.MD", "# Ata"), Format::Markdown);
    /// assert_eq!(Format::detect("legenda.txt", "WEBVTT\n\n00:01.000 --> 00:02.000\noi"), Format::WebVtt);
    /// assert_eq!(Format::detect("", "oi"), Format::PlainText);
    /// ```
    #[must_use]
    pub fn detect(name: &str, text: &str) -> Self {
        let name = name.to_lowercase();
        let named = |entry: &&Entry| {
            entry.extensions.iter().any(|end| name.strip_suffix(end).is_some_and(|rest| rest.ends_with('.')))
        };
        let certain = FORMATS.iter().find(|entry| (entry.is_certain)(text));
        let found = certain.or_else(|| FORMATS.iter().find(named));
        found.map_or(Self::PlainText, |entry| entry.format)
    }

    pub(crate) fn read(self, input: &Input<'_>) -> Result<Parsed<Source>, Error> {
        match self.entry() {
            Some(entry) => (entry.read)(input),
            None => source::plain_text(input),
        }
    }

    fn entry(self) -> Option<&'static Entry> {
        const { &FORMATS }.iter().find(|entry| entry.format == self)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry().map_or("plain text", |entry| entry.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_counts_before_the_name() {
        let captions = "\n WEBVTT - título\r\r00:01.000 --> 00:02.000\roi\r";
        let talk = "WEBVTT é um formato de legendas.\n\nEle usa --> para os tempos.";
        for (name, text, format) in [
            ("a.vtt", captions, Format::WebVtt),
            ("a.txt", captions, Format::WebVtt),
            ("a.md", captions, Format::WebVtt),
            ("", captions, Format::WebVtt),
            ("a.txt", talk, Format::PlainText),
            ("a.md", talk, Format::Markdown),
            ("a.VTT", "oi", Format::WebVtt),
            ("Título [dQw4w9WgXcQ].info.json", "{}", Format::VideoInfo),
            ("dados.json", "{}", Format::PlainText),
            ("LEIA.Markdown", "oi", Format::Markdown),
            ("md", "oi", Format::PlainText),
            ("pagina.htm", "oi", Format::Html),
            ("pagina", "<!doctype html><p>oi", Format::Html),
            ("dados.CSV", "a,b", Format::Csv),
            ("carta.docx", "oi", Format::PlainText),
            ("a.vtt.bak", "oi", Format::PlainText),
        ] {
            assert_eq!(Format::detect(name, text), format, "{name:?} {text:?}");
        }
    }

    #[test]
    fn every_format_has_its_entry() {
        for (format, name) in [
            (Format::WebVtt, "WebVTT"),
            (Format::Json3, "json3"),
            (Format::TimedText, "timed text"),
            (Format::Ttml, "TTML"),
            (Format::Srt, "SRT"),
            (Format::WhatsApp, "WhatsApp chat"),
            (Format::Meeting, "meeting transcript"),
            (Format::Markdown, "Markdown"),
            (Format::VideoInfo, "video description"),
            (Format::Html, "HTML"),
            (Format::Csv, "CSV"),
            (Format::Docx, "DOCX"),
            (Format::Pptx, "PPTX"),
            (Format::Xlsx, "XLSX"),
            (Format::Pdf, "PDF"),
            (Format::PlainText, "plain text"),
        ] {
            assert_eq!(format.entry().unwrap().format, format);
            assert_eq!(format.to_string(), name);
        }
    }
}
