//! Reads the zip archives that Office files, OpenDocument files and e-books are.
//!
//! Sizes written in an archive may lie, so bytes are counted as they come out: a bomb is refused
//! before it fills the memory.

use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::Extracted;
use super::guard::Budget;
use super::parts::{iso_date, non_blank};
use super::xml::{self, Element};

/// Below this size growth does not matter.
const SMALL_BYTES: usize = 16 << 20;

/// An open archive.
pub(super) struct Archive<'b> {
    zip: ZipArchive<Cursor<&'b [u8]>>,
    names: Vec<String>,
    budget: &'b Budget,
    n_unpacked: usize,
}

impl<'b> Archive<'b> {
    /// Opens the archive, or says what the bytes are instead.
    pub(super) fn open(bytes: &'b [u8], budget: &'b Budget) -> Result<Self, String> {
        let zip =
            ZipArchive::new(Cursor::new(bytes)).map_err(|error| not_an_archive(bytes, &error))?;
        let names = (0..zip.len()).map(|index| match zip.name_for_index(index) {
            Some(Ok(name)) => name.into_owned(),
            _ => String::new(),
        });
        Ok(Self {
            names: names.collect(),
            zip,
            budget,
            n_unpacked: 0,
        })
    }

    /// Returns the bytes of a file in the archive, `None` when there is no such file.
    pub(super) fn bytes(&mut self, name: &str) -> Result<Option<Vec<u8>>, String> {
        let mut bytes = Vec::new();
        let found = self.unpack(name, |block| bytes.extend_from_slice(block))?;
        Ok(found.then_some(bytes))
    }

    /// Returns the root element of an XML file in the archive.
    pub(super) fn xml(&mut self, name: &str) -> Result<Option<Element>, String> {
        match self.bytes(name)? {
            Some(bytes) => xml::parse(&bytes, self.budget).map(Some),
            None => Ok(None),
        }
    }

    /// Returns the root element of an XML file that must be there.
    pub(super) fn expect_xml(&mut self, name: &str) -> Result<Element, String> {
        self.xml(name)?
            .ok_or_else(|| format!("the archive has no {name}, so it is not what its name says"))
    }

    /// Whether there is a file of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// Names of the files below a folder, in order.
    pub(super) fn names_below(&self, folder: &str) -> Vec<String> {
        let below = self.names.iter().filter(|name| name.starts_with(folder));
        let mut names: Vec<String> = below.cloned().collect();
        names.sort();
        names
    }

    /// Unpacks every file whose name passes, one after the other, so that a crate which does not
    /// count can be trusted with the archive.
    pub(super) fn weigh(
        &mut self,
        wanted: impl Fn(&str) -> bool,
        inspect: impl Fn(&[u8]) -> Result<(), String>,
    ) -> Result<(), String> {
        let names: Vec<String> = self
            .names
            .iter()
            .filter(|name| wanted(name))
            .cloned()
            .collect();
        for name in names {
            if let Some(bytes) = self.bytes(&name)? {
                inspect(&bytes)?;
            }
        }
        Ok(())
    }

    /// Returns what the relationships beside an Office part say: id, kind and target.
    pub(super) fn relations(&mut self, part: &str) -> Result<Vec<Relation>, String> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let name = match folder.is_empty() {
            true => format!("_rels/{file}.rels"),
            false => format!("{folder}/_rels/{file}.rels"),
        };
        let Some(root) = self.xml(&name)? else {
            return Ok(Vec::new());
        };
        let relations = root.elements().map(|element| Relation {
            id: element.attribute("Id").unwrap_or_default().to_owned(),
            kind: element.attribute("Type").unwrap_or_default().to_owned(),
            target: resolve(folder, element.attribute("Target").unwrap_or_default()),
        });
        Ok(relations.collect())
    }

    /// Returns what the core properties of an Office file say, without parts.
    pub(super) fn office_properties(&mut self) -> Extracted {
        // Properties are a courtesy: damaged ones do not cost the text.
        let Ok(Some(root)) = self.xml("docProps/core.xml") else {
            return Extracted::default();
        };
        let text_of = |name: &str| {
            root.find(name)
                .and_then(|element| non_blank(&element.text()))
        };
        Extracted {
            title: text_of("title"),
            author: text_of("creator"),
            created: text_of("created").and_then(|time| iso_date(&time)),
            parts: Vec::new(),
            ..Extracted::default()
        }
    }

    fn unpack(&mut self, name: &str, mut take: impl FnMut(&[u8])) -> Result<bool, String> {
        let exact = self.names.iter().position(|known| known == name);
        let by_case = || {
            self.names
                .iter()
                .position(|known| known.eq_ignore_ascii_case(name))
        };
        let Some(index) = exact.or_else(by_case) else {
            return Ok(false);
        };
        let mut file = match self.zip.by_index(index) {
            Ok(file) => file,
            Err(ZipError::FileNotFound) => return Ok(false),
            Err(error) => return Err(format!("the archive is damaged ({error})")),
        };
        let n_packed = usize::try_from(file.compressed_size())
            .unwrap_or(usize::MAX)
            .max(1);
        let mut n_here = 0_usize;
        let mut block = vec![0; 64 << 10];
        loop {
            let n_read = file
                .read(&mut block)
                .map_err(|error| format!("the archive is damaged ({error})"))?;
            if n_read == 0 {
                return Ok(true);
            }
            n_here += n_read;
            self.n_unpacked += n_read;
            let is_bomb =
                n_here > SMALL_BYTES && n_here / n_packed > self.budget.limits.unpack_ratio_max;
            if is_bomb || self.n_unpacked > self.budget.limits.unpacked_bytes_max {
                return Err("it unpacks to far more than its size, as a zip bomb does".to_owned());
            }
            self.budget.check()?;
            take(&block[..n_read]);
        }
    }
}

/// A link from one part of an Office file to another.
pub(super) struct Relation {
    /// How the part names the link.
    pub(super) id: String,
    /// What is linked, as an address.
    pub(super) kind: String,
    /// Path inside the archive.
    pub(super) target: String,
}

impl Relation {
    /// Whether the address of the kind ends with `name`.
    pub(super) fn is(&self, name: &str) -> bool {
        self.kind.rsplit('/').next() == Some(name)
    }
}

/// Resolves a path as written in a file of `folder`.
pub(super) fn resolve(folder: &str, target: &str) -> String {
    let (mut steps, target) = match target.strip_prefix('/') {
        Some(target) => (Vec::new(), target),
        None => (
            folder.split('/').filter(|step| !step.is_empty()).collect(),
            target,
        ),
    };
    for step in target.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            _ => steps.push(step),
        }
    }
    steps.join("/")
}

fn not_an_archive(bytes: &[u8], error: &ZipError) -> String {
    match bytes {
        [0xD0, 0xCF, 0x11, 0xE0, ..] => {
            "it is protected with a password, or in the format of Office before 2007".to_owned()
        }
        [b'%', b'P', b'D', b'F', ..] => "its name says otherwise, but it is a PDF".to_owned(),
        [b'P', b'K', ..] => format!("the archive is damaged ({error})"),
        _ => "it is not what its name says: no zip archive".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_resolved() {
        assert_eq!(resolve("ppt/slides", "../media/a.png"), "ppt/media/a.png");
        assert_eq!(resolve("ppt/slides", "/ppt/x.xml"), "ppt/x.xml");
        assert_eq!(resolve("", "../../x"), "x");
    }
}
