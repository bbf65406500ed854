//! Options, environment, settings file and defaults into one `Settings`; the only reader of the
//! environment and the home folder.

mod answers;
mod clients;
mod curate;
mod domain;
mod embedding;
mod fields;
mod file;
mod home;
mod hooks;
mod intake;
mod llm;
mod memory;
mod models;
mod pictures;
mod place;
mod programs;
mod report;
mod reranker;
mod searches;
mod signals;
mod stores;
mod suggest;

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use etcetera::{BaseStrategy, choose_base_strategy};
use kenning::index::Profile;
use kenning::search::links::Weights;
use kenning::search::{Fusion, Mode, Tuning};
use kenning::vault::{Links, PathList, WalkRules, read_regular_text};
use serde::Deserialize;

use answers::AnswerSettings;
use clients::ClientSettings;
pub(crate) use clients::{Caller, Client};
use curate::CurateSettings;
use hooks::HookSettings;
pub(crate) use hooks::{Allowed, agent_file};
use intake::IntakeSettings;
use llm::LlmSettings;
pub(crate) use llm::{Key, Provider, ProviderKind, Proxies};
use memory::MemorySettings;

use crate::args::{FusionArg, Place};
use crate::hint::Hinted;
use crate::remote::{Address, Remote};
use domain::decay;
pub(crate) use domain::{DOMAIN_FILE, DomainSettings, is_name};
pub(crate) use embedding::Embedding;
use embedding::EmbeddingSettings;
use fields::FieldSettings;
use file::{FILE_BYTES_MAX, is_nothing, line_of, merge, typed};
pub(crate) use file::{bad_toml, edit, suggestion};
use models::ModelSettings;
#[cfg(feature = "onnx")]
pub(crate) use models::ModelsOrigin;
use pictures::PictureSettings;
pub(crate) use pictures::{PictureTools, tesseract_data};
use programs::OpenSettings;
#[cfg(test)]
pub(crate) use programs::words_of;
use report::ReportSettings;
use reranker::RerankerSettings;
pub(crate) use reranker::{Fill, Patience, RerankerPlace};
pub(crate) use searches::bracketed;
use signals::SignalSettings;
pub(crate) use suggest::{all_near, nearest};

/// Names of every environment variable that is read, besides those of the options in `args`.
const DATA_DIR: &str = "KEN_DATA_DIR";
const DOMAIN: &str = "KEN_DOMAIN";
const MODEL: &str = "KEN_MODEL";
const TOKEN: &str = "KEN_TOKEN";
const VAULT: &str = "KEN_VAULT";
const DEFAULTS: &str = include_str!("default.toml");
/// What a folder of notes is recognised by, and nothing else is.
const NOTES_MARKS: [&str; 2] = [".obsidian", DOMAIN_FILE];
/// What a folder of notes is recognised by where somebody stands in it and asks.
const VAULT_MARKS: [&str; 3] = [NOTES_MARKS[0], NOTES_MARKS[1], ".git"];

