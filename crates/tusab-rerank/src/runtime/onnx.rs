//! ONNX Runtime, through a library that is opened at run time.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use ort::environment::Environment;
use ort::ep::CPU;
use ort::logging::LogLevel;
use ort::session::builder::GraphOptimizationLevel;
use ort::session::{RunOptions, Session, SessionInputValue};
use ort::value::Tensor;

use super::{Batch, Cause, Graph, Output, guarded};
use crate::{Attempt, lock};

/// ONNX Runtime allows one environment a process, and a library that is open is never closed.
static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);

/// The environment of the first library that opens. Nothing of `ort` is touched before one did: its own search would
/// panic, or wait for itself forever (pykeio/ort#560).
pub(super) fn environment(libraries: &[PathBuf]) -> Result<Environment, Vec<Attempt>> {
    let mut environment = lock(&ENVIRONMENT);
    if let Some(environment) = &*environment {
        return Ok(environment.clone());
    }
    let mut attempts = Vec::new();
    for path in libraries {
        match guarded(|| start(path)) {
            Ok(started) => return Ok(environment.insert(started).clone()),
            Err(cause) => attempts.push(Attempt { path: path.clone(), reason: cause.to_string() }),
        }
    }
    Err(attempts)
}

fn start(path: &Path) -> Result<Environment, Cause> {
    // To open a pipe would wait for its other end, and a relative name would be searched for in odd places.
    if !std::fs::metadata(path)?.is_file() {
        return Err("not a file".into());
    }
    let log = |level: LogLevel, _: &str, _: &str, place: &str, message: &str| match level {
        LogLevel::Error | LogLevel::Fatal => tracing::error!(place, "ONNX Runtime: {message}"),
        LogLevel::Warning => tracing::warn!(place, "ONNX Runtime: {message}"),
        _ => tracing::trace!(place, "ONNX Runtime: {message}"),
    };
    let environment = ort::init_from(std::path::absolute(path)?)?
        .with_name("tusab")
        .with_telemetry(false)
        .with_logger(Arc::new(log))
        .build()?;
    environment.set_log_level(LogLevel::Warning);
    tracing::debug!(library = %path.display(), "opened ONNX Runtime");
    Ok(environment)
}

/// A session on one thread.
pub(super) struct OnnxGraph {
    session: Session,
    /// What the arena took for a run goes back to the system after it.
    options: RunOptions,
    /// The names of the inputs, in the model's order, with what each wants.
    inputs: Vec<(String, super::open::Input)>,
    output: String,
}

impl OnnxGraph {
    pub(super) fn load(environment: &Environment, model: &Path, outputs: &[&str]) -> Result<Self, Cause> {
        guarded(|| {
            let session = session(environment, model)?;
            let names = session.inputs().iter().map(|input| input.name().to_owned());
            let inputs = super::open::inputs(names)?;
            let names: Vec<&str> = session.outputs().iter().map(ort::value::Outlet::name).collect();
            let output = super::open::output(&names, outputs)?.to_owned();
            let mut options = RunOptions::new()?;
            options.set("memory.enable_memory_arena_shrinkage", "cpu:0")?;
            Ok(Self { session, options, inputs, output })
        })
    }
}

/// One thread a session, since runs go side by side; no spinning, which burns processors between runs. The memory
/// pattern is off: it keeps the largest size ever seen, for each shape anew. So would the arena; it is emptied after
/// each run ([`OnnxGraph::options`]), for which the weights must not lie in it. Without it each tensor of a long text is
/// asked from the system and given back: a third of the time at 512 tokens.
fn session(environment: &Environment, model: &Path) -> ort::Result<Session> {
    let builder = Session::builder(environment)?
        .with_optimization_level(GraphOptimizationLevel::All)?
        .with_intra_threads(1)?
        .with_inter_threads(1)?
        .with_parallel_execution(false)?
        .with_intra_op_spinning(false)?
        .with_inter_op_spinning(false)?
        .with_memory_pattern(false)?
        .with_config_entry("session.use_device_allocator_for_initializers", "1")?;
    let mut builder =
        builder.with_execution_providers([CPU::default().with_arena_allocator(true).build()])?;
    builder.commit_from_file(model)
}

impl Graph for OnnxGraph {
    fn run(&mut self, batch: &Batch) -> Result<Output, Cause> {
        let Self { session, options, inputs, output } = self;
        guarded(|| {
            let mut values: Vec<(&str, SessionInputValue<'_>)> = Vec::new();
            for (name, input) in inputs.iter() {
                let tensor = Tensor::from_array((batch.shape(), input.values(batch, i64::from)))?;
                values.push((name, tensor.into()));
            }
            let outputs = session.run_with_options(values, &*options)?;
            let tensor = outputs.get(output.as_str()).ok_or("the model's output is missing")?;
            let (shape, values) = tensor.try_extract_tensor::<f32>()?;
            let shape = shape.iter().map(|&size| usize::try_from(size).unwrap_or(0)).collect();
            Ok(Output { shape, values: values.to_vec() })
        })
    }
}
