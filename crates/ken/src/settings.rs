//! Options, environment, settings file and defaults into one `Settings`; the only reader of the
//! environment and the home folder.

mod clients;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result};
use etcetera::{BaseStrategy, choose_base_strategy};
use kenning::index::Profile;
use kenning::search::decay::{self, Decay, HalfLife, RankedGrouped};
use kenning::search::graph::Weights;
use kenning::search::{Fusion, Mode, Tuning};
use kenning::vault::{PathList, WalkRules};
use serde::Deserialize;

pub(crate) use clients::Client;
use clients::ClientSettings;

use crate::args::{FusionArg, ModeArg, Place};
use crate::hint::Hinted;

/// Names of every environment variable that is read, beside those of the options in `args`.
const DATA_DIR: &str = "KEN_DATA_DIR";
const DOMAIN: &str = "KEN_DOMAIN";
const MODEL: &str = "KEN_MODEL";
const TOKEN: &str = "KEN_TOKEN";
const VAULT: &str = "KEN_VAULT";
const DEFAULTS: &str = include_str!("default.toml");
/// What a folder of notes is recognised by.
const VAULT_MARKS: [&str; 3] = [".obsidian", "_domains.yaml", ".git"];

/// Everything that can be set.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    pub(crate) model: String,
    pub(crate) search: SearchSettings,
    pub(crate) index: IndexSettings,
    #[serde(default)]
    pub(crate) domains: BTreeMap<String, DomainSettings>,
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
    fusion: String,
    vector_share: f32,
    rrf_k: f32,
    lexical_weight: f32,
    vector_weight: f32,
    candidates: usize,
    decay: String,
    half_life_days: f32,
    graph: bool,
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
pub(crate) struct DomainSettings {
    pub(crate) path: PathBuf,
    /// What a domain sets itself goes before `[index]`; excluded is what either excludes.
    max_file_mb: Option<u64>,
    include: Option<Vec<String>>,
    #[serde(default)]
    exclude: Vec<String>,
    chunking: Option<String>,
    /// Weight of words, that of meaning being 1; overrules what the kind of query suggests.
    lexical: Option<f32>,
    decay: Option<String>,
}

