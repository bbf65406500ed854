//! A graph of an ONNX file, ready to be run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kenning::embed::EmbedError;
use rten::{Model, NodeId, RunOptions, ThreadPool, Value, ValueOrView};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensorView, Tensor};

use crate::folder::unreadable;
use crate::tokens::Tokens;

/// What a model is given of a text.
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

/// Numbers that came out, and how they are laid out: one text, its tokens (or none), dimensions.
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

    /// Runs one text, on some threads or on all cores.
    ///
    /// Texts are never run together: a graph of int8 takes its scale from all that it is given, so that the numbers of
    /// a text would depend on its neighbours, and on a few cores nothing is gained by it (docs/decisions/030).
    pub(crate) fn run(
        &self,
        tokens: &Tokens,
        threads: Option<&Threads>,
    ) -> Result<Output, EmbedError> {
        let n = tokens.ids.len();
        let numbers = |input: Input| -> Vec<i32> {
            match input {
                Input::Ids => tokens.ids.iter().map(|&id| id as i32).collect(),
                Input::Mask => vec![1; n],
                Input::Kinds => tokens.kinds.iter().map(|&kind| kind as i32).collect(),
                Input::Positions => (0..n as i32).collect(),
            }
        };
        let given: Vec<(NodeId, Vec<i32>)> = (self.inputs.iter())
            .map(|&(id, input)| (id, numbers(input)))
            .collect();
        let mut views: Vec<(NodeId, ValueOrView<'_>)> = Vec::with_capacity(given.len());
        for (id, numbers) in &given {
            let view = NdTensorView::from_data([1, n], &numbers[..]);
            views.push((*id, view.into()));
        }
        let on = |Threads(pool): &Threads| {
            RunOptions::default().with_thread_pool(Some(Arc::clone(pool)))
        };
        let options = threads.map(on);
        let mut values = (self.model.run(views, &[self.output], options))
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
