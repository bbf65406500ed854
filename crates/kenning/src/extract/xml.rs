//! XML into a small tree: local names, attributes, text. Entities are never expanded.
//!
//! Depth is capped, so walking the tree by recursion is safe.

use quick_xml::Reader;
use quick_xml::escape::{resolve_html5_entity, unescape_with};
use quick_xml::events::{BytesStart, Event};

use super::encoding;
use super::guard::Budget;

/// One element. Prefixes are dropped: files differ in them, not in what they mean.
#[derive(Debug, Default)]
pub(super) struct Element {
    /// Local name.
    pub(super) name: String,
    /// Local names and values.
    pub(super) attributes: Vec<(String, String)>,
    /// What is inside, in order.
    pub(super) children: Vec<Child>,
}

/// Something inside an element.
#[derive(Debug)]
pub(super) enum Child {
    /// An element.
    Element(Element),
    /// Text.
    Text(String),
}

impl Element {
    /// Returns the value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let (_, value) = self.attributes.iter().find(|(known, _)| known == name)?;
        Some(value)
    }

    /// The elements directly inside.
    pub(super) fn elements(&self) -> impl Iterator<Item = &Self> {
        self.children.iter().filter_map(|child| match child {
            Child::Element(element) => Some(element),
            Child::Text(_) => None,
        })
    }

    /// The elements of one name directly inside.
    pub(super) fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Self> {
        self.elements().filter(move |element| element.name == name)
    }

    /// Returns the first element of a name directly inside.
    pub(super) fn child(&self, name: &str) -> Option<&Self> {
        self.elements().find(|element| element.name == name)
    }

    /// Returns the first element of a name at any depth.
    pub(super) fn find(&self, name: &str) -> Option<&Self> {
        self.elements()
            .find_map(|element| match element.name == name {
                true => Some(element),
                false => element.find(name),
            })
    }

    /// Calls `visit` for every element of a name at any depth, in order.
    pub(super) fn each(&self, name: &str, visit: &mut dyn FnMut(&Self)) {
        for element in self.elements() {
            if element.name == name {
                visit(element);
            }
            element.each(name, visit);
        }
    }

    /// Returns all text inside.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        self.push_text(&mut text);
        text
    }

    fn push_text(&self, text: &mut String) {
        for child in &self.children {
            match child {
                Child::Element(element) => element.push_text(text),
                Child::Text(inner) => text.push_str(inner),
            }
        }
    }
}

/// Parses XML leniently: what follows a mistake is lost, what came before is kept.
pub(super) fn parse(bytes: &[u8], budget: &Budget) -> Result<Element, String> {
    let text = encoding::decode(bytes)?;
    let mut reader = Reader::from_str(&text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    let mut open = vec![Element::default()];
    let mut n_events = 0_usize;
    loop {
        n_events += 1;
        if n_events.is_multiple_of(4_096) {
            budget.check()?;
        }
        match reader.read_event() {
            Ok(Event::Start(start)) => {
                if open.len() > budget.limits.depth_max {
                    let most = budget.limits.depth_max;
                    return Err(format!("its XML is nested more than {most} deep"));
                }
                open.push(element(&start));
            }
            Ok(Event::Empty(start)) => push(&mut open, Child::Element(element(&start))),
            Ok(Event::End(_)) => close(&mut open),
            Ok(Event::Text(text)) => push_text(&mut open, &text),
            Ok(Event::CData(text)) => push_text(&mut open, &text),
            Ok(Event::GeneralRef(reference)) => match reference.resolve_char_ref() {
                Ok(Some(character)) => push_text(&mut open, character.encode_utf8(&mut [0; 4])),
                _ => push_text(&mut open, resolve_html5_entity(&reference).unwrap_or(" ")),
            },
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(error) if open.len() == 1 && open[0].children.is_empty() => {
                return Err(format!("its XML is damaged ({error})"));
            }
            Err(_) => break,
        }
    }
    while open.len() > 1 {
        close(&mut open);
    }
    open.pop()
        .and_then(|root| {
            root.children.into_iter().find_map(|child| match child {
                Child::Element(element) => Some(element),
                Child::Text(_) => None,
            })
        })
        .ok_or_else(|| "it holds no XML".to_owned())
}

fn element(start: &BytesStart<'_>) -> Element {
    let mut attributes = start.attributes();
    let attributes = attributes.with_checks(false).flatten().map(|attribute| {
        let name = attribute.key.local_name().into_inner().to_owned();
        let value = match unescape_with(&attribute.value, resolve_html5_entity) {
            Ok(value) => value.into_owned(),
            Err(_) => attribute.value.clone().into_owned(),
        };
        (name, value)
    });
    Element {
        name: start.local_name().into_inner().to_owned(),
        attributes: attributes.collect(),
        children: Vec::new(),
    }
}

fn close(open: &mut Vec<Element>) {
    if open.len() > 1
        && let Some(element) = open.pop()
    {
        push(open, Child::Element(element));
    }
}

fn push(open: &mut [Element], child: Child) {
    if let Some(element) = open.last_mut() {
        element.children.push(child);
    }
}

fn push_text(open: &mut [Element], text: &str) {
    let Some(element) = open.last_mut() else {
        return;
    };
    match element.children.last_mut() {
        Some(Child::Text(before)) => before.push_str(text),
        _ => element.children.push(Child::Text(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::guard::test_budget;

    #[test]
    fn prefixes_are_dropped_and_entities_read() {
        let root = parse(
            b"<w:a x:b='1 &amp; 2'>t &lt;&#65;&unknown;<c/>u</w:a>",
            &test_budget(),
        )
        .unwrap();
        assert_eq!(root.name, "a");
        assert_eq!(root.attribute("b"), Some("1 & 2"));
        assert_eq!(root.text(), "t <A u");
    }

    #[test]
    fn entities_do_not_expand() {
        let bomb = b"<!DOCTYPE a [<!ENTITY x 'ha'><!ENTITY y '&x;&x;&x;'>]><a>&y;&y;</a>";
        assert_eq!(parse(bomb, &test_budget()).unwrap().text().trim(), "");
    }

    #[test]
    fn depth_is_capped_and_damage_keeps_what_came_before() {
        assert!(
            parse("<a>".repeat(10_000).as_bytes(), &test_budget())
                .unwrap_err()
                .contains("deep")
        );
        assert_eq!(
            parse(b"<a><b>kept</b><c", &test_budget()).unwrap().text(),
            "kept"
        );
    }
}
