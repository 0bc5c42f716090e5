//! Tokens of Python, JavaScript, Perl, Ruby, PHP, Lua, awk and R, as far as calls and literals need them.

use crate::model::HOLE;
use crate::text::items;

use super::Lang;

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Tok {
    /// A name with its dots and colons: `os.path.join`, `FileUtils.rm_rf`, `.unlink`.
    Name(String),
    /// A literal; interpolations are holes.
    Str(String),
    /// Code for a shell: backticks, `qx{}`, `%x{}`.
    Shell(String),
    /// Anything else.
    Punct(char),
    /// A line end or `;`.
    End,
}

const MAX_TOKENS: usize = 50_000;

pub(super) fn tokens(text: &str, lang: Lang) -> Vec<Tok> {
    let chars: Vec<char> = text.chars().collect();
    let mut out = Vec::new();
    let mut i = 0;
    while let Some(&c) = chars.get(i) {
        if out.len() > MAX_TOKENS {
            break;
        }
        let next = chars.get(i + 1).copied();
        match c {
            '\n' | ';' => {
                out.push(Tok::End);
                i += 1;
            }
            c if c.is_whitespace() => i += 1,
            '#' if lang != Lang::Js && lang != Lang::Lua && chars.get(i.wrapping_sub(1)) != Some(&'$') => {
                i = line_end(&chars, i);
            }
            '/' if next == Some('/') && matches!(lang, Lang::Js | Lang::Php) => i = line_end(&chars, i),
            '-' if next == Some('-') && lang == Lang::Lua => i = line_end(&chars, i),
            '/' if next == Some('*') && matches!(lang, Lang::Js | Lang::Php) => {
                i += 2;
                while chars.get(i).is_some()
                    && !(chars.get(i) == Some(&'*') && chars.get(i + 1) == Some(&'/'))
                {
                    i += 1;
                }
                i += 2;
            }
            '\'' | '"' => {
                let (text, end) = string(&chars, i, c, lang, false);
                out.push(Tok::Str(text));
                i = end;
            }
            '`' => {
                let (text, end) = string(&chars, i, '`', lang, lang == Lang::Js);
                // In JavaScript a template; elsewhere a command.
                out.push(if lang == Lang::Js { Tok::Str(text) } else { Tok::Shell(text) });
                i = end;
            }
            '%' if lang == Lang::Ruby
                && next == Some('x')
                && chars.get(i + 2).is_some_and(|d| !d.is_alphanumeric()) =>
            {
                let (text, end) = delimited(&chars, i + 2);
                out.push(Tok::Shell(text));
                i = end;
            }
            c if c.is_alphabetic() || c == '_' || c == '.' || c == '$' || c == '@' => {
                i = name_or_quoted(&chars, i, lang, &mut out);
            }
            '-' if next == Some('>') => {
                out.push(Tok::Punct('.'));
                i += 2;
            }
            c => {
                out.push(Tok::Punct(c));
                i += 1;
            }
        }
    }
    out
}

/// Reads a name, or the quoted text that a name such as `qw` or `f` begins; the position behind it.
fn name_or_quoted(chars: &[char], start: usize, lang: Lang, out: &mut Vec<Tok>) -> usize {
    let mut i = start;
    while chars.get(i).is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '$' | '@' | '!'))
    {
        // `x != y` is not part of a name.
        if chars.get(i) == Some(&'!') && lang != Lang::Ruby {
            break;
        }
        if chars.get(i) == Some(&':')
            && chars.get(i + 1) != Some(&':')
            && chars.get(i.wrapping_sub(1)) != Some(&':')
        {
            break;
        }
        i += 1;
    }
    if i == start {
        i += 1;
    }
    let name: String = items(chars, start..i).iter().collect();
    let quote = chars.get(i).copied();
    let at = if quote.is_some_and(char::is_whitespace) { i + 1 } else { i };
    if lang == Lang::Perl && name == "qw" && quote.is_some_and(|q| !q.is_alphanumeric()) {
        let (text, end) = delimited(chars, at);
        for (n, word) in text.split_whitespace().enumerate() {
            if n > 0 {
                out.push(Tok::Punct(','));
            }
            out.push(Tok::Str(word.to_owned()));
        }
        i = end;
    } else if lang == Lang::Perl
        && matches!(name.as_str(), "qx" | "q" | "qq")
        && quote.is_some_and(|q| !q.is_alphanumeric())
    {
        let (text, end) = delimited(chars, at);
        out.push(if name == "qx" { Tok::Shell(text) } else { Tok::Str(text) });
        i = end;
    } else if lang == Lang::Python
        && matches!(quote, Some('\'' | '"'))
        && matches!(name.to_ascii_lowercase().as_str(), "r" | "b" | "f" | "u" | "rb" | "br" | "fr" | "rf")
    {
        let (text, end) =
            string(chars, i, quote.unwrap_or('"'), lang, name.to_ascii_lowercase().contains('f'));
        out.push(Tok::Str(text));
        i = end;
    } else {
        // PHP and Perl method arrows join like dots.
        out.push(Tok::Name(name));
    }
    i
}

fn line_end(chars: &[char], from: usize) -> usize {
    let rest = items(chars, from..);
    from + rest.iter().position(|c| *c == '\n').unwrap_or(rest.len())
}

/// The string that opens at `at`; `holes` says that `{…}` interpolates.
fn string(chars: &[char], at: usize, quote: char, lang: Lang, holes: bool) -> (String, usize) {
    let mut out = String::new();
    let mut i = at + 1;
    let triple = lang == Lang::Python && chars.get(i) == Some(&quote) && chars.get(i + 1) == Some(&quote);
    if triple {
        i += 2;
    }
    while let Some(&c) = chars.get(i) {
        if c == quote && (!triple || (chars.get(i + 1) == Some(&quote) && chars.get(i + 2) == Some(&quote))) {
            return (out, i + if triple { 3 } else { 1 });
        }
        let opens = match lang {
            Lang::Python => holes && c == '{',
            Lang::Js => holes && c == '$' && chars.get(i + 1) == Some(&'{'),
            Lang::Ruby => quote != '\'' && c == '#' && chars.get(i + 1) == Some(&'{'),
            _ => false,
        };
        if opens {
            while chars.get(i).is_some_and(|c| *c != '}') {
                i += 1;
            }
            out.push(HOLE);
            i += 1;
            continue;
        }
        if c == '\\' {
            match chars.get(i + 1) {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('x') => {
                    let hex: String = chars.get(i + 2..i + 4).unwrap_or_default().iter().collect();
                    if let Some(ch) = u32::from_str_radix(&hex, 16).ok().and_then(char::from_u32) {
                        out.push(ch);
                        i += 4;
                        continue;
                    }
                }
                Some(n) => out.push(*n),
                None => {}
            }
            i += 2;
            continue;
        }
        out.push(c);
        i += 1;
    }
    (out, i)
}

/// `{…}`, `(…)`, `/…/` at `at`.
fn delimited(chars: &[char], at: usize) -> (String, usize) {
    let Some(&open) = chars.get(at) else { return (String::new(), at + 1) };
    let close = match open {
        '(' => ')',
        '{' => '}',
        '[' => ']',
        '<' => '>',
        c => c,
    };
    let mut depth = 0u32;
    let mut out = String::new();
    let mut i = at + 1;
    while let Some(&c) = chars.get(i) {
        if c == close && depth == 0 {
            return (out, i + 1);
        }
        if open != close && c == open {
            depth += 1;
        } else if open != close && c == close {
            depth -= 1;
        }
        out.push(c);
        i += 1;
    }
    (out, i)
}
