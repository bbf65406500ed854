//! What a call of a tool is about, as words to search with; and which outputs may be shortened. Pure.

use serde_json::Value;

use super::input::Input;
use super::prompt::content_words;

/// Less than this is a name of something everywhere: `main.rs`, `ls`.
const WORDS_MIN: usize = 2;
/// Parts of a path that are read, from the end.
const PATH_PARTS: usize = 3;
/// An output that is a file must come through whole, or the agent edits what it has not seen.
const WHOLE_OUTPUTS: [&str; 10] = [
    "read",
    "edit",
    "write",
    "multiedit",
    "notebookedit",
    "notebookread",
    "view",
    "create",
    "apply_patch",
    "todowrite",
];
/// Words of commands that say nothing about what they are for.
const COMMAND_WORDS: [&str; 24] = [
    "cd", "cat", "ls", "grep", "rg", "sed", "awk", "head", "tail", "echo", "find", "xargs", "sudo",
    "bash", "sh", "git", "cargo", "npm", "python3", "python", "node", "make", "dev", "null",
];

/// Returns the words that a call is about, `None` where it says too little.
pub(super) fn query(input: &Input) -> Option<String> {
    let words = match input.tool.to_lowercase().as_str() {
        "read" | "edit" | "write" | "multiedit" | "notebookedit" | "view" | "create" => path_words(
            input.argument(&["file_path", "path", "filePath", "notebook_path"])?,
            input,
        ),
        "bash" | "shell" | "local_shell" | "powershell" => command_words(input),
        "grep" | "glob" => content_words(input.argument(&["pattern", "query"])?).0,
        "task" | "agent" => {
            let text = input
                .argument(&["prompt"])
                .or_else(|| input.argument(&["description"]))?;
            return super::prompt::query(text).ok();
        }
        "websearch" | "webfetch" => content_words(input.argument(&["query", "prompt"])?).0,
        _ => return None,
    };
    (words.len() >= WORDS_MIN).then(|| words.join(" "))
}

/// The file and the folders it is in, as far as they are inside the project.
fn path_words(path: &str, input: &Input) -> Vec<String> {
    let cwd = input
        .cwd
        .as_ref()
        .map(|cwd| cwd.to_string_lossy().into_owned());
    let inside = cwd.and_then(|cwd| path.strip_prefix(cwd.as_str()).map(str::to_owned));
    let path = inside.unwrap_or_else(|| path.to_owned());
    let parts: Vec<&str> = path
        .split(['/', '\\'])
        .filter(|part| !part.is_empty())
        .collect();
    let last = &parts[parts.len().saturating_sub(PATH_PARTS)..];
    let mut names = last
        .iter()
        .map(|part| part.split('.').next().unwrap_or(part));
    let text = names
        .by_ref()
        .map(|name| name.replace(['-', '_'], " "))
        .collect::<Vec<_>>()
        .join(" ");
    content_words(&text).0
}

/// What is being run and for what, without options and without the plumbing around it.
fn command_words(input: &Input) -> Vec<String> {
    let said = input.argument(&["description"]).unwrap_or_default();
    let command = match input.tool_input.get("command") {
        Some(Value::Array(parts)) => {
            let parts: Vec<&str> = parts.iter().filter_map(Value::as_str).collect();
            parts.join(" ")
        }
        other => other.and_then(Value::as_str).unwrap_or_default().to_owned(),
    };
    let words = command
        .split_whitespace()
        .filter(|word| !word.starts_with('-'));
    let plain: Vec<String> = words
        .map(|word| word.replace(['/', '=', '.'], " "))
        .collect();
    let mut all = content_words(&format!("{said} {}", plain.join(" "))).0;
    all.retain(|word| !COMMAND_WORDS.contains(&word.to_lowercase().as_str()));
    all
}

/// Whether a tool's output is a report, of which the part that matters will do.
pub(super) fn may_be_shortened(input: &Input) -> bool {
    let tool = input.tool.to_lowercase();
    let is_own = input
        .argument(&["command"])
        .is_some_and(|command| command.contains("hook output"));
    !WHOLE_OUTPUTS.contains(&tool.as_str()) && !is_own
}

/// Calls `change` with every text in a value that is longer than `chars_max`.
pub(super) fn for_long_texts(
    value: &mut Value,
    chars_max: usize,
    change: &mut dyn FnMut(&mut String),
) {
    match value {
        Value::String(text) if text.len() > chars_max => change(text),
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| for_long_texts(item, chars_max, change)),
        Value::Object(fields) => fields
            .values_mut()
            .for_each(|field| for_long_texts(field, chars_max, change)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(tool: &str, tool_input: Value, expected: Option<&str>) {
        let input = Input {
            tool: tool.to_owned(),
            tool_input,
            cwd: Some("/home/me/survey".into()),
            ..Input::default()
        };
        assert_eq!(query(&input).as_deref(), expected);
    }

    #[test]
    fn a_call_is_about_its_file_command_pattern_or_task() {
        check(
            "Read",
            json!({"file_path": "/home/me/survey/src/gutter-repair.rs"}),
            Some("src gutter repair"),
        );
        check(
            "Read",
            json!({"file_path": "/home/me/survey/main.rs"}),
            None,
        );
        check(
            "Bash",
            json!({"command": "cd /x && cargo test -p roof --lib gutter"}),
            Some("x test roof gutter"),
        );
        check(
            "shell",
            json!({"command": ["bash", "-c", "boiler service"]}),
            Some("boiler service"),
        );
        check(
            "Grep",
            json!({"pattern": "boiler.*pressure"}),
            Some("boiler pressure"),
        );
        check(
            "Task",
            json!({"prompt": "Plan the roof gutter repair"}),
            Some("Plan roof gutter repair"),
        );
        check("TodoWrite", json!({"todos": []}), None);
    }
}
