use std::fmt;

/// A number as a fraction in its lowest terms. What grows past the bounds is none: no result is ever rounded on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rational {
    top: i128,
    /// Greater than zero.
    bottom: i128,
}

/// The largest number, with either sign.
const LARGEST: i128 = 1_000_000_000_000_000;

/// The finest fraction.
const FINEST: i128 = 1_000_000_000_000_000_000;

/// Digits after the comma of a result that never ends.
const ROUNDED: u32 = 10;

impl Rational {
    pub(super) const ONE: Self = Self { top: 1, bottom: 1 };

    pub(super) fn new(top: i128, bottom: i128) -> Option<Self> {
        if bottom == 0 {
            return None;
        }
        let shared = gcd(top.unsigned_abs(), bottom.unsigned_abs());
        let shared = i128::try_from(shared).ok()?.max(1);
        let sign = bottom.signum();
        let (top, bottom) = ((top / shared).checked_mul(sign)?, (bottom / shared).checked_mul(sign)?);
        let is_bounded = bottom <= FINEST && top.checked_abs()? <= LARGEST.checked_mul(bottom)?;
        is_bounded.then_some(Self { top, bottom })
    }

    pub(super) fn is_zero(self) -> bool {
        self.top == 0
    }

    pub(super) fn negated(self) -> Self {
        Self { top: -self.top, ..self }
    }

    pub(super) fn plus(self, other: Self) -> Option<Self> {
        let top = self.top.checked_mul(other.bottom)?.checked_add(other.top.checked_mul(self.bottom)?)?;
        Self::new(top, self.bottom.checked_mul(other.bottom)?)
    }

    pub(super) fn times(self, other: Self) -> Option<Self> {
        Self::new(self.top.checked_mul(other.top)?, self.bottom.checked_mul(other.bottom)?)
    }

    /// One divided by it; `None` for zero.
    pub(super) fn inverse(self) -> Option<Self> {
        Self::new(self.bottom, self.top)
    }

    /// Raised to a whole number; `None` for any other exponent, and for zero to the zero.
    pub(super) fn power(self, exponent: Self) -> Option<Self> {
        if exponent.bottom != 1 || (self.is_zero() && exponent.top <= 0) {
            return None;
        }
        let base = if exponent.top < 0 { self.inverse()? } else { self };
        // Of a number other than 0, 1 and -1, no higher power is within the bounds.
        let times = exponent.top.unsigned_abs();
        let is_unit = base.top.abs() <= 1 && base.bottom == 1;
        let times = if is_unit { 2 - times % 2 } else { times };
        if times > 64 {
            return None;
        }
        let mut power = Self::ONE;
        for _ in 0..times {
            power = power.times(base)?;
        }
        Some(power)
    }

    /// In decimal digits: exactly, or rounded where they never end.
    pub(super) fn decimal(self, comma: char) -> Result<String, String> {
        let mut digits = String::new();
        let (whole, mut rest) = (self.top.abs() / self.bottom, self.top.abs() % self.bottom);
        // No fraction within the bounds ends later.
        while rest != 0 && digits.len() < 60 {
            rest *= 10;
            digits.push(
                char::from_digit(u32::try_from(rest / self.bottom).unwrap_or_default(), 10).unwrap_or('0'),
            );
            rest %= self.bottom;
        }
        let sign = if self.top < 0 { "-" } else { "" };
        if rest == 0 {
            let fraction = if digits.is_empty() { digits } else { format!("{comma}{digits}") };
            return Ok(format!("{sign}{whole}{fraction}"));
        }
        let scale = 10_i128.pow(ROUNDED);
        let fraction = self.top.abs() % self.bottom;
        let rounded = whole * scale + (fraction * scale + self.bottom / 2) / self.bottom;
        let (whole, fraction) = (rounded / scale, rounded % scale);
        Err(format!("{sign}{whole}{comma}{fraction:0width$}", width = ROUNDED as usize))
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.top, self.bottom)
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(top: i128, bottom: i128) -> Rational {
        Rational::new(top, bottom).unwrap()
    }

    #[test]
    fn a_fraction_that_never_ends_is_rounded_and_said_to_be() {
        assert_eq!(number(2, 3).decimal(','), Err("0,6666666667".to_owned()));
        assert_eq!(number(-1, 3).decimal('.'), Err("-0.3333333333".to_owned()));
        assert_eq!(number(1, 8).decimal('.'), Ok("0.125".to_owned()));
        assert_eq!(number(-7, 1).decimal('.'), Ok("-7".to_owned()));
        assert_eq!(number(0, -5), Rational { top: 0, bottom: 1 });
    }

    #[test]
    fn what_is_out_of_bounds_is_no_number() {
        assert!(Rational::new(LARGEST, 1).is_some() && Rational::new(LARGEST + 1, 1).is_none());
        assert!(Rational::new(1, FINEST + 1).is_none() && Rational::new(1, 0).is_none());
        assert!(Rational::new(i128::MIN, 1).is_none() && Rational::new(1, i128::MIN).is_none());
        assert_eq!(number(-1, 1).power(number(1_000_000_001, 1)), Some(number(-1, 1)));
        assert_eq!(number(1, 1).power(number(0, 1)), Some(Rational::ONE));
        assert_eq!(number(0, 1).power(number(0, 1)), None);
        assert_eq!(number(2, 1).power(number(49, 1)), Some(number(1 << 49, 1)));
        assert_eq!(number(2, 1).power(number(50, 1)), None);
    }

    proptest! {
        #[test]
        fn it_calculates_as_fractions_do(a in -10_000_i128..10_000, b in 1_i128..500, c in -10_000_i128..10_000, d in 1_i128..500) {
            let (x, y) = (number(a, b), number(c, d));
            prop_assert_eq!(x.plus(y).unwrap().plus(y.negated()), Some(x));
            if !y.is_zero() {
                prop_assert_eq!(x.times(y).unwrap().times(y.inverse().unwrap()), Some(x));
            }
            prop_assert_eq!(x.power(number(3, 1)), x.times(x).and_then(|square| square.times(x)));
        }

        #[test]
        fn no_numbers_panic(a: i128, b: i128, c: i128, d: i128) {
            if let (Some(x), Some(y)) = (Rational::new(a, b), Rational::new(c, d)) {
                let _ = (x.plus(y), x.times(y), x.power(y), x.inverse(), x.decimal(','), y.negated());
            }
        }
    }
}
