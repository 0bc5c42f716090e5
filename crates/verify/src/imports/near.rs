//! The nearest name that is there: what was probably meant.

/// The candidate with the fewest changed letters, when that is few enough to be a slip.
pub(super) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    if length < 3 {
        return None;
    }
    let most = (length / 3).clamp(1, 3);
    let near = candidates.into_iter().take(2_000).filter(|candidate| *candidate != word);
    near.map(|candidate| (distance(word, candidate, most), candidate))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// ` (did you mean …?)`, or nothing.
pub(super) fn hint<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates).map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default()
}

/// Letters to insert, take out, change or swap with their neighbour; more than `most` is not counted out.
fn distance(one: &str, other: &str, most: usize) -> usize {
    let letters = |word: &str| -> Vec<char> { word.to_lowercase().chars().take(80).collect() };
    let (one, other) = (letters(one), letters(other));
    if one.len().abs_diff(other.len()) > most {
        return most + 1;
    }
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    let at = |row: &[usize], place: usize| row.get(place).copied().unwrap_or(usize::MAX - 1);
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let mut cost =
                (at(&last, j) + usize::from(a != b)).min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            let swapped = i > 0 && j > 0 && one.get(i - 1) == Some(b) && other.get(j - 1) == Some(a);
            if swapped {
                cost = cost.min(at(&before_last, j - 1) + 1);
            }
            row.push(cost);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    at(&last, other.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        assert_eq!(nearest("totl", ["total", "tax"]), Some("total"));
        assert_eq!(nearest("CartItme", ["CartItem", "Cart"]), Some("CartItem"));
        assert_eq!(nearest("parse", ["render", "x"]), None);
        assert_eq!(distance("kitten", "sitting", 9), 3);
    }
}
