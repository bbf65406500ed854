//! An index that somebody made up: any value of any column may be anything, and every page is sealed.
//!
//! The input is a list of changes, each a table, a column, a row, and what stands there from now on or which byte
//! of it is another. The index opens and answers, or says that it is damaged; it may not crash,
//! take the memory or go on for ever.
#![no_main]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use kenning::budget::Budget;
use kenning::embed;
use kenning::search::{self, Mode, SearchContext, SearchOptions, Tuning};
use kenning::store::{Known, Part, Store};
use kenning_fuzz::{example_index, quiet_panics, remember};
use libfuzzer_sys::fuzz_target;
use rusqlite::{Connection, OpenFlags, types::Value};

/// The whole index, where it is put to be changed, and its columns.
struct Bed {
    bytes: Vec<u8>,
    path: PathBuf,
    columns: Vec<(String, String)>,
}

static BED: LazyLock<Bed> = LazyLock::new(|| {
    quiet_panics();
    let whole = example_index();
    let path = whole.with_extension("changed");
    Bed {
        bytes: std::fs::read(whole).expect("the index was just made"),
        columns: columns(&open(whole)),
        path,
    }
});

fn open(path: &Path) -> Connection {
    // The engine has made its way of reaching files known by opening one.
    drop(Store::open(path));
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    Connection::open_with_flags_and_vfs(path, flags, c"kenning").expect("it can be opened")
}

fn columns(connection: &Connection) -> Vec<(String, String)> {
    let sql = "SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
               WHERE m.type = 'table' ORDER BY 1, 2";
    let mut statement = connection.prepare(sql).expect("it has tables");
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    rows.expect("it has tables").flatten().collect()
}

/// Makes one change; what the schema forbids is left as it was.
fn change(connection: &Connection, change: &[u8]) {
    let [column, row, kind, at, ref rest @ ..] = *change else {
        return;
    };
    let (table, column) = &BED.columns[usize::from(column) % BED.columns.len()];
    let place = format!("rowid = (SELECT rowid FROM {table} LIMIT 1 OFFSET {row})");
    let get = format!("SELECT {column} FROM {table} WHERE {place}");
    let Ok(before) = connection.query_row(&get, [], |row| row.get::<_, Value>(0)) else {
        return;
    };
    let number = rest.iter().fold(0i64, |all, byte| all << 8 | i64::from(*byte));
    let value = match (kind % 4, before) {
        (0, Value::Integer(_)) => Value::Integer(number),
        (_, Value::Integer(before)) => Value::Integer(before ^ (1 << (at % 63))),
        (_, Value::Real(_)) => Value::Real(f64::from_bits(number as u64)),
        (0, Value::Blob(_)) => Value::Blob(rest.to_vec()),
        (_, Value::Blob(mut bytes)) => {
            let place = usize::from(at) * bytes.len() / 256;
            if let Some(byte) = bytes.get_mut(place) {
                *byte ^= kind | 1;
            }
            Value::Blob(bytes)
        }
        (_, Value::Text(_)) => Value::Text(String::from_utf8_lossy(rest).into_owned()),
        (_, Value::Null) => Value::Null,
    };
    let set = format!("UPDATE {table} SET {column} = ?1 WHERE {place}");
    drop(connection.execute(&set, [value]));
}

fn ask(path: &Path) -> kenning::Result<()> {
    let store = Store::open(path)?;
    store.status()?;
    let tuning = Tuning::default();
    let cx = SearchContext {
        store: &store,
        embedder: embed::embedded(),
        tuning: &tuning,
        budget: &Budget::default(),
    };
    for mode in [Mode::Lexical, Mode::Hybrid] {
        let options = SearchOptions {
            mode,
            ..SearchOptions::at(1_800_000_000)
        };
        for question in ["tax documents", "\"April Jane\" tag:people", "hoem projetcs"] {
            drop(search::search(&cx, question, &options));
        }
    }
    for note in store.known(Known::Every)?.into_iter().take(5) {
        if let Some(id) = store.note_at(&note.path)? {
            drop(store.text(id, &Part::Whole));
        }
    }
    drop(store.verify());
    Ok(())
}

fuzz_target!(|input: &[u8]| {
    remember(input);
    std::fs::write(&BED.path, &BED.bytes).expect("there is room for it");
    for suffix in ["-wal", "-shm"] {
        drop(std::fs::remove_file(format!("{}{suffix}", BED.path.display())));
    }
    let connection = open(&BED.path);
    for piece in input.split(|&byte| byte == b'\n').take(16) {
        change(&connection, piece);
    }
    drop(connection);
    drop(ask(&BED.path));
});
