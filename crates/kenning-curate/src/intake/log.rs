//! What came in and what became of it, one line each, beside the index: the queue that a person goes through, and
//! everything that was not kept, so that nothing is lost. Lines are only ever added. Texts are masked before they come here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::item::Item;
use super::score::Scores;
use crate::disk::{Disk, Like};
use crate::error::{Error, Result};

/// A file of the log that is larger is not written to any more.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// What became of an item.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// It is a note.
    Kept {
        /// Path of the note.
        path: String,
    },
    /// It waits for a person.
    Queued,
    /// It scored too low.
    Logged,
    /// It is in the vault already, or came in before.
    Duplicate {
        /// Path of the note, or id of the item.
        of: String,
        /// The share of what both say.
        share: f32,
    },
    /// A person did not want it.
    Dropped,
}

impl Fate {
    /// Returns its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Kept { .. } => "kept",
            Self::Queued => "queued",
            Self::Logged => "logged",
            Self::Duplicate { .. } => "duplicate",
            Self::Dropped => "dropped",
        }
    }
}

/// An item and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// When it came in, in seconds since 1970.
    pub at: i64,
    /// The item.
    pub item: Item,
    /// What it scored, from 0 to 1: total, relevance, actionability, depth, authority.
    pub scores: [f32; 5],
    /// Why, for a person.
    pub reasons: Vec<String>,
    /// The folder that it would go into.
    pub folder: String,
    /// What became of it.
    pub fate: Fate,
    /// The run that made its note.
    pub run: Option<u64>,
}

/// The log of a vault.
pub struct Log<'a> {
    disk: &'a dyn Disk,
    folder: PathBuf,
}

impl<'a> Log<'a> {
    /// Names the folder of the log.
    pub fn new(disk: &'a dyn Disk, folder: &Path) -> Self {
        Self {
            disk,
            folder: folder.to_owned(),
        }
    }

    /// Returns the folder of the log.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Reads everything that came in, in the order it did, and what became of it last. Lines that cannot be read are
    /// counted, not lost: they stay in the file.
    pub fn read(&self) -> Result<(Vec<Entry>, usize)> {
        let (mut entries, mut n_unread) = (Vec::new(), 0);
        let mut by_id: BTreeMap<String, usize> = BTreeMap::new();
        for name in self.files()? {
            let file = self.folder.join(name);
            let bytes = self
                .disk
                .read(&file)
                .map_err(|error| Error::io(&file, error))?;
            for line in String::from_utf8_lossy(&bytes)
                .lines()
                .filter(|line| !line.is_empty())
            {
                let Some(read) = serde_json::from_str(line)
                    .ok()
                    .and_then(|value| decode(&value))
                else {
                    n_unread += 1;
                    continue;
                };
                match read {
                    Line::Came(entry) => match by_id.get(&entry.id) {
                        Some(&known) => entries[known] = *entry,
                        None => {
                            by_id.insert(entry.id.clone(), entries.len());
                            entries.push(*entry);
                        }
                    },
                    Line::Became(id, fate, run) => {
                        if let Some(&known) = by_id.get(&id) {
                            entries[known].fate = fate;
                            entries[known].run = run;
                        }
                    }
                }
            }
        }
        Ok((entries, n_unread))
    }

    /// Adds what came in.
    pub fn add(&self, entries: &[Entry]) -> Result<()> {
        self.append(entries.iter().map(encode).collect())
    }

    /// Notes down what became of an item.
    pub fn became(&self, id: &str, fate: &Fate, run: Option<u64>, at: i64) -> Result<()> {
        let mut line = json!({"event": "became", "id": id, "at": at, "run": run});
        put_fate(&mut line, fate);
        self.append(vec![line])
    }

    /// Makes the folder of the log, for its owner only, where there is none.
    pub fn make_folder(&self) -> Result<()> {
        let made = match self.disk.meta(&self.folder) {
            Ok(None) => self.disk.make_folder(&self.folder, Like::PRIVATE_FOLDER),
            found => found.map(drop),
        };
        made.map_err(|error| Error::io(&self.folder, error))
    }

    fn append(&self, lines: Vec<Value>) -> Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let io = |error| Error::io(&self.folder, error);
        self.make_folder()?;
        let files = self.files()?;
        let last = files.last().cloned().unwrap_or_else(|| name_of(1));
        let file = self.folder.join(&last);
        let size = self
            .disk
            .meta(&file)
            .map_err(io)?
            .map_or(0, |meta| meta.stamp.0);
        let file = match size > FILE_BYTES_MAX {
            true => self.folder.join(name_of(files.len() + 1)),
            false => file,
        };
        let mut text = String::new();
        if size > 0 && size <= FILE_BYTES_MAX {
            // What a killed run left of a line ends here.
            let bytes = self.disk.read(&file).map_err(io)?;
            text.push_str(if bytes.ends_with(b"\n") { "" } else { "\n" });
        }
        for line in lines {
            text.push_str(&line.to_string());
            text.push('\n');
        }
        self.disk
            .append(&file, text.as_bytes())
            .map_err(|error| Error::io(&file, error))
    }

    fn files(&self) -> Result<Vec<String>> {
        let names = self.disk.list(&self.folder);
        let mut names = names.map_err(|error| Error::io(&self.folder, error))?;
        names.retain(|name| name.starts_with("log-") && name.ends_with(".jsonl"));
        Ok(names)
    }
}

