//! What a folder says about the project in it: its name, what git calls it, its README. Read from
//! files; no program is run.

use std::io::Read;
use std::path::{Path, PathBuf};

use kenning::vault::{Links, open_regular};

/// A README says what it is about at once.
const README_BYTES_MAX: u64 = 4_096;
const GIT_BYTES_MAX: u64 = 64 << 10;
/// Branches that are called the same everywhere.
const PLAIN_BRANCHES: [&str; 6] = ["main", "master", "develop", "dev", "trunk", "HEAD"];
/// Folders that are called the same everywhere.
const PLAIN_FOLDERS: [&str; 8] = [
    "app", "code", "home", "project", "repo", "root", "src", "tmp",
];
const READMES: [&str; 3] = ["README.md", "readme.md", "README"];

/// Names of a project.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Project {
    /// Its folder.
    pub(super) name: String,
    /// Name of the repository it came from.
    pub(super) remote: Option<String>,
    /// What is being worked on, in words.
    pub(super) branch: Option<String>,
    /// What its README is headed.
    pub(super) title: Option<String>,
}

impl Project {
    /// Reads what there is to know about the project around a folder.
    pub(super) fn at(folder: &Path) -> Self {
        let marked = folder
            .ancestors()
            .find(|folder| folder.join(".git").exists());
        let root = marked.unwrap_or(folder);
        let name = root
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let git = git_folder(root);
        let common = git.as_deref().map(common_folder);
        Self {
            name: name.unwrap_or_default(),
            remote: common.and_then(|git| remote_of(&read(&git.join("config"), GIT_BYTES_MAX)?)),
            branch: git.and_then(|git| branch_of(&read(&git.join("HEAD"), GIT_BYTES_MAX)?)),
            title: READMES
                .iter()
                .find_map(|name| title_of(&read(&root.join(name), README_BYTES_MAX)?)),
        }
    }

    /// Returns what to search for, the surest name first.
    pub(super) fn queries(&self) -> Vec<String> {
        let mut queries: Vec<String> = Vec::new();
        let all = [
            Some(&self.name),
            self.remote.as_ref(),
            self.title.as_ref(),
            self.branch.as_ref(),
        ];
        for query in all.into_iter().flatten() {
            let query = query.replace(['-', '_'], " ");
            let is_known = queries
                .iter()
                .any(|known| known.eq_ignore_ascii_case(&query));
            let lowered = query.to_lowercase();
            let is_plain = PLAIN_FOLDERS
                .iter()
                .chain(&PLAIN_BRANCHES)
                .any(|name| *name == lowered);
            if !is_known && !is_plain && query.chars().count() > 2 {
                queries.push(query);
            }
        }
        queries
    }
}

/// Returns the folder of git, which in a worktree is told by a file.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = read(&git, GIT_BYTES_MAX)?;
    let path = text.strip_prefix("gitdir:")?.trim();
    Some(root.join(path))
}

/// A worktree has a HEAD of its own and shares the rest.
fn common_folder(git: &Path) -> PathBuf {
    match read(&git.join("commondir"), GIT_BYTES_MAX) {
        Some(text) => git.join(text.trim()),
        None => git.to_owned(),
    }
}

/// `git@host:owner/name.git` and `https://host/owner/name` are called `name`. What stands before
/// it, and may hold a password, is not looked at.
fn remote_of(config: &str) -> Option<String> {
    let mut is_origin = false;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            is_origin = line.starts_with("[remote \"origin\"");
        } else if let Some((key, url)) = line.split_once('=').filter(|_| is_origin)
            && key.trim() == "url"
        {
            let url = url.trim().trim_end_matches('/');
            let name = url.rsplit(['/', ':']).next()?.trim_end_matches(".git");
            return Some(name.to_owned()).filter(|name| !name.is_empty());
        }
    }
    None
}

/// `feature/roof-repair` is about "roof repair".
fn branch_of(head: &str) -> Option<String> {
    let branch = head.trim().strip_prefix("ref: refs/heads/")?;
    let last = branch.rsplit('/').next()?;
    let is_plain = PLAIN_BRANCHES.contains(&last);
    let words = last
        .split(['-', '_', '.'])
        .filter(|word| word.parse::<u64>().is_err());
    let words: Vec<&str> = words.collect();
    (!is_plain && words.len() > 1).then(|| words.join(" "))
}

fn title_of(readme: &str) -> Option<String> {
    let heading = readme.lines().find_map(|line| line.strip_prefix("# "))?;
    let plain: String = heading
        .chars()
        .filter(|c| !"*`[]()#:\"".contains(*c))
        .collect();
    Some(plain.trim().to_owned()).filter(|title| !title.is_empty())
}

fn read(file: &Path, bytes_max: u64) -> Option<String> {
    let mut bytes = Vec::new();
    open_regular(file, Links::Followed)
        .ok()?
        .take(bytes_max)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_repository_is_called_by_all_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("checkout");
        fs::create_dir_all(root.join(".git")).unwrap();
        fs::create_dir_all(root.join("src/deep")).unwrap();
        fs::write(
            root.join(".git/config"),
            "[core]\n\turl = no\n[remote \"origin\"]\n\turl = git@example.org:me/roof-survey.git\n",
        )
        .unwrap();
        fs::write(
            root.join(".git/HEAD"),
            "ref: refs/heads/feature/12-gutter-repair\n",
        )
        .unwrap();
        fs::write(root.join("README.md"), "\n# The **Roof** Survey\n\ntext\n").unwrap();
        let project = Project::at(&root.join("src/deep"));
        assert_eq!(
            project.queries(),
            [
                "checkout",
                "roof survey",
                "The Roof Survey",
                "gutter repair"
            ]
        );
    }

    #[test]
    fn a_worktree_leads_to_its_repository() {
        let folder = tempfile::tempdir().unwrap();
        let (root, tree) = (folder.path().join("main/.git"), folder.path().join("tree"));
        fs::create_dir_all(root.join("worktrees/tree")).unwrap();
        fs::create_dir_all(&tree).unwrap();
        fs::write(
            tree.join(".git"),
            format!("gitdir: {}\n", root.join("worktrees/tree").display()),
        )
        .unwrap();
        fs::write(root.join("worktrees/tree/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(root.join("worktrees/tree/commondir"), "../..\n").unwrap();
        fs::write(
            root.join("config"),
            "[remote \"origin\"]\nurl=https://x.org/me/survey/\n",
        )
        .unwrap();
        let project = Project::at(&tree);
        assert_eq!(project.remote.as_deref(), Some("survey"));
        assert_eq!(project.branch, None);
    }

    #[test]
    fn a_plain_folder_has_its_name() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Project::at(&folder.path().join("src")).queries().is_empty());
        let project = Project::at(&folder.path().join("nowhere"));
        assert_eq!(project.queries(), ["nowhere"]);
    }
}
