//! What holds for every cut of every stream: the same frames, and those that a plain reading finds.

#[path = "../../crates/tusab-llm/src/ndjson.rs"]
#[allow(dead_code, reason = "it is tried here by itself")]
mod ndjson;
#[path = "../../crates/tusab-llm/src/sse.rs"]
#[allow(dead_code, reason = "it is tried here by itself")]
mod sse;

use ndjson::Ndjson;
use sse::Sse;

/// Short, so that the fuzzer gets there.
const LIMIT: usize = 256;

type Frames = (Vec<(Vec<u8>, Vec<u8>)>, bool);

/// `bytes` in pieces of the lengths `cuts`, and the rest.
pub fn pieces<'a>(bytes: &'a [u8], cuts: &[u8]) -> Vec<&'a [u8]> {
    let mut rest = bytes;
    let mut pieces = Vec::new();
    for cut in cuts {
        let (piece, after) = rest.split_at(usize::from(*cut).min(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    pieces
}

fn events(pieces: &[&[u8]]) -> Frames {
    let (mut sse, mut found) = (Sse::new(LIMIT), Vec::new());
    for piece in pieces {
        sse.push(piece);
        loop {
            match sse.next_event() {
                Ok(Some(event)) => found.push((event.name.to_vec(), event.data.to_vec())),
                Ok(None) => break,
                Err(_) => return (found, true),
            }
        }
    }
    found.extend(sse.finish().map(|event| (event.name.to_vec(), event.data.to_vec())));
    (found, false)
}

/// The events of a whole stream, read line by line.
fn plain_events(bytes: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let (mut found, mut name, mut data): (Vec<_>, Vec<u8>, Option<Vec<u8>>) = (Vec::new(), Vec::new(), None);
    let mut end = |name: &mut Vec<u8>, data: &mut Option<Vec<u8>>| {
        let (name, data) = (std::mem::take(name), data.take().unwrap_or_default());
        if !data.is_empty() {
            found.push((name, data));
        }
    };
    let mut rest = bytes;
    while !rest.is_empty() {
        let length = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(rest.len());
        let (line, after) = rest.split_at(length);
        rest = match after {
            [b'\r', b'\n', after @ ..] | [b'\r' | b'\n', after @ ..] => after,
            after => after,
        };
        if line.is_empty() {
            end(&mut name, &mut data);
            continue;
        }
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let value = line.get(colon + 1..).unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match &line[..colon] {
            b"data" => match &mut data {
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
                None => data = Some(value.to_vec()),
            },
            b"event" => name = value.to_vec(),
            _ => {}
        }
    }
    end(&mut name, &mut data);
    found
}

/// Any cut gives the same events, and they are those that a plain reading finds.
pub fn check_events(bytes: &[u8], cuts: &[u8]) {
    let whole = events(&[bytes]);
    assert_eq!(events(&pieces(bytes, cuts)), whole);
    assert_eq!(events(&bytes.chunks(1).collect::<Vec<_>>()), whole);
    let plain = plain_events(bytes);
    if whole.1 {
        assert!(plain.starts_with(&whole.0));
    } else {
        assert_eq!(plain, whole.0);
    }
}

fn lines(pieces: &[&[u8]]) -> (Vec<Vec<u8>>, bool) {
    let (mut framer, mut found) = (Ndjson::new(LIMIT), Vec::new());
    for piece in pieces {
        framer.push(piece);
        loop {
            match framer.next_line() {
                Ok(Some(line)) => found.push(line.to_vec()),
                Ok(None) => break,
                Err(_) => return (found, true),
            }
        }
    }
    found.extend(framer.finish().map(<[u8]>::to_vec));
    (found, false)
}

/// Any cut gives the same lines, and they are those that the standard library finds.
pub fn check_lines(bytes: &[u8], cuts: &[u8]) {
    let whole = lines(&[bytes]);
    assert_eq!(lines(&pieces(bytes, cuts)), whole);
    assert_eq!(lines(&bytes.chunks(1).collect::<Vec<_>>()), whole);
    let plain: Vec<_> =
        bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()).collect();
    if whole.1 {
        assert!(whole.0.iter().zip(&plain).all(|(line, plain)| line == plain));
    } else {
        assert_eq!(whole.0, plain);
    }
}
