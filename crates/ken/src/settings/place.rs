//! Which notes are meant, and where their index lies: a vault, its domains, or those of the settings.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use kenning::vault::Territory;

use super::domain::{DomainSettings, domains_in};
use super::home::expanded;
use super::suggest::nearest;
use super::{
    DOMAIN, Located, NOTES_MARKS, Settings, VAULT, canonical, env_text, marked_above, vault_above,
};
use crate::args::Place;
use crate::hint::Hinted;
use crate::remote::Remote;

/// A domain that can be named.
pub(crate) struct KnownDomain {
    pub(crate) name: String,
    pub(crate) vault: PathBuf,
    pub(crate) store: PathBuf,
    /// The server that keeps its index instead.
    pub(crate) remote: Option<Remote>,
    /// Whether the vault itself lists it.
    pub(crate) is_listed: bool,
    pub(crate) domain: DomainSettings,
}

impl KnownDomain {
    /// Returns what the place of its index is called.
    pub(crate) fn store_name(&self) -> PathBuf {
        let remote = self.remote.as_ref();
        remote.map_or_else(
            || self.store.clone(),
            |remote| remote.place().name().to_owned(),
        )
    }

    /// Whether there is an index, as far as that is known without asking a server.
    pub(crate) fn is_indexed(&self) -> bool {
        self.remote.is_some() || self.store.exists()
    }
}

impl Settings {
    /// Finds the one vault or domain that is meant.
    pub(crate) fn locate(&self, place: &Place) -> Result<Located> {
        let mut all = self.locate_all(place)?;
        match all.pop() {
            Some(only) if all.is_empty() => Ok(only),
            last => {
                let names: Vec<String> = all
                    .into_iter()
                    .chain(last)
                    .map(|located| located.name)
                    .collect();
                Err(Hinted::error(
                    format!(
                        "this needs one domain, and there are several: {}",
                        names.join(", ")
                    ),
                    "name one with `--domain NAME`",
                ))
            }
        }
    }

    /// Finds everything that is meant: the domains that were named, the vault or all domains that
    /// it lists, or, where neither is told, every domain of the settings.
    pub(crate) fn locate_all(&self, place: &Place) -> Result<Vec<Located>> {
        if let Some(store) = &place.store {
            self.check_named(store)?;
        }
        let vault = match self.vault(place) {
            // A domain that was typed does not depend on what else the environment says.
            Err(_) if place.domain.is_some() && place.vault.is_none() => None,
            vault => vault?,
        };
        let listed = match &vault {
            Some(vault) => domains_in(vault)?.unwrap_or_default(),
            None => BTreeMap::new(),
        };
        // What is typed goes before the environment, whichever of the two it names.
        let from_env = env_text(DOMAIN).filter(|_| place.vault.is_none());
        let found = match place.domain.clone().or(from_env) {
            Some(names) => names
                .split(',')
                .map(|name| self.named(name.trim(), place, &listed))
                .collect::<Result<Vec<Located>>>()?,
            None => self.unnamed(place, vault.as_deref(), &listed)?,
        };
        match (self.store_file(place), found.len()) {
            (Some(_), 2..) => Err(Hinted::error(
                "one index file cannot hold several domains",
                "name one domain with `--domain NAME`, or leave `--store` out",
            )),
            _ => Ok(found),
        }
    }

    /// Finds a domain by its name: those the vault lists come first.
    fn named(
        &self,
        name: &str,
        place: &Place,
        listed: &BTreeMap<String, DomainSettings>,
    ) -> Result<Located> {
        if let Some(domain) = listed.get(name) {
            return self.domain_at(name, domain, place, Some(listed));
        }
        let own = self.domains.get(name).filter(|domain| {
            // A vault that was typed as well must be the domain's own.
            let is_it =
                |vault: &PathBuf| vault.canonicalize().ok() == domain.path.canonicalize().ok();
            place.vault.as_ref().is_none_or(is_it)
        });
        match own {
            Some(domain) => self.domain_at(name, domain, place, None),
            None if self.store_address(place).is_some() => {
                self.known_to_server(name, place, listed)
            }
            None => Err(self.unknown_domain(name, listed.keys())),
        }
    }

