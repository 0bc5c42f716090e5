use crate::facts::Facts;
use crate::source::Source;

pub(super) fn facts(_source: &Source) -> Option<Facts> {
    None
}
