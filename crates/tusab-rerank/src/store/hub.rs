//! Downloads from the Hugging Face hub.

mod fetch;
mod listing;

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig, TlsProvider};

use super::place::is_model;
use super::{DownloadError, DownloadProgress, KnownModel, ModelStore};
use crate::{Error, whole};
use fetch::Fetch;
use listing::listing;

/// How long to wait between looks at a lock that another process holds.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

impl ModelStore {
    /// Downloads a model, unless it is here already, and says where it is.
    ///
    /// `progress` is told what has come; `stop` is asked often, and when it says yes the call ends with
    /// [`Error::Stopped`]. What has come by then is kept, and the next call goes on from there. Each file is checked
    /// against the hash that the hub lists. Of several processes one downloads and the others wait for it.
    ///
    /// # Errors
    /// [`Error::Download`] with the reason, [`Error::Stopped`], [`Error::File`] when the disk refuses.
    pub fn install(
        &self,
        model: &KnownModel,
        progress: &dyn Fn(DownloadProgress<'_>),
        stop: &dyn Fn() -> bool,
    ) -> Result<PathBuf, Error> {
        if let Ok(found) = self.find(model) {
            return Ok(found);
        }
        let target = self.own_folder(model);
        if self.offline {
            let model = model.repository.to_owned();
            return Err(DownloadError::Offline { model, folder: target }.into());
        }
        std::fs::create_dir_all(&self.folder).map_err(Error::file("create", &self.folder))?;
        let _lock = lock(&target.with_added_extension("lock"), stop)?;
        // The process that held the lock may have done it.
        if is_model(&target) {
            return Ok(target);
        }
        let part = target.with_added_extension("part");
        std::fs::create_dir_all(&part).map_err(Error::file("create", &part))?;
        let agent = agent();
        let listed = listing(&agent, &self.endpoint, model.repository)?;
        let total = listed.files.iter().map(|file| file.size).sum();
        let mut before = 0;
        for file in &listed.files {
            let url =
                format!("{}/{}/resolve/{}/{}", self.endpoint, model.repository, listed.revision, file.path);
            let told =
                |bytes: u64| progress(DownloadProgress { file: &file.path, bytes: before + bytes, total });
            let fetch = Fetch { agent: &agent, url, file, progress: &told, stop };
            fetch.into_file(&part.join(file.local()))?;
            before += file.size;
        }
        finish(&part, &target)?;
        Ok(target)
    }

    /// Bytes that [`ModelStore::install`] would download at most; 0 when the model is here. Asks the hub.
    ///
    /// # Errors
    /// [`Error::Download`].
    pub fn download_size(&self, model: &KnownModel) -> Result<u64, Error> {
        if self.find(model).is_ok() {
            return Ok(0);
        }
        if self.offline {
            let (model, folder) = (model.repository.to_owned(), self.own_folder(model));
            return Err(DownloadError::Offline { model, folder }.into());
        }
        let listed = listing(&agent(), &self.endpoint, model.repository)?;
        Ok(listed.files.iter().map(|file| file.size).sum())
    }
}

/// The folder becomes visible under its name when all of it is there.
fn finish(part: &Path, target: &Path) -> Result<(), Error> {
    let folder = target.parent().unwrap_or(Path::new("."));
    // What stands there is no whole model: `find` would have found it.
    let cleared = match std::fs::remove_dir_all(target) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    };
    let renamed =
        cleared.and_then(|()| std::fs::rename(part, target)).and_then(|()| whole::sync_folder(folder));
    renamed.map_err(Error::file("write", target))
}

/// Waits for the lock, for as long as `stop` says no. It goes with the file, also when the process dies.
fn lock(path: &Path, stop: &dyn Fn() -> bool) -> Result<File, Error> {
    let file = File::create(path).map_err(Error::file("lock", path))?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(Error::file("lock", path)(error)),
            Err(TryLockError::WouldBlock) if stop() => return Err(Error::Stopped),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOOK_AGAIN),
        }
    }
}

/// Errors come as statuses, and no request takes forever: files are read piece by piece.
fn agent() -> Agent {
    let tls = TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build();
    let config = Agent::config_builder()
        .tls_config(tls)
        .http_status_as_error(false)
        .timeout_connect(Some(Duration::from_secs(15)))
        .timeout_global(Some(Duration::from_mins(2)))
        .user_agent(concat!("tusab/", env!("CARGO_PKG_VERSION")));
    config.build().into()
}

/// A connection's error as one of input and output.
fn connection(url: &str) -> impl FnOnce(ureq::Error) -> DownloadError {
    let url = url.to_owned();
    move |error| DownloadError::Connection { url, source: error.into_io() }
}
