//! `ken completions` and `ken man`: what packagers install beside the binary.

use std::path::Path;

use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_complete::Shell;

use super::Found;
use crate::args::Args;
use crate::completion;
use crate::render;

pub(super) fn completions(shell: Shell) -> Result<Found> {
    let name = shell.to_string();
    let script =
        completion::script(&name).with_context(|| format!("there is no script for {name}"))?;
    render::print(&script)?;
    Ok(Found::Something)
}

pub(super) fn man(folder: Option<&Path>) -> Result<Found> {
    match folder {
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(|error| kenning::Error::io(folder, error))?;
            clap_mangen::generate_to(Args::command(), folder)
                .map_err(|error| kenning::Error::io(folder, error))?;
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Args::command()).render(&mut page)?;
            render::print(&String::from_utf8(page)?)?;
        }
    }
    Ok(Found::Something)
}
