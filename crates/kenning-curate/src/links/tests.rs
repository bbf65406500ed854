//! Notes are moved in small vaults, and every link still leads where it did.

use std::fs;
use std::path::Path;

use kenning::vault::WalkRules;
use proptest::prelude::*;

use super::*;
use crate::disk::Machine;
use crate::write::Undone;

fn vault(files: &[(&str, &str)]) -> tempfile::TempDir {
    // In memory where that can be: nothing here outlives a power cut.
    let memory = tempfile::tempdir_in("/dev/shm");
    let folder = memory.unwrap_or_else(|_| tempfile::tempdir().unwrap());
    for (path, text) in files {
        let file = folder.path().join("vault").join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    folder
}

fn files_of(vault: &Vault) -> Vec<String> {
    let walk = vault.walk();
    let notes = walk.found.into_iter().map(|found| found.path);
    notes.chain(walk.attachments).collect()
}

fn moved(folder: &Path, from: &str, to: &str) -> Result<Moved> {
    let vault = Vault::open(&folder.join("vault"), WalkRules::default()).unwrap();
    let writer = Writer::new(&Machine, vault.root(), &folder.join("journal"));
    let moved = plan(&writer, &vault, files_of(&vault), (from, to))?;
    writer.commit(&moved.batch, 0)?;
    Ok(moved)
}

#[track_caller]
fn check(files: &[(&str, &str)], (from, to): (&str, &str), after: &[(&str, &str)]) {
    let folder = vault(files);
    moved(folder.path(), from, to).unwrap();
    for (path, text) in after {
        let found = fs::read_to_string(folder.path().join("vault").join(path)).unwrap();
        assert_eq!(found, *text, "{path}");
    }
}

#[test]
fn links_follow_a_note_and_keep_the_rest() {
    check(
        &[
            ("Old.md", "# Old\n[[#Part]] [[Home]]\n"),
            (
                "Home.md",
                "[[old]] [[Old|shown]] ![[Old#Part]] [[Old#^block|x]] `[[Old]]` %%[[Old]]%%\n",
            ),
            (
                "a/Deep.md",
                "---\nup: \"[[Old]]\"\n---\n[t](../Old.md#part) [u](<../Old.md>) [[Olden]]\n",
            ),
            ("a/Ref.md", "[t][r]\n\n[r]: ../Old.md \"title\"\n"),
            ("Olden.md", "| [[Old\\|x]] |\n"),
        ],
        ("Old.md", "b c/New name.md"),
        &[
            ("b c/New name.md", "# Old\n[[#Part]] [[Home]]\n"),
            (
                "Home.md",
                "[[New name]] [[New name|shown]] ![[New name#Part]] [[New name#^block|x]] `[[Old]]` %%[[Old]]%%\n",
            ),
            (
                "a/Deep.md",
                "---\nup: \"[[New name]]\"\n---\n[t](../b%20c/New%20name.md#part) [u](<../b c/New name.md>) [[Olden]]\n",
            ),
            (
                "a/Ref.md",
                "[t][r]\n\n[r]: ../b%20c/New%20name.md \"title\"\n",
            ),
            ("Olden.md", "| [[New name\\|x]] |\n"),
        ],
    );
}

#[test]
fn a_note_that_moves_keeps_its_own_links() {
    check(
        &[
            (
                "a/Note.md",
                "[x](Other.md) ![p](img/p.png) [[Other]] [y](../Top.md)\n",
            ),
            ("a/Other.md", ""),
            ("a/img/p.png", ""),
            ("Top.md", "[[a/Note]] [n](a/Note.md)\n"),
            ("b/Other.md", ""),
        ],
        ("a/Note.md", "b/Note.md"),
        &[
            (
                "b/Note.md",
                "[x](../a/Other.md) ![p](../a/img/p.png) [[a/Other]] [y](../Top.md)\n",
            ),
            ("Top.md", "[[b/Note]] [n](b/Note.md)\n"),
        ],
    );
}

#[test]
fn a_new_name_takes_no_link_from_others() {
    check(
        &[
            ("a/Old.md", ""),
            ("b/Name.md", ""),
            ("Home.md", "[[Name]] [[Old]]\n"),
            (
                "c.canvas",
                "{\"file\": \"a/Old.md\", \"text\":\"a/Old.md\"}",
            ),
        ],
        ("a/Old.md", "Name.md"),
        &[
            ("Home.md", "[[b/Name]] [[Name]]\n"),
            ("c.canvas", "{\"file\": \"Name.md\", \"text\":\"a/Old.md\"}"),
        ],
    );
    let folder = vault(&[("a.md", ""), ("b.md", "")]);
    assert!(matches!(
        moved(folder.path(), "a.md", "B.md"),
        Err(Error::Taken { .. })
    ));
}

#[test]
fn names_may_be_short() {
    let check = |wanted: &str, path: Option<&str>| {
        assert_eq!(
            new_path("a/Old.md", wanted).ok().as_deref(),
            path,
            "{wanted}"
        );
    };
    check("New", Some("a/New.md"));
    check("New v1.2", Some("a/New v1.2.md"));
    check("b/", Some("b/Old.md"));
    check("b/c/New.md", Some("b/c/New.md"));
    check("/New", Some("a/New.md"));
    for bad in ["", "a|b", "../x", "x/../y", ".hidden", "b//", "a#b"] {
        check(bad, None);
    }
}

proptest! {
    /// In any vault, each link leads to the same note before and after, and undoing brings every byte back.
    #[test]
    fn every_link_still_leads_where_it_did(
        names in prop::collection::btree_set("([ab]/){0,2}[xyz]", 2..6),
        links in prop::collection::vec((0usize..6, "(\\.\\./|/|[ab]/){0,2}[xyz](\\.md)?", any::<bool>()), 0..12),
        which in 0usize..6,
        to in "([abc]/){0,2}[xyzw]",
    ) {
        let names: Vec<String> = names.into_iter().map(|name| name + ".md").collect();
        let mut texts = vec![String::from("text\n"); names.len()];
        for (at, target, is_wiki) in &links {
            let text = &mut texts[at % names.len()];
            *text += &if *is_wiki { format!("[[{target}]]\n") } else { format!("[t]({target})\n") };
        }
        let files: Vec<(&str, &str)> = names.iter().zip(&texts).map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let folder = vault(&files);
        let root = folder.path().join("vault");
        let (from, to) = (names[which % names.len()].clone(), to + ".md");
        let opened = Vault::open(&root, WalkRules::default()).unwrap();
        let now = Files::new(files_of(&opened));
        let targets = |files: &Files, path: &str, text: &str| -> Vec<Option<String>> {
            let links = places(text).links.into_iter();
            links.map(|link| files.resolve(path, &link.target).map(str::to_owned)).collect()
        };
        let before: Vec<_> = files.iter().map(|(path, text)| targets(&now, path, text)).collect();
        match moved(folder.path(), &from, &to) {
            Err(Error::Taken { .. }) => return Ok(()),
            result => { result.unwrap(); }
        }
        let later = Files::new(files_of(&opened));
        for ((path, _), before) in files.iter().zip(before) {
            let path = if *path == from { to.as_str() } else { path };
            let text = fs::read_to_string(root.join(path)).unwrap();
            for (now, then) in targets(&later, path, &text).into_iter().zip(before) {
                let then = then.map(|then| if then == from { to.clone() } else { then });
                // A link that led nowhere may lead to the new name.
                prop_assert!(then.is_none() || now == then, "{} -> {}: {:?} {:?} in {}", from, to, now, then, text);
            }
        }
        let writer = Writer::new(&Machine, &root, &folder.path().join("journal"));
        writer.undo(Undone::Last, 0).unwrap();
        for (path, text) in files {
            prop_assert_eq!(fs::read_to_string(root.join(path)).unwrap(), text);
        }
    }
}
