//! Languages that code is coloured in: how comments, strings and keywords are written in each.

/// Whether a list of words with blanks between them has a word.
pub(super) fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

/// How a language is scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Program,
    /// Names and their values.
    Data,
    /// Tags with attributes.
    Markup,
    Diff,
}

/// One language, or several that look alike.
#[derive(Debug)]
pub(super) struct Language {
    /// Names of it, and endings of its files, with blanks between them.
    pub(super) names: &'static str,
    pub(super) shape: Shape,
    pub(super) keywords: &'static str,
    /// What begins a comment that ends with the line.
    pub(super) line: &'static [&'static str],
    /// What begins and ends a comment.
    pub(super) block: &'static [(&'static str, &'static str)],
    pub(super) quotes: &'static str,
    /// What stands behind the name of a value.
    pub(super) key: Option<char>,
    /// Whether a keyword in capitals is another word.
    pub(super) has_case: bool,
    /// Whether `"""` begins a string.
    pub(super) has_triple: bool,
    /// Whether a string may go over the end of a line.
    pub(super) has_long_strings: bool,
    /// Whether `'` begins a character, or stands alone.
    pub(super) has_ticks: bool,
    /// Whether a word may have dashes.
    pub(super) has_dashes: bool,
}

const PROGRAM: Language = Language {
    names: "",
    shape: Shape::Program,
    keywords: "",
    line: &["//"],
    block: &[("/*", "*/")],
    quotes: "\"'",
    key: None,
    has_case: true,
    has_triple: false,
    has_long_strings: false,
    has_ticks: false,
    has_dashes: false,
};

const DATA: Language = Language {
    shape: Shape::Data,
    keywords: "true false null yes no on off",
    line: &["#"],
    block: &[],
    has_dashes: true,
    ..PROGRAM
};

pub(super) const LANGUAGES: &[Language] = &[
    Language {
        names: "rust rs",
        keywords: "as async await break const continue crate dyn else enum extern false fn for if impl \
            in let loop match mod move mut pub ref return self Self static struct super trait \
            true type unsafe use where while",
        has_ticks: true,
        has_long_strings: true,
        ..PROGRAM
    },
    Language {
        names: "js javascript mjs cjs jsx ts typescript mts tsx",
        keywords: "abstract as async await break case catch class const continue debugger default \
            delete do else enum export extends false finally for from function get if implements \
            import in instanceof interface let new null of private protected public readonly \
            return set static super switch this throw true try type typeof undefined var void \
            while with yield",
        quotes: "\"'`",
        ..PROGRAM
    },
    Language {
        names: "python py python3 pycon",
        keywords: "and as assert async await break class continue def del elif else except False \
            finally for from global if import in is lambda match None nonlocal not or pass raise \
            return self True try while with yield",
        line: &["#"],
        block: &[],
        has_triple: true,
        ..PROGRAM
    },
    Language {
        names: "sh bash zsh fish shell console shellsession dockerfile makefile make",
        keywords: "case cd do done echo elif else esac exit export fi for function if in local return \
            set source sudo then unset until while FROM RUN COPY ENV CMD",
        line: &["#"],
        block: &[],
        has_long_strings: true,
        has_dashes: true,
        ..PROGRAM
    },
    Language {
        names: "c h cpp c++ cc hpp cxx objc glsl wgsl hlsl",
        keywords: "auto bool break case catch char class const constexpr continue default delete do \
            double else enum explicit extern false float for friend goto if inline int long \
            namespace new noexcept nullptr operator override private protected public return \
            short signed sizeof static struct switch template this throw true try typedef \
            typename union unsigned using virtual void volatile while",
        ..PROGRAM
    },
    Language {
        names: "java kotlin kt kts scala csharp c# cs swift dart groovy gradle",
        keywords: "abstract as async await boolean break case catch class const continue data default \
            do else enum extends false final finally for foreach fun func guard if implements \
            import in init int interface internal is let namespace new nil null object override \
            package private protected protocol public record return sealed self static string \
            struct super switch this throw throws true try using val var void when where while",
        has_triple: true,
        ..PROGRAM
    },
    Language {
        names: "go golang",
        keywords: "break case chan const continue default defer else fallthrough false for func go goto \
            if import interface map nil package range return select struct switch true type var",
        quotes: "\"'`",
        ..PROGRAM
    },
    Language {
        names: "php ruby rb perl pl elixir ex exs r julia jl",
        keywords: "and as begin break case class def defmodule do else elseif elsif end ensure extends \
            false fn for foreach function if in include module my namespace new next nil not \
            null or our private public require rescue return self static sub then true unless \
            until use using when while yield",
        line: &["#", "//"],
        ..PROGRAM
    },
    Language {
        names: "sql sqlite postgres postgresql mysql plsql",
        keywords: "add all alter and as asc begin between by case commit create default delete desc \
            distinct drop else end exists foreign from group having if in index inner insert \
            into is join key left like limit not null offset on or order outer pragma primary \
            references replace returning right rollback select set table then trigger union \
            unique update using values view when where with",
        line: &["--"],
        has_case: false,
        has_long_strings: true,
        ..PROGRAM
    },
    Language {
        names: "lua haskell hs",
        keywords: "and break case class data deriving do else elseif end false for function if import \
            in instance let local module newtype nil not of or repeat return then true type \
            until where while",
        line: &["--"],
        block: &[("--[[", "]]"), ("{-", "-}")],
        has_ticks: true,
        ..PROGRAM
    },
    Language {
        names: "css scss less sass",
        shape: Shape::Data,
        keywords: "important inherit initial unset revert none auto",
        key: Some(':'),
        has_dashes: true,
        ..PROGRAM
    },
    Language {
        names: "json jsonc json5 jsonl jsonlines ndjson webmanifest",
        line: &["//"],
        block: &[("/*", "*/")],
        key: Some(':'),
        ..DATA
    },
    Language {
        names: "yaml yml",
        key: Some(':'),
        ..DATA
    },
    Language {
        names: "toml ini cfg conf properties env dotenv",
        line: &["#", ";"],
        key: Some('='),
        has_triple: true,
        ..DATA
    },
    Language {
        names: "html htm xml svg xhtml vue svelte mathml xsl xslt",
        shape: Shape::Markup,
        line: &[],
        block: &[("<!--", "-->")],
        ..PROGRAM
    },
    Language {
        names: "diff patch",
        shape: Shape::Diff,
        ..PROGRAM
    },
];
