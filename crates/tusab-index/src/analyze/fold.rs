use unicode_normalization::UnicodeNormalization;

/// Longest token kept whole, in bytes; a longer one is cut here, so that it is still found by its start.
/// Well under tantivy's limit on a term (65,530).
pub(super) const MAX_TOKEN: usize = 1024;

/// Lower-case, compatibility-decomposed, without accents.
pub(crate) fn fold(word: &str, token: &mut String) {
    token.clear();
    if word.is_ascii() {
        token.push_str(word.get(..MAX_TOKEN).unwrap_or(word));
        token.make_ascii_lowercase();
        return;
    }
    // Decomposing can bring out spaces and brackets, as of `㈠`, which are no part of a word.
    fold_into(word, token, |c| !c.is_ascii() || c.is_ascii_alphanumeric());
}

/// The same for a word with its symbols, which stay.
pub(crate) fn fold_compound(text: &str, token: &mut String) {
    token.clear();
    fold_into(text, token, |c| !c.is_ascii_whitespace() && !c.is_ascii_control());
}

fn fold_into(text: &str, token: &mut String, is_kept: impl Fn(char) -> bool) {
    let shown = |c: &char| !is_accent(*c) && !is_invisible(*c);
    // Accents go after lower-casing too, which can add one: `İ` gives `i` and a dot above.
    for c in text.nfkd().filter(shown).flat_map(char::to_lowercase).filter(shown) {
        if !is_kept(c) {
            continue;
        }
        let mut buffer = [0; 4];
        let letters = plain(c).unwrap_or_else(|| c.encode_utf8(&mut buffer));
        if token.len() + letters.len() > MAX_TOKEN {
            break;
        }
        token.push_str(letters);
    }
}

/// The word in lower case with its accents, left empty when it has none.
pub(crate) fn accented(word: &str, folded: &str, form: &mut String) {
    form.clear();
    if word.is_ascii() {
        return;
    }
    for c in word.nfc().filter(|c| !is_invisible(*c)).flat_map(char::to_lowercase) {
        if form.len() + c.len_utf8() > MAX_TOKEN {
            break;
        }
        form.push(c);
    }
    if form == folded {
        form.clear();
    }
}

/// A mark that people leave out when they type plainly. The vowel signs of Indic scripts are marks too, and letters.
pub(super) fn is_accent(c: char) -> bool {
    matches!(
        c,
        '\u{300}'..='\u{36F}'
            | '\u{1AB0}'..='\u{1AFF}'
            | '\u{1DC0}'..='\u{1DFF}'
            | '\u{20D0}'..='\u{20FF}'
            | '\u{FE20}'..='\u{FE2F}'
            // Cyrillic, Hebrew points, Arabic vowel signs.
            | '\u{483}'..='\u{487}'
            | '\u{591}'..='\u{5BD}' | '\u{5BF}' | '\u{5C1}' | '\u{5C2}' | '\u{5C4}' | '\u{5C5}' | '\u{5C7}'
            | '\u{64B}'..='\u{65F}' | '\u{670}'
    )
}

/// Characters that show nothing and may stand inside a word: the soft hyphen, zero-width spaces and joiners.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}')
}

/// Letters that Unicode does not decompose and that people write without, as they do on a plain keyboard.
fn plain(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'þ' => "th",
        'ı' => "i",
        'ς' => "σ",
        _ => return None,
    })
}
