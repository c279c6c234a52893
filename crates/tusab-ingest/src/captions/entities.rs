//! Character references: `&amp;`, `&#233;`, `&#xE9;`.

/// What `text`, which starts with `&`, stands for, and its length in bytes; none when it is a mere `&`.
///
/// As in HTML (<https://html.spec.whatwg.org/#named-character-reference-state>), the old names count without their
/// semicolon too. Of the newer names those of HTML 4 are known and what captions use; others stay as they are written.
pub(crate) fn reference(text: &str) -> Option<(Referent, usize)> {
    let name = text.strip_prefix('&')?;
    match name.strip_prefix('#') {
        Some(number) => numeric(number),
        None => named(name),
    }
}

/// What a reference stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Referent {
    /// By its name.
    Named(&'static str),
    /// By its number.
    Number(char),
}

fn numeric(number: &str) -> Option<(Referent, usize)> {
    let (tail, radix, opening) = match number.strip_prefix(['x', 'X']) {
        Some(tail) => (tail, 16, "&#x".len()),
        None => (number, 10, "&#".len()),
    };
    let len = tail.bytes().take_while(|byte| char::from(*byte).is_digit(radix)).count();
    let digits = tail.get(..len).filter(|digits| !digits.is_empty())?;
    let semicolon = usize::from(tail.as_bytes().get(len) == Some(&b';'));
    // Too large for a number is not a character either.
    let code = u32::from_str_radix(digits, radix).unwrap_or(u32::MAX);
    let char = match code {
        0x80..=0x9F => usize::try_from(code - 0x80).ok().and_then(|at| WINDOWS_1252.get(at)).copied(),
        0 => None,
        _ => char::from_u32(code),
    };
    Some((Referent::Number(char.unwrap_or(char::REPLACEMENT_CHARACTER)), opening + len + semicolon))
}

/// No name known here is longer, in bytes.
const LONGEST: usize = 32;
/// Nor an old one than this.
const LONGEST_OLD: usize = 6;

fn named(text: &str) -> Option<(Referent, usize)> {
    let len = text.bytes().take(LONGEST).take_while(u8::is_ascii_alphanumeric).count();
    let name = text.get(..len)?;
    if text.as_bytes().get(len) == Some(&b';')
        && let Some(found) = find(OLD, name).or_else(|| find(NEW, name))
    {
        return Some((Referent::Named(found), len + 2));
    }
    (2..=len.min(LONGEST_OLD)).rev().find_map(|len| {
        let found = find(OLD, text.get(..len)?)?;
        Some((Referent::Named(found), len + 1))
    })
}

fn find(table: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    let at = table.binary_search_by_key(&name, |(name, _)| name).ok()?;
    table.get(at).map(|(_, text)| *text)
}

/// Numbers 0x80 to 0x9F mean Windows-1252 on the web, not control characters.
#[rustfmt::skip]
const WINDOWS_1252: [char; 32] = [
    '€', '\u{FFFD}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{FFFD}', 'Ž', '\u{FFFD}',
    '\u{FFFD}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{FFFD}', 'ž', 'Ÿ',
];

/// Names that count without a semicolon too; sorted.
#[rustfmt::skip]
const OLD: &[(&str, &str)] = &[
    ("AElig", "Æ"), ("AMP", "&"), ("Aacute", "Á"), ("Acirc", "Â"), ("Agrave", "À"), ("Aring", "Å"),
    ("Atilde", "Ã"), ("Auml", "Ä"), ("COPY", "©"), ("Ccedil", "Ç"), ("ETH", "Ð"), ("Eacute", "É"),
    ("Ecirc", "Ê"), ("Egrave", "È"), ("Euml", "Ë"), ("GT", ">"), ("Iacute", "Í"), ("Icirc", "Î"),
    ("Igrave", "Ì"), ("Iuml", "Ï"), ("LT", "<"), ("Ntilde", "Ñ"), ("Oacute", "Ó"), ("Ocirc", "Ô"),
    ("Ograve", "Ò"), ("Oslash", "Ø"), ("Otilde", "Õ"), ("Ouml", "Ö"), ("QUOT", "\""), ("REG", "®"),
    ("THORN", "Þ"), ("Uacute", "Ú"), ("Ucirc", "Û"), ("Ugrave", "Ù"), ("Uuml", "Ü"), ("Yacute", "Ý"),
    ("aacute", "á"), ("acirc", "â"), ("acute", "´"), ("aelig", "æ"), ("agrave", "à"), ("amp", "&"),
    ("aring", "å"), ("atilde", "ã"), ("auml", "ä"), ("brvbar", "¦"), ("ccedil", "ç"), ("cedil", "¸"),
    ("cent", "¢"), ("copy", "©"), ("curren", "¤"), ("deg", "°"), ("divide", "÷"), ("eacute", "é"),
    ("ecirc", "ê"), ("egrave", "è"), ("eth", "ð"), ("euml", "ë"), ("frac12", "½"), ("frac14", "¼"),
    ("frac34", "¾"), ("gt", ">"), ("iacute", "í"), ("icirc", "î"), ("iexcl", "¡"), ("igrave", "ì"),
    ("iquest", "¿"), ("iuml", "ï"), ("laquo", "«"), ("lt", "<"), ("macr", "¯"), ("micro", "µ"),
    ("middot", "·"), ("nbsp", "\u{a0}"), ("not", "¬"), ("ntilde", "ñ"), ("oacute", "ó"), ("ocirc", "ô"),
    ("ograve", "ò"), ("ordf", "ª"), ("ordm", "º"), ("oslash", "ø"), ("otilde", "õ"), ("ouml", "ö"),
    ("para", "¶"), ("plusmn", "±"), ("pound", "£"), ("quot", "\""), ("raquo", "»"), ("reg", "®"),
    ("sect", "§"), ("shy", "\u{ad}"), ("sup1", "¹"), ("sup2", "²"), ("sup3", "³"), ("szlig", "ß"),
    ("thorn", "þ"), ("times", "×"), ("uacute", "ú"), ("ucirc", "û"), ("ugrave", "ù"), ("uml", "¨"),
    ("uuml", "ü"), ("yacute", "ý"), ("yen", "¥"), ("yuml", "ÿ"),
];

