//! Which addresses are accepted, and what becomes of them.

use proptest::prelude::*;
use tusab_ingest::{ChannelName, ChannelTab, Error, UrlProblem, YouTubeUrl};

const UC: &str = "UCuAXFkgsw1L7xaCfnd5JJOw";

#[test]
fn accepted_addresses_have_one_form() {
    for (given, written) in [
        ("https://www.youtube.com/@canal", "/@canal"),
        ("https://youtube.com/@canal/", "/@canal"),
        ("HTTP://M.YouTube.com/@Canal-1.2_3", "/@Canal-1.2_3"),
        (" https://www.youtube.com/@canal?si=abc#x \n", "/@canal"),
        ("https://www.youtube.com/@canal/featured", "/@canal"),
        ("https://www.youtube.com/@canal/videos", "/@canal/videos"),
        ("https://www.youtube.com/@canal/shorts", "/@canal/shorts"),
        ("https://www.youtube.com/@canal/streams?view=2", "/@canal/streams"),
        ("https://www.youtube.com/@canal/podcasts", "/@canal/podcasts"),
        ("https://www.youtube.com/@canal/courses", "/@canal/courses"),
        ("https://www.youtube.com/@canal/playlists", "/@canal/playlists"),
        ("https://www.youtube.com/@jos%C3%A9", "/@jos%C3%A9"),
        ("https://www.youtube.com/%40canal", "/@canal"),
        ("https://www.youtube.com/@ação·1", "/@a%C3%A7%C3%A3o%C2%B71"),
        ("https://www.youtube.com/@हिन्दी", "/@%E0%A4%B9%E0%A4%BF%E0%A4%A8%E0%A5%8D%E0%A4%A6%E0%A5%80"),
        ("https://www.youtube.com/channel/UCuAXFkgsw1L7xaCfnd5JJOw", "/channel/UCuAXFkgsw1L7xaCfnd5JJOw"),
        ("https://www.youtube.com/c/NomeDoCanal/videos", "/c/NomeDoCanal/videos"),
        ("https://www.youtube.com/user/antigo", "/user/antigo"),
        ("https://www.youtube.com/playlist?list=PL0123456789", "/playlist?list=PL0123456789"),
        ("https://www.youtube.com/playlist?a=b&list=UUuAXFkgsw1L7xa", "/playlist?list=UUuAXFkgsw1L7xa"),
        ("https://www.youtube.com/watch?list=PL0123456789", "/playlist?list=PL0123456789"),
        ("https://www.youtube.com/embed/videoseries?list=PL0123456789", "/playlist?list=PL0123456789"),
        ("https://www.youtube.com/watch?v=dQw4w9WgXcQ", "/watch?v=dQw4w9WgXcQ"),
        ("https://www.youtube.com/watch?app=m&v=dQw4w9WgXcQ&list=PL0123456789&t=9", "/watch?v=dQw4w9WgXcQ"),
        ("https://www.youtube.com/watch?v=-_-4w9WgXcQ", "/watch?v=-_-4w9WgXcQ"),
        ("https://music.youtube.com/watch?v=dQw4w9WgXcQ", "/watch?v=dQw4w9WgXcQ"),
        ("https://youtu.be/dQw4w9WgXcQ?si=x", "/watch?v=dQw4w9WgXcQ"),
        ("https://www.youtube.com/shorts/dQw4w9WgXcQ", "/watch?v=dQw4w9WgXcQ"),
        ("https://www.youtube.com/live/dQw4w9WgXcQ?feature=share", "/watch?v=dQw4w9WgXcQ"),
        ("https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ", "/watch?v=dQw4w9WgXcQ"),
        ("https://www.youtube.com/v/dQw4w9WgXcQ", "/watch?v=dQw4w9WgXcQ"),
        ("https://youtube-nocookie.com/embed/dQw4w9WgXcQ?start=9", "/watch?v=dQw4w9WgXcQ"),
        // In a mix the video alone is meant.
        (
            "https://www.youtube.com/watch?v=dQw4w9WgXcQ&list=RDdQw4w9WgXcQ&start_radio=1",
            "/watch?v=dQw4w9WgXcQ",
        ),
        ("https://music.youtube.com/playlist?list=OLAK5uy_0123456789", "/playlist?list=OLAK5uy_0123456789"),
        (
            "https://www.youtube.com/playlist?list=UULFuAXFkgsw1L7xaCfnd5JJOw",
            "/playlist?list=UULFuAXFkgsw1L7xaCfnd5JJOw",
        ),
    ] {
        let url: YouTubeUrl = given.parse().unwrap_or_else(|error| panic!("{given}: {error}"));
        assert_eq!(url.url(), format!("https://www.youtube.com{written}"), "{given}");
        assert_eq!(url.url().parse::<YouTubeUrl>().unwrap(), url, "{given}");
        let stored = serde_json::to_string(&url).unwrap();
        assert_eq!(serde_json::from_str::<YouTubeUrl>(&stored).unwrap(), url, "{given}");
    }
}

