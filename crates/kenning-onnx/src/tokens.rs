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

/// Pieces that a word counts as which cannot be cut at all.
const UNKNOWN_PIECES: usize = 4;
/// Characters of a text that tell how well a tokenizer knows its language.
const LOOKED_AT_CHARS: usize = 800;

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

    /// Returns how many letters of the beginning of a text a piece has on average, if it has any.
    pub(crate) fn letters_a_piece(&self, text: &str) -> Option<f32> {
        let end = text.char_indices().nth(LOOKED_AT_CHARS);
        let text = &text[..end.map_or(text.len(), |(end, _)| end)];
        let n_letters: f32 = text.chars().filter(|c| c.is_alphabetic()).map(weight).sum();
        // `encode_fast` leaves out how tokens are spelled.
        let encoding = self.tokenizer.encode(text, false).ok()?;
        let n_pieces: usize = encoding
            .get_tokens()
            .iter()
            .map(|token| crumbs(token))
            .sum();
        (n_letters > 0.0 && n_pieces > 0).then(|| n_letters / n_pieces as f32)
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

/// Returns how many pieces a token stands for: none without a letter, and many where the model has none at all.
fn crumbs(token: &str) -> usize {
    match token {
        "[UNK]" | "<unk>" => UNKNOWN_PIECES,
        _ => usize::from(token.chars().any(char::is_alphabetic)),
    }
}

/// A letter of a script that writes syllables or words says as much as some letters of others.
fn weight(letter: char) -> f32 {
    match letter >= '\u{2e80}' {
        true => 3.0,
        false => 1.0,
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
    fn words_fall_into_crumbs_where_the_model_does_not_know_them() {
        let folder = tempfile::tempdir().unwrap();
        let pieces = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nroof\nrepair\nr\n##e\n##n\n##t\n##r\n##o\n3\n";
        std::fs::write(folder.path().join("vocab.txt"), pieces).unwrap();
        let tokenizer = from_vocabulary(&folder.path().join("vocab.txt")).unwrap();
        let cutter = Cutter { tokenizer };
        let known = cutter.letters_a_piece("Roof repair 3").unwrap();
        let strange = cutter.letters_a_piece("renten").unwrap();
        assert!((known - 5.0).abs() < 1e-6 && (strange - 1.0).abs() < 1e-6);
        assert!(cutter.letters_a_piece("xyzzy").unwrap() < 2.0);
        assert_eq!(cutter.letters_a_piece("3 3"), None);
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