    /// Finds a domain that only a server knows. It may have been indexed elsewhere: its notes need not be here. A
    /// folder that was named along with it is its vault, unless that lists other domains, or the name is another one's.
    fn known_to_server(
        &self,
        name: &str,
        place: &Place,
        listed: &BTreeMap<String, DomainSettings>,
    ) -> Result<Located> {
        // A domain that was typed is not that of a vault which the environment names for everything.
        let is_named =
            place.vault.is_some() || (place.domain.is_none() && env_text(VAULT).is_some());
        let vault = match is_named {
            true => self.vault(place)?,
            false => None,
        };
        let is_taken = !listed.is_empty() || self.domains.contains_key(name);
        if vault.is_some() && is_taken {
            return Err(self.unknown_domain(name, listed.keys()));
        }
        self.located(name.to_owned(), vault.as_deref(), place, None)
    }

    fn unnamed(
        &self,
        place: &Place,
        vault: Option<&Path>,
        listed: &BTreeMap<String, DomainSettings>,
    ) -> Result<Vec<Located>> {
        if !listed.is_empty() {
            let each = listed.iter();
            return each
                .map(|(name, domain)| self.domain_at(name, domain, place, Some(listed)))
                .collect();
        }
        if let Some(vault) = vault {
            let is_here = |domain: &DomainSettings| {
                domain.path.canonicalize().is_ok_and(|path| path == vault)
            };
            let known = self.domains.iter().find(|(_, domain)| is_here(domain));
            return Ok(vec![match known {
                Some((name, domain)) => self.domain_at(name, domain, place, None)?,
                None => {
                    let store = self.store_file(place).cloned();
                    let store = store.unwrap_or_else(|| self.store_path(vault, None));
                    self.located_at(folder_name(vault), Some(vault), store, place, None)?
                }
            }]);
        }
        if let Some(store) = self.store_file(place) {
            let name = folder_name(&store.with_extension(""));
            return Ok(vec![self.located_at(
                name,
                None,
                store.clone(),
                place,
                None,
            )?]);
        }
        if self.domains.is_empty() {
            return Err(Hinted::error(
                "no vault was named and the current folder is not in one",
                "name a folder with `--vault PATH`, or a domain with `ken domain add NAME PATH`",
            ));
        }
        let each = self.domains.iter();
        each.map(|(name, domain)| self.domain_at(name, domain, place, None))
            .collect()
    }

    /// Returns where a domain lies. One that a vault lists shares the vault with others, so its index
    /// bears its name, too; `listed` are all of those.
    fn domain_at(
        &self,
        name: &str,
        domain: &DomainSettings,
        place: &Place,
        listed: Option<&BTreeMap<String, DomainSettings>>,
    ) -> Result<Located> {
        let vault = self.known_folder(&domain.path, place)?;
        let store = match self.store_file(place) {
            Some(store) => store.clone(),
            None => self.store_path(&vault, listed.map(|_| name)),
        };
        self.check_domain(name, domain)?;
        let mut located =
            self.located_at(name.to_owned(), Some(&vault), store, place, Some(domain))?;
        located.rules.others = self.others(name, listed)?;
        Ok(located)
    }

    /// Returns what other domains hold: those that the same vault lists, and those of the settings.
    fn others(
        &self,
        name: &str,
        listed: Option<&BTreeMap<String, DomainSettings>>,
    ) -> Result<Vec<Territory>> {
        let of_vault = listed.into_iter().flatten();
        let of_vault = of_vault.filter(|(other, _)| *other != name);
        let of_settings = self.domains.iter();
        let of_settings = of_settings.filter(|(other, _)| listed.is_some() || *other != name);
        let mut others = Vec::new();
        for (_, domain) in of_vault.chain(of_settings) {
            // A folder that is not there holds nothing.
            if let Ok(root) = domain.path.canonicalize() {
                let (allowed, excluded) = self.lists(Some(domain))?;
                others.push(Territory {
                    root,
                    allowed,
                    excluded,
                });
            }
        }
        Ok(others)
    }

