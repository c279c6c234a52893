use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::outcome::Outcome;
use super::playlist_id::PlaylistId;
use super::time::UnixTime;
use crate::VideoId;

/// What a tab or a playlist holds, in the order in which the site shows it: newest first in a channel's tabs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listing {
    /// Its title.
    pub title: Option<String>,
    /// Name of the channel.
    pub channel: Option<String>,
    /// Id of the channel.
    pub channel_id: Option<String>,
    /// Its videos, each once.
    pub videos: Vec<ListedVideo>,
    /// Its playlists, each once: tabs such as podcasts hold them in place of videos.
    pub playlists: Vec<PlaylistId>,
    /// How many entries are neither, or carry an id that cannot be one.
    pub unreadable: usize,
    /// What went wrong on the way, where a part of it came all the same.
    pub trouble: Option<String>,
}

/// What becomes of a request for a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ListOutcome {
    /// It is here.
    Listed(Listing),
    /// The channel is there and has no such tab.
    NoSuchTab,
    /// It was refused, with the meaning that the outcome has for a video.
    Refused(Outcome),
}

/// A video as it stands in a listing, before anything is asked about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ListedVideo {
    /// Its id.
    pub id: VideoId,
    /// Its title.
    pub title: Option<String>,
    /// How long it is.
    pub duration: Option<Duration>,
    /// When it was published, as the site says it ("3 years ago"): the true time is not later than this.
    pub published: Option<UnixTime>,
    /// What the listing already tells of why its captions cannot be had.
    pub seen: Option<Outcome>,
}

/// How deep lists in lists are followed: a channel, its tabs, their shelves.
const DEEPEST: usize = 4;

impl Listing {
    /// The listing of a video by itself.
    pub(super) fn of_one(id: VideoId) -> Self {
        let video = ListedVideo { id, title: None, duration: None, published: None, seen: None };
        Self { videos: vec![video], ..Self::default() }
    }

    /// Reads what `yt-dlp -J --flat-playlist` writes; none if that is not a list.
    pub(super) fn read(json: &[u8]) -> Option<Self> {
        let root: Value = serde_json::from_slice(json).ok()?;
        let mut listing = Self {
            title: text(&root, "title"),
            channel: text(&root, "channel").or_else(|| text(&root, "uploader")),
            channel_id: text(&root, "channel_id"),
            ..Self::default()
        };
        let entries = root.get("entries")?.as_array()?;
        let mut known = std::collections::HashSet::new();
        listing.add(entries, DEEPEST, &mut known);
        Some(listing)
    }

    fn add(&mut self, entries: &[Value], depth: usize, known: &mut std::collections::HashSet<String>) {
        for entry in entries {
            if let Some(inner) = entry.get("entries").and_then(Value::as_array) {
                match depth.checked_sub(1) {
                    Some(depth) => self.add(inner, depth, known),
                    None => self.unreadable += 1,
                }
                continue;
            }
            let id = entry.get("id").and_then(Value::as_str).unwrap_or_default();
            if is_playlist(entry) {
                match id.parse::<PlaylistId>() {
                    Ok(playlist) => {
                        if known.insert(id.to_owned()) {
                            self.playlists.push(playlist);
                        }
                    }
                    Err(_) => self.unreadable += 1,
                }
            } else if let Ok(video) = id.parse() {
                if known.insert(id.to_owned()) {
                    self.videos.push(ListedVideo::read(video, entry));
                }
            } else {
                self.unreadable += 1;
            }
        }
    }
}

impl ListedVideo {
    fn read(id: VideoId, entry: &Value) -> Self {
        let duration = entry.get("duration").and_then(Value::as_f64);
        let time =
            |name: &str| entry.get(name).and_then(Value::as_f64).and_then(seconds).map(UnixTime::from_secs);
        let title = text(entry, "title");
        let duration = duration.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Self {
            seen: seen(entry, title.as_deref(), duration, time("release_timestamp")),
            title,
            duration,
            published: time("timestamp"),
            id,
        }
    }
}

/// What an entry tells of why the captions cannot be had. Live and upcoming come first: a members' premiere is one.
fn seen(
    entry: &Value,
    title: Option<&str>,
    duration: Option<Duration>,
    when: Option<UnixTime>,
) -> Option<Outcome> {
    let field = |name: &str| entry.get(name).and_then(Value::as_str);
    match field("live_status") {
        Some("is_upcoming") => return Some(Outcome::Upcoming { when }),
        Some("is_live" | "post_live") => return Some(Outcome::Live),
        _ => {}
    }
    match field("availability") {
        Some("private") => return Some(Outcome::Private),
        Some("subscriber_only") => return Some(Outcome::MembersOnly),
        Some("premium_only") => {
            return Some(Outcome::Unavailable { reason: "for paying viewers only".to_owned() });
        }
        _ => {}
    }
    // The site puts these in place of the title, and gives no length. A video of that name has one.
    match title {
        Some("[Private video]") if duration.is_none() => Some(Outcome::Private),
        Some("[Deleted video]") if duration.is_none() => Some(Outcome::Deleted),
        _ => None,
    }
}

