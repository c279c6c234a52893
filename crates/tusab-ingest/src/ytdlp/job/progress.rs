use std::time::Duration;

/// How far a job is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// Tabs and playlists that are yet to be listed; while there are any, more videos may come.
    pub lists_left: usize,
    /// All videos that are listed and wanted.
    pub videos: usize,
    /// Those with an outcome.
    pub done: usize,
    /// Those with captions.
    pub captions: usize,
    /// Those that are yet to be fetched.
    pub left: usize,
    /// How many an hour, of late; none before the second.
    pub per_hour: Option<f64>,
    /// How long it will take at that rate, with the rest of a stop.
    pub to_end: Option<Duration>,
}
