//! From the blocks of a video to captions as yt-dlp writes them, which are then read like any others.

use std::collections::BTreeMap;

use serde_json::json;
use tusab_chunk::MediaTime;
use tusab_ingest::VideoId;

use super::transcript::Block;

/// How many characters are said in a second, by which the Python app estimates times too.
const CHARACTERS_A_SECOND: u64 = 18;

/// Words of an estimated cue.
const CUE_WORDS: usize = 12;

/// Windows overlap by 15 seconds: about forty words, and twice as many of a fast speaker.
const OVERLAP_WORDS: usize = 90;

/// Fewer equal words at a seam are no overlap but chance.
const LEAST_OVERLAP: usize = 3;

/// A video of the Python app.
#[derive(Debug)]
pub(super) struct OldVideo {
    pub(super) id: VideoId,
    pub(super) title: String,
    /// Captions in json3.
    pub(super) captions: Vec<u8>,
    /// What yt-dlp would say of the video.
    pub(super) info: Vec<u8>,
    /// Blocks that were there twice.
    pub(super) repeated: usize,
}

/// Blocks by their videos, in the order in which these come; and those that are no video's.
pub(super) fn by_video(blocks: Vec<Block>) -> (Vec<Vec<Block>>, Vec<Block>) {
    let mut order: BTreeMap<String, usize> = BTreeMap::new();
    let (mut videos, mut others): (Vec<Vec<Block>>, _) = (Vec::new(), Vec::new());
    for block in blocks {
        let Some(id) = &block.video else {
            others.push(block);
            continue;
        };
        let number = *order.entry(id.as_str().to_owned()).or_insert(videos.len());
        match videos.get_mut(number) {
            Some(video) => video.push(block),
            None => videos.push(vec![block]),
        }
    }
    (videos, others)
}

/// Makes one video of its blocks; none of none.
pub(super) fn join(mut blocks: Vec<Block>, channel: Option<&str>) -> Option<OldVideo> {
    // Files were appended to: what was extracted twice is there twice.
    blocks.sort_by_key(|block| (block.start, block.part));
    let before = blocks.len();
    blocks.dedup_by(|a, b| (a.start, a.part, &a.text) == (b.start, b.part, &b.text));
    let repeated = before - blocks.len();
    let first = blocks.first()?;
    let id = first.video.clone()?;
    let (title, names) = titles(&blocks);
    let found = |get: fn(&Block) -> bool| blocks.iter().find(|block| get(block));
    let date = found(|block| block.date.is_some()).and_then(|block| block.date);
    let tags = found(|block| !block.tags.is_empty()).map(|block| block.tags.clone()).unwrap_or_default();
    let description = found(|block| !block.description.is_empty()).map(|block| block.description.clone());
    let chapters: Vec<_> =
        names.iter().map(|(start, name)| json!({ "start_time": seconds(*start), "title": name })).collect();
    let mut info = json!({
        "id": id.as_str(),
        "title": title,
        "webpage_url": format!("https://www.youtube.com/watch?v={}", id.as_str()),
        "extractor_key": "Youtube",
        "tags": tags,
        "chapters": chapters,
    });
    if let Some(fields) = info.as_object_mut() {
        if let Some(date) = date {
            fields.insert("upload_date".to_owned(), date.to_string().replace('-', "").into());
        }
        fields.extend(description.map(|it| ("description".to_owned(), it.into())));
        fields.extend(channel.map(|it| ("channel".to_owned(), it.into())));
    }
    let events: Vec<_> = cues(&blocks)
        .into_iter()
        .map(|(start, end, text)| {
            let (start, length) = (start.as_millis(), end.saturating_sub(start).as_millis());
            json!({ "tStartMs": start, "dDurationMs": length, "segs": [{ "utf8": text }] })
        })
        .collect();
    let captions = json!({ "wireMagic": "pb3", "events": events });
    let (captions, info) = (captions.to_string().into_bytes(), info.to_string().into_bytes());
    Some(OldVideo { id, title, captions, info, repeated })
}

