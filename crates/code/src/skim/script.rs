use crate::facts::Facts;
use crate::language::Language;
use crate::source::Source;

pub(super) fn facts(_language: Language, _source: &Source) -> Option<Facts> {
    None
}
