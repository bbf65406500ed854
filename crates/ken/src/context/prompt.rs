//! What a prompt asks, as words to search with; or why it is not a question to the notes. Pure.

mod naming;

/// Fewer words that carry meaning tell too little to find the right note, unless one is a name.
const CONTENT_WORDS_MIN: usize = 3;
/// More words dilute each other.
const CONTENT_WORDS_MAX: usize = 16;
/// A prompt with more words is a text: its first and last sentences say what it is about.
const WHOLE_WORDS_MAX: usize = 40;
/// Sentences taken from each end of a long prompt.
const SENTENCES: usize = 2;

/// Words that people ask agents with and notes do not answer with. Question words are kept: the
/// search drops them by itself, and learns from them that it is a question.
#[rustfmt::skip]
const FILLERS: &[&str] = &[
    "a", "about", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be",
    "been", "but", "by", "can", "change", "check", "continue", "could", "create", "did",
    "do", "does", "done", "explain", "fine", "find", "fix", "for", "from", "get", "give", "go", "good",
    "great", "had", "has", "have", "he", "hello", "help", "her", "here", "hey", "hi", "his", "i",
    "if", "in", "into", "is", "it", "its", "just", "know", "let", "like", "look", "make", "me",
    "more", "my", "need", "new", "no", "not", "now", "of", "ok", "okay", "on", "one",
    "only", "or", "our", "out", "please", "run", "same", "say", "says", "see", "she", "should",
    "show", "so", "some", "such", "sure", "tell", "than", "thank", "thanks", "that", "the",
    "their", "them", "then", "there", "these", "they", "thing", "things", "think", "this",
    "those", "to", "try", "update", "us", "use", "using", "want", "was", "way", "we", "well",
    "were", "will", "with", "would", "write", "yes", "yet", "you", "your",
];
const QUESTION_WORDS: &[&str] = &[
    "how", "what", "when", "where", "which", "who", "whom", "whose", "why",
];

/// Why a prompt is not searched with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skip {
    Empty,
    Command,
    Machine,
    Short,
}

impl Skip {
    /// Says it for the log.
    pub(crate) fn why(self) -> &'static str {
        match self {
            Self::Empty => "there is no prompt",
            Self::Command => "a command, not a question",
            Self::Machine => "not written by a person",
            Self::Short => "too few words to search with",
        }
    }
}

/// Returns the words to search with.
pub(crate) fn query(prompt: &str) -> Result<String, Skip> {
    let prompt = prompt.trim();
    if prompt.is_empty() {
        return Err(Skip::Empty);
    }
    if is_command(prompt) {
        return Err(Skip::Command);
    }
    if is_machine(prompt) {
        return Err(Skip::Machine);
    }
    let links = links(prompt);
    let telling = telling_part(&without_code(prompt));
    let (words, n_content) = content_words(&telling);
    let is_telling = n_content >= CONTENT_WORDS_MIN || !links.is_empty();
    if !is_telling && !naming::names_something(&telling) {
        return Err(Skip::Short);
    }
    Ok(links.into_iter().chain(words).collect::<Vec<_>>().join(" "))
}

/// Returns the words of any text that carry meaning, and how many there are; what would be an
/// operator of the query language is a word like others.
pub(crate) fn content_words(text: &str) -> (Vec<String>, usize) {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '\'');
    let mut words: Vec<String> = Vec::new();
    let mut n_content = 0;
    for word in text.split(|c| !is_part(c)) {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let lowered = word.to_lowercase();
        let is_known = words.iter().any(|known| known.to_lowercase() == lowered);
        if word.is_empty() || is_known || FILLERS.contains(&lowered.as_str()) {
            continue;
        }
        if !QUESTION_WORDS.contains(&lowered.as_str()) {
            if n_content >= CONTENT_WORDS_MAX {
                break;
            }
            n_content = (n_content + n_words(&lowered)).min(CONTENT_WORDS_MAX);
        }
        words.push(word.to_owned());
    }
    (words, n_content)
}

/// Counts the words in one: `grid-template-areas` says as much as three. Chinese, Japanese and Thai
/// put no blanks between words, which are two characters long or so.
fn n_words(word: &str) -> usize {
    let is_unspaced = |c: &char| matches!(c, '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
    let n_unspaced = word.chars().filter(is_unspaced).count().div_ceil(2);
    let is_telling = |part: &&str| part.chars().count() > 2 && !FILLERS.contains(part);
    let n_parts = word.split('-').filter(is_telling).count();
    n_unspaced.max(n_parts).max(1)
}

/// `/compact`, `!ls`, `#remember this`: meant for the agent's own machinery. A path is none.
fn is_command(prompt: &str) -> bool {
    let first = prompt.split_whitespace().next().unwrap_or_default();
    let is_name = |rest: &str| {
        !rest.is_empty()
            && rest
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':'))
    };
    prompt.starts_with('!') || first.strip_prefix('/').is_some_and(is_name)
}

/// Turns that begin with a tag come from the agent: notices, reminders, output of commands. So do
/// transcripts of a terminal and bare data.
fn is_machine(prompt: &str) -> bool {
    let is_tag = prompt.strip_prefix('<').is_some_and(|rest| {
        let rest = rest.strip_prefix('/').unwrap_or(rest);
        rest.starts_with(|c: char| c.is_ascii_alphabetic())
    });
    let is_data = prompt.starts_with(['{', '[']) && !prompt.starts_with("[[") && {
        serde_json::from_str::<serde_json::Value>(prompt).is_ok()
    };
    let is_notice = [
        "[Request interrupted",
        "[Image",
        "Caveat: The messages below",
        "This session is being continued from",
        "API Error",
        "Traceback (most recent call last)",
        "$ ",
    ];
    is_tag || is_data || is_notice.iter().any(|start| prompt.starts_with(start))
}

