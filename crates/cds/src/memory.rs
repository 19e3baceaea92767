//! What a process that lives long does with memory it no longer needs.

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
