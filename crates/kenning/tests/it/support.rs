//! A vault in a string, the index beside it, and what tests ask of the two.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::cell::Cell;
use std::fs::{self, File, FileTimes};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use kenning::Result;
use kenning::budget::Budget;
use kenning::embed::{EmbedError, Embedder, HashEmbedder, ModelId};
use kenning::extract::InProcess;
use kenning::index::{self, IndexContext, IndexOptions, Report};
use kenning::search::{self, Answer, Hit, Mode, SearchContext, SearchOptions, Tuning};
use kenning::store::{Known, Part, Store};
use kenning::vault::{Vault, WalkRules};
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

/// The time at which every test runs: 2026-01-01, midnight, UTC.
pub(crate) const NOW: i64 = 1_767_225_600;
const SECONDS_PER_DAY: u64 = 86_400;

/// The model of every test that does not bring its own.
pub(crate) static EMBEDDER: LazyLock<HashEmbedder> = LazyLock::new(|| HashEmbedder::new(512));

/// A vault in a folder of its own, and where its index lies: outside of it.
pub(crate) struct TestVault {
    /// Removed at the end, unless the folder belongs to somebody else.
    _folder: Option<TempDir>,
    root: PathBuf,
    store: PathBuf,
    /// Files are stamped with days that pass only when a test writes: a real clock may stand
    /// still between two writes.
    n_days: Cell<u64>,
    /// Which files are notes.
    pub(crate) rules: WalkRules,
    /// How notes are indexed.
    pub(crate) options: IndexOptions,
}

/// Makes a vault from one string: `-- path --` on a line of its own begins a file.
pub(crate) fn vault(files: &str) -> TestVault {
    let vault = TestVault::empty();
    let (mut path, mut text) = (None, String::new());
    for line in files.split_inclusive('\n') {
        let name = line.trim_end().strip_prefix("-- ");
        match name.and_then(|name| name.strip_suffix(" --")) {
            Some(name) => {
                if let Some(path) = path.replace(name) {
                    vault.write(path, std::mem::take(&mut text));
                }
            }
            None => text.push_str(line),
        }
    }
    vault.write(path.expect("a vault begins with `-- path --`"), text);
    vault
}

/// Makes a copy of one of `fixtures/vaults`.
pub(crate) fn fixture(name: &str) -> TestVault {
    let vaults = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/vaults");
    copy(&vaults.join(name))
}

/// Makes a copy of the example vault.
pub(crate) fn example() -> TestVault {
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/vault"))
}

fn copy(original: &Path) -> TestVault {
    let vault = TestVault::empty();
    for path in files_below(original) {
        vault.write(&path, fs::read(original.join(&path)).unwrap());
    }
    vault
}

impl TestVault {
    pub(crate) fn empty() -> Self {
        // What is never written to a disk needs no waiting for one.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let folder = folder.unwrap();
        let root = folder.path().join("vault");
        fs::create_dir(&root).unwrap();
        let store = folder.path().join("data/index.ken");
        Self {
            _folder: Some(folder),
            ..Self::at(root, store)
        }
    }

    /// The vault of another process.
    pub(crate) fn at(root: PathBuf, store: PathBuf) -> Self {
        Self {
            _folder: None,
            root,
            store,
            n_days: Cell::new(0),
            rules: WalkRules::default(),
            options: IndexOptions {
                patience: Duration::ZERO,
                ..IndexOptions::default()
            },
        }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn store_path(&self) -> &Path {
        &self.store
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let full = self.root.join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(full, text).unwrap();
        self.touch(path);
    }

    /// Changes the time of a file, and nothing else.
    pub(crate) fn touch(&self, path: &str) {
        let day = self.n_days.get() + 1;
        self.n_days.set(day);
        let start = UNIX_EPOCH + Duration::from_secs(NOW as u64);
        let time = start - Duration::from_secs(1_000 * SECONDS_PER_DAY)
            + Duration::from_secs(day * SECONDS_PER_DAY);
        let file = File::options().write(true).open(self.root.join(path));
        let times = FileTimes::new().set_modified(time);
        file.unwrap().set_times(times).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.root.join(path)).unwrap();
    }

