//! Opens a model on the runtime that serves.

use std::path::Path;
use std::sync::Arc;

use super::{Batch, Cause, Graph, Pool, RuntimeOptions};
use crate::{Attempt, Backend, Error, Missing};

/// What an input of a model wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    Ids,
    Mask,
    Types,
}

impl Input {
    /// The numbers of the whole batch.
    pub(super) fn values<T: Clone>(self, batch: &Batch, number: impl Fn(u32) -> T) -> Vec<T> {
        match self {
            Self::Ids => batch.ids().iter().map(|&id| number(id)).collect(),
            Self::Types => batch.types().iter().map(|&kind| number(kind)).collect(),
            Self::Mask => vec![number(1); batch.ids().len()],
        }
    }
}

/// Knows the inputs of a model by their names.
pub(super) fn inputs(names: impl Iterator<Item = String>) -> Result<Vec<(String, Input)>, Cause> {
    let known =
        names.map(|name| match name.as_str() {
            "input_ids" => Ok((name, Input::Ids)),
            "attention_mask" => Ok((name, Input::Mask)),
            "token_type_ids" => Ok((name, Input::Types)),
            _ => Err(format!("the model wants an input {name:?}: only encoders of the BERT kind can be run")
                .into()),
        });
    let known = known.collect::<Result<Vec<_>, Cause>>()?;
    if known.iter().any(|(_, input)| *input == Input::Ids) {
        Ok(known)
    } else {
        Err("the model has no input \"input_ids\": only encoders of the BERT kind can be run".into())
    }
}

/// The first of the wanted outputs that the model has, else its first.
pub(super) fn output<'n>(names: &[&'n str], wanted: &[&str]) -> Result<&'n str, Cause> {
    let found = wanted.iter().find_map(|wanted| names.iter().find(|name| *name == wanted));
    found.or(names.first()).copied().ok_or_else(|| "the model has no output".into())
}

/// Opens the model in `path`; `outputs` are the names of the output wanted, the best first.
pub(crate) fn open(
    name: &str,
    path: &Path,
    outputs: &[&str],
    options: &RuntimeOptions,
) -> Result<Pool, Error> {
    let mut attempts = Vec::new();
    let failed = |source: Cause| Error::Model { model: name.to_owned(), source };
    let wants = |backend: Backend| options.backend.is_none_or(|wanted| wanted == backend);
    if wants(Backend::OnnxRuntime) {
        match onnx(path, outputs, options) {
            Ok(pool) => return pool.map_err(failed),
            Err(tried) => attempts = tried,
        }
    }
    if wants(Backend::Rten)
        && let Some(pool) = rten(path, outputs, options)
    {
        return pool.map_err(failed);
    }
    Err(Error::Missing(Missing::Runtime { wanted: options.backend, attempts }))
}

#[cfg(feature = "onnxruntime")]
fn onnx(
    path: &Path,
    outputs: &[&str],
    options: &RuntimeOptions,
) -> Result<Result<Pool, Cause>, Vec<Attempt>> {
    use super::onnx::{OnnxGraph, environment};

    let environment = environment(&options.libraries)?;
    let path = path.to_owned();
    let outputs: Vec<String> = outputs.iter().map(|&name| name.to_owned()).collect();
    let load = move || -> Result<Box<dyn Graph>, Cause> {
        let outputs: Vec<&str> = outputs.iter().map(String::as_str).collect();
        Ok(Box::new(OnnxGraph::load(&environment, &path, &outputs)?))
    };
    Ok(Pool::new(Backend::OnnxRuntime, options.threads.get(), Box::new(load)))
}

#[cfg(not(feature = "onnxruntime"))]
fn onnx(_: &Path, _: &[&str], _: &RuntimeOptions) -> Result<Result<Pool, Cause>, Vec<Attempt>> {
    Err(Vec::new())
}

#[cfg(feature = "rten")]
#[allow(clippy::unnecessary_wraps, reason = "without the feature there is none")]
fn rten(path: &Path, outputs: &[&str], options: &RuntimeOptions) -> Option<Result<Pool, Cause>> {
    use super::rten::{RtenGraph, RtenModel};

    let open = || {
        let model = Arc::new(RtenModel::load(path, outputs)?);
        let load =
            move || -> Result<Box<dyn Graph>, Cause> { Ok(Box::new(RtenGraph::new(Arc::clone(&model)))) };
        Pool::new(Backend::Rten, options.threads.get(), Box::new(load))
    };
    Some(open())
}

#[cfg(not(feature = "rten"))]
fn rten(_: &Path, _: &[&str], _: &RuntimeOptions) -> Option<Result<Pool, Cause>> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_known_by_name_and_others_refused() {
        let named = |names: &[&str]| inputs(names.iter().map(|&name| name.to_owned()));
        let kinds: Vec<Input> =
            named(&["attention_mask", "input_ids"]).unwrap().into_iter().map(|(_, kind)| kind).collect();
        assert_eq!(kinds, [Input::Mask, Input::Ids]);
        assert!(named(&["pixel_values"]).unwrap_err().to_string().contains("pixel_values"));
        assert!(named(&["attention_mask"]).is_err());
    }

    #[test]
    fn the_wanted_output_is_taken_else_the_first() {
        let names = ["last_hidden_state", "sentence_embedding"];
        assert_eq!(output(&names, &["sentence_embedding"]).unwrap(), "sentence_embedding");
        assert_eq!(output(&names, &["logits"]).unwrap(), "last_hidden_state");
        assert!(output(&[], &["logits"]).is_err());
    }
}
