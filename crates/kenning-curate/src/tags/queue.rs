//! The review queue: `_review-queue.md`, proposals as task items that a person ticks. What else a person writes there stays.

use super::propose::Proposal;

/// Where it lies.
pub const QUEUE: &str = "_review-queue.md";

const INTRODUCTION: &str = "# Review queue\n\nTick what is right, put `-` into the box of what is not, then run `ken tags promote`. \
What else you write here stays.\n";

/// The queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    /// What stands above the first note.
    opening: String,
    /// A part for each note.
    pub parts: Vec<Part>,
}

/// What is proposed for a note.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Path of the note.
    pub path: String,
    heading: String,
    lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Line {
    Item {
        state: State,
        tag: String,
        text: String,
    },
    /// Somebody's own words.
    Text(String),
}

/// What a person says of a proposal elsewhere than in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Path of the note.
    pub path: String,
    /// The tag that is proposed for it.
    pub tag: String,
    /// What is said of it.
    pub state: State,
}

/// What a person said of a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing yet.
    Open,
    /// It is right.
    Ticked,
    /// It is not, and is not to be proposed again.
    Refused,
}

impl State {
    /// Returns what stands in the box.
    fn sign(self) -> &'static str {
        match self {
            Self::Open => " ",
            Self::Ticked => "x",
            Self::Refused => "-",
        }
    }
}

impl Queue {
    /// Reads a queue.
    pub fn read(text: &str) -> Self {
        let mut queue = Self::default();
        for line in text.split_inclusive('\n') {
            if let Some(path) = note_of(line) {
                queue.parts.push(Part {
                    path,
                    heading: line.to_owned(),
                    lines: Vec::new(),
                });
                continue;
            }
            match queue.parts.last_mut() {
                Some(part) => part.lines.push(read_line(line)),
                None => queue.opening.push_str(line),
            }
        }
        queue
    }

    /// Writes the queue down.
    pub fn write(&self) -> String {
        let mut text = match self.opening.trim().is_empty() {
            true => INTRODUCTION.to_owned(),
            false => self.opening.clone(),
        };
        for part in &self.parts {
            if !text.ends_with("\n\n") {
                text.push_str(if text.ends_with('\n') { "\n" } else { "\n\n" });
            }
            text.push_str(&part.heading);
            for line in &part.lines {
                match line {
                    Line::Item { text: line, .. } | Line::Text(line) => text.push_str(line),
                }
                if !text.ends_with('\n') {
                    text.push('\n');
                }
            }
        }
        text
    }

    /// Puts what is proposed for a note into the queue; what was open before and is not proposed any more goes.
    pub fn put(&mut self, path: &str, title: &str, proposals: &[Proposal]) {
        let at = self.parts.iter().position(|part| part.path == path);
        let at = at.unwrap_or_else(|| {
            let name = path.strip_suffix(".md").unwrap_or(path);
            let shown = title.replace(['[', ']', '|'], " ");
            self.parts.push(Part {
                path: path.to_owned(),
                heading: format!("## [[{name}|{shown}]]\n\n"),
                lines: Vec::new(),
            });
            self.parts.len() - 1
        });
        let part = &mut self.parts[at];
        part.lines.retain(|line| {
            !matches!(
                line,
                Line::Item {
                    state: State::Open,
                    ..
                }
            )
        });
        let known: Vec<String> = part.items().map(|(_, tag)| tag.to_lowercase()).collect();
        let new = proposals
            .iter()
            .filter(|proposal| !known.contains(&proposal.tag.to_lowercase()));
        let items: Vec<Line> = new.map(item).collect();
        // Before what somebody wrote, behind what was decided.
        let place = part
            .lines
            .iter()
            .position(|line| matches!(line, Line::Text(text) if !text.trim().is_empty()));
        let place = place.unwrap_or(part.lines.len());
        part.lines.splice(place..place, items);
        self.drop_empty();
    }

    /// Notes down what a person says of a proposal; tells whether it is there.
    pub fn mark(&mut self, mark: &Mark) -> bool {
        let parts = self.parts.iter_mut().filter(|part| part.path == mark.path);
        let mut lines = parts.flat_map(|part| &mut part.lines);
        lines.any(|line| match line {
            Line::Item { state, tag, text } if *tag == mark.tag => {
                // The box is the first bracket of its line: that is how it was read.
                if let Some(at) = text.find('[') {
                    text.replace_range(at + 1..at + 2, mark.state.sign());
                }
                *state = mark.state;
                true
            }
            _ => false,
        })
    }

    /// Takes out items of a note that `is_done` says are done.
    pub fn take(&mut self, path: &str, is_done: impl Fn(State, &str) -> bool) {
        for part in self.parts.iter_mut().filter(|part| part.path == path) {
            part.lines.retain(|line| match line {
                Line::Item { state, tag, .. } => !is_done(*state, tag),
                Line::Text(_) => true,
            });
        }
        self.drop_empty();
    }

