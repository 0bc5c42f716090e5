//! How alike two texts are: the share of words that they have in common, in any script.

use std::collections::BTreeSet;

/// Two problems that are at least this much alike are one.
pub const SAME: f64 = 0.5;

/// Scripts without spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// The words of a text. Where a script has no spaces, each pair of neighbours is a word.
pub fn words(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let lower = text.to_lowercase();
    for run in lower.split(|c: char| !c.is_alphanumeric()) {
        if run.chars().any(is_unspaced) {
            let chars: Vec<char> = run.chars().collect();
            found.extend(chars.windows(2).map(|pair| pair.iter().collect::<String>()));
            if let [only] = chars.as_slice() {
                found.insert(only.to_string());
            }
        } else if run.chars().count() > 2 {
            found.insert(run.to_owned());
        }
    }
    found
}

/// The share of words in common, 0 to 1.
pub fn jaccard(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let both = a.intersection(b).count();
    let all = a.len() + b.len() - both;
    if all == 0 { 0.0 } else { both as f64 / all as f64 }
}

/// The share of words that two texts have in common.
pub fn alike(a: &str, b: &str) -> f64 {
    jaccard(&words(a), &words(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lessons_in_any_script_are_compared() {
        assert!(alike("git stash lost my changes", "my changes were lost by git stash") > 0.5);
        assert!(alike("команда зависла без таймаута", "без таймаута команда зависла снова") > 0.5);
        assert!(alike("测试运行时挂起", "测试运行时挂起了") > 0.5);
        assert!(alike("テストが止まる", "まったく別の話です") < 0.2);
        assert!(alike("", "").abs() < f64::EPSILON);
    }

    proptest! {
        #[test]
        fn it_is_symmetric_and_a_share(a in ".{0,40}", b in ".{0,40}") {
            let share = alike(&a, &b);
            prop_assert!((0.0..=1.0).contains(&share));
            prop_assert!((share - alike(&b, &a)).abs() < 1e-12);
            if !words(&a).is_empty() { prop_assert!((alike(&a, &a) - 1.0).abs() < 1e-12); }
        }
    }
}
