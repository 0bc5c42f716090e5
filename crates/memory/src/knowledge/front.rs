//! The block between `---` lines at the head of a markdown file. What is written is valid YAML for any text; what is
//! read may be the quoting of people and other programs. Pure.

/// The pairs of a front matter, in order.
pub type Pairs = Vec<(String, String)>;

/// Writes a front matter with its two fences.
pub fn write(pairs: &[(&str, String)]) -> String {
    let mut out = String::from("---\n");
    for (key, value) in pairs {
        out.push_str(key);
        out.push_str(": ");
        out.push_str(value);
        out.push('\n');
    }
    out.push_str("---\n");
    out
}

/// A text as a YAML scalar: plain where that is safe, else quoted with JSON's escapes, which are YAML's too.
pub fn scalar(text: &str) -> String {
    let plain_start = text.chars().next().is_some_and(|c| c.is_alphanumeric() || c == '/' || c == '~');
    let plain_chars = text.chars().all(|c| {
        c.is_alphanumeric() || matches!(c, ' ' | '/' | '.' | '_' | '-' | '~' | '+' | '@' | '(' | ')' | ':')
    });
    let word = matches!(
        text.to_ascii_lowercase().as_str(),
        "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "~" | "y" | "n"
    );
    let safe = plain_start
        && plain_chars
        && !word
        && text.parse::<f64>().is_err()
        && !text.contains(": ")
        && !text.ends_with([' ', ':']);
    if safe { text.to_owned() } else { quoted(text) }
}

/// A text in double quotes.
pub fn quoted(text: &str) -> String {
    // JSON leaves these as they are; YAML readers take them for line ends.
    serde_json::to_string(text)
        .unwrap_or_default()
        .replace('\u{85}', "\\u0085")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
        .replace('\u{7f}', "\\u007f")
}

/// The front matter and what follows it; `None` when the text has none.
pub fn read(text: &str) -> Option<(Pairs, &str)> {
    let text = text.trim_start_matches('\u{feff}');
    let rest = text
        .strip_prefix("---")
        .and_then(|rest| rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')))?;
    let mut pairs = Pairs::new();
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        at += line.len();
        let line = line.trim_end();
        if line == "---" {
            return Some((pairs, rest.get(at..).unwrap_or_default()));
        }
        if let Some((key, value)) = line.split_once(':')
            && !key.is_empty()
            && !key.starts_with([' ', '#', '-'])
        {
            pairs.push((key.trim().to_owned(), unquoted(value.trim())));
        }
    }
    None
}

/// The value of a key.
pub fn get<'a>(pairs: &'a Pairs, key: &str) -> Option<&'a str> {
    pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
}

fn unquoted(value: &str) -> String {
    if let Some(inner) = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        // The reference did not escape quotes inside: then the text between the outer ones is meant.
        return serde_json::from_str(value).unwrap_or_else(|_| inner.to_owned());
    }
    if let Some(inner) = value.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return inner.replace("''", "'");
    }
    value.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn plain_where_it_is_safe() {
        for text in ["main", "/home/dev/shop", "2026-11-15 09:02", "feat/x-1", "2.1.325"] {
            assert_eq!(scalar(text), text);
        }
        for text in
            ["", "true", "123", "1e5", "a: b", "- x", "#1", "it's", "a \"b\"", "@x", "x:", "%y", "a\nb"]
        {
            assert!(scalar(text).starts_with('"'), "{text}");
        }
    }

    /// Fault B7 of the reference: a quote in a title gave invalid YAML. Such files are read as they were meant.
    #[test]
    fn broken_quoting_of_the_reference_is_read() {
        let (pairs, body) =
            read("---\ntitle: \"Use \"pnpm\" here\"\ntags: [\"a\"]\n---\n\n## Learning\n").unwrap();
        assert_eq!(get(&pairs, "title"), Some("Use \"pnpm\" here"));
        assert_eq!(body, "\n## Learning\n");
        assert_eq!(read("no front matter"), None);
        assert_eq!(read("---\nnever: closed\n"), None);
    }

    proptest! {
        /// Fault B7 of the reference, the other way round: any text comes back as it went in.
        #[test]
        fn any_text_reads_back(text in "\\PC{0,40}|[\"':#\\-\\\\ \n\t{}\\[\\],&*!|>%@`a]{0,20}") {
            let file = write(&[("before", scalar("x")), ("title", scalar(&text)), ("after", scalar("y"))]);
            let (pairs, _) = read(&file).unwrap();
            prop_assert_eq!(get(&pairs, "title"), Some(text.as_str()));
            prop_assert_eq!(get(&pairs, "after"), Some("y"));
        }
    }
}
