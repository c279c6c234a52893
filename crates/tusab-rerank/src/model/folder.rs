use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::TextTokenizer;
use super::config::Config;
use super::onnx_file;
use crate::{Error, Missing};

/// Where models keep their weights, by what publishes them; the root first, so that a folder made by hand wins.
const WEIGHTS: [&str; 6] = [
    "model.onnx",
    "model_quantized.onnx",
    "onnx/model.onnx",
    "onnx/model_quantized.onnx",
    "onnx/model_int8.onnx",
    "onnx/model_O3.onnx",
];

/// Tokens that a model takes when its files do not say: the length of BERT and of all its kin.
const POSITIONS: usize = 512;

/// A folder with a model: weights, `tokenizer.json`, and what else its makers put in.
#[derive(Debug)]
pub(crate) struct ModelFolder {
    pub(crate) weights: PathBuf,
    pub(crate) tokenizer: TextTokenizer,
    pub(crate) config: Config,
    /// What the weights and the tokenizer say, in 32 hexadecimal digits: vectors and scores are of one model only.
    pub(crate) identity: String,
}

impl ModelFolder {
    /// Reads all but the weights, of which only the hash is taken.
    pub(crate) fn read(path: &Path, name: &str) -> Result<Self, Error> {
        let missing = |path: PathBuf| Error::Missing(Missing::Model { name: name.to_owned(), path });
        if !path.is_dir() {
            return Err(missing(path.to_owned()));
        }
        let weights = weights(path).ok_or_else(|| missing(path.join("model.onnx")))?;
        let tokenizer_path = path.join("tokenizer.json");
        if !tokenizer_path.is_file() {
            return Err(missing(tokenizer_path));
        }
        onnx_file::check(&weights)?;
        let identity = identity(&[&weights, &tokenizer_path])?;
        let tokenizer = TextTokenizer::read(&tokenizer_path)?;
        Ok(Self { weights, tokenizer, config: Config::read(path)?, identity })
    }

    /// Tokens that a text or a pair may have, its marks included.
    pub(crate) fn positions(&self) -> usize {
        self.config.positions.unwrap_or(POSITIONS)
    }
}

/// The file with the weights of the model in `folder`.
pub(crate) fn weights(folder: &Path) -> Option<PathBuf> {
    WEIGHTS.iter().map(|file| folder.join(file)).find(|path| path.is_file())
}

fn identity(files: &[&Path]) -> Result<String, Error> {
    let mut state = blake2b_simd::Params::new().hash_length(16).to_state();
    let mut buffer = vec![0; 1 << 16];
    for path in files {
        let mut file = File::open(path).map_err(Error::file("read", *path))?;
        loop {
            let read = file.read(&mut buffer).map_err(Error::file("read", *path))?;
            match buffer.get(..read) {
                None | Some([]) => break,
                Some(bytes) => state.update(bytes),
            };
        }
    }
    Ok(state.finalize().to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let missing = |wanted: &str| {
            let Err(Error::Missing(Missing::Model { path, .. })) = ModelFolder::read(folder.path(), "a")
            else {
                panic!("{wanted} was not missed")
            };
            assert_eq!(path, folder.path().join(wanted));
        };
        missing("model.onnx");
        std::fs::write(folder.path().join("model.onnx"), "weights").unwrap();
        missing("tokenizer.json");
        std::fs::write(folder.path().join("tokenizer.json"), "{}").unwrap();
        let malformed = |file: &str| {
            let Err(Error::MalformedFile { path, .. }) = ModelFolder::read(folder.path(), "a") else {
                panic!("{file} was taken")
            };
            assert_eq!(path, folder.path().join(file));
        };
        malformed("model.onnx");
        let tiny = include_bytes!("../../tests/models/tiny/model.onnx");
        std::fs::write(folder.path().join("model.onnx"), tiny).unwrap();
        malformed("tokenizer.json");
        assert!(matches!(ModelFolder::read(&folder.path().join("b"), "b"), Err(Error::Missing(_))));
    }

    #[test]
    fn the_identity_is_of_the_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "one").unwrap();
        let one = identity(&[&path]).unwrap();
        assert_eq!(one.len(), 32);
        std::fs::write(&path, "two").unwrap();
        assert_ne!(identity(&[&path]).unwrap(), one);
    }
}
