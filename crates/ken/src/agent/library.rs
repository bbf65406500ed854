//! What one request may read: the searchers of its domains, behind one scope. It is the agent's only way to
//! the notes, so that nothing a model asks for lies outside.

use std::sync::Arc;

use anyhow::{Result, anyhow};
use kenning::budget::Stop;
use kenning::cite::{Citation, Verdict};
use kenning::search::{Scope, ScopeParts};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::searcher::asker::{self, Waiting};
use crate::searcher::{
    AskRequest, NotesRequest, SearchRequest, Searcher, Searchers, WalkRequest, Walked, masked,
};
use crate::wire::http::QUERY_CHARS_MAX;
use crate::wire::{AskResponse, Hit, SearchResponse, merge, merge_asked};

/// Notes that a wide walk begins at.
const STARTS_MAX: usize = 3;

/// What a request is limited to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Places and tags.
    pub(crate) parts: ScopeParts,
    /// Domains; none leaves it to whoever asks.
    pub(crate) domains: Vec<String>,
}

impl Limits {
    /// Says what notes there are, for people and models; `None` if all of them.
    pub(crate) fn told(&self) -> Option<String> {
        let parts = &self.parts;
        let named = |what: &str, names: &[String]| match names {
            [] => None,
            [name] => Some(format!("the {what} {name:?}")),
            names => {
                let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
                let plural = what
                    .strip_suffix('y')
                    .map_or(format!("{what}s"), |stem| format!("{stem}ies"));
                Some(format!("the {plural} {}", names.join(", ")))
            }
        };
        let places = [
            named("file", &parts.files),
            named("folder", &parts.folders),
            named("category", &parts.categories),
        ];
        let places: Vec<String> = places.into_iter().flatten().collect();
        let places = (!places.is_empty()).then(|| format!("in {}", places.join(" or ")));
        let tags = named("tag", &parts.tags).map(|tags| format!("with {tags}"));
        let domains = named("domain", &self.domains).map(|domains| format!("of {domains}"));
        let told: Vec<String> = [places, tags, domains].into_iter().flatten().collect();
        (!told.is_empty()).then(|| told.join(" "))
    }
}

/// A note in full, as the agent may read it.
pub(super) struct Opened {
    pub(super) domain: String,
    pub(super) path: String,
    pub(super) title: String,
    pub(super) date: Option<String>,
    pub(super) lines: Option<(u32, u32)>,
    pub(super) text: String,
}

/// A note of a list.
pub(super) struct Listed {
    pub(super) path: String,
    pub(super) title: String,
    pub(super) date: Option<String>,
}

/// What one request may read.
pub(crate) struct Library {
    searchers: Arc<[Arc<Searcher>]>,
    scope: Option<Arc<Scope>>,
    limits: Limits,
    /// As many questions at once as there are cores, whoever asks.
    turns: Arc<Semaphore>,
}

impl Library {
    /// Opens what a client may ask, limited further. A domain that is named must be one of the client's; where
    /// none is, `asked` is, or without it every one.
    pub(crate) fn open(
        searchers: &Searchers,
        asked: Option<&Arc<Searcher>>,
        limits: Limits,
        turns: Arc<Semaphore>,
    ) -> Result<Self> {
        let mut chosen: Vec<Arc<Searcher>> = Vec::new();
        for name in &limits.domains {
            let searcher = searchers.get(Some(name))?;
            if !chosen.iter().any(|known| known.name() == name) {
                chosen.push(Arc::clone(searcher));
            }
        }
        if chosen.is_empty() {
            chosen = match asked {
                Some(asked) => vec![Arc::clone(asked)],
                None => searchers.all().to_vec(),
            };
        }
        Ok(Self {
            searchers: chosen.into(),
            scope: Scope::new(limits.parts.clone()).map(Arc::new),
            limits,
            turns,
        })
    }

    /// Counts the notes that may be read.
    pub(crate) fn n_notes(&self) -> Result<usize> {
        let request = NotesRequest {
            scope: self.scope.clone(),
            limit: 1,
            ..NotesRequest::default()
        };
        let searchers = self.searchers.iter();
        searchers
            .map(|searcher| Ok(searcher.notes(&request)?.n_notes))
            .sum()
    }

    /// Says what notes there are, if not all.
    pub(crate) fn told(&self) -> Option<String> {
        self.limits.told()
    }

