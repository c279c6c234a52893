mod lenient;

use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tusab_chunk::{Chapter, Date, Language, MediaTime};

use self::lenient::Reader;
use crate::{Error, Parsed, TrackKind, VideoId, decode};

/// What yt-dlp knows of a video (`--write-info-json`): the few of its fields that matter here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct VideoInfo {
    /// The video's id on its site.
    pub id: Option<String>,
    /// The same, when it is a video of YouTube.
    pub video: Option<VideoId>,
    /// Its title.
    pub title: Option<String>,
    /// The day it was published.
    pub upload_date: Option<Date>,
    /// Its author's chapters. Those that yt-dlp makes up to fill gaps have a blank title.
    pub chapters: Vec<Chapter>,
    /// Name of its channel.
    pub channel: Option<String>,
    /// Id of its channel.
    pub channel_id: Option<String>,
    /// Where a person can open it.
    pub webpage_url: Option<String>,
    /// How long it is.
    pub duration: Option<MediaTime>,
    /// Its author's tags.
    pub tags: Vec<String>,
    /// Its author's description.
    pub description: Option<String>,
    /// The language that is spoken in it.
    pub language: Option<Language>,
    /// Tracks made by people, as yt-dlp names them.
    pub subtitles: Vec<String>,
    /// Tracks made by machines.
    pub automatic_captions: Vec<AutomaticTrack>,
}

/// A track made by a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AutomaticTrack {
    /// As yt-dlp names it: `pt`, `pt-orig`, `pt-en`.
    pub track: String,
    /// Whether it is a translation: its address asks for one.
    pub translated: bool,
}

impl VideoInfo {
    /// Who made a track, named as in the captions' file name.
    ///
    /// Where there is a manual and an automatic track of one name, [`TrackKind::Unknown`]: which of them was fetched
    /// shows in the captions alone.
    #[must_use]
    pub fn track_kind(&self, track: &str) -> TrackKind {
        let manual = self.subtitles.iter().any(|name| name == track);
        let automatic = self.automatic_captions.iter().find(|automatic| automatic.track == track);
        match (manual, automatic) {
            (true, None) => TrackKind::Manual,
            (false, Some(automatic)) if automatic.translated => TrackKind::Translated,
            (false, Some(_)) => TrackKind::Automatic,
            _ => TrackKind::Unknown,
        }
    }
}

/// The fields as they stand. All others are skipped without being kept: of a megabyte of JSON a few kilobytes stay.
#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Fields {
    id: Value,
    title: Value,
    upload_date: Value,
    chapters: Value,
    channel: Value,
    channel_id: Value,
    webpage_url: Value,
    extractor_key: Value,
    duration: Value,
    tags: Value,
    description: Value,
    language: Value,
    subtitles: Value,
    automatic_captions: Value,
}

/// Reads the `.info.json` that yt-dlp writes beside a video's captions.
///
/// Every field may be missing or null. One of a wrong type is read as absent, with a warning.
///
/// ```
/// use tusab_ingest::{TrackKind, parse_video_info};
/// let json = br#"{"id": "dQw4w9WgXcQ", "title": "Juros", "upload_date": "20240229", "tags": 7,
///     "chapters": [{"start_time": 0.0, "title": "Abertura"}], "subtitles": {"pt": []}}"#;
/// let info = parse_video_info(json)?;
/// assert_eq!(info.value.upload_date.unwrap().to_string(), "2024-02-29");
/// assert_eq!(info.value.track_kind("pt"), TrackKind::Manual);
/// assert_eq!(info.warnings[0].to_string(), "field `tags` is not a list; read as absent");
/// # Ok::<(), tusab_ingest::Error>(())
/// ```
///
/// # Errors
/// Those of [`decode`], and [`Error::NotVideoInfo`] for what is no JSON object.
pub fn parse_video_info(bytes: &[u8]) -> Result<Parsed<VideoInfo>, Error> {
    let decoded = decode(bytes)?;
    let text = decoded.value.text.trim_start();
    if !text.starts_with('{') {
        return Err(Error::NotVideoInfo { source: serde_json::Error::custom("it is not a JSON object") });
    }
    let fields: Fields = serde_json::from_str(text).map_err(|source| Error::NotVideoInfo { source })?;
    let mut read = Reader::new(decoded.warnings);
    let mut info = VideoInfo {
        id: read.text("id", &fields.id),
        video: None,
        title: read.text("title", &fields.title),
        upload_date: read.date("upload_date", &fields.upload_date),
        chapters: read.chapters("chapters", &fields.chapters),
        channel: read.text("channel", &fields.channel),
        channel_id: read.text("channel_id", &fields.channel_id),
        webpage_url: read.text("webpage_url", &fields.webpage_url),
        duration: read.time("duration", &fields.duration),
        tags: read.texts("tags", &fields.tags),
        description: read.text("description", &fields.description),
        language: read.language("language", &fields.language),
        subtitles: read.tracks("subtitles", &fields.subtitles).map(|(track, _)| track).collect(),
        automatic_captions: read
            .tracks("automatic_captions", &fields.automatic_captions)
            .map(|(track, formats)| AutomaticTrack { track, translated: asks_for_translation(formats) })
            .collect(),
    };
    let site = read.text("extractor_key", &fields.extractor_key);
    let is_youtube = site.is_none_or(|site| site.eq_ignore_ascii_case("youtube"));
    info.video = info.id.as_ref().filter(|_| is_youtube).and_then(|id| id.parse().ok());
    Ok(Parsed { value: info, warnings: read.warnings() })
}

