//! Parts of texts and lists at computed positions.

use std::ops::RangeBounds;
use std::slice::SliceIndex;

/// The part of `text` at `range`. A range that is not within the text, or not on character boundaries, is a fault of the
/// caller: tests and fuzzing stop there, a release build goes on with nothing.
#[track_caller]
pub fn slice<R>(text: &str, range: R) -> &str
where
    R: RangeBounds<usize> + SliceIndex<str, Output = str>,
{
    let part = text.get(range);
    debug_assert!(part.is_some(), "a range outside of a text of {} bytes", text.len());
    part.unwrap_or_default()
}

/// The items of `list` at `range`; the same for lists.
#[track_caller]
pub fn items<T, R>(list: &[T], range: R) -> &[T]
where
    R: RangeBounds<usize> + SliceIndex<[T], Output = [T]>,
{
    let part = list.get(range);
    debug_assert!(part.is_some(), "a range outside of a list of {} items", list.len());
    part.unwrap_or_default()
}

/// The items behind the first `count`; none when there are no more than that.
pub fn behind<T>(list: &[T], count: usize) -> &[T] {
    items(list, count.min(list.len())..)
}
