//! How SQLite reaches the file system: through its own way, with a look at every page.
//!
//! A page is sealed when it goes into the index file and checked when it comes out; one that is not
//! what was written is an error (`SQLITE_IOERR_DATA`) and never gets as far as SQLite. Pages
//! that lie in the write-ahead log are checked by the log's own sums. Pages are copied, not mapped into
//! memory, so that a file that is cut short or cannot be read is an error, too, and not a signal;
//! unless a process that asks one question wants it otherwise (see `Store::map_pages`). A mapped page is
//! checked when it is first looked at.
#![expect(unsafe_code, reason = "SQLite calls a file system through C functions")]
#![expect(
    unsafe_op_in_unsafe_fn,
    reason = "every function here is called by SQLite, with pointers as its documentation says"
)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use rusqlite::Connection;
use rusqlite::ffi::{
    self, SQLITE_IOERR_DATA, SQLITE_IOERR_SHORT_READ, SQLITE_OK, sqlite3_file, sqlite3_io_methods,
    sqlite3_vfs,
};

use super::log::{self, FRAME_BYTES, FRAME_HEADER_BYTES, HEADER_BYTES};
use super::seal::{PAGE_BYTES, SEAL_BYTES, is_sealed, seal};

const NAME: &CStr = c"kenning";
/// SQLite's smallest page: what is read in smaller pieces is a header.
const PAGE_BYTES_MIN: usize = 512;

/// Returns the name to open connections with.
pub(in crate::store) fn name() -> &'static CStr {
    static IS_REGISTERED: OnceLock<()> = OnceLock::new();
    IS_REGISTERED.get_or_init(|| {
        // SAFETY: the system's own functions are copied, and what is handed over is never freed.
        unsafe { register() }
    });
    NAME
}

/// Leaves room for the seal in every page of a new file.
pub(in crate::store) fn reserve(connection: &Connection) {
    let mut n_bytes = SEAL_BYTES as c_int;
    // SAFETY: the handle is open as long as the connection, and SQLite wants a pointer to an int.
    // A failure shows in the header of the file, which is looked at whenever it is opened.
    unsafe {
        ffi::sqlite3_file_control(
            connection.handle(),
            c"main".as_ptr(),
            ffi::SQLITE_FCNTL_RESERVE_BYTES,
            (&raw mut n_bytes).cast(),
        );
    }
}

/// A file of ours; that of the system lies right behind it.
#[repr(C)]
struct File {
    base: sqlite3_file,
    is_log: bool,
    /// Where in a log this connection has begun to write. What it wrote itself it may still change,
    /// and only then brings the sums in order.
    written_from: i64,
    /// A page on its way out.
    page: *mut [u8; PAGE_BYTES],
    /// Which mapped pages were looked at, a bit for each.
    seen: *mut Vec<u64>,
}

static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    // Version 3: with a log and a memory map.
    iVersion: 3,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: Some(fetch),
    xUnfetch: Some(unfetch),
};

unsafe fn register() {
    // Registering needs a library that is set up, as opening a connection does.
    ffi::sqlite3_initialize();
    let system = ffi::sqlite3_vfs_find(ptr::null());
    let own = Box::new(sqlite3_vfs {
        szOsFile: size_of::<File>() as c_int + (*system).szOsFile,
        pNext: ptr::null_mut(),
        zName: NAME.as_ptr(),
        pAppData: system.cast(),
        xOpen: Some(open),
        ..*system
    });
    ffi::sqlite3_vfs_register(Box::into_raw(own), 0);
}

unsafe fn system_file(file: *mut sqlite3_file) -> *mut sqlite3_file {
    file.cast::<File>().add(1).cast()
}

/// Calls a method of the system's file.
macro_rules! call {
    ($file:expr, $method:ident $(, $arg:expr)*) => {{
        let file = system_file($file);
        match (*(*file).pMethods).$method {
            Some(method) => method(file $(, $arg)*),
            None => ffi::SQLITE_NOTFOUND,
        }
    }};
}

