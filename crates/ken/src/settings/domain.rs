//! What a domain sets for itself, in the settings file or in `_domains.yaml` at the root of a vault.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use kenning::search::decay::{Aging, Decay, HalfLife, RankedGrouped};
use kenning::search::links::Weights;
use kenning::search::{Fusion, Tuning};
use kenning::vault::{Links, read_regular_text};
use serde::Deserialize;

use super::signals::SignalSettings;
use crate::hint::Hinted;

/// The file at the root of a vault that lists its domains.
pub(crate) const DOMAIN_FILE: &str = "_domains.yaml";

/// One domain. What it sets itself goes before the rest of the settings; excluded is what either
/// excludes.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DomainSettings {
    /// Folder of the notes; in `_domains.yaml` it is the vault itself.
    #[serde(default)]
    pub(crate) path: PathBuf,
    /// Everything that is not inside another domain's folders.
    #[serde(default)]
    pub(crate) legacy: bool,
    /// Name of the server that keeps its index, among those of the settings.
    pub(super) store: Option<String>,
    pub(super) max_file_mb: Option<u64>,
    pub(super) include: Option<Vec<String>>,
    #[serde(default)]
    pub(super) exclude: Vec<String>,
    pub(super) chunking: Option<String>,
    /// Model of this domain, and how many dimensions it must have.
    pub(super) embedding: Option<String>,
    pub(crate) embedding_dim: Option<usize>,
    /// Model that reads the best passages of this domain again: one of `ken model list`, or "" for none.
    pub(super) reranker: Option<String>,
    /// Weight of words; overrules what the kind of query suggests.
    lexical: Option<WeightConfig>,
    /// Weight of meaning, 1 where it is not told.
    vector: Option<WeightConfig>,
    pub(super) decay: Option<DecayConfig>,
    /// Whether and how links count.
    graph: Option<GraphConfig>,
    /// What signals add, by the names of `[search.weights]`.
    #[serde(default)]
    weights: SignalSettings,
    /// Where tags are explained and where proposals for new ones are kept, below the vault.
    pub(crate) taxonomy: Option<String>,
    pub(crate) review_queue: Option<String>,
}

/// `0.5`, or `{ weight: 0.5 }`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged, expecting = "a weight is a number, or `weight: 0.5`")]
enum WeightConfig {
    Number(f32),
    Table(WeightTable),
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WeightTable {
    weight: f32,
}

impl WeightConfig {
    fn weight(self) -> f32 {
        match self {
            Self::Number(weight) | Self::Table(WeightTable { weight }) => weight.max(0.0),
        }
    }
}

/// `true`, `false`, or a table of what each term counts.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "graph is true or false, or a table of score, pagerank, centrality, recent, recent_days, edges_min"
)]
enum GraphConfig {
    Switch(bool),
    Table(GraphTable),
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GraphTable {
    score: Option<f32>,
    pagerank: Option<f32>,
    centrality: Option<f32>,
    recent: Option<f32>,
    recent_days: Option<i32>,
    edges_min: Option<usize>,
}

impl GraphConfig {
    fn weights(self) -> Option<Weights> {
        let mut weights = Weights::default();
        match self {
            Self::Switch(false) => return None,
            Self::Switch(true) => {}
            Self::Table(own) => {
                set(&mut weights.score, own.score);
                set(&mut weights.pagerank, own.pagerank);
                set(&mut weights.centrality, own.centrality);
                set(&mut weights.recent, own.recent);
                set(&mut weights.recent_days, own.recent_days);
                set(&mut weights.edges_min, own.edges_min);
            }
        }
        Some(weights)
    }
}

/// `off`, or a table. YAML before 1.2 reads a bare `off` as `false`.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "decay is off, half_life or ranked_grouped, or a table with `mode` and of ladder, half_life_days, weight, recency_boost_days, recency_boost_amount, kind_overrides, superseded"
)]
pub(super) enum DecayConfig {
    Off(bool),
    Name(String),
    Table(DecayTable),
}

/// Every key of a decay rule.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DecayTable {
    mode: Box<DecayConfig>,
    ladder: Option<Vec<f32>>,
    half_life_days: Option<f32>,
    weight: Option<f32>,
    recency_boost_days: Option<i32>,
    recency_boost_amount: Option<f32>,
    #[serde(default)]
    kind_overrides: BTreeMap<String, KindConfig>,
    superseded: Option<f32>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KindConfig {
    group_by_path_prefix: Vec<f32>,
}

const MODES: &str = "off, half_life or ranked_grouped";

impl DecayConfig {
    /// Returns the rule; `half_life_days` is that of the settings.
    pub(super) fn decay(&self, half_life_days: f32) -> Result<Decay, String> {
        match self {
            Self::Off(false) => decay("off", half_life_days),
            Self::Off(true) => None,
            Self::Name(name) => decay(name, half_life_days),
            Self::Table(table) => return table.decay(half_life_days),
        }
        .ok_or_else(|| format!("decay is {MODES}"))
    }
}

