//! Reads a Model2Vec directory: model.safetensors, tokenizer.json and, if there is one, config.json.
//!
//! Everything that could make a word piece or a row differ from the original is either done as the
//! original does it or refused by name.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::asset::{CONTINUED, Parts, Rules, TOKENS_MAX, Token};
use super::{EmbedError, quantise};

/// Where sentence-transformers keeps a static model inside a larger one.
const SUBFOLDER: &str = "0_StaticEmbedding";

/// The rows of a static model, for those who bring another tokenizer: a scale and signed bytes for each token.
pub struct TokenTable {
    /// Bytes of a row.
    pub dimensions: usize,
    /// What the bytes of each row are to be multiplied by.
    pub scales: Vec<f32>,
    /// The rows, behind each other, by the ids of their tokens.
    pub rows: Vec<i8>,
}

impl TokenTable {
    /// Returns where the files of a model lie: its folder, or the one inside that sentence-transformers makes.
    pub fn folder(path: &Path) -> PathBuf {
        let nested = path.join(SUBFOLDER);
        match nested.is_dir() {
            true => nested,
            false => path.to_owned(),
        }
    }

    /// Reads the rows of so many tokens.
    pub fn read(folder: &Path, n_tokens: usize) -> Result<Self, EmbedError> {
        let path = folder.join("model.safetensors");
        let matrix = Matrix::read(&read_file(&path)?, n_tokens);
        let matrix = matrix.map_err(|trouble| trouble.at(&path))?;
        Ok(Self {
            dimensions: matrix.dimensions,
            scales: matrix.scales,
            rows: matrix.rows,
        })
    }
}

/// Reads the parts of the model in a directory.
pub(crate) fn read(path: &Path) -> Result<Parts, EmbedError> {
    let path = &TokenTable::folder(path);
    let tokenizer_path = path.join("tokenizer.json");
    let tokenizer = read_json(&tokenizer_path)?;
    let config_path = path.join("config.json");
    let config = if config_path.exists() {
        read_json(&config_path)?
    } else {
        Value::Null
    };
    let tokens = Tokens::read(&tokenizer).map_err(|trouble| trouble.at(&tokenizer_path))?;
    let tensors_path = path.join("model.safetensors");
    let tensors = read_file(&tensors_path)?;
    let matrix = Matrix::read(&tensors, tokens.tokens.len());
    let matrix = matrix.map_err(|trouble| trouble.at(&tensors_path))?;
    Ok(Parts {
        rules: Rules {
            normalises: config["normalize"].as_bool().unwrap_or(false),
            weighted: matrix.is_weighted,
            ..tokens.rules
        },
        dimensions: matrix.dimensions,
        unknown: tokens.unknown,
        word_chars_max: tokens.word_chars_max,
        tokens: tokens.tokens,
        added: tokens.added,
        scales: matrix.scales,
        rows: matrix.rows,
    })
}

/// Reads a whole file, and says which one when it cannot.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, EmbedError> {
    std::fs::read(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => EmbedError::ModelMissing {
            path: path.to_owned(),
        },
        _ => Trouble::Unreadable(error.to_string()).at(path),
    })
}

fn read_json(path: &Path) -> Result<Value, EmbedError> {
    serde_json::from_slice(&read_file(path)?)
        .map_err(|error| Trouble::Unreadable(error.to_string()).at(path))
}

/// What is wrong, before it is known in which file.
enum Trouble {
    Unreadable(String),
    Unsupported(String),
}

impl Trouble {
    fn at(self, path: &Path) -> EmbedError {
        let path: PathBuf = path.to_owned();
        match self {
            Self::Unreadable(reason) => EmbedError::ModelUnreadable { path, reason },
            Self::Unsupported(what) => EmbedError::Unsupported { path, what },
        }
    }
}

fn unreadable<T>(reason: &str) -> Result<T, Trouble> {
    Err(Trouble::Unreadable(reason.to_owned()))
}

/// What tokenizer.json says.
struct Tokens {
    rules: Rules,
    unknown: Option<u32>,
    word_chars_max: u32,
    tokens: Vec<Token>,
    added: Vec<u32>,
}