fn seconds(time: MediaTime) -> f64 {
    std::time::Duration::from_millis(time.as_millis()).as_secs_f64()
}

/// The title of a block without what says which part of its video it is.
pub(super) fn bare(title: &str) -> &str {
    without_window(without_part(title))
}

/// The title that blocks share, and what each adds to it: the names of chapters.
fn titles(blocks: &[Block]) -> (String, Vec<(MediaTime, String)>) {
    let bares: Vec<&str> = blocks.iter().map(|block| bare(&block.title)).collect();
    let shared = bares.iter().copied().reduce(common_start).unwrap_or_default();
    let title = shared.trim_end_matches(|c: char| c.is_whitespace() || "-–—|:[(".contains(c));
    let is_one = bares.iter().all(|it| *it == shared);
    // Too little is chance: titles that only begin alike.
    if is_one || title.chars().count() < 4 {
        return (bares.first().copied().unwrap_or_default().to_owned(), Vec::new());
    }
    let mut names: Vec<(MediaTime, String)> = Vec::new();
    for (block, bare) in blocks.iter().zip(&bares) {
        let name = bare.get(title.len()..).unwrap_or_default();
        let name = name.trim_matches(|c: char| c.is_whitespace() || "-–—|:[]()".contains(c));
        if !name.is_empty() && names.last().is_none_or(|(_, last)| last != name) {
            names.push((block.start.unwrap_or_default(), name.to_owned()));
        }
    }
    (title.to_owned(), names)
}

fn common_start<'t>(a: &'t str, b: &str) -> &'t str {
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    a.get(..same).unwrap_or_default()
}

/// Without ` (parte 1/3)`.
fn without_part(title: &str) -> &str {
    let cut = title.strip_suffix(')').and_then(|it| it.rsplit_once(" (parte "));
    cut.filter(|(_, part)| part.chars().all(|c| c.is_ascii_digit() || c == '/')).map_or(title, |(it, _)| it)
}

/// Without the times of a window, `1:45 – 3:45`.
fn without_window(title: &str) -> &str {
    let is_time = |c: char| c.is_ascii_digit() || c.is_whitespace() || ":–-—[]()".contains(c);
    let bare = title.trim_end_matches(is_time);
    let label = title.get(bare.len()..).unwrap_or_default();
    if label.matches(':').count() < 2 {
        return title.trim();
    }
    bare.trim()
}

/// Cues of a few words. The blocks say when they begin; the times between are estimates by the number of characters.
fn cues(blocks: &[Block]) -> Vec<(MediaTime, MediaTime, String)> {
    let mut pieces: Vec<(MediaTime, Vec<&str>)> = Vec::new();
    for block in blocks {
        let mut words: Vec<&str> = block.text.split_whitespace().collect();
        let start = block.start.or_else(|| pieces.last().map(|(at, words)| at.saturating_add(spoken(words))));
        let start = start.unwrap_or_default();
        if let Some((at, before)) = pieces.last_mut() {
            words.drain(..overlap(before, &words));
            if *at == start {
                before.extend(words);
                continue;
            }
        }
        pieces.push((start, words));
    }
    let mut cues = Vec::new();
    for (number, (start, words)) in pieces.iter().enumerate() {
        // Until the next block, but no slower than half as fast as people speak.
        let longest = start.saturating_add(spoken(words)).saturating_add(spoken(words));
        let next = pieces.get(number + 1).map(|(next, _)| *next).filter(|next| next > start);
        let end = next.map_or_else(|| start.saturating_add(spoken(words)), |next| next.min(longest));
        spread(*start, end, words, &mut cues);
    }
    cues
}

/// How long the words take.
fn spoken(words: &[&str]) -> MediaTime {
    MediaTime::from_millis(characters(words) * 1000 / CHARACTERS_A_SECOND)
}

fn characters(words: &[&str]) -> u64 {
    words.iter().map(|word| word.chars().count() as u64 + 1).sum()
}

