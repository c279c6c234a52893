//! Which names a file in an archive may have: those that every system can hold, and that lead nowhere else.

use unicode_normalization::UnicodeNormalization;

/// Most folders above a file.
const DEEPEST: usize = 8;

/// Longest path: with a data directory before it, it stays below the 260 characters of older Windows in most places.
const LONGEST: usize = 1024;

/// Names that Windows keeps for devices, with any extension.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Why no file of an archive may have this path; `None` when one may. Parts are separated by `/`.
pub(super) fn refused(path: &str) -> Option<&'static str> {
    if path.len() > LONGEST || path.split('/').count() > DEEPEST {
        return Some("its path is too long");
    }
    path.split('/').find_map(refused_part)
}

fn refused_part(part: &str) -> Option<&'static str> {
    let is_special = |c: char| c.is_control() || matches!(c, '<' | '>' | ':' | '"' | '\\' | '|' | '?' | '*');
    let stem = part.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let is_port = |prefix: &str| {
        stem.strip_prefix(prefix).is_some_and(|rest| {
            let mut rest = rest.chars();
            matches!((rest.next(), rest.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
        })
    };
    match part {
        "" => Some("a part of its path is empty"),
        "." | ".." => Some("its path leads out of its folder"),
        _ if part.len() > 255 => Some("its name is too long"),
        _ if part.contains(is_special) => Some("its name has a character that some systems refuse"),
        _ if part.ends_with(['.', ' ']) || part.starts_with(' ') => {
            Some("its name begins or ends as some systems refuse")
        }
        _ if DEVICES.contains(&stem.as_str()) || is_port("com") || is_port("lpt") => {
            Some("its name is that of a device")
        }
        _ if part.ends_with(".unfinished") => Some("it was not written to its end"),
        _ => None,
    }
}

/// Equal for paths that are one file on a system that ignores case or composes accents.
pub(super) fn folded(path: &str) -> String {
    path.nfc().flat_map(char::to_lowercase).nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_or_cannot_be_held_are_refused() {
        for bad in [
            "",
            "/",
            "/etc/passwd",
            "..",
            "a/../b",
            "a/..",
            "./a",
            "a//b",
            "a/",
            "C:/x",
            "C:x",
            "a\\b",
            "..\\x",
            "a\0b",
            "a\nb",
            "con",
            "a/NUL.txt",
            "aux .md",
            "com1",
            "LPT9.x",
            "com²",
            "a.",
            "a ",
            " a",
            "a:stream",
            "x.unfinished",
            "a/b/c/d/e/f/g/h/i",
        ] {
            assert!(refused(bad).is_some(), "{bad:?}");
        }
        assert!(refused(&"x".repeat(256)).is_some());
        for good in
            ["a", "neural/youtube/canal/x.json", "Ação 🎬.md", "..a", "a..b", "console.txt", "com10", ".x"]
        {
            assert_eq!(refused(good), None, "{good:?}");
        }
    }

    #[test]
    fn paths_that_some_system_takes_for_one_fold_to_one() {
        assert_eq!(folded("A\u{e7}ão"), folded("ac\u{327}a\u{303}o"));
        assert_ne!(folded("a"), folded("b"));
    }
}
