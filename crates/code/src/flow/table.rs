//! A list whose places are handed out by itself: an id that it gave is always there.

use std::ops::{Index, IndexMut};

/// Things by number.
#[derive(Clone, Debug)]
pub struct Table<T>(Vec<T>);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Table<T> {
    /// `count` times the same.
    pub fn filled(value: T, count: usize) -> Self
    where
        T: Clone,
    {
        Self(vec![value; count])
    }

    /// One more; its number.
    pub fn push(&mut self, value: T) -> u32 {
        self.0.push(value);
        self.0.len() as u32 - 1
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    /// All with their numbers.
    pub fn each(&self) -> impl DoubleEndedIterator<Item = (u32, &T)> {
        self.0.iter().enumerate().map(|(id, value)| (id as u32, value))
    }
}

#[expect(clippy::indexing_slicing, reason = "ids are made by push alone, and nothing is removed")]
impl<T> Index<u32> for Table<T> {
    type Output = T;

    fn index(&self, id: u32) -> &T {
        &self.0[id as usize]
    }
}

#[expect(clippy::indexing_slicing, reason = "ids are made by push alone, and nothing is removed")]
impl<T> IndexMut<u32> for Table<T> {
    fn index_mut(&mut self, id: u32) -> &mut T {
        &mut self.0[id as usize]
    }
}

impl<T> FromIterator<T> for Table<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl<'t, T> IntoIterator for &'t Table<T> {
    type Item = &'t T;
    type IntoIter = std::slice::Iter<'t, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
