//! What every public type promises beyond its methods, checked whenever the tests are compiled.

use std::fmt::Debug;

/// Can be shared by threads, and shown where something went wrong.
const fn promises<T: Debug + Send + Sync>() {}

const _: () = {
    promises::<crate::Attempt>();
    promises::<crate::Backend>();
    promises::<crate::CacheUse>();
    promises::<crate::Embeddings>();
    promises::<crate::End>();
    promises::<crate::Error>();
    promises::<crate::KeyBert>();
    promises::<crate::KeyBertOptions>();
    promises::<crate::Keyword>();
    promises::<crate::Limits<'_>>();
    promises::<crate::Missing>();
    promises::<crate::Mode>();
    promises::<crate::PhraseFilter>();
    promises::<crate::Scored>();
    promises::<crate::Selection>();
};

#[cfg(feature = "models")]
const _: () = {
    promises::<crate::Activation>();
    promises::<crate::CrossEncoder>();
    promises::<crate::CrossEncoderOptions>();
    promises::<crate::EarlyStop>();
    promises::<crate::KnownModel>();
    promises::<crate::LongText>();
    promises::<crate::ModelKind>();
    promises::<crate::ModelStore>();
    promises::<crate::Pooling>();
    promises::<crate::RuntimeOptions>();
    promises::<crate::SentenceEncoder>();
    promises::<crate::SentenceOptions>();
    promises::<crate::Windows>();
};

#[cfg(feature = "hub")]
const _: () = {
    promises::<crate::DownloadError>();
    promises::<crate::DownloadProgress<'_>>();
};