/// Defines methods that do only what the system's do.
macro_rules! forward {
    ($($name:ident = $method:ident($($arg:ident: $type:ty),*);)*) => {$(
        unsafe extern "C" fn $name(file: *mut sqlite3_file, $($arg: $type),*) -> c_int {
            call!(file, $method $(, $arg)*)
        }
    )*};
}

forward! {
    truncate = xTruncate(size: i64);
    sync = xSync(flags: c_int);
    file_size = xFileSize(size: *mut i64);
    lock = xLock(level: c_int);
    unlock = xUnlock(level: c_int);
    check_reserved_lock = xCheckReservedLock(is_reserved: *mut c_int);
    file_control = xFileControl(op: c_int, arg: *mut c_void);
    sector_size = xSectorSize();
    shm_map = xShmMap(region: c_int, size: c_int, extend: c_int, out: *mut *mut c_void);
    shm_lock = xShmLock(offset: c_int, n: c_int, flags: c_int);
    shm_unmap = xShmUnmap(delete: c_int);
}

/// Pages can only be checked whole, so they are never read in part.
unsafe extern "C" fn device_characteristics(file: *mut sqlite3_file) -> c_int {
    call!(file, xDeviceCharacteristics) & !ffi::SQLITE_IOCAP_SUBPAGE_READ
}

unsafe extern "C" fn shm_barrier(file: *mut sqlite3_file) {
    let file = system_file(file);
    if let Some(barrier) = (*(*file).pMethods).xShmBarrier {
        barrier(file);
    }
}

unsafe extern "C" fn open(
    vfs: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    let system = (*vfs).pAppData.cast::<sqlite3_vfs>();
    let Some(open) = (*system).xOpen else {
        return ffi::SQLITE_CANTOPEN;
    };
    // Journals and what SQLite sorts by the way are none of our files.
    if flags & (ffi::SQLITE_OPEN_MAIN_DB | ffi::SQLITE_OPEN_WAL) == 0 {
        return open(system, name, file, flags, out_flags);
    }
    let status = open(system, name, system_file(file), flags, out_flags);
    let is_open = status == SQLITE_OK;
    file.cast::<File>().write(File {
        base: sqlite3_file {
            pMethods: if is_open {
                &raw const METHODS
            } else {
                ptr::null()
            },
        },
        is_log: flags & ffi::SQLITE_OPEN_WAL != 0,
        written_from: i64::MAX,
        page: ptr::null_mut(),
        seen: ptr::null_mut(),
    });
    status
}

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    let own = &mut *file.cast::<File>();
    if !own.page.is_null() {
        drop(Box::from_raw(own.page));
        own.page = ptr::null_mut();
    }
    forget_seen(own);
    call!(file, xClose)
}

unsafe extern "C" fn read(
    file: *mut sqlite3_file,
    buffer: *mut c_void,
    n_bytes: c_int,
    at: i64,
) -> c_int {
    let status = call!(file, xRead, buffer, n_bytes, at);
    if status != SQLITE_OK && status != SQLITE_IOERR_SHORT_READ {
        return status;
    }
    let bytes = std::slice::from_raw_parts(buffer.cast::<u8>(), n_bytes as usize);
    let is_short = status == SQLITE_IOERR_SHORT_READ;
    let is_whole = if (*file.cast::<File>()).is_log {
        is_short || is_log_whole(file, bytes, at)
    } else {
        is_page_whole(bytes, at, is_short)
    };
    if is_whole { status } else { SQLITE_IOERR_DATA }
}

/// Whether what was read of the index file is as it was written.
fn is_page_whole(bytes: &[u8], at: i64, is_short: bool) -> bool {
    if bytes.len() < PAGE_BYTES_MIN {
        return true;
    }
    let number = at as u64 / PAGE_BYTES as u64 + 1;
    let is_page = bytes.len() == PAGE_BYTES && (at as u64).is_multiple_of(PAGE_BYTES as u64);
    // SQLite takes a page behind the end of the file for an empty one, which is true of new files.
    let is_new = is_short && at == 0 && bytes.iter().all(|byte| *byte == 0);
    is_new || is_page && !is_short && is_sealed(bytes, number)
}

