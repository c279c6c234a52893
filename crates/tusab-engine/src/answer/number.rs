//! Numbers in a text, compared by their exact value however they are written.

mod digits;
mod spoken;

use std::collections::HashSet;
use std::ops::Range;

use tusab_index::StemmedWord;

/// The exact value of a number in decimal digits, without zeros that say nothing: `1500`, `0.5`. A number with several
/// points, such as a version or a date, is itself: `1.2.3`.
pub(super) type Value = String;

/// A number in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Number {
    /// Where it stands.
    pub(super) bytes: Range<usize>,
    /// What it can mean: `1.234` is a thousand and more in one language and one and a bit in another.
    readings: Vec<Value>,
    /// The numbers that it is written with, where they can stand for it: the groups of `1.2.3` or `10 000`.
    parts: Vec<Value>,
    /// What else a source says with it: `3` in `3 million`.
    also: Vec<Value>,
}

/// The numbers of a text, in their order: in digits, and in words where the primary tag of its language is that of
/// Portuguese, English or Spanish. `words` are its words.
pub(super) fn numbers(text: &str, words: &[StemmedWord], language: &str) -> Vec<Number> {
    let mut found = digits::numbers(text);
    found.extend(spoken::numbers(text, words, language));
    found.sort_by_key(|number| (number.bytes.start, number.bytes.end));
    found
}

/// The numbers that some sources say.
#[derive(Debug, Default)]
pub(super) struct Said(HashSet<Value>);

impl Said {
    /// Takes in what a source says.
    pub(super) fn add(&mut self, text: &str, words: &[StemmedWord], language: &str) {
        for Number { readings, parts, also, .. } in numbers(text, words, language) {
            self.0.extend(readings.into_iter().chain(parts).chain(also));
        }
        self.0.extend(spoken::one(words));
    }

    /// True when a source says the number, in whatever form.
    pub(super) fn holds(&self, number: &Number) -> bool {
        number.readings.iter().any(|reading| self.0.contains(reading))
            || (!number.parts.is_empty() && number.parts.iter().all(|part| self.0.contains(part)))
    }
}

