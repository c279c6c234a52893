//! From a question to numbers and signs.

use super::rational::Rational;
use crate::answer::Voice;

/// Longest calculation, in characters.
const LONGEST: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    Number(Rational),
    Plus,
    Minus,
    Times,
    Divided,
    Power,
    Squared,
    Cubed,
    /// The part of what follows.
    PercentOf,
    /// Of what stands before the sign before it: `R$ 200 + 10%`.
    Percent,
    Open,
    Close,
}

/// A calculation as it was typed.
pub(super) struct Written {
    pub(super) expression: String,
    pub(super) tokens: Vec<Token>,
    pub(super) voice: Option<Voice>,
    /// The sign of the money that comes out.
    pub(super) currency: Option<&'static str>,
}

/// How surely words before it ask for a calculation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// "How much is".
    Surely,
    /// "What is", which is asked of all things.
    Perhaps,
    /// There are none.
    No,
}

const ASKING: [(Voice, Asked, &[&str]); 5] = [
    (
        Voice::Portuguese,
        Asked::Surely,
        &[
            "quanto é",
            "quanto e",
            "quanto dá",
            "quanto da",
            "quanto são",
            "quanto sao",
            "quanto fica",
            "calcule",
            "calcula",
            "calcular",
            "qual é o resultado de",
            "qual o resultado de",
            "resultado de",
        ],
    ),
    (
        Voice::English,
        Asked::Surely,
        &["how much is", "calculate", "compute", "what is the result of", "what's the result of"],
    ),
    (Voice::English, Asked::Perhaps, &["what is", "what's", "what’s"]),
    (
        Voice::Spanish,
        Asked::Surely,
        &[
            "cuánto es",
            "cuanto es",
            "cuánto da",
            "cuanto da",
            "cuánto son",
            "cuanto son",
            "cuál es el resultado de",
            "cual es el resultado de",
        ],
    ),
    (Voice::Portuguese, Asked::Perhaps, &["qual é", "qual e"]),
];

/// Signs in words. Those of one language only count where nothing was asked in another.
const WORDS: [(&str, Option<Voice>, Token); 29] = [
    ("multiplicado por", None, Token::Times),
    ("multiplied by", Some(Voice::English), Token::Times),
    ("vezes", Some(Voice::Portuguese), Token::Times),
    ("times", Some(Voice::English), Token::Times),
    ("dividido por", None, Token::Divided),
    ("dividido entre", Some(Voice::Spanish), Token::Divided),
    ("divided by", Some(Voice::English), Token::Divided),
    ("entre", Some(Voice::Spanish), Token::Divided),
    ("por", Some(Voice::Spanish), Token::Times),
    ("elevado a", None, Token::Power),
    ("elevado à", Some(Voice::Portuguese), Token::Power),
    ("to the power of", Some(Voice::English), Token::Power),
    ("ao quadrado", Some(Voice::Portuguese), Token::Squared),
    ("al cuadrado", Some(Voice::Spanish), Token::Squared),
    ("squared", Some(Voice::English), Token::Squared),
    ("ao cubo", Some(Voice::Portuguese), Token::Cubed),
    ("al cubo", Some(Voice::Spanish), Token::Cubed),
    ("cubed", Some(Voice::English), Token::Cubed),
    ("mais", Some(Voice::Portuguese), Token::Plus),
    ("más", Some(Voice::Spanish), Token::Plus),
    ("mas", Some(Voice::Spanish), Token::Plus),
    ("plus", Some(Voice::English), Token::Plus),
    ("menos", None, Token::Minus),
    ("minus", Some(Voice::English), Token::Minus),
    ("por cento de", Some(Voice::Portuguese), Token::PercentOf),
    ("por ciento de", Some(Voice::Spanish), Token::PercentOf),
    ("percent of", Some(Voice::English), Token::PercentOf),
    ("% de", None, Token::PercentOf),
    ("% of", Some(Voice::English), Token::PercentOf),
];

