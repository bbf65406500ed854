//! Text into tokens, by the tokenizer that a model came with: word pieces, unigrams or byte pairs.

use std::path::Path;

use kenning::embed::EmbedError;
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::processors::bert::BertProcessing;
use tokenizers::{EncodeInput, Encoding, Tokenizer, TruncationParams};

use crate::folder::{Folder, unreadable};

/// The tokens of a text, with those that a model wants around them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tokens {
    pub(crate) ids: Vec<u32>,
    /// 0 for a first text, 1 for a second.
    pub(crate) kinds: Vec<u32>,
}

pub(crate) struct Cutter {
    tokenizer: Tokenizer,
}

impl Cutter {
    /// Reads the tokenizer of a folder. What lies beyond the window is cut off: the model would not see it.
    pub(crate) fn open(folder: &Folder) -> Result<Self, EmbedError> {
        let path = folder.path.join("tokenizer.json");
        let mut tokenizer = match path.is_file() {
            true => Tokenizer::from_file(&path).map_err(|error| unreadable(&path, &error))?,
            false => from_vocabulary(&folder.path.join("vocab.txt"))?,
        };
        let window = TruncationParams {
            max_length: folder.window_tokens,
            ..TruncationParams::default()
        };
        let set = tokenizer.with_truncation(Some(window));
        set.map_err(|error| unreadable(&path, &error))?;
        tokenizer.with_padding(None);
        Ok(Self { tokenizer })
    }

    /// Returns the tokens of a text.
    pub(crate) fn text(&self, text: &str) -> Result<Tokens, String> {
        self.cut(text.into())
    }

    /// Returns the tokens of a question and a passage, which a model reads together.
    pub(crate) fn pair(&self, question: &str, passage: &str) -> Result<Tokens, String> {
        self.cut((question, passage).into())
    }

    fn cut(&self, input: EncodeInput<'_>) -> Result<Tokens, String> {
        let encoding: Encoding = (self.tokenizer)
            .encode_fast(input, true)
            .map_err(|error| error.to_string())?;
        Ok(Tokens {
            ids: encoding.get_ids().to_vec(),
            kinds: encoding.get_type_ids().to_vec(),
        })
    }
}

/// Older folders of BERT models have a list of word pieces only.
fn from_vocabulary(path: &Path) -> Result<Tokenizer, EmbedError> {
    if !path.is_file() {
        return Err(EmbedError::ModelMissing {
            path: path.with_file_name("tokenizer.json"),
        });
    }
    let pieces = WordPiece::from_file(&path.to_string_lossy()).unk_token("[UNK]".to_owned());
    let mut tokenizer = Tokenizer::new(pieces.build().map_err(|error| unreadable(path, &error))?);
    let id = |token: &str| {
        let id = tokenizer.token_to_id(token);
        id.ok_or_else(|| unreadable(path, &format!("it has no {token}")))
    };
    let (sep, cls) = (id("[SEP]")?, id("[CLS]")?);
    let around = BertProcessing::new(("[SEP]".to_owned(), sep), ("[CLS]".to_owned(), cls));
    let set = tokenizer.with_normalizer(Some(BertNormalizer::default()));
    set.map_err(|error| unreadable(path, &error))?;
    tokenizer.with_pre_tokenizer(Some(BertPreTokenizer));
    tokenizer.with_post_processor(Some(around));
    Ok(tokenizer)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// The expected ids are those of the same texts in another program (`scripts/make-tiny-models`).
    #[test]
    fn tokens_are_those_that_the_model_was_made_with() {
        let models = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/models");
        let golden = std::fs::read_to_string(models.join("golden.json")).unwrap();
        let golden: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(&golden).unwrap();
        assert_eq!(golden.len(), 3);
        for (name, texts) in golden {
            let cutter = Cutter::open(&Folder::open(&models.join(&name)).unwrap()).unwrap();
            let texts: Vec<(String, Vec<u32>)> = serde_json::from_value(texts).unwrap();
            for (text, ids) in texts {
                assert_eq!(cutter.text(&text).unwrap().ids, ids, "{name} {text:?}");
            }
        }
    }

    #[test]
    fn what_lies_beyond_the_window_is_cut_off_and_the_end_stays() {
        let models = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/models");
        let folder = Folder::open(&models.join("tiny-wordpiece")).unwrap();
        let cutter = Cutter::open(&folder).unwrap();
        let short = cutter.text("roof").unwrap();
        let long = cutter.text(&"roof ".repeat(500)).unwrap();
        assert_eq!(long.ids.len(), folder.window_tokens);
        assert_eq!(long.ids.last(), short.ids.last());
        let pair = cutter.pair("roof", &"gutter ".repeat(500)).unwrap();
        assert_eq!(pair.ids.len(), folder.window_tokens);
        assert!(pair.kinds.contains(&1));
    }

    #[test]
    fn a_list_of_word_pieces_is_enough() {
        let folder = tempfile::tempdir().unwrap();
        let pieces = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nroof\nre\n##pair\n";
        std::fs::write(folder.path().join("vocab.txt"), pieces).unwrap();
        let cut = from_vocabulary(&folder.path().join("vocab.txt")).unwrap();
        let ids = cut
            .encode("Roof repair ?", true)
            .unwrap()
            .get_ids()
            .to_vec();
        assert_eq!(ids, [2, 4, 5, 6, 1, 3]);
    }
}
