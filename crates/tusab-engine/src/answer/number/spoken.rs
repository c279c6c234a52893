//! Numbers in words, in Portuguese, English and Spanish.

use tusab_index::StemmedWord;

use super::{Number, Value};

/// What a word of a number does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    /// Adds 0 to 9.
    Unit(u64),
    /// Adds 10 to 19, after which no unit comes.
    Teen(u64),
    /// Adds 20 to 90.
    Ten(u64),
    /// Adds 100 to 900.
    Hundred(u64),
    /// Multiplies what came before: `two hundred`.
    Hundreds,
    /// Multiplies what came before by a thousand, a million ...
    Scale(u64),
}

use Word::{Hundred, Hundreds, Scale, Teen, Ten, Unit};

const PORTUGUESE: &[(&str, Word)] = &[
    ("zero", Unit(0)),
    ("um", Unit(1)),
    ("uma", Unit(1)),
    ("dois", Unit(2)),
    ("duas", Unit(2)),
    ("tres", Unit(3)),
    ("quatro", Unit(4)),
    ("cinco", Unit(5)),
    ("seis", Unit(6)),
    ("sete", Unit(7)),
    ("oito", Unit(8)),
    ("nove", Unit(9)),
    ("dez", Teen(10)),
    ("onze", Teen(11)),
    ("doze", Teen(12)),
    ("treze", Teen(13)),
    ("catorze", Teen(14)),
    ("quatorze", Teen(14)),
    ("quinze", Teen(15)),
    ("dezesseis", Teen(16)),
    ("dezasseis", Teen(16)),
    ("dezessete", Teen(17)),
    ("dezassete", Teen(17)),
    ("dezoito", Teen(18)),
    ("dezenove", Teen(19)),
    ("dezanove", Teen(19)),
    ("vinte", Ten(20)),
    ("trinta", Ten(30)),
    ("quarenta", Ten(40)),
    ("cinquenta", Ten(50)),
    ("sessenta", Ten(60)),
    ("setenta", Ten(70)),
    ("oitenta", Ten(80)),
    ("noventa", Ten(90)),
    ("cem", Hundred(100)),
    ("cento", Hundred(100)),
    ("duzentos", Hundred(200)),
    ("duzentas", Hundred(200)),
    ("trezentos", Hundred(300)),
    ("trezentas", Hundred(300)),
    ("quatrocentos", Hundred(400)),
    ("quatrocentas", Hundred(400)),
    ("quinhentos", Hundred(500)),
    ("quinhentas", Hundred(500)),
    ("seiscentos", Hundred(600)),
    ("seiscentas", Hundred(600)),
    ("setecentos", Hundred(700)),
    ("setecentas", Hundred(700)),
    ("oitocentos", Hundred(800)),
    ("oitocentas", Hundred(800)),
    ("novecentos", Hundred(900)),
    ("novecentas", Hundred(900)),
    ("mil", Scale(1_000)),
    ("milhao", Scale(1_000_000)),
    ("milhoes", Scale(1_000_000)),
    ("bilhao", Scale(1_000_000_000)),
    ("bilhoes", Scale(1_000_000_000)),
];

const ENGLISH: &[(&str, Word)] = &[
    ("zero", Unit(0)),
    ("one", Unit(1)),
    ("two", Unit(2)),
    ("three", Unit(3)),
    ("four", Unit(4)),
    ("five", Unit(5)),
    ("six", Unit(6)),
    ("seven", Unit(7)),
    ("eight", Unit(8)),
    ("nine", Unit(9)),
    ("ten", Teen(10)),
    ("eleven", Teen(11)),
    ("twelve", Teen(12)),
    ("thirteen", Teen(13)),
    ("fourteen", Teen(14)),
    ("fifteen", Teen(15)),
    ("sixteen", Teen(16)),
    ("seventeen", Teen(17)),
    ("eighteen", Teen(18)),
    ("nineteen", Teen(19)),
    ("twenty", Ten(20)),
    ("thirty", Ten(30)),
    ("forty", Ten(40)),
    ("fifty", Ten(50)),
    ("sixty", Ten(60)),
    ("seventy", Ten(70)),
    ("eighty", Ten(80)),
    ("ninety", Ten(90)),
    ("hundred", Hundreds),
    ("thousand", Scale(1_000)),
    ("million", Scale(1_000_000)),
    ("billion", Scale(1_000_000_000)),
];

