//! Checks the citations of an answer, sentence by sentence while it forms and once more when it is whole.
//!
//! Nothing is hidden and nothing is left out of the answer: a quote that does not stand where it is said to
//! stand is told as such.

use anyhow::Result;
use kenning::cite::{self, Citation, Graded, Reason, Support, Verdict};

use super::fence::undefused;
use super::library::Library;
use super::sources::{Source, Sources};

/// Most citations of one answer that are looked at.
const CITATIONS_MAX: usize = 300;

/// A citation and what came of checking it.
#[derive(Clone, Debug)]
pub(crate) struct Checked {
    /// The number by which it was cited, or under which its note is known.
    pub(crate) number: Option<usize>,
    /// Heading that it stands under.
    pub(crate) section: Option<String>,
    pub(crate) domain: Option<String>,
    /// Name of the file, if it came with the question and is in no note.
    pub(crate) attached: Option<String>,
    pub(crate) verdict: Verdict,
}

/// What the citations of an answer came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) status: &'static str,
    pub(crate) n_verified: usize,
    pub(crate) n_checked: usize,
    pub(crate) told: String,
}

impl Tally {
    /// Sums up the citations of an answer.
    pub(super) fn of(verdicts: &[Verdict]) -> Self {
        let (n_verified, n_checked) = cite::tally(verdicts);
        Self {
            status: cite::status(verdicts).name(),
            n_verified,
            n_checked,
            told: cite::told(verdicts),
        }
    }
}

/// The citations of one answer.
#[derive(Default)]
pub(super) struct Checker {
    /// As they were written, with what came of them.
    seen: Vec<(Written, Checked)>,
}

/// A citation as it stands in the answer, and the numbers behind it.
type Written = (Vec<usize>, Citation);

impl Checker {
    /// Checks what a part of the answer cites; returns what was not checked before.
    pub(super) async fn check(
        &mut self,
        text: &str,
        sources: &Sources,
        library: &Library,
    ) -> Result<Vec<Checked>> {
        let mut fresh = Vec::new();
        for written in cite::numbered(text) {
            if self.seen.len() >= CITATIONS_MAX || self.known(&written).is_some() {
                continue;
            }
            let checked = verify(&written, sources, library).await?;
            self.seen.push((written, checked.clone()));
            fresh.push(checked);
        }
        Ok(fresh)
    }

    /// Sums up the citations of the whole answer, which were all checked.
    pub(super) fn tally(&self, whole: &str) -> Tally {
        let written = cite::numbered(whole);
        let known = written.iter().filter_map(|written| self.known(written));
        let verdicts: Vec<Verdict> = known.map(|checked| checked.verdict.clone()).collect();
        Tally::of(&verdicts)
    }

    fn known(&self, written: &Written) -> Option<&Checked> {
        let known = self.seen.iter().find(|(known, _)| known == written);
        known.map(|(_, checked)| checked)
    }
}

/// Checks one citation against the sources that it names; any of them may bear it out.
async fn verify(written: &Written, sources: &Sources, library: &Library) -> Result<Checked> {
    let (numbers, citation) = written;
    let mut best: Option<Checked> = None;
    for source in cited(written, sources) {
        let found = checked(Some(source), against(source, citation, library).await?);
        if found.verdict.is_verified() {
            return Ok(found);
        }
        let support =
            |checked: &Checked| checked.verdict.graded.as_ref().map(|graded| graded.support);
        if best
            .as_ref()
            .is_none_or(|best| support(best) < support(&found))
        {
            best = Some(found);
        }
    }
    // The words may be right, and only the number missing or wrong.
    let elsewhere = standing(citation, sources);
    if let (Some(source), true, None) = (elsewhere, numbers.is_empty(), &best) {
        return Ok(checked(
            Some(source),
            against(source, citation, library).await?,
        ));
    }
    // Only what the model was shown is opened, whatever it names.
    let mut found = best.unwrap_or_else(|| Checked {
        number: numbers.first().copied(),
        ..checked(None, unknown(citation, numbers))
    });
    if let Some(source) = elsewhere {
        found.verdict.problem = Some(format!("these words stand in [{}]", source.number));
    }
    Ok(found)
}

/// Returns the sources that a citation names, by number, by `#id` or as a note.
fn cited<'a>((numbers, citation): &Written, sources: &'a Sources) -> Vec<&'a Source> {
    let named = citation
        .note
        .as_deref()
        .and_then(|name| sources.named(name));
    let is_meant = |source: &&Source| citation.id.is_some() && source.id == citation.id;
    let named = named.or_else(|| sources.all().iter().find(is_meant));
    let numbered = numbers.iter().filter_map(|&number| sources.get(number));
    numbered.chain(named).collect()
}

/// What comes of citing a passage that was never shown.
fn unknown(citation: &Citation, numbers: &[usize]) -> Verdict {
    let mut verdict = cite::verify_text(unplaced(citation), None);
    verdict.problem = Some(match numbers.first() {
        Some(number) => format!("there is no passage [{number}]"),
        None => "it stands in no passage that was found".to_owned(),
    });
    if !numbers.is_empty() && citation.claim.is_some() {
        verdict.graded = Some(Graded {
            support: Support::Unsupported,
            sentence: None,
            missing: Vec::new(),
        });
    }
    verdict
}

fn unplaced(citation: &Citation) -> Citation {
    Citation {
        id: None,
        note: None,
        ..citation.clone()
    }
}

/// Checks a citation against one source.
async fn against(source: &Source, citation: &Citation, library: &Library) -> Result<Verdict> {
    let placed = |quote: Option<String>| Citation {
        id: source.id.clone(),
        note: Some(source.path.clone()),
        lines: source.lines,
        quote,
        claim: citation.claim.clone(),
    };
    if source.is_attached {
        let cited = placed(citation.quote.as_deref().map(undefused));
        return Ok(cite::verify_text(
            cited,
            Some((&source.title, &source.text)),
        ));
    }
    let domain = source.domain.as_deref();
    let verdict = library
        .verify(domain, placed(citation.quote.clone()))
        .await?;
    let plain = citation.quote.as_deref().map(undefused);
    match verdict.reason {
        // What lost its brackets before the model saw it may be quoted without them.
        Reason::NotFound if plain != citation.quote => library.verify(domain, placed(plain)).await,
        _ => Ok(verdict),
    }
}

/// Returns a source in which a quote stands.
fn standing<'a>(citation: &Citation, sources: &'a Sources) -> Option<&'a Source> {
    citation.quote.as_ref()?;
    let mut sources = sources.all().iter();
    sources.find(|source| {
        let cited = Some((source.title.as_str(), source.text.as_str()));
        cite::verify_text(unplaced(citation), cited).reason == Reason::Match
    })
}

pub(super) fn checked(source: Option<&Source>, verdict: Verdict) -> Checked {
    Checked {
        number: source.map(|source| source.number),
        section: source.and_then(Source::section).map(str::to_owned),
        domain: source.and_then(|source| source.domain.clone()),
        attached: source
            .filter(|source| source.is_attached)
            .map(|source| source.path.clone()),
        verdict,
    }
}
