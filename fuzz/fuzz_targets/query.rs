//! Any text is a question, in every mode, and is answered from a real index.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use kenning::budget::Budget;
use kenning::embed;
use kenning::search::{self, Mode, SearchContext, SearchOptions, Tuning};
use kenning::store::Store;
use kenning_fuzz::{example_index, remember};
use libfuzzer_sys::fuzz_target;

static STORE: LazyLock<Store> = LazyLock::new(|| {
    let path: &Path = example_index();
    Store::open(path).expect("the index was just made")
});

fuzz_target!(|input: &[u8]| {
    remember(input);
    let Some((&first, rest)) = input.split_first() else {
        return;
    };
    let modes = [Mode::Hybrid, Mode::Lexical, Mode::Vector];
    let mode = modes[usize::from(first) % modes.len()];
    let text = String::from_utf8_lossy(rest);
    let tuning = Tuning::default();
    let cx = SearchContext {
        store: &STORE,
        embedder: embed::embedded(),
        tuning: &tuning,
        budget: &Budget::default(),
    };
    let options = SearchOptions {
        mode,
        ..SearchOptions::at(1_800_000_000)
    };
    // What costs too much is an error; whatever is typed is a question.
    let Ok(answer) = search::search(&cx, &text, &options) else {
        return;
    };
    for hit in &answer.hits {
        assert!(hit.score.is_finite(), "{text:?}");
        assert!(hit.chunk.start_line <= hit.chunk.end_line, "{text:?}");
        let n_letters = hit.excerpt.text.chars().count();
        for &(start, end) in &hit.excerpt.highlights {
            assert!(start <= end && end <= n_letters, "{text:?}");
        }
    }
});