    /// Whether several domains are asked.
    pub(super) fn has_domains(&self) -> bool {
        self.searchers.len() > 1
    }

    /// Finds passages by word and by meaning.
    pub(super) async fn search(&self, query: &str, limit: u32) -> Result<SearchResponse> {
        let query = searched(query);
        self.each(move |searcher, scope| {
            let request = SearchRequest {
                query: query.clone(),
                limit: Some(limit),
                scope: scope.cloned(),
                ..SearchRequest::default()
            };
            Ok(SearchResponse::from(searcher.search(&request)?))
        })
        .await
        .and_then(|answers| {
            merge(answers, limit as usize, None).ok_or_else(|| anyhow!("there is nothing to ask"))
        })
    }

    /// Walks widely along links from the notes of the best hits; returns passages that are not among them.
    pub(super) async fn walk(&self, query: &str, hits: &[Hit], limit: u32) -> Result<Vec<Hit>> {
        let mut starts: Vec<(Option<String>, String)> = Vec::new();
        for hit in hits {
            let start = (hit.domain.clone(), hit.path.clone());
            if starts.len() < STARTS_MAX && !starts.contains(&start) {
                starts.push(start);
            }
        }
        let query = searched(query);
        let known: Vec<String> = hits.iter().map(|hit| hit.id.clone()).collect();
        let walked = self.each(move |searcher, scope| {
            let own = |domain: &Option<String>| {
                domain.as_deref().is_none_or(|name| name == searcher.name())
            };
            let mut found: Vec<Hit> = Vec::new();
            for (_, note) in starts.iter().filter(|(domain, _)| own(domain)) {
                let request = WalkRequest {
                    note: note.clone(),
                    query: Some(query.clone()),
                    limit: Some(2 * limit),
                    is_deep: true,
                    ..WalkRequest::default()
                };
                found.extend(reached(searcher, scope, &request)?);
            }
            Ok(found)
        });
        let mut all: Vec<Hit> = Vec::new();
        for (domain, hits) in walked.await? {
            for mut hit in hits {
                let is_known = known.contains(&hit.id) || all.iter().any(|own| own.id == hit.id);
                hit.domain = (self.searchers.len() > 1).then(|| domain.clone());
                if !is_known {
                    all.push(hit);
                }
            }
        }
        all.sort_by(|a, b| b.score.total_cmp(&a.score));
        all.truncate(limit as usize);
        Ok(all)
    }

    /// Answers in the words of the notes.
    pub(super) async fn extract(&self, question: &str, is_deep: bool) -> Result<AskResponse> {
        let question = searched(question);
        let answers = self.each(move |searcher, scope| {
            let request = AskRequest {
                question: question.clone(),
                is_deep,
                scope: scope.cloned(),
                ..AskRequest::default()
            };
            Ok(AskResponse::from(searcher.ask(&request)?))
        });
        merge_asked(answers.await?).ok_or_else(|| anyhow!("there is nothing to ask"))
    }

    /// Lists notes by path: how many there are, and those of a page.
    pub(super) async fn list(&self, request: NotesRequest) -> Result<(usize, Vec<Listed>)> {
        let request = Arc::new(request);
        let pages = self.each(move |searcher, scope| {
            let request = NotesRequest {
                scope: scope.cloned(),
                ..(*request).clone()
            };
            let page = searcher.notes(&request)?;
            let notes = page.notes.into_iter().map(|note| Listed {
                path: note.path,
                title: note.title,
                date: note.date,
            });
            Ok((page.n_notes, notes.collect::<Vec<_>>()))
        });
        let mut all = (0, Vec::new());
        for (_, (n_notes, notes)) in pages.await? {
            all.0 += n_notes;
            all.1.extend(notes);
        }
        Ok(all)
    }

    /// Opens a note by path, name, alias or `#id`. One that is out of scope is not known.
    pub(super) async fn open_note(&self, reference: &str) -> Result<Opened> {
        let reference = masked(reference);
        let name = reference.clone();
        let found = self.each(move |searcher, scope| {
            let found = searcher.scoped_passage(&reference, scope.map(|scope| &**scope));
            match found {
                Ok(passage) => Ok(Some(passage)),
                Err(error) if is_not_found(&error) => Ok(None),
                Err(error) => Err(error),
            }
        });
        let mut found = found.await?.into_iter();
        let (domain, passage) = found
            .find_map(|(domain, passage)| Some((domain, passage?)))
            .ok_or(kenning::Error::NotFound { name })?;
        let note = &passage.note;
        Ok(Opened {
            domain,
            path: note.path.clone(),
            title: note.title.clone(),
            date: note.date.clone(),
            lines: note
                .has_lines()
                .then_some((passage.start_line, passage.end_line)),
            text: passage.text,
        })
    }

