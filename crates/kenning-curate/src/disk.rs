//! The file operations that changing a vault is made of, behind one small trait, so that tests can have each
//! of them fail. The only place of this crate that touches files.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use kenning::vault::{Links, read_regular};

/// Larger files are not read: not even what a thousand notes held together is that much.
const FILE_BYTES_MAX: u64 = 1 << 32;

/// What a file is beside its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Like {
    /// Permissions, where the system has them.
    pub mode: Option<u32>,
    /// Owner and group.
    pub owner: Option<(u32, u32)>,
    /// Time of the last change, in nanoseconds since 1970, where it is to stay.
    pub mtime_ns: Option<i64>,
}

/// What is known of a file without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meta {
    /// What it is.
    pub kind: Kind,
    /// What tells that it has not changed: size, times and inode.
    pub stamp: (u64, i64, i64, u64),
    /// What it is beside its bytes.
    pub like: Like,
}

/// What lies at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A link, a pipe or something else.
    Other,
}

impl Like {
    /// For nobody but the owner: what is kept of notes.
    pub const PRIVATE_FOLDER: Self = Self {
        mode: Some(0o700),
        owner: None,
        mtime_ns: None,
    };
    /// The same for a file.
    pub const PRIVATE_FILE: Self = Self {
        mode: Some(0o600),
        owner: None,
        mtime_ns: None,
    };
}

impl Meta {
    /// Whether its owner may change it.
    pub fn is_writable(&self) -> bool {
        self.like.mode.is_none_or(|mode| mode & 0o200 != 0)
    }
}

/// Holds the right to change a vault until it is dropped.
pub struct Lock {
    _file: Option<File>,
}

/// The file operations.
pub trait Disk: Sync {
    /// Waits until nobody else changes what the file at `path` stands for.
    fn lock(&self, path: &Path) -> io::Result<Lock>;
    /// Looks at a file; `None` where there is none. Links are not followed.
    fn meta(&self, path: &Path) -> io::Result<Option<Meta>>;
    /// Reads a regular file. Links are not followed.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// Lists the names in a folder; none where there is no folder.
    fn list(&self, folder: &Path) -> io::Result<Vec<String>>;
    /// Makes a file that is not there yet, with all of its bytes, and has it outlive a power cut.
    fn put(&self, path: &Path, bytes: &[u8], like: Like) -> io::Result<()>;
    /// Writes behind what a file holds, which is made where there is none, and has it outlive a power cut. What is
    /// stopped half-way leaves a part of it.
    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Puts a file in the place of another, or where none is.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Puts a file where none is; where there is one, it is an error.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Deletes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Makes a folder with these permissions.
    fn make_folder(&self, path: &Path, like: Like) -> io::Result<()>;
    /// Deletes an empty folder.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
    /// Has what was renamed or deleted in a folder outlive a power cut, where the system lets us.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
}

/// The disk of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Machine;

impl Disk for Machine {
    fn lock(&self, path: &Path) -> io::Result<Lock> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        private(&mut options);
        let file = options.open(path)?;
        file.lock()?;
        Ok(Lock { _file: Some(file) })
    }

    fn meta(&self, path: &Path) -> io::Result<Option<Meta>> {
        match fs::symlink_metadata(path) {
            Ok(found) => Ok(Some(meta(&found))),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        read_regular(path, FILE_BYTES_MAX, Links::Refused)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(folder) {
            Err(error) if is_missing(&error) => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut names = Vec::new();
        for entry in entries {
            names.extend(entry?.file_name().into_string());
        }
        names.sort();
        Ok(names)
    }

    fn put(&self, path: &Path, bytes: &[u8], like: Like) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        private(&mut options);
        let mut file = options.open(path)?;
        file.write_all(bytes)?;
        dress(&file, like)?;
        file.sync_all()
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        private(&mut options);
        let mut file = options.open(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        match fs::hard_link(from, to) {
            Ok(()) => fs::remove_file(from),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
            // Some file systems know no second name of a file.
            Err(_) if fs::symlink_metadata(to).is_ok() => Err(ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(from, to),
        }
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn make_folder(&self, path: &Path, like: Like) -> io::Result<()> {
        fs::create_dir(path)?;
        #[cfg(unix)]
        if let Some(mode) = like.mode {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
        }
        #[cfg(not(unix))]
        let _ = like;
        Ok(())
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        match File::open(path) {
            // Not every system can do this to a folder.
            Ok(folder) => match folder.sync_all() {
                Err(error) if error.kind() != ErrorKind::StorageFull => Ok(()),
                synced => synced,
            },
            Err(_) => Ok(()),
        }
    }
}

/// A name below a file is not there either.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn meta(found: &Metadata) -> Meta {
    let kind = match found.file_type() {
        kind if kind.is_file() => Kind::File,
        kind if kind.is_dir() => Kind::Folder,
        _ => Kind::Other,
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let mtime_ns = found.mtime() * 1_000_000_000 + found.mtime_nsec();
        let ctime_ns = found.ctime() * 1_000_000_000 + found.ctime_nsec();
        Meta {
            kind,
            stamp: (found.len(), mtime_ns, ctime_ns, found.ino()),
            like: Like {
                mode: Some(found.mode() & 0o7777),
                owner: Some((found.uid(), found.gid())),
                mtime_ns: Some(mtime_ns),
            },
        }
    }
    #[cfg(not(unix))]
    {
        let since = found.modified().ok();
        let since = since.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        let mtime_ns = since.map_or(0, |since| since.as_nanos() as i64);
        let mode = if found.permissions().readonly() {
            0o444
        } else {
            0o644
        };
        Meta {
            kind,
            stamp: (found.len(), mtime_ns, 0, 0),
            like: Like {
                mode: Some(mode),
                owner: None,
                mtime_ns: Some(mtime_ns),
            },
        }
    }
}

/// Nothing that is being made can be read by others, or lies behind a link.
fn private(options: &mut OpenOptions) {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = OFlags::NOFOLLOW | OFlags::NOCTTY;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    #[cfg(not(unix))]
    let _ = options;
}

/// Gives a new file what it is to have beside its bytes.
fn dress(file: &File, like: Like) -> io::Result<()> {
    #[cfg(unix)]
    {
        use rustix::fs::{Gid, Uid, fchown};
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        let own = file.metadata()?;
        if let Some((user, group)) = like.owner.filter(|owner| *owner != (own.uid(), own.gid())) {
            fchown(file, Some(Uid::from_raw(user)), Some(Gid::from_raw(group)))?;
        }
        // The owner first: giving a file away takes some of its permissions.
        if let Some(mode) = like.mode {
            file.set_permissions(fs::Permissions::from_mode(mode))?;
        }
    }
    if let Some(mtime_ns) = like.mtime_ns {
        let since = std::time::Duration::from_nanos(mtime_ns.max(0).unsigned_abs());
        file.set_modified(std::time::UNIX_EPOCH + since)?;
    }
    Ok(())
}
