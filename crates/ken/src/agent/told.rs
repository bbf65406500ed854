//! What an agent says, as it is sent; and what was sent, as an agent takes it.

use kenning::conversation::Exchange;
use kenning::search::ScopeParts;

use super::check::Checked;
use super::event::{Event, Outcome};
use super::library::Limits;
use super::sources::Source;
use crate::wire::rag::{
    FoundNote, RagChecked, RagCitation, RagLine, RagMemory, RagOutcome, RagRole, RagScope,
};
use crate::wire::{CheckedCitation, place};

impl From<RagScope> for Limits {
    fn from(scope: RagScope) -> Self {
        Self {
            parts: ScopeParts {
                files: scope.files,
                folders: scope.folders,
                categories: scope.categories,
                tags: scope.tags,
            },
            domains: scope.domains,
        }
    }
}

/// Makes questions and answers of messages; what was said twice in a row by one side counts together.
pub(crate) fn exchanges(messages: impl IntoIterator<Item = (RagRole, String)>) -> Vec<Exchange> {
    let mut turns: Vec<Exchange> = Vec::new();
    for (role, content) in messages {
        let is_open = turns.last().is_some_and(|turn| turn.answer.is_empty());
        match (role, turns.last_mut()) {
            (RagRole::User, Some(turn)) if is_open => {
                turn.question += "\n\n";
                turn.question += &content;
            }
            (RagRole::User, _) => turns.push(Exchange {
                question: content,
                answer: String::new(),
            }),
            (RagRole::Assistant, Some(turn)) => {
                let gap = if is_open { "" } else { "\n\n" };
                turn.answer += gap;
                turn.answer += &content;
            }
            (RagRole::Assistant, None) => turns.push(Exchange {
                question: String::new(),
                answer: content,
            }),
        }
    }
    turns
}

impl From<Event> for RagLine {
    fn from(event: Event) -> Self {
        match event {
            Event::Thinking(text) => Self::Thinking { text },
            Event::Found(source) => Self::Metadata(Box::new((*source).into())),
            Event::Checked(checked) => Self::Metadata(Box::new((*checked).into())),
            Event::Text(text) => Self::Text { text },
            Event::Memory(usage) => Self::Memory(RagMemory {
                usage: usage.into(),
                conversation: None,
                turn: None,
            }),
            Event::Failed { message, hint } => Self::Error {
                detail: message,
                hint,
            },
            Event::Done(outcome) => Self::Done(Box::new((*outcome).into())),
        }
    }
}

impl From<Source> for RagCitation {
    fn from(source: Source) -> Self {
        Self {
            stage: "found",
            number: Some(source.number),
            place: Some(place(&source.path, source.lines, source.page)),
            section: source.section().map(str::to_owned),
            attached: source.is_attached.then_some(true),
            domain: source.domain,
            breadcrumb: source.breadcrumb,
            date: source.date,
            excerpt: Some(source.excerpt),
            checked: RagChecked::Found(Box::new(FoundNote {
                citation_verified: None,
                citation_reason: None,
                id: source.id,
                path: source.path,
                title: source.title,
                start_line: source.lines.map(|lines| lines.0),
                end_line: source.lines.map(|lines| lines.1),
                page: source.page,
                picture: source.picture,
                quote: None,
            })),
        }
    }
}

impl From<Checked> for RagCitation {
    fn from(checked: Checked) -> Self {
        let mut cited = CheckedCitation::from(checked.verdict);
        // A file that came with the question is known by its name only.
        cited.path = cited.path.or_else(|| checked.attached.clone());
        let lines = cited.start_line.zip(cited.end_line);
        let found = cited.path.as_deref();
        Self {
            stage: "checked",
            number: checked.number,
            place: found.map(|path| place(path, lines, cited.page)),
            domain: checked.domain,
            attached: checked.attached.map(|_| true),
            section: checked.section,
            breadcrumb: Vec::new(),
            date: None,
            excerpt: None,
            checked: RagChecked::Cited(Box::new(cited)),
        }
    }
}

impl From<Outcome> for RagOutcome {
    fn from(outcome: Outcome) -> Self {
        Self {
            answer: outcome.text,
            citations_status: outcome.tally.status,
            n_verified: outcome.tally.n_verified,
            n_checked: outcome.tally.n_checked,
            verified: outcome.tally.told,
            evidence: outcome.evidence,
            model: outcome.model,
            expanded: outcome.expanded,
            complete: outcome.is_whole,
            notices: outcome.notices,
            steps: outcome.n_steps,
            tools: outcome.tools,
            input_tokens: outcome.input_tokens,
            output_tokens: outcome.output_tokens,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_become_questions_with_their_answers() {
        use RagRole::{Assistant, User};
        let said = |messages: &[(RagRole, &str)]| {
            let messages = messages
                .iter()
                .map(|(role, text)| (*role, (*text).to_owned()));
            let turns = exchanges(messages).into_iter();
            turns
                .map(|turn| format!("{}|{}", turn.question, turn.answer))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            said(&[(User, "a"), (Assistant, "b"), (User, "c")]),
            ["a|b", "c|"]
        );
        assert_eq!(
            said(&[(User, "a"), (User, "b"), (Assistant, "c")]),
            ["a\n\nb|c"]
        );
        assert_eq!(said(&[(Assistant, "hello"), (User, "a")]), ["|hello", "a|"]);
    }
}