impl DecayTable {
    fn decay(&self, half_life_days: f32) -> Result<Decay, String> {
        let mut decay = self
            .mode
            .decay(self.half_life_days.unwrap_or(half_life_days))?;
        match &mut decay.mode {
            Aging::Off => {}
            Aging::HalfLife(half_life) => {
                half_life.weight = self.weight.unwrap_or(half_life.weight);
            }
            Aging::RankedGrouped(grouped) => {
                let RankedGrouped {
                    ladder,
                    recency_boost_days,
                    recency_boost_amount,
                    kind_overrides,
                } = grouped;
                set(ladder, self.ladder.clone());
                set(recency_boost_days, self.recency_boost_days);
                set(recency_boost_amount, self.recency_boost_amount);
                let kinds = self.kind_overrides.iter();
                kind_overrides.extend(
                    kinds.map(|(kind, of)| (kind.clone(), of.group_by_path_prefix.clone())),
                );
                let is_empty = |ladder: &Vec<f32>| ladder.is_empty();
                if is_empty(ladder) || kind_overrides.values().any(is_empty) {
                    return Err("a ladder needs at least one step".to_owned());
                }
            }
        }
        set(&mut decay.superseded, self.superseded);
        Ok(decay)
    }
}

fn set<T>(value: &mut T, own: Option<T>) {
    if let Some(own) = own {
        *value = own;
    }
}

/// Returns the rule of a name.
pub(super) fn decay(name: &str, half_life_days: f32) -> Option<Decay> {
    let mode = match name {
        "off" => Aging::Off,
        "half_life" => Aging::HalfLife(HalfLife {
            half_life_days,
            ..HalfLife::default()
        }),
        "ranked_grouped" => Aging::RankedGrouped(RankedGrouped::default()),
        _ => return None,
    };
    Some(Decay {
        mode,
        ..Decay::default()
    })
}

impl DomainSettings {
    /// Puts what the domain sets itself over how everything is ranked.
    pub(super) fn tune(&self, tuning: &mut Tuning, half_life_days: f32) {
        let weights = (self.lexical, self.vector);
        if let (Some(_), _) | (_, Some(_)) = weights {
            let weight = |config: Option<WeightConfig>| config.map_or(1.0, WeightConfig::weight);
            let (words, meaning) = (weight(self.lexical), weight(self.vector));
            match &mut tuning.fusion {
                Fusion::Blend { vector } if words + meaning > 0.0 => {
                    *vector = meaning / (words + meaning);
                    tuning.leans = false;
                }
                Fusion::Blend { .. } => {}
                Fusion::Rrf {
                    lexical, vector, ..
                } => (*lexical, *vector) = (words, meaning),
            }
        }
        let decay = self.decay.as_ref().map(|decay| decay.decay(half_life_days));
        if let Some(Ok(decay)) = decay {
            tuning.decay = decay;
        }
        if let Some(graph) = self.graph {
            tuning.graph = graph.weights();
        }
        self.weights.weigh(&mut tuning.rerank.weights);
    }
}

/// Reads the domains of a vault; `None` where it lists none.
pub(crate) fn domains_in(vault: &Path) -> Result<Option<BTreeMap<String, DomainSettings>>> {
    let file = vault.join(DOMAIN_FILE);
    let place = inside(vault, &file)?;
    let text = match read_regular_text(&place, super::FILE_BYTES_MAX, Links::Refused) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(kenning::Error::io(&file, error).into()),
    };
    let mut domains = read(&text).map_err(|message| {
        let hint = super::suggestion(&message);
        Hinted::error(
            format!("{}: {message}", file.display()),
            hint.unwrap_or_else(|| format!("edit {}", file.display())),
        )
    })?;
    for domain in domains.values_mut() {
        vault.clone_into(&mut domain.path);
    }
    Ok(Some(domains).filter(|domains| !domains.is_empty()))
}

/// Follows a link that stays in the vault. One that leads out was made by whoever made the vault, and
/// could have any file of this machine read.
fn inside(vault: &Path, file: &Path) -> Result<PathBuf> {
    if !file.is_symlink() {
        return Ok(file.to_owned());
    }
    let io = |error| kenning::Error::io(file, error);
    let (root, place) = (
        vault.canonicalize().map_err(io)?,
        file.canonicalize().map_err(io)?,
    );
    match place.starts_with(root) {
        true => Ok(place),
        false => Err(Hinted::error(
            format!(
                "{}: a symbolic link that leads out of the vault",
                file.display()
            ),
            "put the file itself there, or name its domains in the settings of ken",
        )),
    }
}

