//! Gives back to the system what an update no longer needs. The threads of an update each leave
//! freed memory behind that glibc keeps for them; a server that reloads would only ever grow.

/// Who allocates: how many threads may do so apart from each other. More would each keep what they freed, since what
/// one thread makes another one drops.
#[derive(Clone, Copy)]
pub(crate) enum Allocating {
    /// A server: a snapshot is made on one thread and dropped on another, and many ask at once.
    Server = 2,
    /// An update: notes are prepared on all threads and written by one. Sharing costs no time that could be measured, and
    /// a third of the memory is not needed.
    Update = 1,
}

/// Lets the threads of a process share memory. To be called before there are any.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "there is no safe name for mallopt")]
pub(crate) fn share(who: Allocating) {
    // SAFETY: it takes no pointer; a value it does not like is ignored.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, who as libc::c_int);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn share(_who: Allocating) {}

/// Returns freed memory, where the system's allocator must be asked to.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "there is no safe name for malloc_trim")]
pub(super) fn give_back() {
    // SAFETY: it takes no pointer, and may be called at any time from any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn give_back() {}
