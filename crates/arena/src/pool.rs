//! Memory beyond the arena: blocks in a few dozen sizes that are used again, in parts so that threads do not wait for one
//! another. musl's allocator has one lock for all, and maps and unmaps pages as texts come and go (docs/adr/0010).
#![allow(unsafe_code, reason = "an allocator cannot be written without; see docs/adr/0010")]
#![allow(clippy::cast_ptr_alignment, reason = "every block is aligned to 16")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, UnsafeCell};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Blocks are aligned to this, and small ones are a multiple of it.
const STEP: usize = 16;
/// Sizes rise by a step up to this, and by a quarter of themselves after it.
const SMALL: usize = 512;
/// Larger blocks come from the system and go back to it.
const LARGEST: usize = 1 << 20;
const SIZES: usize = SMALL / STEP + 4 * (LARGEST / SMALL).ilog2() as usize;
/// What is asked of the system at once.
const SLAB: usize = 256 << 10;
const SHARDS: usize = 16;

/// One part of the pool: lists of free blocks by size, each block holding the address of the next; and the rest of a slab.
#[repr(align(64))]
struct Shard {
    busy: AtomicBool,
    inside: UnsafeCell<Inside>,
}

struct Inside {
    lists: [*mut u8; SIZES],
    slab: *mut u8,
    left: usize,
}

thread_local! {
    /// The number of this thread's shard, from 1; 0 before it has one. Nothing to make and nothing to drop: an allocator
    /// may not need memory itself.
    static OWN: Cell<usize> = const { Cell::new(0) };
}

fn own_shard(own: &Cell<usize>) -> usize {
    static LAST: AtomicUsize = AtomicUsize::new(0);
    if own.get() == 0 {
        own.set(LAST.fetch_add(1, Ordering::Relaxed).wrapping_add(1).max(1));
    }
    own.get()
}

/// The pool.
pub(crate) struct Pool {
    shards: [Shard; SHARDS],
}

// SAFETY: what is inside a shard is touched only by the one who made it busy.
unsafe impl Sync for Pool {}

/// The number of a size, and how large its blocks are; `None` when the system is asked.
fn size_of(layout: Layout) -> Option<(usize, usize)> {
    let size = layout.size();
    if size > LARGEST || layout.align() > STEP {
        return None;
    }
    let last = size.max(1) - 1;
    if last < SMALL {
        return Some((last / STEP, (last / STEP + 1) * STEP));
    }
    let doubling = last.ilog2() as usize;
    let quarter = (last >> (doubling - 2)) & 3;
    let number = SMALL / STEP + 4 * (doubling - SMALL.ilog2() as usize) + quarter;
    Some((number, (1 << doubling) + ((quarter + 1) << (doubling - 2))))
}

impl Pool {
    pub(crate) const fn new() -> Self {
        const EMPTY: Inside = Inside { lists: [ptr::null_mut(); SIZES], slab: ptr::null_mut(), left: 0 };
        Self {
            shards: [const { Shard { busy: AtomicBool::new(false), inside: UnsafeCell::new(EMPTY) } };
                SHARDS],
        }
    }

    /// Does something with a shard that nobody else uses: this thread's own, or the next one that is free. A thread keeps
    /// to its own, so that it finds again what it gave back.
    fn with<T>(&self, act: impl FnOnce(&mut Inside) -> T) -> T {
        let mut number = OWN.try_with(own_shard).unwrap_or(0);
        loop {
            if let Some(shard) = self.shards.get(number % SHARDS)
                && !shard.busy.swap(true, Ordering::Acquire)
            {
                // SAFETY: nobody else is inside while it is busy.
                let result = act(unsafe { &mut *shard.inside.get() });
                shard.busy.store(false, Ordering::Release);
                return result;
            }
            number = number.wrapping_add(1);
            std::hint::spin_loop();
        }
    }
}

impl Inside {
    fn take(&mut self, number: usize, size: usize) -> *mut u8 {
        let Some(list) = self.lists.get_mut(number) else { return ptr::null_mut() };
        let block = *list;
        if !block.is_null() {
            // SAFETY: a free block holds the address of the next one, or null.
            *list = unsafe { block.cast::<*mut u8>().read() };
            return block;
        }
        if size > SLAB / 4 {
            return Layout::from_size_align(size, STEP)
                // SAFETY: the size is not zero.
                .map_or(ptr::null_mut(), |layout| unsafe { System.alloc(layout) });
        }
        if self.left < size {
            // SAFETY: the size is not zero.
            let slab = unsafe { System.alloc(Layout::new::<[u128; SLAB / 16]>()) };
            if slab.is_null() {
                return slab;
            }
            (self.slab, self.left) = (slab, SLAB);
        }
        let block = self.slab;
        // SAFETY: `size` bytes are left in the slab; sizes are multiples of 16, so that what is cut off stays aligned.
        self.slab = unsafe { block.add(size) };
        self.left -= size;
        block
    }

    /// # Safety
    /// The block is of this size and nobody uses it.
    unsafe fn put(&mut self, block: *mut u8, number: usize) {
        if let Some(list) = self.lists.get_mut(number) {
            // SAFETY: the smallest block holds an address.
            unsafe { block.cast::<*mut u8>().write(*list) };
            *list = block;
        }
    }
}

