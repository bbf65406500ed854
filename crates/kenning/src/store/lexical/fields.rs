//! The fields of the word index and the tokenizer that only splits: `words` has done the rest.

use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer, TokenizerManager};

use crate::words::TERM_SEPARATOR;

const TOKENIZER: &str = "terms";
/// How far an empty term moves those behind it away: no window reaches across.
const GAP_WORDS: usize = 100;

/// The fields that hold terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WordField {
    /// Text of a chunk.
    Text,
    /// Headings above a chunk.
    Section,
    /// File name.
    FileName,
    /// Title, unless it is the file name.
    Title,
    /// Aliases.
    Aliases,
    /// Tags.
    Tags,
    /// Folders.
    Area,
    /// Summary.
    Summary,
    /// Other properties.
    Properties,
    /// Long words of languages that join them, spelled backwards.
    Compounds,
}

impl WordField {
    /// Those that hold words as they are written.
    pub const WRITTEN: [Self; 9] = [
        Self::Text,
        Self::Section,
        Self::Title,
        Self::FileName,
        Self::Aliases,
        Self::Tags,
        Self::Area,
        Self::Summary,
        Self::Properties,
    ];
    /// Those whose words a person may have meant.
    pub(super) const SPELLED: [Self; 4] = [Self::Text, Self::Title, Self::FileName, Self::Aliases];
}

/// Splits a term text at its separators: each term, and its position.
pub fn split_terms(text: &str) -> impl Iterator<Item = (&str, u32)> {
    let mut position = u32::MAX;
    let (ended, _) = text.rsplit_once(TERM_SEPARATOR).unwrap_or_default();
    ended.split(TERM_SEPARATOR).filter_map(move |term| {
        let step = if term.is_empty() { GAP_WORDS as u32 } else { 1 };
        position = position.wrapping_add(step);
        (!term.is_empty()).then_some((term, position))
    })
}

/// The fields. A note is one entry followed at once by one entry per chunk, in order.
#[derive(Clone)]
pub(in crate::store) struct Fields {
    pub(in crate::store) schema: Schema,
    /// Chunk entries: the text, with positions.
    pub(in crate::store) text: Field,
    /// Chunk entries: headings above.
    pub(in crate::store) section: Field,
    /// Note entries: title, unless it is the file name.
    pub(in crate::store) title: Field,
    /// Note entries: file name.
    pub(in crate::store) file_name: Field,
    /// Note entries: aliases.
    pub(in crate::store) aliases: Field,
    /// Note entries: tags.
    pub(in crate::store) tags: Field,
    /// Note entries: folders.
    pub(in crate::store) area: Field,
    /// Note entries: summary.
    pub(in crate::store) summary: Field,
    /// Note entries: other properties.
    pub(in crate::store) properties: Field,
    /// All entries: long words of languages that join them, spelled backwards.
    pub(in crate::store) compounds: Field,
    /// All entries: id of the note, to delete by.
    pub(in crate::store) note: Field,
    /// All entries: id of the chunk plus one; 0 marks a note entry.
    pub(in crate::store) chunk: Field,
    /// All entries: number of terms in the text.
    pub(in crate::store) n_terms: Field,
}

impl Fields {
    pub(in crate::store) fn new() -> Self {
        let mut schema = Schema::builder();
        let text = |option| {
            let indexing = TextFieldIndexing::default()
                .set_tokenizer(TOKENIZER)
                .set_fieldnorms(false)
                .set_index_option(option);
            TextOptions::default().set_indexing_options(indexing)
        };
        let counted = || text(IndexRecordOption::WithFreqs);
        let number = NumericOptions::from(FAST);
        Self {
            text: schema.add_text_field("text", text(IndexRecordOption::WithFreqsAndPositions)),
            section: schema.add_text_field("section", counted()),
            title: schema.add_text_field("title", counted()),
            file_name: schema.add_text_field("file_name", counted()),
            aliases: schema.add_text_field("aliases", counted()),
            tags: schema.add_text_field("tags", counted()),
            area: schema.add_text_field("area", counted()),
            summary: schema.add_text_field("summary", counted()),
            properties: schema.add_text_field("properties", counted()),
            compounds: schema.add_text_field("compounds", counted()),
            note: schema.add_u64_field("note", FAST | INDEXED),
            chunk: schema.add_u64_field("chunk", number.clone()),
            n_terms: schema.add_u64_field("n_terms", number),
            schema: schema.build(),
        }
    }

    /// Returns tantivy's field of a kind.
    pub(super) fn of(&self, field: WordField) -> Field {
        match field {
            WordField::Text => self.text,
            WordField::Section => self.section,
            WordField::FileName => self.file_name,
            WordField::Title => self.title,
            WordField::Aliases => self.aliases,
            WordField::Tags => self.tags,
            WordField::Area => self.area,
            WordField::Summary => self.summary,
            WordField::Properties => self.properties,
            WordField::Compounds => self.compounds,
        }
    }

    pub(in crate::store) fn tokenizers() -> TokenizerManager {
        // Tantivy asks for its own default even for fields of numbers.
        let manager = TokenizerManager::default();
        manager.register(TOKENIZER, TermSplitter::default());
        manager
    }
}

/// Splits a term text at its separators.
#[derive(Clone, Default)]
pub(in crate::store) struct TermSplitter {
    token: Token,
}

pub(in crate::store) struct TermStream<'a> {
    rest: &'a str,
    token: &'a mut Token,
}

impl Tokenizer for TermSplitter {
    type TokenStream<'a> = TermStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> TermStream<'a> {
        self.token.reset();
        TermStream {
            rest: text,
            token: &mut self.token,
        }
    }
}

impl TokenStream for TermStream<'_> {
    fn advance(&mut self) -> bool {
        while let Some((term, rest)) = self.rest.split_once(TERM_SEPARATOR) {
            self.rest = rest;
            if term.is_empty() {
                // What comes next stands nowhere near.
                self.token.position = self.token.position.wrapping_add(GAP_WORDS);
                continue;
            }
            self.token.text.clear();
            self.token.text.push_str(term);
            self.token.position = self.token.position.wrapping_add(1);
            return true;
        }
        false
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
