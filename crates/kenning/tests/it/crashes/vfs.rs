//! Every write, sync, truncation and deletion of SQLite fails in turn: once, or for good.
//!
//! The functions of the system's file system are exchanged before the engine puts its own above them, so
//! what fails is what the disk would have failed. `KENNING_FAULTS=all` tries every operation; otherwise every
//! sync, truncation and deletion is tried, and writes all over the run. Operations are counted, never timed.
#![expect(unsafe_code, reason = "SQLite calls a file system through C functions")]

use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use rusqlite::ffi::{self, SQLITE_OK, sqlite3_file, sqlite3_io_methods, sqlite3_vfs};

use super::{Scene, State, check_success, process};
use crate::support::TestVault;

/// Writes that are tried of one run, unless all are.
const WRITES_TRIED: usize = 16;

/// What is asked of a disk and may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Write,
    Sync,
    Truncate,
    Delete,
}

impl Operation {
    fn code(self) -> c_int {
        match self {
            Self::Write => ffi::SQLITE_IOERR_WRITE,
            Self::Sync => ffi::SQLITE_IOERR_FSYNC,
            Self::Truncate => ffi::SQLITE_IOERR_TRUNCATE,
            Self::Delete => ffi::SQLITE_IOERR_DELETE,
        }
    }
}

/// Which operations fail: numbers from the first to before the second.
static FAILS_FROM: AtomicUsize = AtomicUsize::new(usize::MAX);
static FAILS_BEFORE: AtomicUsize = AtomicUsize::new(usize::MAX);
/// What was asked for since the disk was last made good.
static ASKED: Mutex<Vec<Operation>> = Mutex::new(Vec::new());
/// The system's own functions.
static SYSTEM: OnceLock<sqlite3_io_methods> = OnceLock::new();
/// Tables with functions that may fail, by the system's table that each was made of: a database has locks,
/// and its log has none.
static TABLES: Mutex<Vec<(usize, &sqlite3_io_methods)>> = Mutex::new(Vec::new());

/// Counts an operation; returns the code it fails with.
fn failure(operation: Operation) -> Option<c_int> {
    let mut asked = ASKED.lock().unwrap();
    asked.push(operation);
    let fails = FAILS_FROM.load(Ordering::SeqCst)..FAILS_BEFORE.load(Ordering::SeqCst);
    fails.contains(&asked.len()).then(|| operation.code())
}

/// Lets the operations of these numbers fail from now on, the first being 1; returns what was asked for before.
fn fail(from: usize, before: usize) -> Vec<Operation> {
    let asked = std::mem::take(&mut *ASKED.lock().unwrap());
    FAILS_FROM.store(from, Ordering::SeqCst);
    FAILS_BEFORE.store(before, Ordering::SeqCst);
    asked
}

fn be_good() -> Vec<Operation> {
    fail(usize::MAX, usize::MAX)
}

unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    bytes: *const c_void,
    n_bytes: c_int,
    at: i64,
) -> c_int {
    let system = SYSTEM.get().unwrap().xWrite.unwrap();
    // SAFETY: SQLite's own arguments go to the function they were meant for.
    failure(Operation::Write).unwrap_or_else(|| unsafe { system(file, bytes, n_bytes, at) })
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    let system = SYSTEM.get().unwrap().xSync.unwrap();
    // SAFETY: as above.
    failure(Operation::Sync).unwrap_or_else(|| unsafe { system(file, flags) })
}

unsafe extern "C" fn truncate(file: *mut sqlite3_file, size: i64) -> c_int {
    let system = SYSTEM.get().unwrap().xTruncate.unwrap();
    // SAFETY: as above.
    failure(Operation::Truncate).unwrap_or_else(|| unsafe { system(file, size) })
}

unsafe extern "C" fn delete(vfs: *mut sqlite3_vfs, name: *const c_char, dir: c_int) -> c_int {
    // SAFETY: as above.
    failure(Operation::Delete)
        .unwrap_or_else(|| unsafe { (*system_vfs()).xDelete.unwrap()(vfs, name, dir) })
}

