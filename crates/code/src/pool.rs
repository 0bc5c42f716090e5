//! Memory for the parser: what a thread frees, it uses again, without a lock and without asking the system.
//! A tree is ten thousand small blocks; musl's allocator takes one lock for each (docs/adr/0024).
#![allow(unsafe_code, reason = "the parser takes an allocator as C functions; see docs/adr/0024")]
#![allow(clippy::cast_ptr_alignment, reason = "every block and its head are aligned to 16")]

use std::alloc::{GlobalAlloc as _, Layout, System};
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;
use std::sync::{Mutex, Once};

/// Room before every block: how many bytes it has. Keeps blocks aligned for anything.
const HEAD: usize = 16;
/// Sizes of blocks rise by this.
const STEP: usize = 32;
/// Larger blocks come from the system and go back to it.
const LARGEST: usize = 2_048;
const SIZES: usize = LARGEST / STEP;
/// What is asked of the system at once.
const SLAB: usize = 64 << 10;

/// Makes the parser use the pool. Before the first parser is made.
pub(crate) fn install() {
    static ONCE: Once = Once::new();
    // SAFETY: the four functions are one allocator; nothing of the parser exists yet, because every parser is made
    // after this.
    ONCE.call_once(|| unsafe {
        tree_sitter::set_allocator(Some(malloc), Some(calloc), Some(realloc), Some(free));
    });
}

/// Blocks of one thread that are free, by size: each holds the address of the next. And the rest of a slab.
struct Free {
    lists: [Cell<*mut u8>; SIZES],
    slab: Cell<*mut u8>,
    left: Cell<usize>,
}

/// What threads that ended had free.
struct Stash(Vec<[*mut u8; SIZES]>);

// SAFETY: blocks of a thread that ended belong to nobody; the mutex gives them to one thread.
unsafe impl Send for Stash {}

static STASH: Mutex<Stash> = Mutex::new(Stash(Vec::new()));

thread_local! {
    static FREE: Free = Free::new();
}

impl Free {
    fn new() -> Self {
        let stashed = STASH.lock().ok().and_then(|mut stash| stash.0.pop());
        let lists = stashed.unwrap_or([ptr::null_mut(); SIZES]).map(Cell::new);
        Self { lists, slab: Cell::new(ptr::null_mut()), left: Cell::new(0) }
    }

    /// A block of this number of steps; null when the system has none.
    ///
    /// # Safety
    /// `steps` is at least 1.
    unsafe fn take(&self, steps: usize) -> *mut u8 {
        let Some(list) = self.lists.get(steps - 1) else { return ptr::null_mut() };
        let block = list.get();
        if !block.is_null() {
            // SAFETY: a free block holds the address of the next one, or null.
            list.set(unsafe { block.cast::<*mut u8>().read() });
            return block;
        }
        let size = HEAD + steps * STEP;
        if self.left.get() < size {
            // SAFETY: the size is not zero.
            let slab = unsafe { System.alloc(Layout::new::<[u128; SLAB / 16]>()) };
            if slab.is_null() {
                return slab;
            }
            self.slab.set(slab);
            self.left.set(SLAB);
        }
        let at = self.slab.get();
        // SAFETY: `size` bytes are left in the slab; HEAD and STEP keep what is cut off aligned to 16.
        unsafe {
            self.slab.set(at.add(size));
            self.left.set(self.left.get() - size);
            at.cast::<usize>().write(steps * STEP);
            at.add(HEAD)
        }
    }

    /// Takes a block back.
    ///
    /// # Safety
    /// `block` is from `take` with this number of steps, in any thread, and nobody uses it.
    unsafe fn put(&self, block: *mut u8, steps: usize) {
        if let Some(list) = self.lists.get(steps - 1) {
            // SAFETY: the block has at least one step, which holds an address.
            unsafe { block.cast::<*mut u8>().write(list.get()) };
            list.set(block);
        }
    }
}

impl Drop for Free {
    fn drop(&mut self) {
        if let Ok(mut stash) = STASH.lock() {
            stash.0.push(self.lists.each_ref().map(Cell::get));
        }
    }
}

/// A block of the system's, with its head.
fn large(size: usize) -> Option<Layout> {
    Layout::from_size_align(HEAD.checked_add(size)?, HEAD).ok()
}

unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    let steps = size.max(1).div_ceil(STEP);
    if steps <= SIZES {
        // SAFETY: at least one step. A thread that is ending has no lists any more.
        let block = FREE.try_with(|free| unsafe { free.take(steps) });
        return block.unwrap_or_else(|_| unsafe { of_system(steps * STEP) }).cast();
    }
    // SAFETY: always.
    unsafe { of_system(size) }.cast()
}

