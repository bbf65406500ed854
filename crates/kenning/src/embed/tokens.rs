//! Vectors of single tokens, which some models have beside those of whole texts.
//!
//! Ranking compares the words of a question and of a passage by them, one with another. A model without
//! them is asked for whole texts only, and loses nothing but that signal.

/// The tokens that a model cuts text into, and a vector for each.
pub trait TokenVectors: Send + Sync {
    /// Returns how many tokens there are; their ids are the numbers below.
    fn n_tokens(&self) -> usize;

    /// Returns how many components their vectors have.
    fn dimensions(&self) -> usize;

    /// Appends the ids of the tokens of a text, in order. What the model does not know is left out.
    fn tokens(&self, text: &str, tokens: &mut Vec<u32>);

    /// Returns a token as the model spells it, with the marks of its tokenizer, such as `##` where it
    /// continues a word.
    ///
    /// # Panics
    ///
    /// If there is no such token.
    fn token(&self, id: u32) -> &str;

    /// Returns the vector of a token: its components, each to be multiplied by the scale.
    ///
    /// # Panics
    ///
    /// If there is no such token.
    fn vector(&self, id: u32) -> (&[i8], f32);

    /// Returns the direction of the sum of a text's tokens; the zero row if it has none.
    fn direction(&self, text: &str) -> Vec<f32>;

    /// Whether a word is a token by itself, not only made of several.
    fn knows(&self, word: &str) -> bool {
        let mut tokens = Vec::new();
        self.tokens(word, &mut tokens);
        let is_all = |&token: &u32| self.token(token).chars().count() == word.chars().count();
        matches!(&tokens[..], [only] if is_all(only))
    }

    /// Returns the share of a text's letters that stand in tokens of two letters and more.
    ///
    /// A script that a model was not trained on is cut into single letters, or into nothing: what
    /// their vectors add up to means nothing.
    fn known_share(&self, text: &str) -> f32 {
        let is_letter = |c: &char| c.is_alphabetic();
        let n_letters = text.chars().filter(is_letter).count();
        let mut tokens = Vec::new();
        self.tokens(text, &mut tokens);
        let lengths = tokens
            .iter()
            .map(|&token| self.token(token).chars().filter(is_letter).count());
        let n_known: usize = lengths.filter(|&n| n > 1).sum();
        match n_letters {
            0 => 1.0,
            _ => (n_known as f32 / n_letters as f32).min(1.0),
        }
    }
}