    /// A part without items and without somebody's words is none.
    fn drop_empty(&mut self) {
        let is_kept = |line: &Line| !matches!(line, Line::Text(text) if text.trim().is_empty());
        self.parts.retain(|part| part.lines.iter().any(is_kept));
    }
}

impl Part {
    /// Returns what is proposed, and what was said of it.
    pub fn items(&self) -> impl Iterator<Item = (State, &str)> {
        self.lines.iter().filter_map(|line| match line {
            Line::Item { state, tag, .. } => Some((*state, tag.as_str())),
            Line::Text(_) => None,
        })
    }

    /// Returns the same with what is told of each: how sure it is, and why.
    pub fn told(&self) -> impl Iterator<Item = (State, &str, &str)> {
        self.lines.iter().filter_map(|line| match line {
            Line::Item { state, tag, text } => {
                let (_, told) = text.split_once(&format!("#{tag}"))?;
                Some((*state, tag.as_str(), told.trim_start_matches('`').trim()))
            }
            Line::Text(_) => None,
        })
    }
}

/// Returns the path of the note that a heading names.
fn note_of(line: &str) -> Option<String> {
    let inner = line.strip_prefix("## [[")?;
    let (inner, _) = inner.split_once("]]")?;
    let name = inner.split(['|', '#']).next()?.trim();
    Some(match name.ends_with(".md") {
        true => name.to_owned(),
        false => format!("{name}.md"),
    })
}

fn read_line(line: &str) -> Line {
    let item = || {
        let rest = line
            .trim_start()
            .strip_prefix(['-', '*', '+'])?
            .trim_start();
        let (mark, rest) = rest.strip_prefix('[')?.split_once(']')?;
        let state = match mark {
            " " => State::Open,
            "x" | "X" => State::Ticked,
            "-" => State::Refused,
            _ => return None,
        };
        let rest = rest.trim_start().trim_start_matches('`');
        let tag = rest.strip_prefix('#')?;
        let end = tag
            .find(|c: char| c.is_whitespace() || c == '`')
            .unwrap_or(tag.len());
        Some(Line::Item {
            state,
            tag: tag[..end].to_owned(),
            text: line.to_owned(),
        })
    };
    item().unwrap_or_else(|| Line::Text(line.to_owned()))
}

/// In code, so that the queue itself does not have the tag.
fn item(proposal: &Proposal) -> Line {
    let Proposal {
        tag,
        confidence,
        reason,
    } = proposal;
    Line::Item {
        state: State::Open,
        tag: tag.clone(),
        text: format!("- [ ] `#{tag}` {confidence:.2}: {reason}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposal(tag: &str) -> Proposal {
        Proposal {
            tag: tag.to_owned(),
            confidence: 0.5,
            reason: "why".to_owned(),
        }
    }

    #[test]
    fn what_a_person_wrote_stays() {
        let mut queue = Queue::default();
        queue.put("a/Note.md", "Note [1]", &[proposal("x"), proposal("y")]);
        let text = queue.write();
        assert!(
            text.ends_with(
                "## [[a/Note|Note  1 ]]\n\n- [ ] `#x` 0.50: why\n- [ ] `#y` 0.50: why\n"
            ),
            "{text}"
        );
        assert_eq!(Queue::read(&text).write(), text);
        let edited = text
            .replace("[ ] `#x`", "[x] `#x`")
            .replace("[ ] `#y`", "[-] `#y`")
            + "I wonder.\n- [x] #own\n";
        let mut queue = Queue::read(&edited);
        assert_eq!(queue.write(), edited);
        let items: Vec<(State, &str)> = queue.parts[0].items().collect();
        assert_eq!(
            items,
            [
                (State::Ticked, "x"),
                (State::Refused, "y"),
                (State::Ticked, "own")
            ]
        );
        // What is said elsewhere is written into the box, and nothing else changes.
        let mark = |tag: &str, state: State| Mark {
            path: "a/Note.md".to_owned(),
            tag: tag.to_owned(),
            state,
        };
        let mut marked = queue.clone();
        assert!(marked.mark(&mark("own", State::Refused)) && marked.mark(&mark("x", State::Open)));
        assert!(!marked.mark(&mark("nowhere", State::Ticked)));
        let expected = edited
            .replace("[x] #own", "[-] #own")
            .replace("[x] `#x`", "[ ] `#x`");
        assert_eq!(marked.write(), expected);
        assert_eq!(
            marked.parts[0].told().next(),
            Some((State::Open, "x", "0.50: why"))
        );
        // What was refused is not proposed again, and what is ticked goes when it is done.
        queue.put("a/Note.md", "Note", &[proposal("y"), proposal("z")]);
        queue.take("a/Note.md", |state, _| state == State::Ticked);
        let text = queue.write();
        assert!(
            text.ends_with("- [-] `#y` 0.50: why\n- [ ] `#z` 0.50: why\nI wonder.\n"),
            "{text}"
        );
        queue.put("b.md", "b", &[]);
        assert_eq!(queue.parts.len(), 1);
    }
}
