//! What the folder of a model says of it: which file holds the weights, how tokens become one row, what stands
//! in front of questions and passages, and how much the model sees.
//!
//! The files are those that sentence-transformers and Optimum write. Where they are silent, the name of the model
//! tells; `kenning.toml` in the folder has the last word.

use std::fs;
use std::path::{Path, PathBuf};

use kenning::embed::{Calibration, EmbedError, family};
use serde::Deserialize;
use serde_json::Value;

/// How the rows of tokens become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// The mean of all tokens.
    #[default]
    Mean,
    /// The first token, which stands for the text.
    Cls,
    /// The last token, as in models that read from left to right.
    Last,
}

/// Where the weights may lie; smaller ones first, since they run on the same processor.
const WEIGHTS: [&str; 6] = [
    "model_quantized.onnx",
    "model_int8.onnx",
    "model.onnx",
    "onnx/model_quantized.onnx",
    "onnx/model_int8.onnx",
    "onnx/model.onnx",
];
/// Files beside the weights that tell how they are used.
const DESCRIPTIONS: [&str; 8] = [
    "kenning.toml",
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.txt",
    "config_sentence_transformers.json",
    "sentence_bert_config.json",
    "1_Pooling/config.json",
];
/// More than any description has, but for a vocabulary.
const DESCRIPTION_BYTES_MAX: u64 = 64 << 20;
/// What a model sees that does not say how much.
const WINDOW_TOKENS: usize = 512;
/// What is asked for at most: the cost of a text grows with the square of its tokens.
const WINDOW_TOKENS_MAX: usize = 2_048;

/// A model on this machine, not yet read.
#[derive(Clone, Debug, PartialEq)]
pub struct Folder {
    /// The folder itself.
    pub path: PathBuf,
    /// What the model is called.
    pub name: String,
    /// The file with the weights.
    pub weights: PathBuf,
    /// How the rows of tokens become one.
    pub pooling: Pooling,
    /// What stands in front of a question.
    pub query_prefix: String,
    /// What stands in front of a passage.
    pub passage_prefix: String,
    /// How many tokens the model sees.
    pub window_tokens: usize,
    /// What its similarities mean.
    pub calibration: Calibration,
    /// Whether it compares a question and a passage instead of making rows.
    pub is_cross_encoder: bool,
}

/// What `kenning.toml` may say. A key that is not known is an error: a slip would be a wrong vector.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Own {
    name: Option<String>,
    weights: Option<PathBuf>,
    pooling: Option<Pooling>,
    query_prefix: Option<String>,
    passage_prefix: Option<String>,
    window_tokens: Option<usize>,
    near: Option<f32>,
    cross_encoder: Option<bool>,
}

impl Folder {
    /// Looks at a folder, or at the folder of a file with weights.
    pub fn open(path: &Path) -> Result<Self, EmbedError> {
        let is_file = path.extension().is_some_and(|ending| ending == "onnx");
        let folder = match is_file {
            true => parent_of(path),
            false => path.to_owned(),
        };
        let own = own(&folder)?;
        let given = is_file.then(|| path.to_owned());
        let weights = weights(
            &folder,
            given.or_else(|| own.weights.as_ref().map(|own| folder.join(own))),
        )?;
        let told = Told::read(&folder)?;
        let name = own.name.clone().unwrap_or_else(|| told.name(&folder));
        let family = family::of(&told.known_as(&folder, &name));
        let is_cross_encoder = own.cross_encoder.unwrap_or_else(|| told.is_cross_encoder());
        let window = own.window_tokens.or_else(|| told.window_tokens());
        Ok(Self {
            path: folder.clone(),
            weights,
            pooling: own
                .pooling
                .or_else(|| told.pooling())
                .unwrap_or(match family.is_cls {
                    true => Pooling::Cls,
                    false => Pooling::Mean,
                }),
            query_prefix: (own.query_prefix.or_else(|| told.prompt(&["query"])))
                .unwrap_or_else(|| family.query_prefix.to_owned()),
            passage_prefix: (own
                .passage_prefix
                .or_else(|| told.prompt(&["document", "passage"])))
            .unwrap_or_else(|| family.passage_prefix.to_owned()),
            window_tokens: window.unwrap_or(WINDOW_TOKENS).clamp(8, WINDOW_TOKENS_MAX),
            calibration: Calibration {
                near: own.near.unwrap_or(Calibration::NEAR).clamp(0.05, 1.0),
                ..Calibration::default()
            },
            is_cross_encoder,
            name,
        })
    }

