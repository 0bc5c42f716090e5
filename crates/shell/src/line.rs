//! Text of a command line without an analysis of what it does: its words, and how a word is quoted.

use crate::syntax::ast::{CommandKind, Part, Script, Word};
use crate::syntax::parse;
use crate::text::slice;

/// A word for a POSIX shell, quoted only when it must be. The same word always gives the same text.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The words of a line that is one simple command and nothing else, without their quotes; `None` for any other line
/// (operators, redirections, assignments, substitutions, comments, quotes that never close). Parameters and `~` stay as
/// they are written.
pub fn simple_words(line: &str) -> Option<Vec<String>> {
    let line = line.trim();
    let parsed = parse(line);
    if parsed.broken || parsed.too_deep || parsed.open_quote.is_some() {
        return None;
    }
    let mut rest = line;
    let mut words = Vec::new();
    for word in only_words(&parsed.script)? {
        // Whatever stands between the words and is not blank is more than a simple command.
        rest = skip_blanks(rest).strip_prefix(&*word.raw)?;
        words.push(unquoted(word, line)?);
    }
    skip_blanks(rest).is_empty().then_some(words)
}

/// The words of the script's only command, when that is a simple one.
fn only_words(script: &Script) -> Option<&[Word]> {
    match script.items.as_slice() {
        [] => Some(&[]),
        [item] => match item.first.stages.as_slice() {
            [command] if item.rest.is_empty() => match &command.kind {
                CommandKind::Simple { words, .. } => Some(words),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

fn skip_blanks(mut text: &str) -> &str {
    loop {
        let next = text.trim_start_matches([' ', '\t']);
        let next = next.strip_prefix("\\\n").unwrap_or(next);
        if next.len() == text.len() {
            return text;
        }
        text = next;
    }
}

fn unquoted(word: &Word, line: &str) -> Option<String> {
    let mut text = String::new();
    for part in &word.parts {
        match part {
            Part::Text { text: piece, .. } => text.push_str(piece),
            Part::Param { param, .. } => text.push_str(slice(line, param.at.clone())),
            Part::Command { .. } | Part::Arith { .. } | Part::Process { .. } => return None,
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_of_a_simple_command_and_of_nothing_else() {
        let words = |line: &str| simple_words(line).map(|words| words.join("|"));
        assert_eq!(words(" a 'b c' \"d\\\"e\" f\\ g \\\n h\n").as_deref(), Some("a|b c|d\"e|f g|h"));
        assert_eq!(words("\"$HOME/x\" ${A:-$B}/y ~/z").as_deref(), Some("$HOME/x|${A:-$B}/y|~/z"));
        for more in [
            "a; b", "a &", "a | b", "a > f", "A=b c", "time a", "! a", "a # why", "a $(b)", "a `b`",
            "a <(b)", "(a)", "{ a; }", "a 'b", "a\nb", "if a", "a;", "a $((1))",
        ] {
            assert_eq!(words(more), None, "{more}");
        }
        assert_eq!(words("").as_deref(), Some(""));
    }

    proptest! {
        #[test]
        fn quoted_words_are_read_back(words in prop::collection::vec("\\PC{0,12}|[a-z'\"\\\\ $`\n]{0,8}", 0..6)) {
            let line: Vec<String> = words.iter().map(|word| quote(word)).collect();
            // A first word that looks like an assignment would be one.
            prop_assume!(!words.first().is_some_and(|word| word.contains('=')));
            prop_assert_eq!(simple_words(&line.join(" ")), Some(words));
        }
    }
}
