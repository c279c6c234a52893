//! Arithmetic with the numbers of the question, exactly: `quanto é 15% de 1.240,50?`.
//!
//! Only what is nothing but a calculation is taken for one; numbers that read otherwise here and there, dates, ranges and
//! the numbers of laws are not.

mod parse;
mod rational;
mod read;

use parse::Outcome;
use rational::Rational;
use read::Written;

use crate::answer::Voice;

/// A calculation and what comes out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Solved {
    /// As it was typed.
    expression: String,
    result: Option<Rational>,
    /// The sign of the money that it is.
    currency: Option<&'static str>,
    /// The language it was asked in, where it was asked in words.
    pub(super) voice: Option<Voice>,
}

/// Solves what `question` asks, if that is a calculation beyond doubt.
pub(super) fn solve(question: &str) -> Option<Solved> {
    let Written { expression, tokens, voice, currency } = read::read(question)?;
    let result = match parse::evaluate(&tokens)? {
        Outcome::Number(number) => Some(number),
        Outcome::DividedByZero => None,
    };
    Some(Solved { expression, result, currency, voice })
}

impl Solved {
    /// The result, for people.
    pub(super) fn told(&self, voice: Voice) -> String {
        let comma = if voice == Voice::English { '.' } else { ',' };
        let Some(result) = self.result else {
            return match voice {
                Voice::Portuguese => "Uma divisão por zero não tem resultado.",
                Voice::English => "A division by zero has no result.",
                Voice::Spanish => "Una división por cero no tiene resultado.",
            }
            .to_owned();
        };
        match result.decimal(comma) {
            Ok(exact) => format!("{} = {}", self.expression, self.in_money(exact, comma)),
            Err(rounded) => {
                format!("{} ≈ {} ({result})", self.expression, self.in_money(rounded, comma))
            }
        }
    }