/// A block of the system's; null when it has none.
///
/// # Safety
/// Always; it is `unsafe` as all that deals in addresses.
unsafe fn of_system(size: usize) -> *mut u8 {
    let Some(layout) = large(size) else { return ptr::null_mut() };
    // SAFETY: the layout is not empty, and has room for the head.
    unsafe {
        let start = System.alloc(layout);
        if start.is_null() {
            return start;
        }
        start.cast::<usize>().write(size);
        start.add(HEAD)
    }
}

unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    let Some(bytes) = count.checked_mul(size) else { return ptr::null_mut() };
    // SAFETY: a block that is not null has at least `bytes` bytes.
    unsafe {
        let block = malloc(bytes);
        if !block.is_null() {
            block.write_bytes(0, bytes);
        }
        block
    }
}

unsafe extern "C" fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    if block.is_null() {
        // SAFETY: as `malloc`.
        return unsafe { malloc(size) };
    }
    // SAFETY: the block is ours, so that its head says how large it is; the new one is at least as large as what is
    // copied. A large block that stays large is the system's to move.
    unsafe {
        let start = block.cast::<u8>().sub(HEAD);
        let has = start.cast::<usize>().read();
        if size <= has && has <= LARGEST {
            return block;
        }
        if let Some(layout) = large(has)
            && has > LARGEST
            && size > LARGEST
            && let Some(wanted) = large(size)
        {
            let moved = System.realloc(start, layout, wanted.size());
            if moved.is_null() {
                return ptr::null_mut();
            }
            moved.cast::<usize>().write(size);
            return moved.add(HEAD).cast();
        }
        let new = malloc(size);
        if !new.is_null() {
            ptr::copy_nonoverlapping(block.cast::<u8>(), new.cast::<u8>(), has.min(size));
            free(block);
        }
        new
    }
}

unsafe extern "C" fn free(block: *mut c_void) {
    if block.is_null() {
        return;
    }
    // SAFETY: the block is ours, so that its head says how large it is and where it came from.
    unsafe {
        let start = block.cast::<u8>().sub(HEAD);
        let has = start.cast::<usize>().read();
        if has <= LARGEST {
            // In a thread that is ending the block is lost, which is all that can happen to it.
            let _ = FREE.try_with(|free| free.put(block.cast(), has / STEP));
        } else if let Some(layout) = large(has) {
            System.dealloc(start, layout);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// Fills a block with a byte of its own and remembers it.
    fn fill(block: *mut c_void, size: usize, with: u8) {
        // SAFETY: the block has `size` bytes.
        unsafe { block.cast::<u8>().write_bytes(with, size) };
    }

    fn holds(block: *mut c_void, size: usize, with: u8) -> bool {
        // SAFETY: the block has `size` bytes, all written.
        (0..size).all(|at| unsafe { block.cast::<u8>().add(at).read() } == with)
    }

    /// Mostly around where one size ends and another begins.
    fn sizes() -> impl Strategy<Value = usize> {
        prop_oneof![0_usize..100, 2_000_usize..2_100, 0_usize..5_000]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Whatever is asked for, grown and freed, no block changes another.
        #[test]
        fn blocks_are_aligned_and_their_own(steps in proptest::collection::vec((0_u8..4, sizes(), 0_usize..8), 1..60)) {
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
    fn what_is_freed_is_used_again_also_after_the_thread_ended() {
        // SAFETY: blocks are freed once; addresses are only compared.
        unsafe {
            let one = malloc(500);
            free(one);
            assert_eq!(malloc(490), one);
            free(one);
        }
        let address = std::thread::spawn(|| {
            // SAFETY: freed once.
            let block = unsafe { malloc(700) };
            unsafe { free(block) };
            block as usize
        });
        let address = address.join().unwrap();
        // Another thread may have taken the stash first: what it leaves comes back with the next ones.
        let found = (0..1_000).any(|_| {
            std::thread::spawn(move || {
                // SAFETY: freed once.
                let block = unsafe { malloc(700) };
                unsafe { free(block) };
                block as usize == address
            })
            .join()
            .unwrap()
        });
        assert!(found);
    }

    #[test]
    fn a_tree_may_be_dropped_in_another_thread() {
        let text = "def a():\n    return [1, 2, {3: 4}]\n".repeat(200);
        let trees: Vec<_> = (0..4)
            .map(|_| {
                let text = text.clone();
                std::thread::spawn(move || {
                    crate::parse::text(crate::Language::Python, &text, crate::Limits::QUICK).unwrap()
                })
            })
            .map(|thread| thread.join().unwrap())
            .collect();
        for parsed in trees {
            assert_eq!(parsed.tree.root_node().named_child_count(), 200);
            drop(parsed);
            let again = crate::parse::text(crate::Language::Python, &text, crate::Limits::QUICK).unwrap();
            assert!(!again.tree.root_node().has_error());
        }
    }
}