/// How many words at the start of `next` are those at the end of `before`.
fn overlap(before: &[&str], next: &[&str]) -> usize {
    let most = OVERLAP_WORDS.min(before.len()).min(next.len());
    (LEAST_OVERLAP..=most)
        .rev()
        .find(|count| before.get(before.len() - count..) == next.get(..*count))
        .unwrap_or(0)
}

fn spread(start: MediaTime, end: MediaTime, words: &[&str], cues: &mut Vec<(MediaTime, MediaTime, String)>) {
    let (all, length) = (characters(words).max(1), end.saturating_sub(start).as_millis());
    let at = |done: u64| start.saturating_add(MediaTime::from_millis(length.saturating_mul(done) / all));
    let (mut done, mut cue) = (0, Vec::new());
    for (number, word) in words.iter().enumerate() {
        cue.push(*word);
        let is_sentence = word.ends_with(['.', '?', '!']) && cue.len() * 2 >= CUE_WORDS;
        if cue.len() == CUE_WORDS || is_sentence || number + 1 == words.len() {
            let until = done + characters(&cue);
            cues.push((at(done), at(until), cue.join(" ")));
            done = until;
            cue.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(start: Option<u64>, title: &str, text: &str) -> Block {
        Block {
            title: title.to_owned(),
            start: start.map(MediaTime::from_seconds),
            video: "dQw4w9WgXcQ".parse().ok(),
            text: text.to_owned(),
            ..Block::default()
        }
    }

    fn words(count: usize, from: usize) -> String {
        (from..from + count).map(|number| format!("palavra{number}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn windows_are_joined_without_their_overlap() {
        let blocks = [block(Some(0), "T", &words(200, 0)), block(Some(105), "T", &words(200, 160))];
        let cues = cues(&blocks);
        let said: Vec<&str> = cues.iter().flat_map(|(_, _, text)| text.split(' ')).collect();
        assert_eq!(said.join(" "), words(360, 0));
        assert!(cues.windows(2).all(|pair| pair[0].1 <= pair[1].0 && pair[0].0 < pair[1].0));
        let second = cues.iter().find(|(_, _, text)| text.starts_with("palavra200 ")).unwrap();
        assert_eq!(second.0, MediaTime::from_seconds(105));
    }

    #[test]
    fn a_block_without_a_time_is_estimated() {
        let cues = cues(&[block(None, "T", &words(90, 0))]);
        assert_eq!(cues[0].0, MediaTime::default());
        assert_eq!(
            cues.last().unwrap().1.whole_seconds(),
            characters(&words(90, 0).split(' ').collect::<Vec<_>>()) / 18
        );
    }

    #[test]
    fn titles_lose_their_windows_and_parts_and_give_chapters() {
        let titled = |titles: &[&str]| {
            let blocks: Vec<Block> =
                (0..).zip(titles).map(|(n, title)| block(Some(n * 60), title, "x")).collect();
            super::titles(&blocks)
        };
        assert_eq!(titled(&["Juros 0:00 – 2:00", "Juros 1:45 – 3:45"]), ("Juros".to_owned(), vec![]));
        assert_eq!(titled(&["Juros (parte 1/2)", "Juros (parte 2/2)"]), ("Juros".to_owned(), vec![]));
        assert_eq!(titled(&["Aula de 2024"]), ("Aula de 2024".to_owned(), vec![]));
        let (title, names) = titled(&[
            "Juros altos - Começo",
            "Juros altos - Fim (parte 1/2)",
            "Juros altos - Fim (parte 2/2)",
        ]);
        assert_eq!(title, "Juros altos");
        assert_eq!(names.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>(), ["Começo", "Fim"]);
        assert_eq!(titled(&["Um", "Outro"]).0, "Um");
    }

    #[test]
    fn what_is_there_twice_counts_once() {
        let twice =
            vec![block(Some(0), "T", "a b c"), block(Some(60), "T", "d e f"), block(Some(0), "T", "a b c")];
        let video = join(twice, None).unwrap();
        assert_eq!((video.repeated, video.title.as_str()), (1, "T"));
    }
}
