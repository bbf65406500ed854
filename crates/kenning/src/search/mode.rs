//! Which retrievers a search asks.

/// Which retrievers are asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Words and meaning.
    #[default]
    Hybrid,
    /// Words only.
    Lexical,
    /// Meaning only.
    Vector,
}

impl Mode {
    /// Every mode, the usual one first.
    pub const ALL: [Self; 3] = [Self::Hybrid, Self::Lexical, Self::Vector];

    /// Returns the mode that people call by this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Returns this mode, or that of lists.
    pub(super) fn unless(self, is_listing: bool) -> Self {
        match is_listing {
            true => Self::Lexical,
            false => self,
        }
    }

    /// Returns the name people type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::Lexical => "lexical",
            Self::Vector => "vector",
        }
    }
}
