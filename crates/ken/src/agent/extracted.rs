//! The answer without a model: sentences of the notes, word for word, through the same stream.

use anyhow::Result;
use kenning::cite::{self, Citation, Verdict};

use super::check::checked;
use super::prompt::NOT_SAID;
use super::{Agent, Event, Tally};
use crate::wire::{AskResponse, AskedSentence};

impl Agent {
    /// Answers in the words of the notes.
    pub(super) async fn extract(&mut self) -> Result<()> {
        let asked = self.asked().await?;
        let is_sure = !asked.is_weak();
        self.outcome.evidence = asked.evidence;
        self.outcome.notices.extend(asked.notices);
        if self.is_attached() {
            let notice =
                "files and pictures are looked at by a language model only; none is configured";
            self.outcome.notices.push(notice.to_owned());
        }
        if asked.sentences.is_empty() {
            self.say(NOT_SAID);
        } else if let Some(message) = asked.message {
            let mut letters = message.chars();
            let first = letters.next().map(|c| c.to_uppercase().to_string());
            let first = first.unwrap_or_default();
            self.say(&format!("{first}{}:\n\n", letters.as_str()));
        }
        let numbered = asked.sentences.iter();
        let numbered: Vec<(usize, &AskedSentence)> = numbered
            .map(|sentence| (self.sources.add_sentence(sentence), sentence))
            .collect();
        for (number, _) in &numbered {
            self.tell(*number);
        }
        let mut verdicts = Vec::new();
        for (place, (number, sentence)) in numbered.into_iter().enumerate() {
            let gap = if place > 0 { "\n\n" } else { "" };
            // What answers is marked once: in the sentence that answers best, if one does.
            let text = match place {
                0 if is_sure => sentence.marked(),
                _ => sentence.quote.clone(),
            };
            self.say(&format!("{gap}“{text}” [{number}]"));
            verdicts.push(self.extracted(number).await?);
        }
        self.outcome.tally = Tally::of(&verdicts);
        self.outcome.is_whole = true;
        Ok(())
    }

    /// Asks, together with what was asked before where that says more.
    async fn asked(&self) -> Result<AskResponse> {
        let is_deep = self.question.is_deep;
        let asked = self.library.extract(&self.question.text, is_deep).await?;
        let is_found = |asked: &AskResponse| !asked.sentences.is_empty() && !asked.is_weak();
        let points_back = self.points_back();
        let both = self.with_before();
        let Some(both) = both.filter(|_| points_back || !is_found(&asked)) else {
            return Ok(asked);
        };
        let again = self.library.extract(&both, is_deep).await?;
        let is_better = points_back || again.confidence > asked.confidence;
        Ok(match is_better && is_found(&again) {
            true => again,
            false => asked,
        })
    }

    fn is_attached(&self) -> bool {
        let attachments = &self.question.attachments;
        !attachments.texts.is_empty() || !attachments.pictures.is_empty()
    }

    /// Checks a sentence as if somebody else had quoted it.
    async fn extracted(&mut self, number: usize) -> Result<Verdict> {
        let Some(source) = self.sources.get(number) else {
            return Ok(cite::verify_text(Citation::default(), None));
        };
        let citation = Citation {
            id: source.id.clone(),
            note: Some(source.path.clone()),
            lines: source.lines,
            quote: Some(source.text.clone()),
            claim: None,
        };
        let verdict = self
            .library
            .verify(source.domain.as_deref(), citation)
            .await?;
        let checked = checked(Some(source), verdict.clone());
        self.events.send(Event::Checked(Box::new(checked)));
        Ok(verdict)
    }
}
