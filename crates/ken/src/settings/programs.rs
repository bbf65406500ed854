//! Other programs that people chose: the pager and the editor. They are the user's own to name, by the
//! environment or the settings file, never a vault's.

use std::path::PathBuf;

use serde::Deserialize;

use super::{Settings, env_text};
use crate::args::{Place, When};

/// Ours goes before the one of all programs.
const PAGERS: [&str; 2] = ["KEN_PAGER", "PAGER"];
const CONFIG: &str = "KEN_CONFIG";
const LESS: &str = "LESS";
const NO_COLOUR: &str = "NO_COLOR";
const TERMINAL: &str = "TERM";
const DEFAULT_PAGER: &str = "less";
/// Ours goes before the settings, as git's does; then those of all programs.
const OWN_EDITOR: &str = "KEN_EDITOR";
#[cfg(debug_assertions)]
const TEST_PANIC: &str = "KEN_TEST_PANIC";
const EDITORS: [&str; 2] = ["VISUAL", "EDITOR"];

/// `[open]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpenSettings {
    /// A command, with `{file}` and `{line}` where its program is not known.
    pub(crate) editor: String,
    /// The address of a note in a terminal's output, with `{path}` and `{line}`.
    pub(crate) link: String,
}

impl Settings {
    /// Returns the settings file that the environment names, for who does not read options.
    pub(crate) fn config_in_environment() -> Option<PathBuf> {
        env_text(CONFIG).map(PathBuf::from)
    }

    /// Returns the words of the editor; there are none where nobody chose one.
    pub(crate) fn editor(&self) -> Vec<String> {
        let own = env_text(OWN_EDITOR).or(Some(self.open.editor.clone()));
        let own = own.filter(|editor| !editor.is_empty());
        let chosen = own.or_else(|| EDITORS.iter().find_map(|name| env_text(name)));
        words_of(&chosen.unwrap_or_default())
    }

    /// Whether a line makes the picker panic, for the test that the terminal is given back then, too.
    #[cfg(debug_assertions)]
    pub(crate) fn panics_on(line: &str) -> bool {
        env_text(TEST_PANIC).is_some_and(|trigger| trigger == line)
    }

    /// Whether a full screen may have colours.
    pub(crate) fn has_colour(place: &Place) -> bool {
        match place.color {
            When::Always => true,
            When::Never => false,
            When::Auto => env_text(NO_COLOUR).is_none(),
        }
    }

    /// Whether the terminal can do no more than print lines.
    pub(crate) fn is_terminal_dumb() -> bool {
        env_text(TERMINAL).is_none_or(|term| term == "dumb")
    }

    /// Returns the words of the pager; there are none where none is wanted.
    pub(crate) fn pager() -> Vec<String> {
        // An empty variable says that there is to be none, as git understands it.
        let told = PAGERS.iter().find_map(|name| std::env::var(name).ok());
        let words = words_of(told.as_deref().unwrap_or(DEFAULT_PAGER));
        match words.first().map(String::as_str) {
            Some("cat") => Vec::new(),
            _ => words,
        }
    }

    /// Whether nobody told `less` what to do.
    pub(crate) fn is_less_unset() -> bool {
        env_text(LESS).is_none()
    }
}

/// Cuts a command into words, as a shell does, with quotes and backslashes; nothing else means anything.
pub(crate) fn words_of(command: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(chars.next()),
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_cut_into_words_and_nothing_more() {
        let check = |command: &str, expected: &[&str]| assert_eq!(words_of(command), expected);
        check("less -FRX", &["less", "-FRX"]);
        check(
            "\"/opt/my editor/bin\" --wait",
            &["/opt/my editor/bin", "--wait"],
        );
        check("a 'b c'd e\\ f \"\"", &["a", "b cd", "e f", ""]);
        check(
            "a; rm -rf $HOME | `b`",
            &["a;", "rm", "-rf", "$HOME", "|", "`b`"],
        );
        check("  ", &[]);
    }
}