// SAFETY: a block is in one list or in one hand; it is as large as its size says, which the layout tells again when it
// comes back; blocks of no size are the system's, which gets back only what it gave.
// Never inlined: an allocation stands in thousands of places, and whole-program optimisation chokes on a loop in each.
unsafe impl GlobalAlloc for Pool {
    #[inline(never)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match size_of(layout) {
            Some((number, size)) => self.with(|inside| inside.take(number, size)),
            None => unsafe { System.alloc(layout) },
        }
    }

    #[inline(never)]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if size_of(layout).is_none() {
            // SAFETY: as the caller says. Large blocks are zero without being touched.
            return unsafe { System.alloc_zeroed(layout) };
        }
        // SAFETY: as the caller says; the block has this size.
        unsafe {
            let block = self.alloc(layout);
            if !block.is_null() {
                block.write_bytes(0, layout.size());
            }
            block
        }
    }

    #[inline(never)]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match size_of(layout) {
            // SAFETY: the caller gives back what it was given, with the same layout.
            Some((number, _)) => self.with(|inside| unsafe { inside.put(block, number) }),
            None => unsafe { System.dealloc(block, layout) },
        }
    }

    #[inline(never)]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's size is not zero and does not overflow at this alignment.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (size_of(layout), size_of(wanted)) {
            (Some(has), Some(wants)) if has == wants => block,
            // SAFETY: the block is the system's before and after.
            (None, None) => unsafe { System.realloc(block, layout, size) },
            // SAFETY: the new block has room for what is copied, and is another one.
            _ => unsafe {
                let new = self.alloc(wanted);
                if !new.is_null() {
                    ptr::copy_nonoverlapping(block, new, layout.size().min(size));
                    self.dealloc(block, layout);
                }
                new
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An interpreter takes its time.
    const SLOWER: usize = if cfg!(miri) { 40 } else { 1 };

    #[test]
    #[cfg_attr(miri, ignore = "a million numbers and no pointer")]
    fn every_size_has_blocks_that_hold_it_and_little_more() {
        let mut before = (0, STEP);
        for size in 1..=LARGEST {
            let (number, has) = size_of(Layout::from_size_align(size, 8).unwrap()).unwrap();
            assert!(number < SIZES && has >= size && has % STEP == 0, "{size}: {number}, {has}");
            assert!(has <= size + STEP.max(size / 4 + 1), "{size}: {has}");
            assert!((number, has) == before || (number == before.0 + 1 && has > before.1), "{size}");
            before = (number, has);
        }
        assert_eq!(before, (SIZES - 1, LARGEST));
        assert_eq!(size_of(Layout::from_size_align(LARGEST + 1, 8).unwrap()), None);
        assert_eq!(size_of(Layout::from_size_align(8, 32).unwrap()), None);
    }

    /// A block's bytes are all this one; of a large block some thousands are looked at, its ends among them.
    ///
    /// # Safety
    /// The block has this many bytes, all written.
    unsafe fn holds(block: *mut u8, size: usize, mark: u8) -> bool {
        let step = (size / 2_000).max(1);
        (0..size).step_by(step).chain([size - 1]).all(|at| unsafe { block.add(at).read() } == mark)
    }

    /// Many blocks of all sizes, some grown, some given back: none touches another's bytes.
    fn exercise(pool: &Pool, seed: usize) {
        let mut live: Vec<(*mut u8, Layout, u8)> = Vec::new();
        let mut dice = seed;
        for round in 0..3_000 / SLOWER {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let roll = dice >> 33;
            let size = if roll.is_multiple_of(50) { roll % (3 * LARGEST) } else { roll % 3_000 } + 1;
            let mark = (round + seed) as u8;
            // SAFETY: layouts are valid and not empty; every block is used within its layout and given back once.
            unsafe {
                let layout = Layout::from_size_align(size, 1 << (roll % 7)).unwrap();
                let block =
                    if roll.is_multiple_of(5) { pool.alloc_zeroed(layout) } else { pool.alloc(layout) };
                assert_eq!(block as usize % layout.align(), 0);
                assert!(!roll.is_multiple_of(5) || holds(block, size, 0), "zero");
                block.write_bytes(mark, size);
                live.push((block, layout, mark));
                if roll.is_multiple_of(3) {
                    let (block, layout, mark) = live.swap_remove(roll % live.len());
                    let size = layout.size();
                    assert!(holds(block, size, mark), "round {round}");
                    if roll.is_multiple_of(2) {
                        pool.dealloc(block, layout);
                    } else {
                        let wanted = 1 + roll % (2 * size);
                        let moved = pool.realloc(block, layout, wanted);
                        assert!(
                            (0..size.min(wanted)).all(|at| moved.add(at).read() == mark),
                            "round {round}"
                        );
                        moved.write_bytes(mark, wanted);
                        live.push((moved, Layout::from_size_align(wanted, layout.align()).unwrap(), mark));
                    }
                }
            }
        }
        for (block, layout, mark) in live {
            // SAFETY: as above.
            unsafe {
                assert!(holds(block, layout.size(), mark));
                pool.dealloc(block, layout);
            }
        }
    }

    #[test]
    fn blocks_are_aligned_disjoint_and_survive_growth() {
        static OWN: Pool = Pool::new();
        exercise(&OWN, 7);
    }

    #[test]
    fn threads_never_share_a_byte() {
        static OWN: Pool = Pool::new();
        std::thread::scope(|scope| {
            for seed in 0..4 {
                scope.spawn(move || exercise(&OWN, seed));
            }
        });
    }

    #[test]
    fn what_is_given_back_is_used_again() {
        static OWN: Pool = Pool::new();
        let layout = Layout::from_size_align(40_000, 8).unwrap();
        // SAFETY: the layout is valid and not empty; the block is given back once each time.
        let blocks: Vec<usize> = (0..10)
            .map(|_| unsafe {
                let block = OWN.alloc(layout);
                OWN.dealloc(block, layout);
                block as usize
            })
            .collect();
        assert!(blocks.windows(2).all(|pair| pair[0] == pair[1]));
    }
}
