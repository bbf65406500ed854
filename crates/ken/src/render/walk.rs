//! A walk along links as a tree, for people.

use std::io::Write;

use anyhow::Result;

use super::{DIM, HEAD, PATH, counted, inline, say_styled};
use crate::wire::{RetainedNote, TraverseResponse, VisitedNote, WalkComparison};

/// A note of the tree.
struct Branch<'a> {
    path: &'a str,
    /// What is known of it, if it was seen.
    seen: Option<&'a VisitedNote>,
    /// It is there only because the way to another one leads through it.
    is_passed: bool,
    children: Vec<usize>,
}

/// Prints what a walk found: each note below the one it was reached from, the best first.
pub(crate) fn traversal(walk: &TraverseResponse, quiet: bool) -> Result<()> {
    let mut out = anstream::stdout().lock();
    let tree = tree(walk);
    for root in (0..tree.len()).filter(|&root| !is_child(&tree, root)) {
        write_branch(&mut out, &tree, root, "", "")?;
    }
    if let Some(compare) = &walk.compare {
        write_missed(&mut out, compare)?;
    }
    out.flush()?;
    if !quiet {
        say_styled(&summary(walk));
    }
    Ok(())
}

fn tree(walk: &TraverseResponse) -> Vec<Branch<'_>> {
    let mut tree: Vec<Branch<'_>> = Vec::new();
    for kept in &walk.retained {
        let mut parent: Option<usize> = None;
        for path in &kept.seen.way {
            let known = tree.iter().position(|branch| branch.path == path);
            let index = known.unwrap_or_else(|| {
                tree.push(branch(walk, path));
                tree.len() - 1
            });
            if let Some(parent) = parent.filter(|_| known.is_none()) {
                tree[parent].children.push(index);
            }
            parent = Some(index);
        }
    }
    tree
}

fn branch<'a>(walk: &'a TraverseResponse, path: &'a str) -> Branch<'a> {
    let is_here = |kept: &&RetainedNote| kept.seen.path == path;
    let kept = walk.retained.iter().find(is_here).map(|kept| &kept.seen);
    let left = || walk.dropped.iter().find(|left| left.seen.path == path);
    Branch {
        path,
        seen: kept.or_else(|| left().map(|left| &left.seen)),
        is_passed: kept.is_none(),
        children: Vec::new(),
    }
}

fn is_child(tree: &[Branch<'_>], index: usize) -> bool {
    tree.iter().any(|branch| branch.children.contains(&index))
}

/// Writes a note and what was reached from it; `lead` stands before it, `indent` before the others.
fn write_branch(
    out: &mut impl Write,
    tree: &[Branch<'_>],
    index: usize,
    lead: &str,
    indent: &str,
) -> Result<()> {
    let branch = &tree[index];
    let facts = branch.seen.map(facts).unwrap_or_default();
    if branch.is_passed {
        let path = inline(branch.path);
        writeln!(out, "{DIM}{lead}{path}  {facts} · on the way{DIM:#}")?;
    } else {
        let title = branch.seen.map(title).unwrap_or_default();
        writeln!(
            out,
            "{DIM}{lead}{DIM:#}{PATH}{}{PATH:#}{title}  {DIM}{facts}{DIM:#}",
            inline(branch.path)
        )?;
    }
    for (position, &child) in branch.children.iter().enumerate() {
        let is_last = position + 1 == branch.children.len();
        let (lead, deeper) = if is_last {
            ("└─ ", "   ")
        } else {
            ("├─ ", "│  ")
        };
        write_branch(
            out,
            tree,
            child,
            &format!("{indent}{lead}"),
            &format!("{indent}{deeper}"),
        )?;
    }
    Ok(())
}

/// The title, unless the file is called so.
fn title(seen: &VisitedNote) -> String {
    let name = seen.path.rsplit('/').next().unwrap_or(&seen.path);
    if name.strip_suffix(".md") == Some(&seen.title) {
        String::new()
    } else {
        format!("  {HEAD}{}{HEAD:#}", inline(&seen.title))
    }
}

/// Hop, similarity and the link by which a note was reached.
fn facts(seen: &VisitedNote) -> String {
    let mut facts = format!("hop {} · {:.2}", seen.hop, seen.similarity);
    if let Some(via) = &seen.via {
        let arrow = if via.direction == "backlink" {
            "←"
        } else {
            "→"
        };
        facts += &format!(" · {arrow} {} in line {}", via.kind, via.line);
    }
    facts
}

fn write_missed(out: &mut impl Write, compare: &WalkComparison) -> Result<()> {
    let n = compare.missed.len();
    if n == 0 {
        return Ok(());
    }
    writeln!(out, "\n{HEAD}only the deep walk found{HEAD:#}")?;
    for missed in &compare.missed {
        let seen = &missed.seen;
        let at = match missed.dropped_at.as_deref() {
            Some(path) if path == seen.path => String::new(),
            Some(path) => format!(" at {}", inline(path)),
            None => String::new(),
        };
        let unseen = match compare.fast.stopped_early {
            true => "had found enough",
            false => "never came near",
        };
        let reason = missed.drop_reason.unwrap_or(unseen);
        writeln!(
            out,
            "  {PATH}{}{PATH:#}{}  {DIM}{} · fast: {reason}{at}{DIM:#}",
            inline(&seen.path),
            title(seen),
            facts(seen)
        )?;
    }
    Ok(())
}

/// One line about the walk as a whole.
fn summary(walk: &TraverseResponse) -> String {
    let n_found = walk.retained.iter().filter(|kept| kept.seen.hop > 0);
    let n_found = n_found.count();
    if n_found == 0 {
        return nothing(walk);
    }
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for left in &walk.dropped {
        match reasons
            .iter_mut()
            .find(|(name, _)| *name == left.drop_reason)
        {
            Some((_, n)) => *n += 1,
            None => reasons.push((left.drop_reason, 1)),
        }
    }
    let reasons: Vec<String> = reasons
        .iter()
        .map(|(name, n)| format!("{n} {name}"))
        .collect();
    let left_out = match reasons.as_slice() {
        [] => String::new(),
        reasons => format!(" · left out {}", reasons.join(", ")),
    };
    let early = if walk.stopped_early {
        ", stopped early"
    } else {
        ""
    };
    let (mode, took_ms) = (walk.mode, walk.took_ms);
    format!(
        "{DIM}{} · {}{early} · {mode}{left_out} · {took_ms:.1} ms{DIM:#}",
        counted(n_found, "note"),
        counted(walk.hops_walked as usize, "hop"),
    )
}

fn nothing(walk: &TraverseResponse) -> String {
    match walk.dropped.len() {
        0 => "No note links to this one, and it links to none.".to_owned(),
        n if walk.mode == "fast" => format!(
            "None of the {} around this one is similar enough; `--deep` looks wider.",
            counted(n, "note")
        ),
        n => format!(
            "None of the {} around this one is similar enough.",
            counted(n, "note")
        ),
    }
}