/// Whether the address of any of a track's formats names a language to translate to.
fn asks_for_translation(formats: &Value) -> bool {
    let mut formats = formats.as_array().into_iter().flatten();
    formats.any(|format| {
        let url = format.get("url").and_then(Value::as_str);
        url.is_some_and(|url| url.contains("&tlang=") || url.contains("?tlang="))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_may_be_missing_null_or_wrong() {
        assert_eq!(parse_video_info(b"{}").unwrap(), Parsed::sound(VideoInfo::default()));
        let null =
            br#"{"id": null, "chapters": null, "upload_date": null, "subtitles": null, "neu": {"a": [1]}}"#;
        assert_eq!(parse_video_info(null).unwrap(), Parsed::sound(VideoInfo::default()));
        let wrong = br#"{"id": 7, "title": ["x"], "upload_date": "20230229", "chapters": [
            {"start_time": "1", "title": "a"}, {"start_time": -1, "title": "b"}, 5,
            {"start_time": 2.5, "title": 9}, {"start_time": 1e300, "title": "c"}, {"start_time": 12.345, "title": "fica"},
            {"start_time": 3, "title": "<Untitled Chapter 4>"}],
            "duration": true, "tags": ["a", 1, "b"], "language": "l!", "subtitles": [], "automatic_captions": 3}"#;
        let parsed = parse_video_info(wrong).unwrap();
        let starts: Vec<_> =
            parsed.value.chapters.iter().map(|c| (c.start.as_millis(), c.title.as_str())).collect();
        assert_eq!(starts, [(2500, ""), (12_345, "fica"), (3000, "")]);
        assert_eq!(parsed.value.tags, ["a", "b"]);
        let expected = VideoInfo {
            chapters: parsed.value.chapters.clone(),
            tags: parsed.value.tags.clone(),
            ..VideoInfo::default()
        };
        assert_eq!(parsed.value, expected);
        let warnings: Vec<_> = parsed.warnings.iter().map(ToString::to_string).collect();
        let field = |name: &str, what: &str| format!("field `{name}` is not {what}; read as absent");
        assert_eq!(
            warnings,
            [
                field("id", "a text"),
                field("title", "a text"),
                field("upload_date", "a date such as 20240229"),
                field("chapters[0].start_time", "a time in seconds"),
                field("chapters[1].start_time", "a time in seconds"),
                field("chapters[2]", "an object"),
                field("chapters[3].title", "a text"),
                field("chapters[4].start_time", "a time in seconds"),
                field("duration", "a time in seconds"),
                field("tags[1]", "a text"),
                field("language", "a language tag"),
                field("subtitles", "an object"),
                field("automatic_captions", "an object"),
            ]
        );
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for bad in ["[]", "[1, 2]", "null", "\"x\"", "{\"id\": ", "<html>429</html>"] {
            assert!(matches!(parse_video_info(bad.as_bytes()), Err(Error::NotVideoInfo { .. })), "{bad}");
        }
        assert!(matches!(parse_video_info(b" "), Err(Error::Empty)));
    }

    #[test]
    fn a_track_is_told_by_where_it_is_listed() {
        let json = br#"{"subtitles": {"de": [], "pt": [], "live_chat": []}, "automatic_captions": {
            "pt": [{"url": "https://localhost/timedtext?lang=en&tlang=pt"}],
            "es": [{"ext": "vtt"}, {"url": "https://localhost/timedtext?lang=en&tlang=es"}],
            "en-orig": [{"url": "https://localhost/timedtext?lang=en"}],
            "en": [{"url": "https://localhost/timedtext?lang=en"}]}}"#;
        let info = parse_video_info(json).unwrap().value;
        assert_eq!(info.track_kind("de"), TrackKind::Manual);
        assert_eq!(info.track_kind("pt"), TrackKind::Unknown);
        assert_eq!(info.track_kind("es"), TrackKind::Translated);
        assert_eq!(info.track_kind("en-orig"), TrackKind::Automatic);
        assert_eq!(info.track_kind("en"), TrackKind::Automatic);
        assert_eq!(info.track_kind("fr"), TrackKind::Unknown);
    }

    #[test]
    fn an_id_of_another_site_is_no_id_of_youtube() {
        let video = |json: &str| parse_video_info(json.as_bytes()).unwrap().value.video.is_some();
        assert!(video(r#"{"id": "dQw4w9WgXcQ"}"#));
        assert!(video(r#"{"id": "dQw4w9WgXcQ", "extractor_key": "Youtube"}"#));
        assert!(!video(r#"{"id": "dQw4w9WgXcQ", "extractor_key": "Generic"}"#));
        assert!(!video(r#"{"id": "curto"}"#));
    }
}
