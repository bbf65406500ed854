//! One file per verb; here they are told apart.

mod ask;
mod audit;
mod backup;
mod chat;
mod cite;
mod context;
mod curate;
mod doctor;
mod domain;
mod eval;
mod fresh;
mod get;
mod hook;
mod index;
mod intake;
mod link;
mod links;
mod lists;
mod map;
mod mcp;
mod model;
mod named;
mod open;
mod pages;
mod pick;
mod qmd;
mod query;
mod remember;
mod report;
mod search;
mod serve;
mod status;
mod store;
mod tags;
mod tools;
mod traverse;
mod undo;
mod watch;

use anyhow::Result;

use crate::args::{Args, Command, Place};
use crate::settings::{Patience, Settings};
use crate::{private, render};

/// Whether a command found what it was asked for; decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Something,
    Nothing,
    /// It was stopped by Ctrl-C before it was done.
    Interrupted,
}

/// Runs what was typed.
pub(crate) fn run(args: Args) -> Result<Found> {
    render::set_color(args.place.color);
    let place = &args.place;
    if !place.no_pager {
        render::set_pager(render::Pager {
            words: Settings::pager(),
            is_less_unset: Settings::is_less_unset(),
        });
    }
    let settings = || opened(place);
    // These two write the settings file.
    let new_settings = || Settings::load(place, true);
    let Some(command) = &args.command else {
        return pick::run(&settings()?, place);
    };
    match command {
        Command::Index(index) => index::run(&settings()?, place, index),
        Command::Search(search) => search::run(&settings()?, place, search),
        Command::Ask(ask) => ask::run(&settings()?, place, ask),
        Command::Get(get) => get::run(&settings()?, place, get),
        Command::Open(open) => open::run(&settings()?, place, open),
        Command::Similar(similar) => lists::similar(&settings()?, place, similar),
        Command::Tags(tags) => lists::tags(&settings()?, place, tags),
        Command::Tasks(tasks) => lists::tasks(&settings()?, place, tasks),
        Command::Recent(recent) => lists::recent(&settings()?, place, recent),
        Command::Random(random) => lists::random(&settings()?, place, random),
        Command::Links(links) => links::run(&settings()?, place, links),
        Command::Traverse(traverse) => traverse::run(&settings()?, place, traverse),
        Command::Cite(cite) => cite::run(&settings()?, place, cite),
        Command::Chat(chat) => chat::run(&settings()?, place, chat),
        Command::Context(context) => context::run(&settings()?, place, context),
        Command::Remember(remember) => remember::run(&settings()?, place, remember),
        Command::Undo(undo) => undo::run(&settings()?, place, undo),
        Command::Intake(intake) => intake::run(&settings()?, place, intake),
        Command::Report(report) => report::run(&settings()?, place, report),
        Command::Map(map) => map::run(&settings()?, place, map),
        Command::Link(link) => link::run(&settings()?, place, &link.action),
        Command::Note(note) => curate::note(&settings()?, place, &note.action),
        Command::Audit(audit) => audit::run(&settings()?, place, audit),
        Command::Status(status) => status::run(&settings()?, place, status),
        Command::Doctor { deep } => doctor::run(&settings()?, place, *deep),
        Command::Backup(backup) => backup::run(&settings()?, place, backup),
        Command::Store(store) => store::run(&settings()?, place, &store.action),
        Command::Domain(domain) => domain::run(&new_settings()?, place, &domain.action),
        Command::Model(model) => model::run(&new_settings()?, place, &model.action),
        Command::Eval(eval) => eval::run(&settings()?.waits(Patience::Endless), place, eval),
        Command::Watch(watch) => watch::run(&settings()?, place, watch),
        Command::Hook(hook) => hook::run(&settings()?, place, &hook.action),
        Command::Query(query) => qmd::query(&settings()?, place, query),
        Command::Vsearch(query) => qmd::vsearch(&settings()?, place, query),
        Command::MultiGet(notes) => qmd::multi_get(&settings()?, place, notes),
        Command::Ls(listed) => qmd::ls(&settings()?, place, listed),
        Command::Collection(collection) => {
            qmd::collection(&new_settings()?, place, &collection.action)
        }
        Command::Mcp(mcp) => mcp::run(&stays(settings()?), place, mcp),
        Command::Tools(tools) => tools::run(tools),
        Command::Serve(serve) => serve::run(&stays(settings()?), place, serve),
        Command::Completions { shell } => pages::completions(*shell),
        Command::Man { folder } => pages::man(folder.as_deref()),
    }
}

/// Loads the settings; what is kept of notes is closed to others.
fn opened(place: &Place) -> Result<Settings> {
    let settings = Settings::load(place, false)?;
    render::set_links(&settings.open.link);
    if private::close(&settings.data_dir) {
        let folder = settings.data_dir.display();
        render::say(&format!(
            "note: {folder} was open to others; now it is yours only"
        ));
    }
    Ok(settings)
}

/// A process that answers again keeps what it makes while somebody waits.
fn stays(settings: Settings) -> Settings {
    settings.waits(Patience::Deadline)
}
