//! A run that is killed between any two writes leaves the old state or the new one.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fs;
use std::path::Path;

use rusqlite::Connection;

use crate::store::file::{beside, create, open_checked};

/// Called after each write into a log.
type Look = Box<dyn FnMut()>;

thread_local! {
    static LOOK: RefCell<Option<Look>> = RefCell::default();
}

pub(super) fn after_log_write() {
    LOOK.with_borrow_mut(|look| {
        if let Some(look) = look {
            look();
        }
    });
}

const N_ROWS: i64 = 80;
/// Of all the moments of a run the last ones: there it is decided whether it was one.
const N_MOMENTS: usize = 160;

/// Writes every row again and again, in an order that brings back pages which memory had no room for.
fn write_all(connection: &Connection, value: i64, n_rounds: i64) {
    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    for round in 0..n_rounds {
        for row in 0..N_ROWS {
            let key = format!("row {}", (row * 7 + round) % N_ROWS);
            let text = format!("{value} {}", "x".repeat(900));
            connection
                .execute("INSERT OR REPLACE INTO meta VALUES (?1, ?2)", (key, text))
                .unwrap();
        }
    }
    connection.execute_batch("COMMIT").unwrap();
}

/// Returns the value that all rows have.
fn value_of(index: &Path) -> String {
    let connection = open_checked(index, false).unwrap();
    let sql = "SELECT DISTINCT substr(value, 1, instr(value, ' ') - 1) FROM meta";
    let mut found = connection.prepare(sql).unwrap();
    let values: Vec<String> = found
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    values.join(" and ")
}

#[test]
fn a_run_killed_between_two_writes_of_its_log_leaves_the_old_or_the_new_state() {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("index.db");
    let connection = create(&index).unwrap();
    connection.pragma_update(None, "cache_size", 10).unwrap();
    connection
        .pragma_update(None, "synchronous", "NORMAL")
        .unwrap();
    write_all(&connection, 1, 1);
    connection
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    connection
        .pragma_update(None, "wal_autocheckpoint", 0)
        .unwrap();
    // Something whole stands in the log before what is killed.
    write_all(&connection, 2, 1);
    let file = fs::read(&index).unwrap();
    let log = beside(&index, "-wal");
    let moments = std::rc::Rc::new(RefCell::new(VecDeque::new()));
    let seen = std::rc::Rc::clone(&moments);
    LOOK.set(Some(Box::new(move || {
        let mut seen = seen.borrow_mut();
        seen.push_back(fs::read(&log).unwrap());
        if seen.len() > N_MOMENTS {
            seen.pop_front();
        }
    })));
    write_all(&connection, 3, 3);
    LOOK.set(None);
    let killed = folder.path().join("killed.db");
    let mut values = Vec::new();
    for log in moments.take() {
        for suffix in ["-wal", "-shm"] {
            let _ = fs::remove_file(beside(&killed, suffix));
        }
        fs::write(&killed, &file).unwrap();
        fs::write(beside(&killed, "-wal"), log).unwrap();
        values.push(value_of(&killed));
    }
    values.dedup();
    assert_eq!(values, ["2", "3"]);
    // What was abandoned is not taken for the beginning of what follows.
    connection
        .execute_batch("BEGIN; DELETE FROM meta; ROLLBACK")
        .unwrap();
    write_all(&connection, 4, 3);
    drop(connection);
    assert_eq!(value_of(&index), "4");
}
