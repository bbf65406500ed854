//! A static model whose tokenizer is not BERT's: a row for each token, and a text is the direction of their sum.
//!
//! potion-multilingual and its like cut text into unigrams. The engine reads word pieces only, and fifteen times faster.

use std::path::Path;

use kenning::embed::{EmbedError, Embedder, ModelId, TokenTable, TokenVectors};
use tokenizers::Tokenizer;

use crate::folder::{digest, unreadable};

/// What SentencePiece puts in front of a word.
const WORD_MARK: char = '▁';

/// A Model2Vec folder with any tokenizer.
pub struct TokenModel {
    id: ModelId,
    tokenizer: Tokenizer,
    unknown: Option<u32>,
    table: TokenTable,
    /// How each token is spelled.
    spelled: Vec<String>,
}

impl TokenModel {
    /// Reads a model from its folder.
    pub fn open(path: &Path) -> Result<Self, EmbedError> {
        let folder = TokenTable::folder(path);
        let file = folder.join("tokenizer.json");
        let mut tokenizer =
            Tokenizer::from_file(&file).map_err(|error| unreadable(&file, &error))?;
        tokenizer.with_padding(None);
        let set = tokenizer.with_truncation(None);
        set.map_err(|error| unreadable(&file, &error))?;
        let n_tokens = tokenizer.get_vocab_size(true);
        let table = TokenTable::read(&folder, n_tokens)?;
        let spelled = |id: u32| tokenizer.id_to_token(id).unwrap_or_default();
        let spelled: Vec<String> = (0..n_tokens as u32).map(spelled).collect();
        Ok(Self {
            id: ModelId {
                name: name(path),
                revision: digest(&[
                    folder.join("tokenizer.json"),
                    folder.join("model.safetensors"),
                ])?,
                dimensions: table.dimensions,
            },
            unknown: unknown(&tokenizer),
            table,
            spelled,
            tokenizer,
        })
    }

    fn add_row(&self, text: &str, rows: &mut Vec<f32>) {
        let mut tokens = Vec::new();
        self.tokens(text, &mut tokens);
        let mut row = vec![0f32; self.id.dimensions];
        for id in tokens {
            let (numbers, scale) = self.vector(id);
            for (sum, &number) in row.iter_mut().zip(numbers) {
                *sum += f32::from(number) * scale;
            }
        }
        let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|x| *x /= length);
        }
        rows.extend(row);
    }
}

/// What the folder is called.
fn name(path: &Path) -> String {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = real.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// The token for what the model does not know, which means nothing.
fn unknown(tokenizer: &Tokenizer) -> Option<u32> {
    let named = ["<unk>", "[UNK]"];
    named.iter().find_map(|token| tokenizer.token_to_id(token))
}

impl Embedder for TokenModel {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn embed_passages(&self, texts: &[&str], rows: &mut Vec<f32>) -> Result<(), EmbedError> {
        for text in texts {
            self.add_row(text, rows);
        }
        Ok(())
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(self.direction(text))
    }

    fn token_vectors(&self) -> Option<&dyn TokenVectors> {
        Some(self)
    }
}

impl TokenVectors for TokenModel {
    fn n_tokens(&self) -> usize {
        self.spelled.len()
    }

    fn dimensions(&self) -> usize {
        self.id.dimensions
    }

    fn tokens(&self, text: &str, tokens: &mut Vec<u32>) {
        // A text that cannot be cut has no tokens, like one in a script that nobody taught the model.
        let Ok(encoding) = self.tokenizer.encode_fast(text, false) else {
            return;
        };
        let is_known = |id: &&u32| Some(**id) != self.unknown && (**id as usize) < self.n_tokens();
        tokens.extend(encoding.get_ids().iter().filter(is_known));
    }

    fn token(&self, id: u32) -> &str {
        &self.spelled[id as usize]
    }

    fn vector(&self, id: u32) -> (&[i8], f32) {
        let (at, n) = (id as usize, self.id.dimensions);
        (
            &self.table.rows[at * n..(at + 1) * n],
            self.table.scales[at],
        )
    }

    fn direction(&self, text: &str) -> Vec<f32> {
        let mut row = Vec::new();
        self.add_row(text, &mut row);
        row
    }

    fn knows(&self, word: &str) -> bool {
        let mut tokens = Vec::new();
        self.tokens(word, &mut tokens);
        let bare = |id: u32| self.token(id).trim_start_matches(WORD_MARK);
        matches!(tokens[..], [only] if bare(only).chars().count() == word.chars().count())
    }
}
