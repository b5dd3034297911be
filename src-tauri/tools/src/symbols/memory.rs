//! Counts the memory that the parsing library holds on this thread, so that a parse can be ended before it takes too
//! much: a grammar may follow many readings of a hostile source at once. It frees nothing and refuses nothing itself.

/// Bytes that the library holds on this thread; always 0 where they aren't counted.
pub(super) fn held() -> usize {
    #[cfg(target_os = "linux")]
    {
        counted::held()
    }
    #[cfg(not(target_os = "linux"))]
    {
        0
    }
}

/// Begins to count. To be called before anything else of the library; later calls do nothing.
pub(super) fn count() {
    #[cfg(target_os = "linux")]
    counted::install();
}

/// The C allocator, with its sizes added up for each thread. A parser and its tree live and die on one thread.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the library takes its allocator as C functions")]
mod counted {
    use std::cell::Cell;
    use std::ffi::c_void;
    use std::sync::Once;

    use tree_sitter::Allocator;

    thread_local! {
        static HELD: Cell<usize> = const { Cell::new(0) };
    }

    pub(super) fn held() -> usize {
        HELD.get()
    }

    pub(super) fn install() {
        static ONCE: Once = Once::new();
        // SAFETY: the four functions are the C library's own, which never hand out unaligned memory, and end the
        // process instead of returning null. `Once` keeps every other caller waiting until this is done, and all
        // parsing begins with a call of it.
        ONCE.call_once(|| unsafe { tree_sitter::set_allocator(Some(Allocator { malloc, calloc, realloc, free })) });
    }

    unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
        // SAFETY: any size may be asked for.
        taken(unsafe { libc::malloc(size) }, size)
    }

    unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
        // SAFETY: as above.
        taken(unsafe { libc::calloc(count, size) }, count.saturating_mul(size))
    }

    unsafe extern "C" fn realloc(old: *mut c_void, size: usize) -> *mut c_void {
        given(old);
        // SAFETY: the library hands back what it got from these functions, or null.
        taken(unsafe { libc::realloc(old, size) }, size)
    }

    unsafe extern "C" fn free(old: *mut c_void) {
        given(old);
        // SAFETY: as above.
        unsafe { libc::free(old) }
    }

    fn taken(memory: *mut c_void, size: usize) -> *mut c_void {
        if memory.is_null() && size > 0 {
            // The library can't go on without, and its own functions end the process too.
            std::process::abort();
        }
        HELD.set(HELD.get().saturating_add(usable(memory)));
        memory
    }

    fn given(memory: *mut c_void) {
        HELD.set(HELD.get().saturating_sub(usable(memory)));
    }

    fn usable(memory: *mut c_void) -> usize {
        // SAFETY: null, or memory that the C library handed out and that wasn't given back yet.
        unsafe { libc::malloc_usable_size(memory) }
    }
}
