//! `ken search`: finds passages; indexes first what is not indexed yet.

mod context;
mod fit;
mod listed;
mod unknown;

use std::path::{Path, PathBuf};

use anyhow::Result;
use kenning::search::{Answer, Evidence, Mode};

use super::fresh::{Update, asked, said_of_missing};
use super::{Found, open, qmd, query};
use crate::args::{Format, Place, SearchArgs, Sort};
use crate::hint::Hinted;
use crate::questions;
use crate::render;
use crate::searcher::{Answered, SearchRequest, Searchers, masked};
use crate::settings::{Located, Settings};
use crate::wire::{Hit, QmdHit, SearchResponse, merge};

/// The most hits that a list may have.
const HITS_MAX: u32 = 1_000;
/// More notes than a vault has.
const COUNTED_MAX: u32 = 10_000_000;

pub(super) fn run(settings: &Settings, place: &Place, args: &SearchArgs) -> Result<Found> {
    let place = &qmd::with_collection(place, args.collection.as_slice());
    if args.saved {
        return list_saved(settings);
    }
    if let Some(name) = &args.forget {
        settings.forget_search(name)?;
        render::say(&format!("forgot the search {name}"));
        return Ok(Found::Something);
    }
    let typed = query::typed(settings, &args.query, &args.conditions)?;
    if let Some(name) = &args.save {
        settings.save_search(name, &masked(&typed))?;
        render::say(&format!("saved; `ken search @{name}` asks it again"));
    }
    let request = request(args, typed);
    let asked = ask_all(settings, place, args, &request)?;
    for (located, answer) in &asked {
        let paths = answer.hits.iter().map(|hit| hit.path.as_str());
        questions::record(settings, located, (&answer.query, answer.evidence), paths);
    }
    if !place.quiet && settings.is_anywhere(place) {
        say_where(&asked);
    }
    let limit = request.limit.unwrap_or(settings.search.limit) as usize;
    let vaults = Vaults::of(&asked);
    let name = asked.first().map(|(located, _)| located.name.clone());
    let answers = asked
        .into_iter()
        .map(|(located, answer)| (located.name, answer));
    let Some(mut response) = merge(answers.collect(), limit, args.max_tokens) else {
        return Ok(Found::Nothing);
    };
    if args.sort == Sort::Date {
        listed::newest_first(&mut response.hits);
        response.hits.truncate(shown_max(settings, args));
    }
    if let Some(number) = args.open {
        return open_hit(settings, &response, &vaults, number as usize);
    }
    if args.count {
        render::print(&format!("{}\n", response.hits.len()))?;
    } else if args.format == Format::Qmd {
        let collection = name.unwrap_or_default();
        let hits = response.hits.iter();
        let hits = hits.map(|hit| {
            let own = hit.domain.as_deref().unwrap_or(&collection);
            QmdHit::new(hit, own, false)
        });
        render::print_json(&hits.collect::<Vec<_>>())?;
        // An empty list is an answer to qmd.
        return Ok(Found::Something);
    } else {
        print(settings, &mut response, &vaults, args, place)?;
    }
    Ok(if response.hits.is_empty() {
        Found::Nothing
    } else {
        Found::Something
    })
}

/// Opens one of the hits; where there is none, nothing is opened.
fn open_hit(
    settings: &Settings,
    answer: &SearchResponse,
    vaults: &Vaults,
    number: usize,
) -> Result<Found> {
    let Some(hit) = answer.hits.get(number - 1) else {
        render::summary(answer, 0, answer.hits.len());
        return Ok(Found::Nothing);
    };
    let vault = vaults.get(hit.domain.as_deref()).ok_or_else(|| {
        Hinted::error(
            "only an index is known here, not the vault it was made from",
            "name the vault with `--vault PATH`",
        )
    })?;
    open::hit(settings, vault, hit)?;
    Ok(Found::Something)
}

