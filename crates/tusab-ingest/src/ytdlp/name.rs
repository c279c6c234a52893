use tusab_chunk::Language;

use crate::{TrackKind, VideoId};

/// What the name of a caption file tells: `Title [VIDEOID].pt.vtt`, as yt-dlp writes it.
///
/// ```
/// use tusab_ingest::CaptionFileName;
/// let name = CaptionFileName::parse("Juros e inflação： o básico [dQw4w9WgXcQ].pt-orig.vtt");
/// assert_eq!(name.title.as_deref(), Some("Juros e inflação: o básico"));
/// assert_eq!(name.video.as_ref().map(|id| id.as_str()), Some("dQw4w9WgXcQ"));
/// assert_eq!(name.language.as_ref().map(|tag| tag.as_str()), Some("pt"));
/// assert_eq!(name.info_name, "Juros e inflação： o básico [dQw4w9WgXcQ].info.json");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CaptionFileName {
    /// The video's title; the signs that yt-dlp puts in place of `:`, `?` and others are turned back.
    pub title: Option<String>,
    /// The video's id.
    pub video: Option<VideoId>,
    /// The track as yt-dlp names it, with what is no language: `pt-orig`, `pt-en`.
    pub track: Option<String>,
    /// The language of the track.
    pub language: Option<Language>,
    /// Who made the track, where its name tells: `pt-orig` is what speech recognition heard, `pt-en` a translation
    /// from English.
    pub kind: TrackKind,
    /// Name of the file beside it in which yt-dlp describes the video, if it was asked to.
    pub info_name: String,
}

impl CaptionFileName {
    /// Reads a file's name; folders before it are passed over. Any name can be read: what it does not tell is absent.
    #[must_use]
    pub fn parse(name: &str) -> Self {
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let whole = name.rsplit_once('.').map_or(name, |(whole, _)| whole);
        let (stem, track) = match whole.rsplit_once('.') {
            Some((stem, tag)) => match Track::parse(tag, title_and_video(stem).is_some()) {
                Some(track) => (stem, Some((tag, track))),
                None => (whole, None),
            },
            None => (whole, None),
        };
        let (title, video) = title_and_video(stem).unzip();
        let mut parsed =
            Self { title: title.flatten(), video, info_name: format!("{stem}.info.json"), ..Self::default() };
        if let Some((tag, track)) = track {
            parsed.track = Some(tag.to_owned());
            parsed.language = Some(track.language);
            parsed.kind = track.kind;
        }
        parsed
    }
}

/// `Title [VIDEOID]` in its two parts.
fn title_and_video(stem: &str) -> Option<(Option<String>, VideoId)> {
    let (title, id) = stem.strip_suffix(']')?.rsplit_once('[')?;
    let title: String = title.trim().chars().map(original).collect();
    Some(((!title.is_empty()).then_some(title), id.parse().ok()?))
}

/// The sign for which yt-dlp writes `sign`, since file systems refuse it.
fn original(sign: char) -> char {
    match sign {
        '：' => ':',
        '？' => '?',
        '＂' => '"',
        '＊' => '*',
        '＜' => '<',
        '＞' => '>',
        '｜' => '|',
        '⧸' => '/',
        '⧹' => '\\',
        other => other,
    }
}

struct Track {
    language: Language,
    kind: TrackKind,
}

impl Track {
    /// Reads `pt`, `pt-BR`, `zh-Hans`, `pt-orig`, `pt-en`, `en-uYU-mmqFLq8`. After anything but a video's id only a
    /// language of two letters counts, else every `notes.old.vtt` would be in Old.
    fn parse(tag: &str, after_id: bool) -> Option<Self> {
        let mut parts = tag.split('-');
        let primary = parts.next()?;
        let plausible = match primary.len() {
            2 => after_id || LANGUAGES.contains(&primary),
            3 => after_id,
            _ => false,
        };
        if !plausible || !primary.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return None;
        }
        let (mut language, mut kind) = (primary.to_owned(), TrackKind::Unknown);
        for part in parts {
            let letters = part.bytes().all(|byte| byte.is_ascii_alphabetic());
            let digits = part.bytes().all(|byte| byte.is_ascii_digit());
            match part.len() {
                4 if part == "orig" => kind = TrackKind::Automatic,
                2 if part != primary && TRANSLATED_FROM.contains(&part) => kind = TrackKind::Translated,
                2 if letters => language = format!("{language}-{part}"),
                3 if digits => language = format!("{language}-{part}"),
                4 if letters && part.starts_with(char::is_uppercase) => {
                    language = format!("{language}-{part}");
                }
                _ if !after_id => return None,
                // The name that its author gave to one of several tracks, as letters without sense.
                _ => break,
            }
        }
        Some(Self { language: language.parse().ok()?, kind })
    }
}

/// Languages from which tracks are translated: yt-dlp writes them in small letters where a region would stand in
/// capitals. Left out are those that people write for a region (`pt-br`, `en-gb`).
const TRANSLATED_FROM: &[&str] =
    &["ar", "de", "en", "es", "fr", "hi", "id", "it", "ja", "ko", "nl", "pl", "ru", "tr", "uk", "vi", "zh"];