/// Reads a calculation; `None` for what is none, or may be something else.
pub(super) fn read(question: &str) -> Option<Written> {
    if question.chars().count() > LONGEST {
        return None;
    }
    let text = question.trim().trim_start_matches('¿').trim_start();
    let (asked, voice, text) = without_asking(text);
    let mut text = text.trim_end_matches(['?', '!', '.', ' ']);
    for please in [", por favor", " por favor", ", please", " please"] {
        text = strip_suffix(text, please).unwrap_or(text);
    }
    let is_equated = text.ends_with('=');
    let expression = text.trim_end_matches(['=', ' ']);
    let pieces = pieces(expression, voice)?;
    let currency = currency(&pieces)?;
    let voice = voice.or_else(|| pieces.iter().find_map(|piece| piece.voice));
    // Reais are written as in Brazil.
    let voice = voice.or_else(|| (currency == Some(REAIS)).then_some(Voice::Portuguese));
    let decimals = Decimals::of(voice, &pieces)?;
    let mut tokens = Vec::with_capacity(pieces.len());
    for piece in &pieces {
        tokens.push(match piece.what {
            What::Sign(token) => token,
            What::Number(digits) => Token::Number(decimals.read(digits)?),
        });
    }
    let asked = if is_equated { Asked::Surely } else { asked };
    is_beyond_doubt(asked, &pieces).then(|| Written {
        expression: expression.to_owned(),
        tokens,
        voice,
        currency,
    })
}

/// The words that ask for it, whose language they are, and what is left.
fn without_asking(text: &str) -> (Asked, Option<Voice>, &str) {
    let mut best = (Asked::No, None, text);
    for (voice, asked, openings) in ASKING {
        for opening in openings {
            if let Some(rest) = strip_prefix(text, opening)
                && rest.starts_with(|c: char| c.is_whitespace() || c == ':')
                && rest.len() < best.2.len()
            {
                best = (asked, Some(voice), rest.trim_start_matches([' ', ':', '\t']));
            }
        }
    }
    best
}

#[derive(Debug, Clone, Copy)]
struct Piece<'a> {
    what: What<'a>,
    /// The language of a sign in words.
    voice: Option<Voice>,
    /// White space stands before it.
    is_apart: bool,
    is_letter: bool,
    /// The sign of money before a number.
    currency: Option<&'static str>,
}

#[derive(Debug, Clone, Copy)]
enum What<'a> {
    /// Digits, points and commas, as typed.
    Number(&'a str),
    Sign(Token),
}

/// Numbers and signs; `None` when there is anything else.
fn pieces(text: &str, asked_in: Option<Voice>) -> Option<Vec<Piece<'_>>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let trimmed = rest.trim_start();
        let is_apart = trimmed.len() < rest.len();
        rest = trimmed;
        let currency = CURRENCIES.into_iter().find(|currency| rest.starts_with(currency));
        if let Some(currency) = currency {
            rest = rest.get(currency.len()..)?.trim_start();
        }
        let Some(first) = rest.chars().next() else { break };
        if currency.is_some() && !first.is_ascii_digit() {
            return None;
        }
        if first.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(rest.len());
            let digits = rest.get(..end)?.trim_end_matches(['.', ',']);
            rest = rest.get(digits.len()..)?;
            pieces.push(Piece {
                what: What::Number(digits),
                voice: None,
                is_apart,
                is_letter: false,
                currency,
            });
            continue;
        }
        let (token, voice, length, is_letter) = sign(rest, asked_in)?;
        rest = rest.get(length..)?;
        pieces.push(Piece { what: What::Sign(token), voice, is_apart, is_letter, currency: None });
    }
    Some(pieces)
}

const REAIS: &str = "R$";

/// Signs of money, the longer ones first.
const CURRENCIES: [&str; 5] = ["US$", REAIS, "$", "€", "£"];

