//! `ken eval --tune`: weights that suit a vault better, if there are any.

use anyhow::Result;
use kenning::embed::Embedder;
use kenning::eval;
use kenning::search::Tuning;

use super::{Asked, Found, tables};
use crate::args::EvalArgs;
use crate::render;
use crate::wire::eval::TuneReport;

pub(super) fn run(
    asked: &Asked,
    model: &dyn Embedder,
    tuning: &Tuning,
    args: &EvalArgs,
) -> Result<Found> {
    let proposal = eval::tune(
        &asked.index.store,
        model,
        tuning,
        &asked.judgements,
        &eval::weights(tuning),
    )?;
    let report = TuneReport::new(asked.name.clone(), &proposal);
    if args.json {
        render::print_json(&report)?;
    } else {
        render::print(&tables::tuned(&report))?;
    }
    Ok(Found::Something)
}

#[cfg(test)]
mod tests {
    use kenning::search::tuning::RRF;

    use super::*;

    #[test]
    fn every_weight_is_a_setting() {
        let defaults: toml::Table = toml::from_str(include_str!("../../default.toml")).unwrap();
        let rrf = Tuning {
            fusion: RRF,
            ..Tuning::default()
        };
        for mut tuning in [Tuning::default(), rrf] {
            for weight in eval::weights(&tuning) {
                let path = weight.name.split('.');
                let set = path.fold(&defaults["search"], |table, key| &table[key]);
                let set = set.as_float().unwrap() as f32;
                assert_eq!(
                    weight.of(&mut tuning).copied(),
                    Some(set),
                    "{}",
                    weight.name
                );
            }
        }
    }
}
