//! Enters our hooks into an agent's settings and takes them out again. Only what is ours is touched,
//! and everything else keeps its place.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::Event;
use crate::args::Agent;

/// Seconds after which the agent gives up on us; we give up long before.
const TIMEOUT_SECONDS: u64 = 5;
const PRE_TOOLS: &str = "Read|Edit|Write|Bash|Grep|Task|Agent";
const POST_TOOLS: &str = "Bash|Grep|Glob|WebFetch|WebSearch|Task|Agent|mcp__.*";
/// Words of a command beside it. Claude Code knows them since 2.1.139; an older one calls the bare
/// program, so what is installed here is one line for a shell.
const ARGS: &str = "args";

/// What an agent is to call: this program, and which notes are meant if not those of the folder.
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) options: Vec<String>,
}

/// Enters every hook that is missing, mends those that call another binary or other notes, and takes
/// out those that the agent has no use for.
pub(crate) fn add(settings: &mut Value, agent: Agent, program: &Program) {
    let useless = |event: &&Event| !events(agent).contains(event);
    for event in Event::ALL.iter().filter(useless) {
        take_out(settings, Some(*event));
    }
    if agent == Agent::Copilot && settings.get("version").is_none() {
        settings["version"] = json!(1);
    }
    if settings.get("hooks").is_none() {
        settings["hooks"] = json!({});
    }
    for &event in events(agent) {
        let handler = handler(event, agent, program);
        let name = event_name(event, agent);
        let Some(hooks) = settings["hooks"].as_object_mut() else {
            continue;
        };
        let list = hooks.entry(name).or_insert_with(|| json!([]));
        let mut is_there = false;
        for known in handlers(list).filter(|known| is_ours(known, Some(event))) {
            is_there = true;
            if let (Value::Object(known), Value::Object(handler)) = (known, &handler) {
                known.shift_remove(ARGS);
                // A time-out that somebody chose stays.
                let changes = handler
                    .iter()
                    .filter(|(key, _)| !key.starts_with("timeout"));
                known.extend(changes.map(|(key, value)| (key.clone(), value.clone())));
            }
        }
        if let Some(list) = list.as_array_mut().filter(|_| !is_there) {
            list.push(group(event, agent, handler));
        }
    }
}

/// Takes out what is ours, and what is empty without it; returns whether there was anything.
pub(crate) fn remove(settings: &mut Value) -> bool {
    take_out(settings, None)
}

fn take_out(settings: &mut Value, event: Option<Event>) -> bool {
    let Some(hooks) = settings.get_mut("hooks").and_then(Value::as_object_mut) else {
        return false;
    };
    let mut is_changed = false;
    hooks.retain(|_, list| {
        let Some(list) = list.as_array_mut() else {
            return true;
        };
        let n_before = list.len();
        let mut n_taken = 0;
        list.retain_mut(|group| {
            let Some(inner) = group.get_mut("hooks").and_then(Value::as_array_mut) else {
                return !is_ours(group, event);
            };
            let n_inner = inner.len();
            inner.retain(|handler| !is_ours(handler, event));
            n_taken += n_inner - inner.len();
            !inner.is_empty() || n_inner == 0
        });
        let is_ours = n_taken > 0 || list.len() < n_before;
        is_changed |= is_ours;
        !(is_ours && list.is_empty())
    });
    if is_changed
        && hooks.is_empty()
        && let Some(settings) = settings.as_object_mut()
    {
        settings.shift_remove("hooks");
    }
    is_changed
}

/// How a hook of ours stands in the settings of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Installed,
    /// Only newer versions of the agent can read it.
    Outdated,
    Missing,
}

impl Standing {
    /// Returns the word for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Installed => "installed",
            Self::Outdated => "outdated",
            Self::Missing => "missing",
        }
    }
}

/// Returns the name of each event that the agent calls us for, and how our hook for it stands.
pub(crate) fn list(settings: &Value, agent: Agent) -> Vec<(&'static str, Standing)> {
    let mut hooks = settings.get("hooks").cloned().unwrap_or_default();
    let mut standing = |event: Event| {
        let list = hooks.get_mut(event_name(event, agent));
        let ours = list
            .into_iter()
            .flat_map(handlers)
            .filter(|known| is_ours(known, Some(event)));
        let has_args: Vec<bool> = ours.map(|known| known.get(ARGS).is_some()).collect();
        match has_args.as_slice() {
            [] => Standing::Missing,
            all if all.contains(&true) => Standing::Outdated,
            _ => Standing::Installed,
        }
    };
    let events = events(agent).iter();
    events
        .map(|&event| (event_name(event, agent), standing(event)))
        .collect()
}

