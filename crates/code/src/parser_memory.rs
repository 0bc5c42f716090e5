//! The parser's memory: taken from the program's global allocator, which the C library's `malloc` would bypass
//! (docs/adr/0024).
#![allow(unsafe_code, reason = "the parser takes an allocator as C functions; see docs/adr/0024")]
#![allow(clippy::cast_ptr_alignment, reason = "every block and its header are aligned to 16")]

use std::alloc::{self, Layout};
use std::ffi::c_void;
use std::ptr;
use std::sync::Once;

/// Bytes before every block, which hold its size: C frees without saying it. Keeps blocks aligned for anything.
const HEADER: usize = 16;

/// Makes the parser use the global allocator. Called before a parser is made.
pub(crate) fn install() {
    static ONCE: Once = Once::new();
    // SAFETY: the four functions are one allocator; nothing of the parser exists yet, because every parser is made
    // after this.
    ONCE.call_once(|| unsafe {
        tree_sitter::set_allocator(Some(malloc), Some(calloc), Some(realloc), Some(free));
    });
}

/// The layout of a block with its header; never empty.
fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(HEADER.checked_add(size)?, HEADER).ok()
}

/// Writes the header of a block that the allocator gave; null stays null.
///
/// # Safety
/// `start` is null or has `HEADER + size` bytes, aligned to `HEADER`.
unsafe fn with_header(start: *mut u8, size: usize) -> *mut c_void {
    if start.is_null() {
        return ptr::null_mut();
    }
    // SAFETY: as the caller says.
    unsafe {
        start.cast::<usize>().write(size);
        start.add(HEADER).cast()
    }
}

/// The start of a block and its layout.
///
/// # Safety
/// `block` is from this allocator.
unsafe fn header(block: *mut c_void) -> (*mut u8, Option<Layout>) {
    // SAFETY: every block has its header before it.
    unsafe {
        let start = block.cast::<u8>().sub(HEADER);
        (start, layout(start.cast::<usize>().read()))
    }
}

unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    let Some(layout) = layout(size) else { return ptr::null_mut() };
    // SAFETY: the layout is not empty and has room for the header.
    unsafe { with_header(alloc::alloc(layout), size) }
}

unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    let Some(size) = count.checked_mul(size) else { return ptr::null_mut() };
    let Some(layout) = layout(size) else { return ptr::null_mut() };
    // SAFETY: the layout is not empty and has room for the header.
    unsafe { with_header(alloc::alloc_zeroed(layout), size) }
}

unsafe extern "C" fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    if block.is_null() {
        // SAFETY: as `malloc`.
        return unsafe { malloc(size) };
    }
    // SAFETY: the block is from this allocator, with the layout that its header says; the new size has room for the
    // header, and `layout` has checked that it does not overflow.
    unsafe {
        let (start, Some(old)) = header(block) else { return ptr::null_mut() };
        let Some(new) = layout(size) else { return ptr::null_mut() };
        with_header(alloc::realloc(start, old, new.size()), size)
    }
}

unsafe extern "C" fn free(block: *mut c_void) {
    if block.is_null() {
        return;
    }
    // SAFETY: the block is from this allocator, with the layout that its header says.
    unsafe {
        if let (start, Some(layout)) = header(block) {
            alloc::dealloc(start, layout);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// Fills a block with a byte of its own.
    fn fill(block: *mut c_void, size: usize, with: u8) {
        // SAFETY: the block has `size` bytes.
        unsafe { block.cast::<u8>().write_bytes(with, size) };
    }

    fn holds(block: *mut c_void, size: usize, with: u8) -> bool {
        // SAFETY: the block has `size` bytes, all written.
        (0..size).all(|at| unsafe { block.cast::<u8>().add(at).read() } == with)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Whatever is asked for, grown and freed, no block changes another.
        #[test]
        fn blocks_are_aligned_and_disjoint(steps in proptest::collection::vec((0_u8..4, 0_usize..5_000, 0_usize..8), 1..60)) {
            let mut live: HashMap<usize, (*mut c_void, usize, u8)> = HashMap::new();
            for (round, (what, size, slot)) in steps.into_iter().enumerate() {
                let with = round as u8;
                // SAFETY: only live blocks are grown and freed, each once.
                unsafe {
                    match (what, live.remove(&slot)) {
                        (0, Some((block, _, _))) => free(block),
                        (1, Some((block, had, was))) => {
                            let grown = realloc(block, size);
                            prop_assert!(holds(grown, had.min(size), was));
                            fill(grown, size, with);
                            live.insert(slot, (grown, size, with));
                        }
                        (2, None) => {
                            let block = calloc(size, 1);
                            prop_assert!(holds(block, size, 0));
                            fill(block, size, with);
                            live.insert(slot, (block, size, with));
                        }
                        (_, old) => {
                            if let Some((block, _, _)) = old {
                                free(block);
                            }
                            let block = malloc(size);
                            fill(block, size, with);
                            live.insert(slot, (block, size, with));
                        }
                    }
                }
                for (block, size, with) in live.values() {
                    prop_assert_eq!(*block as usize % 16, 0);
                    prop_assert!(holds(*block, *size, *with));
                }
            }
            // SAFETY: each live block once.
            live.into_values().for_each(|(block, _, _)| unsafe { free(block) });
        }
    }

    #[test]
    fn sizes_that_overflow_give_null() {
        // SAFETY: null is freed as nothing; the block is freed once.
        unsafe {
            assert!(malloc(usize::MAX).is_null());
            assert!(calloc(usize::MAX, 2).is_null());
            let block = malloc(0);
            assert!(!block.is_null() && realloc(block, usize::MAX).is_null());
            free(block);
            free(ptr::null_mut());
        }
    }

    #[test]
    fn a_tree_may_be_dropped_in_another_thread() {
        let text = "def a():\n    return [1, 2, {3: 4}]\n".repeat(200);
        let parse =
            |text: &str| crate::parse::text(crate::Language::Python, text, crate::Limits::QUICK).unwrap();
        let trees: Vec<_> = (0..4)
            .map(|_| {
                let text = text.clone();
                std::thread::spawn(move || parse(&text))
            })
            .map(|thread| thread.join().unwrap())
            .collect();
        for parsed in trees {
            assert_eq!(parsed.tree.root_node().named_child_count(), 200);
            drop(parsed);
            assert!(!parse(&text).tree.root_node().has_error());
        }
    }
}
