//! Every file operation is made to fail in turn, and the process is killed at each of them: afterwards all
//! files are as before or as meant, and undoing brings back every byte.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::disk::Machine;

/// How an operation goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It does nothing, once; later ones work.
    Once,
    /// It and all that follow do nothing.
    Forever,
    /// It is done half or whole, and still said to have failed; later ones work.
    Half,
    /// The process is killed before it.
    Kill,
    /// The process is killed after half of it.
    KillHalf,
}

pub(crate) const FAULTS: [Fault; 3] = [Fault::Once, Fault::Forever, Fault::Half];

/// A disk whose n-th change goes wrong.
pub(crate) struct Faulty {
    fault: Fault,
    at: usize,
    n_done: AtomicUsize,
}

impl Faulty {
    pub(crate) fn new(fault: Fault, at: usize) -> Self {
        Self {
            fault,
            at,
            n_done: AtomicUsize::new(0),
        }
    }

    /// Changes that were asked for.
    pub(crate) fn n_done(&self) -> usize {
        self.n_done.load(Ordering::SeqCst)
    }

    fn run(&self, half: impl FnOnce(), whole: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        let n = self.n_done.fetch_add(1, Ordering::SeqCst);
        let fails = n == self.at || (n > self.at && self.fault == Fault::Forever);
        if !fails {
            return whole();
        }
        if matches!(self.fault, Fault::Half | Fault::KillHalf) {
            half();
        }
        if matches!(self.fault, Fault::Kill | Fault::KillHalf) {
            #[cfg(unix)]
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)
                .unwrap();
            std::process::abort();
        }
        Err(ErrorKind::StorageFull.into())
    }
}

impl Disk for Faulty {
    fn lock(&self, path: &Path) -> io::Result<Lock> {
        Machine.lock(path)
    }
    fn meta(&self, path: &Path) -> io::Result<Option<Meta>> {
        Machine.meta(path)
    }
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        Machine.read(path)
    }
    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        Machine.list(folder)
    }
    fn put(&self, path: &Path, bytes: &[u8], like: Like) -> io::Result<()> {
        let half = || drop(Machine.put(path, &bytes[..bytes.len() / 2], like));
        self.run(half, || Machine.put(path, bytes, like))
    }
    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let half = || drop(Machine.append(path, &bytes[..bytes.len() / 2]));
        self.run(half, || Machine.append(path, bytes))
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let half = || drop(Machine.rename(from, to));
        self.run(half, || Machine.rename(from, to))
    }
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        let half = || drop(fs::hard_link(from, to));
        self.run(half, || Machine.rename_new(from, to))
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        let half = || drop(Machine.remove(path));
        self.run(half, || Machine.remove(path))
    }
    fn make_folder(&self, path: &Path, like: Like) -> io::Result<()> {
        let half = || drop(Machine.make_folder(path, like));
        self.run(half, || Machine.make_folder(path, like))
    }
    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        let half = || drop(Machine.remove_folder(path));
        self.run(half, || Machine.remove_folder(path))
    }
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.run(|| {}, || Machine.sync_folder(path))
    }
}

/// Files and folders of a vault, by path; folders end in `/`.
type Tree = std::collections::BTreeMap<String, Vec<u8>>;

fn tree(root: &Path) -> Tree {
    fn walk(folder: &Path, root: &Path, tree: &mut Tree) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            if path.is_dir() {
                tree.insert(name + "/", Vec::new());
                walk(&path, root, tree);
            } else {
                tree.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    let mut tree = Tree::new();
    walk(root, root, &mut tree);
    tree
}

/// Returns a folder that goes away; in memory where that can be, because nothing here outlives a power cut.
fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    tempfile::tempdir_in(memory).unwrap_or_else(|_| tempfile::tempdir().unwrap())
}

/// A vault and its journal, in a folder that goes away.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new(files: &Tree) -> Self {
        let place = Self { folder: folder() };
        fs::create_dir(place.root()).unwrap();
        for (path, bytes) in files {
            let file = place.root().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, bytes).unwrap();
        }
        place
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("vault")
    }

    fn writer<'a>(&self, disk: &'a dyn Disk) -> Writer<'a> {
        Writer::new(disk, &self.root(), &self.folder.path().join("data/journal"))
    }
}

/// What is done to one file.
#[derive(Clone, Debug)]
enum Step {
    Write(Vec<u8>),
    Remove,
    Rename(String, Vec<u8>),
}

/// Plans what is done to the files of a vault, beside files that are new.
fn batch(writer: &Writer<'_>, steps: &[(String, Step)], new: &Tree) -> Result<Batch> {
    let mut batch = Batch::new("test", "");
    for (path, step) in steps {
        let seen = writer.read(path)?.unwrap();
        match step {
            Step::Write(bytes) => batch.write(seen, bytes.clone()),
            Step::Remove => batch.remove(seen),
            Step::Rename(to, bytes) => batch.rename(seen, to, bytes.clone()),
        }
    }
    for (path, bytes) in new {
        batch.create(path, bytes.clone());
    }
    Ok(batch)
}