/// ISO 639-1.
#[rustfmt::skip]
const LANGUAGES: &[&str] = &[
    "aa", "ab", "ae", "af", "ak", "am", "an", "ar", "as", "av", "ay", "az", "ba", "be", "bg", "bi", "bm", "bn", "bo",
    "br", "bs", "ca", "ce", "ch", "co", "cr", "cs", "cu", "cv", "cy", "da", "de", "dv", "dz", "ee", "el", "en", "eo",
    "es", "et", "eu", "fa", "ff", "fi", "fj", "fo", "fr", "fy", "ga", "gd", "gl", "gn", "gu", "gv", "ha", "he", "hi",
    "ho", "hr", "ht", "hu", "hy", "hz", "ia", "id", "ie", "ig", "ii", "ik", "io", "is", "it", "iu", "ja", "jv", "ka",
    "kg", "ki", "kj", "kk", "kl", "km", "kn", "ko", "kr", "ks", "ku", "kv", "kw", "ky", "la", "lb", "lg", "li", "ln",
    "lo", "lt", "lu", "lv", "mg", "mh", "mi", "mk", "ml", "mn", "mr", "ms", "mt", "my", "na", "nb", "nd", "ne", "ng",
    "nl", "nn", "no", "nr", "nv", "ny", "oc", "oj", "om", "or", "os", "pa", "pi", "pl", "ps", "pt", "qu", "rm", "rn",
    "ro", "ru", "rw", "sa", "sc", "sd", "se", "sg", "si", "sk", "sl", "sm", "sn", "so", "sq", "sr", "ss", "st", "su",
    "sv", "sw", "ta", "te", "tg", "th", "ti", "tk", "tl", "tn", "to", "tr", "ts", "tt", "tw", "ty", "ug", "uk", "ur",
    "uz", "ve", "vi", "vo", "wa", "wo", "xh", "yi", "yo", "za", "zh", "zu",
];

#[cfg(test)]
mod tests {
    use super::*;

    type Told<'n> = (Option<&'n str>, Option<&'n str>, Option<&'n str>, Option<&'n str>, TrackKind);

    fn told(name: &CaptionFileName) -> Told<'_> {
        (
            name.title.as_deref(),
            name.video.as_ref().map(VideoId::as_str),
            name.track.as_deref(),
            name.language.as_ref().map(Language::as_str),
            name.kind,
        )
    }

    #[test]
    fn names_as_yt_dlp_writes_them() {
        use TrackKind::{Automatic, Translated, Unknown};
        let (title, id) = (Some("Olá [parte 2] v1.0"), Some("-_aZ0dQw4w9"));
        for (tag, language, kind) in [
            ("pt", "pt", Unknown),
            ("pt-BR", "pt-BR", Unknown),
            ("pt-br", "pt-BR", Unknown),
            ("pt-orig", "pt", Automatic),
            ("pt-BR-orig", "pt-BR", Automatic),
            ("pt-en", "pt", Translated),
            ("de-de", "de-DE", Unknown),
            ("zh-Hans", "zh-Hans", Unknown),
            ("es-419", "es-419", Unknown),
            ("en-uYU-mmqFLq8", "en", Unknown),
            ("fil", "fil", Unknown),
        ] {
            let name = format!("/a.b/c\\Olá [parte 2] v1.0 [-_aZ0dQw4w9].{tag}.vtt");
            let parsed = CaptionFileName::parse(&name);
            assert_eq!(told(&parsed), (title, id, Some(tag), Some(language), kind), "{name}");
            assert_eq!(parsed.info_name, "Olá [parte 2] v1.0 [-_aZ0dQw4w9].info.json");
        }
    }

    #[test]
    fn other_names_tell_what_they_tell_and_no_more() {
        use TrackKind::Unknown;
        for (name, expected) in [
            (
                "O que⧸como？ [dQw4w9WgXcQ].vtt",
                (Some("O que/como?"), Some("dQw4w9WgXcQ"), None, None, Unknown),
            ),
            ("[dQw4w9WgXcQ].pt.vtt", (None, Some("dQw4w9WgXcQ"), Some("pt"), Some("pt"), Unknown)),
            ("aula.pt.vtt", (None, None, Some("pt"), Some("pt"), Unknown)),
            ("aula.final.vtt", (None, None, None, None, Unknown)),
            ("aula.hd.vtt", (None, None, None, None, Unknown)),
            ("aula.no-indice.vtt", (None, None, None, None, Unknown)),
            ("aula.pt-BR.vtt", (None, None, Some("pt-BR"), Some("pt-BR"), Unknown)),
            ("aula.old.vtt", (None, None, None, None, Unknown)),
            ("aula [curta].vtt", (None, None, None, None, Unknown)),
            ("dQw4w9WgXcQ]", (None, None, None, None, Unknown)),
            (".vtt", (None, None, None, None, Unknown)),
            ("", (None, None, None, None, Unknown)),
            ("..", (None, None, None, None, Unknown)),
        ] {
            assert_eq!(told(&CaptionFileName::parse(name)), expected, "{name}");
        }
    }
}