#[test]
fn the_parts_are_told_apart() {
    let url: YouTubeUrl = format!("https://www.youtube.com/channel/{UC}/streams").parse().unwrap();
    let YouTubeUrl::Channel { channel: ChannelName::Id(id), tab: Some(ChannelTab::Streams) } = url else {
        panic!("{url:?}")
    };
    assert_eq!(id.as_str(), UC);
    let url: YouTubeUrl = "https://www.youtube.com/@jos%C3%A9".parse().unwrap();
    let YouTubeUrl::Channel { channel: ChannelName::Handle(handle), tab: None } = url else {
        panic!("{url:?}")
    };
    assert_eq!(handle.as_str(), "josé");
}

#[test]
fn everything_else_is_refused_with_its_reason() {
    use UrlProblem::{
        BadChannel, BadCharacter, BadPlaylist, BadTab, BadVideo, NoScheme, OtherPage, OtherSite,
    };
    for (given, expected) in [
        ("", NoScheme),
        ("-", NoScheme),
        ("--exec=rm", NoScheme),
        ("-o https://www.youtube.com/@canal", NoScheme),
        ("www.youtube.com/@canal", NoScheme),
        ("@canal", NoScheme),
        ("ytsearch:x", NoScheme),
        ("file:///etc/passwd", NoScheme),
        ("httpsx://www.youtube.com/@canal", NoScheme),
        ("https://www.youtube.com/@canal --exec x", BadCharacter),
        ("https://www.youtube.com/@canal\n--exec", BadCharacter),
        ("https://www.youtube.com\\@evil.example/@canal", BadCharacter),
        ("https://www.youtube.com/@\u{202e}canal\u{0}", BadCharacter),
        ("https://vimeo.com/1", OtherSite),
        ("https://youtube.com.evil.example/@canal", OtherSite),
        ("https://www.youtube.com@evil.example/@canal", OtherSite),
        ("https://user:pw@www.youtube.com/@canal", OtherSite),
        ("https://www.youtube.com:8080/@canal", OtherSite),
        ("https:///@canal", OtherSite),
        ("https://www.youtube.com/@-canal", BadChannel),
        ("https://www.youtube.com/@", BadChannel),
        ("https://www.youtube.com/@a%2Fb", BadChannel),
        ("https://www.youtube.com/@a%00b", BadChannel),
        ("https://www.youtube.com/@a%zz", BadChannel),
        ("https://www.youtube.com/@a%ff", BadChannel),
        ("https://www.youtube.com/@a%2", BadChannel),
        ("https://www.youtube.com/@a;b", BadChannel),
        ("https://www.youtube.com/channel/UCcurto", BadChannel),
        ("https://www.youtube.com/channel/--------------------------", BadChannel),
        ("https://www.youtube.com/c/..", BadChannel),
        ("https://www.youtube.com/@canal/about", BadTab),
        ("https://www.youtube.com/@canal/live", BadTab),
        ("https://www.youtube.com/@canal/videos/x", BadTab),
        ("https://www.youtube.com/playlist", BadPlaylist),
        ("https://www.youtube.com/playlist?list=WL", BadPlaylist),
        ("https://www.youtube.com/playlist?list=LL", BadPlaylist),
        ("https://www.youtube.com/watch?list=RDdQw4w9WgXcQ", BadPlaylist),
        ("https://www.youtube.com/playlist?list=RDdQw4w9WgXcQ", BadPlaylist),
        ("https://www.youtube.com/playlist?list=-L0123456789", BadPlaylist),
        ("https://www.youtube.com/playlist?list=PL0123456789$(x)", BadPlaylist),
        ("https://www.youtube.com/playlist?list=UCuAXFkgsw1L7xaCfnd5JJOw", BadPlaylist),
        ("https://www.youtube.com/watch", BadVideo),
        ("https://www.youtube.com/watch?v=", BadVideo),
        ("https://www.youtube.com/watch?v=dQw4w9WgXc", BadVideo),
        ("https://www.youtube.com/watch?v=dQw4w9WgXcQQ", BadVideo),
        ("https://youtu.be/dQw4w9WgXc%51", BadVideo),
        ("https://www.youtube.com/shorts/..%2f..%2f..%2fx", BadVideo),
        ("https://youtu.be/", OtherPage),
        ("https://www.youtube.com", OtherPage),
        ("https://www.youtube.com/", OtherPage),
        ("https://www.youtube.com/results?search_query=x", OtherPage),
        ("https://www.youtube.com/feed/subscriptions", OtherPage),
    ] {
        let refused = given.parse::<YouTubeUrl>();
        let Err(Error::BadYouTubeUrl { problem, .. }) = refused else { panic!("{given}: {refused:?}") };
        assert_eq!(problem, expected, "{given}");
    }
    let long = format!("https://www.youtube.com/@{}", "a".repeat(3000));
    let Err(error) = long.parse::<YouTubeUrl>() else { panic!("too long") };
    assert!(error.to_string().len() < 400, "the message stays short");
}

proptest! {
    #[test]
    fn no_text_makes_an_option_or_leaves_the_site(text in "(-{0,2}|https?://(www\\.)?youtu(be\\.com|\\.be)/)\\PC{0,60}") {
        if let Ok(url) = text.parse::<YouTubeUrl>() {
            let written = url.url();
            prop_assert!(written.starts_with("https://www.youtube.com/"), "{written}");
            prop_assert!(written.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%/@?=:".contains(&byte)));
            prop_assert_eq!(written.parse::<YouTubeUrl>().unwrap(), url);
        }
    }
}
