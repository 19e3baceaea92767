//! Counts what the parser holds, so that a parse that grows out of proportion can be stopped.
//!
//! Where a text ends inside thousands of unfinished constructs (`a=>a=>a=>` in C), the parser tries all ways to complete them in one operation
//! that no callback interrupts and that takes memory in proportion to the square of their number: 10 KB of such text took 3 GB. What
//! can be seen from outside is the parser's stack: one node for each unfinished part. Its nodes are the only allocations of their
//! size, so the parser's allocator counts them.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, handle_alloc_error, realloc};
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::Once;

/// The size of a node of the parser's stack in bytes, in the version of tree-sitter that is used. A test notices another one.
const STACK_NODE: usize = 232;

/// Room for the size of an allocation, before it. As large as the greatest alignment that C asks for.
const HEADER: usize = 16;

thread_local! {
    static NODES: Cell<isize> = const { Cell::new(0) };
}

/// Nodes of parser stacks that were allocated and not freed on this thread.
pub(crate) fn stack_nodes() -> usize {
    usize::try_from(NODES.get()).unwrap_or(0)
}

/// Makes tree-sitter allocate here. Must come before anything else that allocates in it; what comes later changes nothing.
pub(crate) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let allocator = tree_sitter::Allocator { malloc: allocate, calloc: allocate_zeroed, realloc: reallocate, free };
        // SAFETY: the functions agree with each other: each block has a header with its size, is aligned for every C type and never
        // null. Everywhere this crate makes a parser, query or cursor it calls this function before. The only other user in our
        // programs, cds-locagent, has a process of its own for each of its commands and never runs beside this crate.
        #[allow(unsafe_code)]
        unsafe {
            tree_sitter::set_allocator(Some(allocator));
        }
    });
}

fn layout(size: usize) -> Layout {
    let whole = size.checked_add(HEADER).and_then(|whole| Layout::from_size_align(whole, HEADER).ok());
    whole.expect("a parser's allocation fits into memory")
}

fn count(size: usize, by: isize) {
    if size == STACK_NODE {
        // A thread that ends frees its parser after its counter is gone.
        let _ = NODES.try_with(|nodes| nodes.set(nodes.get() + by));
    }
}

/// Writes the header of a new block and gives what comes after it.
#[allow(unsafe_code)]
#[expect(clippy::cast_ptr_alignment, reason = "blocks are aligned to the header")]
fn begin(block: *mut u8, size: usize) -> *mut c_void {
    if block.is_null() {
        handle_alloc_error(layout(size));
    }
    count(size, 1);
    // SAFETY: the block is not null, aligned for `usize` and has room for the header and `size` bytes.
    unsafe {
        block.cast::<usize>().write(size);
        block.add(HEADER).cast()
    }
}

/// The block of a pointer that `begin` gave, and its size.
///
/// # Safety
///
/// The pointer must come from `begin` and must not be freed yet.
#[allow(unsafe_code)]
#[expect(clippy::cast_ptr_alignment, reason = "blocks are aligned to the header")]
unsafe fn block(given: *mut c_void) -> (*mut u8, usize) {
    // SAFETY: the header lies before what `begin` gave.
    unsafe {
        let block = given.cast::<u8>().sub(HEADER);
        (block, block.cast::<usize>().read())
    }
}

#[allow(unsafe_code)]
unsafe extern "C" fn allocate(size: usize) -> *mut c_void {
    // SAFETY: the layout is not empty, having a header.
    begin(unsafe { alloc(layout(size)) }, size)
}

#[allow(unsafe_code)]
unsafe extern "C" fn allocate_zeroed(members: usize, size: usize) -> *mut c_void {
    let size = members.checked_mul(size).expect("a parser's allocation fits into memory");
    // SAFETY: the layout is not empty, having a header.
    begin(unsafe { alloc_zeroed(layout(size)) }, size)
}

#[allow(unsafe_code)]
unsafe extern "C" fn reallocate(given: *mut c_void, size: usize) -> *mut c_void {
    if given.is_null() {
        // SAFETY: as `realloc` of C, which is `malloc` for null.
        return unsafe { allocate(size) };
    }
    // SAFETY: tree-sitter gives back what it was given, and what is not freed yet; the layout is the one that it was allocated with.
    unsafe {
        let (block, before) = block(given);
        count(before, -1);
        begin(realloc(block, layout(before), layout(size).size()), size)
    }
}

#[allow(unsafe_code)]
unsafe extern "C" fn free(given: *mut c_void) {
    if given.is_null() {
        return;
    }
    // SAFETY: as above.
    unsafe {
        let (block, size) = block(given);
        count(size, -1);
        dealloc(block, layout(size));
    }
}

#[cfg(test)]
mod tests {
    use super::{install, stack_nodes};
    use crate::Registry;

    #[test]
    fn nodes_of_the_parsers_stack_are_counted() {
        install();
        let python = Registry::builtin().by_name("python").unwrap();
        let deepest = |text: &str| {
            let mut parser = tree_sitter::Parser::new();
            parser.set_language(python.grammar().unwrap()).unwrap();
            let mut deepest = 0;
            let mut progress = |_: &tree_sitter::ParseState| {
                deepest = deepest.max(stack_nodes());
                std::ops::ControlFlow::Continue(())
            };
            let bytes = text.as_bytes();
            let options = tree_sitter::ParseOptions::new().progress_callback(&mut progress);
            let mut read = |at: usize, _: tree_sitter::Point| bytes.get(at..).unwrap_or_default();
            assert!(parser.parse_with_options(&mut read, None, Some(options)).is_some());
            drop(parser);
            assert_eq!(stack_nodes(), 0, "all are freed");
            deepest
        };
        let flat = deepest(&"a = 1\n".repeat(600));
        let deep = deepest(&format!("a = {}1{}\n", "(".repeat(600), ")".repeat(600)));
        assert!(flat < 100 && (500..1_500).contains(&deep), "{flat} and {deep}");
    }
}
