use std::fmt;

/// How a caller follows and stops a long operation; by default nobody follows and nothing stops it.
///
/// ```
/// use tusab_index::Control;
/// let progress = |done: usize, total: usize| println!("{done} of {total} documents");
/// let stop = || false;
/// let control = Control { progress: &progress, stop: &stop };
/// # let _ = control;
/// ```
#[derive(Clone, Copy)]
pub struct Control<'a> {
    /// Told the number of documents done and their total, after each document; of vectors where these are made again.
    pub progress: &'a dyn Fn(usize, usize),
    /// Asked between documents; true stops the operation, which then leaves nothing behind.
    pub stop: &'a dyn Fn() -> bool,
}

impl Default for Control<'_> {
    fn default() -> Self {
        Self { progress: &|_, _| {}, stop: &|| false }
    }
}

impl fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control").finish_non_exhaustive()
    }
}
