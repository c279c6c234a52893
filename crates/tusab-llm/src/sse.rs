/// Cuts a byte stream into server-sent events, however the bytes were cut on their way.
///
/// It follows the standard (WHATWG HTML, section 9.2, "Server-sent events"): lines end at `\n`, `\r\n` or `\r`; an event
/// ends at a blank line; several `data` lines are joined by `\n`; comments, `id` and `retry` are passed over, and so is
/// an event without data. It departs from it once: an event that the end of the stream cuts off from its blank line is
/// given, since servers leave that line out. Each byte is looked at once for the end of its line.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is one fact about where in the stream it is")]
pub(crate) struct Sse {
    buffer: Vec<u8>,
    /// Where the first line not yet read starts.
    start: usize,
    /// Up to where the buffer is known to hold no line end.
    scanned: usize,
    /// The last line ended at `\r`: a `\n` that follows belongs to it.
    after_cr: bool,
    /// No line was read yet: a byte order mark may stand before it.
    first: bool,
    name: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    /// The event was given, and its parts are to be forgotten.
    given: bool,
    limit: usize,
}

/// One event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Event<'a> {
    /// Its `event` field; empty if it has none.
    pub(crate) name: &'a [u8],
    /// Its `data` fields; never empty.
    pub(crate) data: &'a [u8],
}

/// An event is longer than the limit; what came before it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EventTooLong {
    /// The limit, in bytes.
    pub(crate) limit: usize,
}