/// Returns what an agent is to call us for.
fn events(agent: Agent) -> &'static [Event] {
    match agent {
        Agent::Claude => &Event::ALL,
        // These show the model every output whole, whatever a hook says about it.
        Agent::Codex | Agent::Copilot => &[Event::Prompt, Event::SessionStart, Event::PreTool],
    }
}

/// Whether nothing but ours was ever in there, so that the file may go.
pub(crate) fn is_empty(settings: &Value) -> bool {
    let fields = settings.as_object().map(Map::keys);
    fields.is_some_and(|mut keys| keys.all(|key| key == "version"))
}

fn event_name(event: Event, agent: Agent) -> &'static str {
    match (agent, event) {
        (Agent::Copilot, Event::Prompt) => "userPromptSubmitted",
        (Agent::Copilot, Event::SessionStart) => "sessionStart",
        (Agent::Copilot, Event::PreTool) => "preToolUse",
        (Agent::Copilot, Event::PostTool) => "postToolUse",
        _ => event.name(),
    }
}

/// Handlers stand in groups, or by themselves.
fn handlers(list: &mut Value) -> impl Iterator<Item = &mut Value> {
    let groups = list.as_array_mut().into_iter().flatten();
    groups.flat_map(|group| -> Vec<&mut Value> {
        match group.get("hooks").is_some_and(Value::is_array) {
            true => group["hooks"]
                .as_array_mut()
                .into_iter()
                .flatten()
                .collect(),
            false => vec![group],
        }
    })
}

fn handler(event: Event, agent: Agent, program: &Program) -> Value {
    let path = program.path.to_string_lossy();
    let mut words = vec![&*path, "hook", event.verb(), "--agent", agent.name()];
    words.extend(program.options.iter().map(String::as_str));
    let line = |quoted: fn(&str) -> String| {
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        words.join(" ")
    };
    match agent {
        Agent::Claude | Agent::Codex => json!({
            "type": "command",
            "command": line(if cfg!(windows) { for_windows } else { for_bash }),
            "timeout": TIMEOUT_SECONDS,
        }),
        Agent::Copilot => json!({
            "type": "command",
            "bash": line(for_bash),
            "powershell": format!("& {}", line(for_powershell)),
            "timeoutSec": TIMEOUT_SECONDS,
        }),
    }
}

/// Quotes a word where a shell would read more into it than it says.
fn for_bash(word: &str) -> String {
    match is_plain(word) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Agents on Windows use Git's bash or `cmd`: both understand these quotes and these slashes.
fn for_windows(word: &str) -> String {
    let word = word.replace('\\', "/");
    match is_plain(&word) {
        true => word,
        false => format!("\"{word}\""),
    }
}

fn for_powershell(word: &str) -> String {
    match is_plain(word) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "''")),
    }
}

fn is_plain(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-:+=@,".contains(c);
    !word.is_empty() && word.chars().all(is_plain)
}

fn group(event: Event, agent: Agent, handler: Value) -> Value {
    match (agent, event) {
        (Agent::Copilot, _) => handler,
        (_, Event::PreTool) => json!({"matcher": PRE_TOOLS, "hooks": [handler]}),
        (_, Event::PostTool) => json!({"matcher": POST_TOOLS, "hooks": [handler]}),
        _ => json!({"hooks": [handler]}),
    }
}

/// Ours is what calls `ken hook EVENT`, wherever `ken` lies.
fn is_ours(handler: &Value, event: Option<Event>) -> bool {
    let is_verb = |verb: &str| {
        Event::ALL
            .iter()
            .any(|known| known.verb() == verb && event.is_none_or(|event| event == *known))
    };
    let text = |key: &str| handler.get(key).and_then(Value::as_str);
    if let (Some(command), Some(args)) =
        (text("command"), handler.get(ARGS).and_then(Value::as_array))
    {
        let mut words = args.iter().filter_map(Value::as_str);
        return is_ken(command)
            && words.next() == Some("hook")
            && words.next().is_some_and(is_verb);
    }
    let calls_us = |line: &str| {
        // A folder may be called so, too.
        line.match_indices(" hook ").any(|(at, between)| {
            let verb = line[at + between.len()..].split_whitespace().next();
            is_ken(&line[..at]) && verb.is_some_and(is_verb)
        })
    };
    ["command", "bash", "powershell"]
        .into_iter()
        .filter_map(text)
        .any(calls_us)
}