    /// Returns where a domain lies whose index is on a server; what else is kept of it lies in the data folder.
    fn located(
        &self,
        name: String,
        vault: Option<&Path>,
        place: &Place,
        domain: Option<&DomainSettings>,
    ) -> Result<Located> {
        let store = self.store_path(Path::new("remote"), Some(&name));
        self.located_at(name, vault, store, place, domain)
    }

    fn located_at(
        &self,
        name: String,
        vault: Option<&Path>,
        store: PathBuf,
        place: &Place,
        domain: Option<&DomainSettings>,
    ) -> Result<Located> {
        let remote = self.remote(&name, place, domain)?;
        let model = domain.and_then(|domain| domain.embedding.as_ref());
        let model = model.unwrap_or(&self.model).clone();
        let model_dimensions = domain.and_then(|domain| domain.embedding_dim);
        let mut embedding = self.embedding(&model)?;
        if let Some(embedding) = &mut embedding {
            embedding.dimensions = embedding.dimensions.or(model_dimensions);
        }
        Ok(Located {
            rules: self.walk_rules(domain)?,
            profile: self.profile(domain)?,
            model,
            embedding,
            model_dimensions,
            reranker: self.reranker_place_of(domain),
            pictures: self.picture_tools(),
            domain: domain.cloned(),
            vault: vault.map(Path::to_owned),
            is_own_place: remote.is_some() || store.parent() == Some(&*self.data_dir),
            remote,
            name,
            store,
        })
    }

    /// Returns every domain that has a name here: those the vault lists, and those of the settings.
    pub(crate) fn known_domains(&self, place: &Place) -> Result<Vec<KnownDomain>> {
        let vault = self.vault(place)?;
        let listed = match &vault {
            Some(vault) => domains_in(vault)?.unwrap_or_default(),
            None => BTreeMap::new(),
        };
        let known = |name: &String, domain: &DomainSettings, is_listed: bool| -> Result<_> {
            // A folder that is gone keeps its name.
            let vault = canonical(&domain.path).unwrap_or_else(|_| domain.path.clone());
            Ok(KnownDomain {
                remote: self.remote(name, place, Some(domain))?,
                store: self.store_path(&vault, is_listed.then_some(name.as_str())),
                name: name.clone(),
                vault,
                is_listed,
                domain: domain.clone(),
            })
        };
        let of_vault = listed
            .iter()
            .map(|(name, domain)| known(name, domain, true));
        let of_settings = self.domains.iter();
        let of_settings = of_settings.map(|(name, domain)| known(name, domain, false));
        of_vault.chain(of_settings).collect()
    }

    /// Whether the person said which notes are meant, by option or environment.
    pub(crate) fn is_place_named(place: &Place) -> bool {
        let is_typed = place.vault.is_some() || place.domain.is_some();
        is_typed || env_text(VAULT).is_some() || env_text(DOMAIN).is_some()
    }

    /// Whether the current folder says nothing of which notes are meant, so that all domains are.
    pub(crate) fn is_anywhere(&self, place: &Place) -> bool {
        let is_told = Self::is_place_named(place) || place.store.is_some();
        !is_told && !self.domains.is_empty() && matches!(self.vault(place), Ok(None))
    }

    /// Returns the folder of notes around the current one. A repository is none by itself: most hold
    /// code, and nobody may have asked to have that read.
    pub(crate) fn notes_here() -> Result<Option<PathBuf>> {
        let here = env::current_dir().context("the current folder is gone")?;
        Ok(marked_above(&here, &NOTES_MARKS))
    }

