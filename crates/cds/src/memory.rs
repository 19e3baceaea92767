//! How memory is taken from the system and given back.

/// Takes memory in small pages. The allocator asks for pages of two megabytes, which the system clears whole though most of each is never
/// used: an update touched 210 MB so. Where such pages have to be gathered first, that took as long as the update itself.
pub(crate) fn take_small_pages() {
    #[cfg(target_os = "linux")]
    // A system that has no such pages has nothing to turn off.
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

/// The number of mimalloc's option for how long freed memory is kept; the crate names only some.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// Freed memory goes back to the system at once: a service that was asked a hundred questions would otherwise hold on to 75 MB, and
/// answers no faster for it.
pub(crate) fn give_back() {
    #[allow(unsafe_code)]
    // SAFETY: it sets a number that mimalloc reads; any value is allowed at any time.
    unsafe {
        libmimalloc_sys::mi_option_set(PURGE_DELAY, 0);
    }
}