/// Reads the list and gives the legacy domain what the others leave.
fn read(text: &str) -> Result<BTreeMap<String, DomainSettings>, String> {
    let listed: Option<BTreeMap<String, Option<DomainSettings>>> =
        serde_saphyr::from_str(text).map_err(|error| first_line(&error.to_string()))?;
    let mut domains: BTreeMap<String, DomainSettings> = listed
        .unwrap_or_default()
        .into_iter()
        .map(|(name, domain)| (name, domain.unwrap_or_default()))
        .collect();
    let mut taken = Vec::new();
    for (name, domain) in &domains {
        if !is_name(name) {
            return Err(format!(
                "{name:?} cannot name a domain: use letters, digits, hyphens and underscores"
            ));
        }
        match (&domain.include, domain.legacy) {
            (Some(_), true) => {
                return Err(format!(
                    "{name}: a legacy domain takes what is left, so it has no include"
                ));
            }
            (None, false) if domains.len() > 1 => {
                return Err(format!(
                    "{name}: say which folders it has with `include`, or `legacy: true`"
                ));
            }
            (Some(include), false) => taken.extend(include.iter().cloned()),
            _ => {}
        }
    }
    for domain in domains.values_mut().filter(|domain| domain.legacy) {
        domain.exclude.extend(taken.iter().cloned());
    }
    Ok(domains)
}

/// The rest of what the reader of YAML says draws the place.
fn first_line(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    line.trim_start_matches("error: ").to_owned()
}

/// Whether this can name a domain: it stands in addresses and file names.
pub(crate) fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    !name.is_empty() && name.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;
    use kenning::search::signals::SignalId;

    fn check(text: &str) -> String {
        let domains = match read(text) {
            Ok(domains) => domains,
            Err(message) => return message,
        };
        let lines: Vec<String> = domains
            .iter()
            .map(|(name, domain)| {
                let mut tuning = Tuning::default();
                domain.tune(&mut tuning, 30.0);
                let include = domain.include.clone().unwrap_or_default();
                let Fusion::Blend { vector } = tuning.fusion else {
                    return String::new();
                };
                format!(
                    "{name}: +{include:?} -{:?} vector {vector:.2} {}",
                    domain.exclude,
                    tuning.decay.mode.name()
                )
            })
            .collect();
        lines.join("\n")
    }

    #[test]
    fn the_legacy_domain_has_what_the_others_leave() {
        assert_snapshot!(check("finance:\n  legacy: true\n  lexical: { weight: 0.5 }\n  decay:\n    mode: ranked_grouped\n    ladder: [1.0, 0.6]\n    kind_overrides:\n      Filings: { group_by_path_prefix: [1.0, 0.6] }\nfitness:\n  include: [Fitness/]\n  exclude: [Fitness/Archive/]\n  decay: { mode: off }\n  lexical: { weight: 0.05 }\n"), @r#"
        finance: +[] -["Fitness/"] vector 0.67 ranked_grouped
        fitness: +["Fitness/"] -["Fitness/Archive/"] vector 0.95 off
        "#);
    }

    #[test]
    fn slips_are_told() {
        assert_snapshot!(check("work:\n  inclde: [Work/]\n"), @"line 2 column 3: unknown field `inclde`, expected one of path, legacy, store, max_file_mb, include, exclude, chunking, embedding, embedding_dim, reranker, lexical, vector, decay, graph, weights, taxonomy, review_queue");
        assert_snapshot!(check("a:\n  include: [A]\nb: {}\n"), @"b: say which folders it has with `include`, or `legacy: true`");
        assert_snapshot!(check("a/b:\n  include: [A]\n"), @r#""a/b" cannot name a domain: use letters, digits, hyphens and underscores"#);
        assert_snapshot!(check(""), @"");
    }

    #[test]
    fn links_and_weights_are_a_domains_own() {
        let text = "a:\n  include: [A]\n  graph: true\nb:\n  include: [B]\n  graph: { pagerank: 0.4, edges_min: 3 }\n  weights: { title: 0.1, link_text: 0 }\nc:\n  include: [C]\n  graph: false\n";
        let domains = read(text).unwrap();
        let tuned = |name: &str| {
            let mut tuning = Tuning {
                graph: Some(Weights::default()),
                ..Tuning::default()
            };
            domains[name].tune(&mut tuning, 30.0);
            tuning
        };
        assert_eq!(tuned("a").graph, Some(Weights::default()));
        let b = tuned("b");
        assert_eq!(
            b.graph,
            Some(Weights {
                pagerank: 0.4,
                edges_min: 3,
                ..Weights::default()
            })
        );
        let of = |signal| b.rerank.weights.get(signal);
        assert_eq!((of(SignalId::Title), of(SignalId::LinkText)), (0.1, 0.0));
        assert_eq!(of(SignalId::Phrase), 0.15);
        assert_eq!(tuned("c").graph, None);
        assert!(read("a:\n  graph: { pagernk: 1 }\n").is_err());
    }

    #[test]
    fn a_ladder_and_its_kinds_are_taken_over() {
        let text = "a:\n  decay:\n    mode: ranked_grouped\n    ladder: [1, 0.5]\n    recency_boost_days: 7\n    kind_overrides: { Filings: { group_by_path_prefix: [1.0, 0.9] } }\n";
        let domains = read(text).unwrap();
        let decay = domains["a"].decay.as_ref().unwrap().decay(30.0).unwrap();
        let Aging::RankedGrouped(grouped) = decay.mode else {
            panic!("{decay:?}");
        };
        assert_eq!(grouped.ladder, [1.0, 0.5]);
        assert_eq!(grouped.recency_boost_days, 7);
        assert_eq!(grouped.kind_overrides["Filings"], [1.0, 0.9]);
    }
}
