//! Text that a reader does not see: tag characters, long runs of zero-width characters, overrides of direction,
//! comments and elements that a style sheet hides. The text in them is given back to be scanned.

use super::fold;
use crate::scrub::part::slice;

/// Something hidden.
pub(super) struct Hidden {
    /// Byte in the text.
    pub(super) at: usize,
    /// What it is.
    pub(super) how: &'static str,
    /// How much it weighs by itself.
    pub(super) score: u8,
    /// The text in it, when it can be read.
    pub(super) text: Option<String>,
}

/// The maximum number of hidden passages that are reported.
const MAX_HIDDEN: usize = 64;
/// The maximum size of one hidden text.
const MAX_HIDDEN_BYTES: usize = 8 << 10;

/// Invisible characters.
pub(super) fn characters(text: &str) -> Vec<Hidden> {
    let mut found = Vec::new();
    let mut tags = Run::default();
    let mut zero = Run::default();
    let mut selectors = Run::default();
    let mut before = ' ';
    let mut inside = 0_usize;
    let mut inside_at = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c.is_ascii() && found.is_empty() && tags.len + zero.len + selectors.len == 0 {
            before = c;
            continue;
        }
        match c {
            '\u{e0020}'..='\u{e007e}' => tags.push(at, char::from_u32(u32::from(c) - 0xe_0000)),
            '\u{fe00}'..='\u{fe0f}' => selectors.push(at, char::from_u32(u32::from(c) - 0xfe00)),
            '\u{e0100}'..='\u{e01ef}' => selectors.push(at, char::from_u32(u32::from(c) - 0xe_0100 + 16)),
            '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{180e}' => {
                zero.push(at, None);
                let after = chars.peek().map_or(' ', |(_, next)| *next);
                if before.is_ascii_alphabetic() && after.is_ascii_alphabetic() {
                    if inside == 0 {
                        inside_at = at;
                    }
                    inside += 1;
                }
                continue;
            }
            // A direction override reverses the displayed text: no legitimate text needs one.
            '\u{202d}' | '\u{202e}' if found.len() < MAX_HIDDEN => {
                let near = super::tail(slice(text, ..at), 40);
                let rtl = near.chars().chain(super::head(slice(text, at..), 80).chars()).any(right_to_left);
                if !rtl {
                    found.push(Hidden {
                        at,
                        how: "text whose direction is overridden",
                        score: 4,
                        text: None,
                    });
                }
            }
            _ => {
                tags.end(&mut found, before_flag(text, tags.at));
                zero.end_zero(&mut found);
                selectors.end_selectors(&mut found);
            }
        }
        before = c;
        if found.len() >= MAX_HIDDEN {
            break;
        }
    }
    tags.end(&mut found, before_flag(text, tags.at));
    zero.end_zero(&mut found);
    selectors.end_selectors(&mut found);
    if inside >= 3 {
        found.push(Hidden { at: inside_at, how: "zero-width characters inside words", score: 3, text: None });
    }
    found
}

fn right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

/// Flags of regions are written with tag characters behind a black flag.
fn before_flag(text: &str, at: usize) -> bool {
    text.get(..at).is_some_and(|before| before.ends_with('\u{1f3f4}'))
}

#[derive(Default)]
struct Run {
    at: usize,
    len: usize,
    text: String,
}

impl Run {
    fn push(&mut self, at: usize, c: Option<char>) {
        if self.len == 0 {
            self.at = at;
        }
        self.len += 1;
        if let Some(c) = c.filter(|_| self.text.len() < MAX_HIDDEN_BYTES) {
            self.text.push(c);
        }
    }

    fn end(&mut self, found: &mut Vec<Hidden>, flag: bool) {
        if self.len >= 4 && !flag {
            let text = Some(std::mem::take(&mut self.text));
            found.push(Hidden { at: self.at, how: "invisible tag characters", score: 6, text });
        }
        *self = Self::default();
    }

    /// A row of zero-width characters holds bits; a single one is typography.
    fn end_zero(&mut self, found: &mut Vec<Hidden>) {
        if self.len >= 8 {
            found.push(Hidden { at: self.at, how: "a row of zero-width characters", score: 5, text: None });
        }
        *self = Self::default();
    }