fn list_saved(settings: &Settings) -> Result<Found> {
    let lines = settings.searches.iter().map(|(name, query)| {
        let line = format!("@{name}  {query}");
        format!("{}\n", render::inline(&line))
    });
    let text: String = lines.collect();
    render::print(&text)?;
    Ok(if text.is_empty() {
        Found::Nothing
    } else {
        Found::Something
    })
}

/// Where the notes of each domain lie.
pub(super) struct Vaults(Vec<(String, Option<PathBuf>)>);

impl Vaults {
    fn of(asked: &[(Located, SearchResponse)]) -> Self {
        let places = asked.iter().map(|(located, _)| located);
        Self(
            places
                .map(|located| (located.name.clone(), located.vault.clone()))
                .collect(),
        )
    }

    /// Returns the folder of a domain's notes; where only one was asked, it is not named.
    pub(super) fn get(&self, domain: Option<&str>) -> Option<&Path> {
        let named =
            |(name, _): &&(String, Option<PathBuf>)| domain.is_none_or(|domain| domain == name);
        self.0.iter().find(named)?.1.as_deref()
    }
}

/// Asks every domain that is meant.
fn ask_all(
    settings: &Settings,
    place: &Place,
    args: &SearchArgs,
    request: &SearchRequest,
) -> Result<Vec<(Located, SearchResponse)>> {
    let mut answers = Vec::new();
    for located in settings.locate_all(place)? {
        let answer = ask(settings, located.clone(), args, request, place.quiet)?;
        answers.push((located, answer));
    }
    Ok(answers)
}

/// Nobody said which notes are meant: which were asked is told.
fn say_where(asked: &[(Located, SearchResponse)]) {
    let names: Vec<&str> = asked.iter().map(|(located, _)| &*located.name).collect();
    let what = match names.len() {
        1 => "domain",
        _ => "domains",
    };
    render::say(&format!(
        "note: this folder is in no vault; searched the {what} {}",
        names.join(", ")
    ));
}

/// Asks one domain, after bringing its index up to date; a damaged one is made again.
pub(super) fn ask(
    settings: &Settings,
    located: Located,
    args: &SearchArgs,
    request: &SearchRequest,
    quiet: bool,
) -> Result<SearchResponse> {
    let update = Update {
        is_off: args.no_update,
        is_thorough: args.fresh,
        quiet,
    };
    let asked = asked(settings, &located, update, |searcher, store, checked_at| {
        let mut answer = SearchResponse::from(searcher.answer(store, request, checked_at)?);
        if answer.hits.is_empty() && request.query.contains("tag:") {
            let known: Vec<String> = searcher.tags()?.into_keys().collect();
            answer.notices.extend(unknown::tags(&request.query, &known));
        }
        if answer.hits.is_empty() && request.query.contains("path:") {
            let folders = searcher.facets("")?.folders;
            let known: Vec<String> = folders.into_iter().map(|folder| folder.value).collect();
            answer
                .notices
                .extend(unknown::paths(&request.query, &known));
        }
        Ok(answer)
    })?;
    let Some((mut answer, word)) = asked else {
        return Ok(without_index(settings.mode(args.mode)?, &request.query));
    };
    answer
        .notices
        .extend(said_of_missing(&located, &answer.notices));
    answer.notices.extend(word);
    Ok(answer)
}

/// Returns what is asked for: the query as [`query::typed`] made it, and the limits.
pub(super) fn request(args: &SearchArgs, typed: String) -> SearchRequest {
    // All notes that meet conditions are put in order, not the best few of them.
    let is_listing = args.sort == Sort::Date && query::is_condition_only(&typed);
    let limit = match args.format {
        _ if args.count => Some(COUNTED_MAX),
        _ if args.all || is_listing => Some(HITS_MAX),
        Format::Qmd => args.limit.or(Some(qmd::LISTED_HITS_MAX)),
        _ => args.limit,
    };
    SearchRequest {
        query: typed,
        limit,
        per_note: args.count.then_some(1).or(args.per_note),
        mode: args.mode,
        fusion: args.fusion,
        min_score: args.min_score,
        max_tokens: args.max_tokens,
        is_explained: args.explain,
        dates: args.no_dates.then_some(false),
        scope: None,
    }
}

