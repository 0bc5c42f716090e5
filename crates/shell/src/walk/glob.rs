//! Patterns as `${x%…}`, `case` and `[[ = ]]` know them.

/// One piece of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Char(char),
    /// `?`
    Any,
    /// `*`
    Many,
    /// `[a-z]`
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

/// A pattern.
#[derive(Debug, Clone, Default)]
pub(super) struct Glob {
    pieces: Vec<Piece>,
}

/// Longest text and pattern that are compared, in characters.
const MAX_CHARS: usize = 4096;
const MAX_PIECES: usize = 128;

impl Glob {
    /// Text whose `*`, `?`, `[…]` and backslashes count; false when it has an extended pattern, which is not known here.
    pub(super) fn active(&mut self, text: &str) -> bool {
        let chars: Vec<char> = text.chars().collect();
        let mut i = 0;
        while let Some(&c) = chars.get(i) {
            i += 1;
            if matches!(c, '?' | '*' | '+' | '@' | '!') && chars.get(i) == Some(&'(') {
                return false;
            }
            match c {
                '*' => self.pieces.push(Piece::Many),
                '?' => self.pieces.push(Piece::Any),
                '\\' => {
                    self.pieces.extend(chars.get(i).map(|c| Piece::Char(*c)));
                    i += 1;
                }
                '[' => match class(&chars, i) {
                    Some((piece, end)) => {
                        self.pieces.push(piece);
                        i = end;
                    }
                    None => self.pieces.push(Piece::Char('[')),
                },
                _ => self.pieces.push(Piece::Char(c)),
            }
        }
        true
    }

    /// Whether the pattern is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Whether the whole text matches; none when it is too long to say.
    pub(super) fn matches(&self, text: &str) -> Option<bool> {
        let chars = self.bounded(text)?;
        Some(ends(&self.pieces, &chars).last() == Some(&chars.len()))
    }

    /// Whether one character matches.
    pub(super) fn takes(&self, c: char) -> bool {
        ends(&self.pieces, &[c]).last() == Some(&1)
    }

    /// The text without the part at its start (or end) that matches; as it is when none does.
    pub(super) fn cut(&self, text: &str, end: bool, longest: bool) -> Option<String> {
        let mut chars = self.bounded(text)?;
        let mut pieces = self.pieces.clone();
        if end {
            chars.reverse();
            pieces.reverse();
        }
        let found = ends(&pieces, &chars);
        let len = if longest { found.last() } else { found.first() }.copied().unwrap_or(0);
        let rest = chars.into_iter().skip(len);
        Some(if end { rest.collect::<Vec<_>>().into_iter().rev().collect() } else { rest.collect() })
    }

    /// The text with the first match, or all of them, replaced.
    pub(super) fn replace(&self, text: &str, with: &str, all: bool) -> Option<String> {
        let chars = self.bounded(text).filter(|chars| chars.len() <= MAX_CHARS / 4)?;
        let mut out = String::new();
        let mut at = 0;
        let mut done = self.is_empty();
        while let Some(&c) = chars.get(at) {
            let rest = chars.get(at..).unwrap_or_default();
            let len = if done { 0 } else { ends(&self.pieces, rest).last().copied().unwrap_or(0) };
            if len > 0 {
                out.push_str(with);
                at += len;
                done = !all;
            } else {
                out.push(c);
                at += 1;
            }
        }
        Some(out)
    }

    /// The text with a match at its start (or end) replaced.
    pub(super) fn replace_at(&self, text: &str, with: &str, end: bool) -> Option<String> {
        let chars = self.bounded(text)?;
        let rest = self.cut(text, end, true)?;
        if rest.chars().count() == chars.len() && !self.is_empty() && self.matches("") != Some(true) {
            return Some(rest);
        }
        Some(if end { format!("{rest}{with}") } else { format!("{with}{rest}") })
    }

    fn bounded(&self, text: &str) -> Option<Vec<char>> {
        if self.pieces.len() > MAX_PIECES || text.len() > 4 * MAX_CHARS {
            return None;
        }
        let chars: Vec<char> = text.chars().collect();
        (chars.len() <= MAX_CHARS).then_some(chars)
    }
}

/// The lengths of all matches that begin at the start of the text, from the shortest to the longest.
fn ends(pieces: &[Piece], text: &[char]) -> Vec<usize> {
    let mut here = vec![false; pieces.len() + 1];
    if let Some(first) = here.first_mut() {
        *first = true;
    }
    skip_stars(pieces, &mut here);
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        if here.last() == Some(&true) {
            found.push(at);
        }
        let Some(&c) = text.get(at) else { return found };
        let mut next = vec![false; pieces.len() + 1];
        let mut alive = false;
        for (i, piece) in pieces.iter().enumerate() {
            if here.get(i) != Some(&true) {
                continue;
            }
            let to = match piece {
                Piece::Many => i,
                _ if takes(piece, c) => i + 1,
                _ => continue,
            };
            if let Some(slot) = next.get_mut(to) {
                *slot = true;
                alive = true;
            }
        }
        if !alive {
            return found;
        }
        skip_stars(pieces, &mut next);
        here = next;
        at += 1;
    }
}