impl Tokens {
    fn read(tokenizer: &Value) -> Result<Self, Trouble> {
        let (model, normalizer) = (&tokenizer["model"], &tokenizer["normalizer"]);
        expect("tokenizer model", &model["type"], "WordPiece")?;
        expect(
            "continuing prefix",
            &model["continuing_subword_prefix"],
            CONTINUED,
        )?;
        expect("normalizer", &normalizer["type"], "BertNormalizer")?;
        expect(
            "pre-tokenizer",
            &tokenizer["pre_tokenizer"]["type"],
            "BertPreTokenizer",
        )?;
        let is_set = |key: &str| normalizer[key].as_bool();
        let lowercase = is_set("lowercase").unwrap_or(true);
        let rules = Rules {
            lowercase,
            strip_accents: is_set("strip_accents").unwrap_or(lowercase),
            clean_text: is_set("clean_text").unwrap_or(true),
            handle_chinese: is_set("handle_chinese_chars").unwrap_or(true),
            normalises: false,
            weighted: false,
        };
        let Some(vocabulary) = model["vocab"].as_object() else {
            return unreadable("it has no vocabulary");
        };
        let mut by_id: Vec<Option<Token>> = Vec::new();
        for (text, id) in vocabulary {
            place(&mut by_id, id, text, true)?;
        }
        let mut added = Vec::new();
        for token in tokenizer["added_tokens"].as_array().into_iter().flatten() {
            added.push(read_added(token, &mut by_id)?);
        }
        added.sort_unstable();
        let Some(tokens) = by_id.into_iter().collect::<Option<Vec<_>>>() else {
            return unreadable("its token ids have gaps");
        };
        let unknown = model["unk_token"]
            .as_str()
            .and_then(|text| vocabulary.get(text));
        let word_chars_max = model["max_input_chars_per_word"].as_u64().unwrap_or(100);
        Ok(Self {
            rules,
            unknown: unknown.and_then(as_id),
            word_chars_max: u32::try_from(word_chars_max).unwrap_or(u32::MAX),
            tokens,
            added,
        })
    }
}

fn expect(what: &str, found: &Value, known: &str) -> Result<(), Trouble> {
    if found.as_str() == Some(known) {
        return Ok(());
    }
    let found = found.as_str().unwrap_or("unnamed");
    Err(Trouble::Unsupported(format!(
        "{what} `{found}` (known: `{known}`)"
    )))
}

/// Notes an added token. White space around words means nothing here, so `lstrip` and `rstrip`
/// change nothing and are not asked for.
fn read_added(token: &Value, by_id: &mut Vec<Option<Token>>) -> Result<u32, Trouble> {
    let text = token["content"].as_str().unwrap_or_default();
    for property in ["single_word", "normalized"] {
        if token[property].as_bool() == Some(true) {
            let what = format!("added token `{text}` with `{property}`");
            return Err(Trouble::Unsupported(what));
        }
    }
    place(by_id, &token["id"], text, false)
}

/// Puts a token at its id; a token that is both piece and added token stays a piece.
fn place(
    by_id: &mut Vec<Option<Token>>,
    id: &Value,
    text: &str,
    is_piece: bool,
) -> Result<u32, Trouble> {
    let Some(id) = as_id(id) else {
        return unreadable("a token has no usable id");
    };
    let at = id as usize;
    if by_id.len() <= at {
        by_id.resize_with(at + 1, || None);
    }
    match &by_id[at] {
        Some(token) if token.text == text => {}
        Some(_) => return unreadable("two tokens share an id"),
        None => {
            by_id[at] = Some(Token {
                text: text.to_owned(),
                is_piece,
            })
        }
    }
    Ok(id)
}

fn as_id(value: &Value) -> Option<u32> {
    let id = value.as_u64().filter(|&id| id < TOKENS_MAX as u64)?;
    u32::try_from(id).ok()
}

/// What model.safetensors says: a scale and an int8 row for each token.
struct Matrix {
    dimensions: usize,
    scales: Vec<f32>,
    rows: Vec<i8>,
    is_weighted: bool,
}

impl Matrix {
    fn read(file: &[u8], n_tokens: usize) -> Result<Self, Trouble> {
        let tensors = Tensors::open(file)?;
        let Some(embeddings) = tensors
            .get("embeddings")
            .or_else(|| tensors.get("embedding.weight"))
        else {
            return unreadable("it has no tensor `embeddings`");
        };
        let embeddings = embeddings?;
        let &[n_rows, dimensions] = embeddings.shape.as_slice() else {
            return unreadable("its embeddings are not a matrix");
        };
        let weights = tensors.get("weights").transpose()?;
        let weights = weights.map(|tensor| tensor.numbers());
        let mapping = tensors.get("mapping").transpose()?;
        let mapping = mapping.map(|tensor| tensor.numbers());
        let n_mapped = mapping.as_ref().map_or(n_rows, Vec::len);
        let n_weights = weights.as_ref().map_or(n_tokens, Vec::len);
        if n_mapped != n_tokens || n_weights != n_tokens {
            return unreadable("it has not one row for each token of the tokenizer");
        }
        let mut matrix = Self {
            dimensions,
            scales: Vec::with_capacity(n_tokens),
            rows: Vec::with_capacity(n_tokens * dimensions),
            is_weighted: weights.is_some(),
        };
        for id in 0..n_tokens {
            let at = mapping.as_ref().map_or(id, |mapping| mapping[id] as usize);
            let weight = weights.as_ref().map_or(1.0, |weights| weights[id] as f32);
            let Some(bytes) = embeddings.row(at) else {
                return unreadable("its mapping points past the last row");
            };
            matrix.push(&embeddings, bytes, weight)?;
        }
        Ok(matrix)
    }

