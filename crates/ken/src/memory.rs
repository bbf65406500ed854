//! Gives back to the system what an update no longer needs. The threads of an update each leave
//! freed memory behind that glibc keeps for them; a server that reloads would only ever grow.

/// Memories that threads of a server share. More would each keep what they freed, since a snapshot is made on one thread
/// and dropped on another. An update has them all: there, threads would wait for each other.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const SHARED: libc::c_int = 2;

/// Lets the threads of a process share memory. To be called before there are any.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "there is no safe name for mallopt")]
pub(crate) fn share() {
    // SAFETY: it takes no pointer; a value it does not like is ignored.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, SHARED);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn share() {}

/// Returns freed memory, where the system's allocator must be asked to.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "there is no safe name for malloc_trim")]
pub(crate) fn give_back() {
    // SAFETY: it takes no pointer, and may be called at any time from any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back() {}