/// The money that comes out of a calculation: none where there is none in it. `None` for what cannot be worked out, such as
/// two kinds of money, money by money, or money and a bare number; and for a percentage of no money, which could be meant
/// in two ways.
#[allow(clippy::option_option, reason = "no money is an answer too")]
fn currency(pieces: &[Piece<'_>]) -> Option<Option<&'static str>> {
    let signs = || {
        pieces.iter().filter_map(|piece| match piece.what {
            What::Sign(token) => Some(token),
            What::Number(_) => None,
        })
    };
    let has = |tokens: &[Token]| signs().any(|token| tokens.contains(&token));
    let Some(currency) = pieces.iter().find_map(|piece| piece.currency) else {
        return (!has(&[Token::Percent])).then_some(None);
    };
    if pieces.iter().filter_map(|piece| piece.currency).any(|other| other != currency)
        || has(&[Token::Power, Token::Squared, Token::Cubed])
    {
        return None;
    }
    let is_number = |piece: &Piece<'_>| matches!(piece.what, What::Number(_));
    if !has(&[Token::Times, Token::Divided, Token::PercentOf]) {
        // Sums of money, and percentages of them.
        let next_to = |at: usize| pieces.get(at + 1).map(|piece| piece.what);
        let is_fit = |(at, piece): (usize, &Piece<'_>)| {
            !is_number(piece)
                || piece.currency.is_some() != matches!(next_to(at), Some(What::Sign(Token::Percent)))
        };
        return pieces.iter().enumerate().all(is_fit).then_some(Some(currency));
    }
    // Once money, times or divided by numbers; never a number divided by money.
    let is_divisor = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| pieces.get(at));
        before.is_some_and(|piece| matches!(piece.what, What::Sign(Token::Divided)))
    };
    let mut money = pieces.iter().enumerate().filter(|(_, piece)| piece.currency.is_some());
    let is_once = money.next().is_some_and(|(at, _)| !is_divisor(at)) && money.next().is_none();
    let is_plain = !has(&[Token::Plus, Token::Minus, Token::Percent, Token::Open, Token::Close]);
    (is_once && is_plain).then_some(Some(currency))
}

/// The sign that a text begins with, its language and its length.
fn sign(text: &str, asked_in: Option<Voice>) -> Option<(Token, Option<Voice>, usize, bool)> {
    for (word, voice, token) in WORDS {
        let is_spoken = asked_in.is_none() || voice.is_none() || voice == asked_in;
        if is_spoken
            && let Some(rest) = strip_prefix(text, word)
            && !rest.starts_with(char::is_alphabetic)
        {
            return Some((token, voice, text.len() - rest.len(), false));
        }
    }
    if text.starts_with("**") {
        return Some((Token::Power, None, 2, false));
    }
    let first = text.chars().next()?;
    let token = match first {
        '+' => Token::Plus,
        '-' | '−' | '–' => Token::Minus,
        '*' | '×' | '·' | 'x' | 'X' => Token::Times,
        '/' | '÷' => Token::Divided,
        '^' => Token::Power,
        '²' => Token::Squared,
        '³' => Token::Cubed,
        '%' => Token::Percent,
        '(' => Token::Open,
        ')' => Token::Close,
        _ => return None,
    };
    Some((token, None, first.len_utf8(), first.is_ascii_alphabetic()))
}

/// Whether it can be nothing but a calculation: not a range, a date, a phone number, the number of a law.
fn is_beyond_doubt(asked: Asked, pieces: &[Piece<'_>]) -> bool {
    if asked == Asked::Surely {
        return true;
    }
    let mut doubtful = 0;
    let mut sure = 0;
    for (at, piece) in pieces.iter().enumerate() {
        let What::Sign(token) = piece.what else { continue };
        let is_spaced = piece.is_apart && pieces.get(at + 1).is_some_and(|next| next.is_apart);
        match token {
            Token::Open | Token::Close => {}
            Token::Minus if at == 0 => {}
            Token::Minus | Token::Divided if piece.voice.is_none() => {
                let around = [at.checked_sub(1), Some(at + 1)].map(|at| pieces.get(at?).copied());
                // Days, months and the like: 24/7, 9/11.
                let is_small = around.iter().flatten().all(|piece| {
                    matches!(piece.what, What::Number(digits) if digits.parse::<u32>().is_ok_and(|number| number <= 31))
                });
                let is_clear = is_spaced || (token == Token::Divided && !is_small);
                if asked == Asked::Perhaps && is_clear { sure += 1 } else { doubtful += 1 }
            }
            Token::Times if piece.is_letter && !(asked == Asked::Perhaps && is_spaced) => doubtful += 1,
            _ => sure += 1,
        }
    }
    // A plus at the beginning is that of a phone number.
    let begins_with_plus = matches!(pieces.first().map(|piece| piece.what), Some(What::Sign(Token::Plus)));
    sure > 0 && !begins_with_plus && (doubtful == 0 || asked == Asked::No)
}

/// Which sign stands before the decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decimals {
    /// `1.234,5`
    Comma,
    /// `1,234.5`
    Point,
    /// No number of the calculation needs to know.
    Either,
}

