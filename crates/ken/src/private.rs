//! What is kept of notes is for their owner only: nothing is made that others may read, and what an
//! older version left open is closed.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

/// Whatever the process makes from now on is for its owner only.
pub(crate) fn be() {
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
}

/// Opens a file that lines are added to, or makes it. Only a regular file will do: a pipe or a link in
/// its place is an error, and never waited for.
pub(crate) fn append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    open_regular(options, path)
}

/// Opens a file that is read and written anew, or makes it. Only a regular file will do.
pub(crate) fn rewrite(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    open_regular(options, path)
}

#[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has more to say"))]
fn open_regular(mut options: OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        )),
    }
}

/// Closes the folder of the indexes to others, and what is ours in it; tells whether it was open.
pub(crate) fn close(folder: &Path) -> bool {
    let was_open = close_one(folder);
    if was_open {
        for entry in entries(folder) {
            // Somebody may keep other things there, too.
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.contains(".db") || name == HOOK_FOLDER {
                close_all(&entry.path());
            }
        }
    }
    was_open
}

/// Where hooks keep their books, in the same folder.
const HOOK_FOLDER: &str = "hook";

fn close_all(path: &Path) {
    // A file that cannot be closed stays behind the folder, which is.
    close_one(path);
    if path.is_dir() && !path.is_symlink() {
        entries(path).for_each(|entry| close_all(&entry.path()));
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = fs::DirEntry> {
    fs::read_dir(folder).into_iter().flatten().flatten()
}

/// Takes what others may do from a file or folder of ours; links are left alone.
#[cfg(unix)]
pub(crate) fn close_one(path: &Path) -> bool {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let Ok(found) = fs::symlink_metadata(path) else {
        return false;
    };
    let is_ours = found.uid() == rustix::process::geteuid().as_raw();
    let mode = found.permissions().mode();
    // A folder that everybody may write to, such as /tmp, is everybody's.
    let is_shared = mode & 0o1000 != 0;
    if found.is_symlink() || !is_ours || is_shared || mode & 0o077 == 0 {
        return false;
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700)).is_ok()
}

#[cfg(not(unix))]
pub(crate) fn close_one(_: &Path) -> bool {
    false
}
