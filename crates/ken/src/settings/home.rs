//! `~` in settings and options is the home folder, as in a shell.

use std::path::{Path, PathBuf};

use etcetera::home_dir;

use super::Settings;

impl Settings {
    /// Writes paths that begin with `~/` out.
    pub(super) fn expand_home(&mut self) {
        for domain in self.domains.values_mut() {
            domain.path = expanded(&domain.path);
        }
        self.hooks.expand_home();
        if self.model.starts_with('~') {
            let model = expanded(Path::new(&self.model));
            self.model = model.to_string_lossy().into_owned();
        }
    }
}

/// Returns a path with `~` at its start written out. `~other` is not a folder of ours, and stays.
pub(super) fn expanded(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), home_dir()) {
        (Ok(below), Ok(home)) if below.as_os_str().is_empty() => home,
        (Ok(below), Ok(home)) => home.join(below),
        _ => path.to_owned(),
    }
}
