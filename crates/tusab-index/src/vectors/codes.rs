//! Rows in one byte a number, with a bound of what that costs.
//!
//! A row `r` is kept as `s * c`, whole numbers `c` from -127 to 127 and one scale `s`, together with the length of
//! what is lost, `e = |r - s c|`. By Cauchy and Schwarz, for a unit query `q` and its own coding `p`,
//! `|<r, q> - <s c, p>| <= e + (1 + e) |q - p|`. So each score by codes comes with an interval that holds the exact
//! one; whatever can still be among the best is scored again exactly, and the result is that of the exact scan.

use super::kernel::{dot_codes, slack};
use super::vector::{Vector, narrow, squared_length};

/// Added to a code, so that bytes are unsigned.
const BIAS: i16 = 128;

/// Rounds the bound up by more than computing it can lose.
const UP: f64 = 1.0 + 1e-5;

/// One row's scale and loss.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coding {
    pub(super) scale: f32,
    pub(super) loss: f32,
}

/// Writes the codes of a row. A row that is not finite or not of unit length gets an infinite loss: it is always
/// scored exactly.
pub(super) fn encode(row: &[f32], codes: &mut Vec<u8>) -> Coding {
    let largest = row.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    let unit = (squared_length(row) - 1.0).abs() < 1e-3;
    if !unit || !largest.is_finite() {
        codes.resize(codes.len() + row.len(), 0);
        return Coding { scale: 0.0, loss: f32::INFINITY };
    }
    let scale = largest / 127.0;
    let mut lost = 0.0_f64;
    for value in row {
        let code = round(*value / scale, 127);
        let difference = f64::from(*value) - f64::from(scale) * f64::from(code);
        lost += difference * difference;
        codes.push((code + BIAS).to_le_bytes()[0]);
    }
    Coding { scale, loss: narrow(lost.sqrt() * UP + 1e-12) }
}

#[allow(clippy::cast_possible_truncation, reason = "limited to the range of i16 first")]
fn round(value: f32, limit: i16) -> i16 {
    value.round_ties_even().clamp(-f32::from(limit), f32::from(limit)) as i16
}

/// A query in whole numbers, finer than rows are: 16 bits where the sums leave room.
#[derive(Debug)]
pub(super) struct CodedQuery {
    codes: Vec<i16>,
    scale: f32,
    /// What the bias of the rows' codes adds to each product.
    offset: i32,
    loss: f32,
    slack: f32,
}

impl CodedQuery {
    pub(super) fn new(query: &Vector) -> Self {
        let values = query.as_slice();
        // So that no sum of `values.len()` products of a byte and a code overflows.
        let room = i32::MAX / (255 * i32::try_from(values.len()).unwrap_or(i32::MAX / 255));
        let limit = i16::try_from(room).unwrap_or(i16::MAX);
        let largest = values.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
        let scale = largest / f32::from(limit);
        let codes: Vec<i16> = values.iter().map(|value| round(value / scale, limit)).collect();
        let squares = values.iter().zip(&codes).map(|(value, code)| {
            let difference = f64::from(*value) - f64::from(scale) * f64::from(*code);
            difference * difference
        });
        let loss = narrow(squares.sum::<f64>().sqrt() * UP + 1e-12);
        let offset = i32::from(BIAS) * codes.iter().copied().map(i32::from).sum::<i32>();
        Self { codes, scale, offset, loss, slack: slack(values.len()) }
    }

    /// The least and the greatest that the exact score of a row can be.
    #[allow(clippy::cast_precision_loss, reason = "the loss is within the slack")]
    pub(super) fn bounds(&self, codes: &[u8], coding: Coding) -> (f32, f32) {
        let product = dot_codes(codes, &self.codes) - self.offset;
        let score = product as f32 * (self.scale * coding.scale);
        let away = coding.loss + (1.0 + coding.loss) * self.loss + self.slack;
        (score - away, score + away)
    }
}