    /// With the sign of the money and two decimals at least; what is no money as it is.
    fn in_money(&self, number: String, comma: char) -> String {
        let Some(currency) = self.currency else { return number };
        let (whole, decimals) = number.split_once(comma).unwrap_or((&number, ""));
        let (minus, whole) = whole.strip_prefix('-').map_or(("", whole), |whole| ("-", whole));
        let space = if currency.len() > 1 && currency.is_ascii() { " " } else { "" };
        format!("{minus}{currency}{space}{whole}{comma}{decimals:0<2}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(question: &str) -> Option<String> {
        let solved = solve(question)?;
        let voice = solved.voice.unwrap_or(Voice::Portuguese);
        Some(solved.told(voice))
    }

    #[test]
    fn calculations_are_exact() {
        for (question, expected) in [
            ("Quanto é 2 + 2?", "2 + 2 = 4"),
            ("2+2", "2+2 = 4"),
            ("0,1 + 0,2", "0,1 + 0,2 = 0,3"),
            ("quanto é 1.234,50 + 0,5?", "1.234,50 + 0,5 = 1235"),
            ("quanto é 1.234 + 1", "1.234 + 1 = 1235"),
            ("quanto é 15% de 1.240?", "15% de 1.240 = 186"),
            ("calcule (3 + 4) * 2^3 - 1", "(3 + 4) * 2^3 - 1 = 55"),
            ("quanto dá 10 dividido por 4", "10 dividido por 4 = 2,5"),
            ("Quanto é 7 vezes 8, por favor?", "7 vezes 8 = 56"),
            ("quanto é 5 ao quadrado", "5 ao quadrado = 25"),
            ("qual o resultado de 10/3?", "10/3 ≈ 3,3333333333 (10/3)"),
            ("quanto é -3 × -2", "-3 × -2 = 6"),
            ("quanto é 2020-2024?", "2020-2024 = -4"),
            ("10/2 =", "10/2 = 5"),
            ("quanto é 1/0?", "Uma divisão por zero não tem resultado."),
            ("quanto é 999999999999999 + 1?", "999999999999999 + 1 = 1000000000000000"),
            ("What is 1,234.5 * 2?", "1,234.5 * 2 = 2469"),
            ("what is 1.234 + 1", "1.234 + 1 = 2.234"),
            ("what's 10 / 4", "10 / 4 = 2.5"),
            ("What is 100/4?", "100/4 = 25"),
            ("How much is 3 x 4?", "3 x 4 = 12"),
            ("how much is 20% of 50", "20% of 50 = 10"),
            ("calculate 2 to the power of 10", "2 to the power of 10 = 1024"),
            ("¿Cuánto es 10 por 2?", "10 por 2 = 20"),
            ("¿Cuánto es 9 entre 2?", "9 entre 2 = 4,5"),
            ("¿cuánto es 2 más 3?", "2 más 3 = 5"),
            ("2^-2 + 0", "2^-2 + 0 = 0,25"),
            ("R$ 1.500,00 + 10%", "R$ 1.500,00 + 10% = R$ 1650,00"),
            ("quanto é R$ 1.500 - 10%?", "R$ 1.500 - 10% = R$ 1350,00"),
            ("R$ 1.500,00 + R$ 300,50", "R$ 1.500,00 + R$ 300,50 = R$ 1800,50"),
            ("quanto é R$ 10 - R$ 12,25", "R$ 10 - R$ 12,25 = -R$ 2,25"),
            ("quanto é 15% de R$ 1.240?", "15% de R$ 1.240 = R$ 186,00"),
            ("quanto é R$ 1.500,00 dividido por 3?", "R$ 1.500,00 dividido por 3 = R$ 500,00"),
            ("what is $1,500.50 + 10%?", "$1,500.50 + 10% = $1650.55"),
            ("how much is 3 x $4.25?", "3 x $4.25 = $12.75"),
            ("¿cuánto es 20% de €50,5?", "20% de €50,5 = €10,10"),
        ] {
            assert_eq!(told(question).as_deref(), Some(expected), "{question:?}");
        }
    }

    #[test]
    fn what_only_looks_like_one_is_searched_for() {
        for question in [
            "2020-2024",
            "10/10/2024",
            "24/7",
            "what is 24/7?",
            "What is 9/11?",
            "what is 5-4",
            "Lei 14.688/2023",
            "14.688/2023",
            "555-1234",
            "10 - 3",
            "3x3",
            "what is a 3x3 matrix",
            "1.234 + 1",
            "1,234 + 1",
            "¿cuánto es 1.234 + 1?",
            "quanto é 15% do salário mínimo?",
            "quanto é 15%",
            "quanto é o salário?",
            "quanto é 100?",
            "quanto é -5?",
            "quanto é 200 + 10%",
            "2+2 é igual a 4 segundo o vídeo?",
            "quanto é 1.500 reais em dólar",
            "quanto é R$ 1.500,00 + 10",
            "R$ 10 - R$ 20",
            "R$ 10-20",
            "R$ 1.500,00",
            "quanto é R$ 10 + US$ 10",
            "quanto é R$ 10 x R$ 10",
            "quanto é 10 / R$ 5",
            "quanto é R$ 10 ao quadrado",
            "quanto é 10% + R$ 5",
            "quanto é R$",
            "quanto é R$ + 5",
            "quanto é 10 kg + 2 kg",
            "11 de setembro",
            "C++",
            "A+",
            "+55 11 98765-4321",
            "1+",
            "((1+2)",
            "quanto é 1.2.3 + 1",
            "quanto é 12.34,5 + 1",
            "quanto é 9999999999999999 + 1",
            "quanto é 9^99",
            "quanto é 2^0,5",
            "quanto é 0^0",
            "calcule a média",
            "calculate",
            "",
            "=",
        ] {
            assert_eq!(told(question), None, "{question:?}");
        }
        let deep = format!("quanto é {}1+1{}", "(".repeat(11), ")".repeat(11));
        assert_eq!(told(&deep), None);
        assert_eq!(told(&format!("quanto é 1{}", "+1".repeat(120))), None);
    }
}
