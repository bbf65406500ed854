//! Measures the credential filter: recall on a file of samples, and what is masked in a folder of notes.
//!
//! ```text
//! cargo run -p kenning --example secrets -- samples FILE.jsonl [--renamed] [--missed]
//! cargo run -p kenning --example secrets -- notes FOLDER [--show]
//! ```
//!
//! A line of the samples is `{"source", "rule", "label", "text", "secret": []}`; label 1 is a credential, 0 is none.
//! `--renamed` gives every sample another vendor: letters of the secret and of the rule's name are exchanged, each for
//! one of its own alphabet, so that no prefix and no name is known any more and only general rules can find it.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{Write, stdout};
use std::path::Path;

use kenning::extract;
use kenning::secrets::mask;
use kenning::vault::{Vault, WalkRules};
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    match arguments.as_slice() {
        [what, path, ..] if what == "samples" => samples(path, has("--renamed"), has("--missed")),
        [what, path, ..] if what == "notes" => notes(path, has("--show")),
        _ => Err("expected `samples FILE` or `notes FOLDER`".into()),
    }
}

/// How many samples of one source there are, and how many of them were changed.
#[derive(Default)]
struct Tally {
    n_samples: usize,
    n_masked: usize,
}

fn samples(path: &str, is_renamed: bool, shows_missed: bool) -> Result<(), Box<dyn Error>> {
    let mut out = stdout().lock();
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for line in std::fs::read_to_string(path)?.lines() {
        let sample: Value = serde_json::from_str(line)?;
        let is_positive = sample["label"] == 1;
        let (text, secret) = pieces(&sample, is_renamed && is_positive);
        let (clean, findings) = mask(text.clone());
        let is_masked = match is_positive {
            // Some samples do not say which part of them is the secret.
            true if secret.is_empty() => !findings.is_empty(),
            true => !clean.contains(&secret),
            false => !findings.is_empty(),
        };
        if shows_missed && is_masked != is_positive {
            writeln!(out, "{} {}\n    {text:?}", sample["label"], sample["rule"])?;
        }
        let kind = if is_positive {
            "positives"
        } else {
            "negatives"
        };
        let source = sample["source"].as_str().unwrap_or_default();
        let tally = tallies.entry(format!("{source} {kind}")).or_default();
        tally.n_samples += 1;
        tally.n_masked += usize::from(is_masked);
    }
    for (name, tally) in tallies {
        let share = tally.n_masked as f64 / tally.n_samples as f64;
        writeln!(
            out,
            "{name}: {share:.3} masked ({} of {})",
            tally.n_masked, tally.n_samples
        )?;
    }
    Ok(())
}

/// Returns the text and the longest part of it that must not be seen.
fn pieces(sample: &Value, is_renamed: bool) -> (String, String) {
    let mut text = sample["text"].as_str().unwrap_or_default().to_owned();
    let mut secret = sample["secret"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .max_by_key(|secret| secret.len())
        .unwrap_or_default()
        .to_owned();
    if is_renamed {
        let other = exchanged(&secret);
        text = text.replace(&secret, &other);
        let rule = sample["rule"].as_str().unwrap_or_default();
        let vendor = rule.split(['-', '.', '_']).find(|part| part.len() > 3);
        if let Some(vendor) = vendor.filter(|vendor| !GENERAL.contains(vendor)) {
            for name in spellings(vendor) {
                text = text.replace(&name, &exchanged(&name));
            }
        }
        secret = other;
    }
    (text, secret)
}

/// First words of rules that are not a vendor's name.
const GENERAL: [&str; 6] = ["generic", "kingfisher", "curl", "private", "basic", "auth"];

fn spellings(vendor: &str) -> [String; 3] {
    let mut title = vendor.to_owned();
    title[..1].make_ascii_uppercase();
    [vendor.to_owned(), vendor.to_ascii_uppercase(), title]
}

/// Exchanges letters; a text of hexadecimal digits stays one.
fn exchanged(text: &str) -> String {
    let is_hex = text
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let n_letters = if is_hex { 6 } else { 26 };
    let shift =
        |letter: u8, first: u8| (first + (letter - first + n_letters / 2) % n_letters) as char;
    text.chars()
        .map(|c| match c {
            'a'..='z' => shift(c as u8, b'a'),
            'A'..='Z' => shift(c as u8, b'A'),
            _ => c,
        })
        .collect()
}

fn notes(folder: &str, shows_text: bool) -> Result<(), Box<dyn Error>> {
    let mut out = stdout().lock();
    let vault = Vault::open(Path::new(folder), WalkRules::default())?;
    let (mut n_notes, mut n_masks) = (0, 0);
    for file in vault.walk().found {
        let Ok(text) = vault.read(&file.path).and_then(extract::decode) else {
            continue;
        };
        n_notes += 1;
        let (clean, findings) = mask(text.clone());
        n_masks += findings.len();
        for finding in &findings {
            writeln!(out, "{}:{}: {}", file.path, finding.line, finding.pattern)?;
        }
        if shows_text {
            let changed = text
                .lines()
                .zip(clean.lines())
                .filter(|(old, new)| old != new);
            for (old, new) in changed {
                writeln!(out, "  - {old}\n  + {new}")?;
            }
        }
    }
    writeln!(out, "{n_masks} masks in {n_notes} notes")?;
    Ok(())
}
