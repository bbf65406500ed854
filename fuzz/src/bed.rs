//! A small index of the example vault, made once for a run.

use std::panic;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use kenning::{Kenning, Vault, WalkRules};

/// Returns where the index lies: in a folder of this process.
pub fn example_index() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("kenning-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder can be made");
        let path = folder.join("index.db");
        let notes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/vault");
        let vault = Vault::open(&notes, WalkRules::default()).expect("the example vault is there");
        let index = Kenning::open(path.clone(), || 1_800_000_000).expect("an index can be made");
        index.update(&vault).expect("the example vault can be indexed");
        path
    })
}

/// Lets panics be caught without a word, as the store does with those of the word index; a process that
/// dies, hangs or takes the memory still ends the run.
pub fn quiet_panics() {
    panic::set_hook(Box::new(|_| {}));
}
