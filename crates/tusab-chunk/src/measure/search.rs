//! Finding how much text fits, with nothing but measuring.

use crate::MeasureError;

/// Bytes that a unit is taken to have before anything was measured.
const BYTES_A_UNIT: usize = 4;

/// About the greatest length up to `total` that measures at most `size`; never one that measured more.
///
/// `round_up` gives the next length at which the text can be cut. Ends when what is found is within a sixteenth of
/// the size, or cannot grow: after two or three measures where the measure grows evenly, and after a number
/// logarithmic in the length where it does not.
pub(super) fn longest(
    total: usize,
    size: usize,
    round_up: impl Fn(usize) -> usize,
    measure: impl Fn(usize) -> Result<usize, MeasureError>,
) -> Result<usize, MeasureError> {
    let mut fits = 0;
    // The least length known to be too long; one past the end is.
    let mut exceeds = total.saturating_add(1);
    let mut guess = size.saturating_mul(BYTES_A_UNIT);
    let mut halve = false;
    while fits + 1 < exceeds {
        let asked = guess.clamp(fits + 1, exceeds - 1);
        let length = round_up(asked);
        if length >= exceeds {
            exceeds = asked;
            continue;
        }
        let measured = measure(length)?;
        if measured <= size {
            fits = length;
        } else {
            exceeds = length;
        }
        // A short rest may fit too, and would else be a window of its own.
        let near_end = exceeds > total && total - fits <= fits / 8;
        if fits == total || (fits == length && measured > size - size.div_ceil(16) && !near_end) {
            break;
        }
        // In proportion while that helps; halving every other time bounds the number of steps.
        let proportional = length.saturating_mul(size) / measured.max(1);
        guess = if near_end {
            total
        } else if exceeds > total {
            let grown = fits.saturating_add(fits / 8);
            proportional.clamp(grown, grown.saturating_mul(4))
        } else if halve {
            fits.midpoint(exceeds)
        } else {
            proportional
        };
        halve = !halve;
    }
    Ok(fits)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn an_even_measure_takes_few_steps_and_any_measure_ends() {
        let steps = Cell::new(0);
        let count = |per_unit: usize| {
            let steps = &steps;
            move |length: usize| {
                steps.set(steps.get() + 1);
                Ok(length.div_ceil(per_unit))
            }
        };
        for (per_unit, most) in [(1, 3), (4, 1), (7, 4), (100, 6)] {
            steps.set(0);
            let found = longest(10_000_000, 512, |length| length, count(per_unit)).unwrap();
            assert!((480 * per_unit..=512 * per_unit).contains(&found), "{per_unit}: {found}");
            assert!(steps.get() <= most, "{per_unit}: {} steps", steps.get());
        }
        for total in [512 * 7, 511 * 7 + 1, 480 * 7, 700] {
            assert_eq!(longest(total, 512, |length| length, count(7)).unwrap(), total, "all of it fits");
        }
        for measured in [0, 1, 511, 512, 513, usize::MAX] {
            let found = longest(1000, 512, |length| length.next_multiple_of(3), |_| Ok(measured)).unwrap();
            assert!(found == 0 || measured <= 512);
            assert!(found >= 999 || measured > 512 || measured > 480, "{measured}: {found}");
        }
        assert_eq!(longest(10, 0, |length| length, Ok).unwrap(), 0);
        assert_eq!(longest(0, 5, |length| length, Ok).unwrap(), 0);
    }
}
