//! The videos of a channel: of its transcripts, with what its lists know of them.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::{Reader, Was, write};
use crate::legacy::list::{self, Row};
use crate::legacy::report::{LegacyChannel, LegacyFate};
use crate::legacy::transcript::{self, Block};
use crate::legacy::{channel, video};
use crate::{Error, Source};

/// The files of a channel.
#[derive(Debug, Default)]
pub(super) struct Channel {
    /// Its transcripts, by their numbers.
    pub(super) parts: Vec<(u32, PathBuf)>,
    pub(super) lists: Vec<PathBuf>,
    pub(super) name: Option<String>,
}

impl Reader<'_> {
    pub(super) fn summary(&mut self, path: &Path) -> Option<LegacyChannel> {
        let bytes = self.bytes(path)?;
        match channel::parse(&bytes) {
            Ok((channel, odd)) => {
                for address in odd {
                    self.note(path, LegacyFate::Refused, format!("{address:?} is no address of a channel"));
                }
                self.left_out(path, "what it says of the channel was used; its last filter was not");
                Some(channel)
            }
            Err(error) => {
                let what = format!("it is damaged ({error}); the channel was taken without it");
                self.note(path, LegacyFate::Repaired, what);
                None
            }
        }
    }

    /// The videos of a channel's lists, each with the list that it is in.
    fn rows(&mut self, lists: &[PathBuf]) -> Vec<(PathBuf, Row)> {
        let mut all = Vec::new();
        for path in lists {
            let Some(text) = self.decoded(path) else { continue };
            match list::parse(&text) {
                Ok((rows, odd)) => {
                    for row in odd {
                        self.note(path, LegacyFate::Refused, format!("row {row} names no video"));
                    }
                    self.left_out(path, "what it says of the videos was used");
                    all.extend(rows.into_iter().map(|row| (path.clone(), row)));
                }
                Err(error) => {
                    let what = format!("it is damaged ({error}); the videos were taken without it");
                    self.note(path, LegacyFate::Repaired, what);
                }
            }
        }
        all
    }

    /// Gives blocks what only the list knows of their videos.
    fn complete(&mut self, blocks: &mut [Block], rows: &[(PathBuf, Row)]) {
        let by_id: HashMap<&str, &(PathBuf, Row)> = rows.iter().map(|row| (row.1.id.as_str(), row)).collect();
        // None where several have one title.
        let mut by_title: HashMap<&str, Option<&(PathBuf, Row)>> = HashMap::new();
        for row in rows.iter().filter(|(_, row)| !row.title.is_empty()) {
            by_title.entry(&row.1.title).and_modify(|one| *one = None).or_insert(Some(row));
        }
        let mut told = HashSet::new();
        for block in blocks {
            // The first version named no video.
            if block.video.is_none()
                && let Some((path, row)) = by_title.get(video::bare(&block.title)).copied().flatten()
            {
                block.video = Some(row.id.clone());
                let what =
                    format!("line {}: {:?} is video {}, as the list says", block.line, row.title, row.id);
                self.note(path, LegacyFate::Repaired, what);
            }
            let row = block.video.as_ref().and_then(|id| by_id.get(id.as_str()));
            if let Some((path, row)) = row
                && block.date.is_none()
                && row.date.is_some()
            {
                block.date = row.date;
                if told.insert(row.id.as_str()) {
                    let what = format!("video {}: its date is the list's", row.id);
                    self.note(path, LegacyFate::Repaired, what);
                }
            }
        }
    }

    /// Says what became of the videos that the lists name and no transcript has.
    fn without_words(&mut self, rows: &[(PathBuf, Row)], taken: &HashSet<String>) {
        for (path, row) in rows.iter().filter(|(_, row)| !taken.contains(row.id.as_str())) {
            let video = format!("video {}, {:?}", row.id, row.title);
            if row.is_taken() {
                let what = format!("{video}: the list says that it was taken, and no transcript has it");
                self.note(path, LegacyFate::Refused, what);
            } else {
                let what = format!("{video}: the app had no words of it ({})", row.status);
                self.note(path, LegacyFate::LeftOut, what);
            }
        }
    }

    /// Reads all files of a channel, since a video can stand in several.
    pub(super) fn channel(&mut self, folder: &str, channel: Channel) -> Result<(), Error> {
        let Channel { mut parts, lists, name: mut said } = channel;
        // The tenth part is not the second.
        parts.sort();
        let files: Vec<PathBuf> = parts.into_iter().map(|(_, path)| path).collect();
        let rows = self.rows(&lists);
        let (mut blocks, mut places): (Vec<Block>, HashMap<String, PathBuf>) = (Vec::new(), HashMap::new());
        for path in &files {
            let Some(text) = self.decoded(path) else { continue };
            let transcript = transcript::parse(&text);
            said = said.or(transcript.channel);
            for (line, what) in transcript.mended {
                self.note(path, LegacyFate::Repaired, format!("line {line}: {what}"));
            }
            if transcript.blocks.is_empty() {
                self.note(path, LegacyFate::Refused, "there is no block of a transcript in it");
            }
            let (empty, full): (Vec<Block>, Vec<Block>) =
                transcript.blocks.into_iter().partition(|block| block.text.is_empty());
            for block in empty {
                let what = format!("line {}: {:?} says nothing", block.line, block.title);
                self.note(path, LegacyFate::Refused, what);
            }
            for block in &full {
                let id = block.video.as_ref().map_or("", |id| id.as_str()).to_owned();
                places.entry(id).or_insert_with(|| path.clone());
            }
            blocks.extend(full);
        }
        self.complete(&mut blocks, &rows);
        let (videos, others) = video::by_video(blocks);
        let channel = said.as_deref().unwrap_or(folder);
        let mut taken = HashSet::new();
        for video in videos.into_iter().filter_map(|blocks| video::join(blocks, Some(channel))) {
            let path = places.get(video.id.as_str()).cloned().unwrap_or_default();
            taken.insert(video.id.as_str().to_owned());
            if video.repeated > 0 {
                let what = format!("{} of {:?} were there twice", video.repeated, video.title);
                self.note(&path, LegacyFate::Repaired, what);
            }
            let dir = self.next_dir()?;
            let name = format!("{}.json3", stem_of(&video.id));
            write(&dir.join(format!("{}.info.json", stem_of(&video.id))), &video.info)?;
            write(&dir.join(&name), &video.captions)?;
            let what = format!("video {}, {:?}", video.id, video.title);
            self.push(Source::file(dir.join(name)), Was::Video, &path, what);
        }
        self.without_words(&rows, &taken);
        for block in others {
            let path = places.get("").cloned().unwrap_or_default();
            let what =
                format!("line {}: {:?} names no video; it was taken as a text", block.line, block.title);
            self.note(&path, LegacyFate::Repaired, what);
            let what = format!("text {:?}", block.title);
            self.push(Source::text(block.title, block.text), Was::Text, &path, what);
        }
        for path in files {
            let shown = path.strip_prefix(self.root).unwrap_or(&path).to_owned();
            let is_told = self.ready.iter().any(|ready| ready.path == shown)
                || self.report.items.iter().any(|item| item.path == shown);
            if !is_told {
                self.left_out(&path, "what it says stands in the other files of the channel too");
            }
        }
        Ok(())
    }
}

/// A name by which the captions and what describes them are told to belong together.
fn stem_of(id: &tusab_ingest::VideoId) -> String {
    format!("video [{}]", id.as_str())
}