    /// Checks a citation against the note of a domain that it names.
    pub(super) async fn verify(&self, domain: Option<&str>, citation: Citation) -> Result<Verdict> {
        let place =
            domain.and_then(|name| self.searchers.iter().position(|own| own.name() == name));
        let searcher = Arc::clone(&self.searchers[place.unwrap_or(0)]);
        let verdicts = self.run(move || searcher.verify(vec![citation])).await?;
        let verdict = verdicts.into_iter().next();
        verdict.ok_or_else(|| anyhow!("a citation came to no verdict; that is a bug"))
    }

    /// Asks every searcher in turn; each answer comes with the name of its domain.
    async fn each<T: Send + 'static>(
        &self,
        ask: impl Fn(&Searcher, Option<&Arc<Scope>>) -> Result<T> + Send + 'static,
    ) -> Result<Vec<(String, T)>> {
        let (searchers, scope) = (Arc::clone(&self.searchers), self.scope.clone());
        self.run(move || {
            let searchers = searchers.iter();
            searchers
                .map(|searcher| Ok((searcher.name().to_owned(), ask(searcher, scope.as_ref())?)))
                .collect()
        })
        .await
    }

    /// Runs work on a thread of its own when its turn has come; dropped, it ends at its next step.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let turn = Arc::clone(&self.turns).acquire_owned().await?;
        let waiting = Waiting(Stop::default());
        let stop = waiting.0.clone();
        let done = spawn_blocking(move || {
            let result = asker::on_behalf_of(&stop, work);
            drop(turn);
            result
        });
        let result = done.await;
        drop(waiting);
        result?
    }
}

/// What is searched for of a question. What stands in place of a credential would be read as a condition on
/// a property.
fn searched(question: &str) -> String {
    let masked = masked(question);
    let mut parts = masked.split("[REDACTED:");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push(' ');
        text += part.split_once(']').map_or("", |(_, rest)| rest);
    }
    text.chars().take(QUERY_CHARS_MAX).collect()
}

/// Passages of notes that a walk came by and that may be read.
fn reached(
    searcher: &Searcher,
    scope: Option<&Arc<Scope>>,
    request: &WalkRequest,
) -> Result<Vec<Hit>> {
    let Walked::Once(walked) = searcher.traverse(request)?.walked else {
        return Ok(Vec::new());
    };
    let mut hits = Vec::new();
    for (seen, _) in walked.retained {
        let Some(chunk) = seen.chunk else { continue };
        let piece = searcher.piece(&chunk, scope.map(|scope| &**scope))?;
        hits.extend(piece.map(|(note, piece)| Hit::walked(&note, piece, seen.score)));
    }
    Ok(hits)
}

fn is_not_found(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(kenning::Error::NotFound { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_searches_for_a_mask() {
        let secret = ["ghp_", "16C7e42F292c6912E7", "710c838347Ae178B4a"].concat();
        assert_eq!(
            searched(&format!("who has {secret} now?")),
            "who has   now?"
        );
        assert_eq!(searched("plain [prop:value]"), "plain [prop:value]");
    }

    #[test]
    fn a_scope_is_told_in_words() {
        let owned = |names: &[&str]| {
            names
                .iter()
                .map(|&name| name.to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(Limits::default().told(), None);
        let limits = Limits {
            parts: ScopeParts {
                files: owned(&["a.md"]),
                folders: owned(&["Work", "Home"]),
                categories: owned(&["1-Projects", "2-Areas"]),
                tags: owned(&["tax"]),
            },
            domains: owned(&["notes"]),
        };
        assert_eq!(
            limits.told().unwrap(),
            "in the file \"a.md\" or the folders \"Work\", \"Home\" or the categories \"1-Projects\", \"2-Areas\" \
             with the tag \"tax\" of the domain \"notes\""
        );
    }
}
