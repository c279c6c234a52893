//! Which parts of a passage the model reads.

#![allow(clippy::single_range_in_vec_init, reason = "a window is a list of ranges, mostly of one")]

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::Range;

/// Which parts of a passage are read. Whatever is chosen, a passage that fits is read whole, in one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Windows {
    /// All of it, in windows as large as the model takes that overlap by half; the best one's score counts. The most
    /// work, and what the savings are measured against.
    All,
    /// The windows in which most of the question's words stand; the best one's score counts.
    Best {
        /// Tokens of a run: question, window and marks. Work grows faster than this number.
        tokens: NonZeroUsize,
        /// Tokens of the passage's beginning (often its title) that stand in front of each window.
        head: usize,
        /// How many windows are read.
        count: NonZeroUsize,
    },
}

impl Default for Windows {
    /// One window, 256 tokens a run, 48 of them the passage's beginning.
    fn default() -> Self {
        Self::Best { tokens: const { NonZeroUsize::new(256).unwrap() }, head: 48, count: NonZeroUsize::MIN }
    }
}

/// Fewer tokens of a passage than these are not worth a run.
const LEAST: usize = 16;

/// Parts of a passage that are read in one run, in order.
type Window = Vec<Range<usize>>;

impl Windows {
    /// The windows of a passage; `room` is the number of its tokens that the model can take at once, `around` that of
    /// the question and the marks. Never empty, and no window is longer than `room`.
    pub(super) fn of(self, query: &[u32], passage: &[u32], room: usize, around: usize) -> Vec<Window> {
        let room = room.max(1);
        match self {
            Self::All if passage.len() <= room => vec![vec![0..passage.len()]],
            Self::All => {
                let last = passage.len() - room;
                let starts = (0..last).step_by((room / 2).max(1)).chain([last]);
                starts.map(|start| vec![start..start + room]).collect()
            }
            Self::Best { tokens, head, count } => {
                let room = tokens.get().saturating_sub(around).max(LEAST).min(room);
                if passage.len() <= room {
                    return vec![vec![0..passage.len()]];
                }
                let head = head.min(room / 2);
                let best = best(query, passage.get(head..).unwrap_or_default(), room - head, count.get());
                let parts = best.into_iter().map(|window| {
                    let body = head + window.start..head + window.end;
                    match head {
                        0 => vec![body],
                        _ if body.start == head => vec![0..body.end],
                        _ => vec![0..head, body],
                    }
                });
                parts.collect()
            }
        }
    }
}

/// What a further occurrence of a token counts, of what its first one does.
const REPEATED: f32 = 0.1;

/// Up to `count` windows of `width` tokens that do not overlap, the one with most of the question first; of equals the
/// earlier one. Linear in the passage for each window.
///
/// A token of the question weighs the more the rarer it is in this passage: that needs no list of stopwords, works in
/// any language, and looks at no other passage.
fn best(query: &[u32], passage: &[u32], width: usize, count: usize) -> Vec<Range<usize>> {
    let mut found: HashMap<u32, u32> = query.iter().map(|&token| (token, 0)).collect();
    for token in passage {
        if let Some(times) = found.get_mut(token) {
            *times += 1;
        }
    }
    #[allow(clippy::cast_precision_loss, reason = "tokens of a passage")]
    let weight = |times: u32| (1.0 + passage.len() as f32 / times.max(1) as f32).ln();
    let weights: HashMap<u32, f32> = found.into_iter().map(|(token, times)| (token, weight(times))).collect();
    let mut taken: Vec<Range<usize>> = Vec::new();
    while taken.len() < count {
        let Some(window) = heaviest(&weights, passage, width, &taken) else { break };
        taken.push(window);
    }
    taken
}