fn is_ken(program: &str) -> bool {
    let program = program.trim_matches(['"', '\'', '&', ' ']);
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    matches!(name, "ken" | "ken.exe")
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGENTS: [Agent; 3] = [Agent::Claude, Agent::Codex, Agent::Copilot];

    fn program() -> Program {
        Program {
            path: PathBuf::from("/opt/my tools hook it's/ken"),
            options: vec!["--domain".to_owned(), "work".to_owned()],
        }
    }

    fn elsewhere() -> Program {
        Program {
            path: PathBuf::from("/elsewhere/ken"),
            options: Vec::new(),
        }
    }

    #[test]
    fn what_was_added_is_added_once_and_taken_out_whole() {
        for agent in AGENTS {
            let own = json!({
                "zeta": 1,
                "hooks": {
                    "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
                    "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "ken-guard hook pre-tool"}]}],
                },
                "alpha": {"b": 2, "a": 1},
            });
            let mut settings = own.clone();
            add(&mut settings, agent, &program());
            let all = list(&settings, agent);
            assert!(all.iter().all(|(_, one)| *one == Standing::Installed));
            assert!(!settings.to_string().contains("args"), "{settings}");
            let once = settings.clone();
            add(&mut settings, agent, &program());
            assert_eq!(settings.to_string(), once.to_string());
            add(&mut settings, agent, &elsewhere());
            for old in ["my tools", "work"] {
                assert!(!settings.to_string().contains(old), "{settings}");
            }
            assert!(remove(&mut settings));
            if agent == Agent::Copilot {
                settings.as_object_mut().unwrap().shift_remove("version");
            }
            assert_eq!(settings.to_string(), own.to_string(), "{agent:?}");
            assert!(!remove(&mut settings));
        }
    }

    #[test]
    fn words_are_quoted_for_the_shell_that_reads_them() {
        for (word, bash, windows, powershell) in [
            ("ken", "ken", "ken", "ken"),
            ("/opt/ken", "/opt/ken", "/opt/ken", "/opt/ken"),
            ("my notes", "'my notes'", "\"my notes\"", "'my notes'"),
            ("it's", r"'it'\''s'", "\"it's\"", "'it''s'"),
            ("$(x)&`y`", "'$(x)&`y`'", "\"$(x)&`y`\"", "'$(x)&`y`'"),
            (r"C:\a b", r"'C:\a b'", "\"C:/a b\"", r"'C:\a b'"),
            ("", "''", "\"\"", "''"),
        ] {
            assert_eq!(for_bash(word), bash);
            assert_eq!(for_windows(word), windows);
            assert_eq!(for_powershell(word), powershell);
        }
    }

    #[test]
    fn words_beside_a_command_are_told_and_mended() {
        let mut settings = json!({"hooks": {"UserPromptSubmit": [{"hooks": [{
            "type": "command",
            "command": "/elsewhere/ken",
            "args": ["hook", "prompt", "--agent", "claude"],
            "timeout": 9,
        }]}]}});
        assert_eq!(
            list(&settings, Agent::Claude)[0],
            ("UserPromptSubmit", Standing::Outdated)
        );
        add(&mut settings, Agent::Claude, &elsewhere());
        assert_eq!(
            settings["hooks"]["UserPromptSubmit"],
            json!([{"hooks": [{
                "type": "command",
                "command": "/elsewhere/ken hook prompt --agent claude",
                "timeout": 9,
            }]}])
        );
    }

    #[test]
    fn what_an_agent_has_no_use_for_is_taken_out() {
        let mut settings = json!({"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": [
            {"type": "command", "command": "\"/elsewhere/ken\" hook post-tool --agent codex"},
            {"type": "command", "command": "say done"},
        ]}]}});
        add(&mut settings, Agent::Codex, &elsewhere());
        assert_eq!(
            settings["hooks"]["PostToolUse"],
            json!([{"matcher": "Bash", "hooks": [{"type": "command", "command": "say done"}]}])
        );
    }

    #[test]
    fn a_time_out_that_was_chosen_stays() {
        let mut settings = json!({});
        add(&mut settings, Agent::Claude, &program());
        settings["hooks"]["UserPromptSubmit"][0]["hooks"][0]["timeout"] = json!(9);
        add(&mut settings, Agent::Claude, &elsewhere());
        assert_eq!(
            settings["hooks"]["UserPromptSubmit"][0]["hooks"][0]["timeout"],
            9
        );
    }

    #[test]
    fn settings_that_held_only_ours_are_empty_without_it() {
        for agent in AGENTS {
            let mut settings = json!({});
            add(&mut settings, agent, &program());
            assert!(!is_empty(&settings));
            assert!(remove(&mut settings));
            assert!(is_empty(&settings), "{settings}");
        }
    }
}
