//! What the words of yt-dlp and of the site mean. The words are those of yt-dlp 2026.10.26 and, where they come from
//! the site, as its users report them; the site is asked in English, so they do not change with the user's language.

use std::time::Duration;

use super::outcome::Outcome;
use crate::process::last_lines;

/// The outcome that standard error tells, if it tells one that is known: errors count before warnings, the first of
/// each before later ones.
pub(super) fn classify(stderr: &str) -> Option<Outcome> {
    let told = |start: &'static str| {
        stderr.lines().map(str::trim).filter(move |line| line.starts_with(start)).find_map(of_line)
    };
    told("ERROR:").or_else(|| told("WARNING:"))
}

/// The same, and where nothing is known, a failure in the words of yt-dlp.
pub(super) fn classify_or_failed(stderr: &str) -> Outcome {
    classify(stderr).unwrap_or_else(|| {
        let said = last_error(stderr);
        let reason = if said.is_empty() {
            "yt-dlp gave no answer and said nothing; update it".to_owned()
        } else {
            said
        };
        Outcome::Failed { reason }
    })
}

/// The last error, or what was said last, without what yt-dlp always adds.
pub(super) fn last_error(stderr: &str) -> String {
    const ADDED: [&str; 4] = [
        "no video formats found!",
        "requested format is not available",
        "extractor failed to obtain \"title\"",
        "no supported javascript runtime could be found",
    ];
    if let Some(error) = stderr.lines().rev().map(str::trim).find(|line| line.starts_with("ERROR:")) {
        return last_lines(error);
    }
    let says_something = |line: &&str| {
        let words = plain(line);
        ADDED.iter().all(|added| !words.contains(added))
    };
    last_lines(&stderr.lines().filter(says_something).collect::<Vec<_>>().join("\n"))
}

/// Which captions are missing for want of a token; the same said of formats does not matter here.
pub(super) fn misses_po_token(stderr: &str) -> bool {
    let said = plain(stderr);
    said.lines().any(|line| {
        line.contains("missing subtitles languages because a po token was not provided")
            || (line.contains("subtitles require a po token") && line.contains("not provided"))
    })
}

/// Whether the channel exists and has no such tab.
pub(super) fn has_no_such_tab(stderr: &str) -> bool {
    plain(stderr).lines().any(|line| line.contains("this channel does not have a ") && line.ends_with(" tab"))
}

enum Meaning {
    Limited(Option<Duration>),
    Cookies,
    Members,
    Private,
    Deleted,
    Live,
    Upcoming,
    Age,
    Unavailable,
}

/// Words in small letters, without typographic quotes; the first that stands in a line counts.
const WORDS: &[(&str, Meaning)] = &[
    ("http error 429", Meaning::Limited(None)),
    ("too many requests", Meaning::Limited(None)),
    // "The current session has been rate-limited by YouTube for up to an hour."
    ("rate-limited by youtube for up to an hour", Meaning::Limited(Some(Duration::from_hours(1)))),
    ("rate-limited by youtube", Meaning::Limited(None)),
    ("this content isn't available, try again later", Meaning::Limited(Some(Duration::from_hours(1)))),
    ("your ip is likely being blocked", Meaning::Limited(None)),
    ("confirm you're not a bot", Meaning::Cookies),
    ("captcha challenge", Meaning::Cookies),
    ("confirm your age", Meaning::Age),
    ("age-restricted", Meaning::Age),
    ("age restricted", Meaning::Age),
    ("may be inappropriate for some users", Meaning::Age),
    ("members-only", Meaning::Members),
    ("members only", Meaning::Members),
    ("available to this channel's members", Meaning::Members),
    ("join this channel to get access", Meaning::Members),
    ("private video", Meaning::Private),
    ("video is private", Meaning::Private),
    ("playlist is private", Meaning::Private),
    ("has been removed", Meaning::Deleted),
    ("account associated with this video has been terminated", Meaning::Deleted),
    ("no longer available because the uploader has closed", Meaning::Deleted),
    ("account has been terminated", Meaning::Deleted),
    ("was removed because", Meaning::Deleted),
    ("isn't available anymore", Meaning::Deleted),
    ("video does not exist", Meaning::Deleted),
    ("does not exist", Meaning::Deleted),
    ("premieres in", Meaning::Upcoming),
    ("premiere will begin", Meaning::Upcoming),
    ("live event will begin", Meaning::Upcoming),
    ("processing this video", Meaning::Upcoming),
    ("still being processed", Meaning::Upcoming),
    ("this live event has ended", Meaning::Live),
    // A stream between two broadcasts.
    (": offline", Meaning::Live),
    ("is not currently live", Meaning::Live),
    ("live stream recording is not available", Meaning::Unavailable),
    ("not made this video available in your country", Meaning::Unavailable),
    ("is not available in your country", Meaning::Unavailable),
    ("who has blocked it", Meaning::Unavailable),
    ("geo restriction", Meaning::Unavailable),
    ("playback on other websites has been disabled", Meaning::Unavailable),
    ("music premium members", Meaning::Unavailable),
    ("requires payment", Meaning::Unavailable),
    ("drm protected", Meaning::Unavailable),
    ("video unavailable", Meaning::Unavailable),
    ("video is unavailable", Meaning::Unavailable),
    ("video is not available", Meaning::Unavailable),
    ("channel is not available", Meaning::Unavailable),
    ("content isn't available", Meaning::Unavailable),
    ("playlist type is unviewable", Meaning::Unavailable),
    ("does the playlist exist?", Meaning::Unavailable),
    ("no longer available", Meaning::Deleted),
    ("http error 404", Meaning::Unavailable),
    ("http error 410", Meaning::Deleted),
    ("only available for registered users", Meaning::Cookies),
    ("login required", Meaning::Cookies),
    ("please sign in", Meaning::Cookies),
    ("use --cookies", Meaning::Cookies),
];

