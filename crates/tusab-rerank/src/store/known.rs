use crate::SentenceOptions;

/// What a model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ModelKind {
    /// For [`CrossEncoder`](crate::CrossEncoder).
    CrossEncoder,
    /// For [`SentenceEncoder`](crate::SentenceEncoder).
    SentenceEncoder,
}

/// A model of the Hugging Face hub that is known to work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownModel {
    /// Owner and name, as the hub has them.
    pub repository: &'static str,
    /// What it is for.
    pub kind: ModelKind,
    /// What its makers want before a question.
    pub query_prefix: &'static str,
    /// What its makers want before a passage.
    pub passage_prefix: &'static str,
}

const fn cross_encoder(repository: &'static str) -> KnownModel {
    KnownModel { repository, kind: ModelKind::CrossEncoder, query_prefix: "", passage_prefix: "" }
}

const fn sentences(
    repository: &'static str,
    query_prefix: &'static str,
    passage_prefix: &'static str,
) -> KnownModel {
    KnownModel { repository, kind: ModelKind::SentenceEncoder, query_prefix, passage_prefix }
}

impl KnownModel {
    /// The default cross-encoder: English, six layers.
    pub const MS_MARCO_L6: Self = cross_encoder("cross-encoder/ms-marco-MiniLM-L6-v2");
    /// A cross-encoder with twelve layers: English, twice the work.
    pub const MS_MARCO_L12: Self = cross_encoder("cross-encoder/ms-marco-MiniLM-L12-v2");
    /// A cross-encoder for 14 languages, Portuguese among them.
    pub const MMARCO_MULTILINGUAL: Self = cross_encoder("cross-encoder/mmarco-mMiniLMv2-L12-H384-v1");
    /// The default sentence encoder: English, 384 numbers.
    pub const ALL_MINILM_L6: Self = sentences("sentence-transformers/all-MiniLM-L6-v2", "", "");
    /// A sentence encoder made for search: English, 384 numbers.
    pub const BGE_SMALL_EN: Self =
        sentences("BAAI/bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", "");
    /// A sentence encoder made for search in 100 languages, 384 numbers.
    pub const E5_SMALL_MULTILINGUAL: Self =
        sentences("intfloat/multilingual-e5-small", "query: ", "passage: ");
    /// A sentence encoder for 50 languages, 384 numbers.
    pub const PARAPHRASE_MULTILINGUAL: Self =
        sentences("sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", "", "");

    /// All of them, the default of each kind first.
    pub const ALL: [Self; 7] = [
        Self::MS_MARCO_L6,
        Self::MS_MARCO_L12,
        Self::MMARCO_MULTILINGUAL,
        Self::ALL_MINILM_L6,
        Self::BGE_SMALL_EN,
        Self::E5_SMALL_MULTILINGUAL,
        Self::PARAPHRASE_MULTILINGUAL,
    ];

    /// The options that its makers want, with its name.
    #[must_use]
    pub fn sentence_options(&self) -> SentenceOptions {
        SentenceOptions::default()
            .with_name(self.repository)
            .with_prefixes(self.query_prefix, self.passage_prefix)
    }

    /// Where the hub may keep its weights in ONNX form, the best first: those quantised for this kind of processor, and
    /// those in full.
    #[cfg(feature = "hub")]
    pub(super) fn weights() -> [&'static str; 3] {
        let quantised = if cfg!(target_arch = "aarch64") {
            "onnx/model_qint8_arm64.onnx"
        } else {
            "onnx/model_quint8_avx2.onnx"
        };
        [quantised, "onnx/model.onnx", "model.onnx"]
    }
}