const SPANISH: &[(&str, Word)] = &[
    ("cero", Unit(0)),
    ("un", Unit(1)),
    ("uno", Unit(1)),
    ("una", Unit(1)),
    ("dos", Unit(2)),
    ("tres", Unit(3)),
    ("cuatro", Unit(4)),
    ("cinco", Unit(5)),
    ("seis", Unit(6)),
    ("siete", Unit(7)),
    ("ocho", Unit(8)),
    ("nueve", Unit(9)),
    ("diez", Teen(10)),
    ("once", Teen(11)),
    ("doce", Teen(12)),
    ("trece", Teen(13)),
    ("catorce", Teen(14)),
    ("quince", Teen(15)),
    ("dieciseis", Teen(16)),
    ("diecisiete", Teen(17)),
    ("dieciocho", Teen(18)),
    ("diecinueve", Teen(19)),
    ("veinte", Ten(20)),
    ("veintiuno", Teen(21)),
    ("veintiun", Teen(21)),
    ("veintiuna", Teen(21)),
    ("veintidos", Teen(22)),
    ("veintitres", Teen(23)),
    ("veinticuatro", Teen(24)),
    ("veinticinco", Teen(25)),
    ("veintiseis", Teen(26)),
    ("veintisiete", Teen(27)),
    ("veintiocho", Teen(28)),
    ("veintinueve", Teen(29)),
    ("treinta", Ten(30)),
    ("cuarenta", Ten(40)),
    ("cincuenta", Ten(50)),
    ("sesenta", Ten(60)),
    ("setenta", Ten(70)),
    ("ochenta", Ten(80)),
    ("noventa", Ten(90)),
    ("cien", Hundred(100)),
    ("ciento", Hundred(100)),
    ("doscientos", Hundred(200)),
    ("doscientas", Hundred(200)),
    ("trescientos", Hundred(300)),
    ("trescientas", Hundred(300)),
    ("cuatrocientos", Hundred(400)),
    ("cuatrocientas", Hundred(400)),
    ("quinientos", Hundred(500)),
    ("quinientas", Hundred(500)),
    ("seiscientos", Hundred(600)),
    ("seiscientas", Hundred(600)),
    ("setecientos", Hundred(700)),
    ("setecientas", Hundred(700)),
    ("ochocientos", Hundred(800)),
    ("ochocientas", Hundred(800)),
    ("novecientos", Hundred(900)),
    ("novecientas", Hundred(900)),
    ("mil", Scale(1_000)),
    ("millon", Scale(1_000_000)),
    ("millones", Scale(1_000_000)),
];

/// The numbers in words among the words of a text in the language with that primary tag; none in other languages, since
/// `dos` and `once` are numbers in one language and something else in the next. A lone `one` or `um` is an article.
pub(super) fn numbers(text: &str, words: &[StemmedWord], language: &str) -> Vec<Number> {
    let (table, and) = match language {
        "pt" => (PORTUGUESE, "e"),
        "en" => (ENGLISH, "and"),
        "es" => (SPANISH, "y"),
        _ => return Vec::new(),
    };
    let meaning =
        |word: &StemmedWord| table.iter().find(|(token, _)| *token == word.token).map(|(_, word)| *word);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = words.get(at) {
        let mut sum = Sum::default();
        // The word after digits multiplies them, and is read with them.
        let is_after_digits = at.checked_sub(1).and_then(|before| words.get(before)).is_some_and(|before| {
            before.token.ends_with(|c: char| c.is_ascii_digit()) && adjoin(text, before, first)
        });
        let begins = meaning(first).filter(|word| !(is_after_digits && matches!(word, Scale(_))));
        if !begins.is_some_and(|word| sum.add(word)) {
            at += 1;
            continue;
        }
        let (mut last, mut next) = (first, at + 1);
        loop {
            let is_and = words.get(next).is_some_and(|word| word.token == and);
            let candidate = next + usize::from(is_and);
            let Some(word) = words.get(candidate) else { break };
            let touches = adjoin(text, last, words.get(next).unwrap_or(word))
                && (!is_and || words.get(next).is_some_and(|and| adjoin(text, and, word)));
            if !touches || !meaning(word).is_some_and(|word| sum.add(word)) {
                break;
            }
            last = word;
            next = candidate + 1;
        }
        let is_article = next == at + 1 && begins == Some(Unit(1));
        if !is_article {
            let reading = vec![sum.value().to_string()];
            let bytes = first.bytes.start..last.bytes.end;
            found.push(Number { bytes, readings: reading, parts: Vec::new(), also: Vec::new() });
        }
        at = next;
    }
    found
}

/// The one of `uma hora`: a source may mean the number by what mostly is an article.
pub(super) fn one(words: &[StemmedWord]) -> Option<Value> {
    let says =
        |word: &StemmedWord| matches!(word.token.as_str(), "um" | "uma" | "one" | "un" | "uno" | "una");
    words.iter().any(says).then(|| "1".to_owned())
}

/// True when nothing but a space or a hyphen stands between two words.
fn adjoin(text: &str, one: &StemmedWord, next: &StemmedWord) -> bool {
    let between = text.get(one.bytes.end..next.bytes.start).unwrap_or("?");
    between.chars().all(|c| c.is_whitespace() || c == '-') && between.chars().count() <= 2
}

