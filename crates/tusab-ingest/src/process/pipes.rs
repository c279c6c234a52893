use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// The two streams of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stream {
    Out,
    Err,
}

/// One read, or the end of a stream.
enum Piece {
    Bytes(Stream, Vec<u8>),
    End,
}

/// Reads both streams of a program at once: all of one up to a limit, the end of the other.
pub(super) struct Pipes {
    pieces: Receiver<Piece>,
    open: usize,
    limit: usize,
    tail: usize,
    stdout: Vec<u8>,
    stderr: VecDeque<u8>,
}

/// What is left to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// The program still holds a stream open.
    Open,
    /// Both streams are at their end.
    Done,
    /// The program has written more than it may.
    TooMuch,
}

impl Pipes {
    pub(super) fn new(
        stdout: Box<dyn Read + Send>,
        stderr: Box<dyn Read + Send>,
        limit: usize,
        tail: usize,
    ) -> io::Result<Self> {
        // A bound on what is read and not yet taken: a program that floods waits, memory does not grow.
        let (send, pieces) = sync_channel(16);
        read_in_background(stdout, Stream::Out, send.clone())?;
        read_in_background(stderr, Stream::Err, send)?;
        Ok(Self { pieces, open: 2, limit, tail, stdout: Vec::new(), stderr: VecDeque::new() })
    }

    /// Takes what has been read, waiting at most `patience` for something to come.
    pub(super) fn take(&mut self, patience: Duration) -> Progress {
        if self.open == 0 {
            return Progress::Done;
        }
        match self.pieces.recv_timeout(patience) {
            Ok(Piece::Bytes(Stream::Out, bytes)) => {
                if self.stdout.len() + bytes.len() > self.limit {
                    return Progress::TooMuch;
                }
                self.stdout.extend_from_slice(&bytes);
            }
            Ok(Piece::Bytes(Stream::Err, bytes)) => {
                self.stderr.extend(bytes);
                let extra = self.stderr.len().saturating_sub(self.tail);
                self.stderr.drain(..extra);
            }
            Ok(Piece::End) => self.open -= 1,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => self.open = 0,
        }
        if self.open == 0 { Progress::Done } else { Progress::Open }
    }

    /// Standard output, and the end of standard error as text.
    pub(super) fn finish(self) -> (Vec<u8>, String) {
        let stderr: Vec<u8> = self.stderr.into();
        (self.stdout, String::from_utf8_lossy(&stderr).into_owned())
    }
}

fn read_in_background(
    mut pipe: Box<dyn Read + Send>,
    stream: Stream,
    send: SyncSender<Piece>,
) -> io::Result<()> {
    thread::Builder::new().name("program output".to_owned()).spawn(move || {
        let mut buffer = vec![0; 64 << 10];
        loop {
            let piece = match pipe.read(&mut buffer) {
                Ok(0) => Piece::End,
                Ok(read) => Piece::Bytes(stream, buffer.get(..read).unwrap_or_default().to_vec()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                // A stream that cannot be read any more is at its end.
                Err(_) => Piece::End,
            };
            let last = matches!(piece, Piece::End);
            // Nobody listens any more once the program has been given up.
            if send.send(piece).is_err() || last {
                return;
            }
        }
    })?;
    Ok(())
}