unsafe extern "C" fn open(
    vfs: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    // SAFETY: SQLite's own arguments; what it opened has a table of functions, which is copied.
    unsafe {
        let status = (*system_vfs()).xOpen.unwrap()(vfs, name, file, flags, out_flags);
        if status == SQLITE_OK && !(*file).pMethods.is_null() {
            let own = *(*file).pMethods;
            SYSTEM.get_or_init(|| own);
            (*file).pMethods = failing_table((*file).pMethods.addr(), own);
        }
        status
    }
}

/// Returns the table that stands for one of the system's.
fn failing_table(system: usize, own: sqlite3_io_methods) -> &'static sqlite3_io_methods {
    let mut tables = TABLES.lock().unwrap();
    if let Some((_, table)) = tables.iter().find(|(of, _)| *of == system) {
        return table;
    }
    let table: &sqlite3_io_methods = Box::leak(Box::new(sqlite3_io_methods {
        xWrite: Some(write),
        xSync: Some(sync),
        xTruncate: Some(truncate),
        ..own
    }));
    tables.push((system, table));
    table
}

/// The system's own file system, which is there as long as the process lives.
fn system_vfs() -> *mut sqlite3_vfs {
    // SAFETY: a look into a list that SQLite guards.
    unsafe { ffi::sqlite3_vfs_find(c"unix".as_ptr()) }
}

/// Puts these functions below everything that this process opens from now on.
fn exchange_file_system() {
    // SAFETY: the system's table is copied, and what is registered is never freed.
    unsafe {
        ffi::sqlite3_initialize();
        let system = *system_vfs();
        let shim = Box::new(sqlite3_vfs {
            zName: c"failing".as_ptr(),
            pNext: std::ptr::null_mut(),
            xOpen: Some(open),
            xDelete: Some(delete),
            ..system
        });
        ffi::sqlite3_vfs_register(Box::into_raw(shim), 1);
    }
}

/// The numbers of operations that are tried, of those a run asks for.
fn tried(asked: &[Operation]) -> Vec<usize> {
    let is_all = std::env::var("KENNING_FAULTS").is_ok_and(|which| which == "all");
    let n_writes = asked.iter().filter(|op| **op == Operation::Write).count();
    let step = if is_all {
        1
    } else {
        n_writes.div_ceil(WRITES_TRIED).max(1)
    };
    let is_tried = |(number, operation): &(usize, &Operation)| {
        **operation != Operation::Write || number.is_multiple_of(step)
    };
    let numbered = (1..).zip(asked).filter(is_tried);
    numbered.map(|(number, _)| number).collect()
}

/// Lets each operation of a run fail, and looks at what is left of the index.
pub(super) fn fail_in_turn() {
    exchange_file_system();
    for scene in [Scene::fresh(), Scene::changed()] {
        scene.rewind();
        be_good();
        scene.vault.update();
        let asked = be_good();
        assert!(
            asked.contains(&Operation::Sync),
            "the file system was not exchanged"
        );
        let (mut n_errors, mut n_tried) = (0, 0);
        for number in tried(&asked) {
            for before in [number + 1, usize::MAX] {
                n_errors += usize::from(!is_survived(&scene, number, before));
                n_tried += 1;
            }
        }
        assert!(
            n_errors > n_tried / 4,
            "{n_errors} of {n_tried} failures were noticed"
        );
    }
}

/// Returns whether a run succeeded although operations failed; either way the index is what it was, or new.
fn is_survived(scene: &Scene, from: usize, before: usize) -> bool {
    scene.rewind();
    fail(from, before);
    let result = scene.vault.try_update();
    be_good();
    let what = format!("operations {from}..{before} failed: {result:?}");
    let state = scene.state(&what);
    if result.is_ok() {
        assert_eq!(state, State::New, "{what}");
    }
    scene.vault.update();
    assert!(scene.vault.contents() == scene.new, "{what}");
    assert_eq!(scene.vault.store().verify().unwrap(), Vec::<String>::new());
    result.is_ok()
}

#[test]
fn every_operation_of_a_disk_may_fail() {
    let vault = TestVault::empty();
    check_success(&mut process(&[], "fail in turn", 0, &vault));
}
