//! The grammar from outside: queries into requests, filters over notes, and what always holds.

mod always;
mod matching;
mod parsing;
