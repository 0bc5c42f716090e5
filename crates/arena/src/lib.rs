//! The allocator: the first megabytes come from a fixed arena and are never given back, the rest from a pool.
//! A hook lives for a fraction of a millisecond; giving memory back costs more than the work (docs/adr/0010).
#![allow(unsafe_code, reason = "an allocator cannot be written without; see docs/adr/0010")]

mod pool;

use pool::Pool;
use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Untouched pages cost nothing, so there is room for a question about code as well as for a hook.
const SIZE: usize = 4 << 20;

/// Hands out the arena from its start; what does not fit comes from the pool.
pub struct Arena {
    bytes: UnsafeCell<[u8; SIZE]>,
    used: AtomicUsize,
    rest: Pool,
}

// SAFETY: `used` only grows, by atomic exchange, and every byte below it belongs to exactly one allocation.
unsafe impl Sync for Arena {}

impl Arena {
    #[allow(clippy::large_stack_arrays, reason = "only ever called for a static")]
    /// An arena of which nothing is used.
    #[expect(clippy::new_without_default, reason = "there is one, and it is a static")]
    pub const fn new() -> Self {
        Self { bytes: UnsafeCell::new([0; SIZE]), used: AtomicUsize::new(0), rest: Pool::new() }
    }

    fn start(&self) -> usize {
        self.bytes.get() as usize
    }

    fn holds(&self, pointer: *mut u8) -> bool {
        (self.start()..self.start() + SIZE).contains(&(pointer as usize))
    }

    /// Takes `size` bytes at `align`; `None` when the arena is used up.
    fn take(&self, layout: Layout) -> Option<*mut u8> {
        let mut used = self.used.load(Ordering::Relaxed);
        loop {
            let at = (self.start() + used).checked_next_multiple_of(layout.align())? - self.start();
            let end = at.checked_add(layout.size())?;
            if end > SIZE {
                return None;
            }
            match self.used.compare_exchange_weak(used, end, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some((self.start() + at) as *mut u8),
                Err(now) => used = now,
            }
        }
    }
}

// SAFETY: memory from the arena is aligned, inside its bounds, disjoint and valid for the program's life; all
// other memory is the pool's, which gets back only what it gave.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match self.take(layout) {
            Some(pointer) => pointer,
            None => unsafe { self.rest.alloc(layout) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match self.take(layout) {
            // The arena is zero where it was never handed out, and nothing is handed out twice.
            Some(pointer) => pointer,
            None => unsafe { self.rest.alloc_zeroed(layout) },
        }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if !self.holds(pointer) {
            unsafe { self.rest.dealloc(pointer, layout) }
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !self.holds(pointer) {
            return unsafe { self.rest.realloc(pointer, layout, size) };
        }
        // The last allocation grows where it is: a text that is built up is not copied.
        let at = pointer as usize - self.start();
        let (end, wanted) = (at + layout.size(), at.saturating_add(size));
        if wanted <= SIZE
            && self.used.compare_exchange(end, wanted.max(end), Ordering::Relaxed, Ordering::Relaxed).is_ok()
        {
            return pointer;
        }
        if size <= layout.size() {
            return pointer;
        }
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !new.is_null() {
                std::ptr::copy_nonoverlapping(pointer, new, layout.size());
            }
            new
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// An interpreter takes its time.
    const SLOWER: usize = if cfg!(miri) { 50 } else { 1 };

    #[test]
    fn allocations_are_aligned_disjoint_and_survive_growth() {
        static OWN: Arena = Arena::new();
        let arena = &OWN;
        let mut live: BTreeMap<usize, usize> = BTreeMap::new();
        for round in 0..16_000 / SLOWER {
            let (size, align) = (1 + round * 37 % 600, 1 << (round % 7));
            let layout = Layout::from_size_align(size, align).unwrap();
            // SAFETY: a valid layout of a size that is not zero; the pointer is used within its bounds.
            let (pointer, size) = unsafe {
                let mut pointer = arena.alloc(layout);
                assert_eq!(pointer as usize % align, 0);
                pointer.write_bytes(round as u8, size);
                let grown = if round % 3 == 0 { size * 2 } else { size };
                if grown != size {
                    pointer = arena.realloc(pointer, layout, grown);
                    assert!((0..size).all(|at| *pointer.add(at) == round as u8), "round {round}");
                }
                (pointer as usize, grown)
            };
            let before = live.range(..=pointer).next_back();
            assert!(
                before.is_none_or(|(at, len)| at + len <= pointer),
                "round {round} overlaps the one before"
            );
            let after = live.range(pointer..).next();
            assert!(
                after.is_none_or(|(at, _)| pointer + size <= *at),
                "round {round} overlaps the one after"
            );
            live.insert(pointer, size);
        }
        assert!(arena.used.load(Ordering::Relaxed) <= SIZE, "the rest came from the pool");
    }

    #[test]
    fn threads_never_share_a_byte() {
        static OWN: Arena = Arena::new();
        let arena = &OWN;
        let layout = Layout::from_size_align(24, 8).unwrap();
        let threads: Vec<_> = (0..4)
            .map(|_| {
                // SAFETY: a valid layout of a size that is not zero.
                std::thread::spawn(move || {
                    (0..5_000 / SLOWER).map(|_| unsafe { arena.alloc(layout) } as usize).collect::<Vec<_>>()
                })
            })
            .collect();
        let mut all: Vec<usize> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| pair[0] + 24 <= pair[1]));
    }
}
