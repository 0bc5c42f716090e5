//! Where something ends that needs no semicolon. The parsers count comments on the same line to what ends there, each in
//! its own way.

use super::kind::Kind;
use super::read::Reader;

/// What comments are followed by.
enum After {
    /// A line ended in one of them, or something else than a comment follows.
    Something,
    /// A comment without the end of a line.
    Comment,
    /// A sign that begins like a comment.
    Slash,
}

impl Reader<'_> {
    /// A semicolon may be left out after the last token that was read; `goes_on` when an expression might go on there.
    pub(super) fn may_end(&mut self, goes_on: bool) {
        self.may_end = Some((self.at.saturating_sub(1), goes_on));
    }

    /// Where what was read last ends.
    pub(super) fn end_with_comments(&self) -> u32 {
        let end = self.end();
        let next = self.token(self.at);
        let Some((last, goes_on)) = self.may_end else { return end };
        if last + 1 != self.at || !next.comment && next.kind != Kind::End {
            return end;
        }
        let text = self.source.text.as_str();
        let mut rest = text.get(end as usize..).unwrap_or("");
        loop {
            let ended = if self.typed { self.line_ends(rest) } else { self.looks_ended(rest, goes_on) };
            if ended {
                return (text.len() - rest.len()) as u32;
            }
            rest = match skip_comment(same_line(rest)) {
                Some(after) => after,
                None => return end,
            };
        }
    }

    /// A line that begins so does not go on with the one before.
    fn begins_statement(&self) -> bool {
        match self.kind() {
            Kind::In | Kind::Instanceof => false,
            Kind::CurlyOpen
            | Kind::CurlyClose
            | Kind::At
            | Kind::Step
            | Kind::Bang
            | Kind::Text
            | Kind::Tilde
            | Kind::Number
            | Kind::PrivateName
            | Kind::End => true,
            kind => kind.is_word(),
        }
    }

    /// The parser of TypeScript wants the end of the line, of the block or of the text right here.
    fn line_ends(&self, rest: &str) -> bool {
        let rest = same_line(rest);
        rest.is_empty() || rest.starts_with('}') || rest.starts_with('\n') && self.begins_statement()
    }

    /// The parser of JavaScript looks beyond comments, but not beyond all of them.
    fn looks_ended(&self, mut rest: &str, goes_on: bool) -> bool {
        loop {
            if rest.is_empty() {
                return true;
            }
            if rest.starts_with('/') {
                let after;
                (rest, after) = beyond_comments(rest);
                match after {
                    After::Slash => return false,
                    After::Something if !goes_on && !rest.starts_with([',', '=']) => return true,
                    _ => {}
                }
            }
            if rest.starts_with('}') {
                return true;
            }
            if rest.starts_with('\n') {
                return self.begins_statement();
            }
            let Some(after) = rest.strip_prefix(char::is_whitespace) else { return false };
            rest = after;
        }
    }
}

/// Without the white space up to the end of the line.
fn same_line(text: &str) -> &str {
    text.trim_start_matches(|c: char| c != '\n' && c.is_whitespace())
}

/// What follows the comment that a text begins with.
fn skip_comment(text: &str) -> Option<&str> {
    if text.starts_with("//") {
        return Some(text.find(['\r', '\n']).and_then(|end| text.get(end..)).unwrap_or(""));
    }
    text.strip_prefix("/*").and_then(|text| text.split_once("*/")).map(|(_, after)| after)
}

/// Goes over comments up to the first in `/* */`, which it goes over too.
fn beyond_comments(mut rest: &str) -> (&str, After) {
    loop {
        rest = rest.trim_start();
        if !rest.starts_with('/') {
            return (rest, After::Something);
        }
        let Some(after) = skip_comment(rest) else { return (rest, After::Slash) };
        if rest.starts_with("/*") && !after.starts_with('/') {
            let inside = rest.len() - after.len();
            let line = rest.get(..inside).is_some_and(|comment| comment.contains('\n'));
            return (after, if line { After::Something } else { After::Comment });
        }
        rest = after;
    }
}
