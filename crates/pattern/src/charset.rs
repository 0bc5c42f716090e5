//! Sets of code points, and JavaScript's idea of "the same letter in another case".
//! Used while compiling; the program keeps a flattened form.

use std::sync::LazyLock;

/// The highest code point.
pub(super) const LAST: u32 = 0x0010_FFFF;

/// A set of code points as sorted, non-touching inclusive ranges. Surrogates may be in it; they match nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CharSet {
    ranges: Vec<(u32, u32)>,
}

impl CharSet {
    pub(super) fn from_ranges(ranges: &[(u32, u32)]) -> Self {
        let mut set = Self { ranges: ranges.to_vec() };
        set.normalise();
        set
    }

    pub(super) fn single(char: char) -> Self {
        Self { ranges: vec![(u32::from(char), u32::from(char))] }
    }

    /// Everything `.` matches.
    pub(super) fn dot(dot_all: bool) -> Self {
        let lines = [(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)];
        Self::from_ranges(if dot_all { &[] } else { &lines }).negated()
    }

    /// The set of `\d`, `\w` or `\s`, or the complement for the upper-case letter.
    pub(super) fn escape(letter: char) -> Option<Self> {
        let digits = [(0x30, 0x39)];
        let word = [(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];
        let space = [
            (0x09, 0x0D),
            (0x20, 0x20),
            (0xA0, 0xA0),
            (0x1680, 0x1680),
            (0x2000, 0x200A),
            (0x2028, 0x2029),
            (0x202F, 0x202F),
            (0x205F, 0x205F),
            (0x3000, 0x3000),
            (0xFEFF, 0xFEFF),
        ];
        let set = match letter.to_ascii_lowercase() {
            'd' => Self::from_ranges(&digits),
            'w' => Self::from_ranges(&word),
            's' => Self::from_ranges(&space),
            _ => return None,
        };
        Some(if letter.is_ascii_uppercase() { set.negated() } else { set })
    }

    pub(super) fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    pub(super) fn contains(&self, code: u32) -> bool {
        let after = self.ranges.partition_point(|&(low, _)| low <= code);
        after.checked_sub(1).and_then(|i| self.ranges.get(i)).is_some_and(|&(_, high)| code <= high)
    }

    /// How many code points are in the set.
    pub(super) fn count(&self) -> u32 {
        self.ranges.iter().map(|&(low, high)| high - low + 1).sum()
    }

    pub(super) fn negated(&self) -> Self {
        let mut ranges = Vec::with_capacity(self.ranges.len() + 1);
        let mut next = 0;
        for &(low, high) in &self.ranges {
            if next < low {
                ranges.push((next, low - 1));
            }
            next = high + 1;
        }
        if next <= LAST {
            ranges.push((next, LAST));
        }
        Self { ranges }
    }

    /// Adds every character that JavaScript's `i` flag treats as equal to a member.
    pub(super) fn folded(&self) -> Self {
        let mut ranges = self.ranges.clone();
        for letter in 'a'..='z' {
            let (lower, upper) = (u32::from(letter), u32::from(letter.to_ascii_uppercase()));
            if self.contains(lower) != self.contains(upper) {
                ranges.extend([(lower, lower), (upper, upper)]);
            }
        }
        // ASCII folds only with ASCII, so the long table is needed only beyond it.
        if ranges.iter().any(|&(_, high)| high >= 0x80) {
            let start = ranges.len();
            for &(char, canonical) in CASED.iter() {
                if self.contains(u32::from(char)) {
                    ranges.push((u32::from(canonical), u32::from(canonical)));
                }
            }
            let with_canonical = Self::from_ranges(&ranges);
            ranges.truncate(start);
            ranges.extend_from_slice(&with_canonical.ranges);
            for &(char, canonical) in CASED.iter() {
                if with_canonical.contains(u32::from(canonical)) {
                    ranges.push((u32::from(char), u32::from(char)));
                }
            }
        }
        Self::from_ranges(&ranges)
    }

    fn normalise(&mut self) {
        self.ranges.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(self.ranges.len());
        for &(low, high) in &self.ranges {
            match merged.last_mut() {
                Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
                _ => merged.push((low, high)),
            }
        }
        self.ranges = merged;
    }
}

/// Every non-ASCII character whose canonical form is another character, with that form.
static CASED: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    // Scripts with case are all in the first two planes; looking further only takes time.
    ('\u{80}'..='\u{1FFFF}')
        .filter_map(|char| {
            let canonical = canonical(char);
            (canonical != char).then_some((char, canonical))
        })
        .collect()
});

/// JavaScript's `Canonicalize` for the `i` flag: the upper-case form when that is a single character, but
/// never from outside ASCII into it.
pub(super) fn canonical(char: char) -> char {
    if char.is_ascii() {
        return char.to_ascii_uppercase();
    }
    let mut upper = char.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(one), None) if !one.is_ascii() => one,
        _ => char,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_forms_are_stable() {
        // `folded` relies on this.
        for &(_, canonical_form) in CASED.iter() {
            assert_eq!(canonical(canonical_form), canonical_form);
        }
    }

    #[test]
    fn higher_planes_have_no_case() {
        assert!(('\u{20000}'..=char::MAX).all(|char| canonical(char) == char));
    }

    #[test]
    fn canonical_does_not_enter_ascii() {
        assert_eq!(canonical('k'), 'K');
        assert_eq!(canonical('\u{17F}'), '\u{17F}');
        assert_eq!(canonical('ß'), 'ß');
        assert_eq!(canonical('ä'), 'Ä');
    }

    #[test]
    fn ranges_merge_and_negate() {
        let set = CharSet::from_ranges(&[(5, 9), (1, 3), (4, 4), (20, 30)]);
        assert_eq!(set.ranges(), [(1, 9), (20, 30)]);
        assert_eq!(set.negated().ranges(), [(0, 0), (10, 19), (31, LAST)]);
        assert_eq!(set.negated().negated(), set);
        assert_eq!(CharSet::default().negated().ranges(), [(0, LAST)]);
        assert!(set.contains(9) && !set.contains(10) && !set.contains(0));
        assert_eq!(set.count(), 20);
    }

    #[test]
    fn escapes_hold_both_cases_already() {
        for letter in ['d', 'D', 'w', 'W', 's', 'S'] {
            let set = CharSet::escape(letter).unwrap();
            assert_eq!(set.folded(), set, "{letter}");
        }
    }

    #[test]
    fn folding_adds_the_other_case() {
        let set = CharSet::from_ranges(&[(0x61, 0x63), (0xE4, 0xE4)]).folded();
        for char in ['a', 'B', 'C', 'ä', 'Ä'] {
            assert!(set.contains(u32::from(char)), "{char}");
        }
        assert!(!set.contains(u32::from('d')));
        // Both sigmas share one upper-case form.
        let sigma = CharSet::single('ς').folded();
        assert!(sigma.contains(u32::from('σ')) && sigma.contains(u32::from('Σ')));
    }
}