impl Sse {
    /// Events of at most `limit` bytes of data.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            after_cr: false,
            first: true,
            name: Vec::new(),
            data: Vec::new(),
            has_data: false,
            given: false,
            limit,
        }
    }

    /// Takes the next bytes; their events are then had from [`next_event`](Self::next_event).
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        // Only the line that is still open moves, and it moves once for each push.
        self.buffer.drain(..self.start);
        self.scanned -= self.start;
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole event, `None` if more bytes are needed for one.
    ///
    /// # Errors
    /// [`EventTooLong`]; the stream cannot be read further.
    pub(crate) fn next_event(&mut self) -> Result<Option<Event<'_>>, EventTooLong> {
        self.forget_given();
        while let Some((start, end)) = self.next_line() {
            if end - start > self.limit || self.data.len() > self.limit {
                return Err(EventTooLong { limit: self.limit });
            }
            if start < end {
                self.read_line(start, end);
                continue;
            }
            self.first = false;
            if self.event_is_whole() {
                return Ok(Some(self.event()));
            }
        }
        if self.buffer.len() - self.start > self.limit || self.data.len() > self.limit {
            return Err(EventTooLong { limit: self.limit });
        }
        Ok(None)
    }

    /// The last event, if the stream ended without the blank line after it.
    pub(crate) fn finish(&mut self) -> Option<Event<'_>> {
        self.forget_given();
        let (start, end) = (self.start, self.buffer.len());
        (self.start, self.scanned) = (end, end);
        if start < end {
            self.read_line(start, end);
        }
        self.event_is_whole().then(|| self.event())
    }

    fn next_line(&mut self) -> Option<(usize, usize)> {
        if self.after_cr && self.scanned == self.start {
            match self.buffer.get(self.start) {
                None => return None,
                Some(b'\n') => (self.start, self.scanned) = (self.start + 1, self.scanned + 1),
                Some(_) => {}
            }
            self.after_cr = false;
        }
        let unseen = self.buffer.get(self.scanned..).unwrap_or_default();
        let Some(length) = memchr::memchr2(b'\n', b'\r', unseen) else {
            self.scanned = self.buffer.len();
            return None;
        };
        let (start, end) = (self.start, self.scanned + length);
        self.after_cr = self.buffer.get(end) == Some(&b'\r');
        (self.start, self.scanned) = (end + 1, end + 1);
        Some((start, end))
    }

    fn read_line(&mut self, start: usize, end: usize) {
        let mut line = self.buffer.get(start..end).unwrap_or_default();
        if std::mem::take(&mut self.first) {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        let (field, value) = match memchr::memchr(b':', line) {
            Some(colon) => line.split_at(colon),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
            }
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(value);
            }
            // A comment, or a field that tells how to connect again, which is not done here.
            _ => {}
        }
    }

    fn event_is_whole(&mut self) -> bool {
        self.given = true;
        if self.data.is_empty() {
            self.forget_given();
        }
        self.has_data
    }

    fn event(&self) -> Event<'_> {
        Event { name: &self.name, data: &self.data }
    }

    fn forget_given(&mut self) {
        if std::mem::take(&mut self.given) {
            self.name.clear();
            self.data.clear();
            self.has_data = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LIMIT: usize = 64;

    type Found = (Vec<(String, String)>, bool);

    /// All events of the pieces, and whether a too long one ended them.
    fn events(pieces: &[&[u8]]) -> Found {
        let mut sse = Sse::new(LIMIT);
        let mut found = Vec::new();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        for piece in pieces {
            sse.push(piece);
            loop {
                match sse.next_event() {
                    Ok(Some(event)) => found.push((text(event.name), text(event.data))),
                    Ok(None) => break,
                    Err(_) => return (found, true),
                }
            }
        }
        found.extend(sse.finish().map(|event| (text(event.name), text(event.data))));
        (found, false)
    }

    fn whole(text: &str) -> Vec<(String, String)> {
        let (found, too_long) = events(&[text.as_bytes()]);
        assert!(!too_long);
        found
    }

    fn data(found: &[(String, String)]) -> Vec<&str> {
        found.iter().map(|(_, data)| data.as_str()).collect()
    }

    #[test]
    fn the_examples_of_the_standard_are_read_as_it_says() {
        assert_eq!(data(&whole("data: YHOO\ndata: +2\ndata: 10\n\n")), ["YHOO\n+2\n10"]);
        assert_eq!(
            whole(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event"),
            [
                (String::new(), "first event".to_owned()),
                (String::new(), "second event".to_owned()),
                (String::new(), " third event".to_owned()),
            ]
        );
        // An event whose data are empty says nothing, a lone second `data` line is a line feed.
        assert_eq!(data(&whole("data\n\ndata\ndata\n\ndata:")), ["\n"]);
    }

    #[test]
    fn every_line_end_ends_a_line() {
        for end in ["\n", "\r\n", "\r"] {
            let text = ["event: a", "data: 1", "", "data: 2", "", ""].join(end);
            let expected = [("a".to_owned(), "1".to_owned()), (String::new(), "2".to_owned())];
            assert_eq!(whole(&text), expected, "{end:?}");
        }
        assert_eq!(data(&whole("data: 1\r\r\ndata: 2\n\r\n")), ["1", "2"]);
    }

    #[test]
    fn comments_pings_and_unknown_fields_are_passed_over() {
        let text = "\u{feff}data: 1\n\n: OPENROUTER PROCESSING\n\n:\n\nevent: ping\n\nretry: 5\nfoo: bar\ndata: 2\n\n";
        assert_eq!(whole(text), [(String::new(), "1".to_owned()), (String::new(), "2".to_owned())]);
    }

    #[test]
    fn a_byte_order_mark_is_one_at_the_very_start_only() {
        assert_eq!(data(&whole("\u{feff}data: 1\n\n\u{feff}data: 2\n\ndata: 3\n\n")), ["1", "3"]);
        assert_eq!(data(&whole("\n\u{feff}data: 1\n\ndata: 2\n\n")), ["2"]);
    }

    #[test]
    fn a_long_event_is_refused_at_its_bound() {
        let longest = "x".repeat(LIMIT - 6);
        assert_eq!(events(&[format!("data: {longest}\n\n").as_bytes()]).0.len(), 1);
        assert!(events(&[format!("data: 1\n\ndata: {longest}x").as_bytes()]).1);
        // Many short lines are one long event, too.
        let lines = "data: xxxxxxxxxx\n".repeat(8);
        assert_eq!(
            events(&[b"data: 1\n\n", lines.as_bytes()]),
            (vec![(String::new(), "1".to_owned())], true)
        );
    }

    #[test]
    fn a_bound_is_the_same_wherever_the_event_is_cut() {
        let line = |length: usize| format!("data: {}\n", "x".repeat(length));
        let refused =
            |pieces: &[&str]| events(&pieces.iter().map(|piece| piece.as_bytes()).collect::<Vec<_>>()).1;
        // A line counts whole, with the name of its field; of several lines their data count, and what joins them.
        let longest = LIMIT - "data: ".len();
        let (half, fits, beyond) = (line(LIMIT / 2), line(LIMIT / 2 - 1), line(LIMIT / 2));
        for end in ["", "\n"] {
            for cut in ["", "\n"] {
                let whole = |lines: &str| lines.to_owned() + end;
                assert!(!refused(&[&whole(&line(longest)), cut]));
                assert!(refused(&[&whole(&line(longest + 1)), cut]));
                assert!(!refused(&[&whole(&format!("{half}{fits}")), cut]));
                assert!(refused(&[&whole(&format!("{half}{beyond}")), cut]));
                assert!(refused(&[&whole(&format!("{half}{half}{half}")), cut]));
            }
        }
        let open = line(longest);
        let open = open.trim_end();
        assert!(!refused(&[open]) && !refused(&[open, "\n", "\n"]));
        assert!(refused(&[open, "x"]) && refused(&[open, "x\n"]));
    }

    #[test]
    fn given_events_are_let_go() {
        let mut sse = Sse::new(LIMIT);
        for _ in 0..1000 {
            sse.push(b"data: {\"a\":1}\n\ndata: {\"b\"");
            while sse.next_event().unwrap().is_some() {}
            sse.push(b":2}\n\n");
            while sse.next_event().unwrap().is_some() {}
            assert!(sse.buffer.len() < 64 && sse.data.len() < 64);
        }
    }

    proptest! {
        /// The same events whether the bytes come at once, one by one, or cut anywhere.
        #[test]
        fn any_split_gives_the_same_events(
            text in r"(data: ?[a-zé🙂]{0,6}|event: [a-z]{1,3}|:[a-z]{0,3}|\r|\n|\r\n|\n\n|id: 1){0,14}",
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let bytes = text.as_bytes();
            let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            places.extend([0, bytes.len()]);
            places.sort_unstable();
            let pieces: Vec<&[u8]> = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            let whole = events(&[bytes]);
            prop_assert_eq!(&events(&pieces), &whole);
            prop_assert_eq!(&events(&single), &whole);
        }

        #[test]
        fn any_bytes_are_read_or_refused(pieces in prop::collection::vec(any::<Vec<u8>>(), 0..8)) {
            let pieces: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
            for (_, data) in events(&pieces).0 {
                prop_assert!(!data.is_empty());
            }
        }
    }
}