fn of_line(line: &str) -> Option<Outcome> {
    let words = plain(line);
    // A warning that is not about a page of the site: that an option has been removed, that a download failed.
    let is_of_program = words.starts_with("warning:") && !words.starts_with("warning: [");
    let is_of_network = |known: &str| known.starts_with("http error") || known == "too many requests";
    let mut known = WORDS.iter().filter(|(known, _)| !is_of_program || is_of_network(known));
    let (_, meaning) = known.find(|(known, _)| words.contains(known))?;
    Some(match meaning {
        Meaning::Limited(retry_after) => Outcome::RateLimited { retry_after: *retry_after },
        Meaning::Cookies => Outcome::NeedsCookies,
        Meaning::Members => Outcome::MembersOnly,
        Meaning::Private => Outcome::Private,
        Meaning::Deleted => Outcome::Deleted,
        Meaning::Live => Outcome::Live,
        Meaning::Upcoming => Outcome::Upcoming { when: None },
        Meaning::Age => Outcome::AgeRestricted,
        Meaning::Unavailable => Outcome::Unavailable { reason: last_lines(line) },
    })
}

fn plain(text: &str) -> String {
    text.to_lowercase().replace('\u{2019}', "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_site_says_has_one_meaning() {
        let hint =
            "Use --cookies-from-browser or --cookies for the authentication. See  https://localhost/faq";
        for (said, expected) in [
            ("Sign in to confirm you\u{2019}re not a bot. {hint}", "needs_cookies"),
            ("Sign in to confirm you're not a bot. {hint}", "needs_cookies"),
            (
                "Sign in to confirm your age. This video may be inappropriate for some users. {hint}",
                "age_restricted",
            ),
            ("Private video. Sign in if you've been granted access to this video. {hint}", "private"),
            (
                "Join this channel to get access to members-only content like this video, and other exclusive perks.",
                "members_only",
            ),
            ("This video is available to this channel\u{2019}s members on level: Sócio.", "members_only"),
            ("Video unavailable. This video has been removed by the uploader", "deleted"),
            (
                "Video unavailable. This video is no longer available because the YouTube account associated \
                 with this video has been terminated.",
                "deleted",
            ),
            ("This video has been removed for violating YouTube's Terms of Service", "deleted"),
            ("Video unavailable. This video is private", "private"),
            ("Video unavailable", "unavailable"),
            (
                "Video unavailable. The uploader has not made this video available in your country",
                "unavailable",
            ),
            ("This video requires payment to watch", "unavailable"),
            ("Premieres in 3 hours", "upcoming"),
            ("Premiere will begin shortly", "upcoming"),
            ("This live event will begin in 2 days.", "upcoming"),
            (
                "This content isn't available, try again later. The current session has been rate-limited by \
                 YouTube for up to an hour. It is recommended to use `-t sleep`",
                "rate_limited",
            ),
            ("Video unavailable. This content isn\u{2019}t available, try again later.", "rate_limited"),
            (
                "Unable to download API page: HTTP Error 429: Too Many Requests (caused by <HTTPError 429>)",
                "rate_limited",
            ),
            ("All player responses are invalid. Your IP is likely being blocked by Youtube", "rate_limited"),
            ("Please sign in. {hint}", "needs_cookies"),
            ("x. YouTube is requiring a captcha challenge before playback", "needs_cookies"),
            ("Unable to download webpage: HTTP Error 404: Not Found", "unavailable"),
            // Every way in which yt-dlp's extractor for YouTube gives up with a reason.
            ("This video may be inappropriate for some users. {hint}", "age_restricted"),
            ("This video isn\u{2019}t available anymore", "deleted"),
            ("This video is no longer available due to a copyright claim by X", "deleted"),
            (
                "YouTube said: This channel was removed because it violated our Community Guidelines.",
                "deleted",
            ),
            ("YouTube said: This account has been terminated due to multiple violations.", "deleted"),
            ("YouTube said: The playlist does not exist.", "deleted"),
            (
                "The channel/playlist does not exist and the URL redirected to youtube.com home page",
                "deleted",
            ),
            ("Failed to resolve url (does the playlist exist?)", "unavailable"),
            ("YouTube said: This playlist type is unviewable.", "unavailable"),
            ("YouTube said: This channel is not available.", "unavailable"),
            ("YouTube said: This channel is not available in your country.", "unavailable"),
            ("We're processing this video. Check back later.", "upcoming"),
            ("Offline.", "live"),
            ("The channel is not currently live", "live"),
            ("The live stream recording is not available.", "unavailable"),
            (
                "This video contains content from X, who has blocked it in your country on copyright grounds",
                "unavailable",
            ),
            (
                "Video unavailable. Playback on other websites has been disabled by the video owner",
                "unavailable",
            ),
            ("Playback on other websites has been disabled by the video owner", "unavailable"),
            ("This video is only available to Music Premium members", "unavailable"),
            ("This video is DRM protected", "unavailable"),
            ("This content isn't available.", "unavailable"),
            ("Your account has been rate-limited by YouTube for up to an hour.", "rate_limited"),
        ] {
            let said = said.replace("{hint}", hint);
            for start in ["ERROR", "WARNING"] {
                let stderr = format!("[debug] a\nWARNING: other\n{start}: [youtube] dQw4w9WgXcQ: {said}\r\n");
                assert_eq!(classify(&stderr).map(|outcome| outcome.as_str()), Some(expected), "{said}");
            }
        }
    }

    #[test]
    fn an_error_counts_before_a_warning_and_what_is_unknown_is_said_as_it_stands() {
        let both = "WARNING: [youtube] Unable to download webpage: HTTP Error 429\nERROR: [youtube] x: Private video.";
        assert_eq!(classify(both), Some(Outcome::Private));
        let hour = Some(Duration::from_hours(1));
        let limited = "ERROR: The current session has been rate-limited by YouTube for up to an hour.";
        assert_eq!(classify(limited), Some(Outcome::RateLimited { retry_after: hour }));
        assert_eq!(classify("HTTP Error 429"), None, "only what yt-dlp itself reports");
        let of_program = "WARNING: The option --x has been removed\nWARNING: Login required for nothing";
        assert_eq!(classify(of_program), None, "it is not about the video");
        let download =
            "WARNING: Unable to download video subtitles for 'pt': HTTP Error 429: Too Many Requests";
        assert_eq!(classify(download), Some(Outcome::RateLimited { retry_after: None }));
        let unknown = "WARNING: a\nERROR: [youtube] x: The page needs to be reloaded.\n[debug] z\n";
        let reason = "ERROR: [youtube] x: The page needs to be reloaded.".to_owned();
        assert_eq!(classify_or_failed(unknown), Outcome::Failed { reason });
        let added = "WARNING: [youtube] x: Não é por aqui\nWARNING: Extractor failed to obtain \"title\". Creating\n\
                     WARNING: No video formats found!\nWARNING: Requested format is not available";
        assert_eq!(last_error(added), "WARNING: [youtube] x: Não é por aqui");
        assert!(matches!(classify_or_failed(""), Outcome::Failed { reason } if reason.contains("update")));
    }

    #[test]
    fn a_token_for_formats_is_none_for_captions() {
        let formats =
            "WARNING: [youtube] x: ios client https formats require a GVS PO Token which was not provided.";
        assert!(!misses_po_token(formats));
        assert_eq!(classify(formats), None);
        let captions = "WARNING: [youtube] x: Some web client subtitles require a PO Token which was not provided. \
                        They will be discarded";
        assert!(misses_po_token(captions));
        assert!(misses_po_token(
            "WARNING: [youtube] x: There are missing subtitles languages because a PO token was not provided. \
             Automatic captions for 1 languages are missing."
        ));
    }

    #[test]
    fn a_missing_tab_is_no_missing_channel() {
        assert!(has_no_such_tab("ERROR: [youtube:tab] @canal: This channel does not have a shorts tab\n"));
        assert!(!has_no_such_tab("ERROR: [youtube:tab] @canal: This channel does not exist.\n"));
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_said_has_an_outcome_and_a_short_reason(said in "((ERROR|WARNING): )?(\\PC|\n|\r){0,2000}") {
            let outcome = classify_or_failed(&said);
            if let Outcome::Failed { reason } | Outcome::Unavailable { reason } = outcome {
                proptest::prop_assert!(!reason.is_empty() && reason.chars().count() <= 600);
            }
        }
    }
}