/// The heaviest window that overlaps none of `taken`.
fn heaviest(
    weights: &HashMap<u32, f32>,
    passage: &[u32],
    width: usize,
    taken: &[Range<usize>],
) -> Option<Range<usize>> {
    let mut inside: HashMap<u32, u32> = HashMap::new();
    let mut sum = 0.0;
    let mut best: Option<(f32, usize)> = None;
    let leaving = passage.iter().map(Some);
    let mut leaving = std::iter::repeat_n(None, width).chain(leaving);
    for (end, token) in (1..).zip(passage) {
        if let Some(&weight) = weights.get(token) {
            let times = inside.entry(*token).or_default();
            sum += if *times == 0 { weight } else { REPEATED * weight };
            *times += 1;
        }
        if let Some(token) = leaving.next().flatten()
            && let (Some(&weight), Some(times)) = (weights.get(token), inside.get_mut(token))
        {
            *times -= 1;
            sum -= if *times == 0 { weight } else { REPEATED * weight };
        }
        let Some(start) = usize::checked_sub(end, width) else { continue };
        let free = taken.iter().all(|other| end <= other.start || other.end <= start);
        // Sums that differ by rounding only are equal, and then the earlier window stands.
        if free && best.is_none_or(|(most, _)| sum > most + 1e-3) {
            best = Some((sum, start));
        }
    }
    best.map(|(_, start)| start..start + width)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn windows(tokens: usize, head: usize, count: usize) -> Windows {
        let number = |number| NonZeroUsize::new(number).unwrap();
        Windows::Best { tokens: number(tokens), head, count: number(count) }
    }

    #[test]
    fn a_passage_that_fits_is_read_whole() {
        let passage: Vec<u32> = (0..50).collect();
        for windows in [Windows::All, Windows::default(), windows(60, 5, 3)] {
            assert_eq!(windows.of(&[1], &passage, 50, 10), [[0..50]]);
        }
        assert_eq!(Windows::default().of(&[], &[], 500, 12), [[0..0]]);
    }

    #[test]
    fn all_of_a_long_passage_is_read_when_all_is_asked_for() {
        let passage = vec![0; 250];
        let all = Windows::All.of(&[1], &passage, 100, 0);
        assert_eq!(all, [vec![0..100], vec![50..150], vec![100..200], vec![150..250]]);
    }

    #[test]
    fn the_window_with_the_question_is_found_wherever_it_stands() {
        for at in [0, 37, 400, 797] {
            let mut passage = vec![5; 800];
            passage[at] = 7;
            passage[at + 2] = 8;
            let best = windows(50, 0, 1).of(&[5, 7, 8], &passage, 500, 10);
            let [window] = best.as_slice() else { panic!("{best:?}") };
            assert!(window[0].contains(&at) && window[0].contains(&(at + 2)), "{at}: {window:?}");
        }
    }

    #[test]
    fn the_head_stands_in_front_of_each_window() {
        let mut passage = vec![0; 300];
        passage[100] = 7;
        passage[200] = 7;
        let best = windows(60, 10, 2).of(&[7], &passage, 500, 10);
        assert_eq!(best.len(), 2);
        for (window, at) in best.iter().zip([100, 200]) {
            assert_eq!(window[0], 0..10);
            assert!(window[1].contains(&at), "{window:?}");
        }
    }

    #[test]
    fn without_any_word_of_the_question_the_beginning_is_read() {
        assert_eq!(windows(60, 10, 1).of(&[7], &vec![0; 300], 500, 10), [[0..50]]);
    }

    #[test]
    fn a_window_is_as_wide_as_it_says() {
        let mut passage = vec![0; 800];
        // The two stand one token too far apart, and then just near enough.
        (passage[100], passage[150], passage[300], passage[349]) = (7, 8, 7, 8);
        assert_eq!(windows(60, 0, 1).of(&[7, 8], &passage, 500, 10), [[300..350]]);
    }

    #[test]
    fn further_windows_overlap_none_before() {
        let mut passage = vec![0; 400];
        (passage[100], passage[110], passage[170], passage[320]) = (7, 7, 7, 7);
        let best = windows(60, 0, 3).of(&[7], &passage, 500, 10);
        assert_eq!(best.len(), 3);
        for (at, window) in best.iter().enumerate() {
            let apart = |other: &Window| other[0].end <= window[0].start || window[0].end <= other[0].start;
            assert!(best[at + 1..].iter().all(apart), "{best:?}");
        }
    }

    #[test]
    fn another_word_of_the_question_outweighs_the_same_one_again() {
        let mut passage = vec![0; 800];
        passage[100..110].fill(7);
        (passage[300], passage[310]) = (7, 8);
        let best = windows(60, 0, 1).of(&[7, 8], &passage, 500, 10);
        assert!(best[0][0].contains(&300) && best[0][0].contains(&310), "{best:?}");
    }

    #[test]
    fn a_rare_word_outweighs_a_common_one() {
        let mut passage = vec![0; 800];
        passage[..400].iter_mut().step_by(5).for_each(|token| *token = 7);
        passage[600] = 9;
        let best = windows(60, 0, 1).of(&[7, 9], &passage, 500, 10);
        assert!(best[0][0].contains(&600), "{best:?}");
    }

    proptest! {
        #[test]
        fn windows_are_inside_of_the_passage_and_of_the_model(
            query in prop::collection::vec(0_u32..20, 0..10),
            passage in prop::collection::vec(0_u32..20, 0..300),
            room in 1_usize..120, around in 0_usize..40,
            tokens in 1_usize..150, head in 0_usize..80, count in 1_usize..5,
        ) {
            for windows in [Windows::All, windows(tokens, head, count)] {
                let all = windows.of(&query, &passage, room, around);
                prop_assert!(!all.is_empty());
                if passage.len() <= room && windows == Windows::All {
                    prop_assert_eq!(all.len(), 1);
                }
                for window in &all {
                    prop_assert!(window.iter().map(Range::len).sum::<usize>() <= room);
                    prop_assert!(window.iter().all(|part| part.end <= passage.len()));
                    prop_assert!(window.windows(2).all(|pair| pair[0].end <= pair[1].start));
                }
            }
        }
    }
}
