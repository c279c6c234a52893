use unicode_normalization::UnicodeNormalization;

/// Longest slug, in bytes: leaves room for extensions and suffixes in the 255 bytes that a file name may have.
const MAX_BYTES: usize = 60;

/// Names that Windows keeps for devices, with any extension.
const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];

/// A name that every file system takes, from any text: lower-case ASCII letters, digits, `-` and `_`.
///
/// Different texts can have equal slugs; callers keep the text itself beside it.
pub(crate) fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.nfkd().flat_map(char::to_lowercase) {
        if slug.len() == MAX_BYTES {
            break;
        }
        match c {
            'a'..='z' | '0'..='9' | '_' => slug.push(c),
            // Accents, which decomposing has set apart, just go.
            _ if unicode_normalization::char::is_combining_mark(c) => {}
            _ if !slug.is_empty() && !slug.ends_with('-') => slug.push('-'),
            _ => {}
        }
    }
    let slug = slug.trim_end_matches('-');
    let port = |prefix: &str| slug.strip_prefix(prefix).is_some_and(|n| n.len() == 1 && n.as_bytes() != b"0");
    match slug {
        "" => "unnamed".to_owned(),
        _ if RESERVED.contains(&slug) || port("com") || port("lpt") => format!("{slug}-"),
        _ => slug.to_owned(),
    }
}

/// True for what names a file in a folder, and leads nowhere else.
pub(crate) fn is_file_name(name: &str) -> bool {
    let leads_elsewhere = |c| matches!(c, '/' | '\0') || (cfg!(windows) && matches!(c, '\\' | ':'));
    !matches!(name, "" | "." | "..") && !name.contains(leads_elsewhere)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_become_what_every_file_system_takes() {
        for (text, expected) in [
            ("Finanças Pessoais", "financas-pessoais"),
            ("../../etc/passwd", "etc-passwd"),
            ("CON", "con-"),
            ("com1", "com1-"),
            ("aula 1...", "aula-1"),
            ("🎉", "unnamed"),
            ("", "unnamed"),
        ] {
            assert_eq!(slug(text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_gives_a_safe_name(text in ".{0,300}") {
            let slug = slug(&text);
            prop_assert!((1..=MAX_BYTES + 1).contains(&slug.len()));
            prop_assert!(slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_'));
            prop_assert!(!slug.starts_with('-'));
        }
    }
}
