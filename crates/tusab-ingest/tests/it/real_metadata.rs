//! A real description of a video, as yt-dlp wrote it.

use std::io::Read;

use tusab_chunk::{Language, MediaTime};
use tusab_ingest::{TrackKind, parse_video_info};

use crate::shared;

#[test]
fn a_real_description_is_read_without_a_warning() {
    let Some(packed) = shared("captions/yt-dlp.info.chapters.json.gz") else { return };
    let mut json = Vec::new();
    flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut json).unwrap();
    let parsed = parse_video_info(&json).unwrap();
    assert_eq!(parsed.warnings, []);
    let info = parsed.value;
    assert_eq!(info.title.as_deref(), Some("Pinchflat Example Video"));
    // Its authors shortened the id, so that it is none of YouTube's.
    assert_eq!((info.id.as_deref(), &info.video), (Some("ABC123"), &None));
    assert_eq!(info.upload_date.map(|date| date.to_string()).as_deref(), Some("2021-07-20"));
    let starts: Vec<_> = info.chapters.iter().map(|chapter| chapter.start.whole_seconds()).collect();
    assert_eq!(starts, [0, 31, 46, 427, 483, 526, 570]);
    assert_eq!(info.chapters[0].title, "Introduction");
    assert_eq!(info.duration.map(MediaTime::whole_seconds), Some(582));
    assert_eq!(info.tags, ["test", "development"]);
    assert_eq!(info.language.as_ref().map(Language::as_str), Some("en"));
    assert_eq!(info.subtitles, ["de"]);
    let original: Vec<_> = info
        .automatic_captions
        .iter()
        .filter(|track| !track.translated)
        .map(|track| track.track.as_str())
        .collect();
    assert_eq!(info.automatic_captions.len(), 251);
    assert_eq!(original, ["de-de", "en", "en-orig"]);
    assert_eq!(info.track_kind("pt"), TrackKind::Translated);
    assert_eq!(info.track_kind("pt-de"), TrackKind::Translated);
    assert_eq!(info.track_kind("en-orig"), TrackKind::Automatic);
}
