//! Which notes may be read at all, whatever is asked: files, folders, categories and tags. It is put to
//! notes by the same filter as what a person types, before anything else.

use super::grammar::Filter;

/// What a scope is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScopeParts {
    /// Paths of notes.
    pub files: Vec<String>,
    /// Folders; what lies below them counts, too.
    pub folders: Vec<String>,
    /// PARA categories: the first folder of a path.
    pub categories: Vec<String>,
    /// Tags; those below them count, too.
    pub tags: Vec<String>,
}

/// Notes that may be read. A note is in one of the places, if any are named, and has one of the tags,
/// if any are named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope(ScopeParts);

impl Scope {
    /// Makes a scope; `None` lets everything through.
    pub fn new(parts: ScopeParts) -> Option<Self> {
        (parts != ScopeParts::default()).then_some(Self(parts))
    }

    /// Returns what it lets through, as a filter.
    pub(super) fn filter(&self) -> Filter {
        let parts = &self.0;
        let folders = parts.folders.iter().chain(&parts.categories);
        let files = parts.files.iter().map(|path| Filter::at(path));
        let places = files.chain(folders.map(|folder| Filter::below(folder)));
        let tags = parts.tags.iter().map(|tag| Filter::tagged(tag));
        let each = [Filter::any(places.collect()), Filter::any(tags.collect())];
        // What names nothing lets nothing be left out; but there is no such scope.
        Filter::all(each.into_iter().flatten().collect()).unwrap_or(Filter::All(Vec::new()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::search::grammar::{Dates, View};

    fn has(parts: &ScopeParts, path: &str, tags: &[&str]) -> bool {
        let tags: Vec<String> = tags.iter().map(|&tag| tag.to_owned()).collect();
        let view = View {
            path,
            tags: &tags,
            types: [None, None],
            aliases: &[],
            properties: &serde_json::Map::new(),
            dates: Dates::default(),
            text: &|| "",
            headings: &[],
            body_start: 0,
        };
        let scope = Scope::new(parts.clone());
        scope.is_none_or(|scope| scope.filter().matches(&view, &Budget::default()))
    }

    fn parts(files: &[&str], folders: &[&str], categories: &[&str], tags: &[&str]) -> ScopeParts {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        ScopeParts {
            files: owned(files),
            folders: owned(folders),
            categories: owned(categories),
            tags: owned(tags),
        }
    }

    #[test]
    fn places_are_exact_and_tags_have_others_below_them() {
        assert!(has(&parts(&[], &[], &[], &[]), "any/where.md", &[]));
        let file = parts(&["a/b.md"], &[], &[], &[]);
        assert!(has(&file, "a/b.md", &[]));
        assert!(!has(&file, "a/b.md.md", &[]) && !has(&file, "x/a/b.md", &[]));
        for folder in ["a", "a/", "/a/", "./a"] {
            let folder = parts(&[], &[folder], &[], &[]);
            assert!(has(&folder, "a/b.md", &[]) && has(&folder, "a/b/c.md", &[]));
            assert!(!has(&folder, "ab/c.md", &[]) && !has(&folder, "x/a/b.md", &[]));
            assert!(!has(&folder, "a.md", &[]) && !has(&folder, "A/b.md", &[]));
        }
        let category = parts(&[], &[], &["2-Areas"], &[]);
        assert!(has(&category, "2-Areas/Home/Roof.md", &[]));
        assert!(!has(&category, "Old/2-Areas/Roof.md", &[]));
        let tag = parts(&[], &[], &[], &["#work"]);
        assert!(has(&tag, "a.md", &["work"]) && has(&tag, "a.md", &["Work/Today"]));
        assert!(!has(&tag, "work/a.md", &["workshop", "my/work"]));
    }

    #[test]
    fn places_are_alternatives_and_tags_come_on_top() {
        let both = parts(&["a.md"], &["b"], &[], &["x", "y"]);
        assert!(has(&both, "a.md", &["x"]) && has(&both, "b/c.md", &["y"]));
        assert!(!has(&both, "a.md", &[]) && !has(&both, "c.md", &["x"]));
        // An empty name is not a place, and a scope of nothing but such lets nothing through.
        let nothing = parts(&[""], &["", "/"], &[], &[]);
        assert!(!has(&nothing, "a.md", &[]) && !has(&nothing, "", &[]));
    }
}