/// Returns the `[[links]]` of a prompt: notes called by name.
fn links(prompt: &str) -> Vec<String> {
    let parts = prompt.split("[[").skip(1);
    let names = parts
        .filter_map(|part| part.split_once("]]"))
        .map(|(name, _)| name);
    let is_name = |name: &&str| !name.trim().is_empty() && !name.contains(['[', '\n']);
    names
        .filter(is_name)
        .take(CONTENT_WORDS_MIN)
        .map(|name| format!("[[{name}]]"))
        .collect()
}

/// Leaves out fenced code, pasted tags, addresses and links already taken.
fn without_code(prompt: &str) -> String {
    let mut kept = String::new();
    let mut is_code = false;
    for line in prompt.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code && !line.trim_start().starts_with('<') {
            for word in line.split_whitespace() {
                if !word.contains("://") {
                    kept.push_str(word);
                    kept.push(' ');
                }
            }
            kept.push('\n');
        }
    }
    kept
}

/// Of a long text the first and the last sentences; of a short one everything.
fn telling_part(text: &str) -> String {
    if text.split_whitespace().count() <= WHOLE_WORDS_MAX {
        return text.to_owned();
    }
    let sentences: Vec<&str> = text
        .split_inclusive(['.', '!', '?', '\n'])
        .map(str::trim)
        .filter(|sentence| sentence.split_whitespace().count() > 1)
        .collect();
    let first = sentences.iter().take(SENTENCES);
    let last_from = sentences.len().saturating_sub(SENTENCES).max(SENTENCES);
    let last = sentences.iter().skip(last_from);
    // What is asked stands last more often than first; the middle is what it is asked about.
    let words_of = |sentence: &&str| -> Vec<String> {
        let words = sentence.split_whitespace().take(WHOLE_WORDS_MAX / 2);
        words.map(str::to_owned).collect()
    };
    let kept: Vec<String> = last.chain(first).flat_map(words_of).collect();
    kept.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(prompt: &str, expected: Result<&str, Skip>) {
        assert_eq!(query(prompt), expected.map(str::to_owned), "{prompt:?}");
    }

    #[test]
    fn a_question_is_its_words() {
        check(
            "Please tell me when the boiler was last serviced, and by whom?",
            Ok("when boiler last serviced whom"),
        );
        check(
            "thanks, see [[Roof and Gutters]]",
            Ok("[[Roof and Gutters]] Roof Gutters"),
        );
    }

    #[test]
    fn a_name_is_question_enough() {
        check("how does WeakMap work", Ok("how WeakMap work"));
        check("fetch with AbortController", Ok("fetch AbortController"));
        check("what is BPS-100?", Ok("what BPS-100"));
        check("explain rrf_fuse", Ok("rrf_fuse"));
        check("what is CORS", Ok("what CORS"));
        check("who is Esko?", Ok("who Esko"));
        check("explain grid-template-areas", Ok("grid-template-areas"));
        check("what is my blood type", Err(Skip::Short));
        check("is that state-of-the-art now?", Err(Skip::Short));
    }

    #[test]
    fn operators_are_words() {
        check(
            "tag:work -boiler path:/etc \"gutter\" OR roof",
            Ok("tag work boiler path etc gutter roof"),
        );
    }

    #[test]
    fn what_is_no_question_is_told_apart() {
        for (prompt, skip) in [
            ("", Skip::Empty),
            (" \n", Skip::Empty),
            ("/compact keep the roof repair notes", Skip::Command),
            ("!cargo test --workspace roof gutter", Skip::Command),
            ("<task-notification> boiler roof gutter done", Skip::Machine),
            (
                "<system-reminder>\nroof gutter boiler\n</system-reminder>",
                Skip::Machine,
            ),
            ("<local-command-stdout>roof gutter boiler", Skip::Machine),
            ("{\"roof\": [\"gutter\", \"boiler\"]}", Skip::Machine),
            ("ok", Skip::Short),
            ("yes, go on please and fix it", Skip::Short),
            ("boiler service", Skip::Short),
            ("ok, GO ON", Skip::Short),
        ] {
            check(prompt, Err(skip));
        }
    }

    #[test]
    fn a_path_is_no_command() {
        check(
            "/etc/nginx/nginx.conf proxies where",
            Ok("etc nginx nginx.conf proxies where"),
        );
    }

    #[test]
    fn a_long_prompt_is_cut_to_its_ends() {
        let middle = "The weather was mild and nobody minded at all. ".repeat(40);
        let prompt = format!(
            "The boiler leaks water. It started Monday. {middle} Which plumber came in March?"
        );
        let words = query(&prompt).unwrap();
        assert!(
            words.contains("plumber") && words.contains("boiler"),
            "{words}"
        );
        assert!(words.split(' ').count() <= CONTENT_WORDS_MAX + 2, "{words}");
    }

    #[test]
    fn code_is_not_asked_for() {
        let words =
            query("Why does the kitchen budget fail?\n```\nlet quinquereme = 1;\n```").unwrap();
        assert_eq!(words, "Why kitchen budget fail");
    }

    proptest::proptest! {
        /// Whatever is typed, there is an answer, and it is no longer than it may be.
        #[test]
        fn any_prompt_is_understood(prompt in "\\PC{0,400}") {
            if let Ok(words) = query(&prompt) {
                proptest::prop_assert!(!words.is_empty());
            }
            proptest::prop_assert!(content_words(&prompt).1 <= CONTENT_WORDS_MAX);
        }
    }
}
