use std::num::NonZeroUsize;

use crate::Error;

/// Vectors of one length, row after row.
///
/// ```
/// use std::num::NonZeroUsize;
/// use tusab_rerank::Embeddings;
/// let two = NonZeroUsize::new(2).unwrap();
/// let embeddings = Embeddings::new(two, vec![1.0, 0.0, 0.0, 1.0])?;
/// assert_eq!(embeddings.len(), 2);
/// assert_eq!(embeddings.rows().nth(1), Some(&[0.0, 1.0][..]));
/// assert!(Embeddings::new(two, vec![1.0, 0.0, 0.0]).is_err());
/// # Ok::<(), tusab_rerank::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Embeddings {
    dimension: NonZeroUsize,
    values: Vec<f32>,
}

impl Embeddings {
    /// Rows of `dimension` numbers each.
    ///
    /// # Errors
    /// [`Error::MalformedEmbeddings`] when the last row is incomplete or a number is not finite.
    pub fn new(dimension: NonZeroUsize, values: Vec<f32>) -> Result<Self, Error> {
        if !values.len().is_multiple_of(dimension.get()) {
            let reason = format!("{} numbers do not make rows of {dimension}", values.len());
            return Err(Error::MalformedEmbeddings { reason });
        }
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            let reason = format!("row {} has a number that is not finite", at / dimension);
            return Err(Error::MalformedEmbeddings { reason });
        }
        Ok(Self { dimension, values })
    }

    /// Length of each vector.
    #[must_use]
    pub fn dimension(&self) -> NonZeroUsize {
        self.dimension
    }

    /// Number of vectors.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len() / self.dimension
    }

    /// True when there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The vectors, in order.
    #[must_use]
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.values.chunks_exact(self.dimension.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_compared_is_refused() {
        let dimension = NonZeroUsize::new(3).unwrap();
        for bad in [vec![1.0; 4], vec![0.0, f32::NAN, 1.0], vec![f32::INFINITY; 3]] {
            assert!(Embeddings::new(dimension, bad).is_err());
        }
        assert!(Embeddings::new(dimension, Vec::new()).is_ok_and(|none| none.is_empty()));
    }
}
