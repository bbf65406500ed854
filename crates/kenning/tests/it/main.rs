//! The engine from outside: one module per feature.

mod ask;
mod cite;
mod conversations;
mod copy;
#[cfg(unix)]
mod crashes;
mod damage;
mod elsewhere;
mod embed;
mod eval;
mod evidence;
mod faults;
mod fields;
mod flow;
mod hits;
mod hostile;
mod library;
mod loss;
mod models;
mod order;
mod positions;
mod property;
mod ranking;
mod reread;
mod scope;
mod seam;
mod support;
mod time;
mod vector_room;

/// A file that nobody names is a test that never runs.
#[test]
fn every_file_is_a_module() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    let main = include_str!("main.rs");
    let forgotten: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(".rs").map(str::to_owned))
        .filter(|name| name != "main" && !main.contains(&format!("\nmod {name};\n")))
        .collect();
    assert_eq!(forgotten, Vec::<String>::new());
}
