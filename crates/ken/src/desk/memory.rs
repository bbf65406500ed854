//! Gives back to the system what an update no longer needs. The threads of an update each leave
//! freed memory behind that glibc keeps for them; a server that reloads would only ever grow.

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
