//! Reads what pictures show, by `tesseract` where it is installed: one limited process for each picture. What
//! was read is kept by content, masked, so that no picture is read twice.

mod cache;
mod size;
mod tesseract;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use kenning::extract::{Extracted, Part, Trouble};
use kenning::secrets;
use kenning::store::Place;

use cache::Cache;
pub(crate) use tesseract::{Installed, name_of_language};

use crate::settings::PictureTools;

/// Reads pictures in the languages of one vault.
pub(crate) struct Pictures {
    tools: PictureTools,
    cache: Cache,
    /// The index that knows the languages of the notes.
    index: Place,
    languages: OnceLock<Vec<String>>,
    /// Set once old texts were looked for.
    tidied: OnceLock<()>,
    /// Set from outside to finish with what is done so far.
    stop: &'static AtomicBool,
}

/// Whether somebody has the seconds that reading takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// Only what has been read before.
    None,
    /// As long as it takes.
    Endless,
}

/// What a picture says, page by page; `None` where nobody has the time to find out.
type Pages = Option<Vec<String>>;

impl Pictures {
    /// Reads with these tools for the vault of an index.
    pub(crate) fn new(
        tools: PictureTools,
        index: Place,
        (now, stop): (fn() -> i64, &'static AtomicBool),
    ) -> Self {
        Self {
            cache: Cache::new(tools.cache.clone(), now),
            tidied: OnceLock::new(),
            tools,
            index,
            languages: OnceLock::new(),
            stop,
        }
    }

    /// Reads a picture file.
    pub(crate) fn read(
        &self,
        path: &str,
        bytes: &[u8],
        patience: Patience,
    ) -> Result<Extracted, Trouble> {
        if size::of(bytes).is_some_and(|size| size.is_tiny(self.tools.pixels_min)) {
            return Ok(Extracted::default());
        }
        let Some(pages) = self.pages(&cache::key(bytes, None), patience, || Ok(bytes.to_vec()))?
        else {
            return Ok(Extracted {
                is_unread: true,
                ..Extracted::default()
            });
        };
        let has_pages = pages.len() > 1;
        let parts = (1..).zip(pages).map(|(page, text)| Part {
            page: has_pages.then_some(page),
            ..part(path, text)
        });
        Ok(Extracted {
            parts: parts.filter(|part| !part.text.is_empty()).collect(),
            ..Extracted::default()
        })
    }

    /// Adds what the pages of a PDF say that are pictures. `draw` makes a picture of one.
    pub(crate) fn read_blank(
        &self,
        path: &str,
        bytes: &[u8],
        extracted: &mut Extracted,
        patience: Patience,
        draw: impl Fn(u32) -> Result<Vec<u8>, Trouble>,
    ) -> Result<(), Trouble> {
        for &page in &extracted.blank {
            let key = cache::key(bytes, Some(page));
            let patience = match self.stop.load(Ordering::Relaxed) {
                true => Patience::None,
                false => patience,
            };
            match self.pages(&key, patience, || draw(page)) {
                Ok(Some(pages)) => {
                    let text = pages.join("\n\n");
                    extracted.parts.push(Part {
                        page: Some(page),
                        ..part(path, text)
                    });
                }
                Ok(None) => extracted.is_unread = true,
                // One page that cannot be read must not cost the others.
                Err(Trouble::File(_)) => {}
                Err(trouble) => return Err(trouble),
            }
        }
        extracted.parts.retain(|part| !part.text.trim().is_empty());
        extracted.parts.sort_by_key(|part| part.page);
        Ok(())
    }

    /// Returns what is known of a picture, or reads it if there is time.
    fn pages(
        &self,
        key: &str,
        patience: Patience,
        picture: impl FnOnce() -> Result<Vec<u8>, Trouble>,
    ) -> Result<Pages, Trouble> {
        let languages = self.languages();
        if let Some(pages) = self.cache.get(key, languages) {
            return Ok(Some(pages));
        }
        if patience == Patience::None {
            return Ok(None);
        }
        let pages = tesseract::read(&self.tools, languages, picture()?)?;
        let pages: Vec<String> = (pages.into_iter())
            .map(|page| secrets::mask(page).0.into_string())
            .collect();
        // What cannot be kept is read again next time.
        let _ = self.cache.put(key, languages, &pages);
        self.tidied.get_or_init(|| {
            self.cache.prune();
        });
        Ok(Some(pages))
    }

    /// Returns the languages to read in: those that were set, or those of the notes that are installed. As long
    /// as there is no index, nobody knows, and whatever was read before will do.
    fn languages(&self) -> &[String] {
        if !self.tools.languages.is_empty() {
            return &self.tools.languages;
        }
        if let Some(known) = self.languages.get() {
            return known;
        }
        let notes = self
            .index
            .read()
            .and_then(|store| Ok(store.meta()?.languages.clone()));
        match notes {
            Ok(notes) if !notes.is_empty() => self.languages.get_or_init(|| {
                let installed = Installed::ask(&self.tools).map(|installed| installed.languages);
                tesseract::chosen(&notes, &installed.unwrap_or_default())
            }),
            _ => &[],
        }
    }
}

fn part(path: &str, text: String) -> Part {
    Part {
        text,
        picture: Some(path.to_owned()),
        ..Part::default()
    }
}
