//! From the vectors of tokens to the vector of a text.

use crate::Pooling;
use crate::runtime::{Cause, Output};

/// The vector of each of `rows` texts of one length, each of length 1. A model that pools by itself gives one vector a
/// text, which is taken as it is.
pub(super) fn pool(output: &Output, rows: usize, pooling: Pooling) -> Result<Vec<Vec<f32>>, Cause> {
    let &width = output.shape.last().ok_or("the model gave a single number")?;
    if width == 0 || !matches!(output.shape.len(), 2 | 3) {
        return Err(format!(
            "the model gave a tensor of shape {:?}; a sentence encoder gives vectors",
            output.shape
        )
        .into());
    }
    if width == 1 {
        // Scaled to length 1 every text would be like every other, and nobody would notice.
        return Err("the model gave one number a text: it is a cross-encoder, not a sentence encoder".into());
    }
    let vector = |row: &[f32]| {
        let mut vector = match pooling {
            Pooling::Mean => mean(row.chunks_exact(width), width),
            Pooling::Cls => row.iter().take(width).copied().collect(),
        };
        normalize(&mut vector);
        vector
    };
    let vectors: Vec<Vec<f32>> = output.per_row(rows)?.map(vector).collect();
    if vectors.iter().flatten().all(|number| number.is_finite()) {
        Ok(vectors)
    } else {
        Err("the model gave a number that is not finite".into())
    }
}

/// The mean of vectors of one width; zeros of none.
pub(super) fn mean<'v>(vectors: impl Iterator<Item = &'v [f32]>, width: usize) -> Vec<f32> {
    let mut sum = vec![0.0_f32; width];
    let mut count = 0_u16;
    for vector in vectors {
        for (sum, number) in sum.iter_mut().zip(vector) {
            *sum += number;
        }
        count = count.saturating_add(1);
    }
    let scale = 1.0 / f32::from(count.max(1));
    for number in &mut sum {
        *number *= scale;
    }
    sum
}

/// Makes the length 1; a vector of zeros stays one.
pub(crate) fn normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > 0.0 {
        for number in vector {
            *number /= length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_pooled_row_by_row() {
        let output = Output { shape: vec![2, 2, 2], values: vec![3.0, 0.0, 3.0, 8.0, 0.0, 1.0, 0.0, 0.0] };
        assert_eq!(pool(&output, 2, Pooling::Mean).unwrap(), [[0.6, 0.8], [0.0, 1.0]]);
        assert_eq!(pool(&output, 2, Pooling::Cls).unwrap(), [[1.0, 0.0], [0.0, 1.0]]);
        let pooled = Output { shape: vec![1, 2], values: vec![3.0, 4.0] };
        assert_eq!(pool(&pooled, 1, Pooling::Mean).unwrap(), [[0.6, 0.8]]);
    }

    #[test]
    fn what_is_no_vector_is_refused() {
        let output = |shape: &[usize], value: f32| Output {
            shape: shape.to_vec(),
            values: vec![value; shape.iter().product()],
        };
        assert!(pool(&output(&[1, 2, 2], f32::NAN), 1, Pooling::Mean).is_err());
        assert!(pool(&output(&[2, 2, 2], 1.0), 1, Pooling::Mean).is_err());
        assert!(pool(&output(&[1, 0], 1.0), 1, Pooling::Mean).is_err());
        assert!(pool(&output(&[1], 1.0), 1, Pooling::Mean).is_err());
        let score = pool(&output(&[1, 1], 3.0), 1, Pooling::Mean).unwrap_err();
        assert!(score.to_string().contains("cross-encoder"), "{score}");
        assert_eq!(pool(&output(&[1, 2], 0.0), 1, Pooling::Mean).unwrap(), [[0.0, 0.0]]);
    }
}
