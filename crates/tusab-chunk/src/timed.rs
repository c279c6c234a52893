use crate::chunk::number;
use crate::pack::{drafts, pack};
use crate::{Chars, Chunk, DocId, Error, MediaTime, Segment};

/// Cuts speech into overlapping windows of time: by default 120 s that overlap by 15 s.
///
/// - Window number k covers the times from k × 105 s to k × 105 s + 120 s. A cue belongs to every window in which it
///   *starts*, so each cue is in one or two windows, and every chunk starts inside its window.
/// - A chunk's [`TimeSpan`](crate::TimeSpan) is that of its cues, not that of the window.
/// - A window that adds no cue to the one before (silence) gives no chunk; a last one that adds less than 15 s of
///   speech is joined to the one before, unless that would stretch over a silence as long as a window.
/// - Speech denser than 3,000 characters a window is split between cues into numbered parts with their own times.
///   The next window then repeats at most the last part, so that the starts of chunks never decrease.
///
/// ```
/// use tusab_chunk::{DocId, MediaTime, Segment, TimeSpan, TimeWindows};
/// let doc: DocId = "youtube:dQw4w9WgXcQ".parse()?;
/// let cue = |n: u64| TimeSpan::between(MediaTime::from_seconds(n * 4), MediaTime::from_seconds(n * 4 + 4));
/// let twelve_minutes: Vec<_> = (0..180).map(|n| Segment::new(cue(n), "e assim por diante")).collect();
/// assert_eq!(TimeWindows::default().chunks(&doc, &twelve_minutes).len(), 7);
/// # Ok::<(), tusab_chunk::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeWindows {
    length: u64,
    overlap: u64,
    bound: usize,
}

impl TimeWindows {
    /// Default length of a window.
    pub const LENGTH: MediaTime = MediaTime::from_seconds(120);
    /// Default overlap of two neighbours.
    pub const OVERLAP: MediaTime = MediaTime::from_seconds(15);
    /// Default largest number of characters in a chunk.
    pub const BOUND: Chars = Chars(3000);
    /// A last window with less speech than this of its own is joined to the one before.
    pub const SHORTEST_TAIL: MediaTime = MediaTime::from_seconds(15);

    /// Windows of `length`, each repeating the last `overlap` of the one before.
    ///
    /// # Errors
    /// [`Error::TimeOverlapTooLong`] unless the overlap is shorter than the window.
    pub fn new(length: MediaTime, overlap: MediaTime) -> Result<Self, Error> {
        if overlap >= length {
            return Err(Error::TimeOverlapTooLong { length, overlap });
        }
        Ok(Self { length: length.as_millis(), overlap: overlap.as_millis(), ..Self::default() })
    }

    /// Sets the largest number of characters in a chunk.
    ///
    /// # Errors
    /// [`Error::ZeroBound`] for zero.
    pub fn with_bound(mut self, bound: Chars) -> Result<Self, Error> {
        if bound.0 == 0 {
            return Err(Error::ZeroBound);
        }
        self.bound = bound.0;
        Ok(self)
    }

    /// Largest number of characters in a chunk.
    #[must_use]
    pub fn bound(&self) -> Chars {
        Chars(self.bound)
    }

    /// The windows of `segments` as chunks of `doc`, numbered from 0. Segments out of order are sorted by time.
    #[must_use]
    pub fn chunks(&self, doc: &DocId, segments: &[Segment]) -> Vec<Chunk> {
        let cues = in_order(segments);
        let mut parts = Vec::new();
        let mut earliest = 0;
        for (first, end) in self.windows(&cues) {
            let first = first.max(earliest);
            let packed = pack(cues.get(first..end).unwrap_or_default(), self.bound);
            earliest = first + packed.last().map_or(0, |last| last.first);
            parts.extend(drafts(packed, None));
        }
        number(doc, parts)
    }

    /// The cues of each window, as index ranges into `cues`, which are sorted by start.
    fn windows(&self, cues: &[&Segment]) -> Vec<(usize, usize)> {
        let step = self.length - self.overlap;
        let start_of = |cue: &&Segment| cue.span.start().as_millis();
        let mut windows: Vec<(usize, usize)> = Vec::new();
        let mut covered = 0;
        while let Some(next) = cues.get(covered) {
            // The first window that holds the first cue not yet in any: earlier ones add nothing.
            let time = start_of(next);
            let number = time.saturating_sub(self.length - 1).div_ceil(step);
            let opens = number.saturating_mul(step);
            let closes = opens.saturating_add(self.length);
            let first = cues.partition_point(|cue| start_of(cue) < opens);
            let end = cues.partition_point(|cue| start_of(cue) < closes);
            // Only a time at the very end of what can be counted can leave a window without its cue.
            let end = end.max(covered + 1);
            windows.push((first, end));
            covered = end;
        }
        self.join_short_tail(cues, &mut windows);
        windows
    }

    fn join_short_tail(&self, cues: &[&Segment], windows: &mut Vec<(usize, usize)>) {
        if let [.., before, last] = windows.as_mut_slice() {
            let own = cues.get(before.1..last.1).unwrap_or_default();
            // A tail far away would stretch the chunk over the silence between.
            let near = own.first().zip(before.1.checked_sub(1).and_then(|at| cues.get(at))).is_some_and(
                |(cue, previous)| {
                    cue.span.start().saturating_sub(previous.span.end()).as_millis() < self.length
                },
            );
            if near && speech(own) < Self::SHORTEST_TAIL.as_millis() {
                before.1 = last.1;
                windows.pop();
            }
        }
    }
}

/// How many milliseconds are spoken in `cues`, which are sorted by start: where they overlap, once.
fn speech(cues: &[&Segment]) -> u64 {
    let mut until = MediaTime::ZERO;
    let own = cues.iter().map(|cue| {
        let from = cue.span.start().max(until);
        until = until.max(cue.span.end());
        until.saturating_sub(from).as_millis()
    });
    own.sum()
}

/// Segments by start, then end; equal ones in the order given.
pub(crate) fn in_order(segments: &[Segment]) -> Vec<&Segment> {
    let mut cues: Vec<&Segment> = segments.iter().filter(|cue| !cue.text.trim().is_empty()).collect();
    cues.sort_by_key(|cue| cue.span);
    cues
}

impl Default for TimeWindows {
    fn default() -> Self {
        Self { length: Self::LENGTH.as_millis(), overlap: Self::OVERLAP.as_millis(), bound: Self::BOUND.0 }
    }
}
