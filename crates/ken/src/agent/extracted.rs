//! The answer without a model: sentences of the notes, word for word, through the same stream.

use anyhow::Result;
use kenning::cite::{self, Citation, Verdict};

use super::check::checked;
use super::prompt::NOT_SAID;
use super::{Agent, Event, Tally};

impl Agent {
    /// Answers in the words of the notes.
    pub(super) async fn extract(&mut self) -> Result<()> {
        let asked = self
            .library
            .extract(&self.question.text, self.question.is_deep)
            .await?;
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
            self.say(&format!("{message}:\n\n"));
        }
        let numbers: Vec<usize> = asked
            .sentences
            .iter()
            .map(|sentence| self.sources.add_sentence(sentence))
            .collect();
        for &number in &numbers {
            self.tell(number);
        }
        let mut verdicts = Vec::new();
        for (place, number) in numbers.into_iter().enumerate() {
            let gap = if place > 0 { "\n\n" } else { "" };
            let Some(source) = self.sources.get(number).cloned() else {
                continue;
            };
            self.say(&format!("{gap}“{}” [{number}]", source.text));
            verdicts.push(self.extracted(number).await?);
        }
        self.outcome.tally = Tally::of(&verdicts);
        self.outcome.is_whole = true;
        Ok(())
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