    /// Returns the vault that was named, or the one around the current folder.
    fn vault(&self, place: &Place) -> Result<Option<PathBuf>> {
        if let Some(vault) = &place.vault {
            return self.known_folder(vault, place).map(Some);
        }
        if let Some(vault) = env_text(VAULT) {
            return self.known_folder(Path::new(&vault), place).map(Some);
        }
        let here = env::current_dir().context("the current folder is gone")?;
        vault_above(&here).as_deref().map(canonical).transpose()
    }

    /// Returns the path that an index knows a vault by. A folder that is gone, as when a disk is not
    /// mounted, still has its index, which can be asked.
    fn known_folder(&self, folder: &Path, place: &Place) -> Result<PathBuf> {
        let folder = &expanded(folder);
        canonical(folder).or_else(|missing| {
            let path = path_when_there(folder).ok_or(missing)?;
            let own = || self.store_path(&path, None);
            let store = self.store_file(place).cloned().unwrap_or_else(own);
            match store.is_file() || self.store_address(place).is_some() || self.store.is_some() {
                true => Ok(path),
                false => canonical(folder),
            }
        })
    }

    /// Says that a domain does not exist, and which do.
    pub(crate) fn unknown_domain<'a>(
        &'a self,
        name: &str,
        listed: impl Iterator<Item = &'a String>,
    ) -> anyhow::Error {
        let known: Vec<&str> = listed
            .chain(self.domains.keys())
            .map(String::as_str)
            .collect();
        let meant = nearest(name, known.iter().copied());
        let hint = match meant {
            _ if known.is_empty() => format!("add it with `ken domain add {name} PATH`"),
            Some(meant) => format!("did you mean {meant}? known domains: {}", known.join(", ")),
            None => format!("known domains: {}", known.join(", ")),
        };
        Hinted::error(format!("there is no domain {name:?}"), hint)
    }

    /// Returns the index file of a vault: readable name, and a hash because names repeat.
    pub(crate) fn store_path(&self, vault: &Path, domain: Option<&str>) -> PathBuf {
        let is_kept = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        let name: String = folder_name(vault)
            .chars()
            .map(|c| if is_kept(c) { c } else { '-' })
            .collect();
        let hash = fnv1a(vault.as_os_str().as_encoded_bytes());
        let domain = domain.map(|domain| format!("-{domain}"));
        let domain = domain.unwrap_or_default();
        let path = |hash: &str| self.data_dir.join(format!("{name}-{hash}{domain}.db"));
        let store = path(&format!("{hash:032x}"));
        adopt(
            &path(&short_hash(vault.as_os_str().as_encoded_bytes())),
            &store,
        );
        store
    }
}

/// Returns the canonical path that a missing folder would have.
fn path_when_there(folder: &Path) -> Option<PathBuf> {
    let full = std::path::absolute(folder).ok()?;
    let parent = full.parent()?.canonicalize().ok()?;
    Some(parent.join(full.file_name()?))
}

/// Gives an index its name of today: older versions had shorter hashes.
fn adopt(old: &Path, new: &Path) {
    if old.is_file() && !new.exists() {
        // Where this fails there is a new index, and the old one stays where it is.
        let _ = fs::rename(old, new);
        for suffix in ["-wal", "-shm", ".lock"] {
            let beside = |path: &Path| PathBuf::from(format!("{}{suffix}", path.display()));
            let _ = fs::rename(beside(old), beside(new));
        }
    }
}

fn folder_name(folder: &Path) -> String {
    let name = folder.file_name().map(|name| name.to_string_lossy());
    name.unwrap_or_default().into_owned()
}

/// A hash that never changes, for names of files: two paths share one only by somebody's intent, and
/// then the index still says whose it is.
fn fnv1a(bytes: &[u8]) -> u128 {
    bytes.iter().fold(
        0x6C62_272E_07BB_0142_62B8_2175_6295_C58D,
        |hash: u128, byte| (hash ^ u128::from(*byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013B),
    )
}

/// The hash that older versions named files by.
fn short_hash(bytes: &[u8]) -> String {
    let hash = bytes.iter().fold(0xCBF2_9CE4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
    });
    format!("{:08x}", (hash ^ (hash >> 32)) as u32)
}