/// A vault and its index file.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    /// Name of the domain, or of the vault's folder.
    pub(crate) name: String,
    pub(crate) vault: Option<PathBuf>,
    pub(crate) store: PathBuf,
    /// Which files of the vault are notes.
    pub(crate) rules: WalkRules,
    /// How they are cut.
    pub(crate) profile: Profile,
    /// What the domain sets itself.
    domain: Option<DomainSettings>,
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
        match fs::read_to_string(&file) {
            Ok(text) => {
                let own: toml::Table =
                    toml::from_str(&text).map_err(|error| bad_settings(&file, &error))?;
                merge(&mut values, own);
            }
            Err(error)
                if error.kind() == std::io::ErrorKind::NotFound
                    && (place.config.is_none() || may_make_file) => {}
            Err(error) => return Err(kenning::Error::io(&file, error).into()),
        }
        let mut settings: Self = values
            .try_into()
            .map_err(|error| bad_settings(&file, &error))?;
        if let Some(model) = env_text(MODEL) {
            settings.model = model;
        }
        settings.file = file;
        settings.data_dir = data_dir;
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
        decay(&search.decay, search.half_life_days)
            .ok_or_else(|| self.bad_value("search.decay", &search.decay, DECAY_NAMES))?;
        self.profile(None)?;
        self.walk_rules(None)?;
        for (name, domain) in &self.domains {
            if let Some(mode) = &domain.decay {
                decay(mode, search.half_life_days)
                    .ok_or_else(|| self.bad_value("decay", mode, DECAY_NAMES))?;
            }
            self.profile(Some(domain))
                .and(self.walk_rules(Some(domain)).map(drop))
                .with_context(|| format!("domain {name}"))?;
        }
        Ok(())
    }

    fn bad_value(&self, key: &str, value: &str, wanted: &str) -> anyhow::Error {
        Hinted::error(
            format!(
                "{key} = {value:?} in {} is not {wanted}",
                self.file.display()
            ),
            format!("edit {}", self.file.display()),
        )
    }

    /// Returns the folder of the model to use, `None` for the one in the binary.
    pub(crate) fn model_path(&self) -> Option<&Path> {
        (self.model != "default").then(|| Path::new(&self.model))
    }

    /// Returns which files are notes.
    fn walk_rules(&self, domain: Option<&DomainSettings>) -> Result<WalkRules> {
        let index = &self.index;
        let own = domain.and_then(|domain| domain.include.as_ref());
        let mut excluded = index.exclude.clone();
        excluded.extend(domain.iter().flat_map(|domain| domain.exclude.clone()));
        let max_file_mb = domain.and_then(|domain| domain.max_file_mb);
        Ok(WalkRules {
            hidden: index.hidden,
            follow_links: index.follow_links,
            file_bytes_max: max_file_mb
                .unwrap_or(index.max_file_mb)
                .saturating_mul(1 << 20),
            allowed: PathList::new(own.unwrap_or(&index.include))?,
            excluded: PathList::new(&excluded)?,
            git_dates: index.git_dates,
        })
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
    pub(crate) fn mode(&self, asked: Option<ModeArg>) -> Result<Mode> {
        match asked {
            Some(ModeArg::Hybrid) => Ok(Mode::Hybrid),
            Some(ModeArg::Lexical) => Ok(Mode::Lexical),
            Some(ModeArg::Vector) => Ok(Mode::Vector),
            None => mode(&self.search.mode),
        }
    }

    /// Returns how to rank the notes of a place.
    pub(crate) fn tuning_at(&self, located: &Located, asked: Option<FusionArg>) -> Tuning {
        let mut tuning = self.tuning(asked);
        let Some(domain) = &located.domain else {
            return tuning;
        };
        if let (Some(lexical), Fusion::Blend { vector }) = (domain.lexical, &mut tuning.fusion) {
            *vector = 1.0 / (1.0 + lexical.max(0.0));
            tuning.leans = false;
        }
        if let (
            Some(lexical),
            Fusion::Rrf {
                lexical: weight, ..
            },
        ) = (domain.lexical, &mut tuning.fusion)
        {
            *weight = lexical;
        }
        if let Some(decay) = domain
            .decay
            .as_ref()
            .and_then(|name| decay(name, self.search.half_life_days))
        {
            tuning.decay = decay;
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
        Tuning {
            candidates: search.candidates,
            fusion,
            decay: decay(&search.decay, search.half_life_days).unwrap_or_default(),
            graph: search.graph.then(Weights::default),
            ..Tuning::default()
        }
    }

    /// Finds the vault and its index file.
    pub(crate) fn locate(&self, place: &Place) -> Result<Located> {
        let vault = self.vault(place)?;
        let store = match (&place.store, &vault) {
            (Some(store), _) => store.clone(),
            (None, Some(vault)) => self.store_path(vault),
            (None, None) => {
                return Err(Hinted::error(
                    "no vault was named and the current folder is not in one",
                    "name a folder with `--vault PATH`, or a domain with `ken domain add NAME PATH`",
                ));
            }
        };
        let named = self.domain_of(place, vault.as_deref());
        let domain = named.map(|(_, domain)| domain);
        let folder = vault.as_deref().or(store.parent()).unwrap_or(&store);
        Ok(Located {
            name: match named {
                Some((name, _)) => name.clone(),
                None => folder
                    .file_name()
                    .map(|name| name.to_string_lossy().into_owned())
                    .unwrap_or_default(),
            },
            rules: self.walk_rules(domain)?,
            profile: self.profile(domain)?,
            domain: domain.cloned(),
            vault,
            store,
        })
    }

    /// Finds every vault that is meant: the domains that were named, or the vault, or, where
    /// neither is told, every domain of the settings.
    pub(crate) fn locate_all(&self, place: &Place) -> Result<Vec<Located>> {
        let of = |name: &str| {
            self.locate(&Place {
                domain: Some(name.to_owned()),
                ..place.clone()
            })
        };
        let named = place.domain.clone().or_else(|| env_text(DOMAIN));
        if let Some(names) = named.filter(|_| place.vault.is_none()) {
            return names.split(',').map(|name| of(name.trim())).collect();
        }
        let is_told = Self::is_place_named(place) || place.store.is_some();
        match self.locate(place) {
            Err(_) if !is_told && !self.domains.is_empty() => {
                self.domains.keys().map(|name| of(name)).collect()
            }
            located => Ok(vec![located?]),
        }
    }

    /// Whether the person said which notes are meant, by option or environment.
    pub(crate) fn is_place_named(place: &Place) -> bool {
        let is_typed = place.vault.is_some() || place.domain.is_some();
        is_typed || env_text(VAULT).is_some() || env_text(DOMAIN).is_some()
    }

    /// Returns the domain that was named, or the one whose folder this is.
    fn domain_of(&self, place: &Place, vault: Option<&Path>) -> Option<(&String, &DomainSettings)> {
        let from_env = env_text(DOMAIN).filter(|_| place.vault.is_none());
        match (place.domain.as_ref().or(from_env.as_ref()), vault) {
            (Some(name), _) => self.domains.get_key_value(name),
            (None, Some(vault)) => self
                .domains
                .iter()
                .find(|(_, domain)| domain.path.canonicalize().is_ok_and(|path| path == vault)),
            (None, None) => None,
        }
    }

    fn vault(&self, place: &Place) -> Result<Option<PathBuf>> {
        if let Some(name) = &place.domain {
            return match self.domains.get(name) {
                Some(domain) => canonical(&domain.path).map(Some),
                None => Err(self.unknown_domain(name)),
            };
        }
        if let Some(vault) = &place.vault {
            return canonical(vault).map(Some);
        }
        // What is typed goes before the environment, whichever of the two it names.
        if let Some(domain) = env_text(DOMAIN) {
            let domain = Some(domain);
            return self.vault(&Place {
                domain,
                ..place.clone()
            });
        }
        if let Some(vault) = env_text(VAULT) {
            return canonical(Path::new(&vault)).map(Some);
        }
        let here = env::current_dir().context("the current folder is gone")?;
        match (vault_above(&here), self.domains.len(), &place.store) {
            (Some(folder), ..) => canonical(&folder).map(Some),
            (None, 1, None) => self
                .domains
                .values()
                .map(|domain| canonical(&domain.path))
                .next()
                .transpose(),
            _ => Ok(None),
        }
    }

    /// Says that a domain does not exist, and which do.
    pub(crate) fn unknown_domain(&self, name: &str) -> anyhow::Error {
        let known: Vec<&str> = self.domains.keys().map(String::as_str).collect();
        let hint = if known.is_empty() {
            format!("add it with `ken domain add {name} PATH`")
        } else {
            format!("known domains: {}", known.join(", "))
        };
        Hinted::error(format!("there is no domain {name:?}"), hint)
    }

    /// Returns the index file of a vault: readable name, and a hash because names repeat.
    pub(crate) fn store_path(&self, vault: &Path) -> PathBuf {
        let name = vault
            .file_name()
            .map(|name| name.to_string_lossy())
            .unwrap_or_default();
        let name: String = name
            .chars()
            .map(|c| {
                if c.is_alphanumeric() || matches!(c, '-' | '_') {
                    c
                } else {
                    '-'
                }
            })
            .collect();
        self.data_dir.join(format!(
            "{name}-{:08x}.db",
            fnv1a(vault.as_os_str().as_encoded_bytes())
        ))
    }
}

/// Returns the nearest folder around `folder` that bears the mark of a vault.
pub(crate) fn vault_above(folder: &Path) -> Option<PathBuf> {
    folder
        .ancestors()
        .find(|folder| VAULT_MARKS.iter().any(|mark| folder.join(mark).exists()))
        .map(Path::to_owned)
}

fn env_text(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn canonical(path: &Path) -> Result<PathBuf> {
    path.canonicalize().map_err(|_| {
        kenning::Error::VaultMissing {
            path: path.to_owned(),
        }
        .into()
    })
}

const DECAY_NAMES: &str = "off, half_life or ranked_grouped";

fn decay(name: &str, half_life_days: f32) -> Option<Decay> {
    let mode = match name {
        "off" => decay::Mode::Off,
        "half_life" => decay::Mode::HalfLife(HalfLife {
            half_life_days,
            ..HalfLife::default()
        }),
        "ranked_grouped" => decay::Mode::RankedGrouped(RankedGrouped::default()),
        _ => return None,
    };
    Some(Decay {
        mode,
        ..Decay::default()
    })
}

fn mode(name: &str) -> Result<Mode> {
    [Mode::Hybrid, Mode::Lexical, Mode::Vector]
        .into_iter()
        .find(|mode| mode.name() == name)
        .ok_or_else(|| {
            Hinted::error(
                format!("{name:?} is no search mode"),
                "use hybrid, lexical or vector",
            )
        })
}

/// Changes the settings file and puts it in place at once.
pub(crate) fn edit(file: &Path, change: impl FnOnce(&mut toml::Table) -> Result<()>) -> Result<()> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(kenning::Error::io(file, error).into()),
    };
    let mut table: toml::Table =
        toml::from_str(&text).map_err(|error| bad_settings(file, &error))?;
    change(&mut table)?;
    let io = |path: &Path| {
        let path = path.to_owned();
        move |error| kenning::Error::io(path, error)
    };
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(io(folder))?;
    }
    let fresh = file.with_extension("toml.new");
    fs::write(&fresh, toml::to_string_pretty(&table)?).map_err(io(&fresh))?;
    fs::rename(&fresh, file).map_err(io(file))?;
    Ok(())
}