    /// Returns a mark of everything that decides which vectors come out: weights, tokens, pooling, prefixes.
    pub fn revision(&self) -> Result<String, EmbedError> {
        let mut hasher = blake3::Hasher::new();
        let mut add = |path: &Path| -> Result<(), EmbedError> {
            let file = fs::File::open(path).map_err(|error| unreadable(path, &error))?;
            hasher
                .update_reader(file)
                .map_err(|error| unreadable(path, &error))?;
            Ok(())
        };
        add(&self.weights)?;
        for name in ["tokenizer.json", "vocab.txt"] {
            let path = self.path.join(name);
            if path.is_file() {
                add(&path)?;
            }
        }
        let how = format!(
            "{:?}\n{}\n{}\n{}",
            self.pooling, self.query_prefix, self.passage_prefix, self.window_tokens
        );
        hasher.update(how.as_bytes());
        Ok(hasher.finalize().to_hex()[..32].to_owned())
    }

    /// Lists the files that a copy of the model needs, below its folder.
    pub fn files(&self) -> Vec<PathBuf> {
        let weights = self
            .weights
            .strip_prefix(&self.path)
            .unwrap_or(&self.weights);
        let mut files = vec![weights.to_owned()];
        let described = DESCRIPTIONS
            .iter()
            .filter(|name| self.path.join(name).is_file());
        files.extend(described.map(PathBuf::from));
        // Weights above 2 GB lie in a file of their own.
        let data = self.weights.with_extension("onnx_data");
        if data.is_file() {
            files.push(data.strip_prefix(&self.path).unwrap_or(&data).to_owned());
        }
        files
    }
}

fn parent_of(path: &Path) -> PathBuf {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    // Optimum and others put the weights into a folder of their own, below what describes them.
    let is_inner = folder.file_name().is_some_and(|name| name == "onnx");
    match folder
        .parent()
        .filter(|outer| is_inner && outer.join("tokenizer.json").is_file())
    {
        Some(outer) => outer.to_owned(),
        None => folder.to_owned(),
    }
}

fn own(folder: &Path) -> Result<Own, EmbedError> {
    let path = folder.join("kenning.toml");
    match text(&path)? {
        Some(text) => toml::from_str(&text).map_err(|error| EmbedError::ModelUnreadable {
            path,
            reason: error.message().to_owned(),
        }),
        None => Ok(Own::default()),
    }
}

fn weights(folder: &Path, named: Option<PathBuf>) -> Result<PathBuf, EmbedError> {
    let found = match named {
        Some(named) => Some(named).filter(|named| named.is_file()),
        None => (WEIGHTS.iter().map(|name| folder.join(name))).find(|path| path.is_file()),
    };
    found.ok_or_else(|| EmbedError::ModelMissing {
        path: folder.join("model.onnx"),
    })
}

/// What the usual files say.
struct Told {
    config: Value,
    tokenizer: Value,
    prompts: Value,
    sentences: Value,
    pooling: Value,
}

impl Told {
    fn read(folder: &Path) -> Result<Self, EmbedError> {
        Ok(Self {
            config: json(&folder.join("config.json"))?,
            tokenizer: json(&folder.join("tokenizer_config.json"))?,
            prompts: json(&folder.join("config_sentence_transformers.json"))?,
            sentences: json(&folder.join("sentence_bert_config.json"))?,
            pooling: json(&folder.join("1_Pooling/config.json"))?,
        })
    }

