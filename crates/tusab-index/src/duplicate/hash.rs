//! A fast hash that is the same on every platform and in every version: multiplication to 128 bits, folded.
//!
//! The construction of wyhash (Wang Yi, public domain), with constants of ours: odd, of equally many ones and zeros.
//! Not for hash tables that strangers fill: who wants two texts to collide can make them.

const KEYS: [u64; 3] = [0x9e2f_51c6_a3d8_7b15, 0xc4a7_3b1d_5e69_f083, 0xd1b5_4a63_8e2c_9f71];

/// The product of both halves, high and low part as one.
pub(super) fn fold(a: u64, b: u64) -> u64 {
    let [key_a, key_b, _] = KEYS;
    let product = u128::from(a ^ key_a) * u128::from(b ^ key_b);
    #[allow(clippy::cast_possible_truncation, reason = "both halves are used")]
    let (high, low) = ((product >> 64) as u64, product as u64);
    high ^ low
}

/// A number spread over all bits.
pub(super) fn mix(a: u64) -> u64 {
    let [.., key] = KEYS;
    fold(fold(a, key), a)
}

/// The hash of a word: eight bytes at a time, then the last ones again, with the length.
pub(crate) fn hash_token(token: &str) -> u64 {
    let bytes = token.as_bytes();
    let last = match (bytes.last_chunk::<8>(), bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (Some(last), ..) => u64::from_le_bytes(*last),
        (None, Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last))
        }
        _ => bytes.iter().fold(0, |last, byte| last << 8 | u64::from(*byte)),
    };
    let (words, _) = bytes.as_chunks::<8>();
    let state = words.iter().fold(bytes.len() as u64, |state, word| fold(state, u64::from_le_bytes(*word)));
    fold(state, last)
}
