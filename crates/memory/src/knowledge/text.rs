//! Small things with text: cutting, slugs, sameness. Pure.

pub use sprag_base::text::one_line;

/// The first `count` characters.
pub fn start(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(end, _)| text.get(..end).unwrap_or(text))
}

/// At most `count` characters, with `...` when something is missing.
pub fn cut(text: &str, count: usize) -> String {
    if text.chars().count() <= count {
        return text.to_owned();
    }
    format!("{}...", start(text, count.saturating_sub(3)).trim_end())
}

/// At most the last `count` characters, from the beginning of a line or a word where one is near, with `…` when
/// something is missing.
pub fn end(text: &str, count: usize) -> String {
    let skip = text.chars().count().saturating_sub(count);
    if skip == 0 {
        return text.to_owned();
    }
    let tail = text.char_indices().nth(skip + 1).map_or("", |(at, _)| text.get(at..).unwrap_or_default());
    let half = tail.len() / 2;
    let line = tail.find('\n').filter(|at| *at < half).map(|at| at + 1);
    let start = line.or_else(|| tail.find(' ').filter(|at| *at < half).map(|at| at + 1)).unwrap_or(0);
    format!("…{}", tail.get(start..).unwrap_or(tail))
}

/// The first line that says something, without markup around it.
pub fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}

/// Letters with marks as the letter, for file names that travel between systems.
fn folded(c: char) -> Option<&'static str> {
    Some(match c {
        'à' | 'á' | 'â' | 'ã' | 'å' | 'ā' | 'ă' | 'ą' => "a",
        'ä' => "ae",
        'æ' => "ae",
        'ç' | 'ć' | 'č' | 'ĉ' | 'ċ' => "c",
        'ď' | 'đ' | 'ð' => "d",
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ė' | 'ę' | 'ě' => "e",
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => "g",
        'ì' | 'í' | 'î' | 'ï' | 'ī' | 'į' | 'ı' => "i",
        'ł' | 'ľ' | 'ļ' => "l",
        'ñ' | 'ń' | 'ň' | 'ņ' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ø' | 'ō' | 'ő' => "o",
        'ö' | 'œ' => "oe",
        'ŕ' | 'ř' => "r",
        'ś' | 'š' | 'ş' | 'ș' => "s",
        'ß' => "ss",
        'ť' | 'ţ' | 'ț' | 'þ' => "t",
        'ù' | 'ú' | 'û' | 'ū' | 'ů' | 'ű' | 'ų' => "u",
        'ü' => "ue",
        'ý' | 'ÿ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        _ => return None,
    })
}

/// A title as a part of a file name: lower case, words joined by dashes, at most `most` characters.
/// Letters with marks become plain ones; letters of other scripts stay.
pub fn slug(title: &str, most: usize) -> String {
    let mut out = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if let Some(plain) = folded(c) {
            out.push_str(plain);
        } else if c.is_alphanumeric() || c == '_' {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    let slug = start(&out, most).trim_matches('-').to_owned();
    if slug.is_empty() { "untitled".to_owned() } else { slug }
}

/// The words of a text, for comparing.
fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let mut words: Vec<String> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    words.sort();
    words.dedup();
    words
}

/// True when two sentences say the same, whatever their case, order and punctuation; long ones may differ in a
/// word of five.
pub fn same(a: &str, b: &str) -> bool {
    let (a, b) = (words(a), words(b));
    if a.is_empty() || b.is_empty() {
        return a == b;
    }
    let common = a.iter().filter(|word| b.binary_search(word).is_ok()).count();
    let all = a.len() + b.len() - common;
    if all < 5 { common == all } else { common * 5 >= all * 4 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Fault B7 of the reference: accented letters were deleted from slugs.
    #[test]
    fn a_slug_keeps_its_letters() {
        assert_eq!(slug("Configuración del año: ¿qué más?", 50), "configuracion-del-ano-que-mas");
        assert_eq!(slug("Größe prüfen", 50), "groesse-pruefen");
        assert_eq!(slug("база данных", 50), "база-данных");
        assert_eq!(slug("--- ???", 50), "untitled");
        assert_eq!(slug("A long title that goes on", 10), "a-long-tit");
    }

    #[test]
    fn the_same_thing_in_other_words() {
        assert!(same("Use pnpm, not npm.", "use PNPM not npm"));
        assert!(same(
            "The cart total is computed in cents with integer math",
            "The cart total is computed in cents with integer arithmetic math"
        ));
        assert!(!same("Use pnpm", "Use npm"));
        assert!(!same("The cart total is in cents", "The login page is in French"));
    }

    proptest! {
        #[test]
        fn cutting_keeps_to_its_limit(text in "\\PC{0,60}", most in 3usize..40) {
            prop_assert!(cut(&text, most).chars().count() <= most);
            prop_assert!(end(&text, most).chars().count() <= most);
            prop_assert!(text.ends_with(end(&text, most).trim_start_matches('…')));
            prop_assert!(!slug(&text, most).contains(['/', '.', '\0', ' ']));
        }
    }
}
