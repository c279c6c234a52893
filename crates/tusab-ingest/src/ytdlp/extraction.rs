use serde::Deserialize;
use serde_json::{Map, Value, json};
use tusab_chunk::Language;

use super::classify;
use super::listing::seconds;
use super::outcome::Outcome;
use super::time::UnixTime;
use super::track::Track;
use crate::{Error, Parsed, TrackKind, VideoInfo, parse_video_info};

/// What `yt-dlp -J` tells of one video: what matters of it, and the tracks with their addresses.
pub(super) struct Extraction {
    pub(super) info: Parsed<VideoInfo>,
    fields: Fields,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Fields {
    live_status: Value,
    availability: Value,
    release_timestamp: Value,
    formats: Value,
    subtitles: Value,
    automatic_captions: Value,
    http_headers: Value,
}

/// Name of the file in which yt-dlp is handed the one track, and of those that it writes.
pub(super) const INFO_FILE: &str = "video.info.json";
pub(super) const CAPTION_STEM: &str = "captions";

/// Said of a video of which there is neither picture nor sound nor captions, and no word why: that it has no captions
/// cannot be said.
const NOTHING: &str = "yt-dlp found nothing of the video and does not say why: update it, and see that it has a \
                       JavaScript runtime";

/// Formats of captions, the best first: WebVTT and json3 have the times of words.
const FORMATS: [&str; 7] = ["vtt", "json3", "srv3", "srv2", "srv1", "srt", "ttml"];

/// The one track, made ready to be fetched.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) track: Track,
    /// What yt-dlp reads in place of asking the site again: this track in this format, and nothing else.
    pub(super) info_json: Vec<u8>,
    /// Name of the file that it is to write.
    pub(super) file: String,
    /// The format.
    pub(super) extension: &'static str,
}

impl Extraction {
    pub(super) fn read(json: &[u8]) -> Result<Self, Error> {
        let info = parse_video_info(json)?;
        let fields = serde_json::from_slice(json).map_err(|source| Error::NotVideoInfo { source })?;
        Ok(Self { info, fields })
    }

    /// The track to fetch for a language, or what became of the video without one.
    pub(super) fn request(&self, language: &Language, stderr: &str) -> Result<Request, Outcome> {
        let when = self.fields.release_timestamp.as_f64().and_then(seconds).map(UnixTime::from_secs);
        match self.fields.live_status.as_str() {
            Some("is_upcoming") => return Err(Outcome::Upcoming { when }),
            // Captions of a stream are whole only when it has become a video.
            Some("is_live" | "post_live") => return Err(Outcome::Live),
            _ => {}
        }
        let tracks = Track::of(&self.info.value);
        match Track::choose(&tracks, language).cloned() {
            Some(track) => self.ready(track),
            None => Err(self.without_track(tracks, stderr)),
        }
    }

    /// Why there is no track in the language.
    fn without_track(&self, available: Vec<Track>, stderr: &str) -> Outcome {
        if classify::misses_po_token(stderr) {
            return Outcome::NeedsPoToken;
        }
        let said = classify::classify(stderr);
        if let Some(limited @ Outcome::RateLimited { .. }) = said {
            return limited;
        }
        let can_be_watched = self.fields.formats.as_array().is_some_and(|formats| !formats.is_empty());
        if can_be_watched || !available.is_empty() {
            return Outcome::NoCaptions { available };
        }
        // The site gave the video's description and not the video: why is told beside it.
        match (said, self.fields.availability.as_str()) {
            (Some(said), _) => said,
            (None, Some("private")) => Outcome::Private,
            (None, Some("subscriber_only")) => Outcome::MembersOnly,
            (None, _) => match classify::last_error(stderr) {
                reason if reason.is_empty() => Outcome::Failed { reason: NOTHING.to_owned() },
                reason => Outcome::Unavailable { reason },
            },
        }
    }