fn is_playlist(entry: &Value) -> bool {
    let field = |name: &str| entry.get(name).and_then(Value::as_str);
    field("ie_key") == Some("YoutubeTab") || field("url").is_some_and(|url| url.contains("/playlist?list="))
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Whole seconds, where there are that many.
#[expect(clippy::cast_possible_truncation, reason = "checked to be in range")]
pub(super) fn seconds(value: f64) -> Option<i64> {
    (value.is_finite() && value.abs() < 1e15).then_some(value.floor() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_every_kind_are_told_apart() {
        let json = br#"{"title": "Canal - Videos", "channel": "Canal", "channel_id": "UCuAXFkgsw1L7xaCfnd5JJOw",
        "entries": [
            {"id": "aaaaaaaaaa1", "title": "Um ||| dois", "duration": 61.5, "timestamp": 1700000000},
            {"id": "aaaaaaaaaa1", "title": "outra vez"},
            {"id": "aaaaaaaaaa2", "title": "[Private video]"},
            {"id": "aaaaaaaaaa3", "title": "[Deleted video]", "duration": null},
            {"id": "aaaaaaaaaa4", "title": "[Private video]", "duration": 5},
            {"id": "aaaaaaaaaa5", "live_status": "is_upcoming", "release_timestamp": 1800000000, "availability": "subscriber_only"},
            {"id": "aaaaaaaaaa6", "live_status": "is_live"},
            {"id": "aaaaaaaaaa7", "availability": "subscriber_only", "title": "S"},
            {"id": "aaaaaaaaaa8", "live_status": "was_live", "duration": 1e300, "timestamp": "x"},
            {"id": "../../../etc", "title": "x"}, null, 7, {"title": "sem id"},
            {"_type": "playlist", "entries": [{"id": "aaaaaaaaaa9"}, {"id": "aaaaaaaaaa1"}]},
            {"id": "PL0123456789", "ie_key": "YoutubeTab", "url": "https://www.youtube.com/playlist?list=PL0123456789"},
            {"id": "PL0123456789", "url": "https://www.youtube.com/playlist?list=PL0123456789"},
            {"id": "WL", "ie_key": "YoutubeTab"}
        ]}"#;
        let listing = Listing::read(json).unwrap();
        assert_eq!(listing.channel.as_deref(), Some("Canal"));
        let when = Some(UnixTime::from_secs(1_800_000_000));
        let seen: Vec<_> =
            listing.videos.iter().map(|video| (video.id.as_str(), video.seen.clone())).collect();
        let expected = [
            ("aaaaaaaaaa1", None),
            ("aaaaaaaaaa2", Some(Outcome::Private)),
            ("aaaaaaaaaa3", Some(Outcome::Deleted)),
            ("aaaaaaaaaa4", None),
            ("aaaaaaaaaa5", Some(Outcome::Upcoming { when })),
            ("aaaaaaaaaa6", Some(Outcome::Live)),
            ("aaaaaaaaaa7", Some(Outcome::MembersOnly)),
            ("aaaaaaaaaa8", None),
            ("aaaaaaaaaa9", None),
        ];
        assert_eq!(seen, expected);
        let first = &listing.videos[0];
        assert_eq!(
            (first.title.as_deref(), first.published),
            (Some("Um ||| dois"), Some(UnixTime::from_secs(1_700_000_000)))
        );
        assert_eq!(first.duration, Some(Duration::from_millis(61_500)));
        assert_eq!(listing.playlists, ["PL0123456789".parse().unwrap()]);
        assert_eq!(listing.unreadable, 5);
    }

    #[test]
    fn what_is_no_list_is_none() {
        for json in ["", "null", "[]", "{}", "{\"entries\": 7}", "{\"entries\": [", "<html>"] {
            assert_eq!(Listing::read(json.as_bytes()), None, "{json}");
        }
        let empty = Listing::read(b"{\"entries\": []}").unwrap();
        assert_eq!(empty, Listing::default());
        let mut deep = "{\"id\": \"aaaaaaaaaa1\"}".to_owned();
        for _ in 0..20 {
            deep = format!("{{\"entries\": [{deep}]}}");
        }
        assert_eq!(Listing::read(deep.as_bytes()).unwrap().unreadable, 1);
    }

    proptest::proptest! {
        #[test]
        fn no_answer_makes_it_panic(
            entries in proptest::collection::vec("\\{(\"(id|title|url|ie_key|duration|timestamp|live_status)\": (\"\\PC{0,12}\"|-?[0-9]{1,20}|1e400|null|\\[\\]|true)(, )?){0,4}\\}|null|[0-9]", 0..6),
            cut in 0_usize..400,
        ) {
            let json = format!("{{\"entries\": [{}]}}", entries.join(", "));
            if let Some(listing) = Listing::read(json.as_bytes()) {
                let read = listing.videos.len() + listing.playlists.len() + listing.unreadable;
                proptest::prop_assert!(read <= entries.len());
            }
            Listing::read(json.as_bytes().get(..cut.min(json.len())).unwrap_or_default());
        }
    }
}
