/// Cuts a byte stream into the lines of newline-delimited JSON, however the bytes were cut on their way.
///
/// A line ends at `\n`; a `\r` before it and blank lines are dropped. Only whole lines are given, so no
/// character is ever split. Each byte is looked at once for the end of its line.
#[derive(Debug)]
pub(crate) struct Ndjson {
    buffer: Vec<u8>,
    /// Where the first line not yet given starts.
    start: usize,
    /// Up to where the buffer is known to hold no line end.
    scanned: usize,
    limit: usize,
}

/// A line is longer than the limit; what came before it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineTooLong {
    /// The limit, in bytes.
    pub(crate) limit: usize,
}

impl Ndjson {
    /// Lines of at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { buffer: Vec::new(), start: 0, scanned: 0, limit }
    }

    /// Takes the next bytes; their lines are then had from [`next_line`](Self::next_line).
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        // Only the line that is still open moves, and it moves once for each push.
        self.buffer.drain(..self.start);
        self.scanned -= self.start;
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole line, `None` if more bytes are needed for one.
    pub(crate) fn next_line(&mut self) -> Result<Option<&[u8]>, LineTooLong> {
        loop {
            let unseen = self.buffer.get(self.scanned..).unwrap_or_default();
            let Some(length) = memchr::memchr(b'\n', unseen) else {
                self.scanned = self.buffer.len();
                self.check(self.scanned)?;
                return Ok(None);
            };
            let (start, end) = (self.start, self.scanned + length);
            self.check(end)?;
            self.start = end + 1;
            self.scanned = self.start;
            if !blank(self.buffer.get(start..end).unwrap_or_default()) {
                return Ok(self.buffer.get(start..end).map(<[u8]>::trim_ascii));
            }
        }
    }

    /// The last line, if the stream ended without a line end after it.
    pub(crate) fn finish(&mut self) -> Option<&[u8]> {
        let start = std::mem::replace(&mut self.start, self.buffer.len());
        self.scanned = self.start;
        self.buffer.get(start..).map(<[u8]>::trim_ascii).filter(|line| !line.is_empty())
    }

    fn check(&self, end: usize) -> Result<(), LineTooLong> {
        if end - self.start > self.limit { Err(LineTooLong { limit: self.limit }) } else { Ok(()) }
    }
}

fn blank(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LIMIT: usize = 12;

    /// All lines of the pieces, and whether a too long one ended them.
    fn lines(pieces: &[&[u8]]) -> (Vec<Vec<u8>>, bool) {
        let mut framer = Ndjson::new(LIMIT);
        let mut lines = Vec::new();
        for piece in pieces {
            framer.push(piece);
            loop {
                match framer.next_line() {
                    Ok(Some(line)) => lines.push(line.to_vec()),
                    Ok(None) => break,
                    Err(_) => return (lines, true),
                }
            }
        }
        lines.extend(framer.finish().map(<[u8]>::to_vec));
        (lines, false)
    }

    #[test]
    fn lines_end_at_newlines_and_blank_ones_are_dropped() {
        let (found, too_long) = lines(&[b"\n{\"a\":1}\r\n \r\n\n{\"b\"", b":\"\xc3", b"\xa9\"}\n{}"]);
        assert_eq!(found, [&b"{\"a\":1}"[..], "{\"b\":\"é\"}".as_bytes(), b"{}"]);
        assert!(!too_long);
        assert_eq!(lines(&[]).0, Vec::<Vec<u8>>::new());
        assert_eq!(lines(&[b"\r\n", b"  "]).0, Vec::<Vec<u8>>::new());
    }

    #[test]
    fn a_line_may_be_as_long_as_the_limit_and_no_longer() {
        let longest = [b'x'; LIMIT];
        assert_eq!(lines(&[&longest, b"\n"]), (vec![longest.to_vec()], false));
        assert_eq!(lines(&[b"ok\n", &longest, b"x"]), (vec![b"ok".to_vec()], true));
        assert_eq!(lines(&[b"ok\n", &longest, b"x\nmore\n"]), (vec![b"ok".to_vec()], true));
    }

    #[test]
    fn a_line_without_end_costs_no_more_than_the_limit() {
        let mut framer = Ndjson::new(LIMIT);
        for _ in 0..LIMIT {
            framer.push(b"x");
            assert_eq!(framer.next_line(), Ok(None));
        }
        framer.push(b"x");
        assert_eq!(framer.next_line(), Err(LineTooLong { limit: LIMIT }));
    }

    #[test]
    fn given_lines_are_let_go() {
        let mut framer = Ndjson::new(LIMIT);
        for _ in 0..1000 {
            framer.push(b"{\"a\":1}\n{\"b\"");
            while framer.next_line().unwrap().is_some() {}
            framer.push(b":2}\n");
            while framer.next_line().unwrap().is_some() {}
            assert!(framer.buffer.len() < 32, "{}", framer.buffer.len());
        }
    }

    proptest! {
        /// The same lines whether the bytes come at once, one by one, or cut anywhere.
        #[test]
        fn any_split_gives_the_same_lines(
            text in r"(\{[a-zé🙂 ]{0,6}\}|\r?\n| |[a-z]{0,14}){0,12}",
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let bytes = text.as_bytes();
            let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            places.extend([0, bytes.len()]);
            places.sort_unstable();
            let pieces: Vec<&[u8]> = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            let whole = lines(&[bytes]);
            prop_assert_eq!(&lines(&pieces), &whole);
            prop_assert_eq!(&lines(&single), &whole);

            // And they are those that the standard library finds.
            let expected: Vec<Vec<u8>> = text.split('\n').take_while(|line| line.len() <= LIMIT)
                .map(|line| line.trim().as_bytes().to_vec()).filter(|line| !line.is_empty()).collect();
            prop_assert_eq!(whole.0, expected);
        }
    }
}
