//! One file per verb; here they are told apart.

mod ask;
mod audit;
mod backup;
mod chat;
mod cite;
mod context;
mod doctor;
mod domain;
mod eval;
mod get;
mod hook;
mod index;
mod links;
mod mcp;
mod model;
mod pages;
mod qmd;
mod remember;
mod search;
mod serve;
mod status;
mod tools;
mod traverse;
mod watch;

use anyhow::Result;

use crate::args::{Args, Command};
use crate::settings::Settings;
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
    let settings = || {
        let settings = Settings::load(place, false)?;
        if private::close(&settings.data_dir) {
            let folder = settings.data_dir.display();
            render::say(&format!(
                "note: {folder} was open to others; now it is yours only"
            ));
        }
        anyhow::Ok(settings)
    };
    // These two write the settings file.
    let new_settings = || Settings::load(place, true);
    match &args.command {
        Command::Index(index) => index::run(&settings()?, place, index),
        Command::Search(search) => search::run(&settings()?, place, search),
        Command::Ask(ask) => ask::run(&settings()?, place, ask),
        Command::Get(get) => get::run(&settings()?, place, get),
        Command::Links(links) => links::run(&settings()?, place, links),
        Command::Traverse(traverse) => traverse::run(&settings()?, place, traverse),
        Command::Cite(cite) => cite::run(&settings()?, place, cite),
        Command::Chat(chat) => chat::run(&settings()?, place, chat),
        Command::Context(context) => context::run(&settings()?, place, context),
        Command::Remember(remember) => remember::run(&settings()?, place, remember),
        Command::Audit(audit) => audit::run(&settings()?, place, audit),
        Command::Status(status) => status::run(&settings()?, place, status),
        Command::Doctor => doctor::run(&settings()?, place),
        Command::Backup(backup) => backup::run(&settings()?, place, backup),
        Command::Domain(domain) => domain::run(&new_settings()?, place, &domain.action),
        Command::Model(model) => model::run(&new_settings()?, &model.action),
        Command::Eval(eval) => eval::run(&settings()?, place, eval),
        Command::Watch(watch) => watch::run(&settings()?, place, watch),
        Command::Hook(hook) => hook::run(&settings()?, place, &hook.action),
        Command::Query(query) => qmd::query(&settings()?, place, query),
        Command::Vsearch(query) => qmd::vsearch(&settings()?, place, query),
        Command::MultiGet(notes) => qmd::multi_get(&settings()?, place, notes),
        Command::Ls(listed) => qmd::ls(&settings()?, place, listed),
        Command::Collection(collection) => {
            qmd::collection(&new_settings()?, place, &collection.action)
        }
        Command::Mcp(mcp) => mcp::run(&settings()?, place, mcp),
        Command::Tools(tools) => tools::run(tools),
        Command::Serve(serve) => serve::run(&settings()?, place, serve),
        Command::Completions { shell } => pages::completions(*shell),
        Command::Man { folder } => pages::man(folder.as_deref()),
    }
}