/// Everything that can be set.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    pub(crate) model: String,
    pub(crate) reranker: RerankerSettings,
    #[cfg_attr(
        not(feature = "onnx"),
        expect(dead_code, reason = "only transformers are fetched")
    )]
    models: ModelSettings,
    pub(crate) search: SearchSettings,
    pub(crate) index: IndexSettings,
    pub(crate) hooks: HookSettings,
    pub(crate) mcp: McpSettings,
    llm: LlmSettings,
    pub(crate) answers: AnswerSettings,
    #[serde(default)]
    embeddings: BTreeMap<String, EmbeddingSettings>,
    pub(crate) memory: MemorySettings,
    pub(crate) open: OpenSettings,
    /// Queries by the names that they were saved under.
    #[serde(default)]
    pub(crate) searches: BTreeMap<String, String>,
    pub(crate) curate: CurateSettings,
    pub(crate) intake: IntakeSettings,
    pub(crate) report: ReportSettings,
    pictures: PictureSettings,
    #[serde(default)]
    pub(crate) domains: BTreeMap<String, DomainSettings>,
    /// Servers that keep indexes, by name, and the one that keeps those that name none.
    #[serde(default)]
    stores: BTreeMap<String, Address>,
    #[serde(default)]
    store: Option<String>,
    #[serde(default)]
    clients: BTreeMap<String, ClientSettings>,
    /// Where the settings file is or would be.
    #[serde(skip)]
    pub(crate) file: PathBuf,
    /// Where index files are kept.
    #[serde(skip)]
    pub(crate) data_dir: PathBuf,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchSettings {
    pub(crate) limit: u32,
    pub(crate) per_note: u32,
    mode: String,
    pub(crate) dates: bool,
    fusion: String,
    vector_share: f32,
    rrf_k: f32,
    lexical_weight: f32,
    vector_weight: f32,
    weights: SignalSettings,
    candidates: usize,
    decay: String,
    half_life_days: f32,
    graph: bool,
    fields: FieldSettings,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct IndexSettings {
    hidden: bool,
    follow_links: bool,
    max_file_mb: u64,
    include: Vec<String>,
    exclude: Vec<String>,
    chunking: String,
    git_dates: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct McpSettings {
    pub(crate) resource_links: bool,
    /// Whether whoever asks without a token of their own may write notes down.
    pub(crate) remember: bool,
}

/// A vault and its index file.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    /// Name of the domain, or of the vault's folder.
    pub(crate) name: String,
    pub(crate) vault: Option<PathBuf>,
    pub(crate) store: PathBuf,
    /// The server that keeps the index; what else belongs to it lies beside `store` all the same.
    pub(crate) remote: Option<Remote>,
    /// Whether the index lies where we put it, and not where somebody said.
    pub(crate) is_own_place: bool,
    /// Which files of the vault are notes.
    pub(crate) rules: WalkRules,
    /// How they are cut.
    pub(crate) profile: Profile,
    /// Folder of its model, or `default`, or the name of one that a provider runs; and how many
    /// dimensions that must have.
    pub(crate) model: String,
    pub(crate) embedding: Option<Embedding>,
    pub(crate) model_dimensions: Option<usize>,
    /// What reads again what was found there.
    pub(crate) reranker: Option<RerankerPlace>,
    /// What its pictures are read with.
    pub(crate) pictures: Option<PictureTools>,
    /// What the domain sets itself.
    domain: Option<DomainSettings>,
}

impl Located {
    /// Returns where the index is kept, to be opened there.
    pub(crate) fn place(&self) -> kenning::store::Place {
        match &self.remote {
            Some(remote) => remote.place().clone(),
            None => self.store.as_path().into(),
        }
    }

    /// Returns what the place of the index is called: a path, or an address without its password.
    pub(crate) fn store_name(&self) -> PathBuf {
        match &self.remote {
            Some(remote) => remote.place().name().to_owned(),
            None => self.store.clone(),
        }
    }

    /// Whether there is an index, as far as that is known without asking a server.
    pub(crate) fn is_indexed(&self) -> bool {
        self.remote.is_some() || self.store.exists()
    }

    /// Whether a folder of the vault, given from its root, belongs to this domain.
    pub(crate) fn holds(&self, folder: &str) -> bool {
        let rules = &self.rules;
        let is_allowed = rules.allowed.is_empty() || rules.allowed.has(folder);
        is_allowed && !rules.excluded.has(folder)
    }
}

impl Settings {
    /// Reads the settings file over the defaults. A file that was named must exist, unless the
    /// command is about to make it.
    pub(crate) fn load(place: &Place, may_make_file: bool) -> Result<Self> {
        let strategy = choose_base_strategy().context("there is no home folder")?;
        let file = match &place.config {
            Some(file) => file.clone(),
            None => strategy.config_dir().join("kenning/config.toml"),
        };
        let data_dir = match env::var_os(DATA_DIR) {
            Some(folder) if !folder.is_empty() => PathBuf::from(folder),
            _ => strategy.data_dir().join("kenning"),
        };
        let mut values: toml::Table = toml::from_str(DEFAULTS).context("the built-in defaults")?;
        let mut text = String::new();
        match read_regular_text(&file, FILE_BYTES_MAX, Links::Followed) {
            _ if is_nothing(&file) => {}
            Ok(read) => {
                let mut own: toml::Table =
                    toml::from_str(&read).map_err(|error| bad_toml(&file, Some(&read), &error))?;
                signals::gather(&mut own);
                merge(&mut values, own);
                text = read;
            }
            Err(error)
                if error.kind() == std::io::ErrorKind::NotFound
                    && (place.config.is_none() || may_make_file) => {}
            Err(error) => return Err(kenning::Error::io(&file, error).into()),
        }
        let mut settings: Self = typed(values, &file, &text)?;
        if let Some(model) = env_text(MODEL) {
            settings.model = model;
        }
        settings.file = file;
        settings.data_dir = data_dir;
        settings.expand_home();
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> Result<()> {
        let search = &self.search;
        mode(&search.mode).with_context(|| self.file.display().to_string())?;
        if !matches!(search.fusion.as_str(), "blend" | "rrf") {
            return Err(self.bad_value("search.fusion", &search.fusion, "blend or rrf"));
        }
        if !(0.0..=1.0).contains(&search.vector_share) {
            let value = search.vector_share.to_string();
            return Err(self.bad_value("search.vector_share", &value, "a number from 0 to 1"));
        }
        if let Some((name, value)) = search.fields.bad_weight() {
            let key = format!("search.fields.{name}");
            return Err(self.bad_value(&key, &value.to_string(), "a number from 0 to 1000"));
        }
        decay(&search.decay, search.half_life_days)
            .ok_or_else(|| self.bad_value("search.decay", &search.decay, DECAY_NAMES))?;
        if let Some((key, value, wanted)) = self.memory.bad_value() {
            return Err(self.bad_value(key, &value, wanted));
        }
        if let Some((key, value, wanted)) = self.bad_reranker() {
            return Err(self.bad_value(key, &value, wanted));
        }
        if let Some((key, value, wanted)) = self.bad_pictures() {
            return Err(self.bad_value(key, &value, wanted));
        }
        self.profile(None)?;
        self.walk_rules(None)?;
        self.check_llm()?;
        self.check_answers()?;
        self.check_embeddings()?;
        self.check_stores()?;
        for (name, domain) in &self.domains {
            self.check_domain(name, domain)?;
        }
        Ok(())
    }

    fn check_domain(&self, name: &str, domain: &DomainSettings) -> Result<()> {
        if let Some(decay) = &domain.decay {
            decay
                .decay(self.search.half_life_days)
                .map_err(|message| self.bad_domain(name, &message))?;
        }
        self.profile(Some(domain))
            .and(self.walk_rules(Some(domain)).map(drop))
            .with_context(|| format!("domain {name}"))
    }

    fn bad_domain(&self, name: &str, message: &str) -> anyhow::Error {
        Hinted::error(
            format!("domain {name}: {message}"),
            format!("edit {} or {DOMAIN_FILE} in the vault", self.file.display()),
        )
    }

    fn bad_value(&self, key: &str, value: &str, wanted: &str) -> anyhow::Error {
        let own = read_regular_text(&self.file, FILE_BYTES_MAX, Links::Followed);
        let line = own.ok().and_then(|own| line_of(&own, key));
        let line = line.map_or_else(String::new, |line| format!(" line {line}"));
        let file = self.file.display();
        Hinted::error(
            format!("{key} = {value:?} in {file}{line} is not {wanted}"),
            format!("edit {file}"),
        )
    }

    /// Returns the folder of the model to use, `None` for the one in the binary.
    pub(crate) fn model_path(&self) -> Option<&Path> {
        (self.model != "default").then(|| Path::new(&self.model))
    }

    /// Returns which files are notes.
    fn walk_rules(&self, domain: Option<&DomainSettings>) -> Result<WalkRules> {
        let index = &self.index;
        let (allowed, excluded) = self.lists(domain)?;
        let max_file_mb = domain.and_then(|domain| domain.max_file_mb);
        Ok(WalkRules {
            hidden: index.hidden,
            follow_links: index.follow_links,
            file_bytes_max: max_file_mb
                .unwrap_or(index.max_file_mb)
                .saturating_mul(1 << 20),
            allowed,
            excluded,
            git_dates: index.git_dates,
            pictures: self.picture_tools().is_some(),
            others: Vec::new(),
        })
    }

    /// Returns what is allowed and what is left out of a folder of notes.
    fn lists(&self, domain: Option<&DomainSettings>) -> Result<(PathList, PathList)> {
        let own = domain.and_then(|domain| domain.include.as_ref());
        let mut excluded = self.index.exclude.clone();
        excluded.extend(domain.iter().flat_map(|domain| domain.exclude.clone()));
        // What is proposed is no note: it would be found in the place of those that it names.
        excluded.push(kenning_curate::tags::QUEUE.to_owned());
        Ok((
            PathList::new(own.unwrap_or(&self.index.include))?,
            PathList::new(&excluded)?,
        ))
    }

    /// Returns how notes are cut.
    pub(crate) fn profile(&self, domain: Option<&DomainSettings>) -> Result<Profile> {
        let name = domain
            .and_then(|domain| domain.chunking.as_ref())
            .unwrap_or(&self.index.chunking);
        let names = Profile::ALL.map(Profile::name);
        Profile::ALL
            .into_iter()
            .find(|profile| profile.name() == name)
            .ok_or_else(|| {
                self.bad_value(
                    "index.chunking",
                    name,
                    &format!("one of {}", names.join(", ")),
                )
            })
    }

    /// Returns the mode that was asked for, or the one in the settings.
    pub(crate) fn mode(&self, asked: Option<Mode>) -> Result<Mode> {
        asked.map_or_else(|| mode(&self.search.mode), Ok)
    }

    /// Returns how to rank the notes of a place.
    pub(crate) fn tuning_at(&self, located: &Located, asked: Option<FusionArg>) -> Tuning {
        let mut tuning = self.tuning(asked);
        if let Some(domain) = &located.domain {
            domain.tune(&mut tuning, self.search.half_life_days);
        }
        tuning
    }

    /// Returns how to rank.
    pub(crate) fn tuning(&self, asked: Option<FusionArg>) -> Tuning {
        let search = &self.search;
        let is_rrf = match asked {
            Some(fusion) => fusion == FusionArg::Rrf,
            None => search.fusion == "rrf",
        };
        let fusion = if is_rrf {
            Fusion::Rrf {
                k: search.rrf_k,
                lexical: search.lexical_weight,
                vector: search.vector_weight,
                missing_rank: None,
            }
        } else {
            Fusion::Blend {
                vector: search.vector_share,
            }
        };
        let mut tuning = Tuning::default();
        search.fields.weigh(&mut tuning.lexical.weights);
        search.weights.weigh(&mut tuning.rerank.weights);
        Tuning {
            candidates: search.candidates,
            fusion,
            decay: decay(&search.decay, search.half_life_days).unwrap_or_default(),
            graph: search.graph.then(Weights::default),
            ..tuning
        }
    }
}

/// Returns the nearest folder around `folder` that bears the mark of a vault.
pub(crate) fn vault_above(folder: &Path) -> Option<PathBuf> {
    marked_above(folder, &VAULT_MARKS)
}

fn marked_above(folder: &Path, marks: &[&str]) -> Option<PathBuf> {
    folder
        .ancestors()
        .find(|folder| marks.iter().any(|mark| folder.join(mark).exists()))
        .map(Path::to_owned)
}

/// Returns what other programs need of the environment to be found and started, and no more.
pub(crate) fn search_path() -> impl Iterator<Item = (&'static str, OsString)> {
    ["PATH", "SYSTEMROOT"]
        .into_iter()
        .filter_map(|name| Some((name, env::var_os(name)?)))
}

fn env_text(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns what `scripts/test` says of a server it has started: `KEN_TEST_CHAT` and the like.
#[cfg(all(test, unix))]
pub(crate) fn test_server(what: &str) -> Option<String> {
    env_text(&format!("KEN_TEST_{}", what.to_uppercase()))
}

/// Returns the one path of a folder of notes.
fn canonical(path: &Path) -> Result<PathBuf> {
    let found = path
        .canonicalize()
        .map_err(|_| kenning::Error::VaultMissing {
            path: path.to_owned(),
        })?;
    if found.is_file() {
        let around = found.parent().unwrap_or(&found).display();
        return Err(Hinted::error(
            format!("{} is a file, not a folder of notes", path.display()),
            format!("name its folder, `--vault {around}`; `ken index FILE` takes in a single file"),
        ));
    }
    Ok(found)
}

const DECAY_NAMES: &str = "off, half_life or ranked_grouped";

fn mode(name: &str) -> Result<Mode> {
    Mode::from_name(name).ok_or_else(|| {
        Hinted::error(
            format!("{name:?} is not a search mode"),
            "use hybrid, lexical or vector",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_complete_and_valid() {
        let values: toml::Table = toml::from_str(DEFAULTS).unwrap();
        let settings: Settings = values.try_into().unwrap();
        settings.check().unwrap();
    }

    #[test]
    fn a_weight_must_be_a_number_that_makes_sense() {
        for value in ["-1.0", "nan", "inf", "1e9"] {
            let mut values: toml::Table = toml::from_str(DEFAULTS).unwrap();
            let own = format!("[search.fields]\ntags = {value}");
            merge(&mut values, toml::from_str(&own).unwrap());
            let settings: Settings = values.try_into().unwrap();
            let error = settings.check().unwrap_err().to_string();
            assert!(error.starts_with("search.fields.tags"), "{error}");
        }
    }

    #[test]
    fn the_defaults_are_those_of_the_engine() {
        let values: toml::Table = toml::from_str(DEFAULTS).unwrap();
        let settings: Settings = values.try_into().unwrap();
        assert_eq!(settings.tuning(None), Tuning::default());
    }

    #[test]
    fn an_unknown_key_is_named_with_the_nearest_known_one() {
        let mut values: toml::Table = toml::from_str(DEFAULTS).unwrap();
        merge(&mut values, toml::from_str("[search]\nlimt = 3").unwrap());
        let error = values.try_into::<Settings>().unwrap_err();
        assert_eq!(
            suggestion(error.message()).unwrap(),
            "did you mean `limit`?"
        );
    }
}
