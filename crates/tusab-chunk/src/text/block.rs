//! Stretches of a text that a window should keep together.

/// A stretch that a window does not split where it can avoid it; bytes of the text it was found in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// What a [`Block`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A fenced block of code with its fences.
    Fence,
    /// One row of a table.
    Row,
    /// A heading with the blank lines after it: it ends where what it heads starts.
    Heading,
}

/// Those of the sorted, disjoint `blocks` that start after `from` and not after `to`.
pub(crate) fn within(blocks: &[Block], from: usize, to: usize) -> &[Block] {
    let first = blocks.partition_point(|block| block.start <= from);
    let end = blocks.partition_point(|block| block.start <= to);
    blocks.get(first..end).unwrap_or_default()
}

/// The block that a cut at `byte` would split.
pub(crate) fn around(blocks: &[Block], byte: usize) -> Option<Block> {
    let next = blocks.partition_point(|block| block.start < byte);
    let block = *blocks.get(next.checked_sub(1)?)?;
    // A cut at the end of a heading's block would part it from what it heads.
    let inside = if block.kind == Kind::Heading { byte <= block.end } else { byte < block.end };
    inside.then_some(block)
}

/// The block that starts at `byte`.
pub(crate) fn at(blocks: &[Block], byte: usize) -> Option<Block> {
    let found = blocks.binary_search_by_key(&byte, |block| block.start).ok()?;
    blocks.get(found).copied()
}
