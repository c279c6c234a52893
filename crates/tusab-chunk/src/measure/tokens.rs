use tokenizers::Tokenizer;

use super::{Measure, MeasureError};

/// Measures in the tokens of a model, by its own tokenizer (feature `tokenizers`).
///
/// The tokens that a model adds around a text, such as `[CLS]` and `[SEP]`, are not counted: choose a size that
/// leaves room for them. Truncation and padding set in a tokenizer's file are switched off, since a truncated text
/// would measure less than it is.
///
/// ```no_run
/// use tusab_chunk::{MeasuredWindows, Tokens, Units};
/// let tokenizer = tokenizers::Tokenizer::from_file("tokenizer.json")?;
/// // A model that reads 512 tokens, two of which it adds.
/// let windows = MeasuredWindows::new(Tokens::new(tokenizer)?, Units(510), Units(50))?;
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Tokens {
    tokenizer: Tokenizer,
}

impl Tokens {
    /// A measure by `tokenizer`.
    ///
    /// # Errors
    /// [`MeasureError`] when its truncation cannot be switched off.
    pub fn new(mut tokenizer: Tokenizer) -> Result<Self, MeasureError> {
        tokenizer.with_truncation(None).map_err(MeasureError::new)?;
        tokenizer.with_padding(None);
        Ok(Self { tokenizer })
    }
}

impl Measure for Tokens {
    fn measure(&self, text: &str) -> Result<usize, MeasureError> {
        let encoding = self.tokenizer.encode_fast(text, false).map_err(MeasureError::new)?;
        Ok(encoding.len())
    }
}