    fn push(&mut self, embeddings: &Tensor<'_>, row: &[u8], weight: f32) -> Result<(), Trouble> {
        let (scale, row) = if embeddings.kind == Kind::I8 {
            (1.0, row.iter().map(|byte| byte.cast_signed()).collect())
        } else {
            let floats: Vec<f32> = embeddings.decode(row).map(|number| number as f32).collect();
            if !floats.iter().all(|number| number.is_finite()) {
                return unreadable("a row holds a number that is not finite");
            }
            quantise(&floats)
        };
        self.scales.push(scale * weight);
        self.rows.extend(row);
        Ok(())
    }
}

/// The tensors of a safetensors file, by name.
struct Tensors<'a> {
    header: Value,
    data: &'a [u8],
}

impl<'a> Tensors<'a> {
    fn open(file: &'a [u8]) -> Result<Self, Trouble> {
        let (n_bytes, rest) = file.split_first_chunk::<8>().unwrap_or((&[0; 8], file));
        let n_bytes = usize::try_from(u64::from_le_bytes(*n_bytes)).unwrap_or(usize::MAX);
        let Some((header, data)) = rest.split_at_checked(n_bytes) else {
            return unreadable("it is not a safetensors file");
        };
        let header = serde_json::from_slice(header)
            .map_err(|error| Trouble::Unreadable(error.to_string()))?;
        Ok(Self { header, data })
    }

    fn get(&self, name: &str) -> Option<Result<Tensor<'a>, Trouble>> {
        let entry = self.header.get(name)?;
        Some(Tensor::read(entry, self.data))
    }
}

struct Tensor<'a> {
    kind: Kind,
    shape: Vec<usize>,
    bytes: &'a [u8],
}

impl<'a> Tensor<'a> {
    fn read(entry: &Value, data: &'a [u8]) -> Result<Self, Trouble> {
        let numbers = |key: &str| -> Option<Vec<usize>> {
            let numbers = entry[key].as_array()?.iter();
            numbers
                .map(|number| usize::try_from(number.as_u64()?).ok())
                .collect()
        };
        let kind = Kind::read(entry["dtype"].as_str().unwrap_or_default())?;
        let shape = numbers("shape").unwrap_or_default();
        let range = numbers("data_offsets").filter(|range| range.len() == 2);
        let bytes = range.and_then(|range| data.get(range[0]..range[1]));
        let n_bytes = shape
            .iter()
            .try_fold(kind.width(), |all, &n| all.checked_mul(n));
        match bytes {
            Some(bytes) if Some(bytes.len()) == n_bytes => Ok(Self { kind, shape, bytes }),
            _ => unreadable("a tensor does not fit its description"),
        }
    }

    fn row(&self, at: usize) -> Option<&'a [u8]> {
        let n_bytes = self.bytes.len() / self.shape[0].max(1);
        self.bytes
            .get(at.checked_mul(n_bytes)?..at.checked_add(1)?.checked_mul(n_bytes)?)
    }

    fn numbers(&self) -> Vec<f64> {
        self.decode(self.bytes).collect()
    }

    fn decode(&self, bytes: &'a [u8]) -> impl Iterator<Item = f64> {
        let kind = self.kind;
        bytes
            .chunks_exact(kind.width())
            .map(move |number| kind.decode(number))
    }
}

/// The kinds of number that Model2Vec writes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    I8,
    I32,
    I64,
    F16,
    Bf16,
    F32,
    F64,
}

impl Kind {
    fn read(name: &str) -> Result<Self, Trouble> {
        Ok(match name {
            "I8" => Self::I8,
            "I32" => Self::I32,
            "I64" => Self::I64,
            "F16" => Self::F16,
            "BF16" => Self::Bf16,
            "F32" => Self::F32,
            "F64" => Self::F64,
            _ => return Err(Trouble::Unsupported(format!("tensor type `{name}`"))),
        })
    }

    fn width(self) -> usize {
        match self {
            Self::I8 => 1,
            Self::F16 | Self::Bf16 => 2,
            Self::F32 | Self::I32 => 4,
            Self::F64 | Self::I64 => 8,
        }
    }

    /// Reads one little-endian number.
    fn decode(self, number: &[u8]) -> f64 {
        let mut wide = [0; 8];
        wide[..number.len()].copy_from_slice(number);
        let bits = u64::from_le_bytes(wide);
        match self {
            Self::I8 => f64::from(bits as i8),
            Self::I32 => f64::from(bits as i32),
            Self::I64 => bits.cast_signed() as f64,
            Self::F16 => f64::from(half(bits as u16)),
            Self::Bf16 => f64::from(f32::from_bits((bits as u32) << 16)),
            Self::F32 => f64::from(f32::from_bits(bits as u32)),
            Self::F64 => f64::from_bits(bits),
        }
    }
}

/// Widens an IEEE half-precision float.
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f32::from(bits & 0x3ff));
    let size = match exponent {
        0 => fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1024.0 + fraction) * 2f32.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}