fn sample() -> (Tree, Vec<(String, Step)>, Tree) {
    let files = [
        ("a.md", "one\r\n"),
        ("b/b.md", "two"),
        ("b/c.md", "three\n"),
        ("d.md", "four"),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
    let steps = vec![
        ("a.md".to_owned(), Step::Write(b"one and more\r\n".to_vec())),
        (
            "b/b.md".to_owned(),
            Step::Rename("e/f/b.md".to_owned(), b"two".to_vec()),
        ),
        ("b/c.md".to_owned(), Step::Remove),
    ];
    let new = [("e/new.md".to_owned(), b"five\n".to_vec())];
    (files.into(), steps, new.into())
}

/// Returns what the vault holds after the steps.
fn meant(files: &Tree, steps: &[(String, Step)], new: &Tree) -> Tree {
    let place = Place::new(files);
    let writer = place.writer(&Machine);
    let batch = batch(&writer, steps, new).unwrap();
    writer.commit(&batch, 1).unwrap();
    tree(&place.root())
}

#[test]
fn all_files_change_and_undoing_brings_every_byte_back() {
    let (files, steps, new) = sample();
    let place = Place::new(&files);
    let before = tree(&place.root());
    let writer = place.writer(&Machine);
    let batch = batch(&writer, &steps, &new).unwrap();
    assert_eq!(writer.commit(&batch, 7).unwrap(), Some(1));
    let paths: Vec<String> = tree(&place.root()).into_keys().collect();
    assert_eq!(
        paths,
        ["a.md", "b/", "d.md", "e/", "e/f/", "e/f/b.md", "e/new.md"]
    );
    let runs = writer.runs().unwrap();
    assert_eq!((runs.len(), runs[0].at, runs[0].is_undone), (1, 7, false));
    assert_eq!(writer.undo(Undone::Last, 8).unwrap().paths.len(), 5);
    assert_eq!(tree(&place.root()), before);
    assert!(writer.runs().unwrap()[0].is_undone);
    assert!(matches!(
        writer.undo(Undone::Last, 9),
        Err(Error::Nothing { .. })
    ));
}

#[test]
fn only_the_last_runs_are_remembered() {
    let place = Place::new(&Tree::from([("a.md".to_owned(), b"0".to_vec())]));
    let writer = place.writer(&Machine);
    for n in 1..RUNS_TESTED {
        let mut batch = Batch::new("test", "");
        let seen = writer.read("a.md").unwrap().unwrap();
        batch.write(seen, n.to_string().into_bytes());
        writer.commit(&batch, n as i64).unwrap();
    }
    assert_eq!(writer.runs().unwrap().len(), journal::RUNS_MAX + 1);
    writer.undo(Undone::Last, 0).unwrap();
    writer.undo(Undone::Last, 0).unwrap();
    assert_eq!(
        fs::read(place.root().join("a.md")).unwrap(),
        (RUNS_TESTED - 3).to_string().as_bytes()
    );
}

const RUNS_TESTED: usize = journal::RUNS_MAX + 10;

#[test]
fn what_somebody_else_changed_stays_and_nothing_is_written() {
    let (files, steps, new) = sample();
    let place = Place::new(&files);
    let writer = place.writer(&Machine);
    let planned = batch(&writer, &steps, &new).unwrap();
    fs::write(place.root().join("b/c.md"), "mine\n").unwrap();
    let before = tree(&place.root());
    assert!(matches!(writer.commit(&planned, 1), Err(Error::Changed { path }) if path == "b/c.md"));
    assert_eq!(tree(&place.root()), before);
    // The same holds for undoing.
    let planned = batch(&writer, &steps, &new).unwrap();
    writer.commit(&planned, 2).unwrap();
    fs::write(place.root().join("e/new.md"), "mine").unwrap();
    let before = tree(&place.root());
    assert!(
        matches!(writer.undo(Undone::Last, 3), Err(Error::Changed { path }) if path == "e/new.md")
    );
    assert_eq!(tree(&place.root()), before);
    let mut taken = Batch::new("test", "");
    taken.create("d.md", Vec::new());
    assert!(matches!(writer.commit(&taken, 4), Err(Error::Taken { .. })));
    for path in ["../x.md", "/x.md", "a//b.md", ""] {
        assert!(
            matches!(writer.read(path), Err(Error::BadPath { .. })),
            "{path}"
        );
    }
}

#[cfg(unix)]
#[test]
fn permissions_stay_and_nothing_is_written_through_a_link() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    let (files, steps, new) = sample();
    let place = Place::new(&files);
    let writer = place.writer(&Machine);
    let mode = |path: &str, mode: u32| {
        fs::set_permissions(place.root().join(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("a.md", 0o604);
    mode("b/b.md", 0o640);
    let mtime = fs::metadata(place.root().join("b/b.md"))
        .unwrap()
        .mtime_nsec();
    writer
        .commit(&batch(&writer, &steps, &new).unwrap(), 1)
        .unwrap();
    let found = |path: &str| fs::metadata(place.root().join(path)).unwrap();
    assert_eq!(found("a.md").mode() & 0o777, 0o604);
    assert_eq!(found("e/f/b.md").mode() & 0o777, 0o640);
    assert_eq!(found("e/f/b.md").mtime_nsec(), mtime);
    writer.undo(Undone::Last, 2).unwrap();
    assert_eq!(found("a.md").mode() & 0o777, 0o604);
    assert_eq!(found("b/b.md").mode() & 0o777, 0o640);
    mode("d.md", 0o444);
    let mut refused = Batch::new("test", "");
    refused.write(writer.read("d.md").unwrap().unwrap(), b"x".to_vec());
    assert!(matches!(
        writer.commit(&refused, 3),
        Err(Error::ReadOnly { .. })
    ));
    symlink(place.folder.path(), place.root().join("out")).unwrap();
    let mut refused = Batch::new("test", "");
    refused.create("out/x.md", b"x".to_vec());
    assert!(matches!(
        writer.commit(&refused, 4),
        Err(Error::NotAFolder { .. })
    ));
}

/// Runs the steps on a disk that goes wrong, then looks at the vault with a sound one.
fn check_fault(files: &Tree, steps: &[(String, Step)], new: &Tree, disk: &Faulty) -> bool {
    let place = Place::new(files);
    let before = tree(&place.root());
    let after = meant(files, steps, new);
    let writer = place.writer(disk);
    let result = batch(&writer, steps, new).and_then(|batch| writer.commit(&batch, 1));
    let is_over = disk.n_done.load(Ordering::SeqCst) <= disk.at;
    let sound = place.writer(&Machine);
    sound.recover().unwrap();
    let found = tree(&place.root());
    match result {
        Ok(_) => assert_eq!(found, after, "{:?} at {}", disk.fault, disk.at),
        Err(Error::Unfinished { .. }) => {
            assert!(
                found == before || found == after,
                "{:?} at {}",
                disk.fault,
                disk.at
            );
        }
        Err(_) => assert_eq!(found, before, "{:?} at {}", disk.fault, disk.at),
    }
    // Whatever happened, what was done can be undone, and the vault can be written to again.
    if found == after && found != before {
        sound.undo(Undone::Last, 2).unwrap();
        assert_eq!(tree(&place.root()), before);
    }
    let again = batch(&sound, steps, new).unwrap();
    sound.commit(&again, 3).unwrap();
    assert_eq!(tree(&place.root()), after);
    is_over
}

#[test]
fn whatever_operation_fails_all_files_change_or_none() {
    let (files, steps, new) = sample();
    for fault in FAULTS {
        let last = (0..200).find(|at| check_fault(&files, &steps, &new, &Faulty::new(fault, *at)));
        assert!(last.is_some_and(|last| last > 15), "{fault:?} {last:?}");
    }
}

#[test]
fn of_many_files_that_change_at_once_all_do_or_none() {
    let name = |n: usize| format!("{}/{n}.md", n % 5);
    let files: Tree = (0..24).map(|n| (name(n), b"old".to_vec())).collect();
    let steps: Vec<(String, Step)> = (0..24)
        .map(|n| match n % 3 {
            0 => (name(n), Step::Remove),
            1 => (
                name(n),
                Step::Rename(format!("new/{n}.md"), b"old".to_vec()),
            ),
            _ => (name(n), Step::Write(b"new".to_vec())),
        })
        .collect();
    let new: Tree = (0..8)
        .map(|n| (format!("made/{n}.md"), b"new".to_vec()))
        .collect();
    for fault in FAULTS {
        let last = (0..300).find(|at| check_fault(&files, &steps, &new, &Faulty::new(fault, *at)));
        assert!(last.is_some_and(|last| last > 60), "{fault:?} {last:?}");
    }
}

#[test]
fn whatever_operation_fails_undoing_is_all_or_nothing() {
    let (files, steps, new) = sample();
    for fault in FAULTS {
        for at in 0..40 {
            let place = Place::new(&files);
            let before = tree(&place.root());
            let sound = place.writer(&Machine);
            sound
                .commit(&batch(&sound, &steps, &new).unwrap(), 1)
                .unwrap();
            let after = tree(&place.root());
            let disk = Faulty::new(fault, at);
            let result = place.writer(&disk).undo(Undone::Last, 2);
            sound.recover().unwrap();
            let found = tree(&place.root());
            let files_of = |tree: &Tree| -> Tree {
                let files = tree.iter().filter(|(path, _)| !path.ends_with('/'));
                files
                    .map(|(path, bytes)| (path.clone(), bytes.clone()))
                    .collect()
            };
            match result {
                // A folder that was made and cannot be deleted stays behind empty.
                Ok(_) => assert_eq!(files_of(&found), files_of(&before), "{fault:?} at {at}"),
                Err(_) if files_of(&found) == files_of(&before) => {}
                Err(_) => {
                    assert_eq!(found, after, "{fault:?} at {at}");
                    sound.undo(Undone::Last, 3).unwrap();
                    assert_eq!(tree(&place.root()), before);
                }
            }
        }
    }
}

/// Names the folder, the fault and the operation for a process that is to be killed.
const VICTIM: &str = "KEN_TEST_VICTIM";

/// Does nothing by itself: the test below starts it in a process of its own.
#[test]
fn a_run_that_is_killed() {
    let Ok(told) = std::env::var(VICTIM) else {
        return;
    };
    let mut told = told.splitn(3, ' ');
    let (fault, at, folder) = (
        told.next().unwrap(),
        told.next().unwrap(),
        told.next().unwrap(),
    );
    let fault = if fault == "half" {
        Fault::KillHalf
    } else {
        Fault::Kill
    };
    let disk = Faulty::new(fault, at.parse().unwrap());
    let folder = Path::new(folder);
    let writer = Writer::new(&disk, &folder.join("vault"), &folder.join("data/journal"));
    let (_, steps, new) = sample();
    let batch = batch(&writer, &steps, &new).unwrap();
    writer.commit(&batch, 1).unwrap();
}

#[cfg(unix)]
#[test]
fn wherever_the_process_is_killed_all_files_change_or_none() {
    let (files, steps, new) = sample();
    let after = meant(&files, &steps, &new);
    for fault in ["whole", "half"] {
        let mut n_finished = 0;
        for at in 0..200 {
            let place = Place::new(&files);
            let before = tree(&place.root());
            let told = format!("{fault} {at} {}", place.folder.path().display());
            let victim = std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "write::tests::a_run_that_is_killed"])
                .env(VICTIM, told)
                .output()
                .unwrap();
            let sound = place.writer(&Machine);
            sound.recover().unwrap();
            let found = tree(&place.root());
            assert!(found == before || found == after, "{fault} {at}: {found:?}");
            if victim.status.success() {
                assert_eq!(found, after);
                assert!(at > 15, "{at}");
                break;
            }
            n_finished += usize::from(found == after);
            if found == after {
                sound.undo(Undone::Last, 2).unwrap();
                assert_eq!(tree(&place.root()), before);
            }
        }
        assert!(
            n_finished > 3,
            "some were killed late enough to be finished"
        );
    }
}

prop_compose! {
    /// Files with any bytes, in a few folders.
    fn any_files()(
        files in prop::collection::btree_map("[ab]/[a-c]\\.md|[a-e]\\.md", prop::collection::vec(any::<u8>(), 0..40), 1..6)
    ) -> Tree {
        files
    }
}

fn any_steps(files: Tree) -> impl Strategy<Value = (Tree, Vec<(String, Step)>, Tree)> {
    let paths: Vec<String> = files.keys().cloned().collect();
    let step = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..40).prop_map(Step::Write),
        Just(Step::Remove),
        (
            "[x-z]/[a-z]{3}\\.md",
            prop::collection::vec(any::<u8>(), 0..9)
        )
            .prop_map(|(to, bytes)| Step::Rename(to, bytes)),
    ];
    let steps = prop::collection::vec(prop::option::of(step), paths.len());
    let new = prop::collection::btree_map(
        "[n-p]/[n-p]{2}\\.md",
        prop::collection::vec(any::<u8>(), 0..20),
        0..3,
    );
    (steps, new).prop_map(move |(steps, new)| {
        let steps = paths.iter().cloned().zip(steps);
        let mut steps: Vec<(String, Step)> = steps
            .filter_map(|(path, step)| Some((path, step?)))
            .collect();
        let mut taken: HashSet<String> = new.keys().cloned().collect();
        steps.retain(|(_, step)| match step {
            Step::Rename(to, _) => taken.insert(to.clone()),
            _ => true,
        });
        (files.clone(), steps, new)
    })
}

proptest! {
    /// Random vaults, random changes, a random fault; `PROPTEST_CASES` says how many.
    #[test]
    fn any_vault_changes_whole_or_not_at_all(
        (files, steps, new) in any_files().prop_flat_map(any_steps),
        fault in prop::sample::select(&FAULTS[..]),
        at in 0usize..60,
    ) {
        check_fault(&files, &steps, &new, &Faulty::new(fault, at));
    }
}
