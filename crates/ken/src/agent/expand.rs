//! Words that a model adds to a thin question. Off unless the settings say otherwise.

use anyhow::Result;

use super::{Agent, better};
use crate::llm::{ChatEvent, ChatModel, ChatRequest, Message};
use crate::wire::SearchResponse;

/// Most words of a thin question, and most that are added.
const THIN_WORDS_MAX: usize = 2;
const ADDED_WORDS_MAX: usize = 8;
const TOKENS_MAX: u32 = 80;

const RULES: &str = "\
Somebody searches their own notes with very few words. Write up to eight other words that such notes may use for \
the same thing: synonyms, other forms, the general and the special term. Write nothing but the words, in one line, \
in the language of the search.";

/// Whether a question says too little to find much by.
pub(super) fn is_thin(question: &str) -> bool {
    let words = question.split_whitespace();
    (1..=THIN_WORDS_MAX).contains(&words.count()) && !question.contains([':', '"', '/'])
}

impl Agent {
    /// Searches again with words that the model adds; keeps what says more, and tells what was added.
    pub(super) async fn expand(
        &mut self,
        model: &dyn ChatModel,
        found: SearchResponse,
    ) -> Result<SearchResponse> {
        let reply = self.words_of(model, RULES.to_owned(), TOKENS_MAX).await;
        let added = added(&reply, &self.question.text);
        if added.is_empty() {
            return Ok(found);
        }
        let asked = format!("{} {added}", self.question.text);
        let again = self.library.search(&asked, self.options.passages).await?;
        self.events.thinking(format!("also looking for {added}\n"));
        self.outcome
            .notices
            .push(format!("the model added to the question: {added}"));
        self.outcome.expanded = Some(added);
        Ok(better(found, again))
    }

    /// Has the model write words for the question by some rules. Where it fails there are none: the question as it is
    /// can still be answered.
    pub(super) async fn words_of(
        &mut self,
        model: &dyn ChatModel,
        rules: String,
        max_tokens: u32,
    ) -> String {
        let request = ChatRequest {
            system: rules,
            messages: vec![Message::user(&self.question.text)],
            max_tokens: Some(max_tokens),
            ..ChatRequest::default()
        };
        let mut unheard = |_: ChatEvent| {};
        let Ok(reply) = model.chat(&request, &mut unheard).await else {
            return String::new();
        };
        self.count(reply.usage);
        reply.text
    }
}

/// The words of a reply that the question does not have, without anything that is an operator of search.
pub(super) fn added(reply: &str, question: &str) -> String {
    let line = reply.lines().map(str::trim).find(|line| !line.is_empty());
    let words = line
        .unwrap_or_default()
        .split(|c: char| c.is_whitespace() || ",;".contains(c));
    let asked = question.to_lowercase();
    let mut added: Vec<&str> = Vec::new();
    for word in words {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_plain = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '-');
        let is_new = !added.contains(&word) && !asked.contains(&word.to_lowercase());
        if is_plain && is_new && !["OR", "AND", "NOT"].contains(&word) {
            added.push(word);
        }
    }
    added.truncate(ADDED_WORDS_MAX);
    added.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_words_are_thin() {
        assert!(is_thin("boiler") && is_thin("boiler service"));
        assert!(
            !is_thin("") && !is_thin("when was the boiler serviced") && !is_thin("tag:home boiler")
        );
    }

    #[test]
    fn only_plain_words_are_added() {
        let reply =
            "\n heating, furnace; \"hot water\" path:secret OR -not Boiler heating\nand more";
        assert_eq!(added(reply, "boiler"), "heating furnace hot water not");
        assert_eq!(added("", "boiler"), "");
    }
}