/// A `*` may also take nothing.
fn skip_stars(pieces: &[Piece], states: &mut [bool]) {
    for (i, piece) in pieces.iter().enumerate() {
        if *piece == Piece::Many
            && states.get(i) == Some(&true)
            && let Some(next) = states.get_mut(i + 1)
        {
            *next = true;
        }
    }
}

fn takes(piece: &Piece, c: char) -> bool {
    match piece {
        Piece::Char(own) => *own == c,
        Piece::Any | Piece::Many => true,
        Piece::Class { negated, ranges } => ranges.iter().any(|(a, b)| *a <= c && c <= *b) != *negated,
    }
}

/// The class whose `[` stands before `from`, and where it ends.
fn class(chars: &[char], from: usize) -> Option<(Piece, usize)> {
    let mut at = from;
    let negated = matches!(chars.get(at), Some('!' | '^'));
    at += usize::from(negated);
    let start = at;
    let mut ranges = Vec::new();
    loop {
        let c = *chars.get(at)?;
        if c == ']' && at > start {
            return Some((Piece::Class { negated, ranges }, at + 1));
        }
        if c == '[' && chars.get(at + 1) == Some(&':') {
            let name: String = chars.get(at + 2..)?.iter().take(8).take_while(|c| **c != ':').collect();
            at += name.chars().count() + 4;
            let named: &[(char, char)] = match name.as_str() {
                "digit" => &[('0', '9')],
                "lower" => &[('a', 'z')],
                "upper" => &[('A', 'Z')],
                "alpha" => &[('a', 'z'), ('A', 'Z')],
                "alnum" => &[('a', 'z'), ('A', 'Z'), ('0', '9')],
                "space" => &[(' ', ' '), ('\t', '\r')],
                "blank" => &[(' ', ' '), ('\t', '\t')],
                "punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
                _ => return None,
            };
            ranges.extend_from_slice(named);
            continue;
        }
        let c = if c == '\\' {
            at += 1;
            *chars.get(at)?
        } else {
            c
        };
        if chars.get(at + 1) == Some(&'-') && chars.get(at + 2).is_some_and(|e| *e != ']') {
            ranges.push((c, *chars.get(at + 2)?));
            at += 3;
        } else {
            ranges.push((c, c));
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glob(text: &str) -> Glob {
        let mut g = Glob::default();
        assert!(g.active(text));
        g
    }

    #[test]
    fn parts_that_match_are_cut_off() {
        let cut = |p: &str, t: &str, end, longest| glob(p).cut(t, end, longest).unwrap();
        assert_eq!(cut("*/", "a/b/c", false, false), "b/c");
        assert_eq!(cut("*/", "a/b/c", false, true), "c");
        assert_eq!(cut("/*", "a/b/c", true, false), "a/b");
        assert_eq!(cut("/*", "a/b/c", true, true), "a");
        assert_eq!(cut("[0-9][![:alpha:]]", "12a", false, false), "a");
        assert_eq!(cut("x", "abc", true, true), "abc");
    }

    #[test]
    fn matches_are_replaced() {
        let all = |p: &str, t: &str, w: &str| glob(p).replace(t, w, true).unwrap();
        assert_eq!(all("_", "rm_-rf_x", " "), "rm -rf x");
        assert_eq!(all("a*", "banana", "-"), "b-");
        assert_eq!(glob("a").replace("banana", "-", false).unwrap(), "b-nana");
        assert_eq!(glob("").replace("ab", "-", true).unwrap(), "ab");
        assert_eq!(glob("a").replace_at("aba", "-", false).unwrap(), "-ba");
        assert_eq!(glob("a").replace_at("aba", "-", true).unwrap(), "ab-");
        assert_eq!(glob("x").replace_at("aba", "-", true).unwrap(), "aba");
        assert_eq!(glob("").replace_at("ab", "-", false).unwrap(), "-ab");
    }

    #[test]
    fn whole_texts_match() {
        assert_eq!(glob("a*c?").matches("abbbcd"), Some(true));
        assert_eq!(glob("[!a]*").matches("abc"), Some(false));
        assert_eq!(glob("\\*").matches("*"), Some(true));
        assert!(!Glob::default().active("@(a|b)"), "extended patterns are not known");
    }
}