    pub(crate) fn rename(&self, from: &str, to: &str) {
        let to = self.root.join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::rename(self.root.join(from), to).unwrap();
    }

    pub(crate) fn open(&self) -> Vault {
        Vault::open(&self.root, self.rules.clone()).unwrap()
    }

    /// Hands what the write flow works with to `run`, which may exchange parts of it.
    pub(crate) fn with_context<T>(&self, run: impl FnOnce(IndexContext<'_>) -> T) -> T {
        let vault = self.open();
        let stop = AtomicBool::new(false);
        run(IndexContext {
            source: &vault,
            store: &self.store.as_path().into(),
            reader: &InProcess::default(),
            embedder: &*EMBEDDER,
            now: NOW,
            options: &self.options,
            progress: &|_| {},
            stop: &stop,
        })
    }

    pub(crate) fn try_update(&self) -> Result<Report> {
        self.with_context(|cx| index::update(&cx))
    }

    pub(crate) fn update(&self) -> Report {
        self.try_update().unwrap()
    }

    pub(crate) fn update_with(&self, embedder: &dyn Embedder) -> Result<Report> {
        self.with_context(|cx| index::update(&IndexContext { embedder, ..cx }))
    }

    pub(crate) fn update_file(&self, path: &str) -> Result<Report> {
        let stamp = self.open().stamp(path);
        self.with_context(|cx| index::update_file(&cx, path, stamp))
    }

    pub(crate) fn store(&self) -> Store {
        Store::open(&self.store).unwrap()
    }

    pub(crate) fn search(&self, text: &str) -> Vec<Hit> {
        self.ask(text, &SearchOptions::at(0)).hits
    }

    /// Paths of the notes that hold the words, best first; a toy model finds something near
    /// everything.
    pub(crate) fn paths(&self, words: &str) -> Vec<String> {
        let options = SearchOptions {
            mode: Mode::Lexical,
            per_note: 1,
            ..SearchOptions::at(0)
        };
        paths(&self.ask(words, &options).hits)
    }

    pub(crate) fn ask(&self, text: &str, options: &SearchOptions<'_>) -> Answer {
        ask(&self.store(), &*EMBEDDER, text, options).unwrap()
    }

    /// Everything the index knows (see [`contents`]).
    pub(crate) fn contents(&self) -> Vec<String> {
        contents(&self.store)
    }
}

pub(crate) fn ask(
    store: &Store,
    embedder: &dyn Embedder,
    text: &str,
    options: &SearchOptions<'_>,
) -> Result<Answer> {
    let tuning = &Tuning::default();
    let cx = SearchContext {
        store,
        embedder,
        tuning,
        budget: &Budget::default(),
    };
    search::search(&cx, text, options)
}

pub(crate) fn paths(hits: &[Hit]) -> Vec<String> {
    hits.iter().map(|hit| hit.note.path.clone()).collect()
}

/// Returns every row of the index, ids replaced by what they stand for, in an order that does not
/// depend on how the index came about. Two indexes of the same vault must give the same.
pub(crate) fn contents(store: &Path) -> Vec<String> {
    let connection = look_into(store);
    let mut lines = Vec::new();
    for (table, columns, join) in [
        ("note", "path", ""),
        ("name", "path", "JOIN note ON note.id = name.note"),
        ("link", "path", "JOIN note ON note.id = link.source"),
        ("masked", "path", "JOIN note ON note.id = masked.note"),
        ("chunk", "path", "JOIN note ON note.id = chunk.note"),
        ("skipped", "path", ""),
    ] {
        let sql = format!("SELECT {columns}, {table}.* FROM {table} {join}");
        let mut statement = connection.prepare(&sql).unwrap();
        let names: Vec<String> = statement.column_names().map(ToString::to_string).collect();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let mut line = table.to_owned();
            for (column, name) in names.iter().enumerate() {
                if !["id", "note", "source"].contains(&name.as_str()) {
                    let value: Value = row.get(column).unwrap();
                    line.push_str(&format!(" {name}={value:?}"));
                }
            }
            lines.push(line);
        }
    }
    lines.extend(texts(store));
    lines.sort();
    lines
}