/// A number being put together from its words.
#[derive(Debug, Default)]
struct Sum {
    /// Thousands, millions ... that are complete.
    total: u64,
    /// The smallest scale used so far.
    scale: Option<u64>,
    /// What is under the next scale word.
    group: u64,
    /// What the group may still take: numbers under this.
    room: Option<u64>,
}

impl Sum {
    /// Adds a word if the number can go on with it.
    fn add(&mut self, word: Word) -> bool {
        let room = self.room.unwrap_or(1_000);
        match word {
            Unit(value) => self.put(value, room >= 10 && (value > 0 || self.is_empty()), 0),
            Teen(value) => self.put(value, room >= 100, 0),
            Ten(value) => self.put(value, room >= 100, 10),
            Hundred(value) => self.put(value, room >= 1_000, 100),
            Hundreds => {
                let fits = (1..10).contains(&self.group) && self.room == Some(0);
                self.group *= if fits { 100 } else { 1 };
                self.room = if fits { Some(100) } else { self.room };
                fits
            }
            Scale(scale) => {
                // `mil` stands alone; `million` needs its number.
                let fits = self.scale.is_none_or(|smallest| scale < smallest)
                    && (self.group > 0 || (scale == 1_000 && self.is_empty()));
                if fits {
                    self.total = self.total.saturating_add(self.group.max(1).saturating_mul(scale));
                    (self.group, self.room, self.scale) = (0, None, Some(scale));
                }
                fits
            }
        }
    }

    fn put(&mut self, value: u64, fits: bool, room: u64) -> bool {
        if fits {
            self.group += value;
            self.room = Some(room);
        }
        fits
    }

    fn is_empty(&self) -> bool {
        self.scale.is_none() && self.room.is_none()
    }

    fn value(&self) -> u64 {
        self.total.saturating_add(self.group)
    }
}

/// A number in Portuguese words, for tests.
#[cfg(test)]
pub(super) fn portuguese(number: u32) -> String {
    let word = |wanted: Word| PORTUGUESE.iter().find(|(_, word)| *word == wanted).unwrap().0.to_owned();
    let below = |number: u32| -> Vec<String> {
        let mut parts = Vec::new();
        let (hundreds, rest) = (number / 100 * 100, number % 100);
        if number == 100 {
            return vec!["cem".to_owned()];
        }
        if hundreds == 100 {
            parts.push("cento".to_owned());
        } else if hundreds > 0 {
            parts.push(word(Hundred(hundreds.into())));
        }
        match rest {
            0 => {}
            1..10 => parts.push(word(Unit(rest.into()))),
            10..20 => parts.push(word(Teen(rest.into()))),
            _ => {
                parts.push(word(Ten((rest / 10 * 10).into())));
                if rest % 10 > 0 {
                    parts.push(word(Unit((rest % 10).into())));
                }
            }
        }
        parts
    };
    let (thousands, rest) = (number / 1_000, number % 1_000);
    let mut said = Vec::new();
    if thousands > 1 {
        said.push(below(thousands).join(" e "));
    }
    if thousands > 0 {
        said.push("mil".to_owned());
    }
    let mut spoken = said.join(" ");
    if rest > 0 {
        let joint = if thousands == 0 {
            ""
        } else if rest <= 100 || rest % 100 == 0 {
            " e "
        } else {
            " "
        };
        spoken = format!("{spoken}{joint}{}", below(rest).join(" e "));
    }
    spoken
}

/// A number in English words, for tests.
#[cfg(test)]
pub(super) fn english(number: u32) -> String {
    let word = |wanted: Word| ENGLISH.iter().find(|(_, word)| *word == wanted).unwrap().0.to_owned();
    let below = |number: u32| -> String {
        let (hundreds, rest) = (number / 100, number % 100);
        let mut parts = Vec::new();
        if hundreds > 0 {
            parts.push(format!("{} hundred", word(Unit(hundreds.into()))));
        }
        match rest {
            0 => {}
            1..10 => parts.push(word(Unit(rest.into()))),
            10..20 => parts.push(word(Teen(rest.into()))),
            _ if rest % 10 == 0 => parts.push(word(Ten(rest.into()))),
            _ => {
                let (ten, unit) = (rest / 10 * 10, rest % 10);
                parts.push(format!("{}-{}", word(Ten(ten.into())), word(Unit(unit.into()))));
            }
        }
        parts.join(" and ")
    };
    let (thousands, rest) = (number / 1_000, number % 1_000);
    let mut parts = Vec::new();
    if thousands > 0 {
        parts.push(format!("{} thousand", below(thousands)));
    }
    if rest > 0 {
        parts.push(below(rest));
    }
    parts.join(" ")
}
