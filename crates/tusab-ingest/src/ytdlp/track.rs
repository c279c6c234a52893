use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use tusab_chunk::Language;

use crate::{CaptionFileName, TrackKind, VideoInfo};

/// One of a video's caption tracks.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Track {
    /// As yt-dlp names it: `pt-BR`, `pt-orig`.
    pub name: String,
    /// The language that its name tells.
    pub language: Option<Language>,
    /// Who made it.
    pub kind: TrackKind,
}

impl Track {
    /// A track by its name and its maker. `-orig` is no part of a language.
    #[must_use]
    pub fn new(name: impl Into<String>, kind: TrackKind) -> Self {
        let name = name.into();
        // The rules for names of files hold here too; a video's id in front says that yt-dlp gave the name.
        let told = CaptionFileName::parse(&format!("[00000000000].{name}.vtt"));
        let translated = told.kind == TrackKind::Translated && kind == TrackKind::Automatic;
        Self { language: told.language, kind: if translated { TrackKind::Translated } else { kind }, name }
    }

    /// What a video offers that somebody wrote or a machine heard, by kind and name. Translations are left out, as is
    /// the chat of a live video.
    #[must_use]
    pub fn of(info: &VideoInfo) -> Vec<Self> {
        let manual = info.subtitles.iter().filter(|name| *name != "live_chat");
        let automatic = info.automatic_captions.iter().filter(|track| !track.translated);
        let mut tracks: Vec<Self> = manual
            .map(|name| Self::new(name, TrackKind::Manual))
            .chain(automatic.map(|track| Self::new(&track.track, TrackKind::Automatic)))
            .filter(|track| track.kind != TrackKind::Translated)
            .collect();
        tracks.sort_by(|a, b| {
            (a.kind != TrackKind::Manual, &a.name).cmp(&(b.kind != TrackKind::Manual, &b.name))
        });
        tracks
    }

    /// The one track to fetch for a language, if there is any: what people wrote before what a machine heard; then
    /// the language as it was asked for, without a region, and with any region, in the order of the alphabet.
    ///
    /// For `pt` that is: manual `pt`, `pt-BR`, `pt-PT`, then automatic `pt-orig`, `pt`, `pt-BR`, `pt-PT`. A
    /// translation is never taken, nor another language.
    ///
    /// ```
    /// use tusab_ingest::{Track, TrackKind};
    /// let tracks = [Track::new("pt", TrackKind::Automatic), Track::new("pt-BR", TrackKind::Manual)];
    /// assert_eq!(Track::choose(&tracks, &"pt".parse()?).unwrap().name, "pt-BR");
    /// assert_eq!(Track::choose(&tracks, &"en".parse()?), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn choose<'t>(tracks: &'t [Self], language: &Language) -> Option<&'t Self> {
        let rank = |track: &Self| {
            let own = track.language.as_ref()?;
            if own.primary() != language.primary() || track.kind == TrackKind::Translated {
                return None;
            }
            let automatic = track.kind != TrackKind::Manual;
            let heard = automatic && track.name.ends_with("-orig");
            // A name that its author gave to a second track of one language stands after the plain ones.
            let named = !heard && !track.name.eq_ignore_ascii_case(own.as_str());
            let distance = match own.as_str() {
                tag if tag == language.as_str() => 0,
                tag if tag == language.primary() => 1,
                _ => 2,
            };
            Some((automatic, !heard && automatic, named, distance))
        };
        let ranked = tracks.iter().filter_map(|track| Some((rank(track)?, track)));
        ranked
            .min_by(|(a, left), (b, right)| a.cmp(b).then_with(|| by_name(left, right)))
            .map(|(_, track)| track)
    }
}

fn by_name(left: &Track, right: &Track) -> Ordering {
    left.name.cmp(&right.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen<'t>(tracks: &'t [Track], language: &str) -> Option<(&'t str, TrackKind)> {
        Track::choose(tracks, &language.parse().unwrap()).map(|track| (track.name.as_str(), track.kind))
    }

    #[test]
    fn the_order_is_kept_whatever_is_taken_away() {
        use TrackKind::{Automatic, Manual};
        for (language, order) in [
            (
                "pt",
                vec![
                    ("pt", Manual),
                    ("pt-BR", Manual),
                    ("pt-PT", Manual),
                    ("pt-j3PyPqV-e1s", Manual),
                    ("pt-orig", Automatic),
                    ("pt", Automatic),
                    ("pt-BR", Automatic),
                    ("pt-PT", Automatic),
                ],
            ),
            (
                "pt-PT",
                vec![
                    ("pt-PT", Manual),
                    ("pt", Manual),
                    ("pt-BR", Manual),
                    ("pt-PT-orig", Automatic),
                    ("pt-orig", Automatic),
                    ("pt-PT", Automatic),
                    ("pt", Automatic),
                    ("pt-BR", Automatic),
                ],
            ),
            ("zh", vec![("zh", Manual), ("zh-Hans", Manual), ("zh-TW", Manual), ("zh-Hans-orig", Automatic)]),
        ] {
            let noise = [("es", Manual), ("en", Automatic), ("pt-en", Automatic), ("ptx", Manual)];
            for taken in 0..=order.len() {
                let left = order.get(taken..).unwrap();
                let mut tracks: Vec<Track> =
                    left.iter().chain(&noise).map(|(name, kind)| Track::new(*name, *kind)).collect();
                tracks.reverse();
                assert_eq!(chosen(&tracks, language), left.first().copied(), "{language}: {left:?}");
            }
        }
    }

    #[test]
    fn translations_and_chats_are_not_offered() {
        let json = br#"{"subtitles": {"live_chat": [], "pt-BR": [], "de": []}, "automatic_captions": {
            "en": [{"url": "http://x/?lang=en"}], "pt": [{"url": "http://x/?lang=en&tlang=pt"}],
            "pt-en": [{"url": "http://x/"}], "en-orig": [{"url": "http://x/?lang=en"}]}}"#;
        let tracks = Track::of(&crate::parse_video_info(json).unwrap().value);
        let names: Vec<_> = tracks.iter().map(|track| (track.name.as_str(), track.kind.as_str())).collect();
        let expected = [("de", "manual"), ("pt-BR", "manual"), ("en", "automatic"), ("en-orig", "automatic")];
        assert_eq!(names, expected);
        assert_eq!(tracks[3].language.as_ref().map(Language::as_str), Some("en"));
    }
}