/// Puts `own` over `values`, table by table.
fn merge(values: &mut toml::Table, own: toml::Table) {
    for (key, value) in own {
        match (values.get_mut(&key), value) {
            (Some(toml::Value::Table(inner)), toml::Value::Table(own)) => merge(inner, own),
            (_, value) => {
                values.insert(key, value);
            }
        }
    }
}

fn bad_settings(file: &Path, error: &toml::de::Error) -> anyhow::Error {
    bad_toml(file, None, error)
}

/// Says what is wrong with a TOML file, in which line if its text is at hand, and which key was
/// meant.
pub(crate) fn bad_toml(file: &Path, text: Option<&str>, error: &toml::de::Error) -> anyhow::Error {
    let message = error.message();
    let start = error.span().map_or(0, |span| span.start);
    let line = text.and_then(|text| text.get(..start)).map(|before| {
        let number = before.matches('\n').count() + 1;
        format!("line {number}: ")
    });
    Hinted::error(
        format!("{}: {}{message}", file.display(), line.unwrap_or_default()),
        suggestion(message).unwrap_or_else(|| format!("edit {}", file.display())),
    )
}

/// Turns "unknown field `limt`, expected one of `limit`, …" into the nearest known name.
pub(crate) fn suggestion(message: &str) -> Option<String> {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let unknown = quoted
        .next()
        .filter(|_| message.starts_with("unknown field"))?;
    let nearest = quoted.min_by_key(|known| distance(unknown, known))?;
    Some(format!("did you mean `{nearest}`?"))
}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// A hash that never changes, for names of files.
fn fnv1a(bytes: &[u8]) -> u32 {
    let hash = bytes.iter().fold(0xCBF2_9CE4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
    });
    (hash ^ (hash >> 32)) as u32
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
