//! What may become a vector.

use proptest::prelude::*;
use tusab_index::{CodedRows, Dimension, InvalidVector, Vector, VectorRows};

#[test]
fn what_has_no_direction_is_refused() {
    let refused = |numbers: &[f32]| Vector::new(numbers.to_vec()).unwrap_err();
    assert_eq!(refused(&[]), InvalidVector::Length { found: 0 });
    assert_eq!(refused(&vec![1.0; Dimension::MAX + 1]), InvalidVector::Length { found: Dimension::MAX + 1 });
    assert_eq!(refused(&[0.0, -0.0]), InvalidVector::Zero);
    assert_eq!(refused(&[1.0, f32::NAN]), InvalidVector::NotFinite { index: 1 });
    assert_eq!(refused(&[f32::INFINITY, 1.0]), InvalidVector::NotFinite { index: 0 });
    assert_eq!(Vector::from_bytes(&[0; 7]).unwrap_err(), InvalidVector::Bytes { bytes: 7 });
    assert_eq!(Vector::from_bytes(&[]).unwrap_err(), InvalidVector::Length { found: 0 });
    // The largest and the smallest numbers have a direction.
    for number in [f32::MAX, f32::MIN_POSITIVE, f32::from_bits(1)] {
        let vector = Vector::new(vec![number, -number]).unwrap();
        assert!((vector.as_slice()[0] - 0.5_f32.sqrt()).abs() < 1e-6, "{number}: {vector:?}");
    }
    let rows = VectorRows::new(&[1.0, 0.0], 2).unwrap();
    let query = Vector::new(vec![1.0; 3]).unwrap();
    let expected = InvalidVector::Dimension { expected: 2, found: 3 };
    assert_eq!(rows.nearest(&query, 1, None).unwrap_err(), expected);
    assert_eq!(CodedRows::new(rows).nearest(&query, 1, None).unwrap_err(), expected);
    assert!(VectorRows::new(&[1.0; 5], 2).is_err());
    assert!(VectorRows::new(&[], 0).is_err());
}

proptest! {
    #[test]
    fn a_vector_has_length_one_and_never_changes_again(numbers in prop::collection::vec(any::<f32>(), 1..900)) {
        let Ok(vector) = Vector::new(numbers) else { return Ok(()) };
        let length: f64 = vector.as_slice().iter().map(|n| f64::from(*n) * f64::from(*n)).sum();
        prop_assert!((length - 1.0).abs() < 1e-6, "{}", length);
        prop_assert_eq!(&Vector::new(vector.as_slice().to_vec()).unwrap(), &vector);
        prop_assert_eq!(&Vector::from_bytes(&vector.to_bytes()).unwrap(), &vector);
    }
}
