//! The whole of an output that was too long for the agent, which then keeps it in a file and hands on
//! its beginning. What matters stands at the end more often than not.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use kenning::vault::{Links, open_regular};
use serde_json::Value;

use super::input::Input;

const PATH: &str = "persistedOutputPath";
const SIZE: &str = "persistedOutputSize";
/// The folder of a session in which Claude Code keeps such files.
const FOLDER: &str = "tool-results";
/// Of a longer file both ends are read.
const HEAD_BYTES_MAX: u64 = 256 << 10;
const TAIL_BYTES_MAX: u64 = 1 << 20;

/// What is left of a file after both of its ends were read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Whole {
    pub(super) text: String,
    pub(super) n_bytes_passed_over: u64,
}

/// Puts the whole output in place of its beginning. Returns how many bytes of its middle were passed
/// over, `None` if the agent speaks of a file that is not to be read.
pub(super) fn put_back(output: &mut Value, input: &Input) -> Option<u64> {
    let Some(file) = output.get(PATH).and_then(Value::as_str) else {
        return Some(0);
    };
    let file = own_file(Path::new(file), input)?;
    let whole = read(&file).ok()?;
    let fields = output.as_object_mut()?;
    fields.insert("stdout".to_owned(), whole.text.into());
    // Otherwise the agent shows the file's beginning instead of what it is given.
    fields.shift_remove(PATH);
    fields.shift_remove(SIZE);
    Some(whole.n_bytes_passed_over)
}

/// Returns the file if it is one of the agent's own: a server of tools can name any file in what it
/// answers, and must not have it read to the model.
fn own_file(file: &Path, input: &Input) -> Option<PathBuf> {
    let is_own_tool = !input.tool.starts_with("mcp__");
    let is_regular = fs::symlink_metadata(file).is_ok_and(|meta| meta.is_file());
    if !is_own_tool || !is_regular {
        return None;
    }
    let project = input.transcript.as_deref()?.parent()?.canonicalize().ok()?;
    let file = file.canonicalize().ok()?;
    let is_result = file.parent()?.file_name()? == FOLDER;
    (is_result && file.starts_with(project)).then_some(file)
}

fn read(file: &Path) -> io::Result<Whole> {
    let mut file = open_regular(file, Links::Refused)?;
    let n_bytes = file.metadata()?.len();
    if n_bytes <= HEAD_BYTES_MAX + TAIL_BYTES_MAX {
        return Ok(Whole {
            text: some(&file, HEAD_BYTES_MAX + TAIL_BYTES_MAX)?,
            n_bytes_passed_over: 0,
        });
    }
    let head = some(&file, HEAD_BYTES_MAX)?;
    file.seek(SeekFrom::Start(n_bytes - TAIL_BYTES_MAX))?;
    let tail = some(&file, TAIL_BYTES_MAX)?;
    // Whole lines only.
    let head = &head[..head.rfind('\n').map_or(0, |at| at + 1)];
    let tail = &tail[tail.find('\n').map_or(0, |at| at + 1)..];
    let n_bytes_passed_over = n_bytes.saturating_sub((head.len() + tail.len()) as u64);
    Ok(Whole {
        text: format!("{head}{tail}"),
        n_bytes_passed_over,
    })
}

fn some(file: &File, n_bytes_max: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.take(n_bytes_max).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tempfile::TempDir;

    use super::*;

    const WHOLE: &str = "one\ntwo\nthree\n";

    /// A session's folder as Claude Code lays it out.
    fn session() -> (TempDir, PathBuf, Input) {
        let folder = TempDir::new().unwrap();
        let results = folder.path().join("project/s/tool-results");
        fs::create_dir_all(&results).unwrap();
        let input = Input {
            tool: "Bash".to_owned(),
            transcript: Some(folder.path().join("project/s.jsonl")),
            ..Input::default()
        };
        (folder, results, input)
    }

    #[track_caller]
    fn check(file: &Path, input: &Input, expected: Option<&str>) {
        let mut output = json!({"stdout": "one", "stderr": "", PATH: file, SIZE: 14});
        let before = output.clone();
        let is_read = put_back(&mut output, input).is_some();
        let after = match expected {
            Some(text) => json!({"stdout": text, "stderr": ""}),
            None => before,
        };
        assert_eq!((is_read, output), (expected.is_some(), after));
    }

    #[test]
    fn the_beginning_becomes_the_whole() {
        let (_folder, results, input) = session();
        let file = results.join("a.txt");
        fs::write(&file, WHOLE).unwrap();
        check(&file, &input, Some(WHOLE));
        let mut short = json!({"stdout": "one"});
        assert_eq!(put_back(&mut short, &input), Some(0));
        assert_eq!(short, json!({"stdout": "one"}));
    }

    #[test]
    fn only_regular_files_of_the_session_are_read() {
        let (folder, results, input) = session();
        let file = results.join("a.txt");
        fs::write(&file, WHOLE).unwrap();
        let elsewhere = folder.path().join("tool-results");
        fs::create_dir(&elsewhere).unwrap();
        fs::write(elsewhere.join("a.txt"), WHOLE).unwrap();
        check(&elsewhere.join("a.txt"), &input, None);
        fs::write(folder.path().join("project/key.txt"), WHOLE).unwrap();
        check(&folder.path().join("project/key.txt"), &input, None);
        let detour = results.join("../../../tool-results/a.txt");
        check(&detour, &input, None);
        check(&results, &input, None);
        check(&results.join("gone.txt"), &input, None);
        check(Path::new("/dev/zero"), &input, None);
        let of_server = Input {
            tool: "mcp__x__y".to_owned(),
            ..input.clone()
        };
        check(&file, &of_server, None);
        let of_nobody = Input {
            transcript: None,
            ..input.clone()
        };
        check(&file, &of_nobody, None);
        #[cfg(unix)]
        {
            let link = results.join("link.txt");
            std::os::unix::fs::symlink(&file, &link).unwrap();
            check(&link, &input, None);
        }
    }

    #[test]
    fn of_a_very_long_output_both_ends_are_read() {
        let (_folder, results, _) = session();
        let file = results.join("a.txt");
        let text: String = (0..400_000).map(|n| format!("{n}\n")).collect();
        fs::write(&file, &text).unwrap();
        let whole = read(&file).unwrap();
        assert!(whole.text.starts_with("0\n1\n") && whole.text.ends_with("399998\n399999\n"));
        let n_bytes = whole.text.len() as u64 + whole.n_bytes_passed_over;
        assert_eq!(n_bytes, text.len() as u64);
        assert!(whole.text.len() as u64 <= HEAD_BYTES_MAX + TAIL_BYTES_MAX);
        assert!(whole.text.lines().all(|line| line.parse::<u32>().is_ok()));
    }
}
