//! Settings of agent hooks: budgets, and which folder may ask which domains.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use etcetera::home_dir;
use serde::Deserialize;

use super::home::expanded;
use super::{Located, Settings, env_text, vault_above};
use crate::args::{Agent, Place};

/// Where Claude Code and Codex keep their settings, if not in the home folder.
const CLAUDE_HOME: &str = "CLAUDE_CONFIG_DIR";
const CODEX_HOME: &str = "CODEX_HOME";

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HookSettings {
    pub(crate) prompt_tokens: usize,
    pub(crate) session_tokens: usize,
    pub(crate) tool_tokens: usize,
    pub(crate) min_confidence: f64,
    pub(crate) output_chars: usize,
    pub(crate) deadline_ms: u64,
    /// Which domains an agent in a folder may ask. Where any are told, no other folder may.
    #[serde(default)]
    folders: Vec<FolderSettings>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FolderSettings {
    path: PathBuf,
    domains: Vec<String>,
}

impl HookSettings {
    pub(super) fn expand_home(&mut self) {
        for folder in &mut self.folders {
            folder.path = expanded(&folder.path);
        }
    }
}

/// The notes that a folder may ask, or why it may ask none.
pub(crate) enum Allowed {
    Vaults(Vec<Located>),
    Nothing(String),
}

impl Settings {
    /// Finds the notes that an agent working in `cwd` may ask: what was named, else what the nearest
    /// folder around it is mapped to or is a domain of. Nothing is guessed where there is a choice.
    pub(crate) fn allowed(&self, place: &Place, cwd: &Path) -> Result<Allowed> {
        if Self::is_place_named(place) || place.store.is_some() {
            return self.locate_all(place).map(Allowed::Vaults);
        }
        let cwd = cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned());
        if let Some(names) = self.domains_around(&cwd) {
            return self.domains_named(place, &names).map(Allowed::Vaults);
        }
        let nothing = |why: &str| Ok(Allowed::Nothing(why.to_owned()));
        if !self.hooks.folders.is_empty() {
            return nothing("the folder is mapped to no domain in [[hooks.folders]]");
        }
        let vault = vault_above(&cwd).and_then(|vault| vault.canonicalize().ok());
        if let Some(vault) = vault {
            let place = Place {
                vault: Some(vault.clone()),
                ..place.clone()
            };
            let mut all = self.locate_all(&place)?;
            // Of the domains that a vault lists, the one that the folder belongs to.
            let folder = cwd.strip_prefix(&vault).unwrap_or(Path::new(""));
            let folder = folder.to_string_lossy().replace('\\', "/");
            all.retain(|located| located.is_indexed() && located.holds(&folder));
            if !all.is_empty() {
                return Ok(Allowed::Vaults(all));
            }
        }
        match self.domains.len() {
            0 => nothing("no domain is known and the folder is in no indexed vault"),
            1 => {
                let names: Vec<String> = self.domains.keys().cloned().collect();
                self.domains_named(place, &names).map(Allowed::Vaults)
            }
            _ => nothing("there are several domains and the folder is mapped to none"),
        }
    }

    /// Returns the domains of the nearest folder around `cwd` that says anything; a mapping goes
    /// before a domain of the same folder.
    fn domains_around(&self, cwd: &Path) -> Option<Vec<String>> {
        let mapped = self.hooks.folders.iter();
        let mapped = mapped.map(|folder| (folder.path.as_path(), folder.domains.clone()));
        let domains = self.domains.iter();
        let domains = domains.map(|(name, domain)| (domain.path.as_path(), vec![name.clone()]));
        let mut nearest: Option<(usize, Vec<String>)> = None;
        for (folder, names) in mapped.chain(domains) {
            let Ok(folder) = folder.canonicalize() else {
                continue;
            };
            let depth = folder.components().count();
            let is_nearer = nearest.as_ref().is_none_or(|(known, _)| depth > *known);
            if cwd.starts_with(&folder) && is_nearer {
                nearest = Some((depth, names));
            }
        }
        nearest.map(|(_, names)| names)
    }

    fn domains_named(&self, place: &Place, names: &[String]) -> Result<Vec<Located>> {
        let of = |name: &String| {
            self.locate(&Place {
                domain: Some(name.clone()),
                ..place.clone()
            })
        };
        names.iter().map(of).collect()
    }

    /// Returns the folder that holds what hooks remember.
    pub(crate) fn hook_dir(&self) -> PathBuf {
        self.data_dir.join("hook")
    }
}

/// Returns the file in which an agent looks for hooks: the person's own, or a project's.
pub(crate) fn agent_file(agent: Agent, project: Option<&Path>) -> Result<PathBuf> {
    let own = |variable: &str, folder: &str| -> Result<PathBuf> {
        match env_text(variable) {
            Some(folder) => Ok(PathBuf::from(folder)),
            None => Ok(home_dir().context("there is no home folder")?.join(folder)),
        }
    };
    Ok(match (agent, project) {
        (Agent::Claude, None) => own(CLAUDE_HOME, ".claude")?.join("settings.json"),
        (Agent::Claude, Some(project)) => project.join(".claude/settings.json"),
        (Agent::Codex, None) => own(CODEX_HOME, ".codex")?.join("hooks.json"),
        (Agent::Codex, Some(project)) => project.join(".codex/hooks.json"),
        // Copilot reads hooks from the repository only.
        (Agent::Copilot, project) => project
            .unwrap_or(Path::new(""))
            .join(".github/hooks/ken.json"),
    })
}