/// An exact number from its digits before and after the point.
fn value(whole: &str, fraction: &str) -> Value {
    let whole = whole.trim_start_matches('0');
    let fraction = fraction.trim_end_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

/// A number times a power of ten.
fn scaled(number: &str, zeros: usize) -> Value {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let mut digits = fraction.chars();
    let mut moved = whole.to_owned();
    moved.extend((0..zeros).map(|_| digits.next().unwrap_or('0')));
    value(&moved, digits.as_str())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tusab_index::stemmed_words;

    use super::*;

    fn read(text: &str, code: &str) -> Vec<Number> {
        numbers(text, &stemmed_words(text, Some(&code.parse().unwrap())), code)
    }

    fn said(text: &str, code: &str) -> Said {
        let mut said = Said::default();
        said.add(text, &stemmed_words(text, Some(&code.parse().unwrap())), code);
        said
    }

    /// True when a source says all numbers of an answer, both in the same language.
    fn says(source: &str, answer: &str, code: &str) -> bool {
        let said = said(source, code);
        let numbers = read(answer, code);
        assert!(!numbers.is_empty(), "{answer} has no number");
        numbers.iter().all(|number| said.holds(number))
    }

    #[test]
    fn a_number_is_the_same_however_it_is_written() {
        for (source, answer, code) in [
            ("custa R$ 1.500,00", "1500", "pt"),
            ("custa 1,500.00 dollars", "1.500", "pt"),
            ("são 1500 alunos", "1.500 alunos", "pt"),
            ("3,5 litros", "3.5 litros", "pt"),
            ("3,50", "3.5", "pt"),
            ("10\u{202f}000 habitantes", "10.000", "pt"),
            ("10 000 habitantes", "10000", "pt"),
            ("doze meses", "12 meses", "pt"),
            ("12 meses", "doze meses", "pt"),
            ("vinte e três horas", "23 h", "pt"),
            ("mil e duzentos reais", "1.200", "pt"),
            ("cento e vinte e cinco", "125", "pt"),
            ("dois mil e vinte e quatro", "2024", "pt"),
            ("3 milhões de pessoas", "3.000.000", "pt"),
            ("R$ 2,5 mil", "2500", "pt"),
            ("twenty-three", "23", "en"),
            ("two hundred and five", "205", "en"),
            ("one million three hundred thousand", "1,300,000", "en"),
            ("3 million", "3,000,000", "en"),
            ("10k users", "10 000", "en"),
            ("veintitrés días", "23", "es"),
            ("dos mil quinientos", "2.500", "es"),
            ("treinta y cinco", "35", "es"),
            ("Lei 14.688/2023", "Lei nº 14.688, de 2023", "pt"),
            ("às 12h30", "12:30", "pt"),
            ("em 12/03/2024", "12 de março de 2024", "pt"),
            ("versão 1.2.3", "1.2.3", "pt"),
            ("20%", "20 %", "pt"),
            ("1º lugar", "1", "pt"),
            ("005", "5", "pt"),
            ("uma hora", "1 hora", "pt"),
            ("５ horas", "5 horas", "pt"),
        ] {
            assert!(says(source, answer, code), "{source} / {answer}");
        }
    }

    #[test]
    fn another_number_is_another() {
        for (source, answer, code) in [
            ("custa R$ 1.500,00", "15", "pt"),
            ("1500", "150", "pt"),
            ("3 pessoas", "3 milhões", "pt"),
            ("3,5", "35", "pt"),
            ("23", "vinte e dois", "pt"),
            ("12 meses", "dois meses", "pt"),
            ("2024", "2023", "pt"),
            ("covid-19 em 2020", "20 pessoas", "pt"),
            ("dos alunos", "2 alunos", "pt"),
            ("once upon a time", "11", "en"),
            ("two, three", "23", "en"),
            ("R2D2", "2", "en"),
        ] {
            assert!(!says(source, answer, code), "{source} / {answer}");
        }
    }

    #[test]
    fn what_is_no_number_is_none() {
        for (text, code) in [
            ("GPT4 e H2O", "pt"),
            ("uma pessoa", "pt"),
            ("dos alunos", "pt"),
            ("", "en"),
            ("one", "en"),
            ("once", "en"),
        ] {
            assert_eq!(read(text, code), [], "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_number_is_found_where_it_stands(before in "[a-z ]{0,10} ", number in 0_u64..10_000_000, after in " [a-z ]{0,10}") {
            let text = format!("{before}{number}{after}");
            let found = digits::numbers(&text);
            prop_assert_eq!(found.len(), 1);
            prop_assert_eq!(&text[found[0].bytes.clone()], number.to_string());
        }

        #[test]
        fn grouped_digits_are_the_number(number in 0_u64..100_000_000_000, cents in 0_u8..100) {
            let digits = number.to_string();
            let grouped = |separator: char| {
                let mut grouped = String::new();
                for (at, digit) in digits.chars().enumerate() {
                    if at > 0 && (digits.len() - at) % 3 == 0 {
                        grouped.push(separator);
                    }
                    grouped.push(digit);
                }
                grouped
            };
            for text in [format!("{},{cents:02}", grouped('.')), format!("{}.{cents:02}", grouped(','))] {
                let said = said(&text, "pt");
                let plain = format!("{number}.{cents:02}");
                prop_assert!(digits::numbers(&plain).iter().all(|number| said.holds(number)), "{} {}", text, plain);
            }
        }

        #[test]
        fn spoken_numbers_are_their_digits(number in 2_u32..1_000_000) {
            for (code, spoken) in [("pt", spoken::portuguese(number)), ("en", spoken::english(number))] {
                let found = read(&spoken, code);
                let values: Vec<&String> = found.iter().flat_map(|found| &found.readings).collect();
                prop_assert_eq!(values, [&number.to_string()], "{}", spoken);
            }
        }

        #[test]
        fn any_text_can_be_read(text in ".{0,80}", digits in "[0-9.,' /:h\u{a0}kmº%-]{0,60}", words in "((dois|mil|e|hundred|two|and|cento|vinte|milhões|um)[ -]){0,12}") {
            for text in [text, digits, words] {
                for number in read(&text, "pt") {
                    prop_assert!(text.get(number.bytes.clone()).is_some_and(|part| !part.is_empty()));
                    prop_assert!(!number.readings.is_empty());
                }
            }
        }
    }
}
