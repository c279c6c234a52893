use std::collections::HashMap;
use std::time::Duration;

use super::{Job, JobList, JobVideo, ListState, Stop};
use crate::ytdlp::listing::{ListOutcome, ListedVideo, Listing};
use crate::ytdlp::outcome::Outcome;
use crate::ytdlp::time::UnixTime;
use crate::ytdlp::url::{ChannelTab, YouTubeUrl};
use crate::ytdlp::wanted::Wanted;

impl Job {
    /// Lists everything again, to find what is new. What is done stays done; a video whose title or length has changed
    /// since goes back into the queue.
    pub fn refresh(&mut self) {
        self.lists = self.first_lists();
        self.counted = 0;
    }

    /// Records what became of a listing. One that the job does not know is passed over.
    pub fn record_list(&mut self, url: &YouTubeUrl, outcome: ListOutcome, now: UnixTime) {
        let Some(at) = self.lists.iter().position(|list| list.url == *url) else { return };
        if !matches!(url, YouTubeUrl::Video(_)) {
            self.pace.ends(now);
        }
        let tab = self.lists.get(at).and_then(|list| list.tab);
        let state = match outcome {
            ListOutcome::Listed(listing) => {
                let (videos, unreadable) = (listing.videos.len(), listing.unreadable);
                let state = ListState::Listed { videos, unreadable, trouble: listing.trouble.clone() };
                self.merge(listing, tab, now);
                state
            }
            ListOutcome::NoSuchTab => ListState::NoSuchTab,
            ListOutcome::Refused(limited @ Outcome::RateLimited { .. }) => {
                self.stop(Stop::RateLimit, &limited, now);
                return;
            }
            ListOutcome::Refused(reason) => {
                let retry_at = reason.retry_at(now);
                ListState::Refused { reason, retry_at }
            }
        };
        if let Some(list) = self.lists.get_mut(at) {
            list.state = Some(state);
        }
        self.fall_back();
        if self.lists.iter().all(|list| list.state.is_some()) {
            self.known.clear();
        }
    }

    /// Channels that the site makes up for artists have no tabs. yt-dlp finds their videos from the channel's own
    /// address.
    fn fall_back(&mut self) {
        let is_whole = matches!(self.url, YouTubeUrl::Channel { tab: None, .. });
        if is_whole && self.lists.iter().all(|list| list.state == Some(ListState::NoSuchTab)) {
            let asked = self.lists.iter().any(|list| list.url == self.url);
            if !asked {
                self.lists.push(JobList { url: self.url.clone(), tab: None, state: None });
            }
        }
    }

    pub(super) fn first_lists(&self) -> Vec<JobList> {
        let list = |url, tab| JobList { url, tab, state: None };
        match &self.url {
            YouTubeUrl::Channel { channel, tab: None } => {
                let of_tab = |&tab| {
                    let channel = channel.clone();
                    list(YouTubeUrl::Channel { channel, tab: Some(tab) }, Some(tab))
                };
                self.options.tabs.iter().map(of_tab).collect()
            }
            url @ YouTubeUrl::Channel { tab, .. } => vec![list(url.clone(), *tab)],
            url => vec![list(url.clone(), None)],
        }
    }

    fn merge(&mut self, listing: Listing, tab: Option<ChannelTab>, now: UnixTime) {
        self.title = self.title.take().or(listing.title);
        self.channel = self.channel.take().or(listing.channel);
        self.channel_id = self.channel_id.take().or(listing.channel_id);
        for playlist in listing.playlists {
            let url = YouTubeUrl::Playlist(playlist);
            if self.lists.iter().all(|list| list.url != url) {
                self.lists.push(JobList { url, tab, state: None });
            }
        }
        let places: HashMap<_, _> =
            (0..).zip(&self.videos).map(|(at, video): (usize, _)| (video.listed.id.clone(), at)).collect();
        for listed in listing.videos {
            let seen = listed.seen.clone().or_else(|| certainly_before(&self.wanted, &listed));
            // What the caller has counts too: the first ten are the first ten, whichever of them are there.
            let is_full = self.options.max_videos.is_some_and(|max| self.counted >= max);
            if seen.is_none() {
                self.counted = self.counted.saturating_add(1);
            }
            if let Some(video) = places.get(&listed.id).and_then(|at| self.videos.get_mut(*at)) {
                video.update(listed, now);
                video.spare = is_full && video.outcome.is_none();
                continue;
            }
            let here = self.known.get(&listed.id).cloned().map(|track| Outcome::Captions { track });
            let spare = is_full && seen.is_none() && here.is_none();
            let outcome = here.or(seen);
            let retry_at = outcome.as_ref().and_then(|outcome| outcome.retry_at(now));
            self.videos.push(JobVideo { listed, tab, outcome, retry_at, attempts: 0, spare });
        }
    }
}

impl JobVideo {
    /// Takes over what a later listing says.
    fn update(&mut self, listed: ListedVideo, now: UnixTime) {
        let differs =
            |old: &Option<String>, new: &Option<String>| old.is_some() && new.is_some() && old != new;
        let was_there = self.outcome.as_ref().is_some_and(Outcome::is_captions);
        let was_ruled_out = self.listed.seen.is_some();
        let edited = differs(&self.listed.title, &listed.title)
            || (self.listed.duration.is_some()
                && listed.duration.is_some()
                && self.listed.duration != listed.duration);
        match &listed.seen {
            // Captions that are there stay, also when their video is private by now.
            Some(seen) if !was_there => {
                self.retry_at = seen.retry_at(now);
                self.outcome = Some(seen.clone());
            }
            None if was_ruled_out || (was_there && edited) => {
                (self.outcome, self.retry_at) = (None, None);
            }
            _ => {}
        }
        if listed.seen.is_none() || !was_there {
            self.listed = listed;
        }
    }
}

/// What of a video's date is certain from a listing, which says "3 years ago" and not the day: such a time is the
/// latest that the video can have been published at. A month is left for how the site rounds.
fn certainly_before(wanted: &Wanted, listed: &ListedVideo) -> Option<Outcome> {
    const MARGIN: Duration = Duration::from_hours(31 * 24);
    let published = listed.published?;
    let latest = published.plus(MARGIN).date()?;
    let since = wanted.since?;
    (latest < since).then_some(Outcome::OutOfRange { published: published.date() })
}