/// Names that need their semicolon; sorted.
#[rustfmt::skip]
const NEW: &[(&str, &str)] = &[
    ("Alpha", "Α"), ("Beta", "Β"), ("Ccaron", "Č"), ("Chi", "Χ"), ("ClockwiseContourIntegral", "∲"),
    ("Dagger", "‡"), ("Delta", "Δ"), ("Epsilon", "Ε"), ("Eta", "Η"), ("Gamma", "Γ"), ("Gbreve", "Ğ"),
    ("Idot", "İ"), ("Iota", "Ι"), ("Kappa", "Κ"), ("Lambda", "Λ"), ("Lstrok", "Ł"), ("Mu", "Μ"),
    ("NewLine", "\n"), ("Nu", "Ν"), ("OElig", "Œ"), ("Omega", "Ω"), ("Omicron", "Ο"), ("Phi", "Φ"),
    ("Pi", "Π"), ("Prime", "″"), ("Psi", "Ψ"), ("Rho", "Ρ"), ("Scaron", "Š"), ("Scedil", "Ş"),
    ("Sigma", "Σ"), ("Tab", "\t"), ("Tau", "Τ"), ("Theta", "Θ"), ("Upsilon", "Υ"), ("Xi", "Ξ"),
    ("Yuml", "Ÿ"), ("Zcaron", "Ž"), ("Zeta", "Ζ"), ("alefsym", "ℵ"), ("alpha", "α"), ("and", "∧"),
    ("ang", "∠"), ("aogon", "ą"), ("apos", "'"), ("ast", "*"), ("asymp", "≈"), ("bdquo", "„"),
    ("beta", "β"), ("boxh", "─"), ("bsol", "\\"), ("bull", "•"), ("cacute", "ć"), ("cap", "∩"),
    ("ccaron", "č"), ("check", "✓"), ("chi", "χ"), ("circ", "ˆ"), ("clubs", "♣"), ("colon", ":"),
    ("comma", ","), ("commat", "@"), ("cong", "≅"), ("crarr", "↵"), ("cup", "∪"), ("dArr", "⇓"),
    ("dagger", "†"), ("darr", "↓"), ("dash", "‐"), ("delta", "δ"), ("diams", "♦"), ("dollar", "$"),
    ("ecaron", "ě"), ("empty", "∅"), ("emsp", "\u{2003}"), ("ensp", "\u{2002}"), ("eogon", "ę"),
    ("epsilon", "ε"), ("equals", "="), ("equiv", "≡"), ("eta", "η"), ("euro", "€"), ("excl", "!"),
    ("exist", "∃"), ("flat", "♭"), ("fnof", "ƒ"), ("forall", "∀"), ("frac13", "⅓"), ("frac18", "⅛"),
    ("frac23", "⅔"), ("frac38", "⅜"), ("frac58", "⅝"), ("frac78", "⅞"), ("frasl", "⁄"), ("gamma", "γ"),
    ("gbreve", "ğ"), ("ge", "≥"), ("grave", "`"), ("hArr", "⇔"), ("hairsp", "\u{200a}"), ("harr", "↔"),
    ("hearts", "♥"), ("hellip", "…"), ("horbar", "―"), ("hyphen", "‐"), ("image", "ℑ"), ("imath", "ı"),
    ("infin", "∞"), ("inodot", "ı"), ("int", "∫"), ("iota", "ι"), ("isin", "∈"), ("kappa", "κ"),
    ("lArr", "⇐"), ("lambda", "λ"), ("lang", "⟨"), ("larr", "←"), ("lbrace", "{"), ("lbrack", "["),
    ("lceil", "⌈"), ("lcub", "{"), ("ldquo", "“"), ("ldquor", "„"), ("le", "≤"), ("lfloor", "⌊"),
    ("lowast", "∗"), ("lowbar", "_"), ("loz", "◊"), ("lpar", "("), ("lrm", "\u{200e}"), ("lsaquo", "‹"),
    ("lsqb", "["), ("lsquo", "‘"), ("lsquor", "‚"), ("lstrok", "ł"), ("mdash", "—"), ("minus", "−"),
    ("mldr", "…"), ("mu", "μ"), ("nabla", "∇"), ("nacute", "ń"), ("natural", "♮"), ("ndash", "–"),
    ("ne", "≠"), ("ni", "∋"), ("nldr", "‥"), ("notin", "∉"), ("nsub", "⊄"), ("nsubE", "⫅\u{338}"),
    ("nu", "ν"), ("num", "#"), ("numsp", "\u{2007}"), ("odblac", "ő"), ("oelig", "œ"), ("oline", "‾"),
    ("omega", "ω"), ("omicron", "ο"), ("oplus", "⊕"), ("or", "∨"), ("otimes", "⊗"), ("part", "∂"),
    ("percnt", "%"), ("period", "."), ("permil", "‰"), ("perp", "⊥"), ("phi", "φ"), ("phone", "☎"),
    ("pi", "π"), ("piv", "ϖ"), ("plus", "+"), ("prime", "′"), ("prod", "∏"), ("prop", "∝"), ("psi", "ψ"),
    ("puncsp", "\u{2008}"), ("quest", "?"), ("rArr", "⇒"), ("radic", "√"), ("rang", "⟩"), ("rarr", "→"),
    ("rbrace", "}"), ("rbrack", "]"), ("rcaron", "ř"), ("rceil", "⌉"), ("rcub", "}"), ("rdquo", "”"),
    ("rdquor", "”"), ("real", "ℜ"), ("rfloor", "⌋"), ("rho", "ρ"), ("rlm", "\u{200f}"), ("rpar", ")"),
    ("rsaquo", "›"), ("rsqb", "]"), ("rsquo", "’"), ("rsquor", "’"), ("sacute", "ś"), ("sbquo", "‚"),
    ("scaron", "š"), ("scedil", "ş"), ("sdot", "⋅"), ("semi", ";"), ("sharp", "♯"), ("sigma", "σ"),
    ("sigmaf", "ς"), ("sim", "∼"), ("sol", "/"), ("spades", "♠"), ("star", "☆"), ("starf", "★"),
    ("sub", "⊂"), ("sube", "⊆"), ("sum", "∑"), ("sung", "♪"), ("sup", "⊃"), ("supe", "⊇"), ("tau", "τ"),
    ("there4", "∴"), ("theta", "θ"), ("thetasym", "ϑ"), ("thinsp", "\u{2009}"), ("tilde", "˜"),
    ("trade", "™"), ("uArr", "⇑"), ("uarr", "↑"), ("udblac", "ű"), ("upsih", "ϒ"), ("upsilon", "υ"),
    ("verbar", "|"), ("vert", "|"), ("weierp", "℘"), ("xi", "ξ"), ("zacute", "ź"), ("zcaron", "ž"),
    ("zdot", "ż"), ("zeta", "ζ"), ("zwj", "\u{200d}"), ("zwnj", "\u{200c}"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str) -> Option<(String, &str)> {
        let (referent, len) = reference(text)?;
        let said = match referent {
            Referent::Named(said) => said.to_owned(),
            Referent::Number(char) => char.to_string(),
        };
        Some((said, &text[len..]))
    }

    #[test]
    fn the_tables_are_sorted_for_the_search() {
        assert!(OLD.is_sorted_by(|a, b| a.0 < b.0));
        assert!(NEW.is_sorted_by(|a, b| a.0 < b.0));
        assert!(NEW.iter().all(|(name, _)| name.len() <= LONGEST && find(OLD, name).is_none()));
        assert!(OLD.iter().all(|(name, _)| name.len() <= LONGEST_OLD));
    }

    #[test]
    fn references_as_html_reads_them() {
        for (text, said, rest) in [
            ("&amp;", "&", ""),
            ("&AMP;x", "&", "x"),
            ("&amp", "&", ""),
            ("&gt;&gt;", ">", "&gt;"),
            ("&nbsp;&nbsp;", "\u{a0}", "&nbsp;"),
            ("&lrm;b", "\u{200e}", "b"),
            ("&apos;s", "'", "s"),
            ("&notin;", "∉", ""),
            ("&notit;", "¬", "it;"),
            ("&eacute;", "é", ""),
            ("&hellip;", "…", ""),
            ("&nsubE;", "⫅\u{338}", ""),
            ("&#32;", " ", ""),
            ("&#x20;", " ", ""),
            ("&#233 mais", "é", " mais"),
            ("&#146;", "’", ""),
            ("&#x110000;", "\u{fffd}", ""),
            ("&#99999999999999999999;", "\u{fffd}", ""),
            ("&#0;", "\u{fffd}", ""),
        ] {
            assert_eq!(decoded(text), Some((said.to_owned(), rest)), "{text}");
        }
        for mere in ["&", "&&", "&;", "&1;", "&#;", "&#x;", "& amp;", "&D", "&desconhecida;", "&hellip"] {
            assert_eq!(decoded(mere), None, "{mere}");
        }
    }
}