impl Decimals {
    /// As the language has it, or as the numbers themselves show; `None` when a number could be two.
    fn of(voice: Option<Voice>, pieces: &[Piece<'_>]) -> Option<Self> {
        let numbers = || {
            pieces.iter().filter_map(|piece| match piece.what {
                What::Number(digits) => Some(digits),
                What::Sign(_) => None,
            })
        };
        let shown = numbers().find_map(Self::shown_by);
        let told = match voice {
            Some(Voice::Portuguese) => Some(Self::Comma),
            Some(Voice::English) => Some(Self::Point),
            // Spain writes commas, Mexico points.
            Some(Voice::Spanish) | None => None,
        };
        match shown.or(told) {
            Some(decimals) => Some(decimals),
            None if numbers().all(|digits| digits.bytes().all(|b| b.is_ascii_digit())) => Some(Self::Either),
            None => None,
        }
    }

    /// What a number shows that can be read in one way only.
    fn shown_by(digits: &str) -> Option<Self> {
        let (points, commas) = (digits.matches('.').count(), digits.matches(',').count());
        let decimals = |sign| digits.rsplit(sign).next().unwrap_or_default().len();
        // A sign that stands once, before three digits, may part decimals or thousands.
        let is_clear = |sign| decimals(sign) != 3 || digits.starts_with('0');
        match (points, commas) {
            (1, 0) if is_clear('.') => Some(Self::Point),
            (0, 1) if is_clear(',') => Some(Self::Comma),
            (0 | 1, 0) | (0, 1) => None,
            // One that stands several times parts thousands; of two, the last stands before the decimals.
            _ if commas == 0 || (points > 0 && digits.rfind(',') > digits.rfind('.')) => Some(Self::Comma),
            _ => Some(Self::Point),
        }
    }

    fn read(self, digits: &str) -> Option<Rational> {
        let (decimal, group) = match self {
            Self::Comma => (',', '.'),
            Self::Point | Self::Either => ('.', ','),
        };
        let (whole, fraction) = digits.split_once(decimal).unwrap_or((digits, ""));
        let groups: Vec<&str> = whole.split(group).collect();
        let is_grouped = groups.len() == 1
            || (groups.iter().skip(1).all(|group| group.len() == 3)
                && groups.first().is_some_and(|first| (1..=3).contains(&first.len())));
        let is_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        if !is_grouped
            || !groups.iter().all(|group| is_digits(group))
            || !is_digits(fraction)
            || fraction.len() > 15
        {
            return None;
        }
        let bottom = 10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
        Rational::new(format!("{}{fraction}", groups.concat()).parse().ok()?, bottom)
    }
}

/// The rest of a text that begins with `prefix`, in any case.
fn strip_prefix<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let mut rest = text.chars();
    for wanted in prefix.chars() {
        let c = rest.next()?;
        if c != wanted && !c.to_lowercase().eq(std::iter::once(wanted)) {
            return None;
        }
    }
    Some(rest.as_str())
}

/// The beginning of a text that ends with `suffix`, which is ASCII, in any case.
fn strip_suffix<'a>(text: &'a str, suffix: &str) -> Option<&'a str> {
    let at = text.len().checked_sub(suffix.len())?;
    let (before, end) = text.split_at_checked(at)?;
    end.eq_ignore_ascii_case(suffix).then_some(before)
}
