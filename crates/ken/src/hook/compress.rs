//! A long output of a tool into the part that matters: trouble, what was asked about, both ends. Pure.

mod noise;

/// What an extract may hold.
pub(crate) const EXTRACT_CHARS_MAX: usize = 4_000;
/// An output of fewer lines is data, not a report: cutting lines out of it would only spoil it.
const LINES_MIN: usize = 40;
const LINE_CHARS_MAX: usize = 300;
/// So many lines of one shape in a row are told by the first of them and their number.
const ALIKE_MIN: usize = 4;
const HEAD_LINES: usize = 8;
const TAIL_LINES: usize = 12;
/// Letters that a line must share with what was asked, over all words of it.
const SHARED_CHARS_MIN: usize = 8;
const SHARED_WORD_CHARS_MIN: usize = 4;

const ERROR_WORDS: [&str; 16] = [
    "error",
    "failed",
    "failure",
    "fail:",
    "panic",
    "exception",
    "traceback",
    "fatal",
    "assert",
    "undefined",
    "not found",
    "cannot",
    "denied",
    "no such file",
    "segmentation",
    "aborted",
];
const WARNING_WORDS: [&str; 3] = ["warning", "warn ", "deprecated"];
/// Said when all is well.
const ALL_CLEAR: [&str; 6] = [
    "0 error",
    "no error",
    "0 failed",
    "0 failure",
    "errors: 0",
    "failed: 0",
];

/// What is left of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Extract {
    pub(crate) text: String,
    pub(crate) n_lines: usize,
    pub(crate) n_lines_cut: usize,
    /// The same for outputs that differ in nothing but times, the order of workers and the like.
    pub(crate) fingerprint: u64,
}

/// A line, or several that were told as one.
struct Told {
    text: String,
    n_lines: usize,
}

/// Cuts an output down, `None` if it is better left alone. `words` are what was asked.
pub(crate) fn extract(output: &str, words: &[String], chars_max: usize) -> Option<Extract> {
    let lines: Vec<String> = output.lines().map(noise::settled).collect();
    if lines.len() < LINES_MIN {
        return None;
    }
    let n_lines = lines.len();
    let told = collapse(lines);
    let fingerprint = fingerprint(&told);
    let is_kept = choose(&told, words, chars_max);
    let mut text = String::new();
    let mut n_gap = 0;
    let mut n_lines_cut = 0;
    for (told, is_kept) in told.iter().zip(is_kept) {
        if is_kept {
            push_gap(&mut text, &mut n_gap);
            text.push_str(&told.text);
            text.push('\n');
            n_lines_cut += told.n_lines - 1;
        } else {
            n_gap += told.n_lines;
            n_lines_cut += told.n_lines;
        }
    }
    push_gap(&mut text, &mut n_gap);
    Some(Extract {
        text,
        n_lines,
        n_lines_cut,
        fingerprint,
    })
}

fn fingerprint(told: &[Told]) -> u64 {
    let bytes = told
        .iter()
        .flat_map(|told| told.text.bytes().chain([b'\n']));
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    })
}

fn push_gap(text: &mut String, n_gap: &mut usize) {
    if *n_gap > 0 {
        text.push_str(&format!("[… {n_gap} lines cut]\n"));
        *n_gap = 0;
    }
}

/// Tells runs of lines that are alike as one, by what they have in common: workers that run at once
/// finish in another order each time.
fn collapse(lines: Vec<String>) -> Vec<Told> {
    let mut all: Vec<Told> = Vec::new();
    let mut run: Vec<String> = Vec::new();
    let mut shape = String::new();
    for line in lines {
        let own = shape_of(&line);
        if own != shape || is_trouble(&line) {
            flush(&mut run, &mut all);
        }
        shape = own;
        run.push(line);
    }
    flush(&mut run, &mut all);
    all
}

fn flush(run: &mut Vec<String>, all: &mut Vec<Told>) {
    let n_lines = run.len();
    let is_same = run.windows(2).all(|pair| pair[0] == pair[1]);
    if n_lines > 1 && is_same {
        let is_blank = run[0].trim().is_empty();
        let times = if is_blank {
            String::new()
        } else {
            format!(" (×{n_lines})")
        };
        let text = cut(&run[0]) + &times;
        all.push(Told { text, n_lines });
    } else if n_lines >= ALIKE_MIN {
        let text = format!("{} ({n_lines} lines like this)", cut(&in_common(run)));
        all.push(Told { text, n_lines });
    } else {
        all.extend(run.iter().map(|line| Told {
            text: cut(line),
            n_lines: 1,
        }));
    }
    run.clear();
}

/// Returns the words that all lines of a run have, with dots for the others.
fn in_common(run: &[String]) -> String {
    let mut common: Vec<&str> = run[0].split_whitespace().collect();
    for line in &run[1..] {
        for (word, own) in common.iter_mut().zip(line.split_whitespace()) {
            if *word != own {
                *word = "…";
            }
        }
    }
    let indent = run[0].len() - run[0].trim_start().len();
    format!("{}{}", &run[0][..indent], common.join(" "))
}

