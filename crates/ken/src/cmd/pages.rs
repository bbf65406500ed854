//! `ken completions` and `ken man`: what packagers install beside the binary.

use std::path::Path;

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

use super::Found;
use crate::args::Args;
use crate::render;

pub(super) fn completions(shell: Shell) -> Result<Found> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "ken", &mut script);
    render::print(&String::from_utf8(script)?)?;
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