/// The text of every note, by path.
fn texts(path: &Path) -> Vec<String> {
    let store = Store::open(path).unwrap();
    let text = |path: String| {
        let id = store.note_at(&path).unwrap().unwrap();
        format!("text {path} {:?}", store.text(id, &Part::Whole).unwrap())
    };
    let notes = store.known(Known::Every).unwrap();
    notes.into_iter().map(|note| text(note.path)).collect()
}

/// Opens the file of an index past the engine.
pub(crate) fn look_into(store: &Path) -> Connection {
    Connection::open_with_flags(store, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap()
}

/// Opens the file of an index past the engine, but so that pages stay sealed.
pub(crate) fn write_into(store: &Path) -> Connection {
    // The engine has made it known by opening the file.
    drop(Store::open(store));
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let connection = Connection::open_with_flags_and_vfs(store, flags, c"kenning").unwrap();
    // Nonsense may point anywhere.
    connection
        .pragma_update(None, "foreign_keys", false)
        .unwrap();
    connection
}

/// Returns the packed texts of an index, unpacked; that of a small vault has no dictionary.
pub(crate) fn unpacked_texts(store: &Path) -> Vec<Vec<u8>> {
    let connection = look_into(store);
    let mut blocks = connection.prepare("SELECT data FROM text_block").unwrap();
    let packed = blocks
        .query_map([], |row| row.get::<_, Vec<u8>>(0))
        .unwrap();
    packed
        .map(|packed| zstd::bulk::decompress(&packed.unwrap(), 1 << 20).unwrap())
        .collect()
}

/// Returns the paths of all files below a folder, in order, `/` between folders.
pub(crate) fn files_below(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let path = path.strip_prefix(folder).unwrap();
                found.push(path.to_str().unwrap().replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

/// A model that counts what it is given and may fail at some call.
pub(crate) struct CountingEmbedder {
    model: HashEmbedder,
    pub(crate) n_texts: AtomicUsize,
    pub(crate) n_calls: AtomicUsize,
    at_call: Box<dyn Fn(usize) -> Result<(), EmbedError> + Send + Sync>,
}

impl CountingEmbedder {
    pub(crate) fn new() -> Self {
        Self::failing(|_| Ok(()))
    }

    /// A model that asks `at_call` at every call, counted from 1.
    pub(crate) fn failing(
        at_call: impl Fn(usize) -> Result<(), EmbedError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            model: HashEmbedder::new(EMBEDDER.id().dimensions),
            n_texts: AtomicUsize::new(0),
            n_calls: AtomicUsize::new(0),
            at_call: Box::new(at_call),
        }
    }

    /// Returns how many texts it was given since it was last asked.
    pub(crate) fn take_texts(&self) -> usize {
        self.n_texts.swap(0, Ordering::Relaxed)
    }
}

impl Embedder for CountingEmbedder {
    fn id(&self) -> &ModelId {
        self.model.id()
    }

    fn embed_passages(&self, texts: &[&str], rows: &mut Vec<f32>) -> Result<(), EmbedError> {
        self.n_texts.fetch_add(texts.len(), Ordering::Relaxed);
        (self.at_call)(self.n_calls.fetch_add(1, Ordering::Relaxed) + 1)?;
        self.model.embed_passages(texts, rows)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.n_texts.fetch_add(1, Ordering::Relaxed);
        self.model.embed_query(text)
    }
}

/// A place for an index that goes away.
pub(crate) struct ScratchPlace {
    pub(crate) place: kenning::store::Place,
    _folder: tempfile::TempDir,
}

/// Makes one. Tests of other kinds of stores have their own, and may have none.
pub(crate) fn scratch_place() -> Option<ScratchPlace> {
    let folder = tempfile::tempdir().unwrap();
    Some(ScratchPlace {
        place: folder.path().join("index.db").into(),
        _folder: folder,
    })
}