/// First word, last word and number of words, digits blanked: `test a::b ... ok` and its like.
fn shape_of(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let blanked = |word: &&str| -> String {
        let chars = word.chars();
        chars
            .map(|c| if c.is_ascii_digit() { '0' } else { c })
            .collect()
    };
    let first = words.first().map(blanked).unwrap_or_default();
    let last = words.last().map(blanked).unwrap_or_default();
    format!("{first} {} {last}", words.len())
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(LINE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Chooses lines while there is room: the end, trouble, what was asked about, the beginning,
/// warnings.
fn choose(told: &[Told], words: &[String], chars_max: usize) -> Vec<bool> {
    let last = told.len().saturating_sub(TAIL_LINES);
    let around = |wanted: &dyn Fn(&str) -> bool, n: usize| -> Vec<usize> {
        let hits = (0..told.len()).filter(|&at| wanted(&told[at].text));
        hits.flat_map(|at| at.saturating_sub(n)..=(at + n).min(told.len() - 1))
            .collect()
    };
    let orders = [
        (last..told.len()).rev().collect(),
        around(&is_trouble, 2),
        around(&|line| is_asked_about(line, words), 1),
        (0..HEAD_LINES.min(told.len())).collect(),
        around(&is_warning, 1),
    ];
    let mut is_kept = vec![false; told.len()];
    let mut left = chars_max;
    for at in orders.iter().flatten().copied() {
        // Room for the mark of a gap beside each line.
        let n_chars = told[at].text.chars().count() + 1 + GAP_CHARS;
        if !is_kept[at] && n_chars <= left {
            is_kept[at] = true;
            left -= n_chars;
        }
    }
    is_kept
}

const GAP_CHARS: usize = 24;

fn is_trouble(line: &str) -> bool {
    let lowered = line.to_lowercase();
    ERROR_WORDS.iter().any(|word| lowered.contains(word))
        && !ALL_CLEAR.iter().any(|clear| lowered.contains(clear))
}

fn is_warning(line: &str) -> bool {
    let lowered = line.to_lowercase();
    WARNING_WORDS.iter().any(|word| lowered.contains(word))
}

fn is_asked_about(line: &str, words: &[String]) -> bool {
    let lowered = line.to_lowercase();
    let shared = words
        .iter()
        .map(|word| word.to_lowercase())
        .filter(|word| word.chars().count() >= SHARED_WORD_CHARS_MIN && lowered.contains(word));
    shared.map(|word| word.chars().count()).sum::<usize>() >= SHARED_CHARS_MIN
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build_log(second: u32) -> String {
        let mut log = String::new();
        for n in 0..300 {
            log += &format!(
                "2026-02-10 09:{:02}:{second:02} test part_{} ... ok ({second}.1s)\n",
                n % 60,
                (n * 7 + second) % 300
            );
            if n == 150 {
                log += "thread 'main' panicked at src/roof.rs:12: index out of bounds\n";
                log += "note: run with RUST_BACKTRACE=1\n";
            }
            if n == 200 {
                log += "reading the gutter survey of Lübeck\n";
            }
        }
        log + "test result: FAILED. 299 passed; 1 failed\n"
    }

    #[test]
    fn trouble_and_what_was_asked_about_stay_and_the_rest_goes() {
        let words = ["gutter".to_owned(), "survey".to_owned()];
        let extract = extract(&build_log(1), &words, EXTRACT_CHARS_MAX).unwrap();
        for kept in [
            "panicked at src/roof.rs:12",
            "RUST_BACKTRACE",
            "gutter survey",
            "FAILED",
        ] {
            assert!(extract.text.contains(kept), "{kept} in {}", extract.text);
        }
        assert!(extract.text.chars().count() < 1_000, "{}", extract.text);
        assert_eq!(extract.n_lines, 304);
        assert!(extract.n_lines_cut > 250);
    }

    #[test]
    fn the_same_work_reads_the_same() {
        let one = extract(&build_log(1), &[], EXTRACT_CHARS_MAX);
        assert_eq!(one, extract(&build_log(2), &[], EXTRACT_CHARS_MAX));
        let other = build_log(1).replace("Lübeck", "Kiel");
        let other = extract(&other, &[], EXTRACT_CHARS_MAX).unwrap();
        assert_ne!(one.unwrap().fingerprint, other.fingerprint);
    }

    #[test]
    fn few_lines_are_left_alone() {
        assert_eq!(extract(&"x".repeat(100_000), &[], EXTRACT_CHARS_MAX), None);
    }

    proptest::proptest! {
        /// No output makes an extract that is too long, and every line is either told or counted.
        #[test]
        fn an_extract_is_never_too_long(
            lines in proptest::collection::vec("[a-e0-9 :./]{0,30}|error: \\PC{0,400}", 40..200),
        ) {
            let output = lines.join("\n");
            if let Some(extract) = extract(&output, &["abcdefgh".to_owned()], EXTRACT_CHARS_MAX) {
                proptest::prop_assert!(extract.text.chars().count() <= EXTRACT_CHARS_MAX + GAP_CHARS);
                proptest::prop_assert!(extract.n_lines_cut <= extract.n_lines);
            }
        }
    }
}
