//! The `.tusab` files of the Python app: zip archives with `neural/`, `agent_index/` and a manifest.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use zip::ZipArchive;

use super::report::{LegacyFate, LegacyReport};
use crate::{Error, PortableFault};

/// Longest name of a file or folder, in bytes, and how much of a longer one's end is kept.
const LONGEST_NAME: usize = 240;
const NAME_END: usize = 40;

/// What a file may unpack to is this, and as many times its own size.
const SMALL: u64 = 64 << 20;
const TIMES: u64 = 200;
const LARGEST: u64 = 64 << 30;

/// Largest manifest, in bytes.
const LARGEST_MANIFEST: u64 = 1 << 20;

const BLOCK: usize = 256 << 10;

#[derive(Deserialize)]
struct Manifest {
    format: String,
    #[serde(default = "first")]
    version: u32,
    #[serde(default)]
    projeto: Option<String>,
}

fn first() -> u32 {
    1
}

/// Unpacks the sources of an archive; gives the name of its project. One that is made to do harm is refused whole.
pub(super) fn unpack(
    path: &Path,
    to: &Path,
    report: &mut LegacyReport,
    stop: &dyn Fn() -> bool,
) -> Result<String, Error> {
    let fail = |source| Error::Portable { path: path.to_owned(), source };
    let file = File::open(path).map_err(Error::io("read", path))?;
    let size = file.metadata().map_err(Error::io("read", path))?.len();
    let mut zip = ZipArchive::new(BufReader::new(file))
        .map_err(|error| fail(PortableFault::NotAnArchive { reason: error.to_string() }))?;
    let manifest = read_manifest(&mut zip).map_err(fail)?;
    match manifest.format.as_str() {
        "tusab-base" if manifest.version > 1 => {
            return Err(Error::Newer { path: path.to_owned(), version: manifest.version });
        }
        "tusab-base" => {}
        "tusab-project" => return Err(fail(PortableFault::OfThisEngine)),
        _ => return Err(fail(PortableFault::NotAProject)),
    }
    let limit = LARGEST.min(size.saturating_mul(TIMES).saturating_add(SMALL));
    let mut left = limit;
    let mut block = vec![0; BLOCK];
    for number in 0..zip.len() {
        if stop() {
            return Err(Error::Cancelled);
        }
        let name = entry_name(&zip, number).map_err(fail)?;
        if name == "manifest.json" || name.ends_with('/') {
            continue;
        }
        let damaged = |reason: String| fail(PortableFault::Damaged { entry: name.clone(), reason });
        let place = place_of(&name).map_err(|reason| {
            fail(PortableFault::Refused { entry: name.clone(), reason: reason.to_owned() })
        })?;
        if !name.starts_with("neural/") {
            report.add(Path::new(&name), LegacyFate::LeftOut, "an index, which is made again from the texts");
            continue;
        }
        let mut entry = zip.by_index(number).map_err(|error| damaged(error.to_string()))?;
        if entry.is_symlink() || entry.encrypted() {
            let reason = "it is a link, or encrypted".to_owned();
            return Err(fail(PortableFault::Refused { entry: name, reason }));
        }
        let target = to.join(&place);
        let folder = target.parent().unwrap_or(to);
        fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
        let mut out = match File::create_new(&target) {
            Ok(out) => out,
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                report.add(&place, LegacyFate::Refused, "another file has this name");
                continue;
            }
            Err(error) => return Err(Error::io("write", &target)(error)),
        };
        loop {
            let read = entry.read(&mut block).map_err(|error| damaged(error.to_string()))?;
            let Some(bytes) = block.get(..read).filter(|bytes| !bytes.is_empty()) else { break };
            left = left
                .checked_sub(read as u64)
                .ok_or_else(|| fail(PortableFault::TooLarge { bytes: limit.saturating_add(1), limit }))?;
            out.write_all(bytes).map_err(Error::io("write", &target))?;
        }
    }
    let own = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(manifest.projeto.filter(|name| !name.trim().is_empty()).unwrap_or(own))
}

fn read_manifest(zip: &mut ZipArchive<BufReader<File>>) -> Result<Manifest, PortableFault> {
    let damaged = |reason: String| PortableFault::Damaged { entry: "manifest.json".to_owned(), reason };
    let entry = zip.by_name("manifest.json").map_err(|_| PortableFault::NotAProject)?;
    let mut bytes = Vec::new();
    entry.take(LARGEST_MANIFEST).read_to_end(&mut bytes).map_err(|error| damaged(error.to_string()))?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()))
}

fn entry_name(zip: &ZipArchive<BufReader<File>>, number: usize) -> Result<String, PortableFault> {
    match zip.name_for_index(number) {
        Some(Ok(name)) => Ok(name.into_owned()),
        _ => Err(PortableFault::NotAnArchive { reason: "a name in it cannot be read".to_owned() }),
    }
}

/// Where an entry is unpacked to. The old app's names can be such as some systems refuse: these are changed; a path that
/// leads elsewhere is refused.
fn place_of(name: &str) -> Result<PathBuf, &'static str> {
    if name.contains(['\\', '\0']) || name.starts_with('/') || name.len() > 1024 {
        return Err("its path leads out of its folder");
    }
    let mut place = PathBuf::new();
    for part in name.split('/') {
        if matches!(part, "" | "." | "..") || part.chars().nth(1) == Some(':') {
            return Err("its path leads out of its folder");
        }
        let safe: String =
            part.chars().map(|c| if c.is_control() || "<>:\"|?*".contains(c) { '_' } else { c }).collect();
        place.push(&*shortened(safe.trim_end_matches(['.', ' '])));
    }
    Ok(place)
}

/// A name that every system can hold: Windows counts characters, where others count bytes. Its end says what it is.
fn shortened(name: &str) -> Cow<'_, str> {
    if name.len() <= LONGEST_NAME {
        return Cow::Borrowed(name);
    }
    let start = name.floor_char_boundary(LONGEST_NAME - NAME_END - 1);
    let end = name.ceil_char_boundary(name.len() - NAME_END);
    let parts = (name.get(..start), name.get(end..));
    Cow::Owned(format!("{}~{}", parts.0.unwrap_or_default(), parts.1.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_names_are_made_safe_and_paths_elsewhere_refused() {
        assert_eq!(place_of("neural/Canal./a?.txt"), Ok(PathBuf::from("neural/Canal/a_.txt")));
        // A channel as Windows can hold it, and as others cannot.
        let long = format!("neural/youtube/x/{}_Parte_12.txt", "あ".repeat(100));
        let place = place_of(&long).unwrap();
        let name = place.file_name().unwrap().to_str().unwrap();
        assert!(name.len() <= 240 && name.starts_with('あ') && name.ends_with("_Parte_12.txt"), "{name}");
        for bad in ["../x", "/x", "a/../b", "C:/x", "a\\..\\b", "a//b", "a/./b"] {
            assert!(place_of(bad).is_err(), "{bad}");
        }
    }
}