/// Returns how many hits are printed at most.
fn shown_max(settings: &Settings, args: &SearchArgs) -> usize {
    match args.all || args.count {
        true => usize::MAX,
        false => args.limit.unwrap_or(settings.search.limit) as usize,
    }
}

/// There is nothing to search yet: an empty answer that says so.
fn without_index(mode: Mode, query: &str) -> SearchResponse {
    let answer = Answer {
        hits: Vec::new(),
        evidence: Evidence::None,
        confidence: 0.0,
        notices: vec!["there is no index yet; run `ken index` first".to_owned()],
        foreign: None,
    };
    SearchResponse::from(Answered {
        query: masked(query),
        mode,
        is_explained: false,
        took_ms: 0.0,
        index_age_s: None,
        vault: String::new(),
        answer,
    })
}

fn print(
    settings: &Settings,
    answer: &mut SearchResponse,
    vaults: &Vaults,
    args: &SearchArgs,
    place: &Place,
) -> Result<()> {
    match args.format {
        Format::Text if args.json => render::print_json(answer),
        Format::Text => print_text(settings, answer, vaults, args, place),
        Format::Json => render::print_json(answer),
        Format::Jsonl => answer.hits.iter().try_for_each(render::print_json),
        Format::Md => render::markdown(answer),
        // Only an answer without hits comes this way.
        Format::Qmd => render::print("[]\n"),
        Format::Paths => listed::paths(answer, vaults, args),
        Format::Lines => listed::lines(answer, vaults, args),
    }
}

/// Prints hits for people: on a terminal no more than it holds, unless somebody said how many.
fn print_text(
    settings: &Settings,
    answer: &mut SearchResponse,
    vaults: &Vaults,
    args: &SearchArgs,
    place: &Place,
) -> Result<()> {
    let contexts = contexts(settings, answer, args, place)?;
    let width = render::width();
    let mut blocks = Vec::new();
    for (hit, context) in answer.hits.iter().zip(contexts) {
        let vault = vaults.get(hit.domain.as_deref());
        blocks.push(render::hit(hit, vault, context.as_deref(), width));
    }
    let n_found = blocks.len();
    let says_how_many = args.limit.is_some() || args.all || args.explain || args.context.is_some();
    if let Some(n_rows) = render::height().filter(|_| !says_how_many) {
        // What is said below them, and the next prompt, need room, too.
        let n_said = 3 + answer.notices.len();
        let scores: Vec<f64> = answer.hits.iter().map(|hit| hit.score).collect();
        if args.sort == Sort::Score {
            blocks.truncate(fit::before_tail(&scores));
        }
        let heights: Vec<usize> = blocks
            .iter()
            .map(|block| block.lines().count() + 1)
            .collect();
        blocks.truncate(fit::fitting(&heights, n_rows.saturating_sub(n_said)));
    }
    let n_shown = blocks.len();
    let text: String = blocks.iter().map(|block| format!("{block}\n")).collect();
    render::paged(&text)?;
    if !place.quiet {
        render::summary(answer, n_shown, n_found);
    }
    Ok(())
}

/// Reads the lines around each hit, if they were asked for.
fn contexts(
    settings: &Settings,
    answer: &SearchResponse,
    args: &SearchArgs,
    place: &Place,
) -> Result<Vec<Option<Vec<render::Line>>>> {
    let Some(n_around) = args.context else {
        return Ok(answer.hits.iter().map(|_| None).collect());
    };
    let searchers = Searchers::open(settings, place)?;
    let around = |hit: &Hit| {
        let note = searchers.get(hit.domain.as_deref())?.passage(&hit.path)?;
        let lines = context::around(hit, &note, n_around as usize);
        Ok((!lines.is_empty()).then_some(lines))
    };
    answer.hits.iter().map(around).collect()
}
