use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use sha1::Sha1;
use sha2::{Digest, Sha256};
use ureq::Agent;

use super::connection;
use super::listing::{Hash, Listed};
use crate::Error;
use crate::store::DownloadError;

/// Bytes asked for in one request: small enough that a request ends in time on a slow line.
const PIECE: u64 = 8 << 20;
/// Attempts in a row that bring nothing before the connection counts as failed.
const ATTEMPTS: u32 = 4;
/// Wait before a further attempt; twice as long each time.
const WAIT: Duration = Duration::from_millis(125);

/// One file on its way.
pub(super) struct Fetch<'f> {
    pub(super) agent: &'f Agent,
    pub(super) url: String,
    pub(super) file: &'f Listed,
    /// Told the bytes of this file that are here.
    pub(super) progress: &'f dyn Fn(u64),
    pub(super) stop: &'f dyn Fn() -> bool,
}

impl Fetch<'_> {
    /// Reads the file into `path`, from where an earlier attempt stopped. It stands there only when it is whole.
    pub(super) fn into_file(self, path: &Path) -> Result<(), Error> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(Error::file("create", folder))?;
        }
        // Checked again: an interrupted install may be of another revision.
        if length(path) == Some(self.file.size) && self.hash_of(path)? == self.listed() {
            (self.progress)(self.file.size);
            return Ok(());
        }
        let part = path.with_added_extension("part");
        let mut here = length(&part).filter(|&length| length <= self.file.size).unwrap_or(0);
        let mut in_vain = 0;
        while here < self.file.size {
            if (self.stop)() {
                return Err(Error::Stopped);
            }
            let before = here;
            match self.piece(&part, &mut here) {
                Err(Error::Download(error)) if error.is_retryable() => {
                    in_vain = if here > before { 0 } else { in_vain + 1 };
                    if in_vain >= ATTEMPTS {
                        return Err(error.into());
                    }
                    std::thread::sleep(WAIT * 2_u32.pow(in_vain));
                }
                result => result?,
            }
        }
        self.check(&part)?;
        std::fs::rename(&part, path).map_err(Error::file("write", path))
    }

    /// Reads the next piece to the end of `part`. `here` counts what is in it, also when the piece was cut.
    fn piece(&self, part: &Path, here: &mut u64) -> Result<(), Error> {
        let last = (*here + PIECE).min(self.file.size) - 1;
        let request = self.agent.get(&self.url).header("Range", format!("bytes={here}-{last}"));
        let response = request.header("Accept-Encoding", "identity").call().map_err(connection(&self.url))?;
        match response.status().as_u16() {
            206 => {}
            // A server that knows no ranges sends all of it.
            200 => *here = 0,
            status => return Err(DownloadError::Status { url: self.url.clone(), status }.into()),
        }
        let mut file = open_at(part, *here).map_err(Error::file("write", part))?;
        let mut body = response.into_body().into_reader().take(self.file.size - *here);
        let mut buffer = vec![0; 1 << 16];
        loop {
            let cut = |source: io::Error| DownloadError::Connection { url: self.url.clone(), source };
            let read = body.read(&mut buffer).map_err(cut)?;
            let Some(bytes @ [_, ..]) = buffer.get(..read) else { break };
            file.write_all(bytes).map_err(Error::file("write", part))?;
            *here += bytes.len() as u64;
            (self.progress)(*here);
            if (self.stop)() {
                return Err(Error::Stopped);
            }
        }
        file.sync_data().map_err(Error::file("write", part))?;
        if *here <= last && body.limit() > 0 {
            let source = io::Error::from(io::ErrorKind::UnexpectedEof);
            return Err(DownloadError::Connection { url: self.url.clone(), source }.into());
        }
        Ok(())
    }

    /// Compares the hash of all that came with the listed one, and throws away what differs.
    fn check(&self, part: &Path) -> Result<(), Error> {
        let got = self.hash_of(part)?;
        if got == self.listed() {
            return Ok(());
        }
        std::fs::remove_file(part).map_err(Error::file("remove", part))?;
        let listed = self.listed().to_owned();
        Err(DownloadError::Damaged { file: self.file.path.clone(), listed, got }.into())
    }

    fn listed(&self) -> &str {
        match &self.file.hash {
            Hash::Sha256(hash) | Hash::GitBlob(hash) => hash,
        }
    }

    fn hash_of(&self, path: &Path) -> Result<String, Error> {
        let hash = match self.file.hash {
            Hash::Sha256(_) => hash(Sha256::new(), path),
            Hash::GitBlob(_) => hash(Sha1::new().chain_update(format!("blob {}\0", self.file.size)), path),
        };
        hash.map_err(Error::file("read", path))
    }
}

fn length(path: &Path) -> Option<u64> {
    std::fs::metadata(path).ok().map(|metadata| metadata.len())
}

/// A file to write on after its first `length` bytes.
fn open_at(path: &Path, length: u64) -> io::Result<File> {
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    file.set_len(length)?;
    Ok(file)
}

fn hash<D: Digest>(mut state: D, path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = file.read(&mut buffer)?;
        match buffer.get(..read) {
            None | Some([]) => break,
            Some(bytes) => state.update(bytes),
        }
    }
    let digit = |nibble: u8| char::from_digit(nibble.into(), 16).unwrap_or_default();
    Ok(state.finalize().iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect())
}
