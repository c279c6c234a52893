//! A look at a file of weights before a runtime gets it: runtimes take damaged files badly, up to never coming back.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::Path;

use crate::Error;

/// The field of ONNX's `ModelProto` that holds the graph (<https://github.com/onnx/onnx/blob/main/onnx/onnx.proto>).
const GRAPH: u64 = 7;

/// Walks over the outermost fields of a file of weights.
///
/// # Errors
/// [`Error::MalformedFile`] for what is cut short, holds no graph, or is no ONNX at all.
pub(super) fn check(path: &Path) -> Result<(), Error> {
    let file = File::open(path).map_err(Error::file("read", path))?;
    let length = file.metadata().map_err(Error::file("read", path))?.len();
    let malformed = |reason: &str| Error::MalformedFile { path: path.to_owned(), reason: reason.to_owned() };
    match has_graph(&mut BufReader::new(file), length) {
        Ok(true) => Ok(()),
        Ok(false) => Err(malformed("it holds no model")),
        Err(error) if error.kind() == io::ErrorKind::Other => Err(Error::file("read", path)(error)),
        Err(_) => Err(malformed("it is cut short, or not an ONNX file")),
    }
}

fn has_graph(file: &mut (impl Read + Seek), length: u64) -> io::Result<bool> {
    let invalid = || io::Error::from(io::ErrorKind::InvalidData);
    let mut graph = false;
    while file.stream_position()? < length {
        let tag = varint(file)?;
        let skipped = match tag & 7 {
            0 => {
                varint(file)?;
                0
            }
            1 => 8,
            2 => {
                graph |= tag >> 3 == GRAPH;
                varint(file)?
            }
            5 => 4,
            _ => return Err(invalid()),
        };
        let left = length.saturating_sub(file.stream_position()?);
        if tag >> 3 == 0 || skipped > left {
            return Err(invalid());
        }
        file.seek_relative(i64::try_from(skipped).map_err(|_| invalid())?)?;
    }
    Ok(graph)
}

/// A number of protocol buffers: seven bits a byte, the lowest first.
fn varint(file: &mut impl Read) -> io::Result<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let mut byte = [0];
        file.read_exact(&mut byte)?;
        let [byte] = byte;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(io::ErrorKind::InvalidData.into())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    fn look(bytes: &[u8]) -> io::Result<bool> {
        has_graph(&mut Cursor::new(bytes), bytes.len() as u64)
    }

    #[test]
    fn the_graph_is_found_and_a_cut_is_noticed() {
        let tiny = include_bytes!("../../tests/models/tiny/model.onnx");
        assert!(look(tiny).unwrap());
        for cut in [1, 20, tiny.len() / 2, tiny.len() - 1] {
            assert!(!look(&tiny[..cut]).unwrap_or(false), "cut at {cut}");
        }
        assert!(!look(b"").unwrap());
        for bad in [
            b"no model".as_slice(),
            &[0xff; 4096],
            b"<html>404</html>",
            &[0x3a, 0xff, 0xff, 0xff, 0xff, 0x0f],
        ] {
            assert!(look(bad).is_err(), "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_looked_at_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = look(&bytes);
        }
    }
}
