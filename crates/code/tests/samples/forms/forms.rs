//! Forms of Rust that the scanner and the tree must agree on.
#![allow(dead_code)]

use std::collections::{self, BTreeMap as Map, hash_map::{Entry, *}};
pub use self::inner::deep;
pub(crate) use crate::a::{b, /* a comment */ c as _};
use ::core::fmt;
use alone;
use {x::y, z};
extern crate alloc;

macro_rules! make {
    ($name:ident) => { fn $name() {} };
}

macro_rules! round ( () => () );

make!(made);
make! { fn not_an_item() {} }
thread_local! { static HIDDEN: u8 = 1; }

pub const LIMIT: usize = { const fn size() -> usize { 4 } size() };
pub(in crate::a) static mut COUNT: [u8; 3] = [1, 2, 3];
const _: () = assert!(LIMIT > 0);
const POINTER: *const u8 = &0;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A unit.
#[derive(Debug, Clone)]
#[cfg_attr(
    test,
    derive(PartialEq)
)]
pub struct Unit;
pub struct Tuple<T>(pub T, u8) where T: Copy;
struct Generic<'a, T: 'a + Fn(u8) -> u8, const N: usize = 3> where T: Copy {
    field: &'a [T; N],
    call: fn(u8) -> u8,
}
union Bits { a: u32, b: f32 }
enum Kind { A(u8), B { c: u8 }, C }

pub unsafe trait Marker {}
pub trait Able<T>: Clone + for<'a> Other<&'a T> + Send where T: Copy {
    const SIZE: usize;
    const DEFAULT: usize = 3;
    type Item: Iterator<Item = u8>;
    type Set = Vec<u8>;
    fn able(&self) -> bool;
    async fn given(&self) -> Option<[u8; { 1 + 2 }]> { None }
}

impl<T> Able<T> for Generic<'_, T, { 1 + 2 }> where T: Fn(u8) -> u8 {
    type Item = u8;
    const SIZE: usize = 1;
    fn able(&self) -> bool { true }
}
impl !Send for Unit {}
unsafe impl<'a> Sync for &'a mut Unit {}
impl<F> dyn Able<F> + '_ { fn on_dyn(&self) {} }
impl fmt::Display for Box<dyn for<'a> Fn(&'a u8)> {}

pub(crate) const unsafe extern "C" fn many(a: u8, f: impl Fn(u8) -> u8) -> impl Iterator<Item = u8> {
    fn inner<T>() where T: Copy {
        const LOCAL: u8 = 1;
        struct Deep;
        impl Deep { const SEEN: u8 = 1; fn method() {} }
    }
    let union = 1;
    let r#type = union < 2 && union > 1;
    let text = r#"fn no() {}"#;
    let c = ['"', '\'', '{', b'\\'];
    'label: loop { break 'label; }
    if !(text.is_empty()) { fn in_block() {} }
    let closure = || { fn in_closure() {} };
    match a { 1..=3 => { use late::import; } _ => {} }
    vec![{ fn not_an_item() {} }];
    [1].into_iter()
}

extern "C" {
    fn foreign(a: *const u8, ...) -> u8;
    static FOREIGN: u8;
}

fn r#match<T>(self_: T) -> Vec<T> where Vec<T>: Sized {}

mod declared;
/* A block /* in a block */ comment. */
pub mod inner {
    pub mod deep { pub fn down() {} }
}
