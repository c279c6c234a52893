//! What yt-dlp leaves on disk: names of files, and what it knows of a video.

mod info;
mod name;
mod video_id;

pub use info::{AutomaticTrack, VideoInfo, parse_video_info};
pub use name::CaptionFileName;
pub use video_id::VideoId;