fn name_of(number: usize) -> String {
    format!("log-{number:06}.jsonl")
}

enum Line {
    Came(Box<Entry>),
    Became(String, Fate, Option<u64>),
}

fn put_fate(line: &mut Value, fate: &Fate) {
    line["fate"] = fate.name().into();
    match fate {
        Fate::Kept { path } => line["path"] = path.as_str().into(),
        Fate::Duplicate { of, share } => {
            line["of"] = of.as_str().into();
            line["share"] = (*share).into();
        }
        _ => {}
    }
}

fn fate_of(line: &Value) -> Option<Fate> {
    let text = |name: &str| line[name].as_str().map(str::to_owned);
    Some(match line["fate"].as_str()? {
        "kept" => Fate::Kept {
            path: text("path")?,
        },
        "queued" => Fate::Queued,
        "logged" => Fate::Logged,
        "dropped" => Fate::Dropped,
        "duplicate" => Fate::Duplicate {
            of: text("of")?,
            share: line["share"].as_f64()? as f32,
        },
        _ => return None,
    })
}

fn encode(entry: &Entry) -> Value {
    let item = &entry.item;
    let mut line = json!({
        "event": "came", "id": entry.id, "at": entry.at, "kind": item.kind, "title": item.title, "url": item.url,
        "source": item.source, "author": item.author, "published": item.published, "properties": item.properties, "tags": item.tags,
        "text": item.text, "masked": item.n_masked, "in_vault": item.in_vault, "scores": entry.scores,
        "reasons": entry.reasons, "folder": entry.folder, "run": entry.run,
    });
    put_fate(&mut line, &entry.fate);
    line
}

fn decode(line: &Value) -> Option<Line> {
    let text = |name: &str| line[name].as_str().map(str::to_owned);
    let list = |name: &str| -> Vec<String> {
        let list = line[name].as_array().into_iter().flatten();
        list.filter_map(|item| item.as_str().map(str::to_owned))
            .collect()
    };
    let (id, fate, run) = (text("id")?, fate_of(line)?, line["run"].as_u64());
    match line["event"].as_str()? {
        "became" => return Some(Line::Became(id, fate, run)),
        "came" => {}
        _ => return None,
    }
    let mut scores = [0.0; 5];
    for (score, value) in scores.iter_mut().zip(line["scores"].as_array()?) {
        *score = value.as_f64()? as f32;
    }
    Some(Line::Came(Box::new(Entry {
        id,
        at: line["at"].as_i64()?,
        item: Item {
            kind: text("kind")?,
            title: text("title")?,
            url: text("url"),
            source: text("source"),
            author: text("author"),
            published: text("published"),
            tags: list("tags"),
            properties: line["properties"].as_object().cloned().unwrap_or_default(),
            text: text("text")?,
            n_masked: line["masked"].as_u64()? as usize,
            in_vault: text("in_vault"),
        },
        scores,
        reasons: list("reasons"),
        folder: text("folder")?,
        fate,
        run,
    })))
}

/// Returns the numbers of scores, as they are kept.
pub(super) fn numbers(scores: &Scores) -> [f32; 5] {
    [
        scores.total,
        scores.relevance.value,
        scores.actionability.value,
        scores.depth.value,
        scores.authority.value,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::Machine;

    fn entry(id: &str, fate: Fate) -> Entry {
        Entry {
            id: id.to_owned(),
            at: 7,
            item: Item {
                kind: "note".to_owned(),
                title: "Roof \"and\" more".to_owned(),
                text: "a\nb\n".to_owned(),
                tags: vec!["home".to_owned()],
                ..Item::default()
            },
            scores: [0.5, 0.25, 0.0, 1.0, 0.75],
            reasons: vec!["near".to_owned()],
            folder: "Home".to_owned(),
            fate,
            run: None,
        }
    }

    #[test]
    fn what_is_added_is_read_and_a_torn_line_costs_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::new(&Machine, &folder.path().join("log"));
        assert_eq!(log.read().unwrap(), (Vec::new(), 0));
        let of = Fate::Duplicate {
            of: "a.md".to_owned(),
            share: 0.5,
        };
        log.add(&[entry("a", Fate::Queued), entry("b", of)])
            .unwrap();
        let file = log.folder().join(name_of(1));
        Machine
            .append(&file, b"{\"event\":\"came\",\"id\":\"to")
            .unwrap();
        log.add(&[entry("c", Fate::Logged)]).unwrap();
        let kept = Fate::Kept {
            path: "Home/Roof.md".to_owned(),
        };
        log.became("a", &kept, Some(3), 9).unwrap();
        let (entries, n_unread) = log.read().unwrap();
        assert_eq!(n_unread, 1);
        assert_eq!(entries.len(), 3);
        assert_eq!((&entries[0].fate, entries[0].run), (&kept, Some(3)));
        assert_eq!(entries[2], entry("c", Fate::Logged));
    }
}
