use crate::stock::{Item, Thing as Other};

pub const LIMIT: u32 = 10;

/// A cart.
#[derive(Debug)]
pub struct Cart {
    items: Vec<Item>,
}

pub trait Able {
    fn able(&self) -> bool;
}

impl Cart {
    /// Adds an item.
    ///
    /// More.
    #[inline]
    pub fn add(&mut self, item: Item) -> u32 {
        1
    }

    fn total(&mut self) -> u32 {
        self.add(Item)
    }
}

fn pay(cart: &mut Cart) {
    fn inner() {}
    cart.add(1);
}

mod tests {
    fn main() {
        pay(&mut Cart { items: vec![] });
    }
}
