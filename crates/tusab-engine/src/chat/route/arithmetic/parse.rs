use super::rational::Rational;
use super::read::Token;

/// What a calculation leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Number(Rational),
    DividedByZero,
}

/// Deepest nesting of parentheses and signs.
const DEEPEST: usize = 10;

/// Why there is no number.
enum Stop {
    /// It is no calculation, or its numbers grow past the bounds.
    NotOne,
    DividedByZero,
}

/// The value of an expression with at least one operation; `None` when it is none, or out of bounds.
pub(super) fn evaluate(tokens: &[Token]) -> Option<Outcome> {
    let numbers = tokens.iter().filter(|token| matches!(token, Token::Number(_))).count();
    // A sign before a number is no operation.
    if numbers < 2 && !tokens.iter().any(|token| matches!(token, Token::Squared | Token::Cubed)) {
        return None;
    }
    let mut parser = Parser { left: tokens, depth: 0 };
    match parser.sum() {
        Ok(number) if parser.left.is_empty() => Some(Outcome::Number(number)),
        Err(Stop::DividedByZero) => Some(Outcome::DividedByZero),
        _ => None,
    }
}

fn percent(number: Rational, whole: Rational) -> Result<Rational, Stop> {
    let hundredth = Rational::new(1, 100).ok_or(Stop::NotOne)?;
    number.times(hundredth).and_then(|part| part.times(whole)).ok_or(Stop::NotOne)
}

/// Sums of products of powers, as they are taught.
struct Parser<'a> {
    left: &'a [Token],
    depth: usize,
}

impl Parser<'_> {
    fn next(&self) -> Option<Token> {
        self.left.first().copied()
    }

    fn skip(&mut self) {
        self.left = self.left.get(1..).unwrap_or_default();
    }

    /// Passes over `token` if it is next.
    fn passes(&mut self, token: Token) -> bool {
        let is_next = self.next() == Some(token);
        if is_next {
            self.skip();
        }
        is_next
    }

    fn sum(&mut self) -> Result<Rational, Stop> {
        let mut sum = self.product()?;
        loop {
            let is_more = self.passes(Token::Plus);
            if !is_more && !self.passes(Token::Minus) {
                return Ok(sum);
            }
            let term = match self.percent_of(sum)? {
                Some(part) => part,
                None => self.product()?,
            };
            let term = if is_more { term } else { term.negated() };
            sum = sum.plus(term).ok_or(Stop::NotOne)?;
        }
    }

    /// `10%` of what is summed up so far, if that is next.
    fn percent_of(&mut self, whole: Rational) -> Result<Option<Rational>, Stop> {
        let [Token::Number(number), Token::Percent, ..] = self.left else { return Ok(None) };
        let number = *number;
        self.skip();
        self.skip();
        percent(number, whole).map(Some)
    }

    fn product(&mut self) -> Result<Rational, Stop> {
        let mut product = self.signed()?;
        loop {
            let factor = if self.passes(Token::Times) {
                self.signed()?
            } else if self.passes(Token::Divided) {
                let divisor = self.signed()?;
                if divisor.is_zero() {
                    return Err(Stop::DividedByZero);
                }
                divisor.inverse().ok_or(Stop::NotOne)?
            } else {
                return Ok(product);
            };
            product = product.times(factor).ok_or(Stop::NotOne)?;
        }
    }

    fn signed(&mut self) -> Result<Rational, Stop> {
        if self.passes(Token::Minus) {
            return self.deeper(|parser| Ok(parser.signed()?.negated()));
        }
        let base = self.operand()?;
        if self.passes(Token::Squared) {
            return base.times(base).ok_or(Stop::NotOne);
        }
        if self.passes(Token::Cubed) {
            return base.times(base).and_then(|square| square.times(base)).ok_or(Stop::NotOne);
        }
        if !self.passes(Token::Power) {
            return Ok(base);
        }
        // To the right first: 2^3^2 is 2^9.
        let exponent = self.deeper(Self::signed)?;
        base.power(exponent).ok_or(Stop::NotOne)
    }

    fn operand(&mut self) -> Result<Rational, Stop> {
        if self.passes(Token::Open) {
            let inside = self.deeper(Self::sum)?;
            return if self.passes(Token::Close) { Ok(inside) } else { Err(Stop::NotOne) };
        }
        let Some(Token::Number(number)) = self.next() else { return Err(Stop::NotOne) };
        self.skip();
        if !self.passes(Token::PercentOf) {
            return Ok(number);
        }
        let whole = self.deeper(Self::signed)?;
        percent(number, whole)
    }

    fn deeper(&mut self, inside: impl FnOnce(&mut Self) -> Result<Rational, Stop>) -> Result<Rational, Stop> {
        if self.depth == DEEPEST {
            return Err(Stop::NotOne);
        }
        self.depth += 1;
        let number = inside(self);
        self.depth -= 1;
        number
    }
}
