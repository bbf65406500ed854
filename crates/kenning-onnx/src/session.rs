//! A graph of an ONNX file, ready to be run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kenning::embed::EmbedError;
use rten::{Model, NodeId, RunOptions, ThreadPool, Value, ValueOrView};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensorView, Tensor};

use crate::batch::Batch;
use crate::folder::unreadable;

/// What a model is given of a batch.
#[derive(Clone, Copy)]
enum Input {
    Ids,
    Mask,
    Kinds,
    Positions,
}

/// Threads that a graph is run on; without them it has every core.
#[derive(Clone)]
pub(crate) struct Threads(Arc<ThreadPool>);

impl Threads {
    /// Begins one thread. It is as urgent as the one that asks for it.
    pub(crate) fn one() -> Self {
        Self(Arc::new(ThreadPool::with_num_threads(1)))
    }
}

pub(crate) struct Session {
    model: Model,
    path: PathBuf,
    inputs: Vec<(NodeId, Input)>,
    output: NodeId,
}

/// Numbers that came out, and how they are laid out: rows, tokens (or none), dimensions.
pub(crate) struct Output {
    pub(crate) numbers: Vec<f32>,
    pub(crate) shape: Vec<usize>,
}

impl Session {
    pub(crate) fn open(path: &Path) -> Result<Self, EmbedError> {
        let model = Model::load_file(path).map_err(|error| unreadable(path, &error))?;
        let inputs = inputs(&model, path)?;
        let output = output(&model).ok_or_else(|| unreadable(path, &"it has no output"))?;
        Ok(Self {
            model,
            path: path.to_owned(),
            inputs,
            output,
        })
    }

    /// Runs a batch, on some threads or on all cores.
    pub(crate) fn run(
        &self,
        batch: &Batch,
        threads: Option<&Threads>,
    ) -> Result<Output, EmbedError> {
        let shape = [batch.places.len(), batch.width];
        let positions: Vec<i32> = (0..shape[0]).flat_map(|_| 0..batch.width as i32).collect();
        let given = |&(id, input): &(NodeId, Input)| {
            let numbers = match input {
                Input::Ids => &batch.ids,
                Input::Mask => &batch.mask,
                Input::Kinds => &batch.kinds,
                Input::Positions => &positions,
            };
            (
                id,
                ValueOrView::from(NdTensorView::from_data(shape, &numbers[..])),
            )
        };
        let given: Vec<(NodeId, ValueOrView<'_>)> = self.inputs.iter().map(given).collect();
        let on = |Threads(pool): &Threads| {
            RunOptions::default().with_thread_pool(Some(Arc::clone(pool)))
        };
        let options = threads.map(on);
        let mut values = (self.model.run(given, &[self.output], options))
            .map_err(|error| unreadable(&self.path, &error))?;
        let value: Value = values.remove(0);
        let tensor: Tensor<f32> = (value.try_into())
            .map_err(|_| unreadable(&self.path, &"its output is not made of floats"))?;
        Ok(Output {
            shape: tensor.shape().to_vec(),
            numbers: tensor.into_data(),
        })
    }
}

fn inputs(model: &Model, path: &Path) -> Result<Vec<(NodeId, Input)>, EmbedError> {
    let input = |&id: &NodeId| {
        let info = model.node_info(id);
        let name = info
            .as_ref()
            .and_then(|info| info.name())
            .unwrap_or_default();
        let input = match name {
            "input_ids" => Input::Ids,
            "attention_mask" => Input::Mask,
            "token_type_ids" => Input::Kinds,
            "position_ids" => Input::Positions,
            other => {
                return Err(EmbedError::Unsupported {
                    path: path.to_owned(),
                    what: format!("an input named {other:?}"),
                });
            }
        };
        Ok((id, input))
    };
    model.input_ids().iter().map(input).collect()
}

/// The row of a text, where the graph makes it; otherwise the rows of its tokens, which come first.
fn output(model: &Model) -> Option<NodeId> {
    let is_row = |id: &&NodeId| {
        let info = model.node_info(**id);
        info.is_some_and(|info| matches!(info.name(), Some("sentence_embedding" | "logits")))
    };
    let outputs = model.output_ids();
    outputs.iter().find(is_row).or(outputs.first()).copied()
}
