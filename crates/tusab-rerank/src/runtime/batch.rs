use super::Cause;

/// Rows of token ids, all of one length: nothing is ever padded, so there is no mask to carry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Batch {
    /// Tokens a row.
    length: usize,
    ids: Vec<u32>,
    /// Which of the two texts each token belongs to, 0 or 1.
    types: Vec<u32>,
}

impl Batch {
    /// No rows yet, of `length` tokens each.
    pub(crate) fn of_length(length: usize) -> Self {
        Self { length, ..Self::default() }
    }

    /// Adds a row. Those of another length are not taken.
    pub(crate) fn push(&mut self, row: &Row) {
        debug_assert_eq!(row.ids.len(), self.length, "rows of one batch have one length");
        if row.ids.len() == self.length {
            self.ids.extend_from_slice(&row.ids);
            self.types.extend_from_slice(&row.types);
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.ids.len().checked_div(self.length).unwrap_or(0)
    }

    /// Rows and tokens a row.
    pub(crate) fn shape(&self) -> [usize; 2] {
        [self.rows(), self.length]
    }

    pub(crate) fn ids(&self) -> &[u32] {
        &self.ids
    }

    pub(crate) fn types(&self) -> &[u32] {
        &self.types
    }
}

/// The tokens of one text or of one pair, with the marks that the model wants around them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Row {
    pub(crate) ids: Vec<u32>,
    pub(crate) types: Vec<u32>,
}

/// A tensor that a model gave.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Output {
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Vec<f32>,
}

impl Output {
    /// The parts of the output that belong to each of `rows` rows.
    pub(crate) fn per_row(&self, rows: usize) -> Result<std::slice::ChunksExact<'_, f32>, Cause> {
        let first = self.shape.first().copied().unwrap_or(0);
        let each = self.values.len().checked_div(rows).unwrap_or(0);
        if first != rows || each == 0 || each * rows != self.values.len() {
            return Err(format!("the model gave a tensor of shape {:?} for {rows} rows", self.shape).into());
        }
        Ok(self.values.chunks_exact(each))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_another_length_does_not_shift_the_others() {
        let mut batch = Batch::of_length(2);
        batch.push(&Row { ids: vec![1, 2], types: vec![0, 0] });
        assert_eq!((batch.shape(), batch.ids()), ([1, 2], &[1, 2][..]));
        assert_eq!(Batch::of_length(0).rows(), 0);
    }

    #[test]
    fn an_output_that_is_not_of_the_rows_is_refused() {
        let output = |shape: &[usize], len: usize| Output { shape: shape.to_vec(), values: vec![0.0; len] };
        assert_eq!(output(&[2, 3], 6).per_row(2).unwrap().count(), 2);
        for bad in [output(&[1, 3], 3), output(&[2, 0], 0), output(&[], 1), output(&[2, 3], 5)] {
            assert!(bad.per_row(2).is_err(), "{bad:?}");
        }
    }
}
