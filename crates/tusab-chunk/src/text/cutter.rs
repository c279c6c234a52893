//! The one loop that cuts text into windows, whatever they are measured with.

use super::block::{self, Block, Kind};
use super::boundary::{self, Reach};
use super::grapheme;
use super::place::Place;
use super::ruler::Ruler;
use crate::TextSpan;

/// Cuts `text` into windows, one at a time.
pub(crate) struct Cutter<'t, R> {
    text: &'t str,
    ruler: R,
    size: usize,
    overlap: usize,
    /// What not to split; sorted and disjoint.
    blocks: Vec<Block>,
    next: Option<Next>,
}

/// Where the next window stands.
#[derive(Debug, Clone, Copy)]
struct Next {
    /// Where it starts: with what it repeats of the window before.
    start: Place,
    /// Where the text starts that no window before holds.
    own: Place,
    /// The end of the first thing of its own, a cluster or a block: where it may end at the earliest.
    least: Place,
}

/// A window as it was cut.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    pub(crate) span: TextSpan,
    /// The byte from which on it is not a repetition.
    pub(crate) own: usize,
}

/// Bytes of a word that the overlap is lengthened by at least, so as not to start inside it.
const LONGEST_WORD: usize = 32;

/// How much earlier than its size a window may be cut.
///
/// Never so much that the next window would not advance: what is left is at least (size + overlap) / 2, which is more
/// than the overlap.
pub(crate) fn tolerance((size, overlap): (usize, usize)) -> usize {
    (size / 4).min((size - overlap) / 2)
}

impl<'t, R: Ruler> Cutter<'t, R> {
    /// Windows of at most `size`, which repeat `overlap`; that must be the smaller one.
    pub(crate) fn new(text: &'t str, ruler: R, (size, overlap): (usize, usize), blocks: Vec<Block>) -> Self {
        let own = grapheme::skip_space(text, Place::START);
        let mut cutter = Self { text, ruler, size, overlap, blocks, next: None };
        if own.byte < text.len() {
            let least = own.at(text, grapheme::next(text, own.byte, own.byte));
            cutter.next = Some(Next { start: own, own, least });
        }
        cutter
    }

    fn window(&mut self, next: Next) -> Result<Window, R::Error> {
        let Next { mut start, own, least } = next;
        let mut limit = self.ruler.forward(self.text, start, self.size)?;
        let (cut, end) = loop {
            let cut = self.cut(start, least, limit)?;
            let end = grapheme::trim_space(self.text, start, cut);
            if self.ruler.fits(self.text, start, end, self.size)? {
                break (cut, end);
            }
            // Only one over-long cluster, or a measure whose parts do not add up, gets here.
            if cut > least {
                let half = self.text.floor_char_boundary(usize::midpoint(least.byte, cut.byte));
                limit = least.at(self.text, half.max(least.byte));
            } else if start < own {
                start = own;
                limit = self.ruler.forward(self.text, start, self.size)?;
            } else {
                break (cut, end);
            }
        };
        let after = grapheme::skip_space(self.text, cut);
        if after.byte < self.text.len() {
            self.next = Some(self.next_after(start, end, after)?);
        }
        let span = TextSpan::from_counts((start.byte, end.byte), (start.char, end.char));
        Ok(Window { span, own: own.byte })
    }

    /// Where the window from `start` ends, which may reach up to `limit`.
    fn cut(&self, start: Place, least: Place, limit: Place) -> Result<Place, R::Error> {
        if limit.byte >= self.text.len() || limit <= least {
            return Ok(limit.max(least));
        }
        let tolerance = tolerance((self.size, self.overlap));
        let earliest = self.ruler.backward(self.text, start, limit, tolerance)?.max(least).byte;
        let whole = self.whole_blocks(least, earliest, limit)?;
        let reach = Reach { start: start.byte, earliest, limit: limit.byte };
        let best = |whole: &[Block]| boundary::best_cut(self.text, reach, &self.blocks, whole);
        let mut at = match block::around(&whole, limit.byte) {
            Some(block) => block.start,
            None => best(&whole)
                .or_else(|| best(&[]))
                .unwrap_or_else(|| grapheme::floor(self.text, start.byte, limit.byte).max(least.byte)),
        };
        if let Some(heading) = block::around(&self.blocks, at) {
            // The start of a block may be the end of a heading, which stays with what it heads: but a long row of
            // headings is cut, and the window stays longer than its overlap.
            let earliest = at.saturating_sub(limit.byte - earliest);
            let earliest = earliest.max(self.ruler.forward(self.text, start, self.overlap)?.max(least).byte);
            let mut found = Some(heading);
            while let Some(heading) = found.filter(|b| b.kind == Kind::Heading && b.start >= earliest) {
                at = heading.start;
                found = block::around(&self.blocks, at);
            }
        }
        Ok(limit.at(self.text, at))
    }

    /// The blocks from `least` on that reach into the tolerance and fit in a window.
    fn whole_blocks(&self, least: Place, earliest: usize, limit: Place) -> Result<Vec<Block>, R::Error> {
        let mut whole = Vec::new();
        let mut near = least;
        for block in block::within(&self.blocks, least.byte.saturating_sub(1), limit.byte) {
            if block.end >= earliest {
                // Counted on from block to block, since a large window may reach many.
                near = near.at(self.text, block.start);
                if self.is_whole(near, *block)? {
                    whole.push(*block);
                }
            }
        }
        Ok(whole)
    }

    /// True when `block` fits in one window; `near` is any place, the nearer the cheaper.
    fn is_whole(&self, near: Place, block: Block) -> Result<bool, R::Error> {
        let start = near.at(self.text, block.start);
        self.ruler.fits(self.text, start, start.at(self.text, block.end), self.size)
    }

    /// The window after the one from `start` to `end`, whose own text starts at `own`.
    ///
    /// It starts `overlap` before `end`, moved back to the start of a word, but late enough to hold the first cluster
    /// or block of its own, and after `start`: so every window advances at both ends.
    fn next_after(&self, start: Place, end: Place, own: Place) -> Result<Next, R::Error> {
        let text = self.text;
        let cluster = own.at(text, grapheme::next(text, own.byte, own.byte));
        let least = match block::at(&self.blocks, own.byte) {
            Some(block) if self.is_whole(own, block)? => {
                own.at(text, grapheme::ceil(text, own.byte, block.end)).max(cluster)
            }
            _ => cluster,
        };
        if self.overlap == 0 {
            return Ok(Next { start: own, own, least });
        }
        let low = self.ruler.backward(text, start, least, self.size)?.byte;
        let low = low.max(grapheme::next(text, start.byte, start.byte));
        let low = grapheme::ceil(text, start.byte, low.min(own.byte));
        let mut wanted = self.ruler.backward(text, start, end, self.overlap)?.byte;
        if wanted <= start.byte {
            // A window no longer than the overlap, before a long run of white space, is not repeated: any phrase
            // across the run starts this late.
            wanted = self.ruler.backward(text, start, cluster, self.overlap)?.byte;
        }
        let wanted = wanted.clamp(low, own.byte);
        let slack = end.byte.saturating_sub(wanted).max(LONGEST_WORD);
        let start = own.at(text, boundary::word_start(text, low, wanted, slack));
        Ok(Next { start: grapheme::skip_space(text, start), own, least })
    }
}

impl<R: Ruler> Iterator for Cutter<'_, R> {
    type Item = Result<Window, R::Error>;

    fn next(&mut self) -> Option<Self::Item> {
        // An error ends the windows: what follows a stretch of unknown size is unknown.
        let next = self.next.take()?;
        Some(self.window(next))
    }
}