    fn end_selectors(&mut self, found: &mut Vec<Hidden>) {
        if self.len >= 6 {
            let text: String = self.text.chars().filter(char::is_ascii).collect();
            found.push(Hidden {
                at: self.at,
                how: "a row of variation selectors",
                score: 5,
                text: Some(text),
            });
        }
        *self = Self::default();
    }
}

/// Styles that hide an element.
const STYLES: &[&str] = &[
    "display:none", "display: none", "visibility:hidden", "visibility: hidden", "font-size:0",
    "font-size: 0", "opacity:0;", "opacity: 0;", "opacity:0\"", "opacity: 0\"", "color:white",
    "color: white", "color:#fff", "color: #fff", "font-size:1px", "font-size: 1px", "text-indent:-9",
    "text-indent: -9", "left:-9999", "left: -9999", "height:0", "height: 0", "color:transparent",
    "color: transparent", "color=white", "color=\"white", "color='white", "color=#fff", "color=\"#fff",
];

/// Comments and hidden elements of HTML and Markdown, with their text.
pub(super) fn elements(text: &str) -> Vec<Hidden> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("<!--")).map(|at| at + from) {
        let body = super::head(slice(text, at + 4..), MAX_HIDDEN_BYTES);
        let len = body.find("-->").unwrap_or(body.len());
        push(&mut found, at, "an HTML comment", body.get(..len));
        from = at + 4 + len;
        if found.len() >= MAX_HIDDEN {
            return found;
        }
    }
    // A link that names nothing is Markdown's comment.
    from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("[//]: # ")).map(|at| at + from) {
        let body = super::head(slice(text, at + 8..), MAX_HIDDEN_BYTES);
        let len = body.find('\n').unwrap_or(body.len());
        push(&mut found, at, "a Markdown comment", body.get(..len));
        from = at + 8 + len;
        if found.len() >= MAX_HIDDEN {
            return found;
        }
    }
    from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find('<')).map(|at| at + from) {
        let rest = super::head(slice(text, at..), 400);
        from = at + 1;
        let Some(close) = rest.find('>') else { continue };
        let tag = slice(rest, ..close);
        for name in ["alt=", "title=", "content=", "value=", "aria-label=", "placeholder="] {
            push(&mut found, at, "an attribute", attribute(tag, name));
        }
        let plain = !tag.contains("style")
            && !tag.contains("color=")
            && !tag.contains("hidden")
            && !tag.contains("sr-only");
        if plain && !tag.starts_with("<template") && !tag.starts_with("<noscript") {
            continue;
        }
        let lower = tag.to_ascii_lowercase();
        let hides = STYLES.iter().any(|style| lower.contains(style))
            || lower.ends_with(" hidden")
            || lower.contains(" hidden ")
            || lower.contains("aria-hidden=\"true\"")
            || lower.starts_with("<template")
            || lower.starts_with("<noscript")
            || lower.contains("sr-only");
        if hides {
            let body = super::head(slice(text, at + close + 1..), MAX_HIDDEN_BYTES);
            let len = body.find("</").unwrap_or(body.len());
            push(&mut found, at, "an element that is not shown", body.get(..len));
            from = at + close + 1;
            if found.len() >= MAX_HIDDEN {
                return found;
            }
        }
    }
    white(text, &mut found);
    found
}

/// The value of a tag's attribute.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let rest = tag.get(tag.find(name)? + name.len()..)?;
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    rest.get(1..)?.split(quote).next()
}

/// White text of a LaTeX document.
fn white(text: &str, found: &mut Vec<Hidden>) {
    for sign in ["color{white}{", "textcolor{white}{", "color{white} "] {
        let Some(at) = text.find(sign) else { continue };
        let body = super::head(slice(text, at + sign.len()..), MAX_HIDDEN_BYTES);
        push(found, at, "white text", body.split(['}', '\n']).next());
    }
}

fn push(found: &mut Vec<Hidden>, at: usize, how: &'static str, body: Option<&str>) {
    let body = body.unwrap_or_default().trim();
    if body.chars().filter(|c| c.is_alphabetic() && !fold::mark(*c)).count() >= 8 {
        found.push(Hidden { at, how, score: 0, text: Some(body.to_owned()) });
    }
}