    /// What the folder is called, or the one around it that a hub named by a revision.
    fn name(&self, folder: &Path) -> String {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        real.file_name().map_or_else(
            || "model".to_owned(),
            |name| name.to_string_lossy().into_owned(),
        )
    }

    /// Every name that the model goes by.
    fn known_as(&self, folder: &Path, name: &str) -> String {
        let path = self.config["_name_or_path"].as_str().unwrap_or_default();
        // Folders cannot hold a slash, and often say `_` for what a name says `-` for.
        format!("{name} {path} {}", self.name(folder)).replace('_', "-")
    }

    fn is_cross_encoder(&self) -> bool {
        let kinds = self.config["architectures"].as_array();
        kinds.into_iter().flatten().any(|kind| {
            kind.as_str()
                .is_some_and(|kind| kind.ends_with("ForSequenceClassification"))
        })
    }

    fn pooling(&self) -> Option<Pooling> {
        let is_set = |key: &str| self.pooling[key].as_bool() == Some(true);
        if is_set("pooling_mode_cls_token") {
            Some(Pooling::Cls)
        } else if is_set("pooling_mode_lasttoken") {
            Some(Pooling::Last)
        } else {
            is_set("pooling_mode_mean_tokens").then_some(Pooling::Mean)
        }
    }

    fn prompt(&self, names: &[&str]) -> Option<String> {
        let prompts = &self.prompts["prompts"];
        let told = names.iter().find_map(|name| prompts[*name].as_str());
        // An empty prompt is what older versions write for "nothing is known".
        told.filter(|prompt| !prompt.is_empty()).map(str::to_owned)
    }

    fn window_tokens(&self) -> Option<usize> {
        let number = |value: &Value| {
            value
                .as_u64()
                .and_then(|number| usize::try_from(number).ok())
        };
        let positions = number(&self.config["max_position_embeddings"]).map(|n| {
            // RoBERTa and its like count positions from behind the padding.
            let is_roberta =
                (self.config["model_type"].as_str()).is_some_and(|kind| kind.contains("roberta"));
            n.saturating_sub(if is_roberta { 2 } else { 0 })
        });
        let told = [
            number(&self.sentences["max_seq_length"]),
            number(&self.tokenizer["model_max_length"]),
            positions,
        ];
        told.into_iter().flatten().min()
    }
}

/// Returns what a file says, null if there is none.
fn json(path: &Path) -> Result<Value, EmbedError> {
    match text(path)? {
        Some(text) => serde_json::from_str(&text).map_err(|error| EmbedError::ModelUnreadable {
            path: path.to_owned(),
            reason: format!("it is not valid JSON: {error}"),
        }),
        None => Ok(Value::Null),
    }
}

fn text(path: &Path) -> Result<Option<String>, EmbedError> {
    let Ok(found) = fs::metadata(path) else {
        return Ok(None);
    };
    if !found.is_file() || found.len() > DESCRIPTION_BYTES_MAX {
        return Err(EmbedError::ModelUnreadable {
            path: path.to_owned(),
            reason: "it is not a file of a usual size".to_owned(),
        });
    }
    let text = fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
    Ok(Some(text))
}

/// Returns a mark of what files hold.
pub(crate) fn digest(files: &[PathBuf]) -> Result<String, EmbedError> {
    let mut hasher = blake3::Hasher::new();
    for path in files {
        let file = fs::File::open(path).map_err(|error| unreadable(path, &error))?;
        let read = hasher.update_reader(file);
        read.map_err(|error| unreadable(path, &error))?;
    }
    Ok(hasher.finalize().to_hex()[..32].to_owned())
}

/// Says that a file of a model cannot be read.
pub(crate) fn unreadable(path: &Path, reason: &dyn std::fmt::Display) -> EmbedError {
    EmbedError::ModelUnreadable {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
}