    fn ready(&self, track: Track) -> Result<Request, Outcome> {
        let failed = |reason: String| Outcome::Failed { reason };
        let list = match track.kind {
            TrackKind::Manual => &self.fields.subtitles,
            _ => &self.fields.automatic_captions,
        };
        let formats = list.get(&track.name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let format_of = |extension: &str| {
            formats.iter().rev().find(|format| format.get("ext").and_then(Value::as_str) == Some(extension))
        };
        let best = FORMATS.into_iter().find_map(|extension| Some((extension, format_of(extension)?)));
        let Some((extension, format)) = best else {
            return Err(failed(format!("track {} comes in no format that can be read", track.name)));
        };
        // Where a name becomes part of an option and of a file's name.
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if !track.name.starts_with(|sign: char| sign.is_ascii_alphanumeric())
            || !track.name.bytes().all(plain)
        {
            return Err(failed(format!("{:?} is no name of a track", track.name)));
        }
        // Without the video's address, yt-dlp cannot ask the site again when the one request fails.
        let mut tracks = Map::new();
        tracks.insert(track.name.clone(), json!([format]));
        let mut info = json!({
            "id": self.info.value.id,
            "title": CAPTION_STEM,
            "extractor": "tusab",
            "extractor_key": "Tusab",
            "ext": "mp4",
            "formats": [],
            "subtitles": tracks,
        });
        if let (Some(info), headers @ Value::Object(_)) = (info.as_object_mut(), &self.fields.http_headers) {
            info.insert("http_headers".to_owned(), headers.clone());
        }
        let file = format!("{CAPTION_STEM}.{}.{extension}", track.name);
        Ok(Request { track, info_json: info.to_string().into_bytes(), file, extension })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(json: &str, stderr: &str) -> Result<Request, Outcome> {
        Extraction::read(json.as_bytes()).unwrap().request(&"pt".parse().unwrap(), stderr)
    }

    #[test]
    fn exactly_one_track_in_one_format_is_handed_over() {
        let json = r#"{"id": "dQw4w9WgXcQ", "webpage_url": "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
            "formats": [{}], "http_headers": {"User-Agent": "x"}, "subtitles": {"en": [{"ext": "vtt", "url": "m-en"}]},
            "automatic_captions": {"pt": [{"ext": "json3", "url": "a"}, {"ext": "vtt", "url": "b", "impersonate": true}],
            "pt-BR": [{"ext": "vtt", "url": "c&tlang=pt-BR"}]}}"#;
        let request = request(json, "").unwrap();
        assert_eq!((request.track.name.as_str(), request.track.kind), ("pt", TrackKind::Automatic));
        assert_eq!(request.file, "captions.pt.vtt");
        let info: Value = serde_json::from_slice(&request.info_json).unwrap();
        assert_eq!(info["subtitles"], json!({"pt": [{"ext": "vtt", "url": "b", "impersonate": true}]}));
        assert_eq!(info["http_headers"]["User-Agent"], "x");
        for absent in ["webpage_url", "original_url", "automatic_captions", "requested_subtitles"] {
            assert_eq!(info.get(absent), None, "{absent} lets yt-dlp ask for more");
        }
    }

    #[test]
    fn why_there_is_no_track_is_told() {
        let po = "WARNING: [youtube] x: There are missing subtitles languages because a PO token was not provided.";
        let limited = "WARNING: [youtube] x: HTTP Error 429: Too Many Requests";
        let sabr =
            "WARNING: [youtube] x: Some web client https formats have been skipped as they are missing a URL";
        let bot = "WARNING: [youtube] x: Sign in to confirm you\u{2019}re not a bot.";
        for (json, stderr, expected) in [
            (r#"{"formats": [{}]}"#, "", "no_captions"),
            (r#"{"formats": [{}]}"#, sabr, "no_captions"),
            (
                r#"{"formats": [{}], "automatic_captions": {"pt": [{"ext": "vtt", "url": "x?tlang=pt"}]}}"#,
                "",
                "no_captions",
            ),
            (r#"{"formats": [{}], "subtitles": {"en": []}}"#, po, "needs_po_token"),
            (r#"{"formats": [{}]}"#, limited, "rate_limited"),
            (r#"{"formats": [], "subtitles": {"en": []}}"#, bot, "no_captions"),
            (r#"{"formats": []}"#, bot, "needs_cookies"),
            (r#"{"formats": [], "availability": "subscriber_only"}"#, "", "members_only"),
            (r#"{"formats": [], "availability": "private"}"#, "WARNING: x: não é por aqui", "private"),
            (r#"{"formats": []}"#, "WARNING: [youtube] x: não é por aqui", "unavailable"),
            (r#"{"formats": []}"#, "", "failed"),
            (
                r#"{"formats": []}"#,
                "WARNING: No video formats found!\nWARNING: Requested format is not available",
                "failed",
            ),
            (r#"{"live_status": "is_live", "subtitles": {"pt": [{"ext": "vtt", "url": "x"}]}}"#, "", "live"),
            (r#"{"live_status": "post_live"}"#, "", "live"),
            (r#"{"live_status": "is_upcoming", "release_timestamp": 1800000000}"#, bot, "upcoming"),
            (r#"{"subtitles": {"pt": [{"ext": "docx", "url": "x"}]}}"#, "", "failed"),
            (r#"{"subtitles": {"pt": []}}"#, "", "failed"),
            (r#"{"subtitles": {"pt": null}}"#, "", "failed"),
            (r#"{"subtitles": {"pt-BR x": [{"ext": "vtt", "url": "x"}]}}"#, "", "failed"),
            (r#"{"subtitles": {"pt-BR-../../x": [{"ext": "vtt", "url": "x"}]}}"#, "", "no_captions"),
            (r#"{"subtitles": {"-pt": [{"ext": "vtt", "url": "x"}], "all": []}}"#, "", "no_captions"),
        ] {
            let outcome =
                request(json, stderr).map_err(|outcome| outcome.as_str().to_owned()).map(|r| r.file);
            assert_eq!(outcome, Err(expected.to_owned()), "{json} {stderr}");
        }
        let upcoming = request(r#"{"live_status": "is_upcoming", "release_timestamp": 1800000000}"#, "");
        let when = Some(UnixTime::from_secs(1_800_000_000));
        assert_eq!(upcoming.unwrap_err(), Outcome::Upcoming { when });
        let none = request(r#"{"formats": [{}], "subtitles": {"en": []}}"#, "").unwrap_err();
        assert_eq!(none, Outcome::NoCaptions { available: vec![Track::new("en", TrackKind::Manual)] });
    }
}
