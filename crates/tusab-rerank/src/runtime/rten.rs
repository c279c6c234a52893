//! `rten`, which needs no library of the system.

use std::path::Path;
use std::sync::Arc;

use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool, ValueOrView};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

use super::open::Input;
use super::{Batch, Cause, Graph, Output, guarded};

/// A model's weights, which all its graphs share.
pub(super) struct RtenModel {
    model: Model,
    inputs: Vec<(NodeId, Input)>,
    output: NodeId,
}

impl RtenModel {
    pub(super) fn load(path: &Path, outputs: &[&str]) -> Result<Self, Cause> {
        guarded(|| {
            let model = ModelOptions::with_all_ops().prepack_weights(true).load_file(path)?;
            let name = |id: &NodeId| model.node_info(*id).and_then(|node| node.name().map(str::to_owned));
            let names = model.input_ids().iter().map(|id| name(id).unwrap_or_default());
            let kinds = super::open::inputs(names)?;
            let inputs =
                model.input_ids().iter().copied().zip(kinds.into_iter().map(|(_, kind)| kind)).collect();
            let names: Vec<String> =
                model.output_ids().iter().map(|id| name(id).unwrap_or_default()).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let output = model.node_id(super::open::output(&names, outputs)?)?;
            Ok(Self { model, inputs, output })
        })
    }
}

/// A thread that runs the model.
pub(super) struct RtenGraph {
    model: Arc<RtenModel>,
    threads: Arc<ThreadPool>,
}

impl RtenGraph {
    pub(super) fn new(model: Arc<RtenModel>) -> Self {
        Self { model, threads: Arc::new(ThreadPool::with_num_threads(1)) }
    }
}

impl Graph for RtenGraph {
    fn run(&mut self, batch: &Batch) -> Result<Output, Cause> {
        guarded(|| {
            // rten knows integers of 32 bits only; ids are smaller.
            let narrow = |id: u32| i32::try_from(id).unwrap_or(i32::MAX);
            let inputs = self.model.inputs.iter().map(|(id, input)| {
                let tensor = NdTensor::from_data(batch.shape(), input.values(batch, narrow));
                (*id, ValueOrView::from(tensor))
            });
            let mut options = RunOptions::default();
            options.thread_pool = Some(Arc::clone(&self.threads));
            let outputs = self.model.model.run(inputs.collect(), &[self.model.output], Some(options))?;
            let output = outputs.into_iter().next().ok_or("the model's output is missing")?;
            let tensor: rten_tensor::Tensor<f32> = output.try_into()?;
            Ok(Output { shape: tensor.shape().to_vec(), values: tensor.to_vec() })
        })
    }
}
