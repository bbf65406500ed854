//! E-books: the chapters in reading order, each read as HTML.

use percent_encoding::percent_decode_str;

use super::archive::{Archive, resolve};
use super::guard::Budget;
use super::parts::{Parts, iso_date, non_blank};
use super::xml::Element;
use super::{Extracted, encoding, html};

/// Reads an e-book.
pub(super) fn read(bytes: &[u8], budget: &Budget) -> Result<Extracted, String> {
    let mut archive = Archive::open(bytes, budget)?;
    let container = archive.expect_xml("META-INF/container.xml")?;
    let package_name = container
        .find("rootfile")
        .and_then(|file| file.attribute("full-path"))
        .ok_or("the e-book does not say where its contents are")?
        .to_owned();
    let package = archive.expect_xml(&package_name)?;
    let folder = package_name
        .rsplit_once('/')
        .map_or("", |(folder, _)| folder);
    let mut parts = Parts::new(budget);
    for name in chapters(&package, folder) {
        parts.check()?;
        let Some(bytes) = archive.bytes(&name)? else {
            continue;
        };
        // Chapters have no numbers readers know, so no page is set.
        parts.start_page(0, false);
        if let Ok(text) = encoding::decode(&bytes) {
            html::write(&text, &mut parts)?;
        }
    }
    let parts = parts.finish()?;
    if parts.is_empty() {
        return Err("the e-book holds no text; it may be locked or made of pictures".to_owned());
    }
    let text_of = |name: &str| {
        package
            .find(name)
            .and_then(|element| non_blank(&element.text()))
    };
    Ok(Extracted {
        title: text_of("title"),
        author: text_of("creator"),
        created: text_of("date").and_then(|date| iso_date(&date)),
        parts,
        ..Extracted::default()
    })
}

/// Returns the chapters in the order of the spine; the table of contents is not text.
fn chapters(package: &Element, folder: &str) -> Vec<String> {
    let manifest: Vec<&Element> = package
        .child("manifest")
        .into_iter()
        .flat_map(|list| list.all("item"))
        .collect();
    let spine = package
        .child("spine")
        .into_iter()
        .flat_map(|list| list.all("itemref"));
    let file_of = |reference: &Element| {
        let id = reference.attribute("idref")?;
        let item = manifest
            .iter()
            .find(|item| item.attribute("id") == Some(id))?;
        let is_contents = item
            .attribute("properties")
            .is_some_and(|words| words.split(' ').any(|word| word == "nav"));
        let href = item.attribute("href").filter(|_| !is_contents)?;
        let href = percent_decode_str(href).decode_utf8_lossy();
        Some(resolve(folder, &href))
    };
    spine.filter_map(file_of).collect()
}