/// Whether what was read of a log is as it was written.
unsafe fn is_log_whole(file: *mut sqlite3_file, bytes: &[u8], at: i64) -> bool {
    let mut read = |out: &mut [u8], at: i64| {
        let status = call!(file, xRead, out.as_mut_ptr().cast(), out.len() as c_int, at);
        if status != SQLITE_OK && status != SQLITE_IOERR_SHORT_READ {
            out.fill(0);
        }
        status == SQLITE_OK
    };
    if at >= (*file.cast::<File>()).written_from {
        return true;
    }
    let in_frame = (at - HEADER_BYTES as i64).rem_euclid(FRAME_BYTES as i64);
    match bytes.len() {
        HEADER_BYTES if at == 0 => log::is_head_whole(&mut read, bytes),
        // A whole frame is read when SQLite goes through a log for the first time.
        FRAME_BYTES if in_frame == 0 => log::is_frame_or_end(&mut read, bytes, at),
        PAGE_BYTES if in_frame == FRAME_HEADER_BYTES as i64 => {
            log::is_page_whole(&mut read, bytes, at)
        }
        _ => true,
    }
}

/// Hands a page of the map out; SQLite reads where there is none.
unsafe extern "C" fn fetch(
    file: *mut sqlite3_file,
    at: i64,
    n_bytes: c_int,
    out: *mut *mut c_void,
) -> c_int {
    let status = call!(file, xFetch, at, n_bytes, out);
    if status != SQLITE_OK || (*out).is_null() {
        return status;
    }
    let own = &mut *file.cast::<File>();
    if own.seen.is_null() {
        own.seen = Box::into_raw(Box::default());
    }
    let seen = &mut *own.seen;
    let (word, bit) = (
        at as usize / PAGE_BYTES / 64,
        1 << (at as usize / PAGE_BYTES % 64),
    );
    if seen.len() <= word {
        seen.resize(word + 1, 0);
    }
    if seen[word] & bit == 0 {
        let bytes = std::slice::from_raw_parts((*out).cast::<u8>(), n_bytes as usize);
        if !is_page_whole(bytes, at, false) {
            call!(file, xUnfetch, at, *out);
            *out = ptr::null_mut();
            return SQLITE_IOERR_DATA;
        }
        seen[word] |= bit;
    }
    SQLITE_OK
}

/// Takes a page back, or, where none is named, the whole map: others may have written meanwhile.
unsafe extern "C" fn unfetch(file: *mut sqlite3_file, at: i64, page: *mut c_void) -> c_int {
    if page.is_null() {
        forget_seen(&mut *file.cast::<File>());
    }
    call!(file, xUnfetch, at, page)
}

unsafe fn forget_seen(file: &mut File) {
    if !file.seen.is_null() {
        drop(Box::from_raw(file.seen));
        file.seen = ptr::null_mut();
    }
}

unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    buffer: *const c_void,
    n_bytes: c_int,
    at: i64,
) -> c_int {
    let own = &mut *file.cast::<File>();
    if own.is_log {
        own.written_from = own.written_from.min(at);
        let status = call!(file, xWrite, buffer, n_bytes, at);
        #[cfg(test)]
        tests::after_log_write();
        return status;
    }
    if n_bytes as usize != PAGE_BYTES || !(at as u64).is_multiple_of(PAGE_BYTES as u64) {
        return call!(file, xWrite, buffer, n_bytes, at);
    }
    if own.page.is_null() {
        own.page = Box::into_raw(Box::new([0; PAGE_BYTES]));
    }
    // What SQLite hands over is its own; the seal goes into a copy.
    let page = &mut *own.page;
    page.copy_from_slice(std::slice::from_raw_parts(buffer.cast(), PAGE_BYTES));
    seal(page, at as u64 / PAGE_BYTES as u64 + 1);
    call!(file, xWrite, page.as_ptr().cast(), n_bytes, at)
}

#[cfg(test)]
mod tests;
