//! Opens a note where it can be edited or read: an editor at the line, Obsidian at the heading, or what the
//! system opens such files with.
//!
//! No shell is involved: a program is started with words of its own, and names of notes are never more than
//! one of them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Result;

use crate::hint::Hinted;
use crate::settings::Settings;

/// A place in a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The note's file.
    pub(crate) file: PathBuf,
    /// The line, where the file has lines.
    pub(crate) line: Option<u32>,
    /// The address that Obsidian opens.
    pub(crate) uri: String,
}

/// Who opens it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum With {
    /// The editor that was chosen; the system's opener where none was.
    Editor,
    Obsidian,
    System,
}

/// How an editor is told a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// `vi +12 file`
    Plus,
    /// `hx file:12`
    Colon,
    /// `code --goto file:12`
    Goto,
    /// `kate --line 12 file`
    LineOption,
}

/// Editors by the names of their programs.
const EDITORS: [(Style, &[&str]); 4] = [
    (
        Style::Plus,
        &[
            "vi",
            "vim",
            "nvim",
            "view",
            "vis",
            "gvim",
            "mvim",
            "neovide",
            "emacs",
            "emacsclient",
            "mg",
            "nano",
            "pico",
            "micro",
            "kak",
            "joe",
            "jed",
            "ne",
            "gedit",
            "xed",
            "pluma",
        ],
    ),
    (
        Style::Colon,
        &[
            "hx",
            "helix",
            "zed",
            "zeditor",
            "subl",
            "sublime_text",
            "lapce",
        ],
    ),
    (
        Style::Goto,
        &[
            "code",
            "code-insiders",
            "codium",
            "vscodium",
            "cursor",
            "windsurf",
        ],
    ),
    (
        Style::LineOption,
        &["kate", "kwrite", "mate", "idea", "pycharm", "webstorm"],
    ),
];

/// Opens a place. A terminal's editor has the terminal until it is left.
pub(crate) fn open(settings: &Settings, target: &Target, with: With) -> Result<()> {
    let words = command(settings, target, with)?;
    start(&words)
}

/// Opens an address as the system does.
pub(crate) fn address(url: &str) -> Result<()> {
    start(&opener(url.into()))
}

/// Returns the program that opens a place, and its arguments.
pub(crate) fn command(settings: &Settings, target: &Target, with: With) -> Result<Vec<OsString>> {
    if !target.file.is_file() {
        return Err(Hinted::error(
            format!("{} is not there", target.file.display()),
            "run `ken index` to bring the index up to date",
        ));
    }
    let editor = settings.editor();
    Ok(match with {
        With::Obsidian => opener(target.uri.clone().into()),
        // What has no lines is not text: a PDF is not for an editor.
        With::Editor if target.line.is_some() && !editor.is_empty() => edited(&editor, target),
        _ => opener(target.file.clone().into_os_string()),
    })
}

/// Returns the words that start an editor at a line.
fn edited(editor: &[String], target: &Target) -> Vec<OsString> {
    let line = target.line.unwrap_or(1).to_string();
    let file = target.file.to_string_lossy();
    let is_template = editor.iter().any(|word| word.contains("{file}"));
    if is_template {
        let filled = editor.iter().map(|word| filled(word, &file, &line).into());
        return filled.collect();
    }
    let mut words: Vec<OsString> = editor.iter().map(OsString::from).collect();
    let mut with_line = target.file.clone().into_os_string();
    with_line.push(format!(":{line}"));
    let own = target.file.clone().into_os_string();
    words.extend(match style(&editor[0]) {
        Some(Style::Plus) => vec![format!("+{line}").into(), own],
        Some(Style::Colon) => vec![with_line],
        Some(Style::Goto) => vec!["--goto".into(), with_line],
        Some(Style::LineOption) => vec!["--line".into(), line.into(), own],
        None => vec![own],
    });
    words
}

/// Fills a word of a template. Each place is filled once: what a name holds is not looked at again.
fn filled(word: &str, file: &str, line: &str) -> String {
    let with_file = |part: &str| part.split("{file}").collect::<Vec<_>>().join(file);
    word.split("{line}")
        .map(with_file)
        .collect::<Vec<_>>()
        .join(line)
}

fn style(program: &str) -> Option<Style> {
    let name = Path::new(program).file_stem()?.to_str()?.to_lowercase();
    let row = EDITORS
        .iter()
        .find(|(_, names)| names.contains(&name.as_str()));
    row.map(|(style, _)| *style)
}

/// Returns the words that open a file or an address as the system does.
fn opener(what: OsString) -> Vec<OsString> {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    vec![program.into(), what]
}

/// Starts a program and waits for it.
pub(crate) fn start(words: &[OsString]) -> Result<()> {
    let program = words[0].to_string_lossy();
    let is_opener = matches!(&*program, "xdg-open" | "open" | "explorer");
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    if is_opener {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
    }
    let hint = "choose an editor by $VISUAL, $EDITOR or `open.editor` in the settings";
    let status = command
        .status()
        .map_err(|error| Hinted::error(format!("{program} cannot be started: {error}"), hint))?;
    match status.success() {
        true => Ok(()),
        // An opener says nothing of its own.
        false if is_opener => Err(Hinted::error(format!("{program} could not open it"), hint)),
        false => Err(anyhow::anyhow!("{program} ended with {status}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(editor: &str, expected: &str) {
        let target = Target {
            file: "/notes/a {line} $(b).md".into(),
            line: Some(12),
            uri: String::new(),
        };
        let words = edited(&crate::settings::words_of(editor), &target);
        let words: Vec<String> = words
            .iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        assert_eq!(words.join("|"), expected);
    }

    #[test]
    fn editors_are_told_the_line_in_their_own_way() {
        check("vi", "vi|+12|/notes/a {line} $(b).md");
        check(
            "/usr/bin/nvim -R",
            "/usr/bin/nvim|-R|+12|/notes/a {line} $(b).md",
        );
        check(
            "emacsclient -nw",
            "emacsclient|-nw|+12|/notes/a {line} $(b).md",
        );
        check("nano", "nano|+12|/notes/a {line} $(b).md");
        check("hx", "hx|/notes/a {line} $(b).md:12");
        check("zed", "zed|/notes/a {line} $(b).md:12");
        check("subl", "subl|/notes/a {line} $(b).md:12");
        check(
            "code --wait",
            "code|--wait|--goto|/notes/a {line} $(b).md:12",
        );
        check("kate", "kate|--line|12|/notes/a {line} $(b).md");
        check("ed", "ed|/notes/a {line} $(b).md");
    }

    #[test]
    fn others_are_told_by_a_template() {
        check(
            "my-edit -l {line} {file}",
            "my-edit|-l|12|/notes/a {line} $(b).md",
        );
        check("x '{file}({line})'", "x|/notes/a {line} $(b).md(12)");
    }
}
