//! A question in another language than the notes: a model translates its telling words, and both are looked for.
//! Off unless the settings say otherwise.

use anyhow::Result;

use super::expand::added;
use super::{Agent, better};
use crate::llm::ChatModel;
use crate::wire::SearchResponse;

const TOKENS_MAX: u32 = 120;

impl Agent {
    /// Searches again with the words of the question in the language of the notes; keeps what says more, and
    /// tells what was looked for.
    pub(super) async fn translate(
        &mut self,
        model: &dyn ChatModel,
        mut found: SearchResponse,
        language: &str,
    ) -> Result<SearchResponse> {
        let reply = self.words_of(model, rules(language), TOKENS_MAX).await;
        let words = added(&reply, "");
        if words.is_empty() {
            return Ok(found);
        }
        let again = self.library.search(&words, self.options.passages).await?;
        // What was said of the question holds whatever is found for its translation.
        self.outcome.notices.append(&mut found.notices);
        self.events.thinking(format!("looking for {words}\n"));
        self.outcome
            .notices
            .push(format!("the model translated the question: {words}"));
        self.outcome.expanded = Some(words);
        Ok(better(found, again))
    }
}

fn rules(language: &str) -> String {
    format!(
        "Somebody searches notes that are written in {language} with a question in another language. Write the words of \
         the question that tell what it is about, names as they are and the others in {language}: at most eight, nothing \
         but the words, in one line."
    )
}
