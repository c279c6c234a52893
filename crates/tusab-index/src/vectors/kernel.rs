//! The two inner loops.
//!
//! Plain code that the compiler vectorises for the baseline of each target: both loops wait for memory, not for
//! arithmetic. Wider instructions chosen at run time were measured (crate `pulp`, AVX2, 100,000 rows of 768): nothing
//! gained for `f32`, 2.9 against 3.7 ms for codes, beside 2.2 ms for reading alone. Not worth a dependency.

/// Sums that run side by side. Fixed, and never fused into multiply-add, so that a score is the same to the last bit
/// on every processor, and with it the order of hits.
const LANES: usize = 32;

/// Scalar product; of unit vectors, their cosine.
///
/// The error is at most `(len / LANES + 6) * 2^-24` for unit vectors; see [`slack`].
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    for ((sum, a), b) in sums.iter_mut().zip(a_rest).zip(b_rest) {
        *sum += a * b;
    }
    let mut lanes = sums.as_mut_slice();
    while lanes.len() > 1 {
        let (low, high) = lanes.split_at_mut(lanes.len() / 2);
        for (low, high) in low.iter_mut().zip(high) {
            *low += *high;
        }
        lanes = low;
    }
    // Never -0.0, which would rank below an equal 0.0: sums begin at 0.0, and 0.0 + -0.0 is 0.0.
    lanes.first().copied().unwrap_or(0.0)
}

/// More than the rounding of [`dot`] and of a score by codes together, for unit vectors of this length.
#[allow(clippy::cast_precision_loss, reason = "lengths are at most 2^14")]
pub(super) fn slack(len: usize) -> f32 {
    (len + 64) as f32 * f32::EPSILON
}

/// Scalar product of bytes and a coded query. Callers keep `255 * max(query) * len` within an `i32`.
pub(super) fn dot_codes(codes: &[u8], query: &[i16]) -> i32 {
    // In this shape, unsigned bytes and sums of sixteen, every compiler target has fast instructions for it.
    let (codes, codes_rest) = codes.as_chunks::<16>();
    let (query, query_rest) = query.as_chunks::<16>();
    let mut sum = 0;
    for (codes, query) in codes.iter().zip(query) {
        sum += products(codes, query);
    }
    sum + products(codes_rest, query_rest)
}

fn products(codes: &[u8], query: &[i16]) -> i32 {
    codes.iter().zip(query).map(|(code, query)| i32::from(*code) * i32::from(*query)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_the_definition_at_every_length() {
        for len in 0..200_u16 {
            let a: Vec<f32> = (0..len).map(|n| f32::from(n % 13) - 6.0).collect();
            let b: Vec<f32> = (0..len).map(|n| f32::from(n % 7) - 3.0).collect();
            // Small whole numbers: exact in any order.
            let expected: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            assert!((dot(&a, &b) - expected).abs() < f32::EPSILON, "{len}");
            let codes: Vec<u8> = (0..len).map(|n| (n % 256).to_le_bytes()[0].wrapping_mul(89)).collect();
            let query: Vec<i16> = (0..len).map(|n| (n * 37 % 1_001).cast_signed() - 500).collect();
            let expected: i32 = codes.iter().zip(&query).map(|(c, q)| i32::from(*c) * i32::from(*q)).sum();
            assert_eq!(dot_codes(&codes, &query), expected);
        }
    }

    #[test]
    fn the_order_of_summing_is_fixed() {
        // Computed by hand for this order of lanes: another order, or fused multiply-add, gives another last bit.
        let a: Vec<f32> = (0..70_u8).map(|n| 1.0 / (f32::from(n) + 3.0)).collect();
        let mut lanes = [0.0_f32; LANES];
        for (n, value) in a.iter().enumerate() {
            let product = value * value;
            lanes[n % LANES] += product;
        }
        let mut width = LANES / 2;
        while width > 0 {
            for n in 0..width {
                lanes[n] += lanes[n + width];
            }
            width /= 2;
        }
        assert_eq!(dot(&a, &a).to_bits(), lanes[0].to_bits());
    }
}
