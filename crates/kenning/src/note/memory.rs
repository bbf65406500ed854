//! What a note is to an agent's memory: a fact, a way to do something, or something that happened. Pure.

/// Kinds of memory, as those who build agents tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryType {
    /// What is so: facts, preferences, names.
    Semantic,
    /// How something is done: steps, rules, commands.
    Procedural,
    /// What happened: days, meetings, conversations.
    Episodic,
}

impl MemoryType {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Semantic, Self::Procedural, Self::Episodic];

    /// Returns its name, which is also that of its folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::Semantic => "semantic",
            Self::Procedural => "procedural",
            Self::Episodic => "episodic",
        }
    }

    /// Returns the type of a name; case does not count.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.trim();
        let mut all = Self::ALL.into_iter();
        all.find(|one| one.name().eq_ignore_ascii_case(name))
    }

    /// Returns the type of the innermost folder around a note that is called by one.
    pub fn of_folder(path: &str) -> Option<Self> {
        let mut parts = path.rsplit('/');
        parts.next();
        parts.find_map(Self::from_name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_folder_tells() {
        let check = |path: &str, expected: Option<&str>| {
            let found = MemoryType::of_folder(path).map(MemoryType::name);
            assert_eq!(found, expected, "{path}");
        };
        check("Memory/Episodic/2026-11-18.md", Some("episodic"));
        check("Procedural/episodic/Roof.md", Some("episodic"));
        check("Procedural/Roofs/Roof.md", Some("procedural"));
        check("Memory/episodic.md", None);
        check("Episodic.md", None);
    }
}
